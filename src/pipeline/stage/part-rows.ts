/** Splits a row whose boundary has several parts into one row per part, each with its own key. */

import type { Row } from '../../core/row.ts'
import { boxAround, isAreal, type Shape } from '../../core/shape.ts'
import { areasOf, explode } from '../../geometry/measure/parts.ts'
import { labelsLeftOut } from '../../geometry/boundary/sentences.ts'

/** The number of rows that were split, and of their parts. */
export type PartsMade = { rows: number; parts: number }

/**
 * Passes rows through and splits those of several parts, largest part first: a part that is added later is usually smaller,
 * so that earlier parts keep their keys.
 */
export async function* partRows(
  batches: AsyncIterable<readonly Row[]>,
  made: PartsMade,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.some(hasParts) ? batch.flatMap((row) => partsOf(row, made)) : batch
}

/** The key of a part; the largest has its row's key. "~" needs no encoding in a key and is rare in a farm's own ids. */
export function partKey(key: string, part: number | undefined): string {
  return part === undefined || part === 1 ? key : `${key}~${part}`
}

function hasParts({ shape }: Row): boolean {
  return shape !== undefined && shape !== null && (shape.kind.startsWith('Multi') || shape.members !== undefined)
}

function partsOf(row: Row, made: PartsMade): readonly Row[] {
  if (!hasParts(row)) return [row]
  const { shape, beside } = taken(row.shape!)
  const parts = explode(shape)
  if (parts.length < 2) return [row]
  made.rows += 1
  made.parts += parts.length
  const problems = beside === 0 ? row.problems : [...(row.problems ?? []), labelsLeftOut(beside, row.at)]
  const of = problems === undefined ? row : { ...row, problems }
  return bySize(parts).map((part, index) => ({ ...of, shape: part, part: index + 1 }))
}

/** A collection's polygons, if it has any: programs add a point for the label. */
function taken(shape: Shape): { readonly shape: Shape; readonly beside: number } {
  const { areas, beside } = shape.members === undefined ? { areas: undefined, beside: 0 } : areasOf(shape)
  return areas === undefined ? { shape, beside: 0 } : { shape: areas, beside }
}

/** Parts of equal size are sorted from west to east, so that their order in the file makes no difference. */
function bySize(parts: readonly Shape[]): readonly Shape[] {
  return parts
    .map((part) => ({ part, size: sizeOf(part), box: boxAround(part.coordinates) }))
    .toSorted((one, other) => other.size - one.size || one.box[0] - other.box[0] || one.box[1] - other.box[1])
    .map(({ part }) => part)
}

function sizeOf(part: Shape): number {
  const { coordinates, ends } = part
  if (isAreal(part))
    return ends.reduce((size, end, ring) => {
      const enclosed = twiceEnclosed(coordinates, ring === 0 ? 0 : ends[ring - 1]!, end)
      return ring === 0 ? enclosed : size - enclosed
    }, 0)
  let length = 0
  for (let at = 2; at < coordinates.length; at += 2)
    length += Math.hypot(coordinates[at]! - coordinates[at - 2]!, coordinates[at + 1]! - coordinates[at - 1]!)
  return length
}

/** In the file's own units, because only sizes are compared. */
function twiceEnclosed(coordinates: Float64Array, start: number, end: number): number {
  const [x0, y0] = [coordinates[start * 2]!, coordinates[start * 2 + 1]!]
  let sum = 0
  for (let at = start * 2 + 2; at + 1 < end * 2; at += 2) {
    const [x1, y1] = [coordinates[at - 2]! - x0, coordinates[at - 1]! - y0]
    sum += x1 * (coordinates[at + 1]! - y0) - (coordinates[at]! - x0) * y1
  }
  return Math.abs(sum)
}
