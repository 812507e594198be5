/** Lists all rules, and finds one by its id. */

import { problemCodes, type Code } from '../core/problem.ts'
import type { Rule } from '../core/rule.ts'
import { areaLeap, blankRules, causeRules, changeRules, idsMoved } from './changes.ts'
import { clockRules, copyRules, farmRules, filterRules, readingRules } from './file.ts'
import { identityRules, matchRules, recordRules } from './identity.ts'
import { keyRules } from './keys.ts'
import { landRules, statedAreaRules } from './land.ts'
import { cellRules, encodingRules, textRules, wordRules } from './letters.ts'
import { limitRules, older } from './limits.ts'
import { far, firstLandRules, placedRecordRules } from './place.ts'
import { correctedRules } from './retry.ts'
import { columnRules, rowRules, tableRules } from './rows.ts'

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
  ...firstLandRules,
  ...placedRecordRules,
  ...landRules,
  ...statedAreaRules,
  ...limitRules,
  older,
  ...filterRules,
  ...readingRules,
  ...farmRules,
  ...copyRules,
  ...clockRules,
  ...rowRules,
  ...columnRules,
  ...tableRules,
  ...correctedRules,
  ...cellRules,
  ...wordRules,
  ...textRules,
  ...encodingRules,
]

const byId = new Map(allRules.map((rule) => [rule.id, rule]))

/** True for a rule that can stop a run, and so may be let through once. */
export function mayBeAllowed({ usual, isChosen }: Rule<never>): boolean {
  return usual === 'stop' && isChosen !== false
}

export function findRule(id: string): Rule<never> | undefined {
  return byId.get(id)
}

/** What a rule finds, and the rest of its paragraph. */
export function partsOf({ why }: Rule<never>): readonly [meaning: string, paragraph: string] {
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
