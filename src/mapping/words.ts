/** Replaces a word in a cell by its meaning in the pipeline. */

import type { ColumnProfile } from '../core/profile/profile-table.ts'
import { isBlank, type Value } from '../core/row.ts'
import { trimmed } from '../core/values/trimmed.ts'
import { nearest } from '../core/values/nearest.ts'
import { textOf } from './cell.ts'
import type { LeafMap } from './leaf-map.ts'
import { blank, addProblem, type RowState, type CellAndField } from './row-state.ts'

const shortCode = /^[A-Z][A-Z0-9]{0,3}$/
const numberCode = /^\d+$/

/** What to check about a column of crops that has nothing but short codes, such as RG and PLN, or 115 and 411; undefined for others. */
export function codeDoubt(field: string, { few, truths, nothings }: ColumnProfile): string | undefined {
  if (field !== 'crops.0.name' || few === undefined || truths > 0) return undefined
  const codes = few.filter((value) => !Object.hasOwn(nothings, value))
  const isCode = [shortCode, numberCode].some((code) => codes.every((value) => code.test(value)))
  if (!isCode || codes.length === 0) return undefined
  return `codes such as ${codes.slice(0, 3).join(', ')} are published as they are; words: says what each means`
}

/** The column as if the words in it that stand for nothing, such as "-" and "n/a", were blank cells, up to a share of its cells. */
export function withoutNothings(column: ColumnProfile, most = 1): ColumnProfile {
  const { nothings, filled, texts, blank } = column
  const cells = Object.values(nothings).reduce((sum, each) => sum + each, 0)
  return cells === 0 || cells > filled * most
    ? column
    : { ...column, filled: filled - cells, texts: texts - cells, blank: blank + cells }
}

/** The option of a pipeline by which these words are blank cells. */
export function nothingWords({ nothings }: ColumnProfile) {
  const words = Object.keys(nothings)
  return words.length === 0 ? undefined : { words: Object.fromEntries(words.map((word) => [word, ''])) }
}

/** A column of names: a word such as NA or Nil that only one cell has may be a name, such as that of North A. */
export function asNames(column: ColumnProfile): ColumnProfile {
  const sure = Object.entries(column.nothings).filter(([word, times]) => times > 1 || !/^\p{L}+$/u.test(word))
  return { ...column, nothings: Object.fromEntries(sure) }
}

/** A column as a pipeline names it, without these words. */
export function columnSpec(column: ColumnProfile): Value {
  const none = nothingWords(column)
  return none === undefined ? `<${column.name}>` : { from: column.name, ...none, otherwise: 'keep' }
}

/** Makes the reader of words. They match as written, else in any case where that is not ambiguous. */
export function wordsReader(map: LeafMap, spot: CellAndField): (value: Value, state: RowState) => unknown {
  const exact = new Map(Object.entries(map.words ?? {}).map(([word, meaning]) => [trimmed(word), meaning]))
  const loose = new Map<string, Value>()
  for (const [word, meaning] of exact) {
    const key = word.toLowerCase()
    loose.set(key, loose.has(key) ? undefined : meaning)
  }
  const furtherForm = map.date ?? map.unit ?? map.number
  const otherwise = map.otherwise ?? (furtherForm === undefined ? 'stop' : 'keep')
  const known = [...exact.keys()]
  return (value, state) => {
    const word = textOf(value) ?? ''
    const meaning = exact.get(word) ?? loose.get(word.toLowerCase())
    if (meaning !== undefined && !isBlank(meaning)) return meaning
    if (meaning !== undefined || exact.has(word) || otherwise === 'blank') return blank
    if (otherwise === 'keep') return value
    const near = nearest(word, known)
    return addProblem(state, spot, {
      code: 'word-unknown',
      value,
      message: `The pipeline does not list this word.${near === undefined ? '' : ` The nearest is "${near}".`}`,
      hint: 'Correct the cell, add the word under "words", or keep unknown words: otherwise: keep',
    })
  }
}
