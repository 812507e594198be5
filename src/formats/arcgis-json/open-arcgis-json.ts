/** Opens the JSON of ArcGIS servers: rings in any order, dates as milliseconds. */

import { WindrowError } from '../../core/error.ts'
import type { Problem } from '../../core/problem.ts'
import {
  rowsPerBatch,
  type Column,
  type ColumnType,
  type CrsClue,
  type Place,
  type Row,
  type Table,
} from '../../core/row.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import type { Source } from '../../core/sources/source.ts'
import { rowOfArcGis, type LayerFacts } from './arcgis-json-features.ts'
import { openBytes, scanned, type JsonBytes } from '../geojson/json-pieces.ts'
import { pieceText } from '../geojson/geojson-features.ts'
import { cutOff, onePageOnly } from '../geojson/geojson-paging.ts'
import { FeatureScanner } from '../geojson/geojson-scanner.ts'
import { passesOver } from '../table-names.ts'

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
