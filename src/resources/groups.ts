/** Reads groups and texts inside a record, where each member may be missing or something else. */

import { isObject } from '../core/values/exact-json.ts'

export type Group = Readonly<Record<string, unknown>>

/** A text member; undefined when it is blank or something else. */
export function textIn(owner: object, name: string): string | undefined {
  const value = (owner as Group)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A member that is a group; an empty one when it is something else. */
export function groupIn(owner: object, name: string): Group {
  const value = (owner as Group)[name]
  return isObject(value) ? value : {}
}

/** The entries of a list of groups; none when the member is something else, which then stays in place. */
export function groupsIn(owner: object, name: string): readonly Group[] {
  const list = (owner as Group)[name]
  return Array.isArray(list) && list.every(isObject) ? list : []
}

/** The entries of a list, each in its place: an empty group where a program left one empty (null) or wrote something else. */
export function entriesIn(owner: object, name: string): readonly Group[] {
  const list = (owner as Group)[name]
  return Array.isArray(list) ? list.map((each) => (isObject(each) ? each : {})) : []
}
