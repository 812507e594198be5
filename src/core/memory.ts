/** Limits how much memory a streaming process takes for short-lived objects. The figures are in docs/decisions.md. */

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const enoughBytes = 4 << 20
const lookEveryMs = 20
const oldGrowsByPercent = 50
const ofThreadsMB = 2

/** Lets the space for new objects grow to its limit and no further. Call it once, at the start of the process that owns it: V8's flags are global. */
export function keepMemorySmall(): void {
  setFlagsFromString(`--min-semi-space-size=${ofThreadsMB}`)
  setFlagsFromString(`--heap-growing-percent=${oldGrowsByPercent}`)
  const timer = setInterval(() => {
    const nursery = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    if (nursery !== undefined && nursery.space_size < enoughBytes) return
    // V8 reads this factor each time the space grows; the maximum size is fixed when the process starts.
    if (nursery !== undefined) setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, lookEveryMs)
  timer.unref()
}
