/** Tells which decimal separators make a text a number. */

import { readNumber } from '../values/number-text.ts'

/** A number without a separator; the same number with both; only with a point; only with a comma; with both, but a different one. */
export const numberKinds = { none: 0, either: 1, point: 2, comma: 3, both: 4 } as const

const isPartOfNumber = new Uint8Array(0x3000)
for (const character of "0123456789+-.,eE' \t\u00a0\u2009\u202f\u2019\u2212")
  isPartOfNumber[character.charCodeAt(0)] = 1

const [plus, minus, comma, point] = [43, 45, 44, 46]
/** More digits than this may not fit into a number. */
const longestPlain = 300

/** The kind of number that a trimmed text is, with the same results as `readNumber` with each separator. */
export function numberKindOf(text: string): number {
  const { length } = text
  if (isPartOfNumber[text.charCodeAt(0)] !== 1) return numberKinds.none
  if (length > longestPlain) return slowKindOf(text)
  const first = text.charCodeAt(0)
  const start = first === plus || first === minus ? 1 : 0
  let markAt = -1
  let isZero = true
  for (let at = start; at < length; at += 1) {
    const code = text.charCodeAt(at)
    const isDigit = code >= 48 && code <= 57
    if (isDigit) isZero &&= code === 48
    else if ((code === point || code === comma) && markAt === -1) markAt = at
    else return mayBeNumber(text, at) ? slowKindOf(text) : numberKinds.none
  }
  if (markAt === -1) return length > start ? numberKinds.either : numberKinds.none
  const [before, after] = [markAt - start, length - markAt - 1]
  if (after === 0) return numberKinds.none
  // Three digits after a separator and one to three before it: decimals or thousands.
  if (after === 3 && before > 0 && before <= 3) return isZero ? numberKinds.either : numberKinds.both
  return text.charCodeAt(markAt) === point ? numberKinds.point : numberKinds.comma
}

function mayBeNumber(text: string, from: number): boolean {
  // A minus inside belongs to an exponent; otherwise the text is a date or a code.
  if (text.charCodeAt(from) === minus) return false
  for (let at = from; at < text.length; at += 1) if (isPartOfNumber[text.charCodeAt(at)] !== 1) return false
  return true
}

function slowKindOf(text: string): number {
  const asPoint = readNumber(text, 'point')
  const asComma = readNumber(text, 'comma')
  if (asPoint === undefined) return asComma === undefined ? numberKinds.none : numberKinds.comma
  if (asComma === undefined) return numberKinds.point
  return asPoint === asComma ? numberKinds.either : numberKinds.both
}
