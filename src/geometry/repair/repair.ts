/** Repairs broken boundaries ring by ring, then part by part, then as a whole, and keeps every area that a line encloses. */

import type { Repair } from '../../core/problem.ts'
import { firstRingOf, isAreal, startOf, vertexCount, type Shape } from '../../core/shape.ts'
import { areaOf } from '../measure/measure.ts'
import { joinPolygons } from '../measure/parts.ts'
import { joinRings, reverseRings, signedArea, windRings, type Rings } from '../measure/rings.ts'
import { findFaults, isError } from '../validity/validity.ts'
import { mapLines, twinOf, type Network } from './line-network.ts'
import { cutWhereTheyMeet } from './noding.ts'
import { shapeOf, traceLand } from './trace-land.ts'

/**
 * A repaired shape and what the repair changed. `areaBeforeM2` is the area that the drawn lines enclose: the sum of the absolute areas
 * of all lobes, without holes. `lostShare` is the share of it that the repair may have added or lost:
 * - lobes drawn in the other direction than their ring (a sum of signed areas subtracts them, the repaired shape keeps them);
 * - land that a ring or several parts enclose twice (counted twice before, once after);
 * - holes, or pieces of them, outside their shell or on another hole.
 * No land inside a shell is ever lost.
 */
export type Repaired = { readonly shape: Shape; readonly repair: Repair }

/** The default decimals of a degree for new points: a hundredth of a millimetre. */
const fineDecimals = 10

// A repair of more vertices takes seconds and would seem to hang.
const mostVertices = 200_000

/**
 * Repairs polygons whose rings cross or touch themselves or each other, or cut the land apart; rings may pass 180 degrees if they are
 * unwrapped. New points where lines cross are rounded to `decimals`; drawn points keep their place. Undefined when nothing is left or
 * the lines are too tangled. Heights are not kept, because a crossing has none.
 */
export function repair(shape: Shape, decimals = fineDecimals): Repaired | undefined {
  if (!isAreal(shape) || vertexCount(shape) > mostVertices) return undefined
  // Where lines almost touch, a point off the grid can be on the wrong side of a new one; the strict grid avoids that.
  const repaired = repairOn(shape, { decimals, strict: false }) ?? repairOn(shape, { decimals, strict: true })
  return repaired === 'tangled' ? undefined : repaired
}

function repairOn(shape: Shape, grid: Grid): Repaired | 'tangled' | undefined {
  const drawn = shape.ends.map((_, ring) => drawnOf(shape, ring, grid))
  // A ring that cannot be repaired must not count as empty: its land would be lost silently.
  if (drawn.includes(undefined)) return 'tangled'
  const parts = shape.parts
    .map((end, part) => drawn.slice(firstRingOf(shape, part), end) as readonly Drawn[])
    .filter(([shell]) => shell !== undefined && shell.covered > 0)
  const repaired = join(
    parts.map((part) => joinPart(part, grid)),
    grid,
  )
  if (repaired === undefined || findFaults(repaired).some(isError)) return undefined
  const after = planarArea(repaired)
  const shells = parts.map(([shell]) => shell!)
  const holes = parts.flatMap(([, ...rest]) => rest)
  const covered = sum(shells, (each) => each.covered) - sum(holes, (each) => each.covered)
  const lobes = sum(shells, (each) => each.lobes) - sum(holes, (each) => each.lobes)
  const lost = sum([...shells, ...holes], (each) => each.lost) + Math.abs(after - covered)
  // Where holes are larger than their shells, the share is that of the shells.
  const before = lobes > 0 ? lobes : sum(shells, (each) => each.lobes)
  const lostShare = Math.min(1, lost / before)
  const areaAfterM2 = areaOf(repaired)
  return {
    shape: repaired,
    repair: {
      areaBeforeM2: (before / after) * areaAfterM2,
      areaAfterM2,
      // A smaller share comes from rounding.
      lostShare: lostShare < 1e-9 ? 0 : lostShare,
      partsBefore: shape.parts.length,
      partsAfter: repaired.parts.length,
      ...pointsChanged(shape, repaired),
    },
  }
}

