/** Reads numbers from text, with the decimal and thousands separators of any country. */

export type DecimalMark = 'point' | 'comma'

/** The thousands separators; 'none' if there are none. */
export const thousandsMarks = ['none', 'point', 'comma', 'space', 'apostrophe'] as const

export type ThousandsMark = (typeof thousandsMarks)[number]

/** How the numbers of a column are written, as far as it is known. */
export type NumberWriting = {
  readonly decimal?: DecimalMark | undefined
  readonly thousands?: ThousandsMark | undefined
}

const thousandsLike: Readonly<Record<ThousandsMark, string>> = {
  none: '',
  point: '.',
  comma: ',',
  space: ' \u00a0\u2009\u202f',
  apostrophe: "'’",
}

// Excel shows 5 as "5." in the format 0.##
const plain = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/
// The same separator between all thousands, and groups of exactly three: 1,204.5 and 1 204.5 but not 12,04 or 1,204 567. Groups
// of two, as in 1,23,456 (one lakh), are not accepted: 1,234,56 with a digit missing would look the same.
const grouped: Readonly<Record<DecimalMark, RegExp>> = {
  point: /^[+-]?\d{1,3}([,' \u00a0\u2009\u202f’])\d{3}(?:\1\d{3})*(?:\.\d+)?$/,
  comma: /^[+-]?\d{1,3}([.' \u00a0\u2009\u202f’])\d{3}(?:\1\d{3})*(?:,\d+)?$/,
}
const plainComma = /^[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d{1,3})?$/

/**
 * Reads a number written with the given decimal separator; undefined if the text is not one. Without a separator only digits and
 * a point are read, and numbers such as 1,204.5: "1,204" is ambiguous, and nothing is guessed. `thousands` is the only thousands separator allowed; without it
 * any is allowed that is not the decimal separator.
 */
export function readNumber(text: string, mark?: DecimalMark, thousands?: ThousandsMark): number | undefined {
  const trimmed = text.trim().replace('\u2212', '-')
  const decimal = mark ?? (showsPoint(trimmed, thousands) ? 'point' : undefined)
  const digits = decimal === 'comma' ? pointed(trimmed, thousands) : ungrouped(trimmed, decimal, thousands)
  if (digits === undefined || !plain.test(digits)) return undefined
  const number = Number(digits)
  return Number.isFinite(number) ? number : undefined
}

/** Spaces and apostrophes are never decimal separators, so the decimal point can be assumed. */
function showsPoint(text: string, thousands: ThousandsMark | undefined): boolean {
  return thousands === 'space' || thousands === 'apostrophe' || /,\d{3}\.\d/.test(text)
}

function ungrouped(text: string, mark: DecimalMark | undefined, thousands: ThousandsMark | undefined): string {
  const between = mark === undefined ? undefined : grouped[mark].exec(text)?.[1]
  if (between === undefined || (thousands !== undefined && !thousandsLike[thousands].includes(between))) return text
  return text.replaceAll(between, '')
}

function pointed(text: string, thousands: ThousandsMark | undefined): string | undefined {
  const digits = ungrouped(text, 'comma', thousands)
  return plainComma.test(digits) ? digits.replace(',', '.') : undefined
}

/** Separates a number from the words after it: "3,2 ha" is "3,2" and "ha"; undefined if there are none. */
export function partNumberAndWord(text: string): { readonly number: string; readonly word: string } | undefined {
  const found = /^\s*([+\u2212-]?[\d.,' \u00a0\u2009\u202f’]*\d)\s*([^\d\s.,][^\d]{0,30}\d?)\s*$/u.exec(text)
  return found === null ? undefined : { number: found[1] ?? '', word: (found[2] ?? '').trim() }
}

/** A number without a separator; the same number with both; only with a point; only with a comma; with both, but a different one. */
export const numberKinds = { none: 0, either: 1, point: 2, comma: 3, both: 4 } as const

/** What no number has: other characters, or a minus inside that belongs to no exponent, as in dates and codes. */
const unlikeNumber = /[^\d.,eE'+\-\u2212 \t\u00a0\u2009\u202f\u2019]|[^eE]-/
// Most numbers are one of these; longer ones may be too large.
const digitsOnly = /^[+-]?\d{1,300}$/
/** Three digits after a separator and one to three before it: decimals or thousands. */
const decimalOrGrouped = /^[+-]?\d{1,3}[.,]\d{3}$/
const nothing = /^[+-]?0+[.,]000$/
const withPoint = /^[+-]?\d{0,300}\.\d{1,300}$/
const withComma = /^[+-]?\d{0,300},\d{1,300}$/

/** The kind of number that a trimmed text is, with the same results as `readNumber` with each separator. */
export function numberKindOf(text: string): number {
  if (unlikeNumber.test(text)) return numberKinds.none
  if (digitsOnly.test(text)) return numberKinds.either
  if (decimalOrGrouped.test(text)) return nothing.test(text) ? numberKinds.either : numberKinds.both
  if (withPoint.test(text)) return numberKinds.point
  return withComma.test(text) ? numberKinds.comma : slowKindOf(text)
}

function slowKindOf(text: string): number {
  const asPoint = readNumber(text, 'point')
  const asComma = readNumber(text, 'comma')
  if (asPoint === undefined) return asComma === undefined ? numberKinds.none : numberKinds.comma
  if (asComma === undefined) return numberKinds.point
  return asPoint === asComma ? numberKinds.either : numberKinds.both
}
