/** Starts the second thread, sends it shapes, and reports its failures to whoever waits for an answer. */

import { Worker } from 'node:worker_threads'
import type { Place } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { packShapes, unpackBoundaries, type Boundary } from './boundary-packing.ts'
import type { Answer, Orders } from './boundary-thread.ts'

/** The other thread. It needs its orders before the first shapes. */
export type Helper = {
  order(orders: Orders): void
  bound(shapes: readonly Shape[], places: readonly Place[]): Promise<readonly Boundary[]>
  end(): Promise<unknown>
}

/** The rows from which a second thread is worth its start. */
export const enoughRows = 20_000

type Asked = { readonly resolve: (answer: Answer) => void; readonly reject: (cause: unknown) => void }

// The thread's file has the same ending as this one: .ts in the repository, .js in the package.
const thread = new URL(`./boundary-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/** Starts the second thread. */
export function startHelper(): Helper {
  const asked: Asked[] = []
  let failure: unknown
  const worker = new Worker(thread, { resourceLimits: { maxYoungGenerationSizeMb: 16 } })
  worker.on('message', (answer: Answer) => asked.shift()?.resolve(answer))
  const fail = (cause: unknown): void => {
    failure ??= cause
    for (const each of asked.splice(0)) each.reject(cause)
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that makes boundaries has ended.')))
  return {
    order: (orders) => worker.postMessage(orders),
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
