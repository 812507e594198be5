/** Hides how a number is read from text: which mark divides the decimals, and which may stand between thousands. */

export type DecimalMark = 'point' | 'comma'

const plain = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/
// One and the same mark between all thousands, groups of exactly three: 1,204.5 and 1 204.5 but not 12,04 or 1,204 567.
const grouped: Readonly<Record<DecimalMark, RegExp>> = {
  point: /^[+-]?\d{1,3}([,' \u00a0\u2009\u202f’])\d{3}(?:\1\d{3})*(?:\.\d+)?$/,
  comma: /^[+-]?\d{1,3}([.' \u00a0\u2009\u202f’])\d{3}(?:\1\d{3})*(?:,\d+)?$/,
}
const plainComma = /^[+-]?(?:\d+(?:,\d+)?|,\d+)(?:[eE][+-]?\d{1,3})?$/

/**
 * Reads a number written with the given decimal mark; undefined when the text is not one. Without a mark only figures and
 * a point are read: "1,204" might be either, and nothing is guessed.
 */
export function readNumber(text: string, mark?: DecimalMark): number | undefined {
  const trimmed = text.trim().replace('\u2212', '-')
  const digits = mark === 'comma' ? pointed(trimmed) : mark === 'point' ? ungrouped(trimmed, 'point') : trimmed
  if (digits === undefined || !plain.test(digits)) return undefined
  const number = Number(digits)
  return Number.isFinite(number) ? number : undefined
}

function ungrouped(text: string, mark: DecimalMark): string {
  return grouped[mark].test(text)
    ? text.replaceAll(mark === 'point' ? /[,' \u00a0\u2009\u202f’]/g : /[.' \u00a0\u2009\u202f’]/g, '')
    : text
}

function pointed(text: string): string | undefined {
  const digits = ungrouped(text, 'comma')
  return plainComma.test(digits) ? digits.replace(',', '.') : undefined
}

/** Parts a number from the words written behind it: "3,2 ha" is "3,2" and "ha"; undefined when nothing is behind it. */
export function partNumberAndWord(text: string): { readonly number: string; readonly word: string } | undefined {
  const found = /^\s*([+\u2212-]?[\d.,' \u00a0\u2009\u202f’]*\d)\s*([^\d\s.,][^\d]{0,30}\d?)\s*$/u.exec(text)
  return found === null ? undefined : { number: found[1] ?? '', word: (found[2] ?? '').trim() }
}
