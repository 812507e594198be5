/** Hides what is said when a file fits another reading better than the one its pipeline agreed upon. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { compileDatePattern } from '../../core/values/date-pattern.ts'
import { partedThousands, type Rival } from '../../mapping/readings.ts'
import type { Contradiction, Letters } from '../evidence/encoding-evidence.ts'
import type { Stage } from '../stage/stage-store.ts'

/**
 * Stops the run where the whole file fits another reading better; with `warn` it is only said. A single cell that does not fit
 * is a problem of its row alone.
 */
export function judgeReadings(
  stage: Stage,
  contradictions: readonly Contradiction[],
  { source, policy }: { readonly source: string; readonly policy: 'stop' | 'warn' },
): void {
  if (contradictions.length === 0) return
  const hint = hintOf(contradictions)
  if (policy === 'stop')
    throw new WindrowError(
      'guard-stopped',
      `${contradictions.map(({ sentence }) => sentence).join(' ')} Nothing was sent.`,
      {
        hint,
        data: { reasons: contradictions.map(({ sentence }) => sentence) },
      },
    )
  for (const { sentence, write } of contradictions) stage.addProblem(warning(source, sentence, write))
}

function warning(source: string, sentence: string, write: string): Problem {
  return problem(
    'file-inconsistent',
    { source, row: -1 },
    { message: sentence, hint: `If the file is right:  ${write}` },
  )
}

function hintOf(contradictions: readonly Contradiction[]): string {
  const changes = contradictions.map(({ write }) => write).join('; ')
  return `If the file is right, change the pipeline:  ${changes}. If not, export it again as it was. To send what can be read all the same:  guard: { reading: warn }`
}

/** A column whose cells fit another date pattern, or the other decimal mark. */
export function contradictionOfRival({ column, kind, agreed, rival, ...counts }: Rival): Contradiction {
  const { only, agreedOnly, either, example } = counts
  const isDate = kind === 'date'
  const isParted = rival === partedThousands
  const spell = (reading: string): string => {
    if (isDate) return spoken(reading)
    return reading === partedThousands ? 'another mark between thousands' : `a decimal ${reading}`
  }
  const cells = isDate ? (only === 1 ? 'date' : 'dates') : only === 1 ? 'number' : 'numbers'
  const inFile = `${only} ${cells} can only be read ${isDate ? 'as' : 'with'} ${spell(rival)} (first "${example.text}" in row ${example.at.row})`
  return {
    sentence:
      `"${column}" is agreed to hold ${isDate ? 'dates as' : 'numbers with'} ${spell(agreed)}, but in this file ${inFile}, ` +
      `and ${agreedOnly === 0 ? 'none' : agreedOnly} only as agreed.${either === 0 ? '' : ` ${either} could be either.`}`,
    write: isDate
      ? `{ from: ${column}, date: ${rival} }`
      : isParted
        ? `{ from: ${column}, number: { decimal: ${agreed} } }`
        : `decimal: ${rival}  under "from", or  { from: ${column}, number: { decimal: ${rival} } }`,
  }
}

function spoken(pattern: string): string {
  const compiled = compileDatePattern(pattern)
  return typeof compiled === 'string' ? pattern : `${compiled.spoken} (${pattern})`
}

/** Text that is in another encoding than the agreed one. */
export function contradictionOfLetters({
  encoding,
  sound,
  lost,
  twice,
  firstLost,
  firstTwice,
}: Letters): Contradiction | undefined {
  const all = sound + lost + twice
  if (firstTwice !== undefined && twice > sound)
    return {
      sentence: `The text is agreed to be ${encoding}, but ${twice} of ${cellsOf(all)} with special letters ${isOrAre(twice)} UTF-8: "${firstTwice.text}" in row ${firstTwice.at.row} is meant to be "${firstTwice.meant}".`,
      write: 'encoding: utf-8  under "from"',
    }
  // A single one may have been lost before it came into this file; its row is rejected all the same.
  if (firstLost !== undefined && lost > 1 && lost > sound)
    return {
      sentence: `The text is agreed to be ${encoding}, but ${lost} of ${cellsOf(all)} with special letters are not, first "${firstLost.text}" in row ${firstLost.at.row}.`,
      write: `encoding: ${/^utf-?8$/i.test(encoding) ? 'windows-1252' : 'utf-8'}  under "from"; windrow inspect shows which one it is`,
    }
  return undefined
}

function cellsOf(all: number): string {
  return all === 1 ? '1 cell' : `${all} cells`
}

function isOrAre(times: number): string {
  return times === 1 ? 'is' : 'are'
}
