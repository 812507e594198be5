/** Hides how broken boundaries are mended: ring by ring, part by part, then all together, and every lobe a line encloses is kept. */

import type { Mending } from '../../core/problem.ts'
import { isAreal, vertexCount, type Shape } from '../../core/shape.ts'
import { cover, type Grid } from './covered-land.ts'
import { areaOf } from '../measure/measure.ts'
import { firstRingOf, signedArea, startOf, windRings } from '../measure/rings.ts'
import { findFaults, isError } from '../validity/validity.ts'

/**
 * A mended shape and what mending did. `areaBeforeM2` is what the drawn lines enclose: the sum of the absolute areas of all lobes, those
 * of holes taken off. `lostShare` is the share of it that the mended shape takes otherwise than it was drawn:
 * - lobes that run against the rest of their ring (a program that adds up signed areas takes them off, the mended shape keeps them);
 * - land that a ring or several parts go round twice (counted twice before, once after);
 * - holes, or pieces of them, that lie outside their shell or on another hole.
 * No land inside a shell is ever dropped.
 */
export type Repaired = { readonly shape: Shape; readonly mending: Mending }

/** The decimals of a degree to which new points are laid, a hundredth of a millimetre, where nothing else is said. */
const fineDecimals = 10

// Beyond these, mending takes seconds and would seem to hang.
const mostVertices = 200_000

/**
 * Mends polygons whose rings cross or touch themselves, or cross each other or cut the land apart; rings may pass 180 degrees if they are unwrapped. Points where lines cross
 * are new and lie on a grid of `decimals`; what was drawn stays where it was. Undefined when nothing is left or the lines are too
 * tangled. Heights are not kept: where lines cross there is none.
 */
export function repair(shape: Shape, decimals = fineDecimals): Repaired | undefined {
  if (!isAreal(shape) || vertexCount(shape) > mostVertices) return undefined
  if (findFaults(shape).length === 0) return untouched(windRings(shape))
  // Where lines all but touch, a point that stays a hair off the grid can end up on the wrong side of a new one.
  const mended = mend(shape, { decimals, strict: false }) ?? mend(shape, { decimals, strict: true })
  return mended === 'tangled' ? undefined : mended
}

function mend(shape: Shape, grid: Grid): Repaired | 'tangled' | undefined {
  const drawn = shape.ends.map((_, ring) => drawnOf(shape, ring, grid))
  // A ring that cannot be mended must not pass for one that encloses nothing: its land would be dropped without a word.
  if (drawn.includes(undefined)) return 'tangled'
  const parts = shape.parts
    .map((end, part) => drawn.slice(firstRingOf(shape, part), end) as readonly Drawn[])
    .filter(([shell]) => shell !== undefined && shell.covered > 0)
  const mended = join(
    parts.map((part) => joinPart(part, grid)),
    grid,
  )
  if (mended === undefined || findFaults(mended).some(isError)) return undefined
  const after = planarArea(mended)
  const shells = parts.map(([shell]) => shell!)
  const holes = parts.flatMap(([, ...rest]) => rest)
  const covered = sum(shells, (each) => each.covered) - sum(holes, (each) => each.covered)
  const lobes = sum(shells, (each) => each.lobes) - sum(holes, (each) => each.lobes)
  const lost = sum([...shells, ...holes], (each) => each.lost) + Math.abs(after - covered)
  // Holes that outweigh their shells leave nothing to take a share of; the shells do then.
  const before = lobes > 0 ? lobes : sum(shells, (each) => each.lobes)
  const lostShare = Math.min(1, lost / before)
  const areaAfterM2 = areaOf(mended)
  return {
    shape: mended,
    mending: {
      areaBeforeM2: (before / after) * areaAfterM2,
      areaAfterM2,
      // Below this it is the rounding of areas, not land.
      lostShare: lostShare < 1e-9 ? 0 : lostShare,
      partsBefore: shape.parts.length,
      partsAfter: mended.parts.length,
      ...pointsChanged(shape, mended),
    },
  }
}

function pointsChanged(before: Shape, after: Shape): Pick<Mending, 'pointsAdded' | 'pointsTakenOut'> {
  const drawn = pointsOf(before)
  const kept = pointsOf(after)
  const isIn = (points: ReadonlySet<string>) => (point: string) => points.has(point)
  const both = [...drawn].filter(isIn(kept)).length
  return { pointsAdded: kept.size - both, pointsTakenOut: drawn.size - both }
}

function pointsOf({ coordinates }: Shape): ReadonlySet<string> {
  const points = new Set<string>()
  for (let at = 0; at < coordinates.length; at += 2) points.add(`${coordinates[at]} ${coordinates[at + 1]}`)
  return points
}

