/** Marks text that a spreadsheet would take for a formula with an apostrophe, and takes that off again. */

export const startsFormula = /^'*[=+\-@\t\r]/
const plainNumber = /^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][+-]?\d+)?$/

/** The text for a cell of a CSV file. Text that only looks as if it were marked is marked, too. */
export function disarmed(text: string): string {
  return startsFormula.test(text) && !plainNumber.test(text) ? `'${text}` : text
}

/** The text that `disarmed` marked. */
export function rearmed(text: string): string {
  return text.startsWith("'") && startsFormula.test(text) ? text.slice(1) : text
}
