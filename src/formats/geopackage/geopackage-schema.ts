/** Makes the tables in which a GeoPackage describes itself, and the spatial index of a layer, by version 1.3 of the standard. */

import type { DatabaseSync } from 'node:sqlite'
import type { CrsClue } from '../../core/row.ts'
import type { Box } from '../../core/shape.ts'
import { quoted } from './geopackage-database.ts'

const wgs84 =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]'

/** Makes an empty GeoPackage: its mark, its version and the tables that every one has. */
export function startPackage(database: DatabaseSync): void {
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
export function addSystem(database: DatabaseSync, crs: CrsClue | undefined): number {
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
export function addContents(
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
export type SpatialNames = { readonly table: string; readonly geometry: string; readonly key: string }

/** The virtual table of the spatial index. */
export function indexName({ table, geometry }: SpatialNames): string {
  return quoted(`rtree_${table}_${geometry}`)
}

/** Makes an empty spatial index. */
export function startIndex(database: DatabaseSync, names: SpatialNames): void {
  database.exec(`CREATE VIRTUAL TABLE ${indexName(names)} USING rtree(id, minx, maxx, miny, maxy)`)
}

/** Lists a filled spatial index as an extension, with the triggers by which other programs keep it up to date. */
export function finishIndex(database: DatabaseSync, names: SpatialNames): void {
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
