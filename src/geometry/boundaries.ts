/**
 * Hides on which thread shapes become boundaries: on the one that asks, or, where there are many, on a second one while the first
 * reads on and works on what is ready. The outcome is the same, and so is its order.
 */

import { Worker } from 'node:worker_threads'
import type { Place, Row } from '../core/row.ts'
import type { Shape } from '../core/shape.ts'
import { boundaryOf, packShapes, unpackBoundaries, type Boundary } from './boundary-packing.ts'
import type { Answer, Orders } from './boundary-thread.ts'
import { reusingNormaliserFor, type GeometryPolicy } from './normalise.ts'

export { boundaryOf, type Boundary } from './boundary-packing.ts'

/** A batch of rows, with the boundary of each row that was to get one. */
export type Bounded = { readonly rows: readonly Row[]; readonly boundaries: readonly (Boundary | undefined)[] }

/**
 * `wants` says whether the shape of a row is wanted at all, `wantsOutlines` whether the boundaries are held against each other later;
 * `expected` how many rows there will be, where that is known.
 */
export type Bounding = {
  readonly policy: GeometryPolicy
  readonly wants: (row: Row) => boolean
  readonly wantsOutlines: boolean
  readonly expected: number | undefined
}

// Starting a thread takes 0.1 s of a processor. Shapes wait for it: the engine would compile all of this on the first thread, too.
const enoughRows = 20_000
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
  const ahead: { readonly bounded: Promise<Bounded>; readonly numbers: number }[] = []
  let [rowsRead, numbersAhead] = [0, 0]
  const start = (): Helper => startHelper({ policy, wantsOutlines })
  // Before the first rows are asked for: while the file is opened, the other processor has nothing to do.
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
      ahead.push({ bounded, numbers })
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
  const boundaries: (Boundary | undefined)[] = wanted.map(() => undefined)
  const sent: number[] = []
  for (const [index, shape] of wanted.entries()) {
    if (shape === undefined) continue
    if (shape.members === undefined && !(keepHeights && shape.z !== undefined)) sent.push(index)
    else boundaries[index] = here(shape, rows[index]!.at)
  }
  const made = await helper.bound(
    sent.map((index) => wanted[index]!),
    sent.map((index) => rows[index]!.at),
  )
  for (const [place, index] of sent.entries()) {
    const { z, m } = wanted[index]!
    const boundary = made[place]!
    boundaries[index] = z === undefined && m === undefined ? boundary : { ...boundary, droppedDimensions: true }
  }
  return { rows, boundaries }
}

/** The other thread. */
type Helper = {
  bound(shapes: readonly Shape[], places: readonly Place[]): Promise<readonly Boundary[]>
  end(): Promise<unknown>
}

type Asked = { readonly resolve: (answer: Answer) => void; readonly reject: (cause: unknown) => void }

// Beside this file it has the same ending: .ts in the repository, .js in the package.
const thread = new URL(`./boundary-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

function startHelper(orders: Orders): Helper {
  const asked: Asked[] = []
  let failure: unknown
  const worker = new Worker(thread, { workerData: orders, resourceLimits: { maxYoungGenerationSizeMb: 24 } })
  worker.on('message', (answer: Answer) => asked.shift()?.resolve(answer))
  const fail = (cause: unknown): void => {
    failure ??= cause
    for (const each of asked.splice(0)) each.reject(cause)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that makes boundaries has ended.')))
  return {
    async bound(shapes, places) {
      if (failure !== undefined) throw failure
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      asked.push({ resolve, reject })
      const packed = packShapes(shapes)
      worker.postMessage(packed, [packed.coordinates.buffer, packed.layout.buffer])
      const answer = await promise
      if ('fault' in answer) throw answer.fault
      return unpackBoundaries(answer, places)
    },
    end: () => worker.terminate(),
  }
}
