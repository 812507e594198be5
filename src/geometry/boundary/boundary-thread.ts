/** Hides nothing: the thread that normalises the shapes of boundaries.ts, pack after pack, once it has its orders. */

import { parentPort } from 'node:worker_threads'
import { packBoundaries, unpackShapes, type PackedBoundaries, type PackedShapes } from './boundary-packing.ts'
import { reusingNormaliserFor, type GeometryPolicy } from './normalise.ts'

/** What the thread is told first. */
export type Orders = { readonly policy: GeometryPolicy; readonly wantsOutlines: boolean }

/** What the thread says: what became of a pack, or why it could not go on. */
export type Answer = PackedBoundaries | { readonly fault: unknown }

// The asker puts in the place of each row; a thread of its own need not know it.
const at = { source: '', row: 0 }

parentPort?.once('message', ({ policy, wantsOutlines }: Orders) => {
  const normalise = reusingNormaliserFor(policy)
  parentPort?.on('message', (shapes: PackedShapes) => {
    try {
      const packed = packBoundaries(unpackShapes(shapes), (shape) => normalise(shape, at), wantsOutlines)
      const { texts, ends, figures, outlines, outlineEnds } = packed
      answer(packed, [texts.buffer, ends.buffer, figures.buffer, outlines.buffer, outlineEnds.buffer])
    } catch (fault) {
      answer({ fault })
    }
  })
})

function answer(said: Answer, handedOver: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(said, handedOver)
}
