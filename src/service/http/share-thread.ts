/** Shares the one thread among requests: long work stops after a slice, and one slice runs for each round of the event loop. */

import { setImmediate } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/** Waits for the next turn. Whoever asked first goes first, and between two turns everything else is answered. */
export async function nextTurn(): Promise<void> {
  last = last.then(() => setImmediate())
  await last
}

const sliceMs = 20

/** Makes the function to wait for between pieces of work, which waits only when a slice is over. */
export function inSlices(): () => Promise<void> {
  let begun = performance.now()
  return async () => {
    if (performance.now() - begun < sliceMs) return
    await nextTurn()
    begun = performance.now()
  }
}
