/** Identifies the coordinate system that a file names, by its code, its name or its numbers; it never guesses. */

import { WindrowError } from '../../core/error.ts'
import type { CrsClue } from '../../core/row.ts'
import type { Box } from '../../core/shape.ts'
import { jsonValue } from '../../core/values/exact-json.ts'
import { world, type Near } from './area.ts'
import { type Definition, define, type Method } from './crs-definition.ts'
import { datumsNamed, shiftedDatum, type Datum, isElsewhere, isModernEllipsoid, modernDatum } from './datums.ts'
import type { ShiftGrid } from './shift-grid.ts'
import { systemOfCode, systems, type System } from './systems.ts'
import { describeCrs, plainCrsName, type DescribedCrs } from './wkt.ts'

/**
 * A coordinate system that windrow can turn into WGS 84. `code` is empty for one that is not in the table but whose numbers
 * are understood; `accuracyM` is how exact the transformation to WGS 84 is; `isLonLat` is true for degrees, false for metres.
 */
export type Crs = {
  readonly code: string
  readonly name: string
  readonly evidence: string
  /** The transformation to WGS 84 in words, such as "EPSG:1314 OSGB36 to WGS 84 (6)"; empty for WGS 84 itself. */
  readonly transformation: string
  readonly accuracyM: number
  readonly isLonLat: boolean
  /** Where it is used, in degrees; east may pass 180. */
  readonly area: Box
  readonly definition: Definition
  /** True where the file writes northing or latitude first. */
  readonly isTurned?: boolean
  /** Where the other rows lie, if that is known. */
  readonly near?: Near
  /** The grids that shift a shape they cover to WGS 84, the best first; and in words, the transformation where none covers it. */
  readonly grids?: readonly ShiftGrid[]
  readonly beyondGrids?: string
}

/** The coordinate system in a report. */
export type CrsUsed = Pick<Crs, 'code' | 'name' | 'evidence' | 'transformation' | 'accuracyM'>

/** Picks the part of a system that a report keeps. */
export function asUsed({ code, name, evidence, transformation, accuracyM }: Crs): CrsUsed {
  return { code, name, evidence, transformation, accuracyM }
}

