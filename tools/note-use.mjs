/** Preloaded into measured processes: notes at the end of each its processor time and peak memory, in a file of its own. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { peakKB } from './peak-memory.mjs'

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const use = { seconds: (user + system) / 1e6, megabytes: peakKB() / 1024 }
  writeFileSync(join(process.env.WINDROW_NOTE_USE, `${process.pid}.json`), JSON.stringify(use))
})
