/**
 * Hides how land is found that boundaries enclose and none of them has: the open stretches of neighbours are followed from one to the
 * next until they close. Only what is narrow is told; a pond, a house or a road that was left out on purpose is wider.
 */

import { rowsPerBatch } from '../core/row.ts'
import type { Shape } from '../core/shape.ts'
import { indexBoxes } from './box-index.ts'
import { gridSteps, stepsAt, type Boundaries } from './coverage.ts'
import { startExposing, type Exposed } from './exposed.ts'
import { gapOf } from './gap.ts'
import { interiorPoint } from './interior-point.ts'
import type { Sides } from './sides.ts'
import type { Spot, Stretch } from './stretch.ts'

/** Land between boundaries that lie all round it. `widthM` is about how wide it is, `strips` what of it lies narrow between two of them. */
export type Remnant = {
  /** Their numbers, in the order in which they lie round it. */
  readonly around: readonly number[]
  readonly areaM2: number
  readonly widthM: number
  readonly lon: number
  readonly lat: number
  readonly strips: readonly Strip[]
}

export type Strip = { readonly one: number; readonly other: number; readonly areaM2: number }

export type RemnantPolicy = {
  /** Wider than this on the whole it was left out on purpose. */
  readonly widestM: number
  /** As narrow as this, a strip between two is told as that. */
  readonly widestGapM: number
  isOut(boundary: number): boolean
}

// Nearer than this, two people who drew the same fence agree; and narrower than this nothing leads out.
const withinM = 0.1
// Two that end at each other do so at most this far apart.
const reachM = 6 * withinM
const leastM2 = 1
// What is longer all round is no slip of the hand.
const longestM = 4000
const mostStretches = 400
// What strips leave of it is not worth a finding of its own.
const restShare = 0.2
const mostKept = 1000

/** Finds each of them once, in batches, in no order. */
export function* findRemnants(boundaries: Boundaries, policy: RemnantPolicy): Generator<readonly Remnant[]> {
  const index = indexBoxes(boundaries.boxes)
  const rank = new Uint32Array(boundaries.count)
  for (let place = 0; place < boundaries.count; place += 1) rank[index.order[place]!] = place
  const expose = startExposing({ boundaries, index, isOut: policy.isOut, withinM, besideM: reachM })
  const kept = new Map<number, Open>()
  const openOf = (boundary: number): Open => {
    const known = kept.get(boundary)
    if (known !== undefined) return known
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
    const { stretches, beside } = expose(boundary)
    const open = stretches.filter(({ isWhole }) => !isWhole)
    const exposed = { stretches: open, beside: open.length === 0 ? [] : beside }
    kept.set(boundary, exposed)
    return exposed
  }
  const tracing: Tracing = { boundaries, rank, openOf }
  let found: Remnant[] = []
  for (let place = 0; place < boundaries.count; place += 1) {
    const boundary = index.order[place]!
    if (!policy.isOut(boundary)) {
      const seen = new Set<Linked>()
      for (const open of openOf(boundary).stretches) {
        if (seen.has(open)) continue
        const round = trace(open, tracing)
        for (const { stretch } of round) if (stretch.boundary === boundary) seen.add(stretch)
        const remnant = round.length === 0 ? undefined : remnantOf(round, boundaries, policy)
        if (remnant !== undefined) found.push(remnant)
      }
    }
    if (place % rowsPerBatch !== rowsPerBatch - 1) continue
    yield found
    found = []
  }
  yield found
}

type Open = Exposed & { readonly stretches: readonly Linked[] }

/** A stretch with where the way goes on from it, once that is known: which stretch of which boundary, and how far that is turned. */
type Linked = Stretch & { next?: Next | null }
type Next = { readonly boundary: number; readonly stretch: number; readonly turned: number }

type Tracing = { readonly boundaries: Boundaries; readonly rank: Uint32Array; openOf(boundary: number): Open }

/** A stretch on the way round, and by how many steps it is turned to lie beside the first one. */
type Step = { readonly stretch: Linked; readonly turned: number }

/** The stretches round the land to the right of one, from the boundary on that comes first; none where they do not close. */
function trace(first: Linked, tracing: Tracing): readonly Step[] {
  const { rank, openOf } = tracing
  const way: Step[] = []
  let lengthM = 0
  for (let step: Step = { stretch: first, turned: 0 }; ;) {
    way.push(step)
    lengthM += step.stretch.lengthM
    if (lengthM > longestM || way.length > mostStretches) return []
    const next = (step.stretch.next ??= nextOf(step.stretch, tracing))
    if (next === null || rank[next.boundary]! < rank[first.boundary]!) return []
    const stretch = openOf(next.boundary).stretches[next.stretch]!
    const turned = step.turned + next.turned
    if (stretch.boundary === first.boundary && stretch.from === first.from) return turned === 0 ? way : []
    step = { stretch, turned }
  }
}

