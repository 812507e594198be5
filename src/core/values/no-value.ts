/** Detects cells whose text means "no value" or a spreadsheet error. */

import { isBlank, type Value } from '../row.ts'

/** `nothing`: a database wrote that the cell is empty. `error`: a spreadsheet could not calculate it or had no room to show it. */
export type NoValue = 'nothing' | 'error'

const nothing = /^(?:NULL|null|\\N|<(?:NULL|Null|null)>|\((?:NULL|null)\)|NaN|nan)$/
// #N/A and #REF! in other languages too: #NV, #BEZUG!, #VALEUR!, #¡DIV/0!
const error = /^#(?:[¡¿]?[\p{Lu}\d/]{3,8}[!?]|N\/[A-Z]|NV|#{3,})$/u

// Rules out nearly all cells.
const mayBeNoValue = /^[ #(<N\\n].{0,22}$/s

/** What a cell's text means instead of a value. */
export function noValueIn(value: Value): NoValue | undefined {
  if (typeof value !== 'string' || !mayBeNoValue.test(value)) return undefined
  const text = value.trim()
  return nothing.test(text) ? 'nothing' : error.test(text) ? 'error' : undefined
}

/** True for a cell with nothing in it, or with a word for nothing. */
export function holdsNothing(value: Value): boolean {
  return isBlank(value) || noValueIn(value) === 'nothing'
}
