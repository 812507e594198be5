/** Repairs broken boundaries ring by ring, then part by part, then as a whole, and keeps every area that a line encloses. */

import type { Repair } from '../../core/problem.ts'
import { firstRingOf, isAreal, startOf, vertexCount, type Shape } from '../../core/shape.ts'
import { cover, type Grid } from './covered-land.ts'
import { areaOf } from '../measure/measure.ts'
import { joinPolygons } from '../measure/parts.ts'
import { joinRings, reverseRings, signedArea, windRings } from '../measure/rings.ts'
import { findFaults, isError } from '../validity/validity.ts'

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
