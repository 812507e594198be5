/**
 * Makes boundaries of the shapes of rows: on the calling thread, or, for many rows, on a second one while the first continues to
 * read. The result and its order are the same.
 */

import { Worker } from 'node:worker_threads'
import type { Place, Row } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { reusedRoom } from '../projection/coordinate-buffer.ts'
import { boundaryOf, packShapes, unpackBoundaries, type Boundary, type PackedBoundaries } from './boundary-packing.ts'
import type { Orders } from './boundary-thread.ts'
import { normaliserFor, type GeometryPolicy } from './normalise.ts'

export { boundaryOf, type Boundary } from './boundary-packing.ts'

/** A batch of rows, with the boundary of each row that needs one. */
export type Bounded = { readonly rows: readonly Row[]; readonly boundaries: readonly (Boundary | undefined)[] }

/**
 * `wants` is true for a row of the batch that was just read whose shape is needed, `wantsOutlines` when the boundaries are compared with each other later;
 * `expected` is the number of shapes that are needed, where that is known.
 */
export type Bounding = {
  readonly policy: GeometryPolicy
  readonly wants: (row: Row, index: number) => boolean
  readonly wantsOutlines: boolean
  readonly expected: number | undefined
}

/** The shapes needed before a second thread starts, where their number is not known. */
const shapesBeforeStart = 2_000

/** The batches that the second thread has while the caller works on one: with a single one, each thread often waits for the other. */
const batchesAhead = 3

/** Gives the rows of batches their boundaries. The second thread ends with the loop, however that ends. */
export async function* withBoundaries(
  batches: AsyncIterable<readonly Row[]>,
  { policy, wants, wantsOutlines, expected }: Bounding,
): AsyncGenerator<Bounded> {
  const normalise = normaliserFor(policy, reusedRoom)
  const here = (shape: Shape, at: Place): Boundary => boundaryOf(normalise(shape, at), wantsOutlines)
  const startsAt = expected === undefined ? shapesBeforeStart : expected >= enoughRows ? 0 : Infinity
  const ahead: Promise<Bounded>[] = []
  const orders: Orders = { policy, wantsOutlines }
  let needed = 0
  // The thread starts while the first rows are read.
  let helper = startsAt === 0 ? startHelper(orders) : undefined
  try {
    for await (const rows of batches) {
      if (needed >= startsAt) helper ??= startHelper(orders)
      const wanted = rows.map((row, index) => (row.shape && wants(row, index) ? row.shape : undefined))
      needed += wanted.filter((shape) => shape !== undefined).length
      if (helper === undefined) {
        yield { rows, boundaries: wanted.map((shape, index) => shape && here(shape, rows[index]!.at)) }
        continue
      }
      const bounded = boundOnOtherThread(helper, { rows, wanted, here, keepHeights: policy.keepHeights })
      // Awaited when its turn comes; until then it must not count as an unhandled rejection.
      bounded.catch(() => undefined)
      ahead.push(bounded)
      if (ahead.length > batchesAhead) yield await ahead.shift()!
    }
    for (const bounded of ahead) yield await bounded
  } finally {
    await helper?.end()
  }
}

/** Passes on batches of rows that have no shapes. */
export async function* withoutBoundaries(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Bounded> {
  for await (const rows of batches) yield { rows, boundaries: [] }
}

type Batch = {
  readonly rows: readonly Row[]
  readonly wanted: readonly (Shape | undefined)[]
  readonly here: (shape: Shape, at: Place) => Boundary
  readonly keepHeights: boolean
}

// Sending costs more than a few shapes, as between many rows that need none.
const worthSending = 10

/** Sends the outlines to the other thread; collections, and shapes whose heights are kept, are few and stay here. */
async function boundOnOtherThread(helper: Helper, { rows, wanted, here, keepHeights }: Batch): Promise<Bounded> {
  const boundaries: (Boundary | undefined)[] = []
  const sent: number[] = []
  const shapes: Shape[] = []
  const places: Place[] = []
  const isWorthSending = wanted.filter((shape) => shape !== undefined).length >= worthSending
  for (let index = 0; index < wanted.length; index += 1) {
    const shape = wanted[index]
    const { at } = rows[index]!
    boundaries.push(undefined)
    if (shape === undefined) continue
    if (isWorthSending && shape.members === undefined && !(keepHeights && shape.z !== undefined)) {
      sent.push(index)
      shapes.push(shape)
      places.push(at)
    } else boundaries[index] = here(shape, at)
  }
  const made = shapes.length === 0 ? [] : await helper.bound(shapes, places)
  for (let index = 0; index < sent.length; index += 1) {
    const { z, m } = shapes[index]!
    const boundary = made[index]!
    boundaries[sent[index]!] = z === undefined && m === undefined ? boundary : { ...boundary, droppedDimensions: true }
  }
  return { rows, boundaries }
}

/** The rows from which a second thread is worth its start. */
const enoughRows = 20_000

// The thread's file has the same ending as this one: .ts in the repository, .js in the package.
const thread = new URL(`./boundary-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

type Helper = ReturnType<typeof startHelper>

function startHelper(orders: Orders) {
  const asked: PromiseWithResolvers<PackedBoundaries>[] = []
  let failure: unknown
  const worker = new Worker(thread, { resourceLimits: { maxYoungGenerationSizeMb: 16 } })
  worker.on('message', (packed: PackedBoundaries) => asked.shift()?.resolve(packed))
  const fail = (cause: unknown): void => {
    failure ??= cause
    for (const each of asked.splice(0)) each.reject(cause)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that makes boundaries has ended.')))
  worker.postMessage(orders)
  return {
    async bound(shapes: readonly Shape[], places: readonly Place[]): Promise<readonly Boundary[]> {
      if (failure !== undefined) throw failure
      const turn = Promise.withResolvers<PackedBoundaries>()
      asked.push(turn)
      const packed = packShapes(shapes)
      worker.postMessage(packed, [packed.coordinates.buffer, packed.layout.buffer])
      return unpackBoundaries(await turn.promise, places)
    },
    end: () => worker.terminate(),
  }
}
