/**
 * Makes the table of coordinate systems: chosen-coordinate-systems.json says which systems and transformations windrow knows, and
 * PROJ's database gives their names, numbers and areas of use. Then compares the table with PROJ's results, and writes
 * docs/coordinate-systems.md and the control points of the tests. It needs PROJ's programs (proj-bin) and takes some minutes; the
 * tests do not need them.
 *
 *   npm run coordinate-systems
 */

import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import chosen from './chosen-coordinate-systems.json' with { type: 'json' }

type Area = readonly number[]

/** A datum by choice: EPSG's transformation to WGS 84, or the geographic system itself where EPSG has none. */
type ChosenDatum = {
  readonly key: string
  /** A plainer name than the one of its geographic system. */
  readonly name?: string
  readonly transformation?: number
  readonly base?: number
  /** Where a national survey gives a worse accuracy than EPSG. */
  readonly accuracyM?: number
  readonly names: readonly string[]
}

/** Systems of one datum, in the order of the table; `area` is a region that replaces each area of use, `any` leaves it out. */
type Group = { readonly datum: string; readonly area?: Area | 'any'; readonly codes: string }

/** The version of EPSG's data that the committed table was made with. */
export const epsgVersion = chosen.epsgVersion

const { datums, groups, names, areas, national, esri } = chosen as unknown as {
  readonly datums: readonly ChosenDatum[]
  readonly groups: readonly Group[]
  readonly names: Readonly<Record<string, string>>
  readonly areas: Readonly<Record<string, Area>>
  readonly national: readonly number[]
  readonly esri: readonly Area[]
}

/** The text of coordinate-systems.json, by PROJ's database. */
export function coordinateTable(projDatabase: string): string {
  const database = new DatabaseSync(projDatabase, { readOnly: true })
  try {
    const find = rowFinder(database)
    const lines = (each: readonly unknown[]): string => each.map((line) => `    ${JSON.stringify(line)}`).join(',\n')
    return `{
  "datums": [
${lines(datums.map((each) => datumLine(find, each)))}
  ],
  "systems": [
${lines(groups.flatMap((group) => codesOf(group.codes).map((code) => systemLine(find, code, group))))}
  ],
  "esri": [
${lines(esri)}
  ]
}
`
  } finally {
    database.close()
  }
}

/** The file of PROJ's database; undefined where PROJ is not installed. */
export function findProjDatabase(): string | undefined {
  const { stdout } = spawnSync('projinfo', ['--searchpaths'], { encoding: 'utf8' })
  const files = (stdout ?? '').split(/\r?\n/).map((folder) => join(folder, 'proj.db'))
  return files.find((file) => existsSync(file))
}

/** The version of EPSG's data that a database has in it. */
export function epsgVersionOf(projDatabase: string): unknown {
  const database = new DatabaseSync(projDatabase, { readOnly: true })
  try {
    return rowFinder(database)(`SELECT value FROM metadata WHERE key = ?`, 'EPSG.VERSION')['value']
  } finally {
    database.close()
  }
}

/** Codes as written in the choices, such as "2193 2105-2132". */
function codesOf(text: string): readonly number[] {
  return text.split(' ').flatMap((each) => {
    const [first, last = first] = each.split('-').map(Number) as [number, number?]
    return Array.from({ length: last! - first + 1 }, (_, index) => first + index)
  })
}

type Value = string | number | null
type Found = Readonly<Record<string, Value>>
type Find = (sql: string, ...values: readonly Value[]) => Found

/** Makes the function that asks for one row, which has to be there. */
function rowFinder(database: DatabaseSync): Find {
  const statements = new Map<string, StatementSync>()
  return (sql, ...values) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    const row = statement.get(...values)
    if (row === undefined) throw new Error(`PROJ's database has nothing for ${values.join(', ')}: ${sql}`)
    return row as Found
  }
}

function datumLine(find: Find, { key, name, transformation, base, accuracyM, names: aliases }: ChosenDatum) {
  const shift = transformation === undefined ? undefined : shiftOf(find, transformation)
  const geographic = find(
    `SELECT crs.name, ellipsoid.semi_major_axis * unit.conv_factor AS semiMajorM, inv_flattening, semi_minor_axis,
       coalesce(${esriName('geodetic_crs', 'crs')}, 'GCS_' || replace(crs.name, ' ', '_')) AS esriSystem,
       coalesce(${esriName('geodetic_datum', 'datum')}, 'D_' || replace(datum.name, ' ', '_')) AS esriDatum,
       coalesce(${esriName('ellipsoid', 'ellipsoid')}, replace(ellipsoid.name, ' ', '_')) AS esriEllipsoid
     FROM geodetic_crs AS crs
     JOIN geodetic_datum AS datum ON datum.auth_name = 'EPSG' AND datum.code = crs.datum_code
     JOIN ellipsoid ON ellipsoid.auth_name = 'EPSG' AND ellipsoid.code = datum.ellipsoid_code
     JOIN unit_of_measure AS unit ON unit.auth_name = 'EPSG' AND unit.code = ellipsoid.uom_code
     WHERE crs.auth_name = 'EPSG' AND crs.code = ?`,
    base ?? shift!.source,
  )
  const semiMajorM = Number(geographic['semiMajorM'])
  const flattening = geographic['inv_flattening'] ?? semiMajorM / (semiMajorM - Number(geographic['semi_minor_axis']))
  return {
    key,
    name: name ?? geographic['name'],
    ellipsoid: [rounded(semiMajorM), Number(Number(flattening).toFixed(9))],
    accuracyM: accuracyM ?? shift!.accuracyM,
    transformation: shift?.title,
    toWgs84: shift?.toWgs84,
    names: aliases,
    esri: ['esriSystem', 'esriDatum', 'esriEllipsoid'].map((each) => geographic[each]),
  }
}

