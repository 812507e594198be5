/** Hides how a longitude or latitude is written: as a number, or as degrees, minutes and seconds with or without a letter. */

import type { DecimalMark } from '../../core/number-text.ts'

/** Degrees, and which of the two they are where a letter such as S or E says it. */
export type Coordinate = { readonly degrees: number; readonly axis?: 'longitude' | 'latitude' }

const part = String.raw`(\d{1,2}(?:[.,]\d+)?)`
// A capital S is south and a small one are seconds: 37 47 20 S, 37d47m20s.
const sexagesimal = new RegExp(
  String.raw`^([NSEWnew])?\s*([+-])?(\d{1,3}(?:[.,]\d+)?)\s*(?:[°º˚d:]\s*|\s+|$|(?=[NSEWnew]))` +
    String.raw`(?:${part}\s*(?:['′’´m:]\s*|\s+|$|(?=[NSEWnew]))(?:${part}\s*(?:["″”s]|['′’´]{2})?\s*)?)?([NSEWnew])?$`,
)
const plainWith: Readonly<Record<DecimalMark, RegExp>> = {
  point: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/,
  comma: /^[+-]?(?:\d+(?:,\d*)?|,\d+)$/,
}

/** Reads a coordinate in degrees; nothing where the text is none. Thousands are never parted: 175,312 is not 175312. */
export function readCoordinate(text: string, mark: DecimalMark): Coordinate | undefined {
  const trimmed = text.trim().replace('\u2212', '-')
  if (plainWith[mark].test(trimmed)) return { degrees: Number(trimmed.replace(',', '.')) }
  const found = trimmed.length > 40 ? null : sexagesimal.exec(trimmed)
  if (found === null) return undefined
  const [, before, sign, whole, minutes, seconds, after] = found
  const letter = (before ?? after)?.toUpperCase()
  if ((before !== undefined && after !== undefined) || (sign === '-' && letter !== undefined)) return undefined
  // A number alone may be written with the other mark, and two may be anything.
  if (letter === undefined && seconds === undefined && !/[°º˚d]/i.test(trimmed)) return undefined
  const [degrees, minute, second] = [whole, minutes, seconds].map((each) => Number((each ?? '0').replace(',', '.')))
  if (minute! >= 60 || second! >= 60) return undefined
  // Only the last part that is written may have decimals.
  if ((minutes !== undefined && /[.,]/.test(whole!)) || (seconds !== undefined && /[.,]/.test(minutes!)))
    return undefined
  const size = degrees! + minute! / 60 + second! / 3600
  const value = sign === '-' || letter === 'S' || letter === 'W' ? -size : size
  if (letter === undefined) return { degrees: value }
  return { degrees: value, axis: letter === 'N' || letter === 'S' ? 'latitude' : 'longitude' }
}
