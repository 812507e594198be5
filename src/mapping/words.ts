/** Hides how a word in a cell is replaced by what the pipeline says it means. */

import { isBlank, type Value } from '../core/row.ts'
import { nearest } from '../resources/nearest.ts'
import { textOf } from './cell.ts'
import type { LeafMap } from './leaf-map.ts'
import { blank, complain, type Run, type Spot } from './run.ts'

/** Makes the reader of words. They match as written, else without regard to case where that is not ambiguous. */
export function wordsReader(map: LeafMap, spot: Spot): (value: Value, run: Run) => unknown {
  const exact = new Map(Object.entries(map.words ?? {}).map(([word, meaning]) => [word.trim(), meaning]))
  const loose = new Map<string, Value>()
  for (const [word, meaning] of exact) {
    const key = word.toLowerCase()
    loose.set(key, loose.has(key) ? undefined : meaning)
  }
  const furtherForm = map.date ?? map.unit ?? map.number
  const otherwise = map.otherwise ?? (furtherForm === undefined ? 'stop' : 'keep')
  const known = [...exact.keys()]
  return (value, run) => {
    const word = textOf(value) ?? ''
    const meaning = exact.get(word) ?? loose.get(word.toLowerCase())
    if (meaning !== undefined && !isBlank(meaning)) return meaning
    if (meaning !== undefined || exact.has(word) || otherwise === 'blank') return blank
    return otherwise === 'keep' ? value : complainOfWord(value, word, known, { run, spot })
  }
}

function complainOfWord(
  value: Value,
  word: string,
  known: readonly string[],
  { run, spot }: { readonly run: Run; readonly spot: Spot },
): undefined {
  const near = nearest(word, known)
  return complain(run, spot, {
    code: 'word-unknown',
    value,
    message: `The pipeline does not say what this word means.${near === undefined ? '' : ` The nearest it knows is "${near}".`}`,
    hint: 'Correct the cell, add the word under "words", or let it through: otherwise: keep',
  })
}
