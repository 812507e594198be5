/** Reads the description of a coordinate system in WKT 1 (OGC and ESRI), WKT 2 and PROJJSON into one form. */

import { createRequire } from 'node:module'
import type * as Parser from 'wkt-parser/parser.js'
import { once } from '../../core/once.ts'
import { isObject, jsonValue, type Members } from '../../core/values/exact-json.ts'

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

type Node = Parser.Node

// Loaded only when needed: many files name their system by a code.
const library = once(() => createRequire(import.meta.url)('wkt-parser/parser.js') as typeof Parser)

const lengthLimit = 1 << 16
const depthLimit = 20
const degree = Math.PI / 180

/** Reads WKT or PROJJSON; returns a sentence where it cannot. */
export function describeCrs(text: string): DescribedCrs | string {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed.length > lengthLimit) return 'The description is longer than any coordinate system needs.'
  const root = trimmed.startsWith('{') ? nodesOfJson('', jsonValue(trimmed))[0] : nodeOfText(trimmed)
  return root === undefined ? 'It is damaged or cut off.' : describeNode(root)
}

/** Letters and digits of a name in lower case, so that "Latitude_Of_Origin" and "latitude of origin" are one. */
export function plainCrsName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9+]/g, '')
}

// The package reads capital letters and square brackets only, and would take 1.600.000 for 1.6.
function nodeOfText(text: string): Node | undefined {
  if (/\.\d*\./.test(text.replaceAll(/"[^"]*"/g, ''))) return undefined
  const plain = text.replaceAll(/"[^"]*"|[^"]+/g, (part) =>
    part.startsWith('"') ? part : part.toUpperCase().replaceAll('(', '[').replaceAll(')', ']'),
  )
  try {
    return library().default(plain)
  } catch {
    return undefined
  }
}

/** The keywords of WKT for members of PROJJSON that it does not call by the same word. */
const jsonKeywords = new Map([
  ['base_crs', 'BASEGEOGCRS'],
  ['target_crs', 'TARGETCRS'],
  ['datum_ensemble', 'ENSEMBLE'],
  ['prime_meridian', 'PRIMEM'],
  ['transformation', 'ABRIDGEDTRANSFORMATION'],
  ['parameters', 'PARAMETER'],
  ['coordinate_system', 'CS'],
])

/** The members that are values in WKT, in its order. */
const jsonValues = [
  'name',
  'subtype',
  'authority',
  'code',
  'value',
  'conversion_factor',
  'semi_major_axis',
  'inverse_flattening',
]

/** Turns a member of PROJJSON into the nodes that WKT has for it. */
function nodesOfJson(member: string, value: unknown, depth = 0): readonly Node[] {
  if (depth > depthLimit) return []
  if (Array.isArray(value)) return value.flatMap((each) => nodesOfJson(member, each, depth + 1))
  if (member === 'unit' && value === 'degree') return [['UNIT', value, degree]]
  if (member === 'unit' && value === 'metre') return [['UNIT', value, 1]]
  if (!isObject(value)) return []
  // A meridian may have its number and unit one level down, and an ellipsoid its two axes in place of a flattening.
  const { type, longitude, semi_major_axis: major, semi_minor_axis: minor } = value
  const whole: Members = { ...value, ...(isObject(longitude) ? longitude : {}) }
  if (typeof longitude === 'number') Object.assign(whole, { value: longitude, unit: 'degree' })
  if (Number(minor) < Number(major)) whole['inverse_flattening'] = Number(major) / (Number(major) - Number(minor))
  const word = textOf(type).endsWith('CRS') ? textOf(type) : member
  const keyword = jsonKeywords.get(member) ?? word.toUpperCase()
  const values = jsonValues
    .map((each) => whole[each])
    .filter((each) => typeof each === 'string' || typeof each === 'number')
  const nodes = Object.entries(whole).flatMap(([inner, each]) => nodesOfJson(inner, each, depth + 1))
  // In WKT the axes stand beside their system.
  return keyword === 'CS' ? [[keyword, ...values], ...nodes] : [[keyword, ...values, ...nodes]]
}

function isNode(part: Node[number]): part is Node {
  return typeof part === 'object'
}

function nodesIn(node: Node | undefined, ...keywords: readonly string[]): readonly Node[] {
  return node?.filter(isNode).filter(([keyword]) => keywords.includes(keyword)) ?? []
}

