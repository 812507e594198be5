/** Reads the tables in which a GeoPackage describes itself: its layers, their geometry columns and coordinate systems. */

import type { DatabaseSync } from 'node:sqlite'
import { WindrowError } from '../../core/error.ts'
import type { CrsClue } from '../../core/row.ts'
import { damaged, quoted, type HeldDatabase } from './geopackage-database.ts'

/** A column as the table declares it; `isComputed` if its values are computed from others. */
export type Field = {
  readonly name: string
  readonly declared: string
  readonly isKey: boolean
  readonly isComputed: boolean
}

/** One layer: a table or view, its fields in order, and the field with the geometry. */
export type Layer = {
  readonly name: string
  readonly isView: boolean
  readonly fields: readonly Field[]
  readonly geometry?: string
  readonly crs?: CrsClue | undefined
  readonly crsNumber?: number | undefined
}

/** The layers of a GeoPackage, and a sentence for each listed layer that cannot be read. */
export type Contents = { readonly layers: readonly Layer[]; readonly missing: readonly string[] }

const mostLayers = 1000

/** Programs keep the styles of layers in tables that look like layers. */
const notRecords = new Set(['layer_styles', 'qgis_projects'])

/** Reads the list of layers. Throws a WindrowError if it is not a GeoPackage or contains no layer of records. */
export function readContents(database: DatabaseSync, held: HeldDatabase): Contents {
  try {
    return contentsOf(database, held)
  } catch (cause) {
    throw cause instanceof WindrowError ? cause : damaged(held, cause)
  }
}

type Stored = { readonly name: string; readonly isView: boolean; readonly isVirtual: boolean }
type GeometryPlace = { readonly column: string; readonly crsNumber: number | null }
type Announced = { readonly name: string; readonly kind: string; readonly crsNumber: number | null }

function contentsOf(database: DatabaseSync, held: HeldDatabase): Contents {
  const stored = storedTables(database)
  if (!isOwnTable(stored, 'gpkg_contents')) throw noGeoPackage(held, stored)
  const announced = database
    .prepare('SELECT table_name AS name, data_type AS kind, srs_id AS crsNumber FROM gpkg_contents LIMIT ?')
    .all(mostLayers + 1) as unknown as readonly Announced[]
  if (announced.length > mostLayers)
    throw new WindrowError('file-too-large', `"${held.name}" lists more than ${mostLayers} layers.`, {
      hint: 'Save the layers that you need as a separate file.',
    })
  const ofRecords = announced.filter(
    ({ name, kind }) => /^(features|attributes|aspatial)$/i.test(kind) && !notRecords.has(name.toLowerCase()),
  )
  const layers: Layer[] = []
  const missing: string[] = []
  for (const each of ofRecords) {
    const table = stored.get(each.name.toLowerCase())
    if (table === undefined) missing.push(`The layer "${each.name}" is listed, but there is no such table.`)
    else if (table.isVirtual) missing.push(`The layer "${each.name}" needs a module of SQLite and was not read.`)
    else layers.push(layerOf(database, stored, table, each))
  }
  if (layers.length === 0) throw noLayers(held, announced, missing)
  return { layers, missing }
}

function storedTables(database: DatabaseSync): ReadonlyMap<string, Stored> {
  const found = database.prepare("SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view')").iterate()
  return new Map(
    Array.from(found as Iterable<Record<string, unknown>>, ({ name, type, sql }) => {
      const isVirtual = /^\s*CREATE\s+VIRTUAL/i.test(String(sql))
      return [String(name).toLowerCase(), { name: String(name), isView: type === 'view', isVirtual }]
    }),
  )
}

/** A view in place of one of the describing tables could run without end. */
function isOwnTable(stored: ReadonlyMap<string, Stored>, name: string): boolean {
  const found = stored.get(name)
  return found !== undefined && !found.isView && !found.isVirtual
}

