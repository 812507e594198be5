/** The beginning of a text file, one character per byte, without byte order mark and the zeros of UTF-16. */
export function headText(head: Uint8Array): string {
  return Buffer.from(head)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
}
