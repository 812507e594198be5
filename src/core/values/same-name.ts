/** Decides whether two texts are the same name or id, whatever programs change when they write them. */

import { withoutZerosAndSlashes } from './made-days.ts'
import { withoutMarks } from './plain-words.ts'

/** A name without capitals, white space, macrons and other marks on letters. */
export function plainName(name: string): string {
  return withoutMarks(name).replaceAll(/\s+/g, '').toLowerCase()
}

/**
 * An id without what programs add or change: zeros in front, zero decimals, slashes, capitals, white and invisible space, the mark of a
 * text in front ('005), quotes, # and the kind of a dash.
 */
export function plainId(id: string): string {
  const plain = id
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\s'‘’"“”„«»`´#]+/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/(?<=^\d+)[.,]0+$/, '')
  return withoutZerosAndSlashes(plain)
}

/** True if a spreadsheet program made this number of an id. */
export function hasLostZeros(number: string, id: string): boolean {
  return number !== id && number !== '' && id.replace(/^0+/, '') === number
}

/** How zeros are lost, and what to do. */
export const zerosLost =
  'Spreadsheet programs drop the zeros when they open a CSV file: read that column as text there, or edit an .xlsx export.'
