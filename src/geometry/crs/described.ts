/** Hides which projection and which way to WGS 84 the words and numbers of a described coordinate system mean. */

import { datumsNamed, isElsewhere, isModernEllipsoid, modernDatum, shiftedDatum, type Datum } from './datums.ts'
import { define, type Definition, type Method } from './crs-definition.ts'
import { plainName, type DescribedCrs } from './wkt.ts'

const methods: Readonly<Record<string, Method>> = {
  transversemercator: 'tmerc',
  transversemercatorcomplex: 'tmerc',
  gausskruger: 'tmerc',
  transversemercatorsouthorientated: 'tmerc',
  lambertconformalconic: 'lcc',
  lambertconformalconic1sp: 'lcc',
  lambertconformalconic2sp: 'lcc',
  lambertconicconformal1sp: 'lcc',
  lambertconicconformal2sp: 'lcc',
  lambertazimuthalequalarea: 'laea',
  albers: 'aea',
  albersequalarea: 'aea',
  albersconicequalarea: 'aea',
  lambertcylindricalequalarea: 'cea',
  cylindricalequalarea: 'cea',
  behrmann: 'cea',
  doublestereographic: 'sterea',
  obliquestereographic: 'sterea',
  polyconic: 'poly',
  americanpolyconic: 'poly',
  krovaknorthorientated: 'krovak',
  krovak: 'krovak',
  newzealandmapgrid: 'nzmg',
  swissobliquecylindrical: 'somerc',
  swissobliquemercator: 'somerc',
  hotineobliquemercatorazimuthcenter: 'somerc',
  hotineobliquemercatorvariantb: 'somerc',
  mercatorauxiliarysphere: 'webmerc',
  popularvisualisationpseudomercator: 'webmerc',
  mercator: 'merc',
  mercator1sp: 'merc',
  mercator2sp: 'merc',
  mercatorvarianta: 'merc',
  mercatorvariantb: 'merc',
}

const parameterNames = {
  lat0: [
    'latitudeoforigin',
    'latitudeofnaturalorigin',
    'latitudeoffalseorigin',
    'latitudeofcenter',
    'latitudeofprojectioncentre',
  ],
  lon0: [
    'centralmeridian',
    'longitudeoforigin',
    'longitudeofnaturalorigin',
    'longitudeoffalseorigin',
    'longitudeofcenter',
    'longitudeofprojectioncentre',
  ],
  k: [
    'scalefactor',
    'scalefactoratnaturalorigin',
    'scalefactoratprojectioncentre',
    'scalefactoroninitialline',
    'scalefactoronpseudostandardparallel',
  ],
  x0: ['falseeasting', 'eastingatfalseorigin', 'eastingatprojectioncentre'],
  y0: ['falsenorthing', 'northingatfalseorigin', 'northingatprojectioncentre'],
  lat1: ['standardparallel1', 'latitudeof1ststandardparallel', 'latitudeofstandardparallel'],
  lat2: ['standardparallel2', 'latitudeof2ndstandardparallel'],
} as const

const skewNames = ['anglefromrectifiedtoskewgrid', 'xyplanerotation']

// Those go round the whole globe, or stand in one place whatever their numbers say.
const around: ReadonlySet<Method> = new Set(['webmerc', 'merc', 'cea', 'krovak', 'nzmg'])

/** True where the method is one whose numbers can be held against others; Krovak's are written in too many ways. */
export function isComputed({ method }: DescribedCrs): boolean {
  const known = methods[plainName(method)]
  return method === '' || (known !== undefined && known !== 'krovak')
}

/** Makes the definition that the described numbers mean; a sentence says why there is none. */
export function definitionOf(described: DescribedCrs): Definition | string {
  const projection = projectionOf(described)
  if (typeof projection === 'string') return projection
  const datum = datumOf(described)
  return datum === undefined
    ? `how its datum "${shorten(described.datum)}" lies to WGS 84 is not known.`
    : { ...projection, datum }
}

