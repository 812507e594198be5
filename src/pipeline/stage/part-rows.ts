/** Hides how a row whose boundary has several parts becomes several rows, each with a key of its own. */

import type { Problem } from '../../core/problem.ts'
import { problem } from '../../core/problem.ts'
import type { Place, Row } from '../../core/row.ts'
import { isAreal, type Shape } from '../../core/shape.ts'
import { areasOf, explode } from '../../geometry/measure/parts.ts'
import { labelsLeftOut } from '../../geometry/boundary/sentences.ts'

/** Rows and the parts that they became, counted as they pass. */
export type PartsMade = { rows: number; parts: number }

/**
 * Passes rows on, those of several parts as a row for each part, largest first: what is added to a farm is mostly smaller than what
 * was there, so that the parts that were there keep their keys.
 */
export async function* partRows(
  batches: AsyncIterable<readonly Row[]>,
  made: PartsMade,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.some(hasParts) ? batch.flatMap((row) => partsOf(row, made)) : batch
}

/** The key of a part: the largest has that of its row. The sign stands in published keys as it is, and hardly in a farm's own. */
export function partKey(key: string, part: number | undefined): string {
  return part === undefined || part === 1 ? key : `${key}~${part}`
}

/** What is said once of all rows that became several. */
export function partsNote({ rows, parts }: PartsMade, at: Place): Problem {
  const theirs = rows === 1 ? '1 row has a boundary' : `${rows} rows have boundaries`
  return problem('parts-apart', at, {
    message: `${theirs} of several parts, which became ${parts} records. Here each part counts as a row; the largest has the key of its row, the others that key with ~2, ~3 ...`,
  })
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

/** Of a collection its polygons, where it has any: programs put a point there for the label. */
function taken(shape: Shape): { readonly shape: Shape; readonly beside: number } {
  const { areas, beside } = shape.members === undefined ? { areas: undefined, beside: 0 } : areasOf(shape)
  return areas === undefined ? { shape, beside: 0 } : { shape: areas, beside }
}

/** Parts alike in size stand from west to east, so that their order in the file makes no difference. */
function bySize(parts: readonly Shape[]): readonly Shape[] {
  return parts
    .map((part) => ({ part, size: sizeOf(part), west: least(part, 0), south: least(part, 1) }))
    .toSorted((one, other) => other.size - one.size || one.west - other.west || one.south - other.south)
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

/** In the units of the file, whatever they are: only which is larger is asked. */
function twiceEnclosed(coordinates: Float64Array, start: number, end: number): number {
  const [x0, y0] = [coordinates[start * 2]!, coordinates[start * 2 + 1]!]
  let sum = 0
  for (let at = start * 2 + 2; at + 1 < end * 2; at += 2) {
    const [x1, y1] = [coordinates[at - 2]! - x0, coordinates[at - 1]! - y0]
    sum += x1 * (coordinates[at + 1]! - y0) - (coordinates[at]! - x0) * y1
  }
  return Math.abs(sum)
}

function least({ coordinates }: Shape, axis: 0 | 1): number {
  let value = Infinity
  for (let at = axis; at < coordinates.length; at += 2) value = Math.min(value, coordinates[at]!)
  return value
}
