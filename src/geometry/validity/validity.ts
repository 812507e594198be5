/** Finds the faults of a boundary: crossings, overlaps, holes outside, no area. The result is exact. */

import { problemCodes, type Problem, type ProblemCode } from '../../core/problem.ts'
import { firstRingOf, isAreal, isSamePoint, startOf, vertexCount, type Shape } from '../../core/shape.ts'
import { areNeighbours, edgeBefore, edgesOf, visitNearPairs, type Edges } from './edges.ts'
import { forNested, isInside, lieOf, nestOf, type Nest } from './nesting.ts'
import { sideOf } from './orientation.ts'
import { crossesDateline, range, signedArea, unwrapLongitudes } from '../measure/rings.ts'
import { wrap } from '../measure/measure.ts'

/** One thing wrong with a shape, and where. `ring` counts within its part, the shell being 0; `vertex` within the whole shape. */
export type Fault = { readonly code: ProblemCode } & Pick<Problem, 'message'> & Required<Pick<Problem, 'where'>>

// A scribble has thousands of faults, and lines on top of each other meet again and again in the same places.
const mostFaults = 12
const mostRepeats = 10_000
// A coast has ten for each edge; a comb would have thousands and goes to the sweep, which is slower for coasts.
const pairsPerEdge = 40

type Search = {
  readonly shape: Shape
  readonly partOf: readonly number[]
  readonly faults: Fault[]
  /** Made with the first touch; most boundaries have none. */
  touches: Touches | undefined
  errors: number
  repeats: number
}

/** Finds what is wrong with a shape in longitude and latitude whose rings are closed. The list of a sound shape is empty. */
export function findFaults(shape: Shape): readonly Fault[] {
  const misplaced = findMisplaced(shape)
  if (misplaced !== undefined) return [misplaced]
  if (!isAreal(shape)) return findShortLines(shape)
  const flat = crossesDateline(shape) ? unwrapLongitudes(shape) : shape
  const partOf = partsOfRings(flat)
  const search: Search = { shape: flat, partOf, faults: [], touches: undefined, errors: 0, repeats: 0 }
  const sound = flat.ends.map((_, ring) => isRingSound(search, ring))
  const edges = edgesOf(flat, (ring) => sound[ring]!)
  findMeetings(search, edges)
  if (search.errors === 0 && flat.ends.length > 1) findMisnested(search, sound)
  return search.faults
}

/** True for a fault that rejects the record, false for one that is only a note. */
export function isError(fault: Fault): boolean {
  return problemCodes[fault.code].severity === 'error'
}

function findMisplaced({ coordinates }: Shape): Fault | undefined {
  for (let index = 0; index < coordinates.length; index += 2) {
    const lon = coordinates[index]!
    const lat = coordinates[index + 1]!
    if (lon >= -360 && lon <= 360 && lat >= -90 && lat <= 90) continue
    const isNumber = Number.isFinite(lon) && Number.isFinite(lat)
    const code = isNumber ? 'coordinate-out-of-range' : 'coordinate-not-a-number'
    const message = isNumber
      ? `The coordinate ${lon}, ${lat} is not a longitude and a latitude.`
      : `The coordinate ${lon}, ${lat} is not a pair of numbers.`
    return { code, where: { lon, lat, vertex: index / 2 }, message }
  }
  return undefined
}

function findShortLines(shape: Shape): readonly Fault[] {
  const faults: Fault[] = []
  for (let line = 0; line < shape.ends.length && faults.length < mostFaults; line += 1) {
    const start = startOf(shape, line)
    // An empty line among others is harmless.
    if (start === shape.ends[line] && vertexCount(shape) > 0) continue
    if (countDistinct(shape, start, shape.ends[line]!) >= 2) continue
    const [lon, lat] = pointAt(shape, Math.min(start, vertexCount(shape) - 1))
    faults.push({
      code: 'boundary-too-few-points',
      where: { lon, lat, part: line, vertex: start },
      message: 'A line has fewer than two different points.',
    })
  }
  return faults
}

