/** Counts what the letters of all rows say about the encoding of the file. */

import { bytesByLetter, hasLostLetters, readAsUtf8 } from '../../core/letters.ts'
import type { Problem } from '../../core/problem.ts'
import type { Row } from '../../core/row.ts'
import { judge, type Policy } from '../../core/rule.ts'
import type { SettingsIn } from '../../core/setting-text.ts'
import { encodingRules } from '../../rules/letters.ts'
import { wholeFile } from './stage-store.ts'

const beyondAscii = /[^\x00-\x7f]/

type Letters = ReturnType<typeof startLetters>

/** Starts counting for text in the pipeline's encoding. */
export function startLetters(encoding: string) {
  return {
    encoding,
    sound: 0,
    lost: 0,
    twice: 0,
    firstLost: undefined as { readonly text: string; readonly row: number } | undefined,
    firstTwice: undefined as { readonly text: string; readonly row: number; readonly meant: string } | undefined,
    byteOf: bytesByLetter(encoding),
  }
}

/** Counts the cells of these columns. */
export function noteLetters(letters: Letters, { values, at: { row } }: Row, columns: readonly string[]): void {
  for (const column of columns) {
    const value = values[column]
    if (typeof value !== 'string' || !beyondAscii.test(value)) continue
    const text = value.slice(0, 60)
    if (hasLostLetters(value)) {
      letters.lost += 1
      letters.firstLost ??= { text, row }
      continue
    }
    const meant = letters.byteOf && readAsUtf8(value, letters.byteOf)
    if (meant === undefined) letters.sound += 1
    else {
      letters.twice += 1
      letters.firstTwice ??= { text, row, meant: meant.slice(0, 60) }
    }
  }
}

/** What is found about the letters of the whole file. */
export function encodingProblems({ letters, job, source }: LettersRead): readonly Problem[] {
  const { settingsIn, policy } = job
  if (letters === undefined) return []
  return judge(encodingRules, { ...letters, settingsIn }, { policy, place: wholeFile(source) })
}

type LettersRead = {
  readonly letters: Letters | undefined
  readonly job: { readonly settingsIn: SettingsIn; readonly policy: Policy }
  readonly source: string
}
