/** Hides what may stand before the first tag of KML: a mark, and the zeros of UTF-16. */

/** The head as far as its tags matter: without mark, and without the zeros of UTF-16. */
export function headText(head: Uint8Array): string {
  return Buffer.from(head)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
}