/** Of the stretches that begin near the end of one, the first that is met turning left from the way back, if it is as near as others. */
function nextOf(stretch: Linked, { boundaries, openOf }: Tracing): Next | null {
  const { boundary, end } = stretch
  const { boxes } = boundaries
  const { stepX, stepY } = stepsAt(end.y)
  const [marginX, marginY] = [reachM / stepX, reachM / stepY]
  let best: Next | null = null
  let least = Infinity
  const look = (other: number, turned: number): void => {
    const box = other * 4
    const x = end.x - turned
    if (boxes[box]! > x + marginX || boxes[box + 2]! < x - marginX) return
    if (boxes[box + 1]! > end.y + marginY || boxes[box + 3]! < end.y - marginY) return
    const { stretches } = openOf(other)
    for (let at = 0; at < stretches.length; at += 1) {
      const { start, from } = stretches[at]!
      if (Math.abs(start.x - x) > marginX || Math.abs(start.y - end.y) > marginY) continue
      const awayM = Math.hypot((start.x - x) * stepX, (start.y - end.y) * stepY)
      if (awayM > reachM || (other === boundary && from === stretch.from)) continue
      const off = leftTurn(end, start, awayM) + awayM / withinM + (other === boundary ? 2 * fullTurn : 0)
      if (off >= least) continue
      least = off
      best = { boundary: other, stretch: at, turned }
    }
  }
  for (const { number, turned } of openOf(boundary).beside) look(number, turned)
  look(boundary, 0)
  return best
}

const fullTurn = 2 * Math.PI

// Two that run apart from one fence by a hair may seem to cross.
const hair = 0.3

function leftTurn(end: Spot, start: Spot, awayM: number): number {
  const back = Math.atan2(-end.north, -end.east)
  const turn = (Math.atan2(start.north, start.east) - back + 2 * fullTurn) % fullTurn
  return turn > fullTurn - hair && awayM < 2 * withinM ? turn - fullTurn : turn
}

function remnantOf(round: readonly Step[], boundaries: Boundaries, policy: RemnantPolicy): Remnant | undefined {
  const around: number[] = []
  for (const { stretch } of round) if (!around.includes(stretch.boundary)) around.push(stretch.boundary)
  if (around.length < 2 || !around.some((each) => each < boundaries.own)) return undefined
  const outline = outlineOf(round, boundaries)
  const { areaM2, aroundM } = outline
  const widthM = (2 * areaM2) / aroundM
  if (areaM2 < leastM2 || widthM < withinM || widthM > policy.widestM) return undefined
  const strips = stripsOf(round, around, outline, policy.widestGapM)
  if (areaM2 - strips.reduce((sum, strip) => sum + strip.areaM2, 0) < restShare * areaM2) return undefined
  const { column, row, stepX, stepY } = outline
  const degrees = Float64Array.from(outline.xy, (value, at) =>
    at % 2 === 0 ? (column + value / stepX) / gridSteps - 180 : (row + value / stepY) / gridSteps - 90,
  )
  const shape: Shape = { kind: 'Polygon', coordinates: degrees, ends: [degrees.length / 2], parts: [1] }
  const [lon, lat] = interiorPoint(shape)
  return { around, areaM2, widthM, lon, lat, strips }
}

/** The way round in metres from a corner, closed, and where the vertices of each stretch end. */
type Outline = {
  readonly xy: Float64Array
  readonly ends: readonly number[]
  readonly areaM2: number
  readonly aroundM: number
  readonly column: number
  readonly row: number
  readonly stepX: number
  readonly stepY: number
}

// One way round is measured at a time.
let xy: Float64Array = new Float64Array(256)
let filled = 0

function addPoint(x: number, y: number): void {
  if (filled + 2 > xy.length) {
    const larger = new Float64Array(xy.length * 2)
    larger.set(xy)
    xy = larger
  }
  xy[filled] = x
  xy[filled + 1] = y
  filled += 2
}

