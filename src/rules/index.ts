/** Lists all rules, those that decide about a file too, and finds one by its id. */

import { problemCodes, type Code } from '../core/problem.ts'
import type { Decider, Rule } from '../core/rule.ts'
import { encodingDecider } from '../core/sources/text.ts'
import { dialectDeciders } from '../formats/csv/dialect.ts'
import { headerDecider } from '../formats/grid.ts'
import { tableEncoding } from '../formats/shapefile/encoding.ts'
import { areaLeap, blankRules, causeRules, changeRules, idsMoved } from './changes.ts'
import { columnNotes, fileNotes } from './column-notes.ts'
import { farmColumn, farmPosition, fieldDeciders } from './columns.ts'
import { clockWrong, copyRules, otherFarmNamed, filterEmpty, otherReading } from './file.ts'
import { identityRules, matchRules, recordRules } from './identity.ts'
import { keyColumn } from './key-column.ts'
import { areaDiffers, areaUnit, landRules } from './land.ts'
import { lettersLost, otherEncoding, textRules, wordSpoilt } from './letters.ts'
import { limitRules, older } from './limits.ts'
import { ownExport } from './own-export.ts'
import { far, firstFar, placedRecordRules, placingDeciders } from './place.ts'
import { recordType } from './record-type.ts'
import { columnRules, correctedRules, keyRules, rowRules, tableRules } from './rows.ts'
import { decimalSeparator } from './values.ts'

/** All rules, in the order of docs/rules.md. */
export const allRules: readonly Rule<never>[] = [
  ...changeRules,
  ...blankRules,
  ...causeRules,
  idsMoved,
  areaLeap,
  ...keyRules,
  ...matchRules,
  ...recordRules,
  ...identityRules,
  far,
  firstFar,
  ...placedRecordRules,
  ...landRules,
  areaUnit,
  areaDiffers,
  ...limitRules,
  older,
  filterEmpty,
  otherReading,
  otherFarmNamed,
  ...copyRules,
  clockWrong,
  ...rowRules,
  ...columnRules,
  ...tableRules,
  ...correctedRules,
  lettersLost,
  wordSpoilt,
  ...textRules,
  otherEncoding,
  ...fileNotes,
  ...columnNotes,
]

/** All rules that decide a setting of a pipeline where nobody said it, in the order of docs/rules.md. */
export const allDeciders: readonly Decider<never>[] = [
  encodingDecider,
  tableEncoding,
  ...dialectDeciders,
  headerDecider,
  recordType,
  ownExport,
  farmColumn,
  keyColumn,
  decimalSeparator,
  ...fieldDeciders,
  farmPosition,
  ...placingDeciders,
]

const byId = new Map(allRules.map((rule) => [rule.id, rule]))

/** True for a rule that can stop a run, and so may be let through once. */
export function mayBeAllowed({ usual, isChosen }: Rule<never>): boolean {
  return usual === 'stop' && isChosen !== false
}

/** The rule with this id; undefined where there is none. */
export function findRule(id: string): Rule<never> | undefined {
  return byId.get(id)
}

/** What a rule finds, and the rest of its paragraph. */
export function partsOf({ why }: Pick<Rule<never>, 'why'>): readonly [meaning: string, paragraph: string] {
  const meaning = firstSentence(why)
  return [meaning, why.slice(meaning.length).trim()]
}

function firstSentence(text: string): string {
  return /^.*?[.](?= [\p{Lu}<]|$)/su.exec(text)?.[0] ?? text
}

/** What a code of a report means, in one sentence. */
export function meaningOf(code: Code): string {
  const problems: Readonly<Record<string, { readonly meaning: string } | undefined>> = problemCodes
  const rule = byId.get(code)
  return (rule === undefined ? problems[code]?.meaning : firstSentence(rule.why)) ?? ''
}