/** The first node inside another that has one of these keywords. */
function nodeIn(node: Node | undefined, ...keywords: readonly string[]): Node | undefined {
  return nodesIn(node, ...keywords)[0]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** The name of a node, which is its first value. */
function nameOf(node: Node | undefined): string {
  return textOf(node?.[1])
}

/** The numbers of a node behind its name. */
function numbersOf(node: Node | undefined): readonly number[] {
  return node?.slice(2).filter((each) => typeof each === 'number') ?? []
}

const projectedKeywords = ['PROJCS', 'PROJCRS', 'PROJECTEDCRS']
const geographicKeywords = [
  'GEOGCS',
  'GEOGCRS',
  'GEOGRAPHICCRS',
  'GEODCRS',
  'GEODETICCRS',
  'BASEGEOGCRS',
  'BASEGEODCRS',
]
const wrappers = ['COMPD_CS', 'COMPOUNDCRS', 'BOUNDCRS', 'SOURCECRS']

function describeNode(root: Node): DescribedCrs | string {
  if (hasDecimalComma(root)) return 'It has decimal commas in its numbers; only points are allowed there.'
  let node = root
  let bound: Node | undefined
  while (wrappers.includes(node[0])) {
    const inner = nodeIn(node, ...wrappers, ...projectedKeywords, ...geographicKeywords)
    if (inner === undefined) return `"${node[0]}" contains no coordinate system that windrow can read.`
    if (node[0] === 'BOUNDCRS') bound = node
    node = inner
  }
  const isProjected = projectedKeywords.includes(node[0])
  if (!isProjected && !geographicKeywords.includes(node[0]))
    return `windrow cannot read a coordinate system of the kind "${node[0]}".`
  if (!isProjected && /^(?:cartesian|spherical)$/i.test(nameOf(nodeIn(node, 'CS'))))
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
  const [semiMajorM = 0, inverseFlattening = 0] = numbersOf(ellipsoid)
  const shift = shiftOf(datum, bound)
  const directions = nodesIn(node, 'AXIS').map((each) => each[2])
  const described: DescribedCrs = {
    name: nameOf(node),
    code: codeOf(node),
    datum: nameOf(datum),
    semiMajorM,
    inverseFlattening,
    ...(shift === undefined ? {} : { toWgs84: shift }),
    primeMeridian: primeMeridianOf(nodeIn(base, 'PRIMEM') ?? nodeIn(datum, 'PRIMEM'), angle),
    method: nameOf(method),
    parameters: parametersOf(conversion, unitM, angle),
    unitM,
    isEastNorth: /^east,north$/i.test(directions.join()),
  }
  return isWebMercator(described, node) ? { ...described, ...webMercator } : described
}

// ESRI's LINUNIT, which counts heights, is none of these.
const unitKeywords = ['UNIT', 'LENGTHUNIT', 'ANGLEUNIT', 'SCALEUNIT']

// With a decimal comma one number becomes two: 173,5 would be read as 173.
function hasDecimalComma(root: Node): boolean {
  const nodes = [root]
  for (const node of nodes) nodes.push(...node.filter(isNode))
  const ofOneNumber = nodes.filter(([keyword]) => ['PARAMETER', 'PRIMEM', ...unitKeywords].includes(keyword))
  const ofTwo = nodes.filter(([keyword]) => keyword === 'SPHEROID' || keyword === 'ELLIPSOID')
  return ofOneNumber.some((node) => numbersOf(node).length > 1) || ofTwo.some((node) => numbersOf(node).length > 2)
}

/**
 * Web Mercator applies a sphere's formula to the latitudes of an ellipsoid. WKT 1 has no method for that: it writes Mercator, and
 * the rest in a PROJ string, in the code or name only, or as a sphere in place of the ellipsoid.
 */
function isWebMercator(described: DescribedCrs, node: Node): boolean {
  const { name, method, code, semiMajorM, inverseFlattening, parameters } = described
  if (!/^mercator([12]sp)?$/.test(plainCrsName(method)) || semiMajorM !== 6_378_137) return false
  // True to scale elsewhere than at the equator, it is another Mercator.
  const isScaled = ([of, value]: readonly [string, number]): boolean =>
    (of.includes('parallel') && value !== 0) || (of.includes('scale') && value !== 1)
  if ([...parameters].some(isScaled)) return false
  const extension = nodesIn(node, 'EXTENSION').find((each) => nameOf(each) === 'PROJ4')
  const isOnSphere = /\+proj=merc\b.*\+a=6378137(?:\.0*)?\s.*\+b=6378137(?:\.0*)?\s/.test(textOf(extension?.[2]))
  const isCalled = /(?:web|pseudo|spherical)mercator|google|popularvisuali[sz]ation|900913/.test(plainCrsName(name))
  return isOnSphere || inverseFlattening === 0 || /^EPSG:(?:3857|3785|900913)$/.test(code) || isCalled
}

const webMercator = {
  method: 'Popular Visualisation Pseudo Mercator',
  datum: 'WGS 84',
  inverseFlattening: 298.257223563,
} as const

function parametersOf(conversion: Node, unitM: number, angle: number): ReadonlyMap<string, number> {
  const parameters = new Map<string, number>()
  for (const node of nodesIn(conversion, 'PARAMETER')) {
    const name = plainCrsName(nameOf(node))
    const [value] = numbersOf(node)
    if (value === undefined) continue
    if (/easting|northing/.test(name)) parameters.set(name, value * (factorOf(node) ?? unitM))
    else if (/latitude|longitude|meridian|parallel|azimuth|angle|rotation/.test(name) && !name.startsWith('scale'))
      parameters.set(name, value * degreesOf(factorOf(node) ?? angle))
    else parameters.set(name, value)
  }
  return parameters
}

// A degree written with fifteen digits is read as slightly more than one, which would put the south pole beyond 90 degrees.
function degreesOf(radians: number): number {
  const degrees = radians / degree
  return Math.abs(degrees - 1) < 1e-9 ? 1 : degrees
}

// The unit is written after the other parts, or in WKT 2 on each axis.
function factorOf(node: Node): number | undefined {
  const [factor = 0] = numbersOf(nodesIn(node, ...unitKeywords).at(-1))
  const axis = nodeIn(node, 'AXIS')
  return factor > 0 ? factor : axis && factorOf(axis)
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

function primeMeridianOf(meridian: Node | undefined, angle: number): number {
  if (meridian === undefined) return 0
  const [longitude = 0] = numbersOf(meridian)
  return primeMeridians[plainCrsName(nameOf(meridian))] ?? longitude * degreesOf(factorOf(meridian) ?? angle)
}

function codeOf(node: Node): string {
  const [, authority, code] = nodeIn(node, 'AUTHORITY', 'ID') ?? []
  return code === undefined ? '' : `${textOf(authority).toUpperCase()}:${textOf(code)}`
}

const arcSecond = Math.PI / 648_000

/**
 * Finds the shift to WGS 84: three shifts in metres, or also three rotations in seconds (of a position vector) and parts per
 * million. Undefined where there is none; an empty list for a form that windrow does not read, such as a grid.
 */
function shiftOf(datum: Node, bound: Node | undefined): readonly number[] | undefined {
  const inDatum = nodeIn(datum, 'TOWGS84')
  if (inDatum !== undefined) return inDatum.slice(1).map(Number)
  if (bound !== undefined) return shiftOfBound(bound)
  const hasGrid = nodesIn(datum, 'EXTENSION').some((each) => nameOf(each) === 'PROJ4_GRIDS')
  return hasGrid || isInName(nameOf(datum)) ? [] : undefined
}

// PROJ writes a shift without a better place into the name of the datum: "Unknown based on GRS80 ellipsoid using towgs84=-199.87,74.79".
function isInName(name: string): boolean {
  const match = /using[ _](?:towgs84|nadgrids)[=_](.*)$/i.exec(name)
  return match !== null && /[^0,_ .]/.test(match[1]!)
}

const shiftNames = [
  'xaxistranslation',
  'yaxistranslation',
  'zaxistranslation',
  'xaxisrotation',
  'yaxisrotation',
  'zaxisrotation',
  'scaledifference',
]

function shiftOfBound(bound: Node): readonly number[] {
  const target = nodeIn(bound, 'TARGETCRS')
  const name = nameOf(nodeIn(target, ...geographicKeywords) ?? target)
  const transformation = nodeIn(bound, 'ABRIDGEDTRANSFORMATION')
  const method = plainCrsName(nameOf(nodeIn(transformation, 'METHOD')))
  const isFrame = method.startsWith('coordinateframe')
  const isGeocentric = method.startsWith('geocentrictranslation')
  const isRead = isFrame || isGeocentric || method.startsWith('positionvector')
  if (!isRead || !/^(wgs|world geodetic system)[ _]?(19)?84/i.test(name)) return []
  const values = new Map(nodesIn(transformation, 'PARAMETER').map((each) => [plainCrsName(nameOf(each)), each]))
  return shiftNames.slice(0, isGeocentric ? 3 : 7).map((each) => {
    const value = shiftIn(values.get(each), each)
    return isFrame && each.endsWith('rotation') ? -value : value
  })
}

// Where a parameter has no unit, it is in metres, in seconds, or a scale near 1.
function shiftIn(parameter: Node | undefined, name: string): number {
  const [value = NaN] = numbersOf(parameter)
  const factor = parameter && factorOf(parameter)
  if (name === 'scaledifference') return (factor === undefined ? value - 1 : value * factor) * 1e6
  return factor === undefined ? value : (value * factor) / (name.endsWith('rotation') ? arcSecond : 1)
}
