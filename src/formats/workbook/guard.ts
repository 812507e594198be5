/** Ends a reading process that loops or uses too much memory, from a second thread of that process, because its parent may be gone by then. */

import { workerData } from 'node:worker_threads'
import type { BookLimits } from './library.ts'

const watchMs = 25

const { seconds, memoryMB } = workerData as BookLimits
const end = performance.now() + seconds * 1000
setInterval(() => {
  if (performance.now() > end || process.memoryUsage.rss() > memoryMB * 2 ** 20) process.kill(process.pid, 'SIGKILL')
}, watchMs)
