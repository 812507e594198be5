/** Writes a large text file from its pieces, with one of about a megabyte in memory at a time. */

import { appendFileSync, writeFileSync } from 'node:fs'

/** Writes the pieces one after another. */
export function writeText(path: string, pieces: Iterable<string>): void {
  writeFileSync(path, '')
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < 1 << 20) continue
    appendFileSync(path, text)
    text = ''
  }
  appendFileSync(path, text)
}
