/** Hides how it is counted, over all rows, what stands between the thousands of a column, and what follows from that. */

import type { DecimalMark, ThousandsMark } from '../core/values/number-text.ts'
import type { TableProfile } from '../core/profile/profile-table.ts'
import type { Table } from '../core/row.ts'
import type { Choice } from './choice.ts'

/** Numbers of one kind: how many, and the first. */
type Seen = { times: number; readonly text: string }

/**
 * What the numbers of a column show. `parted` have that mark between thousands and nothing else it could be; `open` are such as
 * 1,204, where the mark may divide thousands or decimals; `divided` have it before decimals.
 */
export type MarksSeen = {
  readonly parted: Map<ThousandsMark, Seen>
  readonly open: Map<DecimalMark, Seen>
  readonly divided: Map<DecimalMark, Seen>
}

/** What stands between the thousands of a column by its numbers. */
export type ThousandsChoice = { readonly mark: ThousandsMark; readonly evidence: string; readonly certain: boolean }

/** The columns of the choices in which thousands and decimals may be confused: few files have any. */
export function columnsInDoubt(fields: readonly Choice[], { columns }: TableProfile): readonly string[] {
  const inDoubt = new Set(columns.filter(({ numberFit }) => numberFit.both > 0).map(({ name }) => name))
  return fields.flatMap(({ column, spec }) =>
    column !== undefined && inDoubt.has(column) && typeof spec === 'object' && spec !== null && 'unit' in spec
      ? [column]
      : [],
  )
}

/** Counts the marks of these columns in one more pass over the table. */
export async function countMarks(
  table: Table,
  columns: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, MarksSeen>> {
  const counted = new Map(
    columns.map((column): [string, MarksSeen] => [column, { parted: new Map(), open: new Map(), divided: new Map() }]),
  )
  for await (const batch of table.batches(signal))
    for (const { values } of batch)
      for (const [column, seen] of counted) {
        const value = Object.hasOwn(values, column) ? values[column] : undefined
        if (typeof value === 'string') countText(seen, value.trim())
      }
  return counted
}

const grouped = /^[+\u2212-]?([1-9]\d{0,2})([.,' \u00a0\u2009\u202f’])\d{3}(?:\2\d{3})*([.,]\d+)?$/
const decimals = /^[+\u2212-]?\d*([.,])\d+$/
const markNames: Readonly<Record<string, Exclude<ThousandsMark, 'none'>>> = {
  '.': 'point',
  ',': 'comma',
  "'": 'apostrophe',
  '’': 'apostrophe',
}

function countText({ parted, open, divided }: MarksSeen, text: string): void {
  const [, first, between, fraction] = grouped.exec(text) ?? []
  if (first === undefined || between === undefined) {
    const mark = markNames[decimals.exec(text)?.[1] ?? '']
    if (mark === 'point' || mark === 'comma') count(divided, mark, text)
    return
  }
  const mark = markNames[between] ?? 'space'
  // 1,204,5 is no number with either mark.
  if (fraction?.startsWith(between) === true) return
  const isOpen = fraction === undefined && text.replace(/^[^\d]/, '').length === first.length + 4
  if (isOpen && (mark === 'point' || mark === 'comma')) count(open, mark, text)
  else count(parted, mark, text)
  if (fraction !== undefined) count(divided, fraction.startsWith(',') ? 'comma' : 'point', text)
}

function count<Mark>(counts: Map<Mark, Seen>, mark: Mark, text: string): void {
  const known = counts.get(mark)
  if (known === undefined) counts.set(mark, { times: 1, text: text.slice(0, 40) })
  else known.times += 1
}

/** What follows for the thousands where the decimals have this mark; nothing where they are parted in several ways. */
export function chooseThousands(
  { parted, open, divided }: MarksSeen,
  decimal: DecimalMark,
): ThousandsChoice | undefined {
  const other: DecimalMark = decimal === 'point' ? 'comma' : 'point'
  const like = open.get(other) ?? (parted.size === 0 ? open.get(decimal) : undefined)
  const marks = new Set<ThousandsMark>([...parted.keys(), ...(open.has(other) ? [other] : [])])
  if (marks.size > 1 || (marks.size === 0 && like === undefined)) return undefined
  const [mark = 'none'] = marks
  const shown = parted.get(mark) ?? divided.get(decimal)
  const twofold =
    like === undefined
      ? ''
      : `${numbersLike(like)}, ${valueOf(like.text, decimal)} here and ${valueOf(like.text, other)} with a decimal ${other}; `
  const because =
    shown === undefined
      ? 'no other number of the column shows which'
      : `${shown.times} such as "${shown.text}" ${shown.times === 1 ? 'shows' : 'show'} it`
  return { mark, evidence: `thousands: ${twofold}${because}`, certain: shown !== undefined }
}

/** What is said where nothing shows the decimal mark: how many numbers have two readings, and which. */
export function twofoldNumbers({ open }: MarksSeen): string | undefined {
  const shown = [...open.values()].map(
    (seen) =>
      `${numbersLike(seen)}, ${valueOf(seen.text, 'point')} with a decimal point and ${valueOf(seen.text, 'comma')} with a decimal comma`,
  )
  return shown.length === 0 ? undefined : shown.join('; ')
}

function numbersLike({ times, text }: Seen): string {
  return times === 1 ? `1 number is "${text}"` : `${times} numbers are like "${text}"`
}

function valueOf(text: string, decimal: DecimalMark): string {
  const [thousands, mark] = decimal === 'comma' ? ['.', ','] : [',', '.']
  return text.replaceAll(thousands, '').replace(mark, '.')
}
