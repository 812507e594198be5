/** Reads boundaries from a column of text: well-known text, well-known binary in hexadecimal digits, GeoJSON. */

import { isObject, jsonValue } from '../../core/values/exact-json.ts'
import { holdsNothing } from '../../core/values/no-value.ts'
import { problem } from '../../core/problem.ts'
import { chosen, chosenByPerson, type Choice, type CrsClue, type Row, type Value } from '../../core/row.ts'
import { crsOfFeature, numberOfCrs, shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { shapeFromWkb } from '../../core/shapes/shape-wkb.ts'
import { vertexCount, type Shape } from '../../core/shape.ts'
import { startShapeFacts } from '../../core/shape-facts.ts'
import { looksLikeWkt, shapeFromWkt, sridOfWkt } from '../../core/shapes/shape-wkt.ts'
import { assumedNote, type Plan, type Proved, type Reading } from './point-columns.ts'

type Spelling = {
  readonly name: string
  looksLike(text: string): boolean
  shape(text: string): Shape | string
  srid(text: string): number | undefined
}

const spellings: readonly Spelling[] = [
  { name: 'well-known text', looksLike: looksLikeWkt, shape: shapeFromWkt, srid: sridOfWkt },
  {
    name: 'GeoJSON',
    looksLike: (text) => /^\s*\{/.test(text) && /"(?:coordinates|geometry|geometries)"\s*:/.test(text),
    shape: shapeFromJsonText,
    srid: sridOfJson,
  },
  {
    name: 'well-known binary',
    looksLike: (text) => /^\s*(?:\\x|0x)?0[01](?:[0-9a-f]{2}){12,}\s*$/i.test(text),
    shape: (text) => shapeFromWkb(hexBytes(text)),
    srid: sridOfHex,
  },
]

function shapeFromJsonText(text: string): Shape | string {
  const parsed = jsonValue(text)
  if (parsed === undefined) return 'It is not complete JSON.'
  const geometry = parsed as { readonly type?: unknown; readonly geometry?: unknown }
  return shapeFromGeoJson(geometry.type === 'Feature' ? geometry.geometry : parsed)
}

function sridOfJson(text: string): number | undefined {
  // Parsing every cell twice would double the time for files that state nothing.
  const parsed = text.includes('"crs"') ? jsonValue(text) : undefined
  const said = isObject(parsed) ? crsOfFeature(parsed) : undefined
  return said === undefined ? undefined : numberOfCrs(said)
}

function hexBytes(text: string): Uint8Array {
  return Buffer.from(text.trim().replace(/^(?:\\x|0x)/i, ''), 'hex')
}

/** PostGIS sets a flag if the number of a coordinate system follows the kind. */
function sridOfHex(text: string): number | undefined {
  const bytes = hexBytes(text.trim().slice(0, 20))
  if (bytes.length < 9) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isLittle = bytes[0] === 1
  const srid = (view.getUint32(1, isLittle) & 0x2000_0000) === 0 ? 0 : view.getUint32(5, isLittle)
  return srid === 0 ? undefined : srid
}

/** The plan to read boundaries from the column that an option names; its first filled cell says which system they are in. */
export function planText(name: string, first: string | undefined): Plan {
  const spelling = first === undefined ? undefined : spellingOf(first)
  const srid = first === undefined ? undefined : spelling?.srid(first)
  const text = srid === undefined ? (spelling?.name === 'GeoJSON' ? 'EPSG:4326' : undefined) : `EPSG:${srid}`
  return planOf(name, chosenByPerson('from.geometry', name), { usual: spelling ?? spellings[0]!, text })
}

type How = { readonly usual: Spelling; readonly text: string | undefined }

function planOf(name: string, choice: Choice, { usual, text }: How): Plan {
  return {
    choices: [choice],
    notes: [],
    ...(text === undefined ? {} : { crs: { from: 'columns', text } satisfies CrsClue }),
    read: (values, at) => readCell(values[name], { name, usual, system: text, at }),
  }
}

function spellingOf(text: string): Spelling | undefined {
  if (text.length < shortest || !mayBegin.test(text)) return undefined
  return spellings.find((each) => each.looksLike(text))
}

/** POINT(1 2) */
const shortest = 9
// Rules out nearly all cells.
const mayBegin = /^\s*(?:[{\\0]|po|li|mu|ge|sr|ci|co|cu|tr|ti)/i
/** The words for nothing are not longer. */
const longestNothing = 6

type TextColumn = {
  filled: number
  readonly fits: Map<Spelling, number>
  /** What the cells of each system contain, 0 for those that name none. */
  readonly systems: Map<number, InSystem>
  readonly failed: { count: number; first: Row | undefined }
}

type InSystem = {
  cells: number
  shapes: number
  areas: number
  degrees: number
  readonly first: Row
  readonly facts: ReturnType<typeof startShapeFacts>
}

/** Watches columns of text while rows pass, and proves which of them contains boundaries. */
export function watchTexts(columns: readonly string[], isSaid: boolean) {
  const watched = columns.map((): TextColumn => ({
    filled: 0,
    fits: new Map(),
    systems: new Map(),
    failed: { count: 0, first: undefined },
  }))
  let rows = 0
  return {
    pass(row: Row): void {
      rows += 1
      for (const [index, name] of columns.entries()) {
        const value = row.values[name]
        if (typeof value !== 'string' || value === '') continue
        if (value.length <= longestNothing && holdsNothing(value)) continue
        addText(watched[index]!, value, row)
      }
    },
    end(): Proved | undefined {
      const found = columns
        .flatMap((name, index) => candidateOf(name, watched[index]!, isSaid))
        .toSorted((one, other) => other.rank - one.rank)
      return found[0] && provedBy(found[0], { second: found[1]?.name, isSaid, rows })
    },
  }
}

function addText(column: TextColumn, text: string, row: Row): void {
  column.filled += 1
  const spelling = spellingOf(text)
  const shape = spelling?.shape(text)
  if (spelling !== undefined) column.fits.set(spelling, (column.fits.get(spelling) ?? 0) + 1)
  if (spelling === undefined || shape === undefined || typeof shape === 'string') {
    column.failed.count += 1
    column.failed.first ??= row
    return
  }
  const srid = spelling.srid(text) ?? 0
  const known = column.systems.get(srid)
  const system = known ?? { cells: 0, shapes: 0, areas: 0, degrees: 0, first: row, facts: startShapeFacts() }
  if (known === undefined) column.systems.set(srid, system)
  system.cells += 1
  if (vertexCount(shape) === 0 && shape.members === undefined) return
  system.shapes += 1
  if (shape.kind.endsWith('Polygon')) system.areas += 1
  if (areDegrees(shape)) system.degrees += 1
  system.facts.add(shape)
}

const usualNames =
  /^(?:the[ _]?)?(?:geom(?:etry)?|wkt|wkb|shape|boundary|polygon|geojson|geo[ _]?shape|outline|perimeter|spatial[ _]?feature)(?:[ _](?:wkt|wkb|json|text))?$/i

type Candidate = ReturnType<typeof candidateOf>[number]

/** The column with the form and the system of most of its cells; none if too few are boundaries. */
function candidateOf(name: string, column: TextColumn, isSaid: boolean) {
  const [most] = [...column.fits].toSorted((one, other) => other[1] - one[1])
  const fits = most?.[1] ?? 0
  if (!isSaid && (fits === 0 || fits * 2 < column.filled)) return []
  const spelling = most?.[0] ?? spellings[0]!
  const [system] = [...column.systems].toSorted((one, other) => other[1].cells - one[1].cells)
  const { shapes = 0, areas = 0 } = system?.[1] ?? {}
  return [{ name, column, spelling, system, rank: areas / Math.max(1, shapes) + (usualNames.test(name) ? 0.5 : 0) }]
}

// A single boundary elsewhere does not make degrees metres.
const mostDegrees = 0.95

function provedBy(
  { name, column, spelling, system }: Candidate,
  { second, isSaid, rows }: { readonly second: string | undefined; readonly isSaid: boolean; readonly rows: number },
): Proved {
  const [srid, own] = system ?? [0]
  const shapes = own?.shapes ?? 0
  const isDegrees = own !== undefined && shapes > 0 && own.degrees >= mostDegrees * shapes
  const text = srid !== 0 ? `EPSG:${srid}` : isDegrees ? 'EPSG:4326' : undefined
  const evidence = isSaid ? 'Set, not guessed.' : `${shapes} of ${column.filled} filled cells contain ${spelling.name}.`
  const plan = planOf(name, chosen('from.geometry', name, evidence, second), { usual: spelling, text })
  const others = [...column.systems.values()].filter((each) => each !== own)
  const wrong = [column.failed, ...others.map(({ cells, first }) => ({ count: cells, first }))]
  const problems = wrong.flatMap(({ count, first }) => {
    const problem = first && plan.read(first.values, first.at).problem
    return problem === undefined ? [] : [{ count, first: problem }]
  })
  const isAssumed = own !== undefined && text !== undefined && srid === 0 && spelling.name !== 'GeoJSON'
  const facts = (own?.facts ?? startShapeFacts()).finish()
  return {
    plan: { ...plan, notes: isAssumed ? [assumedNote([name], own.first.at)] : [] },
    shapes: { ...facts, withoutShape: rows - shapes },
    problems,
  }
}

function areDegrees({ coordinates, members = [] }: Shape): boolean {
  for (let at = 0; at < coordinates.length; at += 2)
    if (Math.abs(coordinates[at]!) > 180 || Math.abs(coordinates[at + 1]!) > 90) return false
  return members.every(areDegrees)
}

type Cell = {
  readonly name: string
  readonly usual: Spelling
  readonly system: string | undefined
  readonly at: Row['at']
}

function readCell(value: Value, { name, usual, system, at }: Cell): Reading {
  if (holdsNothing(value)) return { shape: null }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const spelling = spellingOf(text) ?? usual
  const about = { column: name, value: text.slice(0, 80) }
  const shape = spelling.shape(text)
  if (typeof shape === 'string') {
    const message = `The cell contains no valid geometry in ${spelling.name}. ${shape}`
    const hint =
      text.length >= 32_000
        ? 'Excel cuts cells at 32,767 characters; export it again from the mapping program.'
        : 'Correct the cell, or leave it empty.'
    return { shape: null, problem: problem('geometry-unreadable', at, { ...about, message, hint }) }
  }
  const said = spelling.srid(text)
  if (said !== undefined && `EPSG:${said}` !== system) {
    const message = `The cell is in EPSG:${said}, the others are in ${system ?? 'a system that is not stated'}.`
    const hint = 'Export all rows in one coordinate system.'
    return { shape: null, problem: problem('geometry-unreadable', at, { ...about, message, hint }) }
  }
  return vertexCount(shape) === 0 && shape.members === undefined ? { shape: null } : { shape }
}
