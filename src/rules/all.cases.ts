/** Lists the cases of all rules, by the id of the rule. */

import type { Cases } from '../core/rule.ts'
import { keyCases } from './keys.cases.ts'
import { lettersCases } from './letters.cases.ts'
import { ageCases, limitCases } from './limits.cases.ts'

export const allCases: Cases<unknown> = { ...keyCases, ...lettersCases, ...limitCases, ...ageCases }