function pointsChanged(before: Shape, after: Shape): Pick<Repair, 'pointsAdded' | 'pointsTakenOut'> {
  const drawn = pointsOf(before)
  const kept = pointsOf(after)
  const both = [...drawn].filter((point) => kept.has(point)).length
  return { pointsAdded: kept.size - both, pointsTakenOut: drawn.size - both }
}

function pointsOf({ coordinates }: Shape): ReadonlySet<string> {
  const points = new Set<string>()
  for (let at = 0; at < coordinates.length; at += 2) points.add(`${coordinates[at]} ${coordinates[at + 1]}`)
  return points
}

// Compares areas in the plane: on the ellipsoid an extra point in the middle of a 2 km side changes the area by 80 m², which would be
// reported as lost land.
function planarArea(shape: Shape): number {
  let area = 0
  for (const [part, end] of shape.parts.entries())
    for (let ring = firstRingOf(shape, part); ring < end; ring += 1) {
      const twice = Math.abs(signedArea(shape.coordinates, startOf(shape, ring), shape.ends[ring]!))
      area += ring === firstRingOf(shape, part) ? twice / 2 : -twice / 2
    }
  return area
}

/** The land that a ring encloses, counterclockwise, and in square degrees its area and how much the repair may add or lose. */
type Drawn = {
  readonly land: Shape | undefined
  readonly covered: number
  readonly lobes: number
  readonly lost: number
}

// Undefined when the ring cannot be repaired.
function drawnOf(shape: Shape, ring: number, grid: Grid): Drawn | undefined {
  const land = windRings(ringAlone(shape, ring))
  const faults = findFaults(land)
  if (faults.some((each) => each.code === 'boundary-no-area' || each.code === 'boundary-too-few-points')) return nothing
  if (faults.length === 0) {
    const area = planarArea(land)
    return { land, covered: area, lobes: area, lost: 0 }
  }
  const found = cover(land, 'around', grid)
  if (found === undefined) return undefined
  const { shape: repaired, covered, against, again } = found
  return repaired === undefined ? nothing : { land: repaired, covered, lobes: covered + again, lost: against + again }
}

const nothing: Drawn = { land: undefined, covered: 0, lobes: 0, lost: 0 }

function ringAlone(shape: Shape, ring: number): Shape {
  const [start, end] = [startOf(shape, ring), shape.ends[ring]!]
  const coordinates = shape.coordinates.slice(start * 2, end * 2)
  return { kind: 'Polygon', coordinates, ends: [end - start], parts: [1] }
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, each) => total + valueOf(each), 0)
}

// A shell and its holes. Undefined when they are too tangled or leave nothing.
function joinPart(rings: readonly Drawn[], grid: Grid): Shape | undefined {
  const lands = rings.flatMap(({ land }) => land ?? [])
  const [shell, ...holes] = lands
  if (shell === undefined || holes.length === 0) return shell
  const lines = joinRings([shell, ...holes.map(reverseRings)])
  const plain: Shape = { kind: 'Polygon', ...lines, parts: [lines.ends.length] }
  const isPlain = lands.length === lines.ends.length
  return isPlain && findFaults(plain).length === 0 ? plain : cover(lines, 'inside', grid)?.shape
}

// Parts that do not meet stay as they are. Undefined when they are too tangled or leave nothing.
function join(lands: readonly (Shape | undefined)[], grid: Grid): Shape | undefined {
  const whole = lands.filter((land) => land !== undefined)
  if (whole.length < lands.length) return undefined
  if (whole.length < 2) return whole[0]
  const apart = joinPolygons(whole)
  return findFaults(apart).length > 0 ? cover(apart, 'inside', grid)?.shape : apart
}