function layerOf(
  database: DatabaseSync,
  stored: ReadonlyMap<string, Stored>,
  { name, isView }: Stored,
  announced: Announced,
): Layer {
  const fields = fieldsOf(database, name, isView)
  const place = isOwnTable(stored, 'gpkg_geometry_columns') ? geometryPlace(database, name) : undefined
  const geometry = fields.find((field) => field.name.toLowerCase() === place?.column.toLowerCase())?.name
  if (geometry === undefined) return { name, isView, fields }
  const crsNumber = place?.crsNumber ?? announced.crsNumber ?? undefined
  const crs =
    crsNumber === undefined || !isOwnTable(stored, 'gpkg_spatial_ref_sys') ? undefined : crsClue(database, crsNumber)
  return { name, isView, fields, geometry, crsNumber, crs }
}

/** Only a key of one integer is the row number; other keys are ordinary columns. */
function fieldsOf(database: DatabaseSync, table: string, isView: boolean): readonly Field[] {
  const found = database.prepare(`PRAGMA table_xinfo(${quoted(table)})`).all() as unknown as readonly {
    readonly name: string
    readonly type: string
    readonly pk: number
    readonly hidden: number
  }[]
  const keys = found.filter(({ pk }) => pk > 0)
  const isKey = (pk: number, type: string): boolean => !isView && pk > 0 && keys.length === 1 && /^INTEGER$/i.test(type)
  return found
    .filter(({ hidden }) => hidden !== 1)
    .map(({ name, type, pk, hidden }) => ({
      name,
      declared: type.toUpperCase(),
      isKey: isKey(pk, type),
      isComputed: hidden > 1,
    }))
}

function geometryPlace(database: DatabaseSync, table: string): GeometryPlace | undefined {
  const query =
    'SELECT column_name AS "column", srs_id AS crsNumber FROM gpkg_geometry_columns WHERE lower(table_name) = lower(?)'
  return database.prepare(query).get(table) as GeometryPlace | undefined
}

/** -1 and 0 mean that the system is unknown (requirement 11 of the standard). */
function crsClue(database: DatabaseSync, number: number): CrsClue | undefined {
  if (number === -1 || number === 0) return undefined
  const row = database.prepare('SELECT * FROM gpkg_spatial_ref_sys WHERE srs_id = ?').get(number)
  if (row === undefined) return undefined
  const { organization, organization_coordsys_id: code } = row
  const described = [row.definition, row.definition_12_063].find(
    (text) => typeof text === 'string' && /^\s*[A-Za-z_]+\s*[[(]/.test(text),
  ) as string | undefined
  const isCoded = typeof organization === 'string' && /^[A-Za-z]+$/.test(organization) && typeof code === 'number'
  if (isCoded && !/^none$/i.test(organization)) return { from: 'table', text: `${organization}:${code}`, described }
  return described === undefined ? undefined : { from: 'table', text: described }
}

function noGeoPackage(held: HeldDatabase, stored: ReadonlyMap<string, Stored>): WindrowError {
  const isSpatiaLite = stored.has('geometry_columns') && stored.has('spatial_ref_sys')
  return new WindrowError(
    'format-unknown',
    isSpatiaLite
      ? `"${held.name}" is a SpatiaLite database, not a GeoPackage.`
      : `"${held.name}" is a SQLite database, but not a GeoPackage: it has no table gpkg_contents.`,
    { hint: 'Save its layers as GeoPackage, GeoJSON or a shapefile from the program that made it.' },
  )
}

function noLayers(held: HeldDatabase, announced: readonly Announced[], missing: readonly string[]): WindrowError {
  const kinds = [...new Set(announced.map(({ kind }) => kind))].join(', ')
  const what = missing[0] ?? (announced.length === 0 ? 'It is empty.' : `It contains ${kinds} only.`)
  return new WindrowError('file-empty', `"${held.name}" contains no layer of records. ${what}`, {
    hint: 'Save the layer with the boundaries or records into it, and check it in a mapping program first.',
  })
}