/** The name that ESRI's programs write, and know in a .prj, as an expression; null where they have none. */
function esriName(table: string, row: string): string {
  return `(SELECT alt_name FROM alias_name
     WHERE table_name = '${table}' AND source = 'ESRI' AND alias_name.auth_name = 'EPSG' AND alias_name.code = ${row}.code)`
}

const toMetres = 1
const toSeconds = (180 * 3600) / Math.PI
const toMillionths = 1e6

/** EPSG's shift as a position vector; undefined where it is zero. */
function shiftOf(find: Find, code: number) {
  const row = find(`SELECT * FROM helmert_transformation_table WHERE auth_name = 'EPSG' AND code = ?`, code)
  const number = (column: string, unit: string, scale: number): number => {
    const value = Number(row[column] ?? 0)
    return value === 0 ? 0 : rounded(value * unitOf(find, row[`${unit}_uom_code`]!) * scale, 10)
  }
  const shifts = ['tx', 'ty', 'tz'].map((column) => number(column, 'translation', toMetres))
  // A coordinate frame rotation turns the other way.
  const turn = [9607, 1032, 1038].includes(Number(row['method_code'])) ? -1 : 1
  const turns = ['rx', 'ry', 'rz'].map((column) => number(column, 'rotation', toSeconds * turn))
  const scale = number('scale_difference', 'scale_difference', toMillionths)
  const all = [...shifts, ...turns, scale].map((each) => each + 0)
  return {
    source: row['source_crs_code']!,
    title: `EPSG:${code} ${row['name']}`,
    accuracyM: Number(row['accuracy']),
    toWgs84: all.every((each) => each === 0) ? undefined : all.slice(0, row['rx'] === null ? 3 : 7),
  }
}

function systemLine(find: Find, code: number, { datum, area }: Group) {
  const table = isGeographic(find, code) ? 'geodetic_crs' : 'projected_crs'
  const { name } = find(`SELECT name FROM ${table} WHERE auth_name = 'EPSG' AND code = ?`, code)
  const region = areas[code] ?? area ?? areaOfUse(find, code, table)
  return {
    code,
    name: names[code] ?? name,
    epsgName: names[code] === undefined ? undefined : name,
    datum,
    ...(table === 'geodetic_crs' ? { method: 'longlat' } : projectionOf(find, code)),
    area: region === 'any' ? undefined : region,
    unitM: table === 'geodetic_crs' ? undefined : unitM(find, code),
    isNational: national.includes(code) ? true : undefined,
  }
}

function isGeographic(find: Find, code: number): boolean {
  return find(`SELECT count(*) AS found FROM geodetic_crs WHERE auth_name = 'EPSG' AND code = ?`, code)['found'] === 1
}

/** West, south, east, north, rounded outwards to tenths of a degree; east may pass 180. */
function areaOfUse(find: Find, code: number, table: string): Area {
  const extent = find(
    `SELECT west_lon AS west, south_lat AS south, east_lon AS east, north_lat AS north FROM usage
     JOIN extent ON extent.auth_name = usage.extent_auth_name AND extent.code = usage.extent_code
     WHERE object_table_name = ? AND object_auth_name = 'EPSG' AND object_code = ?`,
    table,
    code,
  )
  const [west, south, east, north] = ['west', 'south', 'east', 'north'].map((side) => Number(extent[side]))
  const down = (degrees: number): number => Math.floor(degrees * 10) / 10
  const up = (degrees: number): number => Math.ceil(degrees * 10) / 10
  return [down(west!), down(south!), up(east! < west! ? east! + 360 : east!), up(north!)]
}

/** windrow's method for each of EPSG's. */
const methods: Readonly<Record<number, string>> = {
  1024: 'webmerc',
  1041: 'krovak',
  9801: 'lcc',
  9802: 'lcc',
  9804: 'merc',
  9807: 'tmerc',
  9808: 'tmerc',
  9809: 'sterea',
  9811: 'nzmg',
  9815: 'somerc',
  9818: 'poly',
  9820: 'laea',
  9822: 'aea',
  9835: 'cea',
}
const withOneParallel = 9801
const southOrientated = 9808

