/** Tells which decimal separators make a text a number. */

import { readNumber } from '../values/number-text.ts'

/** A number without a separator; the same number with both; only with a point; only with a comma; with both, but a different one. */
export const numberKinds = { none: 0, either: 1, point: 2, comma: 3, both: 4 } as const

const simple = /^[+-]?(\d{0,300})(?:([.,])(\d{1,300}))?$/
/** What no number has: other characters, or a minus inside that belongs to no exponent, as in dates and codes. */
const unlikeNumber = /[^\d.,eE'+\-\u2212 \t\u00a0\u2009\u202f\u2019]|[^eE]-/

/** The kind of number that a trimmed text is, with the same results as `readNumber` with each separator. */
export function numberKindOf(text: string): number {
  const found = simple.exec(text)
  if (found === null) return unlikeNumber.test(text) ? numberKinds.none : slowKindOf(text)
  const [, before = '', mark, after = ''] = found
  if (mark === undefined) return before === '' ? numberKinds.none : numberKinds.either
  // Three digits after a separator and one to three before it: decimals or thousands.
  if (after.length === 3 && before !== '' && before.length <= 3)
    return Number(before + after) === 0 ? numberKinds.either : numberKinds.both
  return mark === '.' ? numberKinds.point : numberKinds.comma
}

function slowKindOf(text: string): number {
  const asPoint = readNumber(text, 'point')
  const asComma = readNumber(text, 'comma')
  if (asPoint === undefined) return asComma === undefined ? numberKinds.none : numberKinds.comma
  if (asComma === undefined) return numberKinds.point
  return asPoint === asComma ? numberKinds.either : numberKinds.both
}
