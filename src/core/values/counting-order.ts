/** Compares texts as people count: 2 before 10. */

import { once } from '../once.ts'

// Loading it takes as long as ten modules of the program.
const collator = once(() => new Intl.Collator('en', { numeric: true }))

export function inNumbers(one: string, other: string): number {
  return collator().compare(one, other)
}
