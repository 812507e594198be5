/** Lists the cases of all rules, by the id of the rule. */

import type { Cases } from '../core/rule.ts'
import { identityCases } from './identity.cases.ts'

export const allCases: Cases<unknown> = { ...identityCases }
