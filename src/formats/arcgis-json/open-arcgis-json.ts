/** Opens the JSON of ArcGIS servers: rings in any order, dates as milliseconds. */

import { WindrowError } from '../../core/error.ts'
import { type Problem, problem } from '../../core/problem.ts'
import {
  rowsPerBatch,
  type Column,
  type ColumnType,
  type CrsClue,
  type Place,
  type Row,
  type Table,
  type Value,
  type Values,
} from '../../core/row.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import type { Source } from '../../core/sources/source.ts'
import { openBytes, scanned, type JsonBytes, cutOff, onePageOnly } from '../geojson/json-pieces.ts'
import { pieceText } from '../geojson/geojson-features.ts'
import { FeatureScanner } from '../geojson/geojson-scanner.ts'
import { passesOver } from '../table-names.ts'
import { isObject, jsonValue, parseExactly, type Members } from '../../core/values/exact-json.ts'
import { shapeOf, startGathering, type Gathered, type Shape } from '../../core/shape.ts'
import { closeRings, polygonFromRings } from '../shapefile/shapefile-rings.ts'

/** Opens a set of features as its one table. */
export async function openArcGisJson(source: Source): Promise<readonly Table[]> {
  const file = await openBytes(source, undefined)
  const opening = await openingOf(file)
  if (opening.transform !== undefined)
    throw new WindrowError(
      'format-unknown',
      `The coordinates of "${source.name}" are whole numbers that count steps on a screen (quantizationParameters), not places.`,
      { hint: 'Ask the server without quantizationParameters.' },
    )
  return [tableOf(file, opening)]
}

type Opening = {
  readonly geometryType?: unknown
  readonly spatialReference?: { readonly [member: string]: unknown } | null
  readonly fields?: unknown
  readonly transform?: unknown
  readonly hasZ?: unknown
  readonly hasM?: unknown
}

/** The part before the features. */
async function openingOf(file: JsonBytes): Promise<Opening> {
  const { name } = file.source
  const scanner = new FeatureScanner(name)
  for await (const chunk of file.stream()) {
    const [first] = scanner.push(chunk)
    if (first === undefined) continue
    if (first.kind === 'opening') return parsed(`${pieceText(first.bytes).text}]}`, name)
    throw new WindrowError('format-unknown', `"${name}" describes a layer of ArcGIS, but contains no features.`, {
      hint: 'Ask the server for the records themselves: …/query?where=1=1&outFields=*&f=geojson',
    })
  }
  throw new WindrowError('file-damaged', `"${name}" ends before its first feature.`, { hint: 'Download it again.' })
}

function parsed(text: string, name: string): Opening {
  try {
    return JSON.parse(text) as Opening
  } catch (cause) {
    throw new WindrowError('file-damaged', `The part before the features of "${name}" is not valid JSON.`, {
      hint: 'Download it again.',
      cause,
    })
  }
}

function crsOf({ spatialReference }: Opening): CrsClue | undefined {
  const { latestWkid, wkid, wkt } = spatialReference ?? {}
  const described = typeof wkt === 'string' && wkt !== '' ? wkt : undefined
  const number = latestWkid ?? wkid
  if (typeof number === 'number')
    return { from: 'crs member', text: `${number >= 37_000 ? 'ESRI' : 'EPSG'}:${number}`, described }
  return described === undefined ? undefined : { from: 'crs member', text: described }
}

/** `meanings` are those of the codes, where the field has a list of them. */
type Field = { readonly name: string; readonly type: string; readonly meanings: ReadonlyMap<unknown, string> }

function fieldsOf({ fields }: Opening): readonly Field[] {
  if (!Array.isArray(fields)) return []
  return (fields as { name?: unknown; type?: unknown; domain?: { codedValues?: unknown } | null }[]).flatMap((field) =>
    typeof field?.name === 'string'
      ? [{ name: field.name, type: String(field.type), meanings: meaningsIn(field.domain?.codedValues) }]
      : [],
  )
}

