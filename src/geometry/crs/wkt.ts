/** Reads the description of a coordinate system in WKT 1 (OGC and ESRI), WKT 2 and PROJJSON into one form. */

import { degree, nodeIn, nodeOfJson, nodeOfText, textOf, type Node } from './wkt-tree.ts'

/** A coordinate system as its text gives it: angles in degrees, lengths in metres, names as written. */
export type DescribedCrs = {
  readonly name: string
  readonly code: string
  readonly datum: string
  readonly semiMajorM: number
  readonly inverseFlattening: number
  /** The shift to WGS 84, as `shiftOf` returns it. */
  readonly toWgs84?: readonly number[]
  readonly primeMeridian: number
  readonly method: string
  /** By the parameter's name in lower case letters and digits. */
  readonly parameters: ReadonlyMap<string, number>
  readonly unitM: number
  /** True where the text names the axes as first east, then north. */
  readonly isEastNorth: boolean
}

const lengthLimit = 1 << 16

/** Reads WKT or PROJJSON; returns a sentence where it cannot. */
export function describeCrs(text: string): DescribedCrs | string {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed.length > lengthLimit) return 'The description is longer than any coordinate system needs.'
  const root = trimmed.startsWith('{') ? nodeOfJson(trimmed) : nodeOfText(trimmed)
  if (typeof root === 'string') return root
  return describeNode(root)
}

/** Letters and digits of a name in lower case, so that "Latitude_Of_Origin" and "latitude of origin" are one. */
export function plainName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9+]/g, '')
}

const projectedKeywords = new Set(['PROJCS', 'PROJCRS', 'PROJECTEDCRS'])
const geographicKeywords = new Set([
  'GEOGCS',
  'GEOGCRS',
  'GEOGRAPHICCRS',
  'GEODCRS',
  'GEODETICCRS',
  'BASEGEOGCRS',
  'BASEGEODCRS',
])
const wrappers = new Set(['COMPD_CS', 'COMPOUNDCRS', 'BOUNDCRS', 'SOURCECRS'])
const unitKeywords = ['UNIT', 'LENGTHUNIT', 'ANGLEUNIT', 'SCALEUNIT']

function describeNode(root: Node): DescribedCrs | string {
  if (hasDecimalComma(root)) return 'It has decimal commas in its numbers; only points are allowed there.'
  let node = root
  let bound: Node | undefined
  while (wrappers.has(node.keyword)) {
    const inner = nodeIn(node, ...wrappers, ...projectedKeywords, ...geographicKeywords)
    if (inner === undefined) return `"${node.keyword}" contains no coordinate system that windrow can read.`
    if (node.keyword === 'BOUNDCRS') bound = node
    node = inner
  }
  const isProjected = projectedKeywords.has(node.keyword)
  if (!isProjected && !geographicKeywords.has(node.keyword))
    return `windrow cannot read a coordinate system of the kind "${node.keyword}".`
  const axes = textOf(nodeIn(node, 'CS')?.values[0]).toLowerCase()
  if (!isProjected && (axes === 'cartesian' || axes === 'spherical'))
    return 'Its coordinates count from the centre of the earth, so they cannot be drawn on a map.'
  const base = isProjected ? nodeIn(node, ...geographicKeywords) : node
  const datum = nodeIn(base, 'DATUM', 'ENSEMBLE', 'GEODETICDATUM', 'TRF')
  const ellipsoid = nodeIn(datum, 'SPHEROID', 'ELLIPSOID')
  if (base === undefined || datum === undefined || ellipsoid === undefined)
    return 'The description names no datum and ellipsoid.'
  const angle = factorOf(base) ?? degree
  const conversion = nodeIn(node, 'CONVERSION') ?? node
  const unitM = isProjected ? (factorOf(node) ?? 1) : degreesOf(angle)
  const method = nodeIn(conversion, 'PROJECTION', 'METHOD')
  if (isProjected && method === undefined) return 'The description names no projection.'
  const numbers = numbersOf(ellipsoid)
  const shift = shiftOf(datum, bound)
  const described: DescribedCrs = {
    name: textOf(node.values[0]),
    code: codeOf(node),
    datum: textOf(datum.values[0]),
    semiMajorM: numbers[0] ?? 0,
    inverseFlattening: numbers[1] ?? 0,
    ...(shift === undefined ? {} : { toWgs84: shift }),
    primeMeridian: primeMeridianOf(base, angle),
    method: method === undefined ? '' : textOf(method.values[0]),
    parameters: parametersOf(conversion, unitM, angle),
    unitM,
    isEastNorth: axesOf(node) === 'east north',
  }
  return isWebMercator(described, node) ? { ...described, ...webMercator } : described
}

