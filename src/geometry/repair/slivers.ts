/** Removes what is narrower than a width from boundaries: points almost on each other, spikes, narrow holes and parts. */

import { firstRingOf, pickVertices, startOf, type Shape } from '../../core/shape.ts'
import { areaOf } from '../measure/measure.ts'
import { range } from '../measure/rings.ts'

/** The shape without narrow parts, how many points and whole rings were removed, and the land that this added or lost. */
export type Slimmed = NonNullable<ReturnType<typeof withoutSlivers>>

/**
 * Removes from closed rings in longitude and latitude what is narrower than `widthM`: points closer than that to the one before,
 * spikes, and holes and parts that are narrow along their whole length. The last part always stays. Undefined when nothing is narrow.
 */
export function withoutSlivers(shape: Shape, widthM: number) {
  const plane = planeOf(shape)
  const vertices: number[] = []
  const ends: number[] = []
  const parts: number[] = []
  let points = 0
  let rings = 0
  for (const [part, partEnd] of shape.parts.entries()) {
    for (let ring = firstRingOf(shape, part); ring < partEnd; ring += 1) {
      const isShell = ring === firstRingOf(shape, part)
      const drawn = range(startOf(shape, ring), shape.ends[ring]!)
      const isLast = isShell && parts.length === 0 && part === shape.parts.length - 1
      if (!isLast && isNarrow(plane, drawn, widthM)) {
        rings += isShell ? partEnd - ring : 1
        if (isShell) break
        continue
      }
      const kept = slim(plane, drawn, widthM)
      points += drawn.length - kept.length
      vertices.push(...kept)
      ends.push(vertices.length)
    }
    if (ends.length > (parts.at(-1) ?? 0)) parts.push(ends.length)
  }
  if (points === 0 && rings === 0) return undefined
  const slimmed = { ...pickVertices(shape, vertices, ends), parts }
  const areaBeforeM2 = areaOf(shape)
  return { shape: slimmed, points, rings, areaBeforeM2, changedM2: Math.abs(areaOf(slimmed) - areaBeforeM2) }
}

/** Metres to a degree where the shape lies, and its vertices. */
type Plane = { readonly xy: Float64Array; readonly perLon: number; readonly perLat: number }

function planeOf({ coordinates }: Shape): Plane {
  const perLat = 111_132
  return { xy: coordinates, perLon: perLat * Math.cos(((coordinates[1] ?? 0) * Math.PI) / 180), perLat }
}

function distance({ xy, perLon, perLat }: Plane, one: number, other: number): number {
  return Math.hypot((xy[one * 2]! - xy[other * 2]!) * perLon, (xy[one * 2 + 1]! - xy[other * 2 + 1]!) * perLat)
}

/** The first point of a closed ring to which it runs at least so far, and back less than `widthM` beside itself. */
export function spikeIn(shape: Shape, { widthM, lengthM }: { readonly widthM: number; readonly lengthM: number }) {
  const { xy, perLon, perLat } = planeOf(shape)
  for (const [ring, end] of shape.ends.entries()) {
    let before = end - 2
    for (let at = startOf(shape, ring); at < end - 1; at += 1) {
      const [lon, lat] = [xy[at * 2]!, xy[at * 2 + 1]!]
      const [ax, ay] = [(xy[before * 2]! - lon) * perLon, (xy[before * 2 + 1]! - lat) * perLat]
      const [cx, cy] = [(xy[at * 2 + 2]! - lon) * perLon, (xy[at * 2 + 3]! - lat) * perLat]
      const [there, back] = [ax * ax + ay * ay, cx * cx + cy * cy]
      // A blunt tip has two points.
      if (back < widthM * widthM) continue
      before = at
      if (ax * cx + ay * cy <= 0 || Math.min(there, back) < lengthM * lengthM) continue
      const apart = Math.abs(ax * cy - ay * cx) / Math.sqrt(Math.max(there, back))
      if (apart < widthM) return { lon, lat, lengthM: Math.sqrt(Math.min(there, back)) }
    }
  }
  return undefined
}

// Twice the area over the length around is about the width of what is long and narrow.
function isNarrow(plane: Plane, ring: readonly number[], widthM: number): boolean {
  const { xy, perLon, perLat } = plane
  const [x0, y0] = [xy[ring[0]! * 2]!, xy[ring[0]! * 2 + 1]!]
  let area = 0
  let around = 0
  for (let index = 1; index < ring.length; index += 1) {
    const [one, other] = [ring[index - 1]!, ring[index]!]
    area += (xy[one * 2]! - x0) * (xy[other * 2 + 1]! - y0) - (xy[other * 2]! - x0) * (xy[one * 2 + 1]! - y0)
    around += distance(plane, one, other)
  }
  return (Math.abs(area) * perLon * perLat) / around < widthM
}

// A closed ring without close points and spikes; the drawn ring when fewer than three points would be left.
function slim(plane: Plane, ring: readonly number[], widthM: number): readonly number[] {
  const open = ring.slice(0, -1)
  const kept: number[] = []
  for (const vertex of open) {
    kept.push(vertex)
    settleEnd(plane, kept, widthM)
  }
  // The ends meet, so the first points are checked again after the last.
  for (let turn = 0; turn < open.length && kept.length > 3; turn += 1) {
    const length = kept.length
    kept.push(kept.shift()!)
    settleEnd(plane, kept, widthM)
    if (kept.length === length && turn >= 3) break
  }
  return kept.length < 3 || kept.length === open.length ? ring : [...kept, kept[0]!]
}

// Removes points at the end of a line until its last three are neither close nor a spike.
function settleEnd(plane: Plane, kept: number[], widthM: number): void {
  while (kept.length > 1) {
    const [a, b, c] = [kept.at(-3), kept.at(-2)!, kept.at(-1)!]
    if (distance(plane, b, c) < widthM) kept.pop()
    else if (a !== undefined && isSpike(plane, [a, b, c], widthM)) kept.splice(-2, 1)
    else return
  }
}

function isSpike(plane: Plane, [a, b, c]: readonly [number, number, number], widthM: number): boolean {
  const { xy, perLon, perLat } = plane
  const [ax, ay] = [(xy[a * 2]! - xy[b * 2]!) * perLon, (xy[a * 2 + 1]! - xy[b * 2 + 1]!) * perLat]
  const [cx, cy] = [(xy[c * 2]! - xy[b * 2]!) * perLon, (xy[c * 2 + 1]! - xy[b * 2 + 1]!) * perLat]
  if (ax * cx + ay * cy <= 0) return false
  return Math.abs(ax * cy - ay * cx) / Math.max(Math.hypot(ax, ay), Math.hypot(cx, cy)) < widthM
}
