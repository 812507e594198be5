/**
 * Decides which rings of a record are shells and which are holes in which shell. The specification distinguishes them by winding;
 * real files do not keep to it and store rings in any order, so which ring lies in which decides.
 */

import { boxAround, isInBox, pickVertices, startOf, type Lines, type Shape } from '../../core/shape.ts'

/** Repeats the first vertex of each ring that does not end on it; `opened` counts those rings. */
export function closeRings(rings: Lines): { readonly rings: Lines; readonly opened: number } {
  const { coordinates, ends } = rings
  let opened = 0
  for (let ring = 0, start = 0; ring < ends.length; start = ends[ring]!, ring += 1)
    if (!isClosed(coordinates, start, ends[ring]!)) opened += 1
  if (opened === 0) return { rings, opened }
  const sources: number[] = []
  const closedEnds: number[] = []
  for (let ring = 0, start = 0; ring < ends.length; start = ends[ring]!, ring += 1) {
    for (let vertex = start; vertex < ends[ring]!; vertex += 1) sources.push(vertex)
    if (!isClosed(coordinates, start, ends[ring]!)) sources.push(start)
    closedEnds.push(sources.length)
  }
  return { rings: pickVertices(rings, sources, closedEnds), opened }
}

function isClosed(coordinates: Float64Array, start: number, end: number): boolean {
  const last = end - 1
  if (last < start) return true
  // Object.is, because a NaN vertex would otherwise be repeated each time.
  return (
    last > start &&
    Object.is(coordinates[start * 2], coordinates[last * 2]) &&
    Object.is(coordinates[start * 2 + 1], coordinates[last * 2 + 1])
  )
}

/**
 * Makes the polygon of closed rings: shells in file order, each followed by its holes, windings unchanged.
 * Undefined if so many rings cross each other that sorting them would take minutes.
 */
export function polygonFromRings(rings: Lines): Shape | undefined {
  if (rings.ends.length === 1) return { ...rings, kind: 'Polygon', parts: [1] }
  const parents = findParents(rings)
  if (parents === undefined) return undefined
  const ringsIn = Map.groupBy(parents.keys(), (ring) => parents[ring]!)
  const order: number[] = []
  const parts: number[] = []
  for (const shell of ringsIn.get(noParent) ?? []) {
    order.push(shell)
    for (const hole of ringsIn.get(shell) ?? []) order.push(hole)
    parts.push(order.length)
  }
  const kind = parts.length === 1 ? 'Polygon' : 'MultiPolygon'
  return { ...inOrder(rings, order), kind, parts }
}

function inOrder(rings: Lines, order: readonly number[]): Lines {
  if (order.every((ring, index) => ring === index)) return rings
  const sources = new Uint32Array(rings.coordinates.length / 2)
  const ends: number[] = []
  let filled = 0
  for (const ring of order) {
    for (let vertex = startOf(rings, ring); vertex < rings.ends[ring]!; vertex += 1) {
      sources[filled] = vertex
      filled += 1
    }
    ends.push(filled)
  }
  return pickVertices(rings, sources, ends)
}

type Ring = ReturnType<typeof measure>

type Search = { readonly coordinates: Float64Array; effort: number }

/** About one second: a hundred thousand islands or holes need far less, rings made as an attack need more. */
const effortLimit = 2e8

/** In place of the shell around a ring that is a shell itself. */
const noParent = -1

/** For each ring the shell it is a hole of, if it is one. */
function findParents(rings: Lines): Int32Array | undefined {
  const search: Search = { coordinates: rings.coordinates, effort: 0 }
  const all = rings.ends.map((end, index) => measure(rings.coordinates, index, startOf(rings, index), end))
  const around = findContainers(search, all)
  if (around === undefined) return undefined
  const parents = new Int32Array(all.length).fill(noParent)
  for (const ring of all.toSorted(bySize)) {
    const containers = around[ring.index]!
    if (containers.length % 2 === 0) continue
    // The containers are sorted by size, so the last shell is the one directly around the ring.
    parents[ring.index] = containers.findLast((each) => parents[each] === noParent) ?? noParent
  }
  return parents
}

/** The largest first. */
function bySize(one: Ring, other: Ring): number {
  return Math.abs(other.signedArea) - Math.abs(one.signedArea) || one.index - other.index
}

function measure(coordinates: Float64Array, index: number, start: number, end: number) {
  const box = boxAround(coordinates, start * 2, end * 2)
  const tolerance = 1e-11 * Math.max(...box.map(Math.abs))
  const area = signedArea(coordinates, start, end)
  return { index, start, end, signedArea: area, box, tolerance, blocks: undefined as Float64Array | undefined }
}

/** The area of a ring: positive if it runs counter-clockwise. */
export function signedArea(coordinates: Float64Array, start: number, end: number): number {
  let twice = 0
  // Relative to the first vertex, because coordinates in millions of metres would lose the digits of a small ring.
  const originX = coordinates[start * 2]!
  const originY = coordinates[start * 2 + 1]!
  let beforeX = 0
  let beforeY = 0
  for (let vertex = start; vertex < end; vertex += 1) {
    const x = coordinates[vertex * 2]!
    const y = coordinates[vertex * 2 + 1]!
    twice += beforeX * (y - originY) - (x - originX) * beforeY
    beforeX = x - originX
    beforeY = y - originY
  }
  return twice / 2
}