// With a decimal comma one number becomes two: 173,5 would be read as 173.
function hasDecimalComma(node: Node): boolean {
  const most = node.keyword === 'SPHEROID' || node.keyword === 'ELLIPSOID' ? 2 : 1
  const isCounted =
    most === 2 || node.keyword === 'PARAMETER' || node.keyword === 'PRIMEM' || unitKeywords.includes(node.keyword)
  return (isCounted && numbersOf(node).length > most) || node.nodes.some(hasDecimalComma)
}

/**
 * Web Mercator applies a sphere's formula to the latitudes of an ellipsoid. WKT 1 has no method for that: it writes Mercator, and
 * the rest in a PROJ string, in the code or name only, or as a sphere in place of the ellipsoid.
 */
function isWebMercator(described: DescribedCrs, node: Node): boolean {
  const { name, method, code, semiMajorM, inverseFlattening, parameters } = described
  if (!/^mercator([12]sp)?$/.test(plainName(method)) || semiMajorM !== 6_378_137) return false
  // True to scale elsewhere than at the equator, it is another Mercator.
  const isScaled = ([of, value]: readonly [string, number]): boolean =>
    (of.includes('parallel') && value !== 0) || (of.includes('scale') && value !== 1)
  if ([...parameters].some(isScaled)) return false
  const extension = node.nodes.find((each) => each.keyword === 'EXTENSION' && each.values[0] === 'PROJ4')
  const isOnSphere = /\+proj=merc\b.*\+a=6378137(?:\.0*)?\s.*\+b=6378137(?:\.0*)?\s/.test(textOf(extension?.values[1]))
  const isCalled = /(?:web|pseudo|spherical)mercator|google|popularvisuali[sz]ation|900913/.test(plainName(name))
  return isOnSphere || inverseFlattening === 0 || /^EPSG:(?:3857|3785|900913)$/.test(code) || isCalled
}

const webMercator = {
  method: 'Popular Visualisation Pseudo Mercator',
  datum: 'WGS 84',
  inverseFlattening: 298.257223563,
} as const

function parametersOf(conversion: Node, unitM: number, angle: number): ReadonlyMap<string, number> {
  const parameters = new Map<string, number>()
  for (const node of conversion.nodes) {
    if (node.keyword !== 'PARAMETER') continue
    const name = plainName(textOf(node.values[0]))
    const value = numbersOf(node)[0]
    if (value === undefined) continue
    const factor = numbersOf(nodeIn(node, ...unitKeywords))[0]
    if (/easting|northing/.test(name)) parameters.set(name, value * (factor ?? unitM))
    else if (/latitude|longitude|meridian|parallel|azimuth|angle|rotation/.test(name) && !name.startsWith('scale'))
      parameters.set(name, value * degreesOf(factor ?? angle))
    else parameters.set(name, value)
  }
  return parameters
}

// A degree written with fifteen digits is read as slightly more than one, which would put the south pole beyond 90 degrees.
function degreesOf(radians: number): number {
  const degrees = radians / degree
  return Math.abs(degrees - 1) < 1e-9 ? 1 : degrees
}

// The unit of a system is written after its parts, or in WKT 2 on each axis.
function factorOf(node: Node): number | undefined {
  const factor = numbersOf(node.nodes.findLast((each) => unitKeywords.includes(each.keyword)))[0]
  if (factor !== undefined && factor > 0) return factor
  return numbersOf(nodeIn(nodeIn(node, 'AXIS'), ...unitKeywords))[0]
}

// From EPSG, in degrees, because programs disagree on the unit of this number in WKT 1.
const primeMeridians: Readonly<Record<string, number>> = {
  greenwich: 0,
  lisbon: -9.131906111111,
  paris: 2.33722917,
  bogota: -74.080916666667,
  madrid: -3.687938888889,
  rome: 12.452333333333,
  bern: 7.439583333333,
  jakarta: 106.807719444444,
  ferro: -17.666666666667,
  brussels: 4.367975,
  stockholm: 18.058277777778,
  athens: 23.7163375,
  oslo: 10.722916666667,
}

