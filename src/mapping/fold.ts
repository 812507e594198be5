/** Joins several rows of one record: single values must agree, lists grow. */

import { byName, isObject } from '../core/values/exact-json.ts'
import { problem, type Problem } from '../core/problem.ts'
import type { Place, Value } from '../core/row.ts'
import { pointerPart } from '../resources/wording.ts'
import type { Mapped } from './compile.ts'
import { showValue } from './row-state.ts'

type Fields = Readonly<Record<string, unknown>>
type Folding = { readonly at: Place; readonly others: readonly Place[]; readonly problems: Problem[] }

/**
 * Joins the rows of one key, at least one, into the first. Values that disagree are a problem of the group that names its rows;
 * a list keeps one of each entry; a field counts as blank only where it is blank in every row.
 */
export function fold(mapped: readonly Mapped[]): Mapped {
  const [first, ...rest] = mapped as readonly [Mapped, ...Mapped[]]
  if (rest.length === 0) return first
  const folding: Folding = {
    at: first.at,
    others: rest.map(({ at }) => at),
    problems: mapped.flatMap(({ problems }) => problems),
  }
  const { holding } = first
  const foreign = rest.find((each) => each.holding?.id !== holding?.id || each.holding?.scheme !== holding?.scheme)
  if (foreign !== undefined) disagree(folding, '', [holding?.id ?? 'none', foreign.holding?.id ?? 'none'])
  return {
    at: first.at,
    sourceId: first.sourceId,
    sources: first.sources,
    holding,
    record: mapped.map(({ record }) => record).reduce((left, right) => foldFields(left, right, '', folding)),
    blank: first.blank.filter((pointer) => rest.every(({ blank }) => blank.includes(pointer))),
    numericIds: [...new Set(mapped.flatMap(({ numericIds }) => numericIds))],
    wordedBlanks: [...new Set(mapped.flatMap(({ wordedBlanks }) => wordedBlanks))],
    problems: folding.problems,
  }
}

function foldFields(left: Fields, right: Fields, path: string, folding: Folding): Fields {
  const folded: Record<string, unknown> = { ...left }
  for (const [name, value] of Object.entries(right))
    folded[name] = Object.hasOwn(left, name)
      ? foldValue(left[name], value, `${path}/${pointerPart(name)}`, folding)
      : value
  return folded
}

function foldValue(left: unknown, right: unknown, path: string, folding: Folding): unknown {
  if (Array.isArray(left) && Array.isArray(right)) return joinLists(left, right)
  if (isObject(left) && isObject(right)) return foldFields(left, right, path, folding)
  if (!Object.is(left, right) && canonical(left) !== canonical(right)) disagree(folding, path, [left, right])
  return left
}

function joinLists(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const known = new Set(left.map(canonical))
  const joined = [...left]
  for (const entry of right) {
    const key = canonical(entry)
    if (!known.has(key)) joined.push(entry)
    known.add(key)
  }
  return joined
}

function disagree(folding: Folding, path: string, values: readonly [unknown, unknown]): void {
  if (folding.problems.some((each) => each.code === 'group-disagrees' && each.path === path)) return
  const [one, other] = values.map((value) => showValue(value as Value))
  folding.problems.push(
    problem('group-disagrees', folding.at, {
      path,
      value: `${one}, ${other}`,
      with: folding.others,
      message: `Rows with the same key disagree${path === '' ? ' about the holding' : ` about ${path.slice(1)}`}: one has "${one}", another "${other}".`,
      hint: 'Correct the rows so that they agree, or give them different keys.',
    }),
  )
}

/** The same text for the same content in any order of members. */
function canonical(value: unknown): unknown {
  try {
    return JSON.stringify(value, byName) ?? ''
  } catch {
    // Nested deeper than the stack allows: such a value equals only itself.
    return value
  }
}
