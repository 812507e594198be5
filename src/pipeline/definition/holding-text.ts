/** Reads a farm's SCHEME:ID, holds its placeholders, and warns if the file names another farm. */

import type { TableProfile } from '../../core/profile/profile-table.ts'
import type { Choice } from '../../core/row.ts'
import { choiceOf, columnsTaken } from '../../mapping/choice.ts'
import type { Identifier } from '../../resources/resource-type.ts'

/** The placeholder farm of a dry run without a farm. */
export const unsaidHolding: Identifier = { scheme: 'unknown', id: 'unknown' }

/** The placeholder farm that init writes for a person to fill in. */
export const holdingToFillIn: Identifier = { scheme: 'your.scheme', id: 'your-id' }

/** False for the placeholder farm of a dry run. */
export function isSaid({ scheme, id }: Identifier): boolean {
  return scheme !== unsaidHolding.scheme || id !== unsaidHolding.id
}

/** Reads SCHEME:ID; the id may be missing if a column gives it. */
export function readHolding(words: string): Identifier {
  const at = words.indexOf(':')
  return at < 0 ? { scheme: words, id: '' } : { scheme: words.slice(0, at), id: words.slice(at + 1) }
}

/** A warning if the file names other farms than the given one, else undefined. */
export function holdingDoubt(choices: readonly Choice[], profile: TableProfile, said: Identifier): string | undefined {
  const [named] = columnsTaken(choiceOf(choices, 'holding')?.value)
  const column = profile.columns.find(({ name }) => name === named)
  if (column === undefined || said.id.includes('<') || !isSaid(said)) return undefined
  const [farm] = column.examples
  if (column.distinct < 2 && (farm === undefined || farm === said.id)) return undefined
  const names = column.distinct < 2 ? `says ${farm}` : `names ${column.distinct} farms`
  return `<${column.name}> ${names}, but you chose ${said.id} for all rows. To use the column instead: holding: ${said.scheme}:<${column.name}>`
}
