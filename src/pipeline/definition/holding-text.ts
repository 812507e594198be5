/** Hides which farm stands in where none was said, and what is told when the one that was said is not that of the file. */

import type { TableProfile } from '../../core/profile/profile-table.ts'
import type { Suggestion } from '../../mapping/suggest.ts'
import { identifierText } from '../../resources/identifier.ts'
import type { Identifier } from '../../resources/resource-type.ts'

/** The farm of a dry run for which none was said. */
export const unsaidHolding: Identifier = { scheme: 'unknown', id: 'unknown' }

/** The farm in a pipeline of init for which none was said: a blank to fill in. */
export const holdingToFillIn: Identifier = { scheme: 'your.scheme', id: 'your-id' }

/** False for the farm that stands in for one that was not said. */
export function isSaid({ scheme, id }: Identifier): boolean {
  return scheme !== unsaidHolding.scheme || id !== unsaidHolding.id
}

/** Reads SCHEME:ID; the id may be missing, where a column gives it. */
export function readHolding(words: string): Identifier {
  const at = words.indexOf(':')
  return at < 0 ? { scheme: words, id: '' } : { scheme: words.slice(0, at), id: words.slice(at + 1) }
}

/** What to look at before all rows go to the farm that was said; undefined where the file does not contradict it. */
export function holdingDoubt(suggestion: Suggestion, profile: TableProfile, said: Identifier): string | undefined {
  const column = profile.columns.find(({ name }) => name === suggestion.holding?.column)
  if (column === undefined || said.id.includes('<') || !isSaid(said)) return undefined
  const [farm] = column.examples
  if (column.distinct < 2 && (farm === undefined || farm === said.id)) return undefined
  const names = column.distinct < 2 ? `says ${farm}` : `names ${column.distinct} farms`
  return `<${column.name}> ${names}, but all rows go to ${said.id}, as you said. To follow the column: --holding "${identifierText({ scheme: said.scheme, id: `<${column.name}>` })}"`
}
