/** Takes white and invisible space off the ends of a text. */

const invisible = '[\\s\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060\\ufeff]+'
const ends = new RegExp(`^${invisible}|${invisible}$`, 'g')

/** The text without white and invisible space at its ends, such as the zero-width space that comes along when a cell is copied from a web page. */
export function trimmed(text: string): string {
  const plain = text.trim()
  // Rules out nearly all texts.
  if (plain.charCodeAt(0) < 0xad && plain.charCodeAt(plain.length - 1) < 0xad) return plain
  return plain.replace(ends, '')
}
