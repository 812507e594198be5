/** Interprets number formats: which kind of value they show, and the shown text if only that has the meaning. */

import { plainWords } from '../../core/values/plain-words.ts'

/** What numbers in a format are; for `padded` and `duration` the shown text is the value. */
export type FormatKind = 'number' | 'padded' | 'date' | 'date-time' | 'time' | 'duration'

/** `isStruck`: cells of this format are crossed out. */
export type NumberFormat = { readonly kind: FormatKind; readonly code: string; readonly isStruck?: boolean }

/** The format of a cell that has none. */
export const general: NumberFormat = { kind: 'number', code: 'General' }

/** Parts of a format that do not count: quoted and escaped text, blanks as wide as a letter, fillers. */
const literals = /"[^"]*"|\\.|[_*]./g

/** Excel accepts no longer ones; very long ones would cost time in the square of their length. */
const longestCode = 255

/** A word before a whole number, as in `"Block "0`: together they are a name. */
const worded = /^(?:"[^"]*\p{L}{2}[^"]*"|\\\p{L}\\\p{L}(?:\\.)*) *0(?:;|$)/u

/** Interprets a format by its code, such as `dd/mm/yyyy` or `00000`. */
export function numberFormat(code: string): NumberFormat {
  if (code === '' || code.length > longestCode || /^general$/i.test(code)) return general
  const first = code.replace(literals, '').split(';', 1)[0]!
  return { kind: worded.test(code) ? 'padded' : kindOf(first), code }
}

