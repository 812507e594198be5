/** Hides what may stand before the first character of JSON: a mark, the zeros of UTF-16, record separators. */

/** The head without mark, blanks and record separators before the first character. */
export function plainText(head: Uint8Array): string {
  return Buffer.from(head)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\x1e]*/, '')
}
