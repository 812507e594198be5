/** Counts signs that a file's text has another encoding than the pipeline's. */

import { isUtf8 } from 'node:buffer'
import type { Place, Row } from '../../core/row.ts'
import { hasLostLetters } from '../../core/sources/text.ts'

type Example = { readonly text: string; readonly at: Place }

/** Cells with letters beyond ASCII: sound ones, ones with lost letters, and UTF-8 read as another encoding. */
export type Letters = ReturnType<typeof startLetters>

/** Starts counting for text in the pipeline's encoding. */
export function startLetters(encoding: string) {
  return {
    encoding,
    sound: 0,
    lost: 0,
    twice: 0,
    firstLost: undefined as Example | undefined,
    firstTwice: undefined as (Example & { readonly meant: string }) | undefined,
    /** The byte of each letter, if the encoding has one byte per letter. */
    byteOf: bytesByLetter(encoding),
  }
}

const beyondAscii = /[^\x00-\x7f]/

/** Counts the cells of these columns. */
export function noteLetters(letters: Letters, { values, at }: Row, columns: readonly string[]): void {
  for (const column of columns) {
    const text = values[column]
    if (typeof text !== 'string' || !beyondAscii.test(text)) continue
    if (hasLostLetters(text)) {
      letters.lost += 1
      letters.firstLost ??= { text: text.slice(0, 60), at }
      continue
    }
    const meant = letters.byteOf && readAsUtf8(text, letters.byteOf)
    if (meant === undefined) letters.sound += 1
    else {
      letters.twice += 1
      letters.firstTwice ??= { text: text.slice(0, 60), meant: meant.slice(0, 60), at }
    }
  }
}

/** The text read again as UTF-8; undefined if its bytes are not UTF-8. */
function readAsUtf8(text: string, byteOf: ReadonlyMap<string, number>): string | undefined {
  const bytes = Buffer.alloc(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const byte = code < 128 ? code : byteOf.get(text[index]!)
    if (byte === undefined) return undefined
    bytes[index] = byte
  }
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

function bytesByLetter(encoding: string): ReadonlyMap<string, number> | undefined {
  const upper = Uint8Array.from({ length: 128 }, (_, index) => index + 128)
  try {
    const text = new TextDecoder(encoding).decode(upper)
    // The bytes can be restored only if the encoding has one byte per letter.
    return text.length === upper.length ? new Map(Array.from(text, (letter, at) => [letter, at + 128])) : undefined
  } catch {
    // The reader knows encodings that Node does not; then only lost letters are counted.
    return undefined
  }
}
