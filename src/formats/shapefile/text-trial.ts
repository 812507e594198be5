/** Tests which encodings a table's text can have: ASCII, UTF-8, DOS or Windows. */

import { isAscii, isUtf8 } from 'node:buffer'
import { wholeLetters } from '../../core/sources/text.ts'

/** The possible encoding of a whole table's text. `dos` is a code page of DOS, `other` anything that is not UTF-8. */
export type TextTrial = 'ascii' | 'utf-8' | 'dos' | 'other'

// Letters of the Western code pages of DOS that are symbols or unassigned in Windows-1252. Bytes that are letters or
// apostrophes (0x91 to 0x93) in both prove nothing.
const dosLetters = new Set([
  0x81, 0x82, 0x83, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8b, 0x8d, 0x90, 0x94, 0x95, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5,
])

/** Starts a trial of cells. `fills` means that the cell is full to its last byte, so a letter may be cut off. */
export function startTrial() {
  let hasUtf8 = false
  let hasOther = false
  let ofDos = 0
  let ofWindows = 0
  return {
    add(bytes: Buffer, fills: boolean): void {
      if (isAscii(bytes)) return
      if (isUtf8(bytes) || (fills && isUtf8(bytes.subarray(0, wholeLetters(bytes))))) {
        hasUtf8 = true
        return
      }
      hasOther = true
      for (let at = 1; at + 1 < bytes.length; at += 1) {
        const code = bytes[at]!
        if (code < 0x80 || !isLetter(bytes[at - 1]!) || !isLetter(bytes[at + 1]!)) continue
        if (dosLetters.has(code)) ofDos += 1
        else if (code >= 0xc0) ofWindows += 1
      }
    },
    verdict(): TextTrial {
      if (!hasOther) return hasUtf8 ? 'utf-8' : 'ascii'
      // DOS has few letters above 0xc0, such as the sharp s.
      return ofDos > ofWindows * 4 ? 'dos' : 'other'
    },
  }
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
