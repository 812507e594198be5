/** Opens the layers of a GeoPackage as tables. */

import { problem, type Problem } from '../../core/problem.ts'
import {
  type Place,
  type Table,
  rowsPerBatch,
  type Column,
  type ColumnType,
  type Row,
  type Value,
} from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { namesOfHeader, passesOver } from '../table-names.ts'
import { connect, holdDatabase, type HeldDatabase, quoted, sentenceOf, tryComputed } from './geopackage-database.ts'
import { readContents, type Layer, type Field } from './geopackage-layers.ts'
import { setImmediate } from 'node:timers/promises'
import { objectMaker } from '../../core/values/object-maker.ts'
import { shapeFromWkb } from '../../core/shapes/shape-wkb.ts'
import type { Shape } from '../../core/shape.ts'

/** Opens a GeoPackage: one table a layer. */
export async function openGeoPackage(source: Source): Promise<readonly Table[]> {
  const held = await holdDatabase(source)
  try {
    return tablesOf(held)
  } catch (cause) {
    await held.release()
    throw cause
  }
}

function tablesOf(held: HeldDatabase): readonly Table[] {
  using database = connect(held)
  const { layers, missing } = readContents(database, held)
  const place = { source: held.name, row: 0 }
  const known = [
    ...missing.map((message) => problem('file-inconsistent', place, { message, hint: 'Save that layer again.' })),
    ...(held.lacksLog ? [lostLog(place)] : []),
  ]
  return layers.map((layer) => tableOf(held, layer, known, layers.length === 1))
}

function lostLog(place: Place): Problem {
  const log = `${place.source}-wal`
  return problem('file-inconsistent', place, {
    message: `Programs such as QGIS keep the last changes in a second file, "${log}", while they have this one open. That file is not here, so changes may be missing.`,
    hint: 'Close the file in the program that made it, and copy it again.',
  })
}

function tableOf(held: HeldDatabase, layer: Layer, known: readonly Problem[], isOnly: boolean): Table {
  const at = (row: number): Place =>
    isOnly ? { source: held.name, row } : { source: held.name, layer: layer.name, row }
  const fields = fieldsToRead(layer)
  const { names, notes } = namesOfHeader(
    fields.map(({ name }) => name),
    at(0),
  )
  const unreadable = fields.flatMap((field, index) =>
    isBytes(field)
      ? problem('column-unreadable', at(0), {
          column: names[index]!,
          message: `The column "${names[index]!}" contains bytes (${field.declared}), such as pictures; its cells are left empty.`,
        })
      : [],
  )
  const early = [...known, ...notes, ...unreadable]
  return {
    name: layer.name,
    format: 'geopackage',
    crs: layer.crs,
    columns: fields.map((field, index) => columnOf(names[index]!, field)),
    hasGeometry: layer.geometry !== undefined,
    choices: [],
    ...passesOver(early, (report, signal) => readRows({ held, layer, names, at, report }, signal)),
  }
}

type Cell = Value | Uint8Array

/** What one reading needs: the column names for `fieldsToRead`, and a function to report problems of the whole. */
type Reading = {
  readonly held: HeldDatabase
  readonly layer: Layer
  readonly names: readonly string[]
  readonly at: (row: number) => Place
  readonly report: (found: Problem) => void
}

/** The fields that become columns: all except the geometry. */
function fieldsToRead({ fields, geometry }: Layer): readonly Field[] {
  return fields.filter(({ name }) => name !== geometry)
}

/** True for a field of bytes, which no column can show. */
function isBytes({ declared }: Field): boolean {
  return /BLOB|BINARY|GEOMETRY|POINT|LINESTRING|POLYGON|SURFACE|CURVE/.test(declared)
}

/** A field as a column, with the kind of value that its declared type means. */
function columnOf(name: string, field: Field): Column {
  const type = typeOf(field)
  return type === undefined ? { name } : { name, type }
}

function typeOf(field: Field): ColumnType | undefined {
  const { declared } = field
  // "POINT" contains INT.
  if (isBytes(field)) return undefined
  if (declared.startsWith('BOOL')) return 'boolean'
  if (declared === 'DATE') return 'date'
  if (/^(DATETIME|TIMESTAMP)/.test(declared)) return 'date-time'
  if (declared.includes('INT')) return 'integer'
  if (/CHAR|TEXT|CLOB/.test(declared)) return 'text'
  return /REAL|FLOA|DOUB|NUMERIC|DECIMAL/.test(declared) ? 'number' : undefined
}

/** All rows, in the order of their numbers. A reading that breaks off returns the rows up to there and reports it. */
async function* readRows(reading: Reading, signal?: AbortSignal): AsyncGenerator<readonly Row[]> {
  const { held, layer } = reading
  const query = queryOf(layer)
  if (layer.isView || layer.fields.some(({ isComputed }) => isComputed))
    await tryComputed(held, layer.name, query, signal)
  const database = connect(held)
  const foreign = new Set<number>()
  const make = rowMaker(reading, foreign)
  let batch: Row[] = []
  let read = 0
  try {
    const statement = database.prepare(query)
    statement.setReturnArrays(true)
    for (const cells of statement.iterate() as unknown as Iterable<Cell[]>) {
      read += 1
      batch.push(make(cells, read))
      if (batch.length < rowsPerBatch) continue
      signal?.throwIfAborted()
      yield batch
      batch = []
      // The database never waits, so without this signals would be handled only at the end.
      await setImmediate()
    }
  } catch (cause) {
    if (!isOfDatabase(cause)) throw cause
    reading.report(brokenOff(reading, read, cause))
  } finally {
    database.close()
  }
  if (batch.length > 0) yield batch
  if (foreign.size > 0) reading.report(otherSystem(reading, foreign))
}

