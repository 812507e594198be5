/** Simplifies words to compare them, whatever marks, capitals and signs they are written with. */

/** The text without macrons, accents and other marks on its letters. */
export function withoutMarks(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '')
}

/** A column header as words: "GPS_Lat", "GpsLat" and "GPS lat." are all "gps lat". */
export function plainWords(header: string): string {
  return withoutMarks(header)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
