/** Hides how a file's word about its coordinate system becomes one that is known: by code, by name, by its numbers; never by guessing. */

import type { CrsClue } from '../core/row.ts'
import { WindrowError } from '../core/error.ts'
import { datumsNamed, isModernEllipsoid, modernDatum, shiftedDatum, type Datum } from './datums.ts'
import type { Near } from './near.ts'
import type { Box, Method } from './systems/row.ts'
import { codeOf, namedByMember } from './crs-codes.ts'
import { define, systemOfCode, systems, type Definition, type System } from './systems.ts'
import { describeCrs, plainName, type DescribedCrs } from './wkt.ts'

/**
 * A coordinate system that windrow can turn into WGS 84. `code` is empty for one that is not in the table but whose numbers
 * are understood; `accuracyM` is what the way to WGS 84 leaves uncertain; `isLonLat` tells degrees from metres.
 */
export type Crs = {
  readonly code: string
  readonly name: string
  readonly evidence: string
  /** The way to WGS 84 in words, such as "EPSG:1314 OSGB36 to WGS 84 (6)"; empty for WGS 84 itself. */
  readonly transformation: string
  readonly accuracyM: number
  readonly isLonLat: boolean
  readonly area: Box
  readonly definition: Definition
  /** The file's coordinates stand the other way round: northing or latitude first. */
  readonly isTurned?: boolean
  /** Where the other rows lie, where that is known. */
  readonly near?: Near
}

/** What a report says of a coordinate system. */
export type CrsUsed = Pick<Crs, 'code' | 'name' | 'evidence' | 'transformation' | 'accuracyM'>

/** The part of a system that a report keeps. */
export function asUsed({ code, name, evidence, transformation, accuracyM }: Crs): CrsUsed {
  return { code, name, evidence, transformation, accuracyM }
}

const evidences: Readonly<Record<CrsClue['from'], string>> = {
  '.prj': 'the .prj',
  '.qpj': 'the .qpj',
  'crs member': 'the crs member',
  format: 'the format',
  option: 'the option --crs',
  table: 'the table',
  columns: 'the columns',
}