const onlyShell: readonly number[] = [0]

function partsOfRings(shape: Shape): readonly number[] {
  if (shape.ends.length === 1) return onlyShell
  return shape.parts.flatMap((end, part) => Array.from({ length: end - firstRingOf(shape, part) }, () => part))
}

// Reports a ring that is only a point or a line; the later checks skip it.
function isRingSound(search: Search, ring: number): boolean {
  const { shape } = search
  const start = startOf(shape, ring)
  const end = shape.ends[ring]!
  const isHole = ringInPart(search, ring) > 0
  if (end === start && isHole) return false
  const name = isHole ? 'A hole' : 'The boundary'
  const at = { ring, vertex: start }
  if (countDistinct(shape, start, end) < 3) {
    report(search, 'boundary-too-few-points', at, () => `${name} has fewer than three different points.`)
    return false
  }
  if (isFlat(shape, start, end)) {
    report(search, 'boundary-no-area', at, (place) => `${name} at ${place} is a line and encloses no area.`)
    return false
  }
  return true
}

function countDistinct({ coordinates: xy }: Shape, start: number, end: number): number {
  let count = 0
  for (let vertex = start; vertex < end && count < 4; vertex += 1) {
    if (vertex > start && isSamePoint(xy, vertex, vertex - 1)) continue
    if (vertex > start && vertex === end - 1 && isSamePoint(xy, vertex, start)) continue
    count += 1
  }
  return count
}

/** True when the vertices of a ring lie on one line, but for the rounding of their coordinates. */
function isFlat({ coordinates: xy }: Shape, start: number, end: number): boolean {
  const tolerance = (extent: number): number => 1e-13 * extent
  const x0 = xy[start * 2]!
  const y0 = xy[start * 2 + 1]!
  if (Math.abs(signedArea(xy, start, end)) > tolerance(720)) return false
  let farthest = start
  let most = 0
  for (let vertex = start + 1; vertex < end; vertex += 1) {
    const distance = Math.abs(xy[vertex * 2]! - x0) + Math.abs(xy[vertex * 2 + 1]! - y0)
    if (distance > most) [farthest, most] = [vertex, distance]
  }
  const dx = xy[farthest * 2]! - x0
  const dy = xy[farthest * 2 + 1]! - y0
  for (let vertex = start + 1; vertex < end; vertex += 1) {
    const cross = dx * (xy[vertex * 2 + 1]! - y0) - dy * (xy[vertex * 2]! - x0)
    if (Math.abs(cross) > tolerance(most)) return false
  }
  return true
}

function findMeetings(search: Search, edges: Edges): void {
  for (let edge = 0; edge < edges.count; edge += 1) findFoldBack(search, edges, edge)
  const { coordinates } = search.shape
  const visit = (one: number, other: number): boolean => {
    const found = areNeighbours(edges, one, other) ? undefined : meetingOf(edges, coordinates, one, other)
    if (found !== undefined) reportMeeting(search, found)
    return search.errors >= mostFaults || search.repeats >= mostRepeats
  }
  if (visitNearPairs(edges, visit, edges.count * pairsPerEdge) || search.errors > 0) return
  if (sweepPairs(edges, coordinates, (one, other) => visit(one, other) || search.errors > 0)) return
  const sentence = 'The boundary is too tangled to check: many thousands of its sides meet in one place.'
  report(search, 'boundary-crosses-itself', { ring: 0, vertex: 0 }, () => sentence)
}

// A spike: the line turns round and runs back.
function findFoldBack(search: Search, edges: Edges, edge: number): void {
  const { coordinates: xy } = search.shape
  const a = edges.from[edgeBefore(edges, edge)]!
  const b = edges.from[edge]!
  const c = edges.to[edge]!
  if (!isAhead(xy, b, a, c) || sideOf(xy, a, b, c) !== 0) return
  const at = { ring: edges.ring[edge]!, vertex: b }
  report(search, 'boundary-crosses-itself', at, (place) => `The boundary runs back over itself at ${place}.`)
}

