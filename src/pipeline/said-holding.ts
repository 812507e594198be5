/** Hides what is told when somebody names one farm for a file whose own column says otherwise. */

import type { TableProfile } from '../core/profile.ts'
import type { Suggestion } from '../mapping/suggest.ts'
import type { Identifier } from '../resources/resource-type.ts'

/** What to look at before all rows go to the farm that was said; undefined where the file does not contradict it. */
export function holdingDoubt(suggestion: Suggestion, profile: TableProfile, said: Identifier): string | undefined {
  const column = profile.columns.find(({ name }) => name === suggestion.holding?.column)
  if (column === undefined || said.id.includes('<')) return undefined
  const [farm] = column.examples
  if (column.distinct < 2 && (farm === undefined || farm === said.id)) return undefined
  const names = column.distinct < 2 ? `says ${farm}` : `names ${column.distinct} farms`
  return `<${column.name}> ${names}, but all rows go to ${said.id}, as you said. To follow the column: --holding "${said.scheme}:<${column.name}>"`
}
