/** Writes tables as the layers of a GeoPackage: a temporary database that is copied into the target when it is complete. */

import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { WindrowError } from '../../core/error.ts'
import type { Row, Value } from '../../core/row.ts'
import { emptyBox, widen, type ShapeKind } from '../../core/shape.ts'
import { fileSource } from '../../core/sources/source.ts'
import type { Target } from '../../core/sources/target.ts'
import { spoolError, temporaryFile } from '../../core/sources/temporary.ts'
import type { OutTable, Written } from '../format.ts'
import { columnInSentence, textOf, unwritableNotes } from '../table-names.ts'
import { blobWriter, boxOf, writtenKind } from './geometry-blob.ts'
import { storedColumns, unusedName, type Stored, type StoredColumn } from './geopackage-columns.ts'
import { quoted } from './geopackage-database.ts'
import {
  addContents,
  addSystem,
  finishIndex,
  indexName,
  startIndex,
  startPackage,
  type SpatialNames,
} from './geopackage-schema.ts'

/** SQLite's own limit is 2,000. */
const mostColumns = 1990

/** Writes tables with geometry as layers with a spatial index, and tables without as tables of attributes. */
export async function writeGeoPackage(tables: readonly OutTable[], target: Target): Promise<Written> {
  for (const table of tables) checkWidth(table)
  const file = temporaryFile()
  try {
    // SQLite would make the file readable for others.
    await (await open(file.path, 'wx', 0o600)).close()
    const written = await fillDatabase(file.path, tables).catch((cause: unknown) => {
      throw spoolError(cause)
    })
    const copy = await fileSource(file.path)
    for await (const bytes of copy.stream()) await target.write(bytes)
    return written
  } finally {
    await file.remove()
  }
}

function checkWidth({ name, columns }: OutTable): void {
  if (columns.length <= mostColumns) return
  throw new WindrowError(
    'format-cannot-write',
    `"${name}" has ${columns.length} columns; a GeoPackage can store ${mostColumns}.`,
    { hint: 'Leave out columns, or write GeoJSON or CSV.' },
  )
}

async function fillDatabase(path: string, tables: readonly OutTable[]): Promise<Written> {
  using database = new DatabaseSync(path)
  const rows: Record<string, number> = {}
  const notes: string[] = []
  // Nobody else sees this file, and after a failure it is thrown away.
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE')
  database.exec('PRAGMA cache_size = -16384; BEGIN')
  startPackage(database)
  const taken = new Set<string>()
  for (const table of tables) {
    const layer = layerFor(table, taken, table.hasGeometry ? addSystem(database, table.crs) : undefined)
    const filled = await fillLayer(database, layer, table)
    rows[table.name] = filled.rows
    notes.push(...filled.notes.map((note) => (tables.length > 1 ? `${table.name}: ${note}` : note)))
  }
  database.exec('COMMIT')
  return { rows, notes }
}

/** A table as it is written; `crsNumber` is the number of its coordinate system if it has geometry. */
type OutLayer = SpatialNames & {
  readonly title: string
  readonly crsNumber: number | undefined
  kind: string
  columns: readonly StoredColumn[]
}

function layerFor({ name, columns }: OutTable, taken: Set<string>, crsNumber: number | undefined): OutLayer {
  const clean = name.replaceAll('\0', ' ').trim()
  // SQLite and the standard keep these beginnings to themselves.
  const table = unusedName(/^(?:gpkg|rtree|sqlite)_|^$/i.test(clean) ? `layer_${clean}` : clean, taken)
  const used = new Set(columns.map((column) => column.name.toLowerCase()))
  const key = unusedName('fid', used)
  const geometry = unusedName('geom', used)
  return {
    table,
    key,
    geometry,
    title: name,
    crsNumber,
    kind: 'MULTIPOLYGON',
    columns: storedColumns(
      columns.map((from) => ({ from })),
      ownNames({ key, geometry }),
    ),
  }
}

function ownNames({ key, geometry }: Pick<SpatialNames, 'key' | 'geometry'>): ReadonlySet<string> {
  return new Set([key.toLowerCase(), geometry.toLowerCase()])
}

