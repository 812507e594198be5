/** Finds the faults of a boundary: crossings, overlaps, holes outside, no area. The result is exact. */

import { problemCodes, type Problem, type ProblemCode } from '../../core/problem.ts'
import { firstRingOf, isAreal, isSamePoint, startOf, vertexCount, type Shape } from '../../core/shape.ts'
import { areNeighbours, edgeBefore, edgesOf, visitNearPairs, type Edges } from './edges.ts'
import { isAhead, meetingOf, type Meeting } from './meeting.ts'
import { forNested, isInside, lieOf, nestOf, type Nest } from './nesting.ts'
import { sideOf } from './orientation.ts'
import { crossesDateline, range, signedArea, unwrapLongitudes } from '../measure/rings.ts'
import { wrap } from '../measure/measure.ts'
import { sweepPairs } from './sweep.ts'

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
