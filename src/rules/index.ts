/** Lists all rules, and finds one by its id. */

import { problemCodes, type Code } from '../core/problem.ts'
import type { Rule } from '../core/rule.ts'
import { identityRules, matchRules, recordRules } from './identity.ts'

/** All rules, in the order of docs/rules.md. */
export const allRules: readonly Rule<never>[] = [...matchRules, ...recordRules, ...identityRules]

const byId = new Map(allRules.map((rule) => [rule.id, rule]))

export function findRule(id: string): Rule<never> | undefined {
  return byId.get(id)
}

/** What a code of a report means, in one sentence. */
export function meaningOf(code: Code): string {
  const problems: Readonly<Record<string, { readonly meaning: string } | undefined>> = problemCodes
  return (byId.get(code) ?? problems[code])?.meaning ?? ''
}
