/** Counts in the different numbers of a column which marks lie between thousands and before decimals. */

import type { DecimalMark, ThousandsMark } from '../values/number-text.ts'
import { copyOf } from './distinct.ts'

/** Numbers of one kind: how many different ones, and the first. */
export type Seen = { times: number; readonly text: string }

/**
 * The numbers of a column by mark. `grouped` certainly have it between thousands; `ambiguous` are such as 1,204, where it may be
 * either; `fractional` have it before decimals.
 */
export type MarksSeen = {
  readonly grouped: Partial<Record<ThousandsMark, Seen>>
  readonly ambiguous: Partial<Record<DecimalMark, Seen>>
  readonly fractional: Partial<Record<DecimalMark, Seen>>
}

const groupedNumber = /^[+\u2212-]?([1-9]\d{0,2})([.,' \u00a0\u2009\u202f’])\d{3}(?:\2\d{3})*([.,]\d+)?$/
const fraction = /^[+\u2212-]?\d*([.,])\d+$/
const markNames: Readonly<Record<string, Exclude<ThousandsMark, 'none'>>> = {
  '.': 'point',
  ',': 'comma',
  "'": 'apostrophe',
  '’': 'apostrophe',
}

export function startMarks(): MarksSeen {
  return { grouped: {}, ambiguous: {}, fractional: {} }
}

/** Counts the marks of a text that is a number with some decimal mark. */
export function countMarks({ grouped, ambiguous, fractional }: MarksSeen, text: string): void {
  const [, first, between, decimals] = groupedNumber.exec(text) ?? []
  if (first === undefined || between === undefined) {
    const mark = markNames[fraction.exec(text)?.[1] ?? '']
    if (mark === 'point' || mark === 'comma') count(fractional, mark, text)
    return
  }
  const mark = markNames[between] ?? 'space'
  // 1,204,5 is not a number with either mark.
  if (decimals?.startsWith(between) === true) return
  const isAmbiguous = decimals === undefined && text.replace(/^[^\d]/, '').length === first.length + 4
  if (isAmbiguous && (mark === 'point' || mark === 'comma')) count(ambiguous, mark, text)
  else count(grouped, mark, text)
  if (decimals !== undefined) count(fractional, decimals.startsWith(',') ? 'comma' : 'point', text)
}

function count<Mark extends string>(counts: Partial<Record<Mark, Seen>>, mark: Mark, text: string): void {
  const known = counts[mark]
  if (known === undefined) counts[mark] = { times: 1, text: copyOf(text.slice(0, 40)) }
  else known.times += 1
}
