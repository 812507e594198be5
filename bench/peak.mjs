/**
 * Reports the peak memory of a Node process: loaded before the program, it writes the number into the file that
 * WINDROW_PEAK_FILE names.
 */

import { writeFileSync } from 'node:fs'
import { peakKB } from '../tools/peak-memory.mjs'

process.on('exit', () => {
  const file = process.env.WINDROW_PEAK_FILE
  if (file !== undefined) writeFileSync(file, String(peakKB()))
})