function reportMeeting(search: Search, meeting: Meeting): void {
  const { verb, vertex, at } = meeting
  const [one, other] = meeting.rings
  if (verb === 'touches') return reportTouch(search, meeting.rings, vertex)
  const place = { ring: one, vertex, ...(at === undefined ? {} : { at }) }
  if (search.partOf[one] !== search.partOf[other])
    report(search, 'boundary-parts-overlap', place, (where) => `Two parts of the boundary overlap at ${where}.`)
  else if (one === other)
    report(search, 'boundary-crosses-itself', place, (where) => `The boundary ${verb} itself at ${where}.`)
  else {
    const areHoles = ringInPart(search, one) > 0 && ringInPart(search, other) > 0
    report(search, 'boundary-crosses-itself', place, (where) =>
      areHoles ? `Two holes overlap at ${where}.` : `A hole ${verb} the boundary at ${where}.`,
    )
  }
}

// Rings of one part may touch; a circle of them, two rings at two points or a chain of holes, cuts the land apart.
function reportTouch(search: Search, [one, other]: readonly [number, number], vertex: number): void {
  if (search.partOf[one] !== search.partOf[other]) return
  const at = { ring: one, vertex }
  if (one === other)
    return report(search, 'boundary-touches-itself', at, (place) => `The boundary touches itself at ${place}.`)
  search.touches ??= startTouches()
  if (!search.touches(one, other, pointAt(search.shape, vertex).join(' '))) return
  const what = 'Holes that touch the boundary or each other cut off a piece of the land'
  report(search, 'boundary-touches-itself', at, (place) => `${what} at ${place}.`)
}

/** Adds a touch; returns true when it closes a circle of rings. */
type Touches = (one: number, other: number, place: string) => boolean

/** Detects rings that cut land apart by touching each other: they do when their touches close a circle. Starts without touches. A touch that was added before closes nothing. */
export function startTouches(): Touches {
  const known = new Set<string>()
  // Rings and places are both nodes, so that three rings at one place are a star, not a circle.
  const parents = new Map<string, string>()
  const rootOf = (node: string): string => {
    let root = node
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    if (root !== node) parents.set(node, root)
    return root
  }
  const join = (ring: number, place: string): boolean => {
    const link = `${ring} ${place}`
    if (known.has(link)) return false
    known.add(link)
    const [one, other] = [rootOf(String(ring)), rootOf(`at ${place}`)]
    if (one === other) return true
    parents.set(one, other)
    return false
  }
  return (one, other, place) => {
    const closes = join(one, place)
    return join(other, place) || closes
  }
}

// Without crossings, one point of a ring shows where the whole ring lies.
function findMisnested(search: Search, sound: readonly boolean[]): void {
  const { shape } = search
  const nest = nestOf(shape)
  const shells: number[] = []
  for (let part = 0; part < shape.parts.length; part += 1) {
    const shell = firstRingOf(shape, part)
    if (shell === shape.parts[part] || !sound[shell]!) continue
    shells.push(shell)
    const holes = range(shell + 1, shape.parts[part]!).filter((ring) => sound[ring]!)
    findMisplacedHoles(search, nest, shell, holes)
  }
  forNested(nest, shells, (inner, outer) => {
    const end = shape.parts[search.partOf[outer]!]!
    // A part may lie inside another where that has a hole, as an island lies in a lake.
    for (let hole = outer + 1; hole < end; hole += 1) if (sound[hole]! && isInside(nest, inner, hole)) return false
    const at = { ring: inner, vertex: startOf(shape, inner) }
    const sentence = (place: string): string => `A part of the boundary at ${place} lies inside another part.`
    report(search, 'boundary-parts-overlap', at, sentence)
    return search.errors >= mostFaults
  })
}