function outlineOf(round: readonly Step[], boundaries: Boundaries): Outline {
  const { x: column, y: row } = round[0]!.stretch.start
  const { stepX, stepY } = stepsAt(row)
  const ends: number[] = []
  filled = 0
  for (let at = 0; at < round.length; at += 1) {
    const { stretch, turned } = round[at]!
    const { words, at: from } = boundaries.read(stretch.boundary)
    const first = stretch.ring === 0 ? 0 : words[from + stretch.ring]!
    const sides = words[from + 1 + stretch.ring]! - first - 1
    const vertices = from + 1 + words[from]! + first * 2
    const west = column - turned
    addPoint((stretch.start.x - west) * stepX, (stretch.start.y - row) * stepY)
    for (let vertex = Math.floor(stretch.from) + 1; vertex < stretch.to; vertex += 1) {
      const its = vertices + (vertex % sides) * 2
      addPoint((words[its]! - west) * stepX, (words[its + 1]! - row) * stepY)
    }
    const { end } = stretch
    const [endX, endY] = [(end.x - west) * stepX, (end.y - row) * stepY]
    addPoint(endX, endY)
    ends.push(filled / 2)
    const next = round[(at + 1) % round.length]!
    const { start } = next.stretch
    const tip = tipOf(
      { x: endX, y: endY, east: end.east, north: end.north },
      {
        x: (start.x + next.turned - column) * stepX,
        y: (start.y - row) * stepY,
        east: start.east,
        north: start.north,
      },
    )
    if (tip !== undefined) addPoint(tip[0], tip[1])
  }
  addPoint(xy[0]!, xy[1]!)
  let doubled = 0
  let aroundM = 0
  for (let at = 2; at < filled; at += 2) {
    doubled += xy[at - 2]! * xy[at + 1]! - xy[at]! * xy[at - 1]!
    aroundM += Math.sqrt((xy[at]! - xy[at - 2]!) ** 2 + (xy[at + 1]! - xy[at - 1]!) ** 2)
  }
  // Land lies left of all stretches, so that what they enclose is gone round clockwise.
  return { xy: xy.subarray(0, filled), ends, areaM2: -doubled / 2, aroundM, column, row, stepX, stepY }
}

// How far two that draw together slowly are followed to where they meet.
const furthestM = 100 * withinM

/** Where two stretches would meet if both went on as straight as they end. */
function tipOf(end: Spot, start: Spot): readonly [number, number] | undefined {
  const cross = end.east * start.north - end.north * start.east
  if (cross === 0) return undefined
  const [x, y] = [start.x - end.x, start.y - end.y]
  const on = (x * start.north - y * start.east) / cross
  const back = (x * end.north - y * end.east) / cross
  if (on <= 0 || back >= 0) return undefined
  if (on * Math.hypot(end.east, end.north) > furthestM || -back * Math.hypot(start.east, start.north) > furthestM)
    return undefined
  return [end.x + on * end.east, end.y + on * end.north]
}

// The sides of each boundary round one piece of land, filled anew for the next.
const rooms: Sides[] = []

/** The strips within it that are told of two boundaries anyhow. */
function stripsOf(
  round: readonly Step[],
  around: readonly number[],
  outline: Outline,
  widestM: number,
): readonly Strip[] {
  for (let at = 0; at < around.length; at += 1) (rooms[at] ??= { values: new Float64Array(64), count: 0 }).count = 0
  let vertex = 0
  for (let at = 0; at < round.length; at += 1) {
    const sides = rooms[around.indexOf(round[at]!.stretch.boundary)]!
    for (; vertex + 1 < outline.ends[at]!; vertex += 1) addSide(sides, outline.xy, vertex)
    vertex = outline.ends[at]!
  }
  const strips: Strip[] = []
  for (let at = 0; at < around.length; at += 1)
    for (let its = at + 1; its < around.length; its += 1) {
      const { areaM2 } = gapOf(rooms[at]!, rooms[its]!, widestM)
      const [one, other] = [around[at]!, around[its]!]
      if (areaM2 >= leastM2) strips.push({ one: Math.min(one, other), other: Math.max(one, other), areaM2 })
    }
  return strips
}

function addSide(sides: Sides, from: Float64Array, vertex: number): void {
  const at = sides.count * 4
  if (at + 4 > sides.values.length) {
    const larger = new Float64Array(sides.values.length * 2)
    larger.set(sides.values)
    sides.values = larger
  }
  for (let each = 0; each < 4; each += 1) sides.values[at + each] = from[vertex * 2 + each]!
  sides.count += 1
}
