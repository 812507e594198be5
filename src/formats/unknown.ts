/** Hides how a file that nobody here reads gets its name, so that the refusal can say it and the way out. */

import type { Probe } from './format.ts'
import { byHead, byMember, byName, type Likeness } from './likenesses.ts'

/** Says what a file seems to be that no format recognises. */
export function likenessOf({ name, head, members }: Probe): Pick<Likeness, 'what' | 'hint'> {
  if (members !== undefined) return likenessInside(members, head.length === 0)
  const text = plainText(head)
  const sign =
    byHead.find((each) => each.head?.test(text)) ?? [...byHead, ...byName].find((each) => each.name?.test(name))
  if (sign !== undefined) return sign
  return text.includes('\0')
    ? {
        what: 'a binary file of an unknown kind',
        hint: 'Export the table as CSV (UTF-8) or, with boundaries, as GeoJSON from the program that made it.',
      }
    : { what: 'text of an unknown kind', hint: 'If it is a table, say so: name it .csv, or set the format.' }
}

/** A character for each byte, but for text in UTF-16, whose zeros would hide it. */
function plainText(head: Uint8Array): string {
  const text = Buffer.from(head).toString('latin1')
  const marked = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.exec(text)?.[0]
  if (marked === undefined) return text
  return marked.length === 2 ? text.slice(2).replaceAll('\0', '') : text.slice(marked.length)
}

function likenessInside(members: readonly string[], isFolder: boolean): Pick<Likeness, 'what' | 'hint'> {
  const sign = byMember.find(({ member }) => members.some((name) => member?.test(name)))
  if (sign !== undefined) return sign
  const whole = isFolder ? 'folder' : 'zip file'
  const shown = members.slice(0, 5).join(', ')
  const what =
    members.length === 0
      ? `an empty ${whole}`
      : `a ${whole} with nothing in it that can be read (${shown}${members.length > 5 ? ', ...' : ''})`
  return { what, hint: `${isFolder ? 'Name' : 'Unpack it, and name'} the file that holds the records.` }
}
