/** Hides how a number is read from text: which mark divides the decimals, and which may stand between thousands. */

export type DecimalMark = 'point' | 'comma'

/** What may stand between thousands; 'none' where they are never parted. */
export const thousandsMarks = ['none', 'point', 'comma', 'space', 'apostrophe'] as const

export type ThousandsMark = (typeof thousandsMarks)[number]

/** How the numbers of a column are written, as far as it is said. */
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

const plain = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/
// One and the same mark between all thousands, groups of exactly three: 1,204.5 and 1 204.5 but not 12,04 or 1,204 567. Groups of
// two, as in 1,23,456 (one lakh), are no number here: one figure lost in 1,234,56 would look the same.
const grouped: Readonly<Record<DecimalMark, RegExp>> = {
  point: /^[+-]?\d{1,3}([,' \u00a0\u2009\u202f’])\d{3}(?:\1\d{3})*(?:\.\d+)?$/,
  comma: /^[+-]?\d{1,3}([.' \u00a0\u2009\u202f’])\d{3}(?:\1\d{3})*(?:,\d+)?$/,
}
const plainComma = /^[+-]?(?:\d+(?:,\d+)?|,\d+)(?:[eE][+-]?\d{1,3})?$/

/**
 * Reads a number written with the given decimal mark; undefined when the text is not one. Without a mark only figures and
 * a point are read: "1,204" might be either, and nothing is guessed. `thousands` is the one mark that may part them; without it
 * any may that is not the decimal mark.
 */
export function readNumber(text: string, mark?: DecimalMark, thousands?: ThousandsMark): number | undefined {
  const trimmed = text.trim().replace('\u2212', '-')
  const digits =
    mark === 'comma' ? pointed(trimmed, thousands) : ungrouped(trimmed, groupedBy(mark, thousands), thousands)
  if (digits === undefined || !plain.test(digits)) return undefined
  const number = Number(digits)
  return Number.isFinite(number) ? number : undefined
}

/** Spaces and apostrophes are never decimal marks, so that it need not be said which that is. */
function groupedBy(mark: DecimalMark | undefined, thousands: ThousandsMark | undefined): DecimalMark | undefined {
  return mark ?? (thousands === 'space' || thousands === 'apostrophe' ? 'point' : undefined)
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

/** Parts a number from the words written behind it: "3,2 ha" is "3,2" and "ha"; undefined when nothing is behind it. */
export function partNumberAndWord(text: string): { readonly number: string; readonly word: string } | undefined {
  const found = /^\s*([+\u2212-]?[\d.,' \u00a0\u2009\u202f’]*\d)\s*([^\d\s.,][^\d]{0,30}\d?)\s*$/u.exec(text)
  return found === null ? undefined : { number: found[1] ?? '', word: (found[2] ?? '').trim() }
}
