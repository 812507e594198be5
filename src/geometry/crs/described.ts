/** Turns the names and numbers of a described coordinate system into a projection and a datum. */

import { datumsNamed, isElsewhere, isModernEllipsoid, modernDatum, shiftedDatum, type Datum } from './datums.ts'
import { define, type Definition, type Method } from './crs-definition.ts'
import { plainCrsName, type DescribedCrs } from './wkt.ts'

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

// These cover the whole globe, or have a fixed place whatever their numbers are.
const withoutMeridian: ReadonlySet<Method> = new Set(['webmerc', 'merc', 'cea', 'krovak', 'nzmg'])

/** True where the numbers of the method can be compared; those of Krovak are written in too many ways. */
export function isComputed({ method }: DescribedCrs): boolean {
  const known = methods[plainCrsName(method)]
  return method === '' || (known !== undefined && known !== 'krovak')
}

/** Makes the definition that the described numbers mean, or a sentence why it cannot. */
export function definitionOf(described: DescribedCrs): Definition | string {
  const projection = projectionOf(described)
  if (typeof projection === 'string') return projection
  const datum = datumOf(described)
  return datum === undefined ? unknownDatum(described) : { ...projection, datum }
}

/** Why a system whose datum is unknown cannot be used. */
export function unknownDatum({ datum }: DescribedCrs): string {
  return `its datum "${shorten(datum)}" has no known transformation to WGS 84.`
}

/** Makes the definition with a datum that has no transformation to WGS 84 yet. */
export function projectionOf(described: DescribedCrs): Definition | string {
  const datum = modernDatum(described)
  const isFromGreenwich = Math.abs(described.primeMeridian) < 1e-9
  if (described.method === '' && !isFromGreenwich) return 'its longitudes do not count from Greenwich.'
  if (described.method === '') return define('longlat', datum, { unitM: described.unitM })
  const plain = plainCrsName(described.method)
  const method = methods[plain]
  if (method === undefined) return `windrow does not support its projection "${shorten(described.method)}".`
  const find = (names: readonly string[]): number | undefined =>
    names.map((each) => described.parameters.get(each)).find((each) => each !== undefined)
  const angles = [find(['azimuth', 'azimuthofinitialline']), find(['rectifiedgridangle', ...skewNames])]
  if (method === 'somerc' && angles.some((each) => Math.abs((each ?? 90) - 90) > 1e-6))
    return 'its oblique projection is not the Swiss one.'
  if (method === 'krovak' && plain === 'krovak' && find(['xscale']) !== -1 && !described.isEastNorth)
    return 'Krovak coordinates that count south and west cannot be recognised safely; save them as EPSG:5514.'
  const lon0 = find(parameterNames.lon0)
  // Zero would move the farm to the longitude of Greenwich, with every boundary in its right shape.
  if (lon0 === undefined && !withoutMeridian.has(method))
    return 'the longitude in its middle (the central meridian) is missing.'
  const lat0 = find(parameterNames.lat0)
  const lat2 = find(parameterNames.lat2)
  const lat1 = find(parameterNames.lat1) ?? (method === 'lcc' ? lat0 : undefined) ?? (plain === 'behrmann' ? 30 : 0)
  const scale = find(parameterNames.k) ?? 1
  return define(method, datum, {
    // A missing latitude of origin means the parallel where there is one, and the equator where there are two.
    lat0: lat0 ?? (method === 'lcc' && lat2 === undefined ? lat1 : 0),
    // Grads from Paris and degrees from Greenwich can mean one meridian; adding leaves a tiny difference.
    lon0: Math.round(((lon0 ?? 0) + described.primeMeridian) * 1e10) / 1e10,
    k: plain === 'transversemercatorsouthorientated' ? -scale : scale,
    x0: find(parameterNames.x0) ?? 0,
    y0: find(parameterNames.y0) ?? 0,
    lat1,
    lat2: lat2 ?? lat1,
    unitM: described.unitM,
  })
}

// Where the transformation depends on the region, the first is used until a system of the table is found.
function datumOf(described: DescribedCrs): Datum | undefined {
  const [datum] = datumsNamed(described.datum)
  if (datum !== undefined) return isSameEllipsoid(described, datum) ? datum : undefined
  const { semiMajorM, inverseFlattening, toWgs84 } = described
  const isUnshifted = toWgs84 === undefined || (toWgs84.length > 0 && toWgs84.every((each) => each === 0))
  if (isUnshifted && isElsewhere(described.datum)) return undefined
  if (isUnshifted && isModernEllipsoid(semiMajorM, inverseFlattening)) return modernDatum(described)
  return shiftedDatum(described)
}

export function isSameEllipsoid(described: DescribedCrs, datum: Datum): boolean {
  return (
    Math.abs(described.semiMajorM - datum.semiMajorM) < 0.05 &&
    Math.abs(described.inverseFlattening - datum.inverseFlattening) < 0.001
  )
}

/** Shortens a name from a file for a message: one line of at most 60 characters. */
export function shorten(text: string): string {
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
