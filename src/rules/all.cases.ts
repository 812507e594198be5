/** Lists the cases of all rules, by the id of the rule. */

import type { Cases } from '../core/rule.ts'

export const allCases: Cases<never> = {}
