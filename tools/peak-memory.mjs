/** Reads the peak memory of its own process. Plain JavaScript, because removing types would add to the memory of measured programs. */

import { readFileSync } from 'node:fs'

/** The peak memory of this process, in kB. On Linux maxRSS still counts the process that started this one. */
export function peakKB() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
