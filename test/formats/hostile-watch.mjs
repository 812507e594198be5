/** Writes peak memory and processor time when the program ends; loaded before it. */

import { writeFileSync } from 'node:fs'
import { peakKB } from '../../tools/peak-memory.mjs'

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(
    process.env.WINDROW_WATCH_FILE,
    JSON.stringify({ peakMB: peakKB() / 1024, cpuMs: (user + system) / 1000 }),
  )
})