/** Identifies the system that a clue means. Throws `crs-unknown` when that is not certain; there is no fallback to WGS 84. */
export function identifyCrs(clue: CrsClue): Crs {
  const text = clue.text.replace(/^\uFEFF/, '').trim()
  const evidence = clue.from === 'option' ? 'from.crs' : `the ${clue.from}`
  const named = namedByMember(text) ?? text
  if (named.startsWith('{') || /^[A-Za-z_]+\s*[[(]/.test(named)) return identifyDescription(named, evidence)
  const code = codeOf(named)
  const system = code === undefined ? systemNamed(named) : systemOfCode(code)
  if (system === undefined && clue.described !== undefined) return identifyDescription(clue.described, evidence)
  if (system === undefined) throw unknownCode(named, evidence)
  return crsOf(system, evidence)
}

function crsOf(
  { code, name, area, definition }: Pick<System, 'code' | 'name' | 'area' | 'definition'>,
  evidence: string,
): Crs {
  const { datum } = definition
  return {
    code,
    name,
    evidence,
    transformation: datum.transformation ?? (datum.accuracyM === 0 ? '' : `${datum.name} taken as WGS 84`),
    accuracyM: datum.accuracyM,
    isLonLat: definition.method === 'longlat',
    area,
    definition,
  }
}

function systemNamed(text: string): System | undefined {
  const plain = plainCrsName(text)
  const found = systems().filter((each) => plainCrsName(each.name) === plain)
  return found.length === 1 ? found[0] : undefined
}

function unknownCode(text: string, evidence: string): WindrowError {
  const candidates = systemsLike(text)
  const meant = candidates.length === 0 ? '' : ` Did you mean ${listed(candidates)}?`
  return unknownCrs(
    `windrow does not know the coordinate system "${shorten(text)}" (from ${evidence}).`,
    `Set another, such as  from.crs: EPSG:2193  or save the file in longitude and latitude (EPSG:4326).${meant}`,
    evidence,
    candidates,
  )
}

function unknownCrs(message: string, hint: string, evidence: string, candidates: readonly System[]): WindrowError {
  const data = { evidence, candidates: candidates.map(({ code }) => code) }
  return new WindrowError('crs-unknown', message, { hint, data })
}

// People write "NZTM" or "MGA zone 55": suggests names that contain more than half of those letters.
function systemsLike(text: string): readonly System[] {
  const words = wordsOf(text.slice(0, 200)).filter((word) => !/^(?:epsg|urn|ogc|def|crs|https?)$/.test(word))
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  const likeness = ({ name }: System): number => {
    const ofName = wordsOf(name)
    const has = (word: string): boolean =>
      ofName.some((each) => each === word || (word.length > 2 && each.startsWith(word)))
    return words.reduce((sum, word) => sum + (has(word) ? word.length : 0), 0) - ofName.length / 100
  }
  const found = systems()
    .map((system) => ({ system, likeness: likeness(system) }))
    .filter((each) => letters > 1 && each.likeness > letters / 2)
    .toSorted((one, other) => other.likeness - one.likeness)
  return found
    .filter((each) => each.likeness > found[0]!.likeness - 0.5)
    .slice(0, 5)
    .map(({ system }) => system)
}

function listed(found: readonly System[]): string {
  return found.map(({ code, name }) => `${code} (${name})`).join(', ')
}

function identifyDescription(text: string, evidence: string): Crs {
  const described = describeCrs(text)
  if (typeof described === 'string')
    throw new WindrowError(
      'crs-unknown',
      `The description of the coordinate system in ${evidence} cannot be read. ${described}`,
      { hint: 'Set the system, such as  from.crs: EPSG:2193', data: { evidence } },
    )
  const byCode = systemOfCode(described.code)
  const definition = definitionOf(described)
  if (typeof definition === 'string') {
    if (byCode !== undefined && isByCodeAlone(described, byCode.definition)) return crsOf(byCode, evidence)
    throw notUnderstood(described, evidence, definition)
  }
  const matching = systems().filter(
    (each) => each.definition.datum.name === definition.datum.name && isSameNumbers(each.definition, definition),
  )
  const isContradicted = byCode !== undefined && !isSameNumbers(byCode.definition, definition)
  if (isContradicted || (byCode !== undefined && !isSameShift(described, byCode.definition))) {
    const what = isContradicted ? 'its numbers are not those' : `its datum "${shorten(described.datum)}" is not that`
    throw unknownCrs(
      `The coordinate system of ${evidence} is called ${described.code}, but ${what} of ${byCode.name}.`,
      'Find out which is right and set from.crs.',
      evidence,
      [byCode, ...matching],
    )
  }
  const system = byCode ?? bestOf(matching, described)
  if (system !== undefined) return crsOf(system, evidence)
  if (mayBeOfAnotherDatum(described, definition)) throw notUnderstood(described, evidence, unknownDatum(described))
  const own = ownShift(described, definition)
  if (own === undefined) {
    const reason = `the transformation of its datum ${definition.datum.name} to WGS 84 depends on the region.`
    throw notUnderstood(described, evidence, reason)
  }
  return crsOf({ code: '', name: shorten(described.name), area: areaAround(own), definition: own }, evidence)
}

// The code of a system with an unknown method cannot be compared with its numbers, but they do not contradict it either.
function isByCodeAlone(described: DescribedCrs, definition: Definition): boolean {
  const projection = projectionOf(described)
  const isAllowed = typeof projection === 'string' ? !isComputed(described) : isSameNumbers(definition, projection)
  return isAllowed && isSameEllipsoid(described, definition.datum)
}

// A datum can have several names (CH1903, CH1903+), and datums without a shift are all within a few metres; an unknown name decides
// nothing.
function isSameShift(described: DescribedCrs, { datum }: Definition): boolean {
  const named = datumsNamed(described.datum)
  const shiftText = (toWgs84: readonly number[] | undefined): string => String(toWgs84 ?? '')
  const isNamed = (each: Datum): boolean =>
    each.name === datum.name || shiftText(each.toWgs84) === shiftText(datum.toWgs84)
  return named.length === 0 ? isSameEllipsoid(described, datum) : named.some(isNamed)
}

// The numbers of the Greek grid on GRS 80 with an unnamed datum mean the Greek datum, 300 m from WGS 84; UTM zone 48N on the ellipsoid
// of WGS 84 can also be Vietnam's, 225 m away.
function mayBeOfAnotherDatum(described: DescribedCrs, definition: Definition): boolean {
  if (definition.method === 'longlat' || definition.datum.transformation !== undefined) return false
  if (datumsNamed(described.datum).length > 0) return false
  const alike = systems().filter(
    (each) => isSameNumbers(each.definition, definition) && isSameEllipsoid(described, each.definition.datum),
  )
  return alike.some((each) => each.definition.datum.toWgs84 !== undefined)
}

// Where the transformation depends on the region, an unknown projection needs the one in its file.
function ownShift(described: DescribedCrs, definition: Definition): Definition | undefined {
  if (datumsNamed(described.datum).length < 2) return definition
  const shifted = shiftedDatum(described)
  return shifted === undefined ? undefined : { ...definition, datum: shifted }
}

// Two systems of one datum may share all numbers (New York East and New Jersey): the name that the file gives decides.
function bestOf(matching: readonly System[], { name: given }: DescribedCrs): System | undefined {
  const words = wordsOf(given)
  const likeness = ({ name }: System): number => {
    if (plainCrsName(name) === plainCrsName(given)) return Infinity
    return wordsOf(name).reduce((sum, word) => sum + (words.includes(word) ? word.length : -1), 0)
  }
  return matching.toSorted((one, other) => likeness(other) - likeness(one))[0]
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function areaAround({ method, lon0, lat0 }: Definition): Box {
  if (method === 'tmerc') return [lon0 - 20, -90, lon0 + 20, 90]
  return method === 'longlat' || method === 'merc' || method === 'webmerc' || method === 'cea'
    ? world
    : [lon0 - 60, Math.max(-90, lat0 - 60), lon0 + 60, Math.min(90, lat0 + 60)]
}

function notUnderstood(described: DescribedCrs, evidence: string, why: string): WindrowError {
  const projection = projectionOf(described)
  const near = systems().filter(
    (each) => isSameEllipsoid(described, each.definition.datum) && each.definition.method !== 'longlat',
  )
  const alike = near.filter((each) => typeof projection !== 'string' && isSameNumbers(each.definition, projection))
  const candidates = (alike.length > 0 ? alike : near).slice(0, 5)
  const which = alike.length > 0 ? 'with the same numbers' : 'on the same ellipsoid'
  const those = candidates.length === 0 ? '' : `, if it is one of those ${which}: ${listed(candidates)}`
  return unknownCrs(
    `windrow does not know the coordinate system "${shorten(described.name)}" (from ${evidence}): ${why}`,
    `In the program that wrote the file, save the layer in longitude and latitude (EPSG:4326). Or set from.crs${those}.`,
    evidence,
    candidates,
  )
}

function isSameNumbers(one: Definition, other: Definition): boolean {
  if (one.method !== other.method || Math.abs(one.unitM - other.unitM) > 1e-7) return false
  if (one.method === 'longlat') return true
  const near = (a: number, b: number, tolerance: number): boolean => Math.abs(a - b) <= tolerance
  const isFromSameOrigin = near(one.x0, other.x0, 0.001) && near(one.y0, other.y0, 0.001)
  // Each of these two projections has one grid on earth; their other parameters are written in too many ways to compare.
  if (one.method === 'krovak' || one.method === 'nzmg') return isFromSameOrigin
  const parallels = (each: Definition): readonly number[] => [each.lat1, each.lat2].toSorted((a, b) => a - b)
  const isConic = one.method === 'lcc' || one.method === 'aea'
  const isCylindric = one.method === 'merc' || one.method === 'cea'
  const isEqualAt = (index: number): boolean => near(parallels(one)[index]!, parallels(other)[index]!, 1e-6)
  return (
    (one.method === 'webmerc' || near(one.lat0, other.lat0, 1e-6)) &&
    near(one.lon0, other.lon0, 1e-6) &&
    near(one.k, other.k, 2e-9) &&
    isFromSameOrigin &&
    (!isConic || (isEqualAt(0) && isEqualAt(1))) &&
    (!isCylindric || near(one.lat1, other.lat1, 1e-6))
  )
}

/**
 * The name or code in the crs member of GeoJSON (before RFC 7946) or in the spatialReference of ArcGIS; undefined for other JSON,
 * such as a description of the system.
 */
function namedByMember(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  type Member = {
    readonly type?: unknown
    readonly properties?: { readonly name?: unknown; readonly code?: unknown; readonly href?: unknown } | null
    readonly wkid?: unknown
    readonly latestWkid?: unknown
  }
  const member = jsonValue(text) as Member | undefined
  if (member === undefined) return undefined
  const { type, properties } = member
  if (type === 'name' && typeof properties?.name === 'string') return properties.name.trim()
  // The link is never fetched: its words name the system, or it stays unknown.
  if (type === 'link' && typeof properties?.href === 'string') return properties.href.trim()
  const code = type === 'EPSG' ? properties?.code : (member.latestWkid ?? member.wkid)
  return typeof code === 'number' || typeof code === 'string' ? `EPSG:${code}` : undefined
}

const codeForms = [
  /^(?:urn:)?(?:x-)?ogc:def:crs:([a-z]+):[^:]*:([a-z0-9]+)$/i,
  // A horizontal system and one for heights: only the first is read.
  /^urn:ogc:def:crs,crs:([a-z]+):[^:]*:([a-z0-9]+),crs:/i,
  /^([a-z]+):(\d+)\+\d+$/i,
  /^https?:\/\/(?:www\.)?opengis\.net\/def\/crs\/([a-z]+)\/[^/]+\/([a-z0-9]+)$/i,
  /^https?:\/\/(?:www\.)?opengis\.net\/gml\/srs\/([a-z]+)\.xml#([0-9]+)$/i,
  /^https?:\/\/(?:www\.)?spatialreference\.org\/ref\/([a-z]+)\/(\d+)(?:\/|$)/i,
  /^https?:\/\/(?:www\.)?(epsg)\.(?:io|org)\/(?:crs_)?(\d+)(?:\D|$)/i,
  /^\+?init=([a-z]+):(\d+)$/i,
  /^([a-z]+)::?([a-z0-9]+)$/i,
]

/** The code in a text, such as EPSG:2193; undefined where the text is not a code. */
function codeOf(text: string): string | undefined {
  if (/^\d{4,6}$/.test(text)) return `EPSG:${text}`
  if (/^crs:?84$/i.test(text)) return 'OGC:CRS84'
  for (const form of codeForms) {
    const match = form.exec(text)
    if (match !== null) return `${match[1]!}:${match[2]!}`.toUpperCase()
  }
  return undefined
}

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
function isComputed({ method }: DescribedCrs): boolean {
  const known = methods[plainCrsName(method)]
  return method === '' || (known !== undefined && known !== 'krovak')
}

/** Makes the definition that the described numbers mean, or a sentence why it cannot. */
function definitionOf(described: DescribedCrs): Definition | string {
  const projection = projectionOf(described)
  if (typeof projection === 'string') return projection
  const datum = datumOf(described)
  return datum === undefined ? unknownDatum(described) : { ...projection, datum }
}

/** Why a system whose datum is unknown cannot be used. */
function unknownDatum({ datum }: DescribedCrs): string {
  return `its datum "${shorten(datum)}" has no known transformation to WGS 84.`
}

/** Makes the definition with a datum that has no transformation to WGS 84 yet. */
function projectionOf(described: DescribedCrs): Definition | string {
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

function isSameEllipsoid(described: DescribedCrs, datum: Datum): boolean {
  return (
    Math.abs(described.semiMajorM - datum.semiMajorM) < 0.05 &&
    Math.abs(described.inverseFlattening - datum.inverseFlattening) < 0.001
  )
}

/** Shortens a name from a file for a message: one line of at most 60 characters. */
function shorten(text: string): string {
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