function findMisplacedHoles(search: Search, nest: Nest, shell: number, holes: readonly number[]): void {
  const reportHole = (hole: number, where: string): boolean => {
    const at = { ring: hole, vertex: startOf(search.shape, hole) }
    report(search, 'boundary-hole-outside', at, (place) => `A hole at ${place} lies ${where}.`)
    return search.errors >= mostFaults
  }
  for (const hole of holes)
    if (lieOf(nest, hole, shell) < 0 && reportHole(hole, 'outside the boundary it belongs to')) return
  forNested(nest, holes, (inner) => reportHole(inner, 'inside another hole'))
}

function ringInPart(search: Search, ring: number): number {
  return ring - firstRingOf(search.shape, search.partOf[ring] ?? 0)
}

function pointAt({ coordinates }: Shape, vertex: number): readonly [number, number] {
  return [coordinates[vertex * 2] ?? NaN, coordinates[vertex * 2 + 1] ?? NaN]
}

type At = { readonly ring: number; readonly vertex: number; readonly at?: readonly [number, number] }

function report(
  search: Search,
  code: ProblemCode,
  { ring, vertex, at }: At,
  messageAt: (place: string) => string,
): void {
  const [x, lat] = at ?? pointAt(search.shape, vertex)
  const lon = wrap(x)
  const isNote = problemCodes[code].severity !== 'error'
  // Each place is reported once, though several edges may meet there; notes never displace errors.
  const isKnown = search.faults.some((each) => each.code === code && each.where.lon === lon && each.where.lat === lat)
  if (isKnown && !isNote) search.repeats += 1
  if (isKnown || search.faults.filter((each) => isError(each) !== isNote).length >= mostFaults) return
  if (!isNote) search.errors += 1
  search.faults.push({
    code,
    where: { lon, lat, part: search.partOf[ring] ?? 0, ring: ringInPart(search, ring), vertex },
    // Five decimals are about a metre.
    message: messageAt(`${lon.toFixed(5)}, ${lat.toFixed(5)}`),
  })
}

/** How two edges meet, in which rings, and where: at a vertex, or between vertices at a longitude and latitude. */
type Meeting = {
  readonly verb: 'crosses' | 'runs along' | 'touches'
  readonly rings: readonly [number, number]
  readonly vertex: number
  readonly at?: readonly [number, number]
}

/** How two edges that do not follow each other meet. A meeting at a vertex counts only for the edge that begins there, so it is reported once. */
export function meetingOf(edges: Edges, xy: Float64Array, one: number, other: number): Meeting | undefined {
  const p1 = edges.from[one]!
  const p2 = edges.to[one]!
  const q1 = edges.from[other]!
  const q2 = edges.to[other]!
  const side1 = sideOf(xy, q1, q2, p1)
  const side2 = sideOf(xy, q1, q2, p2)
  if ((side1 > 0 && side2 > 0) || (side1 < 0 && side2 < 0)) return undefined
  const side3 = sideOf(xy, p1, p2, q1)
  const side4 = sideOf(xy, p1, p2, q2)
  if ((side3 > 0 && side4 > 0) || (side3 < 0 && side4 < 0)) return undefined
  const rings = [edges.ring[one]!, edges.ring[other]!] as const
  if (side1 === 0 && side2 === 0) {
    const vertex = overlapOnLine(xy, [p1, p2], [q1, q2])
    if (vertex >= 0) return { verb: 'runs along', rings, vertex }
  } else if (side1 !== 0 && side2 !== 0 && side3 !== 0 && side4 !== 0) {
    const share = side1 / (side1 - side2)
    const lon = xy[p1 * 2]! + share * (xy[p2 * 2]! - xy[p1 * 2]!)
    const lat = xy[p1 * 2 + 1]! + share * (xy[p2 * 2 + 1]! - xy[p1 * 2 + 1]!)
    return { verb: 'crosses', rings, vertex: p1, at: [lon, lat] }
  }
  if (side1 === 0 && isWithin(edges, other, xy, p1) && !isSamePoint(xy, p1, q2))
    return judgeTouch(edges, xy, one, other)
  if (side3 === 0 && isWithin(edges, one, xy, q1) && !isSamePoint(xy, q1, p2) && !isSamePoint(xy, q1, p1))
    return judgeTouch(edges, xy, other, one)
  return undefined
}

