/**
 * Hides how a reading process that is lost in a loop or eats memory comes to its end: a second thread of it looks on and ends the
 * process. Its owner may be gone by then, so it does not wait to be told.
 */

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
