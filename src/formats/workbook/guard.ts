/** Ends a reading process that loops or uses too much memory, from a second thread of that process, because its parent may be gone by then. */

import { parentPort } from 'node:worker_threads'
import type { BookLimits } from './library.ts'

const watchMs = 25

let clock: NodeJS.Timeout | undefined

parentPort?.on('message', (limits: BookLimits | undefined) => {
  clearInterval(clock)
  if (limits === undefined) return
  const end = performance.now() + limits.seconds * 1000
  clock = setInterval(() => {
    if (performance.now() > end || process.memoryUsage.rss() > limits.memoryMB * 2 ** 20)
      process.kill(process.pid, 'SIGKILL')
  }, watchMs)
})
