/** Reads boundaries from a column of text: well-known text, well-known binary in hexadecimal digits, GeoJSON. */

import { isObject, jsonValue } from '../../core/values/exact-json.ts'
import { holdsNothing } from '../../core/values/no-value.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { chosen, type Choice, type CrsClue, type Row, type Value } from '../../core/row.ts'
import { crsOfFeature, numberOfCrs, shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { shapeFromWkb } from '../../core/shapes/shape-wkb.ts'
import { vertexCount, type Shape } from '../../core/shape.ts'
import { looksLikeWkt, shapeFromWkt, sridOfWkt } from '../../core/shapes/shape-wkt.ts'
import type { Plan, Reading } from './point-columns.ts'
import { columnInSentence } from '../table-names.ts'

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

/** True for text that looks like a boundary in any of these forms; it may be cut off. */
export function looksLikeGeometry(text: string): boolean {
  return spellings.some((spelling) => spelling.looksLike(text))
}

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

/** Plans to read boundaries from the chosen column, or from the best of those that look like it. */
export function planTexts(columns: readonly string[], sample: readonly Row[], said?: string): Plan | undefined {
  const found = columns
    .filter((name) => said === undefined || name === said)
    .flatMap((name) => candidateOf(name, sample, said !== undefined))
    .toSorted((one, other) => other.rank - one.rank)
  const [best, second] = found
  if (best === undefined) return undefined
  const { name, spelling, cells, srid, isDegrees } = best
  const at = cells[0]?.at ?? sample[0]?.at
  const evidence =
    said === undefined
      ? `${best.fits} of the first ${cells.length} filled cells contain ${spelling.name}.`
      : 'Set, not guessed.'
  const text = srid === undefined ? (isDegrees ? 'EPSG:4326' : undefined) : `EPSG:${srid}`
  const isAssumed = text !== undefined && srid === undefined && spelling.name !== 'GeoJSON' && at !== undefined
  const decided = (because: string): readonly Choice[] => [chosen('from.geometry', name, because, second?.name)]
  return {
    choices: decided(evidence),
    manner: [name, spelling.name, text].join(' '),
    over: ({ placed, failed }) =>
      decided(said === undefined ? `${placed} of ${placed + failed} filled cells contain ${spelling.name}.` : evidence),
    notes: isAssumed
      ? [
          problem('crs-assumed', at, {
            column: name,
            message: `The coordinates of ${columnInSentence(name)} are degrees, so they were read as longitude and latitude in WGS 84.`,
            hint: 'If they are in another system, name it with --crs.',
          }),
        ]
      : [],
    ...(text === undefined ? {} : { crs: { from: 'columns', text } satisfies CrsClue }),
    read: (values, place) => readCell(values[name], { name, spelling, system: text, at: place }),
  }
}

const usualNames =
  /^(?:the[ _]?)?(?:geom(?:etry)?|wkt|wkb|shape|boundary|polygon|geojson|geo[ _]?shape|outline|perimeter|spatial[ _]?feature)(?:[ _](?:wkt|wkb|json|text))?$/i

/** The column with the form that fits most of its cells; none if it fits too few. */
function candidateOf(name: string, sample: readonly Row[], isSaid: boolean) {
  const cells = sample.flatMap(({ values, at }) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    return holdsNothing(value) || typeof value !== 'string' ? [] : [{ text: value, at }]
  })
  const fitsOf = (spelling: Spelling): number => cells.filter(({ text }) => spelling.looksLike(text)).length
  const counted = spellings.map((spelling) => ({ spelling, fits: fitsOf(spelling) }))
  const { spelling, fits } = counted.reduce((best, each) => (each.fits > best.fits ? each : best))
  if (!isSaid && (fits === 0 || fits * 2 < cells.length)) return []
  const shapes = cells.slice(0, 50).flatMap(({ text }) => {
    const shape = spelling.shape(text)
    return typeof shape === 'string' ? [] : [shape]
  })
  const areas = shapes.filter(({ kind }) => kind.endsWith('Polygon')).length
  const rank = areas / Math.max(1, shapes.length) + (usualNames.test(name) ? 0.5 : 0)
  const srid = commonest(cells.map(({ text }) => spelling.srid(text)))
  return [{ name, spelling, cells, fits, rank, srid, isDegrees: shapes.length > 0 && shapes.every(areDegrees) }]
}

function commonest(numbers: readonly (number | undefined)[]): number | undefined {
  const equal = [...Map.groupBy(numbers, (each) => each).values()]
  return equal.toSorted((one, other) => other.length - one.length)[0]?.[0]
}

function areDegrees({ coordinates, members = [] }: Shape): boolean {
  for (let at = 0; at < coordinates.length; at += 2)
    if (Math.abs(coordinates[at]!) > 180 || Math.abs(coordinates[at + 1]!) > 90) return false
  return members.every(areDegrees)
}

type Cell = {
  readonly name: string
  readonly spelling: Spelling
  readonly system: string | undefined
  readonly at: Row['at']
}

function readCell(value: Value, { name, spelling, system, at }: Cell): Reading {
  if (holdsNothing(value)) return { shape: null }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
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
  if (said !== undefined && `EPSG:${said}` !== system)
    return { shape: null, problem: otherSystem(about, at, said, system) }
  return vertexCount(shape) === 0 && shape.members === undefined ? { shape: null } : { shape }
}

function otherSystem(about: { column: string; value: string }, at: Row['at'], said: number, system?: string): Problem {
  return problem('geometry-unreadable', at, {
    ...about,
    message: `The cell is in EPSG:${said}, the others are in ${system ?? 'a system that is not stated'}.`,
    hint: 'Export all rows in one coordinate system.',
  })
}
