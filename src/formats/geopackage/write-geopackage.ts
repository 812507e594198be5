/** Writes tables as the layers of a GeoPackage: a temporary database that is copied into the target when it is complete. */

import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { WindrowError } from '../../core/error.ts'
import type { Row, Value, Column, CrsClue } from '../../core/row.ts'
import { emptyBox, widen, type ShapeKind, type Box } from '../../core/shape.ts'
import { fileSource } from '../../core/sources/source.ts'
import type { Target } from '../../core/sources/target.ts'
import { spoolError, temporaryFile } from '../../core/sources/temporary.ts'
import type { OutTable, Written } from '../format.ts'
import { columnInSentence, textOf, unwritableNotes, cellOf, isNothing } from '../table-names.ts'
import { blobWriter, boxOf, writtenKind } from './geometry-blob.ts'
import { quoted } from './geopackage-database.ts'
import { startOfDay } from '../../core/values/date-pattern.ts'

/** SQLite's own limit is 2,000. */
const mostColumns = 1990

/** Writes tables with geometry as layers with a spatial index, and tables without as tables of attributes. */
export async function writeGeoPackage(tables: readonly OutTable[], target: Target): Promise<Written> {
  for (const { name, columns } of tables)
    if (columns.length > mostColumns)
      throw new WindrowError(
        'format-cannot-write',
        `"${name}" has ${columns.length} columns; a GeoPackage can store ${mostColumns}.`,
        { hint: 'Leave out columns, or write GeoJSON or CSV.' },
      )
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

type Stored = string | number | null
/** `day` is a moment at the start of a day in the zone that the column names; it is stored as that day. */
type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'day' | 'date-time'

/** A column as it is written. `store` gives undefined for a cell that does not fit its kind. */
type StoredColumn = ReturnType<typeof storedColumns>[number]

const declared: Readonly<Record<Kind, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  day: 'DATE',
  'date-time': 'DATETIME',
}

/**
 * The columns under names that differ in more than their case, none of them in `taken`. Columns that were stored before can then store
 * the cells that did not fit, which are given by the number of their column.
 */
function storedColumns(
  columns: readonly { readonly from: Column; readonly kind?: Kind }[],
  taken: ReadonlySet<string>,
  misfits: ReadonlyMap<number, Value> = new Map(),
) {
  const used = new Set(taken)
  return columns.map(({ from, kind: before = kindOf(from) }, index) => {
    const kind = misfits.has(index) ? widerKind(before, misfits.get(index)) : before
    const name = unusedName(titleOf(from, kind), used)
    return { from, kind, name, declared: declared[kind], cell: cellOf(from.name), store: stores[kind] }
  })
}

function widerKind(kind: Kind, misfit: Value): Kind {
  if (kind === 'integer' && typeof misfit === 'number') return 'number'
  return kind === 'day' && stores['date-time'](misfit) !== undefined ? 'date-time' : 'text'
}

/** The name, or with the first number that makes it unused; it is used from then on. */
function unusedName(wanted: string, used: Set<string>): string {
  let name = wanted
  for (let count = 2; used.has(name.toLowerCase()); count += 1) name = `${wanted}_${count}`
  used.add(name.toLowerCase())
  return name
}

/** GeoPackage stores moments in UTC only, so the name of the column says that. */
function titleOf({ name, zone }: Column, kind: Kind): string {
  const title = name.replaceAll('\0', ' ')
  const isMoment = kind === 'date-time' && zone !== undefined && title.endsWith(` (${zone})`)
  return isMoment ? `${title.slice(0, -zone.length - 3)} (UTC)` : title
}

function kindOf({ type, name, zone }: Column): Kind {
  // A guess; if one moment is not the start of a day, the rows are written again.
  if (type === 'date-time' && zone !== undefined && /\bdate\b/i.test(name)) return 'day'
  return type === undefined || type === 'json' ? 'text' : type
}

const stores: Readonly<Record<Kind, (value: Value) => Stored | undefined>> = {
  text: (value) => (value === null || value === undefined ? null : textOf(value)),
  integer: unlessBlank((value) => (Number.isInteger(value) || isWholeText(value) ? (value as number) : undefined)),
  number: unlessBlank((value) => (typeof value === 'number' ? value : undefined)),
  boolean: unlessBlank((value) => (value === true ? 1 : value === false ? 0 : undefined)),
  date: unlessBlank((value) => (typeof value === 'string' && isDay.test(value) ? value : undefined)),
  day: unlessBlank((value) => (typeof value === 'string' && startOfDay.test(value) ? value.slice(0, 10) : undefined)),
  'date-time': unlessBlank((value) => (typeof value === 'string' ? inUtc(value) : undefined)),
}

function unlessBlank(store: (value: Value) => Stored | undefined): (value: Value) => Stored | undefined {
  return (value) => (isNothing(value) ? null : store(value))
}

/** Whole numbers too large for JavaScript arrive as text; SQLite converts them. */
function isWholeText(value: Value): boolean {
  return typeof value === 'string' && /^(?:0|-?[1-9]\d{0,17})$/.test(value)
}

const isDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const moment = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i

/** The moment the way the standard wants it; undefined for text that is no moment of one instant. */
function inUtc(text: string): string | undefined {
  const [, minute, second = '00', fraction = '.000', zone] = moment.exec(text) ?? []
  if (minute === undefined || zone === undefined) return undefined
  const instantMs = Date.parse(`${minute}:${second}${zone}`.toUpperCase())
  if (Number.isNaN(instantMs)) return undefined
  const utc = new Date(instantMs).toISOString()
  return utc.length === 24 ? `${utc.slice(0, 19)}${fraction.padEnd(4, '0')}Z` : undefined
}

