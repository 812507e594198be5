/** Runs on the second thread: normalises packs of shapes after it has received its orders. A fault of its own ends it. */

import { parentPort } from 'node:worker_threads'
import { packBoundaries, unpackShapes, type PackedShapes } from './boundary-packing.ts'
import { reusedRoom } from '../projection/coordinate-buffer.ts'
import { normaliserFor, type GeometryPolicy } from './normalise.ts'

/** The first message to the thread. */
export type Orders = { readonly policy: GeometryPolicy; readonly wantsOutlines: boolean }

// The other thread fills in the place of each row.
const at = { source: '', row: 0 }

parentPort?.once('message', ({ policy, wantsOutlines }: Orders) => {
  const normalise = normaliserFor(policy, reusedRoom)
  parentPort?.on('message', (shapes: PackedShapes) => {
    const packed = packBoundaries(unpackShapes(shapes), (shape) => normalise(shape, at), wantsOutlines)
    const { texts, ends, measures, outlines, outlineEnds } = packed
    parentPort?.postMessage(packed, [texts.buffer, ends.buffer, measures.buffer, outlines.buffer, outlineEnds.buffer])
  })
})
