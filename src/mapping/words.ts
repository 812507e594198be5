/** Replaces a word in a cell by its meaning in the pipeline. */

import { isBlank, type Value } from '../core/row.ts'
import { trimmed } from '../core/values/trimmed.ts'
import { nearest } from '../core/values/nearest.ts'
import { textOf } from './cell.ts'
import type { LeafMap } from './leaf-map.ts'
import { blank, addProblem, type RowState, type CellAndField } from './row-state.ts'

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
