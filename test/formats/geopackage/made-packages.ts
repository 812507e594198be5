/** Makes GeoPackages, valid and invalid, with SQLite alone. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type Ring = readonly (readonly [number, number])[]

/** A polygon as well-known binary, little-endian. */
export function polygonWkb(rings: readonly Ring[]): Buffer {
  const parts = [Buffer.from([1, 3, 0, 0, 0]), uint32(rings.length)]
  for (const ring of rings) parts.push(uint32(ring.length), doubles(ring.flat()))
  return Buffer.concat(parts)
}

/** A point as well-known binary, little-endian. */
export function pointWkb(x: number, y: number): Buffer {
  return Buffer.concat([Buffer.from([1, 1, 0, 0, 0]), doubles([x, y])])
}

/** Well-known binary behind the header of a GeoPackage, without an envelope. */
export function geometryBlob(wkb: Uint8Array, system = 2193): Buffer {
  const head = Buffer.from('GP\0\x01\0\0\0\0', 'latin1')
  head.writeInt32LE(system, 4)
  return Buffer.concat([head, wkb])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function doubles(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  values.forEach((value, index) => bytes.writeDoubleLE(value, index * 8))
  return bytes
}

const schema = `
PRAGMA application_id = 0x47504b47;
PRAGMA user_version = 10300;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT, srs_id INTEGER);
CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT, srs_id INTEGER,
  z TINYINT, m TINYINT);
INSERT INTO gpkg_spatial_ref_sys VALUES
  ('NZTM', 2193, 'EPSG', 2193, 'undefined', NULL), ('WGS 84', 4326, 'EPSG', 4326, 'undefined', NULL),
  ('Undefined', -1, 'NONE', -1, 'undefined', NULL), ('Undefined', 0, 'NONE', 0, 'undefined', NULL);`

/** What a test wants in its package: statements of SQL, and rows for one of its tables. */
export type Wanted = {
  readonly sql?: string
  readonly insert?: {
    readonly into: string
    readonly rows: readonly (readonly (string | number | bigint | Buffer | null)[])[]
  }
}

/** The statements that make a layer of features called paddocks; `fields` stands between the key and the geometry. */
export function layerSql(fields: string, { name = 'paddocks', system = 2193 } = {}): string {
  const own = name.replaceAll('"', '""')
  const text = name.replaceAll("'", "''")
  return `CREATE TABLE "${own}" (fid INTEGER PRIMARY KEY${fields === '' ? '' : `, ${fields}`}, geom BLOB);
    INSERT INTO gpkg_contents VALUES ('${text}', 'features', '${text}', ${system});
    INSERT INTO gpkg_geometry_columns VALUES ('${text}', 'geom', 'GEOMETRY', ${system}, 0, 0);`
}

/** Calls `use` with the path of a package in a folder of its own, which is gone afterwards. */
export async function withPackage<T>(wanted: Wanted, use: (path: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-geopackage-test-'))
  const path = join(folder, 'farm.gpkg')
  try {
    make(path, wanted)
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The bytes of a package. */
export function packageBytes(wanted: Wanted): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-geopackage-test-'))
  try {
    make(join(folder, 'farm.gpkg'), wanted)
    return new Uint8Array(readFileSync(join(folder, 'farm.gpkg')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function make(path: string, { sql, insert }: Wanted): void {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA page_size = 1024; BEGIN; ${schema} ${sql ?? ''}`)
  if (insert !== undefined)
    for (const row of insert.rows)
      database.prepare(`INSERT INTO ${insert.into} VALUES (${row.map(() => '?').join(', ')})`).run(...row)
  database.exec('COMMIT')
  database.close()
}