/** Makes the definition as far as its datum is not asked for, which then has no way to WGS 84. */
export function projectionOf(described: DescribedCrs): Definition | string {
  const { datum: name, semiMajorM, inverseFlattening } = described
  const datum = modernDatum(name, [semiMajorM, inverseFlattening])
  const isFromGreenwich = Math.abs(described.primeMeridian) < 1e-9
  if (described.method === '' && !isFromGreenwich) return 'its longitudes do not count from Greenwich.'
  if (described.method === '') return define('longlat', datum, { unitM: roundUnit(described.unitM) })
  const plain = plainName(described.method)
  const method = methods[plain]
  if (method === undefined) return `its projection "${shorten(described.method)}" is not one that windrow computes.`
  const find = (names: readonly string[]): number | undefined =>
    names.map((each) => described.parameters.get(each)).find((each) => each !== undefined)
  const angles = [find(['azimuth', 'azimuthofinitialline']), find(['rectifiedgridangle', ...skewNames])]
  if (method === 'somerc' && angles.some((each) => Math.abs((each ?? 90) - 90) > 1e-6))
    return 'its oblique projection is not the Swiss one.'
  if (method === 'krovak' && plain === 'krovak' && find(['xscale']) !== -1 && !described.isEastNorth)
    return 'Krovak coordinates that count south and west are not told from others; save them as EPSG:5514.'
  const lon0 = find(parameterNames.lon0)
  // Nought would put the farm into the middle of the Atlantic's longitudes, with every boundary in its right shape.
  if (lon0 === undefined && !around.has(method)) return 'the longitude in its middle (the central meridian) is missing.'
  const lat0 = find(parameterNames.lat0)
  const lat2 = find(parameterNames.lat2)
  const lat1 = find(parameterNames.lat1) ?? (method === 'lcc' ? lat0 : undefined) ?? (plain === 'behrmann' ? 30 : 0)
  const scale = find(parameterNames.k) ?? 1
  return define(method, datum, {
    // With one parallel that is where the northings begin; with two the equator is meant by what is left out.
    lat0: lat0 ?? (method === 'lcc' && lat2 === undefined ? lat1 : 0),
    lon0: roundMeridian((lon0 ?? 0) + described.primeMeridian),
    k: plain === 'transversemercatorsouthorientated' ? -scale : scale,
    x0: find(parameterNames.x0) ?? 0,
    y0: find(parameterNames.y0) ?? 0,
    lat1,
    lat2: lat2 ?? lat1,
    unitM: described.unitM,
  })
}

// Of a datum that has a way to WGS 84 for each region, the first stands for all until a system of the table is found.
function datumOf(described: DescribedCrs): Datum | undefined {
  const [datum] = datumsNamed(described.datum)
  if (datum !== undefined) return isSameEllipsoid(described, datum) ? datum : undefined
  const { semiMajorM, inverseFlattening, toWgs84 } = described
  const ellipsoid = [semiMajorM, inverseFlattening] as const
  const isUnshifted = toWgs84 === undefined || (toWgs84.length > 0 && toWgs84.every((each) => each === 0))
  if (isUnshifted && isElsewhere(described.datum)) return undefined
  if (isUnshifted && isModernEllipsoid(semiMajorM, inverseFlattening)) return modernDatum(described.datum, ellipsoid)
  return shiftedDatum(described.datum, ellipsoid, toWgs84 ?? [])
}

// Grads from Paris and degrees from Greenwich name one meridian, which adding leaves a hair apart.
function roundMeridian(lon: number): number {
  return Math.round(lon * 1e10) / 1e10
}

// ESRI rounds a radian's share to 15 digits, so that a degree comes back as 0.99999999999999.
function roundUnit(unit: number): number {
  return Math.abs(unit - 1) < 1e-9 ? 1 : unit
}

/** True when the description is on the ellipsoid of the datum. */
export function isSameEllipsoid(described: DescribedCrs, datum: Datum): boolean {
  return (
    Math.abs(described.semiMajorM - datum.semiMajorM) < 0.05 &&
    Math.abs(described.inverseFlattening - datum.inverseFlattening) < 0.001
  )
}

/** A name out of a file as a message can hold it: one line, and no longer than that. */
export function shorten(text: string): string {
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