function primeMeridianOf(base: Node, angle: number): number {
  const meridian = nodeIn(base, 'PRIMEM')
  if (meridian === undefined) return 0
  const factor = numbersOf(nodeIn(meridian, ...unitKeywords))[0] ?? angle
  return primeMeridians[plainName(textOf(meridian.values[0]))] ?? (numbersOf(meridian)[0] ?? 0) * degreesOf(factor)
}

function axesOf(node: Node): string {
  const axes = node.nodes.filter((each) => each.keyword === 'AXIS')
  return axes.map(({ values }) => String(values[1]).toLowerCase()).join(' ')
}

function codeOf(node: Node): string {
  const id = nodeIn(node, 'AUTHORITY', 'ID')
  if (id === undefined || id.values.length < 2) return ''
  return `${String(id.values[0]).toUpperCase()}:${String(id.values[1])}`
}

function numbersOf(node: Node | undefined): readonly number[] {
  return (node?.values ?? []).slice(1).filter((each) => typeof each === 'number')
}

const shiftNames = [
  'x-axis translation',
  'y-axis translation',
  'z-axis translation',
  'x-axis rotation',
  'y-axis rotation',
  'z-axis rotation',
  'scale difference',
]
const arcSecond = Math.PI / 648_000

/**
 * Finds the shift to WGS 84: three shifts in metres, or also three rotations in seconds (of a position vector) and parts per
 * million. Undefined where there is none; an empty list for a form that windrow does not read, such as a grid.
 */
function shiftOf(datum: Node, bound: Node | undefined): readonly number[] | undefined {
  const inDatum = nodeIn(datum, 'TOWGS84')
  if (inDatum !== undefined) return inDatum.values.map(Number)
  if (bound !== undefined) return shiftOfBound(bound)
  const hasGrid = datum.nodes.some((each) => each.keyword === 'EXTENSION' && each.values[0] === 'PROJ4_GRIDS')
  return hasGrid || isInName(String(datum.values[0] ?? '')) ? [] : undefined
}

// PROJ writes a shift without a better place into the name of the datum: "Unknown based on GRS80 ellipsoid using towgs84=-199.87,74.79".
function isInName(name: string): boolean {
  const match = /using[ _](?:towgs84|nadgrids)[=_](.*)$/i.exec(name)
  return match !== null && /[^0,_ .]/.test(match[1]!)
}

function shiftOfBound(bound: Node): readonly number[] {
  const transformation = nodeIn(bound, 'ABRIDGEDTRANSFORMATION')
  const method = String(nodeIn(transformation, 'METHOD')?.values[0] ?? '').toLowerCase()
  const isFrame = method.startsWith('coordinate frame')
  const isRead = isFrame || method.startsWith('position vector') || method.startsWith('geocentric translation')
  if (!isRead || transformation === undefined || !isWgs84(nodeIn(bound, 'TARGETCRS'))) return []
  const numbers = shiftNames.map((name) => valueOf(transformation, name))
  const [x, y, z, ...turns] = numbers
  if (x === undefined || y === undefined || z === undefined) return []
  if (method.startsWith('geocentric')) return [x, y, z]
  if (turns.includes(undefined)) return []
  return numbers.map((each, index) => (isFrame && index >= 3 && index < 6 ? -each! : each!))
}

function isWgs84(target: Node | undefined): boolean {
  const crs = target?.nodes[0]
  return /^(wgs|world geodetic system)[ _]?(19)?84/i.test(String(crs?.values[0] ?? ''))
}

function valueOf(transformation: Node, name: string): number | undefined {
  const found = transformation.nodes.find(
    (each) => each.keyword === 'PARAMETER' && String(each.values[0]).toLowerCase() === name,
  )
  const value = found?.values[1]
  if (typeof value !== 'number') return undefined
  const factor = found?.nodes.find((each) => each.keyword.endsWith('UNIT'))?.values[1]
  if (name === 'scale difference') return typeof factor === 'number' ? value * factor * 1e6 : (value - 1) * 1e6
  return typeof factor === 'number' ? (value * factor) / (name.endsWith('rotation') ? arcSecond : 1) : value
}