function meaningsIn(codedValues: unknown): ReadonlyMap<unknown, string> {
  if (!Array.isArray(codedValues)) return new Map()
  return new Map(
    (codedValues as ({ code?: unknown; name?: unknown } | null)[]).flatMap((each) =>
      typeof each?.name === 'string' ? [[each.code, each.name] as const] : [],
    ),
  )
}

const columnTypes: Readonly<Record<string, ColumnType>> = {
  esriFieldTypeOID: 'integer',
  esriFieldTypeInteger: 'integer',
  esriFieldTypeSmallInteger: 'integer',
  esriFieldTypeDouble: 'number',
  esriFieldTypeSingle: 'number',
  esriFieldTypeString: 'text',
  esriFieldTypeGlobalID: 'text',
  esriFieldTypeGUID: 'text',
  esriFieldTypeDate: 'date-time',
  esriFieldTypeDateOnly: 'date',
}

function columnOf({ name, type, meanings }: Field): Column {
  if (meanings.size > 0) return { name, type: 'text' }
  return Object.hasOwn(columnTypes, type) ? { name, type: columnTypes[type]! } : { name }
}

function tableOf(file: JsonBytes, opening: Opening): Table {
  const { name } = file.source
  const crs = crsOf(opening)
  const fields = fieldsOf(opening)
  const facts: LayerFacts = {
    dates: fields.filter(({ type }) => type === 'esriFieldTypeDate').map((field) => field.name),
    meanings: new Map(fields.flatMap(({ name, meanings }) => (meanings.size === 0 ? [] : [[name, meanings] as const]))),
    hasZ: opening.hasZ === true,
    hasM: opening.hasM === true,
  }
  return {
    name: stemOf(name),
    format: 'arcgis-json',
    crs,
    ...(fields.length === 0 ? {} : { columns: fields.map(columnOf) }),
    // A table says which fields it has, and no kind of geometry.
    hasGeometry: typeof opening.geometryType === 'string' || fields.length === 0,
    choices: [],
    ...passesOver([], (report, signal) => rowsOf(file, { facts, report }, signal)),
  }
}

type Run = { readonly facts: LayerFacts; readonly report: (found: Problem) => void }

async function* rowsOf(file: JsonBytes, { facts, report }: Run, signal?: AbortSignal): AsyncGenerator<readonly Row[]> {
  const { name } = file.source
  const at = (row: number): Place => ({ source: name, row })
  let batch: Row[] = []
  let row = 0
  for await (const pieces of scanned(file.stream(signal), name)) {
    for (const { kind, bytes, depth } of pieces) {
      if (kind === 'frame') {
        const page = onePageOnly(parsed(pieceText(bytes).text, name), row, at(row))
        if (page !== undefined) report(page)
      }
      if (kind === 'half' || kind === 'cut') report(cutOff(at(row)))
      if (kind !== 'feature' && kind !== 'half') continue
      batch.push(rowOfArcGis(pieceText(bytes).text, depth, at(row), facts))
      row += 1
      if (batch.length < rowsPerBatch) continue
      yield batch
      batch = []
      signal?.throwIfAborted()
    }
  }
  if (batch.length > 0) yield batch
}

/** The layer's properties: which attributes are times, which have codes and what they mean, and what the third number of a position is. */
type LayerFacts = {
  readonly dates: readonly string[]
  readonly meanings: ReadonlyMap<string, ReadonlyMap<unknown, string>>
  readonly hasZ: boolean
  readonly hasM: boolean
}

type Positions = Pick<LayerFacts, 'hasZ' | 'hasM'>

const deepestNesting = 64

/** Makes the row of one feature; anything wrong with it becomes a problem of the row. */
function rowOfArcGis(text: string, depth: number, at: Place, facts: LayerFacts): Row {
  const feature = depth > deepestNesting ? undefined : featureOf(text)
  if (feature === undefined)
    return {
      at,
      values: {},
      shape: null,
      problems: [
        problem('row-unreadable', at, {
          value: text.slice(0, 80),
          message: 'The feature is not valid JSON, or not a feature of ArcGIS.',
          hint: 'Download the file again, or repair this feature in a text editor.',
        }),
      ],
    }
  const values = valuesOf(feature.attributes ?? {}, facts)
  const shape = shapeIn(feature.geometry, facts)
  if (typeof shape !== 'string') return { at, values, shape }
  const hint = 'Ask the server for f=geojson, or draw that shape again.'
  return { at, values, shape: null, problems: [problem('geometry-wrong-type', at, { message: shape, hint })] }
}

