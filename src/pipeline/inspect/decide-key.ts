/** Decides which columns are the key of the records. */

import { WindrowError } from '../../core/error.ts'
import { chosen, chosenByPerson, type Choice, type Value } from '../../core/row.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import { isObject } from '../../core/values/exact-json.ts'
import { choiceOf, columnsTaken, fieldChoices } from '../../mapping/choice.ts'
import type { Group } from '../../resources/groups.ts'
import type { Columns } from '../../rules/columns.ts'
import { hasBoundaries } from '../../rules/field-columns.ts'
import { placePart, whereColumnsAre } from '../../rules/key-column.ts'
import { serviceIdsAsKey, withSourceIds } from '../send/ask-to-publish.ts'

type KeyFacts = { readonly profile: TableProfile; readonly serviceIds: ReadonlySet<string> }

/** The key that a person names, else the column that surely tells the records apart, else a question with the columns that could. */
export function decideKey(said: Group, columns: Columns, facts: KeyFacts): Choice {
  const key = choiceOf(columns.choices, 'key')!
  const given = said['key']
  const words = (given === undefined ? [] : [given].flat()) as readonly Value[]
  const isSame = words.length === 1 && columnNamed(words[0]) === columnsTaken(key.value)[0]
  if (words.length > 0 && !(columns.given !== undefined && isSame)) return keySaid(words, columns, facts)
  if (key.certainty !== 'ask') return key
  const { profile, serviceIds } = facts
  if (profile.columns.length === 0)
    return { ...key, evidence: `The file has shapes and no columns. ${whereColumnsAre(profile)}` }
  const always =
    key.value === undefined ? ' Every later import must use the same key, or records are published twice.' : ''
  const ofService = columns.found.filter(({ code }) => code === 'ids-of-service').map(({ message }) => message)
  const instead = ofService.length === 0 ? '' : ` ${ofService.join(' ')} ${withSourceIds([...serviceIds])}`
  const [own, ...more] = columnsTaken(key.value)
  // Who has an id with a mistake in it needs no other.
  const isRepeated = more.length === 0 && profile.columns.some(({ name, repeated }) => name === own && repeated > 0)
  return { ...key, evidence: `${key.evidence}${always}${instead}`, others: isRepeated ? [] : key.others }
}

function columnNamed(word: Value): string | undefined {
  return typeof word === 'string' ? word.replace(/^<([^<>]+)>$/, '$1') : undefined
}

/** The key of these columns. Throws a WindrowError if the file does not have one, or if it contains ids of the service. */
function keySaid(words: readonly Value[], { choices }: Columns, { profile, serviceIds }: KeyFacts): Choice {
  if (words.some((word) => isObject(word) && !('place' in word)))
    return chosenByPerson('key', words.length === 1 ? words[0] : words)
  const { columns, hasPlace } = columnsSaid(words, choices, profile)
  const [own, ...more] = columnsTaken(choiceOf(choices, 'key')?.value)
  for (const column of columns)
    if (serviceIds.has(column)) throw serviceIdsAsKey(column, more.length === 0 ? own : undefined)
  const named = columns.map((name) => `<${name}>`)
  if (!hasPlace) return chosenByPerson('key', named.length === 1 ? named[0] : named)
  const moving = 'Set, not guessed; the key keeps the first position, even if the boundary moves later.'
  return chosen('key', [...named, placePart], moving)
}

/** The columns of a key that a person wrote. A comma or "+place" inside the name of a column belongs to the name. */
function columnsSaid(words: readonly Value[], choices: readonly Choice[], profile: TableProfile) {
  const names = profile.columns.map(({ name }) => name)
  let hasPlace = words.some((word) => isObject(word))
  const columns = words.flatMap((word): readonly string[] => {
    const each = columnNamed(word)
    if (each === undefined) return []
    if (names.includes(each)) return [each]
    const [, before] = /^(.+)\+place$/.exec(each) ?? []
    if (before !== undefined) {
      hasPlace = true
      const [named] = columnsTaken(choiceOf(fieldChoices(choices), 'record.name')?.value)
      if (!names.includes(before) && before === 'name' && named !== undefined) return [named]
    }
    const parts = before !== undefined ? [before] : each.split(',').map((part) => part.trim())
    const missing = parts.find((part) => !names.includes(part))
    if (missing === undefined) return parts
    throw new WindrowError('option-invalid', `The file has no column "${missing}".`, {
      hint: `It has: ${names.length === 0 ? 'no columns' : names.join(', ')}.`,
    })
  })
  if (hasPlace && !hasBoundaries(profile))
    throw new WindrowError('option-invalid', 'The key has a place, but the file has no boundaries.', {
      hint: 'Name columns that are different in every row.',
    })
  return { columns: [...new Set(columns)], hasPlace }
}
