/** Measures and cuts text by its width in a terminal: combining marks have no width, East Asian letters and most emoji are two cells wide. */

// Created when first needed, because creating it is slow.
let segmenter: Intl.Segmenter | undefined
const plainAscii = /^[ -~]*$/
const noRoom = /^[\p{M}\p{Cf}]+$/u
const twoCells =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\ufe0f/u

/** The width of the text in terminal cells. */
export function widthOf(text: string): number {
  if (plainAscii.test(text)) return text.length
  let width = 0
  for (const { segment } of lettersOf(text)) width += widthOfLetter(segment)
  return width
}

/** The width of the widest text, at most `most`. */
export function widest(texts: readonly string[], most: number): number {
  return Math.min(most, Math.max(0, ...texts.map(widthOf)))
}

/** The text, cut or padded to exactly this width. */
export function fit(text: string, width: number): string {
  return padEnd(cutTo(text, width), width)
}

/** The text, padded with blanks to this width. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Rows of cells as lines, the columns two blanks apart and as wide as their longest cell; those from `numbersFrom` on are right-aligned. */
export function alignedLines(rows: readonly (readonly string[])[], numbersFrom = Infinity): readonly string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((cells) => widthOf(cells[at]!))))
  return rows.map((cells) =>
    cells.map((cell, at) => (at < numbersFrom ? padEnd : padStart)(cell, widths[at]!)).join('  '),
  )
}

function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text
}

/** The text, cut to this width, with an ellipsis where something was cut. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && plainAscii.test(text)) return text
  let made = ''
  let taken = 0
  let fitting = ''
  for (const { segment } of lettersOf(text)) {
    taken += widthOfLetter(segment)
    if (taken > width) return width < 1 ? '' : `${fitting}…`
    made += segment
    if (taken < width) fitting = made
  }
  return made
}

function lettersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

function widthOfLetter(segment: string): number {
  return noRoom.test(segment) ? 0 : twoCells.test(segment) ? 2 : 1
}
