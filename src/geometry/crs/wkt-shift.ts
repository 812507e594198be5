/** Reads the shift to WGS 84 from WKT and PROJJSON: in the datum, or as the transformation of a bound system. */

import { nodeIn, type Node } from './wkt-tree.ts'

const names = [
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
export function shiftOf(datum: Node, bound: Node | undefined): readonly number[] | undefined {
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
  const numbers = names.map((name) => valueOf(transformation, name))
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