// Of two edges on one line, the vertex where the stretch they share begins; -1 when that is a point at most.
function overlapOnLine(
  xy: Float64Array,
  [p1, p2]: readonly [number, number],
  [q1, q2]: readonly [number, number],
): number {
  const axis = Math.abs(xy[p1 * 2]! - xy[p2 * 2]!) > Math.abs(xy[p1 * 2 + 1]! - xy[p2 * 2 + 1]!) ? 0 : 1
  const at = (vertex: number): number => xy[vertex * 2 + axis]!
  const low = Math.max(Math.min(at(p1), at(p2)), Math.min(at(q1), at(q2)))
  const high = Math.min(Math.max(at(p1), at(p2)), Math.max(at(q1), at(q2)))
  return high > low ? [p1, p2, q1, q2].find((vertex) => at(vertex) === low)! : -1
}

function isWithin({ box }: Edges, edge: number, xy: Float64Array, vertex: number): boolean {
  const x = xy[vertex * 2]!
  const y = xy[vertex * 2 + 1]!
  return x >= box[edge * 4]! && x <= box[edge * 4 + 2]! && y >= box[edge * 4 + 1]! && y <= box[edge * 4 + 3]!
}

// The start of edge `one` lies on edge `other`. Two lines that meet there cross when one's ends lie on both sides of the other.
function judgeTouch(edges: Edges, xy: Float64Array, one: number, other: number): Meeting {
  const vertex = edges.from[one]!
  const before = edges.from[edgeBefore(edges, one)]!
  const after = edges.to[one]!
  const otherBefore = edges.from[isSamePoint(xy, vertex, edges.from[other]!) ? edgeBefore(edges, other) : other]!
  const otherAfter = edges.to[other]!
  const rings = [edges.ring[one]!, edges.ring[other]!] as const
  const path: Path = { xy, before, vertex, after }
  const comes = sideOfPath(path, otherBefore)
  const goes = sideOfPath(path, otherAfter)
  return { verb: comes * goes < 0 ? 'crosses' : 'touches', rings, vertex }
}

type Path = { readonly xy: Float64Array; readonly before: number; readonly vertex: number; readonly after: number }

// 1 left of a bent path, -1 right of it, 0 along it.
function sideOfPath({ xy, before, vertex, after }: Path, point: number): number {
  const fromBefore = sideOf(xy, before, vertex, point)
  const fromAfter = sideOf(xy, vertex, after, point)
  if (fromBefore === 0 && isAhead(xy, vertex, before, point)) return 0
  if (fromAfter === 0 && isAhead(xy, vertex, after, point)) return 0
  const turnsLeft = sideOf(xy, before, vertex, after) > 0
  return (turnsLeft ? fromBefore > 0 && fromAfter > 0 : fromBefore > 0 || fromAfter > 0) ? 1 : -1
}

/** True when, seen from a vertex, a point does not lie behind another one. */
function isAhead(xy: Float64Array, from: number, to: number, point: number): boolean {
  return (
    (xy[to * 2]! - xy[from * 2]!) * (xy[point * 2]! - xy[from * 2]!) +
      (xy[to * 2 + 1]! - xy[from * 2 + 1]!) * (xy[point * 2 + 1]! - xy[from * 2 + 1]!) >
    0
  )
}

// Edges that touch in one point are all compared with each other; no field needs a million comparisons.
const mostAtPoints = 2_000_000

type Front = {
  readonly edges: Edges
  readonly xy: Float64Array
  /** The edges that cross the front, from south to north. */
  readonly across: Int32Array
  count: number
}

/**
 * Calls `visit` with pairs of edges until it returns true: with all that touch, and if any cross, with two that do. Some pairs may
 * neither touch nor cross. False when too many edges touch in one place.
 */