function isOfDatabase(cause: unknown): boolean {
  const { code } = cause as { code?: unknown }
  return code === 'ERR_SQLITE_ERROR' || code === 'ERR_OUT_OF_RANGE'
}

function brokenOff({ held, layer, at }: Reading, read: number, cause: unknown): Problem {
  return problem('file-truncated', at(read), {
    message: `"${held.name}" is damaged in the layer "${layer.name}" (${sentenceOf(cause)}). Rows that could be read: ${read}.`,
    hint: 'Copy or export it again; the rows behind that place are missing.',
  })
}

function otherSystem({ layer, at }: Reading, foreign: ReadonlySet<number>): Problem {
  return problem('file-inconsistent', at(0), {
    message: `Geometries of "${layer.name}" are marked with the system ${[...foreign].join(', ')}, the layer with ${layer.crsNumber}; the layer's system was used.`,
    hint: 'Check on a map whether they are in the right place.',
  })
}

function queryOf(layer: Layer): string {
  const cells = fieldsToRead(layer).map((field) => (isBytes(field) ? 'NULL' : cellQuery(field, layer.isView)))
  const all = layer.geometry === undefined ? cells : [...cells, quoted(layer.geometry)]
  const key = layer.fields.find(({ isKey }) => isKey)
  const order = key === undefined ? '' : ` ORDER BY ${quoted(key.name)}`
  return `SELECT ${all.length === 0 ? 'NULL' : all.join(', ')} FROM ${quoted(layer.name)}${order}`
}

/** Whole numbers too large for JavaScript are read as text. Columns of text and of fractions cannot contain any. */
function cellQuery(field: Field, isView: boolean): string {
  const name = quoted(field.name)
  const type = typeOf(field)
  if (!isView && (type === 'text' || (type === 'number' && /REAL|FLOA|DOUB/.test(field.declared)))) return name
  const most = Number.MAX_SAFE_INTEGER
  return `CASE WHEN typeof(${name}) = 'integer' AND ${name} NOT BETWEEN ${-most} AND ${most} THEN CAST(${name} AS TEXT) ELSE ${name} END`
}

function rowMaker({ layer, names, at: placeOf }: Reading, foreign: Set<number>): (cells: Cell[], count: number) => Row {
  const fields = fieldsToRead(layer)
  const makeValues = objectMaker<Value>(names)
  const key = fields.findIndex(({ isKey }) => isKey)
  const truths = fields.flatMap((field, index) => (typeOf(field) === 'boolean' ? [index] : []))
  const width = fields.length
  return (cells, count) => {
    const number = key < 0 ? undefined : cells[key]
    const at = placeOf(typeof number === 'number' && number >= 0 ? number : count)
    const problems: Problem[] = []
    for (const index of truths) if (cells[index] === 0 || cells[index] === 1) cells[index] = cells[index] === 1
    for (let index = 0; index < width; index += 1) {
      if (!(cells[index] instanceof Uint8Array)) continue
      cells[index] = null
      problems.push(bytesInCell(at, names[index]!))
    }
    const values = makeValues(cells as Value[])
    if (layer.geometry === undefined) return problems.length === 0 ? { at, values } : { at, values, problems }
    const shape = shapeOfCell(cells[width], layer, foreign)
    if (typeof shape !== 'string')
      return problems.length === 0 ? { at, values, shape } : { at, values, shape, problems }
    problems.push(
      problem('geometry-wrong-type', at, {
        message: `The geometry cannot be read. ${shape}`,
        hint: 'Open the file in a mapping program, convert that shape to a polygon of straight lines, and save it.',
      }),
    )
    return { at, values, shape: null, problems }
  }
}

function bytesInCell(at: Place, column: string): Problem {
  return problem('value-not-fitting-column', at, {
    severity: 'warning',
    column,
    message: `The cell of "${column}" contains bytes, not text or a number; it is left empty.`,
  })
}

const envelopeBytes: readonly (number | undefined)[] = [0, 32, 48, 48, 64]

/** The geometry after its header (clause 2.1.3 of the standard); null if there is none or an empty one. */
function shapeOfCell(cell: Cell | undefined, { crsNumber }: Layer, foreign: Set<number>): Shape | null | string {
  if (cell === null || cell === undefined) return null
  if (!(cell instanceof Uint8Array) || cell.length < 8 || cell[0] !== 0x47 || cell[1] !== 0x50)
    return 'It is not written the way GeoPackage requires.'
  const flags = cell[3]!
  if ((flags & 0x20) !== 0) return 'It is of a kind that only its own program can read.'
  const envelope = envelopeBytes[(flags >> 1) & 7]
  if (envelope === undefined) return 'Its header is invalid.'
  const number = new DataView(cell.buffer, cell.byteOffset).getInt32(4, (flags & 1) === 1)
  if (number !== crsNumber && number > 0 && foreign.size < 10) foreign.add(number)
  const shape = shapeFromWkb(cell, 8 + envelope)
  return typeof shape !== 'string' && shape.coordinates.length === 0 && !shape.members?.length ? null : shape
}
