/** Runs on the second thread: normalises packs of shapes after it has received its orders. */

import { parentPort } from 'node:worker_threads'
import { packBoundaries, unpackShapes, type PackedBoundaries, type PackedShapes } from './boundary-packing.ts'
import { reusedRoom } from '../projection/coordinate-buffer.ts'
import { normaliserFor, type GeometryPolicy } from './normalise.ts'

/** The first message to the thread. */
export type Orders = { readonly policy: GeometryPolicy; readonly wantsOutlines: boolean }

/** The thread's answer: the boundaries of a pack, or the error that stopped it. */
export type Answer = PackedBoundaries | { readonly fault: unknown }

// The other thread fills in the place of each row.
const at = { source: '', row: 0 }

parentPort?.once('message', ({ policy, wantsOutlines }: Orders) => {
  const normalise = normaliserFor(policy, reusedRoom)
  parentPort?.on('message', (shapes: PackedShapes) => {
    try {
      const packed = packBoundaries(unpackShapes(shapes), (shape) => normalise(shape, at), wantsOutlines)
      const { texts, ends, measures, outlines, outlineEnds } = packed
      answer(packed, [texts.buffer, ends.buffer, measures.buffer, outlines.buffer, outlineEnds.buffer])
    } catch (fault) {
      answer({ fault })
    }
  })
})

function answer(message: Answer, handedOver: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, handedOver)
}