/** Tells which system a clue means. Throws `crs-unknown` when that is not certain; nothing falls back to WGS 84. */
export function identifyCrs(clue: CrsClue): Crs {
  const text = clue.text.replace(/^\uFEFF/, '').trim()
  const evidence = evidences[clue.from]
  const named = namedByMember(text) ?? text
  if (named.startsWith('{') || /^[A-Za-z_]+\s*[[(]/.test(named)) return identifyDescription(named, evidence)
  const code = codeOf(named)
  const system = code === undefined ? systemNamed(named) : systemOfCode(code)
  if (system === undefined && clue.described !== undefined) return identifyDescription(clue.described, evidence)
  if (system === undefined) throw unknownCode(named, evidence)
  return crsOf(system, evidence)
}

function crsOf(system: System, evidence: string): Crs {
  const { code, name, area, definition } = system
  return {
    code,
    name,
    evidence,
    transformation: wayOf(definition),
    accuracyM: definition.datum.accuracyM,
    isLonLat: definition.method === 'longlat',
    area,
    definition,
  }
}

function wayOf({ datum }: Definition): string {
  return datum.transformation ?? (datum.accuracyM === 0 ? '' : `${datum.name} taken as WGS 84`)
}

function systemNamed(text: string): System | undefined {
  const plain = plainName(text)
  const found = systems.filter((each) => plainName(each.name) === plain)
  return found.length === 1 ? found[0] : undefined
}

function unknownCode(text: string, evidence: string): WindrowError {
  const candidates = systemsLike(text)
  const meant = candidates.length === 0 ? '' : ` Did you mean ${listed(candidates)}?`
  return new WindrowError(
    'crs-unknown',
    `The coordinate system "${shorten(text)}" (said by ${evidence}) is not one that windrow knows.`,
    {
      hint: `Name another with --crs, such as --crs EPSG:2193, or save the file in longitude and latitude (EPSG:4326).${meant}`,
      data: { evidence, candidates: candidates.map(({ code }) => code) },
    },
  )
}

// "NZTM" and "MGA zone 55" are what people write; a name that shares half of its letters with it may be meant.
function systemsLike(text: string): readonly System[] {
  const words = wordsOf(text.slice(0, 200)).filter((word) => !/^(?:epsg|urn|ogc|def|crs|https?)$/.test(word))
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  const likeness = ({ name }: System): number => {
    const ofName = wordsOf(name)
    const has = (word: string): boolean =>
      ofName.some((each) => each === word || (word.length > 2 && each.startsWith(word)))
    return words.reduce((sum, word) => sum + (has(word) ? word.length : 0), 0) - ofName.length / 100
  }
  const found = systems
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
      `What ${evidence} says about the coordinate system cannot be read. ${described}`,
      {
        hint: 'Say which system it is with --crs, such as --crs EPSG:2193.',
        data: { evidence },
      },
    )
  const byCode = systemOfCode(described.code)
  const definition = definitionOf(described)
  if (typeof definition === 'string') {
    // The code of a method that is not understood cannot be checked against the numbers, but neither do they speak against it.
    if (byCode !== undefined && isSameEllipsoid(described, byCode.definition.datum)) return crsOf(byCode, evidence)
    throw notUnderstood(described, evidence, definition)
  }
  const matching = systems.filter((each) => isSameProjection(each.definition, definition))
  if (byCode !== undefined && !isSameNumbers(byCode.definition, definition))
    throw new WindrowError(
      'crs-unknown',
      `The coordinate system of ${evidence} is called ${described.code}, but its numbers are not those of ${byCode.name}.`,
      {
        hint: 'Find out which is right and say it with --crs.',
        data: { evidence, candidates: [byCode.code, ...matching.map((each) => each.code)] },
      },
    )
  const system = byCode ?? bestOf(matching, described)
  if (system !== undefined) return crsOf(system, evidence)
  const own = ownWay(described, definition)
  if (own === undefined) throw notUnderstood(described, evidence, regional(definition))
  return {
    code: '',
    name: shorten(described.name),
    evidence,
    transformation: wayOf(own),
    accuracyM: own.datum.accuracyM,
    isLonLat: own.method === 'longlat',
    area: areaAround(own),
    definition: own,
  }
}

// Where each region has a way of its own, only the file can say which one an unknown projection means.
function ownWay(described: DescribedCrs, definition: Definition): Definition | undefined {
  if (datumsNamed(described.datum).length < 2) return definition
  const { datum, semiMajorM, inverseFlattening, toWgs84 = [] } = described
  const shifted = shiftedDatum(datum, [semiMajorM, inverseFlattening], toWgs84)
  return shifted === undefined ? undefined : { ...definition, datum: shifted }
}

function regional({ datum }: Definition): string {
  return `how its datum ${datum.name} lies to WGS 84 depends on the region.`
}

// Two systems of one datum may share all numbers (New York East and New Jersey): the name that the file gives decides.
function bestOf(matching: readonly System[], { name: said }: DescribedCrs): System | undefined {
  const words = wordsOf(said)
  const likeness = ({ name }: System): number => {
    if (plainName(name) === plainName(said)) return Infinity
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
    ? [-180, -90, 180, 90]
    : [lon0 - 60, Math.max(-90, lat0 - 60), lon0 + 60, Math.min(90, lat0 + 60)]
}

function notUnderstood(described: DescribedCrs, evidence: string, why: string): WindrowError {
  const candidates = systems
    .filter((each) => isSameEllipsoid(described, each.definition.datum) && each.definition.method !== 'longlat')
    .slice(0, 5)
  return new WindrowError(
    'crs-unknown',
    `The coordinate system "${shorten(described.name)}" (said by ${evidence}) is not one that windrow knows: ${why}`,
    {
      hint: `The program that wrote it knows the way: save the layer there in longitude and latitude (EPSG:4326). Or say with --crs which system it is${candidates.length === 0 ? '' : `, if it is one of those on the same ellipsoid: ${listed(candidates)}`}.`,
      data: { evidence, candidates: candidates.map((each) => each.code) },
    },
  )
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

function definitionOf(described: DescribedCrs): Definition | string {
  const isFromGreenwich = Math.abs(described.primeMeridian) < 1e-9
  if (described.method === '' && !isFromGreenwich) return 'its longitudes do not count from Greenwich.'
  const datum = datumOf(described)
  if (datum === undefined) return `how its datum "${shorten(described.datum)}" lies to WGS 84 is not known.`
  if (described.method === '') return define('longlat', datum, { unitM: roundUnit(described.unitM) })
  const plain = plainName(described.method)
  const method = methods[plain]
  if (method === undefined) return `its projection "${shorten(described.method)}" is not one that windrow computes.`
  const find = (names: readonly string[]): number | undefined =>
    names.map((each) => described.parameters.get(each)).find((each) => each !== undefined)
  const azimuth = find(['azimuth', 'azimuthofinitialline']) ?? 90
  if (method === 'somerc' && Math.abs(azimuth - 90) > 1e-6) return 'its oblique projection is not the Swiss one.'
  if (method === 'krovak' && plain === 'krovak' && find(['xscale']) !== -1 && !described.isEastNorth)
    return 'Krovak coordinates that count south and west are not told from others; save them as EPSG:5514.'
  const lat0 = find(parameterNames.lat0)
  const lat2 = find(parameterNames.lat2)
  const lat1 = find(parameterNames.lat1) ?? (method === 'lcc' ? lat0 : undefined) ?? (plain === 'behrmann' ? 30 : 0)
  const scale = find(parameterNames.k) ?? 1
  return define(method, datum, {
    // With one parallel that is where the northings begin; with two the equator is meant by what is left out.
    lat0: lat0 ?? (method === 'lcc' && lat2 === undefined ? lat1 : 0),
    lon0: roundMeridian((find(parameterNames.lon0) ?? 0) + described.primeMeridian),
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
  const { semiMajorM, inverseFlattening, toWgs84 = [] } = described
  const ellipsoid = [semiMajorM, inverseFlattening] as const
  if (isModernEllipsoid(semiMajorM, inverseFlattening)) return modernDatum(described.datum, ellipsoid)
  return shiftedDatum(described.datum, ellipsoid, toWgs84)
}

// Grads from Paris and degrees from Greenwich name one meridian, which adding leaves a hair apart.
function roundMeridian(lon: number): number {
  return Math.round(lon * 1e10) / 1e10
}

// ESRI rounds a radian's share to 15 digits, so that a degree comes back as 0.99999999999999.
function roundUnit(unit: number): number {
  return Math.abs(unit - 1) < 1e-9 ? 1 : unit
}

function isSameEllipsoid(described: DescribedCrs, datum: Datum): boolean {
  return (
    Math.abs(described.semiMajorM - datum.semiMajorM) < 0.05 &&
    Math.abs(described.inverseFlattening - datum.inverseFlattening) < 0.001
  )
}

function isSameProjection(one: Definition, other: Definition): boolean {
  return one.datum.name === other.datum.name && isSameNumbers(one, other)
}

function isSameNumbers(one: Definition, other: Definition): boolean {
  if (one.method !== other.method || Math.abs(one.unitM - other.unitM) > 1e-7) return false
  // Those two projections exist once on earth; their parameters are written in too many ways to compare.
  if (one.method === 'longlat' || one.method === 'krovak' || one.method === 'nzmg') return true
  const near = (a: number, b: number, tolerance: number): boolean => Math.abs(a - b) <= tolerance
  const parallels = (each: Definition): readonly number[] => [each.lat1, each.lat2].toSorted((a, b) => a - b)
  const isConic = one.method === 'lcc' || one.method === 'aea'
  const isCylindric = one.method === 'merc' || one.method === 'cea'
  const isEqualAt = (index: number): boolean => near(parallels(one)[index]!, parallels(other)[index]!, 1e-6)
  return (
    (one.method === 'webmerc' || near(one.lat0, other.lat0, 1e-6)) &&
    near(one.lon0, other.lon0, 1e-6) &&
    near(one.k, other.k, 2e-9) &&
    near(one.x0, other.x0, 0.001) &&
    near(one.y0, other.y0, 0.001) &&
    (!isConic || (isEqualAt(0) && isEqualAt(1))) &&
    (!isCylindric || near(one.lat1, other.lat1, 1e-6))
  )
}

function shorten(text: string): string {
  const line = text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