const wgs84 =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]'

/** Makes an empty GeoPackage: its mark, its version and the tables that every one has. */
function startPackage(database: DatabaseSync): void {
  database.exec(`
    PRAGMA application_id = 0x47504B47;
    PRAGMA user_version = 10300;
    CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
      organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
    CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
      description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
      min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
      CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
    CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
      geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
      CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
      CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
      CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
    CREATE TABLE gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL,
      definition TEXT NOT NULL, scope TEXT NOT NULL,
      CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name))`)
  const add = database.prepare('INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)')
  add.run('Undefined Cartesian', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system')
  add.run('Undefined geographic', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system')
  add.run('WGS 84', 4326, 'EPSG', 4326, wgs84, 'longitude and latitude in degrees')
}

/** Adds a coordinate system and returns its number in this file. Without a clue it is longitude and latitude. */
function addSystem(database: DatabaseSync, crs: CrsClue | undefined): number {
  if (crs === undefined || crs.from === 'format') return 4326
  const [, organization, digits] = /^\s*([A-Za-z]+):(\d{1,9})\s*$/.exec(crs.text) ?? []
  if (organization?.toUpperCase() === 'OGC') return 4326
  const definition = digits === undefined ? crs.text : (crs.described ?? 'undefined')
  const known = database.prepare(
    'SELECT srs_id AS number FROM gpkg_spatial_ref_sys WHERE definition = ?1 AND srs_id > 0',
  )
  const found = digits === undefined ? (known.get(definition) as { number: number } | undefined) : undefined
  // The standard leaves numbers from 100,000 to systems that no organization has numbered.
  const next = 'SELECT max(99999, max(srs_id)) + 1 AS number FROM gpkg_spatial_ref_sys'
  const number = digits === undefined ? (found ?? (database.prepare(next).get() as { number: number })).number : +digits
  const title = digits === undefined ? 'As given by the source' : crs.text.trim()
  const add = database.prepare('INSERT OR IGNORE INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)')
  add.run(title, number, organization ?? 'NONE', number, definition)
  return number
}

/** Lists a table among the contents; `box` and `crsNumber` are those of a layer with geometry. */
function addContents(
  database: DatabaseSync,
  table: { readonly name: string; readonly title: string; readonly box?: Box; readonly crsNumber?: number },
): void {
  const { name, title, box, crsNumber } = table
  const edges = box?.slice(0, 4) ?? [null, null, null, null]
  database
    .prepare(
      'INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(name, crsNumber === undefined ? 'attributes' : 'features', title, ...edges, crsNumber ?? null)
}

/** The names of a layer with geometry. */
type SpatialNames = { readonly table: string; readonly geometry: string; readonly key: string }

/** The virtual table of the spatial index. */
function indexName({ table, geometry }: SpatialNames): string {
  return quoted(`rtree_${table}_${geometry}`)
}

/** Makes an empty spatial index. */
function startIndex(database: DatabaseSync, names: SpatialNames): void {
  database.exec(`CREATE VIRTUAL TABLE ${indexName(names)} USING rtree(id, minx, maxx, miny, maxy)`)
}

/** Lists a filled spatial index as an extension, with the triggers by which other programs keep it up to date. */
function finishIndex(database: DatabaseSync, names: SpatialNames): void {
  const { table, geometry, key } = names
  const [t, g, k, index] = [quoted(table), quoted(geometry), quoted(key), indexName(names)]
  const [isFilled, isEmpty] = [
    `(NEW.${g} NOTNULL AND NOT ST_IsEmpty(NEW.${g}))`,
    `(NEW.${g} ISNULL OR ST_IsEmpty(NEW.${g}))`,
  ]
  const put = `INSERT OR REPLACE INTO ${index} VALUES (NEW.${k}, ST_MinX(NEW.${g}), ST_MaxX(NEW.${g}), ST_MinY(NEW.${g}), ST_MaxY(NEW.${g}));`
  const drop = `DELETE FROM ${index} WHERE id = OLD.${k};`
  const [same, moved] = [`OLD.${k} = NEW.${k}`, `OLD.${k} != NEW.${k}`]
  const triggers = [
    ['insert', `INSERT ON ${t}`, isFilled, put],
    ['update1', `UPDATE OF ${g} ON ${t}`, `${same} AND ${isFilled}`, put],
    ['update2', `UPDATE OF ${g} ON ${t}`, `${same} AND ${isEmpty}`, drop],
    ['update3', `UPDATE ON ${t}`, `${moved} AND ${isFilled}`, `${drop} ${put}`],
    ['update4', `UPDATE ON ${t}`, `${moved} AND ${isEmpty}`, `DELETE FROM ${index} WHERE id IN (OLD.${k}, NEW.${k});`],
    ['delete', `DELETE ON ${t}`, `OLD.${g} NOT NULL`, drop],
  ] as const
  for (const [name, event, when, action] of triggers)
    database.exec(
      `CREATE TRIGGER ${quoted(`rtree_${table}_${geometry}_${name}`)} AFTER ${event} WHEN ${when} BEGIN ${action} END`,
    )
  database
    .prepare('INSERT INTO gpkg_extensions VALUES (?, ?, ?, ?, ?)')
    .run(table, geometry, 'gpkg_rtree_index', 'http://www.geopackage.org/spec120/#extension_rtree', 'write-only')
}
