/** Compares two numbers or cells that may be written differently. */

const metresPerDegree = 111_320

/** The distance of two places, on the scale of fields. */
export function distanceM(one: readonly [number, number], other: readonly [number, number]): number {
  let east = Math.abs(one[0] - other[0])
  if (east > 180) east = 360 - east
  return Math.hypot(east * Math.cos((other[1] * Math.PI) / 180), one[1] - other[1]) * metresPerDegree
}

/** True when an area is the expected one, within its share, a millionth, and the rounding of six decimals of a hectare. */
export function isSameArea(
  expectedHa: number,
  measuredHa: number,
  { features = 1, share = 1e-6 }: { readonly features?: number; readonly share?: number } = {},
): boolean {
  return Math.abs(expectedHa - measuredHa) <= share * Math.abs(expectedHa) + 2e-6 * Math.sqrt(features)
}

/** True when two numbers agree in all written digits. */
export function isSameNumber(expected: number, seen: number, digits: number): boolean {
  return Math.abs(expected - seen) <= 10 ** -digits + 1e-9 * Math.abs(expected)
}

/** True when a cell has the expected content, whatever its type in each program. */
export function isSameValue(expected: unknown, seen: unknown): boolean {
  if (isNothing(expected) || isNothing(seen)) return isNothing(expected) && isNothing(seen)
  if (typeof expected === 'number') return isNumber(expected, seen)
  if (typeof expected === 'boolean') return expected === truthOf(seen)
  if (typeof expected === 'object') return isSameJson(expected, typeof seen === 'string' ? parsed(seen) : seen)
  const text = typeof expected === 'string' ? expected : ''
  if (typeof seen === 'object') return isSameJson(parsed(text), seen)
  if (typeof seen === 'boolean') return truthOf(text) === seen
  if (typeof seen === 'number') return text.trim() !== '' && isNumber(Number(text), seen)
  return typeof seen === 'string' && (isSameText(text, seen) || isSameMoment(text, seen))
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
}

function isNumber(expected: number, seen: unknown): boolean {
  const number = typeof seen === 'boolean' ? Number(seen) : Number(String(seen))
  return Math.abs(number - expected) <= 1e-12 * Math.abs(expected)
}

function truthOf(value: unknown): boolean | undefined {
  if (/^(t|true|y|yes|1)$/i.test(String(value))) return true
  return /^(f|false|n|no|0)$/i.test(String(value)) ? false : undefined
}

function isSameText(expected: string, seen: string): boolean {
  const [one, other] = [lines(expected), lines(seen)]
  const shortened = /^([^]*)\.\.\.\[(\d+) chars\]$/.exec(one)
  if (shortened === null) return one === other
  const [, beginning = '', length] = shortened
  return other.startsWith(beginning) && Math.abs(seen.length - Number(length)) <= lineBreaks(seen) + lettersBeyond(seen)
}

function lines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').trim()
}

// Line breaks may be written with one character or two.
function lineBreaks(text: string): number {
  return text.split('\n').length - 1
}

// Letters beyond the first plane count twice in JavaScript.
function lettersBeyond(text: string): number {
  return text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0
}

/** Dates and times in any of the usual spellings; the time may be left out where it is midnight. */
function isSameMoment(one: string, other: string): boolean {
  const [first, second] = [digitsOf(one), digitsOf(other)]
  return first !== undefined && second !== undefined && (first.startsWith(second) || second.startsWith(first))
}

function digitsOf(text: string): string | undefined {
  const date =
    /^(?:(\d{4})[-/](\d\d)[-/](\d\d))?(?:(?:^|[T ])(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/.exec(
      text.trim(),
    )
  if (date === null) return undefined
  const digits = date.slice(1).join('')
  return digits === '' ? undefined : digits.length > 8 ? digits.replace(/0+$/, '').padEnd(8, '0') : digits
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object')
    return typeof one !== 'object' && typeof other !== 'object' && isSameValue(one, other)
  if (one === null || other === null) return one === other
  const [first, second] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  return keys.every((key) => isSameValue(first[key], second[key]))
}
