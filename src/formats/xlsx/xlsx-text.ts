/** Decodes text in the parts of a workbook: encoding, XML references, and Excel's own _xHHHH_ escapes. */

import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/sources/source.ts'
import { asUtf8, encodingOfHead } from '../../core/sources/text.ts'
import { attribute, nameCode, withReferences, type Attributes } from '../xml.ts'

const special = /[&\r]|_x[0-9A-Fa-f]{4}_/

/** The text of a cell: references, line ends and Excel's escapes resolved. */
export function cellText(bytes: Buffer, start: number, end: number, literal = false): string {
  const text = bytes.toString('utf8', start, end)
  if (!special.test(text)) return text
  // XML turns a line end into one line feed before references are resolved, so that &#13; and _x000D_ are unchanged.
  const lines = text.replace(/\r\n?/g, '\n')
  return unescaped(literal ? lines : withReferences(lines))
}

/** A trimmed text, for text without `xml:space`; XML has four kinds of white space. */
export function withoutOuterBlanks(text: string): string {
  return outerBlanks.test(text) ? text.replace(outerBlanks, '').replace(outerBlanks, '') : text
}

const space = nameCode('space')

/** True for an element whose `xml:space` keeps the outer blanks of its text. */
export function preservesSpace(attributes: Attributes, bytes: Buffer): boolean {
  return attribute(attributes, space, bytes) === 'preserve'
}

const outerBlanks = /^[ \t\r\n]+|[ \t\r\n]+$/

/** True for the spellings of "true" in an attribute. */
export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true' || text === 'on'
}

/** `_x000D_` is a character that XML cannot contain, `_x005F_` an underscore that begins no escape (ISO 29500-1, 22.9.2.19). */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The bytes of a part as UTF-8, whatever its byte order mark or its declaration is. */
export async function* utf8Chunks(part: Source, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const head = await part.read(0, 200)
  yield* asUtf8(part.stream(signal), encodingOfHead(head) ?? { name: declaredIn(head, part.name), bomBytes: 0 })
}

function declaredIn(head: Uint8Array, part: string): string {
  const text = Buffer.from(head).toString('latin1')
  const said = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(text)?.[1] ?? 'utf-8'
  // Some programs declare UTF-16 in the text but store it as UTF-8.
  if (/^utf-?16/i.test(said)) return 'utf-8'
  try {
    return new TextDecoder(said).encoding
  } catch (cause) {
    throw new WindrowError(
      'encoding-unknown',
      `"${part}" in the workbook is encoded as "${said}", which is not known.`,
      { hint: 'Open the workbook in Excel or LibreOffice and save it again.', cause },
    )
  }
}