/** Writes the rows once if they are polygons and every cell fits the type of its column; otherwise again, with other types. */
async function fillLayer(database: DatabaseSync, layer: OutLayer, table: OutTable) {
  const reasons = new Map<string, string>()
  for (;;) {
    createLayer(database, layer)
    const tally = startTally()
    const insert = inserter(database, layer, tally)
    for await (const batch of table.rows()) for (const row of batch) insert(row)
    const kind = tally.kinds.size > 1 ? 'GEOMETRY' : ([...tally.kinds][0] ?? 'MultiPolygon').toUpperCase()
    if (tally.misfits.size === 0 && kind === layer.kind) {
      finishLayer(database, layer, tally)
      return { rows: tally.rows, notes: notesOf(layer, tally, reasons) }
    }
    database.exec(`DROP TABLE ${quoted(layer.table)}`)
    if (layer.crsNumber !== undefined) database.exec(`DROP TABLE ${indexName(layer)}`)
    layer.kind = kind
    const before = layer.columns
    layer.columns = storedColumns(before, ownNames(layer), tally.misfits)
    for (const [index, misfit] of tally.misfits) {
      const { name, kind: now } = layer.columns[index]!
      if (now === 'text') reasons.set(name, `${textOf(misfit).slice(0, 40)}" is no ${before[index]!.kind}`)
    }
  }
}

function createLayer(database: DatabaseSync, layer: OutLayer): void {
  const { table, key, geometry, kind, crsNumber, columns } = layer
  const fields = [
    `${quoted(key)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`,
    ...(crsNumber === undefined ? [] : [`${quoted(geometry)} ${kind}`]),
    ...columns.map(({ name, declared }) => `${quoted(name)} ${declared}`),
  ]
  database.exec(`CREATE TABLE ${quoted(table)} (${fields.join(', ')})`)
  if (crsNumber !== undefined) startIndex(database, layer)
}

type Tally = ReturnType<typeof startTally>

/** What the rows contained: `misfits` has the first cell of each column that does not fit its type. */
function startTally() {
  return {
    rows: 0,
    misfits: new Map<number, Value>(),
    kinds: new Set<ShapeKind>(),
    box: emptyBox(),
    shapes: 0,
    withZ: 0,
    withM: 0,
    unusable: 0,
  }
}

function inserter(database: DatabaseSync, layer: OutLayer, tally: Tally): (row: Row) => void {
  const { columns, crsNumber } = layer
  const first = crsNumber === undefined ? 1 : 2
  const cells: (Stored | Uint8Array)[] = Array<Stored>(first + columns.length).fill(null)
  const add = database.prepare(`INSERT INTO ${quoted(layer.table)} VALUES (${cells.map(() => '?').join(', ')})`)
  const addBox =
    crsNumber === undefined ? undefined : database.prepare(`INSERT INTO ${indexName(layer)} VALUES (?, ?, ?, ?, ?)`)
  const blobOf = blobWriter(crsNumber ?? 0)
  return ({ values, shape }) => {
    tally.rows += 1
    cells[0] = tally.rows
    if (addBox !== undefined) {
      const box = shape === null || shape === undefined ? undefined : boxOf(shape)
      cells[1] = box === undefined ? null : blobOf(shape!, box)
      if (box !== undefined) {
        addBox.run(tally.rows, box[0], box[2], box[1], box[3])
        widen(tally.box, box)
        tally.shapes += 1
        tally.kinds.add(writtenKind(shape!))
        if (shape!.z !== undefined) tally.withZ += 1
        if (shape!.m !== undefined) tally.withM += 1
      } else if (shape !== null && shape !== undefined && shape.coordinates.length > 0) tally.unusable += 1
    }
    for (let index = 0; index < columns.length; index += 1) {
      const value = columns[index]!.cell(values)
      const stored = columns[index]!.store(value)
      if (stored === undefined && !tally.misfits.has(index)) tally.misfits.set(index, value)
      cells[first + index] = stored ?? null
    }
    add.run(...cells)
  }
}

function finishLayer(database: DatabaseSync, layer: OutLayer, tally: Tally): void {
  const { table: name, geometry, kind, title, crsNumber } = layer
  if (crsNumber === undefined) return addContents(database, { name, title })
  const { box, shapes, withZ, withM } = tally
  addContents(database, { name, title, crsNumber, ...(shapes === 0 ? {} : { box }) })
  const howMany = (count: number): number => (count === 0 ? 0 : count === shapes ? 1 : 2)
  database
    .prepare('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, ?, ?)')
    .run(name, geometry, kind, crsNumber, howMany(withZ), howMany(withM))
  finishIndex(database, layer)
}

function notesOf(layer: OutLayer, tally: Tally, reasons: ReadonlyMap<string, string>): readonly string[] {
  const notes = [...reasons].map(
    ([name, reason]) => `The column ${columnInSentence(name)} is written as text, because "${reason}.`,
  )
  if (layer.columns.some(({ from, name }) => name !== from.name && name.endsWith(' (UTC)')))
    notes.push('Times are in UTC, the only zone that a GeoPackage can store; the names of their columns say so.')
  if (tally.kinds.size > 1)
    notes.push(
      `The layer contains several kinds of geometry (${[...tally.kinds].join(', ')}); some programs show only one of them.`,
    )
  return [...notes, ...unwritableNotes(tally.unusable)]
}
