/**
 * Hides where a process finds its own peak memory. Plain JavaScript, because it is loaded into programs that are measured, and
 * taking types out of a file takes memory itself.
 */

import { readFileSync } from 'node:fs'

/** The most memory this process has had, in kB. On Linux maxRSS still counts the process that started this one. */
export function peakKB() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
