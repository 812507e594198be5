/** The beginning of JSON without byte order mark, zeros of UTF-16, blanks and record separators. */
export function plainText(head: Uint8Array): string {
  return Buffer.from(head)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\x1e]*/, '')
}
