/** Decides whether two texts are the same name. */

import { withoutMarks } from './plain-words.ts'

/** A name without capitals, white space, macrons and other marks on letters. */
export function plainName(name: string): string {
  return withoutMarks(name).replaceAll(/\s+/g, '').toLowerCase()
}
