/**
 * Hides how a Node process tells its peak memory: loaded before the program, it writes the figure into the file that
 * WINDROW_PEAK_FILE names. On Linux VmHWM is read, because maxRSS there still counts the process that started this one.
 */

import { readFileSync, writeFileSync } from 'node:fs'

process.on('exit', () => {
  const file = process.env.WINDROW_PEAK_FILE
  if (file !== undefined) writeFileSync(file, String(peakKB()))
})

function peakKB() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