/** For each ring those around it, largest first. A sweep from west to east keeps the pairs few. */
function findContainers(search: Search, all: readonly Ring[]): number[][] | undefined {
  const found: Ring[][] = all.map(() => [])
  const sweep = all
    .filter((ring) => Number.isFinite(ring.signedArea))
    .toSorted((a, b) => a.box[0] - b.box[0] || bySize(a, b))
  let open: Ring[] = []
  for (const ring of sweep) {
    let closed = 0
    for (const other of open) {
      if (other.box[2] < ring.box[0]) closed += 1
      else if (boxHolds(other, ring) && contains(search, other, ring)) found[ring.index]!.push(other)
    }
    search.effort += open.length
    if (search.effort > effortLimit) return undefined
    if (closed * 2 > open.length) open = open.filter((other) => other.box[2] >= ring.box[0])
    open.push(ring)
  }
  return found.map((containers) => containers.toSorted(bySize).map((ring) => ring.index))
}

function boxHolds(outer: Ring, inner: Ring): boolean {
  return isInBox(inner.box, outer.box) && Math.abs(outer.signedArea) >= Math.abs(inner.signedArea)
}

const mostSamples = 64

/**
 * Whether one ring lies inside another. One vertex clearly inside or outside decides if the windings agree. If
 * they do not, more vertices vote, and only rings that cross or touch each other are left to the windings.
 */
function contains(search: Search, outer: Ring, inner: Ring): boolean {
  const oppositeWinding = outer.signedArea > 0 !== inner.signedArea > 0
  const vertices = inner.end - inner.start - 1
  const step = Math.max(1, Math.floor(vertices / mostSamples))
  let inside = 0
  let outside = 0
  for (const along of [0, 0.5]) {
    for (let vertex = 0; vertex < vertices; vertex += step) {
      const side = sideOf(search, outer, inner.start + vertex, along)
      if (side === 0) continue
      if (side > 0 && oppositeWinding && outside === 0) return true
      if (side < 0 && !oppositeWinding && inside === 0) return false
      if (side > 0) inside += 1
      else outside += 1
    }
    if (inside + outside > 0) break
  }
  if (inside > 0 && outside > 0) return oppositeWinding
  return inside > 0 || (outside === 0 && oppositeWinding)
}

const blockEdges = 32

/** 1 inside, -1 outside, 0 on the ring: for a vertex, or for a point part of the way to the next. */
function sideOf(search: Search, ring: Ring, vertex: number, along: number): number {
  const { coordinates } = search
  const x = coordinates[vertex * 2]! * (1 - along) + coordinates[vertex * 2 + 2]! * along
  const y = coordinates[vertex * 2 + 1]! * (1 - along) + coordinates[vertex * 2 + 3]! * along
  const blocks = (ring.blocks ??= measureBlocks(coordinates, ring))
  const { tolerance } = ring
  search.effort += blocks.length / 3 + blockEdges
  let inside = false
  for (let block = 0; block * 3 < blocks.length; block += 1) {
    if (y < blocks[block * 3]! - tolerance || y > blocks[block * 3 + 1]! + tolerance) continue
    if (x > blocks[block * 3 + 2]! + tolerance) continue
    const from = ring.start + block * blockEdges
    const to = Math.min(from + blockEdges, ring.end - 1)
    for (let edge = from; edge < to; edge += 1) {
      const side = crossing(coordinates, edge, { x, y, tolerance })
      if (side === 0) return 0
      if (side > 0) inside = !inside
    }
  }
  return inside ? 1 : -1
}

/** 1 if a ray eastwards from the point crosses the edge, 0 if the point lies on the edge, otherwise -1. */
function crossing(
  coordinates: Float64Array,
  edge: number,
  point: { readonly x: number; readonly y: number; readonly tolerance: number },
): number {
  const x1 = coordinates[edge * 2]! - point.x
  const y1 = coordinates[edge * 2 + 1]! - point.y
  const x2 = coordinates[edge * 2 + 2]! - point.x
  const y2 = coordinates[edge * 2 + 3]! - point.y
  const { tolerance } = point
  if ((y1 > tolerance && y2 > tolerance) || (y1 < -tolerance && y2 < -tolerance)) return -1
  if (x1 < -tolerance && x2 < -tolerance) return -1
  const cross = x1 * y2 - x2 * y1
  const dx = x2 - x1
  const dy = y2 - y1
  const beside = x1 > tolerance && x2 > tolerance
  if (!beside && Math.abs(cross) <= tolerance * Math.hypot(dx, dy)) return 0
  if (y1 > 0 === y2 > 0) return -1
  return cross > 0 === y2 > y1 ? 1 : -1
}

/** South, north and east ends of every 32 edges, so that most of a long ring can be skipped. */
function measureBlocks(coordinates: Float64Array, ring: Ring): Float64Array {
  const blocks = new Float64Array(Math.ceil((ring.end - 1 - ring.start) / blockEdges) * 3)
  for (let block = 0; block * 3 < blocks.length; block += 1) {
    const from = ring.start + block * blockEdges
    const to = Math.min(from + blockEdges, ring.end - 1)
    let south = Infinity
    let north = -Infinity
    let east = -Infinity
    for (let vertex = from; vertex <= to; vertex += 1) {
      const x = coordinates[vertex * 2]!
      const y = coordinates[vertex * 2 + 1]!
      if (x > east) east = x
      if (y < south) south = y
      if (y > north) north = y
    }
    blocks.set([south, north, east], block * 3)
  }
  return blocks
}