export function sweepPairs(
  edges: Edges,
  coordinates: Float64Array,
  visit: (one: number, other: number) => boolean,
): boolean {
  const front: Front = { edges, xy: coordinates, across: new Int32Array(edges.count + 2), count: 0 }
  const events = Int32Array.from({ length: edges.count }, (_, edge) => edge).sort((one, other) =>
    compareVertices(coordinates, edges.from[one]!, edges.from[other]!),
  )
  let left = mostAtPoints
  for (let next = 0; next < events.length;) {
    const vertex = edges.from[events[next]!]!
    const here: number[] = []
    for (; next < events.length && compareVertices(coordinates, vertex, edges.from[events[next]!]!) === 0; next += 1)
      here.push(edgeBefore(edges, events[next]!), events[next]!)
    const { from, to } = rangeAt(front, vertex)
    left -= (here.length + to - from) ** 2 / 2
    if (left < 0) return false
    const through = from === to ? [] : [...front.across.subarray(from, to)].filter((edge) => !here.includes(edge))
    const meeting = [...here, ...through]
    if (meeting.length > 2 && visitEach(meeting, visit)) return true
    const beginning = here.filter((edge) => compareVertices(coordinates, vertex, easternEnd(front, edge)) < 0)
    const onwards = [...beginning, ...through]
    if (onwards.length > 1) onwards.sort((one, other) => compareAbove(front, vertex, one, other))
    replace(front, from, to, onwards)
    const last = from + onwards.length
    if (from > 0 && from < front.count && visit(front.across[from - 1]!, front.across[from]!)) return true
    if (last > from && last < front.count && visit(front.across[last - 1]!, front.across[last]!)) return true
  }
  return true
}

// West before east, then south before north.
function compareVertices(xy: Float64Array, one: number, other: number): number {
  return xy[one * 2]! - xy[other * 2]! || xy[one * 2 + 1]! - xy[other * 2 + 1]!
}

function visitEach(all: readonly number[], visit: (one: number, other: number) => boolean): boolean {
  for (let index = 1; index < all.length; index += 1)
    for (let before = 0; before < index; before += 1) if (visit(all[before]!, all[index]!)) return true
  return false
}

// The range of edges on the front that contain a vertex; empty, at its place, when none does.
function rangeAt(front: Front, vertex: number): { readonly from: number; readonly to: number } {
  let low = 0
  let high = front.count
  while (low < high) {
    const middle = (low + high) >> 1
    if (sideOfEdge(front, front.across[middle]!, vertex) > 0) low = middle + 1
    else high = middle
  }
  let to = low
  while (to < front.count && sideOfEdge(front, front.across[to]!, vertex) === 0) to += 1
  return { from: low, to }
}

// Above zero when a vertex lies north of an edge, taken from west to east; zero on a vertical edge of the front.
function sideOfEdge({ edges, xy }: Front, edge: number, vertex: number): number {
  const { from, to } = edges
  return compareVertices(xy, from[edge]!, to[edge]!) < 0
    ? sideOf(xy, from[edge]!, to[edge]!, vertex)
    : sideOf(xy, to[edge]!, from[edge]!, vertex)
}

function easternEnd({ edges, xy }: Pick<Front, 'edges' | 'xy'>, edge: number): number {
  const { from, to } = edges
  return compareVertices(xy, from[edge]!, to[edge]!) < 0 ? to[edge]! : from[edge]!
}

// Compares two edges that continue eastward from a vertex, the southern one first.
function compareAbove(front: Front, vertex: number, one: number, other: number): number {
  return -sideOf(front.xy, vertex, easternEnd(front, one), easternEnd(front, other))
}

function replace(front: Front, from: number, to: number, edges: readonly number[]): void {
  const moved = from + edges.length
  if (moved !== to) front.across.copyWithin(moved, to, front.count)
  front.across.set(edges, from)
  front.count += moved - to
}
