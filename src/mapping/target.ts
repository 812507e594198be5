/** Finds what a field of a record takes by its JSON Schema: text, a number, a date, a measure, members or a list. */

import type { JsonSchema } from '../core/object-schema.ts'
import { unitKindOf, type UnitKind } from '../resources/units.ts'

/** What a field takes. A measure of `undefined` kind may have any unit. */
export type Wanted =
  | { readonly kind: 'text' | 'number' | 'truth' | 'date-time' | 'any' }
  | { readonly kind: 'measure'; readonly of: UnitKind | undefined; readonly members: Members }
  | { readonly kind: 'object'; readonly members: Members }
  | { readonly kind: 'list'; readonly of: Wanted }

/** The members of an object; without the `required` ones it is meaningless. */
export type Members = {
  readonly byName: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

type Keywords = Exclude<JsonSchema, boolean>

/** What the schema takes. The schemas of records have no choices (anyOf and the like). */
export function wantedBy(keywords: JsonSchema): Wanted {
  if (typeof keywords === 'boolean') return { kind: 'any' }
  const types = typeof keywords.type === 'string' ? [keywords.type] : (keywords.type ?? [])
  if (types.includes('object') || keywords.properties !== undefined) return wantedObject(keywords)
  if (types.includes('array')) return { kind: 'list', of: wantedBy(keywords.items ?? true) }
  if (types.includes('number') || types.includes('integer')) return { kind: 'number' }
  if (types.includes('boolean')) return { kind: 'truth' }
  if (types.includes('string')) return { kind: keywords.format === 'date-time' ? 'date-time' : 'text' }
  return { kind: typeof keywords.const === 'string' || keywords.enum !== undefined ? 'text' : 'any' }
}

function wantedObject(keywords: Keywords): Wanted {
  if (keywords.properties === undefined) return { kind: 'any' }
  const members = { byName: keywords.properties, required: keywords.required ?? [] }
  if (!Object.hasOwn(members.byName, 'measurement') || !Object.hasOwn(members.byName, 'units'))
    return { kind: 'object', members }
  return { kind: 'measure', of: unitKindOf((members.byName['units'] as Keywords).format), members }
}

const spoken = {
  text: 'text',
  number: 'a number',
  truth: 'yes or no',
  'date-time': 'a date and time',
  list: 'a list',
  any: 'anything',
} as const

/** What a field takes, in words. */
export function spokenWanted(wanted: Wanted): string {
  if (wanted.kind === 'measure')
    return `${wanted.of === undefined ? 'a' : `a measure of ${wanted.of}, a`} number with its unit`
  if (wanted.kind === 'object') return `several fields (${Object.keys(wanted.members.byName).slice(0, 6).join(', ')})`
  return spoken[wanted.kind]
}
