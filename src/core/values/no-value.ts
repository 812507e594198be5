/** Detects cells whose text means "no value" or a spreadsheet error. */

import { isBlank, type Value } from '../row.ts'

/**
 * `nothing`: a database wrote that the cell is empty. `error`: a spreadsheet could not calculate it or had no room to show it, or a
 * person wrote that it is as above.
 */
export type NoValue = 'nothing' | 'error'

const nothing = /^(?:NULL|null|\\N|<(?:NULL|Null|null)>|\((?:NULL|null)\)|NaN|nan)$/
/**
 * What spreadsheets show for an error, as a pattern: #N/A and #REF! in other languages too (#NV, #I/T, #¡DIV/0!, #DĚLENÍ_NULOU!),
 * Err:508 of LibreOffice, and what a cell shows while it waits for another file.
 */
export const errorPattern = String.raw`#(?:[¡¿]?[\p{Lu}\d/_]{3,14}[!?]|N/[A-Z]|I/T|Н/Д|Δ/Υ|NV|YOK|HIÁNYZIK|NENÍ_K_DISPOZICI|GETTING_DATA)|Err:5\d\d|Loading\.\.\.`
const ditto = String.raw`[-– ]*["″〃“”„][-– ]*|ditto|[Dd]to\.|[Dd]o\.`
const error = new RegExp(`^(?:${errorPattern}|####*|${ditto})$`, 'u')

// Rules out nearly all cells.
const mayBeNoValue = /^[- #(<DELNdn\\"″〃“”„–].{0,22}$/s

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

/** What people and programs write where there is no name and no crop: dashes, a question mark, n/a. */
export const meansNothing = /^(?:[^\p{L}\p{N}\p{Extended_Pictographic}]+|n[/.]?a\.?|none|nil|unknown|undefined)$/iu
