/**
 * Hides on which thread shapes become boundaries: on the one that asks, or, where there are many, on a second one while the first
 * reads on and works on what is ready. The outcome is the same, and so is its order.
 */

import type { Place, Row } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { enoughRows, startHelper, type Helper } from './boundary-helper.ts'
import { boundaryOf, type Boundary } from './boundary-packing.ts'
import { reusingNormaliserFor, type GeometryPolicy } from './normalise.ts'

export { boundaryOf, type Boundary } from './boundary-packing.ts'

/** A batch of rows, with the boundary of each row that was to get one. */
export type Bounded = { readonly rows: readonly Row[]; readonly boundaries: readonly (Boundary | undefined)[] }

/**
 * `wants` says whether the shape of a row is wanted at all, `wantsOutlines` whether the boundaries are compared with each other later;
 * `expected` how many rows there will be, where that is known.
 */
export type Bounding = {
  readonly policy: GeometryPolicy
  readonly wants: (row: Row) => boolean
  readonly wantsOutlines: boolean
  readonly expected: number | undefined
}

/** Where it is not known how many rows there will be. */
const rowsBeforeStart = 2_000
const mostBatchesAhead = 2
/** 16 MB: a batch of very long boundaries travels alone. */
const mostNumbersAhead = 2_000_000

/** Gives the rows of batches their boundaries. The thread ends with the walk, however that ends. */
export async function* withBoundaries(
  batches: AsyncIterable<readonly Row[]>,
  { policy, wants, wantsOutlines, expected }: Bounding,
): AsyncGenerator<Bounded> {
  const normalise = reusingNormaliserFor(policy)
  const here = (shape: Shape, at: Place): Boundary => boundaryOf(normalise(shape, at), wantsOutlines)
  const startsAt = expected === undefined ? rowsBeforeStart : expected >= enoughRows ? 0 : Infinity
  const ahead: { readonly rows: readonly Row[]; readonly bounded: Promise<Bounded>; readonly numbers: number }[] = []
  let [rowsRead, numbersAhead] = [0, 0]
  const start = (): Helper => {
    const started = startHelper()
    started.order({ policy, wantsOutlines })
    return started
  }
  // Before the first rows are asked for: until they are read, the other processor has nothing to do.
  let helper: Helper | undefined = startsAt === 0 ? start() : undefined
  try {
    for await (const rows of batches) {
      if (rowsRead >= startsAt) helper ??= start()
      rowsRead += rows.length
      const wanted = rows.map((row) => (row.shape && wants(row) ? row.shape : undefined))
      if (helper === undefined) {
        yield { rows, boundaries: wanted.map((shape, index) => shape && here(shape, rows[index]!.at)) }
        continue
      }
      const numbers = wanted.reduce((sum, shape) => sum + (shape?.coordinates.length ?? 0), 0)
      const bounded = boundThere(helper, { rows, wanted, here, keepHeights: policy.keepHeights })
      // Looked at when its turn comes; until then it is no unhandled rejection.
      bounded.catch(() => undefined)
      ahead.push({ rows, bounded, numbers })
      numbersAhead += numbers
      while (ahead.length > mostBatchesAhead || (numbersAhead > mostNumbersAhead && ahead.length > 1)) {
        const first = ahead.shift()!
        numbersAhead -= first.numbers
        yield await first.bounded
      }
    }
    for (const { bounded } of ahead) yield await bounded
  } finally {
    await helper?.end()
  }
}

/** The same for rows that have no shapes. */
export async function* withoutBoundaries(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Bounded> {
  for await (const rows of batches) yield { rows, boundaries: [] }
}

type Batch = {
  readonly rows: readonly Row[]
  readonly wanted: readonly (Shape | undefined)[]
  readonly here: (shape: Shape, at: Place) => Boundary
  readonly keepHeights: boolean
}

/** Sends the outlines to the other thread; collections, and heights that are to be kept, are few and stay here. */
async function boundThere(helper: Helper, { rows, wanted, here, keepHeights }: Batch): Promise<Bounded> {
  const boundaries: (Boundary | undefined)[] = []
  const sent: number[] = []
  const shapes: Shape[] = []
  const places: Place[] = []
  for (let index = 0; index < wanted.length; index += 1) {
    const shape = wanted[index]
    const { at } = rows[index]!
    boundaries.push(undefined)
    if (shape === undefined) continue
    if (shape.members === undefined && !(keepHeights && shape.z !== undefined)) {
      sent.push(index)
      shapes.push(shape)
      places.push(at)
    } else boundaries[index] = here(shape, at)
  }
  const made = await helper.bound(shapes, places)
  for (let index = 0; index < sent.length; index += 1) {
    const { z, m } = shapes[index]!
    const boundary = made[index]!
    boundaries[sent[index]!] = z === undefined && m === undefined ? boundary : { ...boundary, droppedDimensions: true }
  }
  return { rows, boundaries }
}
