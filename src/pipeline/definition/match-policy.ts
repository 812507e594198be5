/** Reads how rows find records that the service has under other keys. */

import { WindrowError } from '../../core/error.ts'

/** By boundary, by name, or by a column whose value is an identifier of the record. */
export type MatchPolicy = { readonly by: 'boundary' | 'name' } | { readonly by: 'identifier'; readonly column: string }

/** Reads "boundary", "name" or "<COLUMN>=identifier"; otherwise returns a sentence. */
export function readMatch(written: string): MatchPolicy | string {
  const text = written.trim()
  if (text === 'boundary' || text === 'name') return { by: text }
  const [, column] = /^<?([^<>]+?)>?\s*=\s*identifier$/.exec(text) ?? []
  if (column !== undefined) return { by: 'identifier', column: column.trim() }
  return `"${written}" is no way to match records. Write: boundary, name, or <COLUMN>=identifier.`
}

/** The policy of an option; undefined without one. Throws a WindrowError if it is none. */
export function matchOption(given: string | undefined): MatchPolicy | undefined {
  const match = given === undefined ? undefined : readMatch(given)
  if (typeof match === 'string') throw new WindrowError('option-invalid', match)
  return match
}
