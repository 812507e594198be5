/** Hides how it is noticed that a file's text is in another encoding than the one that was agreed upon. */

import { isUtf8 } from 'node:buffer'
import type { Place, Row } from '../../core/row.ts'
import { windows1252Text } from '../../core/sources/text.ts'

type Example = { readonly text: string; readonly at: Place }

/** What a file says against its pipeline: a sentence, and what to write into the pipeline if the file is right. */
export type Contradiction = { readonly sentence: string; readonly write: string }

/** What the cells with letters beyond ASCII showed: sound ones, ones with letters lost, ones that are UTF-8 read as something else. */
export type Letters = {
  readonly encoding: string
  sound: number
  lost: number
  twice: number
  firstLost: Example | undefined
  firstTwice: (Example & { readonly meant: string }) | undefined
  /** The byte of each letter, where the encoding has one byte a letter. */
  readonly byteOf: ReadonlyMap<string, number> | undefined
}

/** Starts looking at text that is read in the agreed encoding. */
export function startLetters(encoding: string): Letters {
  const byteOf = bytesByLetter(encoding)
  return { encoding, sound: 0, lost: 0, twice: 0, firstLost: undefined, firstTwice: undefined, byteOf }
}

const beyondAscii = /[^\x00-\x7f]/

/** Looks at the cells of these columns. */
export function noteLetters(letters: Letters, { values, at }: Row, columns: readonly string[]): void {
  for (const column of columns) {
    const text = values[column]
    if (typeof text !== 'string' || !beyondAscii.test(text)) continue
    if (text.includes('\ufffd')) {
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

/** The text whose UTF-8 was read in the encoding; nothing where its bytes are no UTF-8. */
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
  const text = textOf(upper, encoding)
  // Only where one byte is one letter can the bytes be told from the letters.
  if (text?.length !== upper.length) return undefined
  return new Map(Array.from({ length: upper.length }, (_, index) => [text[index]!, index + 128]))
}

function textOf(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const decoder = new TextDecoder(encoding)
    return decoder.encoding === 'windows-1252' ? windows1252Text(bytes) : decoder.decode(bytes)
  } catch {
    // The reader knows names of encodings that Node does not; then only lost letters are noticed.
    return undefined
  }
}
