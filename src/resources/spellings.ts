/** Reads both spellings of members that the service spells in two ways; the documented one is written. */

import { findResourceType } from './index.ts'
import type { Identifier, LooseIdentifier, ResourceType } from './resource-type.ts'

/** The types, and the members inside them, in which the member `read` means `write`. `*` is any entry of a list. */
type Spelling = {
  readonly types: readonly string[]
  readonly at: readonly string[]
  readonly read: string
  readonly write: string
}

const published = ['holdingResource', 'plotResource', 'landCoverResource']
const cropRecords = ['workRecordResource', 'operationRecordResource', 'svcPastureCoverEvent']

const spellings: readonly Spelling[] = [
  { types: ['workRecordResource', 'operationRecordResource'], at: [], read: 'self', write: '@self' },
  { types: [...published, 'medicineProductResource'], at: [], read: '@self', write: 'self' },
  { types: ['breed'], at: [], read: 'naem', write: 'name' },
  { types: ['breed'], at: ['identifiers', '*'], read: 'scheme', write: 'schema' },
  { types: ['landCoverResource'], at: ['speciesPresent', '*'], read: 'classification', write: 'classfication' },
  ...[
    ['identifiers', '*'],
    ['meta', 'sourceId'],
    ['meta', 'sourceId', '*'],
    ['crops', '*', 'identifiers', '*'],
  ].map((at): Spelling => ({ types: [...published, ...cropRecords], at, read: 'schema', write: 'scheme' })),
]

/**
 * The body in windrow's spelling: members and `resourceType`. Unknown members stay; where both spellings are present, both stay.
 * The body is never changed, and is itself returned when nothing differs.
 */
export function readSpelling(type: ResourceType, body: object): object {
  let spelled: unknown = body
  for (const spelling of spellings) if (spelling.types.includes(type.name)) spelled = respell(spelled, spelling, 0)
  const named = (spelled as { readonly resourceType?: unknown }).resourceType
  const isAlias = typeof named === 'string' && named !== type.name && findResourceType(named) === type
  return isAlias ? { ...(spelled as object), resourceType: type.name } : (spelled as object)
}

function respell(value: unknown, spelling: Spelling, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  const step = spelling.at[depth]
  if (step === '*') return Array.isArray(value) ? mapped(value, (each) => respell(each, spelling, depth + 1)) : value
  if (Array.isArray(value)) return value
  if (step !== undefined) {
    const member: unknown = Object.hasOwn(value, step) ? (value as Readonly<Record<string, unknown>>)[step] : undefined
    const changed = respell(member, spelling, depth + 1)
    return changed === member ? value : { ...value, [step]: changed }
  }
  const { read, write } = spelling
  const written: unknown = (value as Readonly<Record<string, unknown>>)[write]
  if (!Object.hasOwn(value, read) || (written !== undefined && written !== null)) return value
  const entries = Object.entries(value).filter(([name]) => name !== write)
  return Object.fromEntries(entries.map(([name, member]) => [name === read ? write : name, member]))
}

function mapped(list: readonly unknown[], change: (each: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change)
  return changed.some((each, index) => each !== list[index]) ? changed : list
}

/** The source ids of a record as a list: the streaming API gives one object, the OGC API a list of them. */
export function sourceIds(meta: unknown): readonly Identifier[] {
  const given: unknown = (meta as { readonly sourceId?: unknown } | null | undefined)?.sourceId
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  return list.flatMap((each) => {
    const { scheme, schema, id } = (each ?? {}) as LooseIdentifier
    const named = scheme ?? schema
    return typeof named === 'string' && typeof id === 'string' ? [{ scheme: named, id }] : []
  })
}
