/** Reads shift grids in NTv2 files (.gsb), in either byte order, and shifts positions by them. */

import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/sources/source.ts'

/**
 * A grid, or one of those that lie in another for a part of its area; west and east in degrees. `shifts` has two numbers a node,
 * latitude and westward longitude, from the south-east corner to the west. Their memory is shared between threads, not copied.
 */
export type SubGrid = Awaited<ReturnType<typeof readSubGrid>>['subGrid']

/** A file of shifts: its name, the radius of its source ellipsoid, its grids with the finest first; shifts in degrees × `perDegree`. */
export type ShiftGrid = Awaited<ReturnType<typeof readShiftGrid>>

/** The largest known grid, for all of Australia, has 90 MB. */
const mostBytes = 256 << 20
const headerBytes = 176
const nodeBytes = 16
const sliceNodes = 1 << 18

const unitsPerDegree: Readonly<Record<string, number>> = { SECONDS: 3600, MINUTES: 60, DEGREES: 1 }

/** Reads a file of shifts. Throws a WindrowError where it is too large, damaged, or something else. */
export async function readShiftGrid(source: Source) {
  if (source.size > mostBytes)
    throw new WindrowError(
      'file-too-large',
      `The grid "${source.name}" has ${source.size >> 20} MB; windrow reads at most ${mostBytes >> 20} MB.`,
      { hint: 'Take it out of the folder of grids, or put one for a smaller region there.' },
    )
  const head = viewOf(await source.read(0, headerBytes))
  if (head.byteLength < headerBytes) throw damaged(source, 'it ends within its header')
  const isLittle = head.getInt32(8, true) === 11
  if (!isLittle && head.getInt32(8, false) !== 11) throw damaged(source, 'it does not begin like an NTv2 file')
  const unit = textAt(head, 56)
  const perDegree = unitsPerDegree[unit]
  if (perDegree === undefined) throw damaged(source, `it counts in "${unit}", not in seconds`)
  const subGrids: SubGrid[] = []
  let at = headerBytes
  for (let left = head.getInt32(40, isLittle); left > 0; left -= 1) {
    const { subGrid, end } = await readSubGrid(source, { at, isLittle, perDegree })
    subGrids.push(subGrid)
    at = end
  }
  if (subGrids.length === 0) throw damaged(source, 'it contains no grid')
  const widthOf = ({ south, north, rows }: SubGrid): number => (north - south) / (rows - 1)
  return {
    name: source.name,
    fromSemiMajorM: head.getFloat64(120, isLittle),
    perDegree,
    subGrids: subGrids.toSorted((one, other) => widthOf(one) - widthOf(other)),
  }
}

type Layout = { readonly at: number; readonly isLittle: boolean; readonly perDegree: number }

async function readSubGrid(source: Source, { at, isLittle, perDegree }: Layout) {
  const head = viewOf(await source.read(at, at + headerBytes))
  if (head.byteLength < headerBytes) throw damaged(source, 'it ends before its last grid')
  const degreesAt = (offset: number): number => head.getFloat64(offset, isLittle) / perDegree
  const [south, north, stepLat, stepLon] = [degreesAt(72), degreesAt(88), degreesAt(136), degreesAt(152)]
  // Longitudes count westward in these files.
  const [east, west] = [-degreesAt(104), -degreesAt(120)]
  const columns = Math.round((east - west) / stepLon) + 1
  const rows = Math.round((north - south) / stepLat) + 1
  const nodes = head.getInt32(168, isLittle)
  const isPlace = Math.abs(south) <= 90 && Math.abs(north) <= 90 && Math.abs(west) <= 360 && Math.abs(east) <= 360
  if (!isPlace || !(columns > 1) || !(rows > 1) || columns * rows !== nodes)
    throw damaged(source, `the extent of its grid "${textAt(head, 8)}" and the number of its nodes do not agree`)
  const from = at + headerBytes
  const end = from + nodes * nodeBytes
  if (end > source.size) throw damaged(source, 'it ends within a grid')
  const shifts = new Float32Array(new SharedArrayBuffer(nodes * 8))
  for (let first = 0; first < nodes; first += sliceNodes) {
    const count = Math.min(sliceNodes, nodes - first)
    const view = viewOf(await source.read(from + first * nodeBytes, from + (first + count) * nodeBytes))
    if (view.byteLength < count * nodeBytes) throw damaged(source, 'it ends within a grid')
    for (let node = 0; node < count; node += 1) {
      shifts[(first + node) * 2] = view.getFloat32(node * nodeBytes, isLittle)
      shifts[(first + node) * 2 + 1] = view.getFloat32(node * nodeBytes + 4, isLittle)
    }
  }
  return { subGrid: { south, north, west, east, columns, rows, shifts }, end }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function textAt({ buffer, byteOffset }: DataView, at: number): string {
  return Buffer.from(buffer, byteOffset + at, 8)
    .toString('latin1')
    .replaceAll('\0', ' ')
    .trim()
}

function damaged({ name }: Source, why: string): WindrowError {
  return new WindrowError('file-damaged', `The grid "${name}" cannot be read: ${why}.`, {
    hint: 'Download it again, or take it out of the folder of grids.',
  })
}

/** Shifts a position (longitude, latitude at `index`) by the grid. False, and nothing is shifted, where the grid has no data. */
export function shiftBy({ subGrids, perDegree }: ShiftGrid, positions: Float64Array, index: number): boolean {
  const lat = positions[index + 1]!
  for (const each of subGrids) {
    if (!(lat >= each.south - edge && lat <= each.north + edge)) continue
    const lon = turnInto(positions[index]!, each)
    if (lon >= each.west - edge && lon <= each.east + edge)
      return interpolate(each, { lon, lat, perDegree }, positions, index)
  }
  return false
}

/** A tenth of a millimetre, so that a position on the border of a grid is inside. */
const edge = 1e-9

function turnInto(lon: number, { west, east }: SubGrid): number {
  if (lon < west - edge) return lon + 360
  return lon > east + edge ? lon - 360 : lon
}

type Spot = { readonly lon: number; readonly lat: number; readonly perDegree: number }

function interpolate(
  { south, north, west, east, columns, rows, shifts }: SubGrid,
  { lon, lat, perDegree }: Spot,
  positions: Float64Array,
  index: number,
): boolean {
  const across = Math.max(0, ((east - lon) / (east - west)) * (columns - 1))
  const up = Math.max(0, ((lat - south) / (north - south)) * (rows - 1))
  const column = Math.min(Math.floor(across), columns - 2)
  const row = Math.min(Math.floor(up), rows - 2)
  const [right, high] = [across - column, up - row]
  const corners = [row * columns + column, row * columns + column + 1] as const
  const nodes = [corners[0] * 2, corners[1] * 2, (corners[0] + columns) * 2, (corners[1] + columns) * 2] as const
  const weights = [(1 - right) * (1 - high), right * (1 - high), (1 - right) * high, right * high] as const
  let [northward, westward] = [0, 0]
  for (let corner = 0; corner < 4; corner += 1) {
    const [node, weight] = [nodes[corner]!, weights[corner]!]
    // Surveys fill what they did not measure with zeros; a real shift is never exactly zero.
    if (weight > 0 && shifts[node] === 0 && shifts[node + 1] === 0) return false
    northward += weight * shifts[node]!
    westward += weight * shifts[node + 1]!
  }
  positions[index]! -= westward / perDegree
  positions[index + 1]! += northward / perDegree
  return true
}
