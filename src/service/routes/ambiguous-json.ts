/** Finds what programs that read JSON do not agree on (RFC 7493): a member given twice, a text that not all of them can keep. */

import { quoted } from '../http/query.ts'

/** Says what is ambiguous in a value that was parsed from a text with so many members, undefined when nothing is. */
export function ambiguity(value: unknown, members: number): string | undefined {
  const found: Found = { members: 0, text: undefined }
  look(value, '', found)
  if (found.text !== undefined)
    return `${quoted(found.text)} contains U+0000 or half of a surrogate pair, which many programs cannot read. Take it out.`
  // JSON.parse sees the last of two members of one name, other readers the first: nobody checked that one.
  return found.members === members ? undefined : 'The record has the same member more than once.'
}

type Found = { members: number; text: string | undefined }

function look(value: unknown, name: string, found: Found): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) found.text ??= name
  } else if (Array.isArray(value)) {
    for (const each of value) if (typeof each !== 'number') look(each, name, found)
  } else if (typeof value === 'object' && value !== null)
    for (const [member, each] of Object.entries(value)) {
      found.members += 1
      look(member, member, found)
      look(each, member, found)
    }
}
