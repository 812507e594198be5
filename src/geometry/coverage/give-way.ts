/** Cuts the land of other boundaries off a boundary. */

import { isAreal, type Shape } from '../../core/shape.ts'
import { cover, type Grid } from '../repair/covered-land.ts'
import { areaOf } from '../measure/measure.ts'
import { explode, joinPolygons } from '../measure/parts.ts'
import { joinRings, reverseRings, tidyRounded, windRings, type Rings } from '../measure/rings.ts'
import { findFaults, isError } from '../validity/validity.ts'

// Two lines that cross each other again and again leave tiny pieces on the far side.
const smallestPartM2 = 1

/** The boundary without the land of others, with new corners rounded. Undefined where it would fall apart or nothing valid is left. */
export function giveWay(shape: Shape, others: readonly Rings[], decimals: number): Shape | undefined {
  if (!isAreal(shape) || shape.z !== undefined) return undefined
  // Reversed rings subtract their land.
  const rings = joinRings([shape, ...others.map(reverseRings)])
  return soundly(shape, rings, { decimals, strict: false }) ?? soundly(shape, rings, { decimals, strict: true })
}

function soundly(shape: Shape, rings: Rings, grid: Grid): Shape | undefined {
  const left = cover(rings, 'inside', grid)?.shape
  if (left === undefined) return undefined
  const parts = explode(tidyRounded(left, grid.decimals)).filter((part) => areaOf(part) >= smallestPartM2)
  if (parts.length !== shape.parts.length) return undefined
  const whole = windRings({ ...joinPolygons(parts), kind: shape.kind })
  return findFaults(whole).some(isError) ? undefined : whole
}
