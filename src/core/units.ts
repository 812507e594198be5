/** Hides what is asked of a text that is only a stretch of code units yet. */

/** True for what `trim` takes away. */
export function isSpaceUnit(unit: number): boolean {
  if (unit < 0xa0) return unit === 32 || (unit >= 9 && unit <= 13)
  return unit === 0xa0 || unit === 0xfeff || (unit >= 0x1680 && rareSpaces.has(unit))
}

const rareSpaces: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029,
  0x202f, 0x205f, 0x3000,
])

/** True where nothing but white space stands, or nothing. */
export function isBlankBetween(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (!isSpaceUnit(units[at]!)) return false
  return true
}

// More than this may be too many arguments for one call.
const mostAtOnce = 1024

/** The text that stands there. */
export function textBetween(units: Uint16Array, from: number, to: number): string {
  if (to - from <= mostAtOnce) return String.fromCharCode(...units.subarray(from, to))
  return Buffer.from(units.buffer, units.byteOffset + from * 2, (to - from) * 2).toString('utf16le')
}
