/** Hides how a program that streams is kept small: the engine's nursery for new objects, which else grows to 128 MB. */

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

// At 4 MB a million rows take no longer than with the engine's own choice, at half the memory of the process (measured).
const enoughBytes = 4 << 20
const lookEveryMs = 20
// The engine lets what is old grow to four times what of it is needed before it looks; a third of that growth costs next to no time.
const oldGrowsByPercent = 30
// A thread's nursery begins with 1 MB, and could not grow any more where it starts after that of the first was stopped.
const ofThreadsMB = 2

/**
 * Lets the nursery grow to what pays, and stops it there. It is for whoever owns the process, once, at its start: the engine
 * has one nursery for all that runs in it.
 */
export function keepMemorySmall(): void {
  setFlagsFromString(`--min-semi-space-size=${ofThreadsMB}`)
  setFlagsFromString(`--heap-growing-percent=${oldGrowsByPercent}`)
  const timer = setInterval(() => {
    const nursery = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    if (nursery !== undefined && nursery.space_size < enoughBytes) return
    // A factor that is read each time the nursery is about to grow; its largest size is fixed when the process starts.
    if (nursery !== undefined) setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, lookEveryMs)
  timer.unref()
}
