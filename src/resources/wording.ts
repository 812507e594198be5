/** Puts values and places of a record into words for people. */

import { listed } from '../core/values/plural.ts'

const longestValue = 60

/** The value for a sentence: text in quotes, long text cut, groups and lists only named. */
export function sayValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value))
  if (value === undefined) return 'not there'
  if (value === null) return 'empty (null)'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a group of fields'
  return `${value as number | boolean}`
}

/** The value as text for a report, cut when long; undefined for groups, lists and nothing. */
export function plainValue(value: unknown): string | undefined {
  if (typeof value === 'string') return shorten(value)
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined
}

function shorten(text: string): string {
  return text.length > longestValue ? `${text.slice(0, longestValue).toWellFormed()}…` : text
}

/** A JSON pointer in words: `/crops/1/name` is "entry 2 of crops: name"; the empty pointer is `whole`. */
export function sayPath(pointer: string, whole: string): string {
  let before = ''
  let words = ''
  for (const member of pointerParts(pointer)) {
    if (words !== '' && /^\d+$/.test(member)) {
      words = `entry ${Number(member) + 1} of ${words}`
    } else if (words.startsWith('entry ')) {
      before = `${before}${words}: `
      words = member
    } else {
      before = words === '' ? before : `${before}${words}.`
      words = member
    }
  }
  return words === '' ? whole : before + words
}

/** The member names in a JSON pointer. */
export function pointerParts(pointer: string): readonly string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A member's name as a part of a JSON pointer. */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** "a, b, c or d"; after `most` words "and n more". */
export function sayList(words: readonly string[], most = 12): string {
  if (words.length > most) return listed(words, most)
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)!}`
}
