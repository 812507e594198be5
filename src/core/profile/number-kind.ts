/** Hides how it is seen, in one pass over its characters, which decimal mark a text can be a number with. */

import { readNumber } from '../number-text.ts'

/** With neither mark a number; the same number with both; one with a point only, with a comma only; with both, but not the same one. */
export const numberKinds = { none: 0, either: 1, point: 2, comma: 3, both: 4 } as const

const isPartOfNumber = new Uint8Array(0x3000)
for (const character of "0123456789+-.,eE' \t\u00a0\u2009\u202f\u2019\u2212")
  isPartOfNumber[character.charCodeAt(0)] = 1

const [plus, minus, comma, point] = [43, 45, 44, 46]
/** Beyond this the figures may be more than a number holds. */
const longestPlain = 300

const copied = new Uint16Array(longestPlain)

/** The kind of number that a trimmed text is, exactly as `readNumber` with each mark would say. */
export function numberKindOf(text: string): number {
  const { length } = text
  if (isPartOfNumber[text.charCodeAt(0)] !== 1) return numberKinds.none
  if (length > longestPlain) return slowKindOf(text)
  for (let at = 0; at < length; at += 1) copied[at] = text.charCodeAt(at)
  const kind = numberKindBetween(copied, 0, length)
  return kind === unclear ? slowKindOf(text) : kind
}

/** What `numberKindBetween` says where the text itself has to be asked. */
export const unclear = -1

/** The same of a trimmed text that is only code units yet. */
export function numberKindBetween(units: Uint16Array, from: number, to: number): number {
  const first = units[from]!
  let at = first === plus || first === minus ? from + 1 : from
  const start = at
  let markAt = -1
  let isZero = true
  for (; at < to; at++) {
    const code = units[at]!
    const isFigure = code >= 48 && code <= 57
    if (isFigure) isZero &&= code === 48
    else if ((code === point || code === comma) && markAt === -1) markAt = at
    else return isAllOfNumbers(units, at, to) ? unclear : numberKinds.none
  }
  if (to - from > longestPlain) return unclear
  if (markAt === -1) return to > start ? numberKinds.either : numberKinds.none
  const [before, after] = [markAt - start, to - markAt - 1]
  if (after === 0) return numberKinds.none
  // Three figures behind a mark, and one to three before it: decimals or thousands.
  if (after === 3 && before > 0 && before <= 3) return isZero ? numberKinds.either : numberKinds.both
  return units[markAt] === point ? numberKinds.point : numberKinds.comma
}

function isAllOfNumbers(units: Uint16Array, from: number, to: number): boolean {
  // A dash within is an exponent's, or the text is a date or a code.
  if (units[from] === minus) return false
  for (let at = from; at < to; at++) if (isPartOfNumber[units[at]!] !== 1) return false
  return true
}

function slowKindOf(text: string): number {
  const asPoint = readNumber(text, 'point')
  const asComma = readNumber(text, 'comma')
  if (asPoint === undefined) return asComma === undefined ? numberKinds.none : numberKinds.comma
  if (asComma === undefined) return numberKinds.point
  return asPoint === asComma ? numberKinds.either : numberKinds.both
}