function featureOf(text: string): { readonly attributes?: Members | null; readonly geometry?: unknown } | undefined {
  const feature = jsonValue(text, parseExactly)
  if (!isObject(feature)) return undefined
  const { attributes, geometry } = feature
  if (!isObject(attributes ?? {}) || (attributes === undefined && geometry === undefined)) return undefined
  return feature
}

/** Times are milliseconds since 1970 in UTC. A code becomes its meaning, as ArcGIS shows it. */
function valuesOf(attributes: Members, { dates, meanings }: LayerFacts): Values {
  for (const [name, ofCodes] of meanings) {
    const meaning = ofCodes.get(attributes[name])
    if (meaning !== undefined) attributes[name] = meaning
  }
  for (const name of dates) {
    const value = attributes[name]
    if (typeof value === 'number' && Math.abs(value) <= 8.64e15)
      attributes[name] = new Date(value).toISOString().replace('.000Z', 'Z')
  }
  return attributes as Readonly<Record<string, Value>>
}

/** The shape, null if there is none or an empty one, or a sentence. */
function shapeIn(geometry: unknown, layer: Positions): Shape | null | string {
  if (geometry === null || geometry === undefined) return null
  if (!isObject(geometry)) return 'The geometry is not an object.'
  if ('curveRings' in geometry || 'curvePaths' in geometry) return 'The geometry has arcs, which cannot be read.'
  const kind = (['rings', 'paths', 'points', 'x'] as const).find((each) => each in geometry)
  if (kind === undefined) return 'This kind of geometry cannot be read.'
  if (kind === 'x') return pointOf(geometry)
  const lists = kind === 'points' ? [geometry.points] : geometry[kind]
  const lines = gathered(lists, { ...layer, ...flagsOf(geometry) })
  if (typeof lines === 'string') return lines
  if (lines.ends.length === 0) return null
  if (kind === 'points') return shapeOf('MultiPoint', { ...lines, ends: [] })
  if (kind === 'paths') return shapeOf(lines.ends.length === 1 ? 'LineString' : 'MultiLineString', lines)
  return polygonFromRings(closeRings(shapeOf('Polygon', lines)).rings) ?? 'Too many of its rings cross each other.'
}

function flagsOf({ hasZ, hasM }: Members): Partial<Positions> {
  return { ...(typeof hasZ === 'boolean' ? { hasZ } : {}), ...(typeof hasM === 'boolean' ? { hasM } : {}) }
}

function gathered(lists: unknown, { hasZ, hasM }: Positions): Gathered | string {
  if (!Array.isArray(lists)) return 'The coordinates are not a list.'
  const gathered = startGathering()
  const { xy, z, m, ends } = gathered
  for (const list of lists as unknown[]) {
    if (!Array.isArray(list)) return 'The coordinates are not a list of lists.'
    for (const position of list as unknown[]) {
      const [x, y, third, fourth] = (Array.isArray(position) ? position : []) as unknown[]
      if (typeof x !== 'number' || typeof y !== 'number') return 'A position is not a pair of numbers.'
      xy.push(x, y)
      const measure = hasZ ? fourth : third
      // A vertex without a height or measure has null or "NaN" in its place.
      if (hasZ && typeof third === 'number') z.push(third)
      if (hasM && typeof measure === 'number') m.push(measure)
    }
    if (list.length > 0) ends.push(xy.length / 2)
  }
  return gathered
}

function pointOf({ x, y, z }: Members): Shape | null | string {
  // An empty point has "NaN" for x, or null.
  if (x === null || x === 'NaN') return null
  if (typeof x !== 'number' || typeof y !== 'number') return 'A position is not a pair of numbers.'
  const height = typeof z === 'number' ? { z: Float64Array.of(z) } : {}
  return { kind: 'Point', coordinates: Float64Array.of(x, y), ends: [], parts: [], ...height }
}