function untouched(shape: Shape): Repaired {
  const areaM2 = areaOf(shape)
  const parts = shape.parts.length
  return {
    shape,
    mending: {
      areaBeforeM2: areaM2,
      areaAfterM2: areaM2,
      lostShare: 0,
      partsBefore: parts,
      partsAfter: parts,
      pointsAdded: 0,
      pointsTakenOut: 0,
    },
  }
}

// Areas are compared in the plane of the coordinates: on the ellipsoid a side with a point in its middle encloses another area than
// one without, 80 m² for a side of 2 km, which would be told as land lost.
function planarArea(shape: Shape): number {
  let area = 0
  for (const [part, end] of shape.parts.entries())
    for (let ring = firstRingOf(shape, part); ring < end; ring += 1) {
      const twice = Math.abs(signedArea(shape.coordinates, startOf(shape, ring), shape.ends[ring]!))
      area += ring === firstRingOf(shape, part) ? twice / 2 : -twice / 2
    }
  return area
}

/** A ring as the land it encloses, shells counterclockwise, and in square degrees what that is and what mending takes otherwise. */
type Drawn = {
  readonly land: Shape | undefined
  readonly covered: number
  readonly lobes: number
  readonly lost: number
}

// Undefined when the ring cannot be mended.
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
  const { shape: mended, covered, against, again } = found
  return mended === undefined ? nothing : { land: mended, covered, lobes: covered + again, lost: against + again }
}

const nothing: Drawn = { land: undefined, covered: 0, lobes: 0, lost: 0 }

function ringAlone({ coordinates, ends }: Shape, ring: number): Shape {
  const start = ring === 0 ? 0 : ends[ring - 1]!
  const end = ends[ring]!
  return { kind: 'Polygon', coordinates: coordinates.slice(start * 2, end * 2), ends: [end - start], parts: [1] }
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, each) => total + valueOf(each), 0)
}

// A shell and its holes. Undefined when they are too tangled or leave nothing.
function joinPart(rings: readonly Drawn[], grid: Grid): Shape | undefined {
  const lands = rings.flatMap(({ land }) => land ?? [])
  const [shell, ...holes] = lands
  if (shell === undefined || holes.length === 0) return shell
  const lines = ringsTogether([shell, ...holes.map(turnedOver)])
  const { coordinates, ends } = lines
  const plain: Shape = { kind: 'Polygon', coordinates, ends, parts: [ends.length] }
  const isPlain = lands.length === lines.ends.length
  return isPlain && findFaults(plain).length === 0 ? plain : cover(lines, 'inside', grid)?.shape
}

// Parts that do not meet stay as they are. Undefined when they are too tangled or leave nothing.
function join(lands: readonly (Shape | undefined)[], grid: Grid): Shape | undefined {
  const whole: Shape[] = []
  for (const land of lands) {
    if (land === undefined) return undefined
    whole.push(land)
  }
  if (whole.length < 2) return whole[0]
  const lines = ringsTogether(whole)
  const { coordinates, ends } = lines
  const parts: number[] = []
  let rings = 0
  for (const each of whole) {
    for (const end of each.parts) parts.push(rings + end)
    rings += each.ends.length
  }
  const apart: Shape = { kind: 'MultiPolygon', coordinates, ends, parts }
  return findFaults(apart).length > 0 ? cover(lines, 'inside', grid)?.shape : apart
}

// Lists are filled one by one, and shapes made like all others: at the first that came otherwise, thousands of rows into a file, the
// engine threw away what it had compiled for them.
function ringsTogether(shapes: readonly Shape[]): Pick<Shape, 'coordinates' | 'ends'> {
  const coordinates = new Float64Array(2 * sum(shapes, vertexCount))
  const ends: number[] = []
  let vertices = 0
  for (const each of shapes) {
    coordinates.set(each.coordinates, vertices * 2)
    for (const end of each.ends) ends.push(vertices + end)
    vertices += vertexCount(each)
  }
  return { coordinates, ends }
}

// Land as a hole, and the holes of it as land.
function turnedOver(shape: Shape): Shape {
  const coordinates = new Float64Array(shape.coordinates.length)
  for (let ring = 0; ring < shape.ends.length; ring += 1) {
    const start = startOf(shape, ring)
    const end = shape.ends[ring]!
    for (let vertex = start; vertex < end; vertex += 1) {
      const to = (start + end - 1 - vertex) * 2
      coordinates[to] = shape.coordinates[vertex * 2]!
      coordinates[to + 1] = shape.coordinates[vertex * 2 + 1]!
    }
  }
  return { ...shape, coordinates }
}
