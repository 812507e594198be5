/** Shares one thread among requests: long work pauses after a slice, and each round of the event loop runs one slice. */

import { setImmediate } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/** Waits for the next turn, first come first served. Between two turns all other requests make progress. */
export async function nextTurn(): Promise<void> {
  last = last.then(() => setImmediate())
  await last
}

const sliceMs = 20

/** Makes a function to await between pieces of work; it waits only when the slice is over. */
export function inSlices(): () => Promise<void> {
  let begun = performance.now()
  return async () => {
    if (performance.now() - begun < sliceMs) return
    await nextTurn()
    begun = performance.now()
  }
}
