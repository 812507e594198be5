/** Hides how a run tells what it took: loaded before the program, it writes peak memory and processor time when that ends. */

import { readFileSync, writeFileSync } from 'node:fs'

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(
    process.env.WINDROW_WATCH_FILE,
    JSON.stringify({ peakMB: peakKB() / 1024, cpuMs: (user + system) / 1000 }),
  )
})

// On Linux maxRSS still counts the process that started this one.
function peakKB() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