/**
 * What counts as land: `around`, everything that a line encloses, in either direction; `inside`, where more counterclockwise rings
 * than clockwise ones (holes) enclose it.
 */
type Rule = 'around' | 'inside'

/**
 * The decimals of a degree to which new points are rounded. Drawn points keep their place, and points on straight lines are removed;
 * when `strict`, all points are rounded and none is removed, so that nothing can cross.
 */
type Grid = { readonly decimals: number; readonly strict: boolean }

/**
 * Finds the land that closed rings cover; `shape` is undefined when nothing is land. In square degrees: the area it covers; the area
 * enclosed against the direction of the rest; the area enclosed more than once, counted each further time. Undefined when the rings
 * are too tangled.
 */
export function cover(rings: Rings, rule: Rule, grid: Grid) {
  const factor = 10 ** grid.decimals
  const onGrid: Rings = { coordinates: rings.coordinates.map((value) => Math.round(value * factor)), ends: rings.ends }
  const cut = cutWhereTheyMeet(onGrid)
  if (cut === undefined) return undefined
  const network = mapLines(cut)
  const isLand = rule === 'around' ? (turns: number) => turns !== 0 : (turns: number) => turns > 0
  const lands = traceLand(network, {
    isEdge: (half) => isLand(network.turns[half]!) && !isLand(network.turns[twinOf(half)]!),
    leastWidth: leastWidth * factor,
    straightens: !grid.strict,
  })
  const originals = grid.strict ? undefined : originalsOf(network.xy, onGrid)
  const place = (point: number): readonly [number, number] => {
    const vertex = originals?.[point] ?? -1
    return vertex < 0
      ? [network.xy[point * 2]! / factor + 0, network.xy[point * 2 + 1]! / factor + 0]
      : [rings.coordinates[vertex * 2]!, rings.coordinates[vertex * 2 + 1]!]
  }
  const integral = (valueOf: (turns: number) => number): number => integrate(network, valueOf) / factor / factor
  const left = integral((turns) => (turns > 0 ? 1 : 0))
  const right = integral((turns) => (turns < 0 ? 1 : 0))
  return {
    shape: lands.length === 0 ? undefined : shapeOf(lands, place),
    covered: rule === 'around' ? left + right : left,
    against: Math.min(left, right),
    again: integral((turns) => Math.max(0, Math.abs(turns) - 1)),
  }
}

// Narrower land, in degrees (a hundredth of a millimetre), comes only from rounding.
const leastWidth = 2e-10

// The integral of a function of the turns over the plane, in square steps (Green's theorem: each side counts with the change across it).
function integrate({ xy, from, turns }: Network, valueOf: (turns: number) => number): number {
  const [x0, y0] = [xy[0] ?? 0, xy[1] ?? 0]
  let sum = 0
  for (let half = 0; half < from.length; half += 2) {
    const step = valueOf(turns[half]!) - valueOf(turns[half + 1]!)
    if (step === 0) continue
    const [a, b] = [from[half]! * 2, from[half + 1]! * 2]
    sum += step * ((xy[a]! - x0) * (xy[b + 1]! - y0) - (xy[b]! - x0) * (xy[a + 1]! - y0))
  }
  return sum / 2
}

// The drawn vertex of each point, -1 for points that cutting added.
function originalsOf(xy: Float64Array, onGrid: Rings): Int32Array {
  const originals = new Int32Array(xy.length / 2).fill(-1)
  for (let vertex = onGrid.coordinates.length / 2 - 1; vertex >= 0; vertex -= 1) {
    const point = pointAt(xy, onGrid.coordinates[vertex * 2]!, onGrid.coordinates[vertex * 2 + 1]!)
    if (point >= 0) originals[point] = vertex
  }
  return originals
}

function pointAt(xy: Float64Array, x: number, y: number): number {
  let low = 0
  let high = xy.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = xy[middle * 2]! - x || xy[middle * 2 + 1]! - y
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return -1
}