/** EPSG's parameters for lat0, lon0, k, x0, y0, lat1 and lat2: their codes depend on the method. */
const parameters = [
  [8801, 8811, 8821],
  [8802, 8812, 8822, 8833],
  [8805, 8815, 8819],
  [8806, 8816, 8826],
  [8807, 8817, 8827],
  [8823],
  [8824],
] as const

function projectionOf(find: Find, code: number): { readonly method: string; readonly numbers: readonly number[] } {
  const row = find(
    `SELECT conversion.*, prime.longitude AS prime, prime.uom_code AS primeUnit FROM projected_crs AS crs
     JOIN conversion_table AS conversion ON conversion.auth_name = 'EPSG' AND conversion.code = crs.conversion_code
     JOIN geodetic_crs AS base ON base.auth_name = 'EPSG' AND base.code = crs.geodetic_crs_code
     JOIN geodetic_datum AS datum ON datum.auth_name = 'EPSG' AND datum.code = base.datum_code
     JOIN prime_meridian AS prime ON prime.auth_name = 'EPSG' AND prime.code = datum.prime_meridian_code
     WHERE crs.auth_name = 'EPSG' AND crs.code = ?`,
    code,
  )
  const given = new Map<Value, number>()
  for (let index = 1; index <= 7; index += 1)
    given.set(row[`param${index}_code`]!, inUnit(find, row[`param${index}_value`]!, row[`param${index}_uom_code`]!))
  const [lat0, lon0, k, x0, y0, lat1, lat2] = parameters.map((codes) =>
    codes.map((each) => given.get(each)).find((value) => value !== undefined),
  )
  const method = Number(row['method_code'])
  const fromGreenwich = (lon0 ?? 0) + inUnit(find, row['prime']!, row['primeUnit']!)
  const parallels = method === withOneParallel ? [lat0, lat0] : [lat1, lat2]
  const degrees = (value: number): number => rounded(value, 12)
  return {
    method: methods[method]!,
    numbers: [
      degrees(lat0 ?? 0),
      degrees(fromGreenwich),
      method === southOrientated ? -1 : (k ?? 1),
      rounded(x0 ?? 0),
      rounded(y0 ?? 0),
      ...parallels.filter((value) => value !== undefined).map(degrees),
    ],
  }
}

const sexagesimal = 9110

/** A parameter in degrees, metres or parts of one. */
function inUnit(find: Find, value: Value, unit: Value): number {
  if (value === null || unit === null) return Number.NaN
  if (unit === sexagesimal) return degreesOf(Number(value))
  const { type } = find(`SELECT type FROM unit_of_measure WHERE auth_name = 'EPSG' AND code = ?`, unit)
  return Number(value) * unitOf(find, unit) * (type === 'angle' ? 180 / Math.PI : 1)
}

/** Degrees written as DDD.MMSSsss. */
function degreesOf(value: number): number {
  const [degrees, rest] = Math.abs(value).toFixed(10).split('.') as [string, string]
  const seconds = Number(`${rest.slice(2, 4)}.${rest.slice(4)}`)
  return Math.sign(value) * (Number(degrees) + Number(rest.slice(0, 2)) / 60 + seconds / 3600)
}

/** The unit of a system's axes in metres; undefined for the metre. */
function unitM(find: Find, code: number): number | undefined {
  const { unit } = find(
    `SELECT uom_code AS unit FROM axis JOIN projected_crs AS crs
     ON axis.coordinate_system_auth_name = 'EPSG' AND axis.coordinate_system_code = crs.coordinate_system_code
     WHERE crs.auth_name = 'EPSG' AND crs.code = ?`,
    code,
  )
  const metres = rounded(unitOf(find, unit!), 16)
  return metres === 1 ? undefined : metres
}

function unitOf(find: Find, code: Value): number {
  return Number(
    find(`SELECT conv_factor AS factor FROM unit_of_measure WHERE auth_name = 'EPSG' AND code = ?`, code)['factor'],
  )
}

/** Twelve decimals of a degree and seven of a metre are far below what an instrument measures. */
function rounded(value: number, decimals = 7): number {
  return Number(value.toFixed(decimals))
}

async function makeAll(): Promise<void> {
  const database = findProjDatabase()
  if (database === undefined) {
    console.error('PROJ was not found: install its programs (Debian: proj-bin, Homebrew: proj), and run this again.')
    process.exitCode = 2
    return
  }
  const root = fileURLToPath(new URL('..', import.meta.url))
  writeFileSync(join(root, 'src', 'geometry', 'crs', 'coordinate-systems.json'), coordinateTable(database))
  // Loaded only now, because it reads the new table.
  const { compareAll, controlLines, documentOf } = await import('./coordinate-comparison.ts')
  const comparisons = await compareAll()
  writeFileSync(join(root, 'docs', 'coordinate-systems.md'), documentOf(comparisons))
  writeFileSync(join(root, 'test', 'geometry', 'control-points.txt'), controlLines(comparisons))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeAll()
