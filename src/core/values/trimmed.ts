/** Takes white and invisible space off the ends of a text, and writes its letters with marks in one form. */

const invisible = '[\\s\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060\\ufeff]+'
const ends = new RegExp(`^${invisible}|${invisible}$`, 'g')

// From here on a letter may be written in two forms: ā as one character, or as "a" and a macron.
const inTwoForms = /[\u0300-\uffff]/

/**
 * The text in the form NFC, without white and invisible space at its ends, such as the zero-width space that comes along when a cell is
 * copied from a web page.
 */
export function trimmed(text: string): string {
  const plain = inTwoForms.test(text) ? text.normalize('NFC').trim() : text.trim()
  // Rules out nearly all texts.
  if (plain.charCodeAt(0) < 0xad && plain.charCodeAt(plain.length - 1) < 0xad) return plain
  return plain.replace(ends, '')
}
