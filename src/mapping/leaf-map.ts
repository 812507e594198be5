/** Checks the options of a map with `from`, `first` or `text`. */

import { isObject } from '../core/values/exact-json.ts'
import { thousandsMarks, type NumberWriting } from '../core/values/number-text.ts'
import type { Value } from '../core/row.ts'
import { nearest } from '../core/values/nearest.ts'
import { pointerPart } from '../resources/wording.ts'
import { fault, inside, type NodePlace } from './compilation.ts'

/** A map at a leaf, after it was checked. */
export type LeafMap = {
  readonly from?: string | readonly string[]
  readonly first?: readonly unknown[]
  readonly text?: string
  readonly words?: Readonly<Record<string, Value>>
  readonly otherwise?: 'keep' | 'blank' | 'stop'
  readonly date?: string
  readonly zone?: string
  readonly number?: NumberWriting
  readonly unit?: string
  readonly split?: string
  readonly join?: string
}

const sources = ['from', 'first', 'text'] as const

/** True for a map that describes one value, not an object with fields. */
export function isLeafMap(spec: object): boolean {
  return sources.some((name) => Object.hasOwn(spec, name))
}

/** Checks a map of leaf options; adds faults to the compilation and then returns undefined. */
export function checkLeafMap(map: Readonly<Record<string, unknown>>, place: NodePlace): LeafMap | undefined {
  const { faults } = place.compilation
  const before = faults.length
  for (const name of Object.keys(map)) {
    if (leafOptions.includes(name)) continue
    const near = nearest(name, leafOptions)
    const hint = near === undefined ? `Allowed here: ${leafOptions.join(', ')}.` : `Did you mean ${near}?`
    fault(inside(place, pointerPart(name)), `"${name}" is not an option beside "from".`, hint, 'name')
  }
  const given = sources.filter((name) => Object.hasOwn(map, name))
  if (given.length > 1) fault(place, `"${given.join('" and "')}" do not go together.`, 'Keep one of them.')
  for (const [name, holds] of Object.entries(shapes))
    if (Object.hasOwn(map, name) && !holds.test(map[name]))
      fault(inside(place, name), `"${name}" takes ${holds.spoken}.`)
  return faults.length > before ? undefined : (map as LeafMap)
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const shapes: Readonly<Record<string, { readonly spoken: string; test(value: unknown): boolean }>> = {
  from: {
    spoken: 'the name of a column, or a list of names',
    test: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  },
  first: { spoken: 'a list of <Columns>', test: (value) => Array.isArray(value) && value.length > 0 },
  text: { spoken: 'text with <Columns> inside', test: isText },
  words: {
    spoken: 'a list of words and what each means',
    test: (value) =>
      isObject(value) && Object.values(value).every((meaning) => typeof meaning !== 'object' || meaning === null),
  },
  otherwise: { spoken: 'keep, blank or stop', test: (value) => ['keep', 'blank', 'stop'].includes(value as string) },
  date: { spoken: 'a pattern such as d/M/yyyy', test: isText },
  zone: { spoken: 'a time zone such as Pacific/Auckland', test: isText },
  number: {
    spoken:
      '{ decimal: comma } or { decimal: point }, and thousands: none, point, comma, space or apostrophe, different from the decimal mark',
    test: isNumberWriting,
  },
  unit: { spoken: 'a unit such as ha', test: isText },
  split: { spoken: 'the text between the entries, such as ";"', test: isText },
  join: { spoken: 'the text to put between the entries, such as ", "', test: (value) => typeof value === 'string' },
}
export const leafOptions = Object.keys(shapes)

function isNumberWriting(value: unknown): boolean {
  if (!isObject(value)) return false
  const { decimal, thousands, ...others } = value
  if (Object.keys(others).length > 0 || (decimal !== undefined && decimal === thousands)) return false
  const isOneOf = (value: unknown, marks: readonly unknown[]): boolean => value === undefined || marks.includes(value)
  return isOneOf(decimal, ['comma', 'point']) && isOneOf(thousands, thousandsMarks)
}