function kindOf(section: string): FormatKind {
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'duration'
  const bare = section
    .replace(/\[[^\]]*\]/g, '')
    .toLowerCase()
    .replace(/am\/pm|a\/p/g, 'h')
    .replace(/general|standard/g, '0')
  if (/[ymdhs]/.test(bare) && !/[0#?]*e[+-]/.test(bare)) {
    const hasTime = /[hs]/.test(bare)
    const hasDay = /[yd]/.test(bare) || (!hasTime && bare.includes('m'))
    return hasDay ? (hasTime ? 'date-time' : 'date') : 'time'
  }
  // Percentages and powers of ten are amounts, whatever zeros are before them.
  if (/[%e]/.test(bare)) return 'number'
  const whole = bare.split('.', 1)[0]!
  return /0[0\-/ ]*0/.test(whole) && !/[#?]/.test(whole) ? 'padded' : 'number'
}

const areaUnits = [/\b(?:ha|hectares?)\b/i, /\b(?:ac|acres?)\b/i, /\bm[²2]/i]

/** What a format adds to a number that its cell does not have: a unit of area that the header does not name, or a division by 1000. */
export function addedByFormat({ kind, code }: NumberFormat, header: string): string | undefined {
  if (kind !== 'number' || code === general.code) return undefined
  const [section = ''] = code.split(';', 1)
  const shown = section.replace(/[_*]./g, '').replace(/[\\"]/g, '')
  const unit = areaUnits.find((each) => each.test(shown))
  const found = unit?.exec(shown)?.[0]
  if (found !== undefined && !unit!.test(plainWords(header))) return `are shown with the unit "${found}"`
  return /[0#?],+(?![,0#?])/.test(section.replace(literals, '')) ? 'are shown divided by 1000' : undefined
}

/** The text of a padded format: `00000` shows 123 as 00123, `000-0000` shows 412876 as 041-2876. */
export function paddedText(value: number, code: string): string {
  const sections = code.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)
  const negative = value < 0
  const section = (negative ? sections[1] : undefined) ?? sections[0]!
  const tokens: readonly string[] = section.match(/"[^"]*"|\\.|[_*].|\[[^\]]*\]|./gs) ?? []
  const point = tokens.indexOf('.')
  const [before, after] = point < 0 ? [tokens, []] : [tokens.slice(0, point), tokens.slice(point + 1)]
  const decimals = after.filter(isPlace).length
  const [whole = '', fraction = ''] = Math.abs(value).toFixed(Math.min(decimals, 100)).split('.')
  let places = before.filter(isPlace).length
  let at = Math.max(0, whole.length - places)
  let text = ''
  let isFirst = true
  for (const token of before) {
    if (!isPlace(token)) {
      text += literalOf(token)
      continue
    }
    if (isFirst) text += whole.slice(0, at)
    isFirst = false
    text += places > whole.length ? '0' : (whole[at++] ?? '')
    places -= 1
  }
  const rest = after.map((token) => (isPlace(token) ? '' : literalOf(token))).join('')
  const sign = negative && sections[1] === undefined ? '-' : ''
  return `${sign}${text}${decimals > 0 ? `.${fraction}` : ''}${rest}`.trim()
}

function isPlace(token: string): boolean {
  return token === '0'
}

function literalOf(token: string): string {
  if (token.startsWith('"')) return token.slice(1, -1)
  if (token.startsWith('\\')) return token.slice(1)
  if (token.startsWith('_')) return ' '
  return token.startsWith('*') || token.startsWith('[') ? '' : token
}

/** The text of a format of elapsed time: `[h]:mm` shows a day and a quarter as 30:00. Fractions of a second are kept. */
export function durationText(days: number, code: string): string {
  const section = code.split(';', 1)[0]!
  const tokens = section.match(/(?:\[s+\]|s+)(?:\.0+)?|\[(?:h+|m+)\]|"[^"]*"|\\.|[_*].|\[[^\]]*\]|h+|m+|./gi) ?? []
  // Rounded before it is split, so that an hour is not 0:59:59.999.
  const milliseconds = Math.round(Math.abs(days) * 86_400_000)
  let text = days < 0 ? '-' : ''
  for (const token of tokens) {
    const unit = /^\[?([hms])/i.exec(token)?.[1]?.toLowerCase()
    const isElapsed = token.startsWith('[')
    if (unit === 'h') text += padded(milliseconds / 3_600_000, token, isElapsed ? Infinity : 24)
    else if (unit === 'm') text += padded(milliseconds / 60_000, token, isElapsed ? Infinity : 60)
    else if (unit === 's')
      text += padded(milliseconds / 1000, token, isElapsed ? Infinity : 60) + fractionText(milliseconds, token)
    else text += literalOf(token)
  }
  return text.trim()
}

function padded(value: number, token: string, turn: number): string {
  return String(Math.floor(value) % turn).padStart(token.replace(/[[\]]|\..*/g, '').length, '0')
}

function fractionText(milliseconds: number, token: string): string {
  const places = token.split('.')[1]?.length ?? 0
  const digits = String(milliseconds % 1000).padStart(3, '0')
  const kept = digits.replace(/0+$/, '').padEnd(places, '0')
  return kept === '' ? '' : `.${kept}`
}

/** The formats that have a number and no code in the file (ISO 29500-1, 18.8.30); those from 27 on are dates of East Asia. */
export function builtInFormat(id: number): NumberFormat | undefined {
  const code = builtIn.get(id)
  if (code !== undefined) return numberFormat(code)
  if ((id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return numberFormat('yyyy-mm-dd')
  if (id >= 32 && id <= 35) return numberFormat('h:mm:ss')
  return undefined
}

/** Their codes, from the first number of each run on. */
const runs: readonly (readonly [first: number, ...codes: readonly string[]])[] = [
  [0, 'General', '0', '0.00', '#,##0', '#,##0.00'],
  [9, '0%', '0.00%', '0.00E+00', '# ?/?', '# ??/??', 'm/d/yyyy', 'd-mmm-yy', 'd-mmm', 'mmm-yy'],
  [18, 'h:mm AM/PM', 'h:mm:ss AM/PM', 'h:mm', 'h:mm:ss', 'm/d/yyyy h:mm'],
  [37, '#,##0', '#,##0', '#,##0.00', '#,##0.00'],
  [45, 'mm:ss', '[h]:mm:ss', 'mm:ss.0', '##0.0E+0', '@'],
  [71, 'd/m/yyyy', 'd-mmm-yy', 'd-mmm', 'mmm-yy', 'h:mm', 'h:mm:ss', 'd/m/yyyy h:mm'],
  [78, 'mm:ss', '[h]:mm:ss', 'mm:ss.0', 'd/m/yyyy'],
]

const builtIn = new Map(runs.flatMap(([first, ...codes]) => codes.map((code, index) => [first + index, code] as const)))
