/** Finds what is wrong with the letters of a row: of its cells, of the words of the filter, and of the texts of its record. */

import { hasLostLetters, mayBeSpoilt } from '../../core/letters.ts'
import type { Problem } from '../../core/problem.ts'
import type { Place, Row } from '../../core/row.ts'
import { judgeBy } from '../../core/rule.ts'
import { entriesIn, type Group } from '../../resources/groups.ts'
import type { NewText } from '../../rules/letters.ts'
import { filterText } from '../definition/row-filter.ts'
import type { ImportJob } from './import-job.ts'

const beyondAscii = /[^\x00-\x7f]/

/** The reader's problems, and those of lost letters. The reader only warns of them, because it does not know which columns matter. */
export function readerProblems(
  { at, values, problems = [] }: Row,
  { table, mapping, settingsIn, rules }: ImportJob,
): readonly Problem[] {
  const found: Problem[] = []
  for (const column of mapping.columns) {
    const value = values[column]
    if (typeof value !== 'string' || !hasLostLetters(value)) continue
    const encoding = table.decisions.find(({ option }) => option === 'encoding')?.value
    found.push(...judgeBy(rules.cells, { column, value, encoding, settingsIn }, at))
  }
  if (found.length === 0) return problems
  const isSaid = (column: string | undefined): boolean => found.some((each) => each.column === column)
  return [...problems.filter(({ code, column }) => code !== 'encoding-doubtful' || !isSaid(column)), ...found]
}

/** What is found about a row that the filter leaves out only because a word came with spoilt letters: its record must not count as gone. */
export function spoiltWords({ values, at }: Row, { only, rules }: ImportJob): readonly Problem[] {
  const missed = only
    .map(({ column, oneOf }) => ({ column, oneOf, value: filterText(values[column]) }))
    .filter(({ value, oneOf }) => !oneOf.includes(value))
  return judgeBy(rules.words, missed, at)
}

/** `written` is the text of the whole record; `reported` is what the reader of the file found about the row. */
type Written = {
  readonly previous: Group | undefined
  readonly id: string | undefined
  readonly written: string
  readonly reported: readonly Problem[] | undefined
}

/** What is found about the texts of a record. */
export function textProblems(record: Group, written: Written, at: Place, { rules }: ImportJob): readonly Problem[] {
  return textsOf(record, written).flatMap((text) => judgeBy(rules.texts, text, at))
}

/** The texts that the row changes: names, and all others where one has letters that may be spoilt. */
function textsOf(record: Group, { previous = nothing, id, written, reported = [] }: Written): readonly NewText[] {
  const texts: NewText[] = []
  const add = (path: string | undefined, now: unknown, before?: unknown): void => {
    if (typeof now !== 'string' || now === before) return
    const isReported = reported.some(({ code, value }) => code === 'encoding-doubtful' && value === now)
    texts.push({ path, now, before: typeof before === 'string' ? before : undefined, isReported })
  }
  if (previous === nothing) add(undefined, id)
  const mayReplace = previous !== nothing && beyondAscii.test(written)
  if (mayReplace || written.includes('?') || written.includes('&') || mayBeSpoilt(written)) {
    eachText(record, previous, '', add)
    return texts
  }
  add('/name', record['name'], previous['name'])
  const cropsBefore = entriesIn(previous, 'crops')
  for (const [index, { name }] of entriesIn(record, 'crops').entries())
    add(`/crops/${index}/name`, name, cropsBefore[index]?.['name'])
  return texts
}

const nothing: Group = {}

function eachText(
  now: unknown,
  before: unknown,
  path: string,
  add: (path: string, now: string, before: unknown) => void,
): void {
  if (typeof now === 'string') add(path, now, before)
  else if (typeof now === 'object' && now !== null)
    for (const [name, value] of Object.entries(now))
      eachText(value, (before as Group | null | undefined)?.[name], `${path}/${name}`, add)
}
