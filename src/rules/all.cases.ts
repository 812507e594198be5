/** Lists the cases of all rules, by the id of the rule. */

import type { Cases } from '../core/rule.ts'
import { changeCausesCases } from './change-causes.cases.ts'
import { changesCases } from './changes.cases.ts'
import { keyCases } from './keys.cases.ts'
import { ageCases, limitCases } from './limits.cases.ts'

export const allCases: Cases<unknown> = {
  ...changesCases,
  ...changeCausesCases,
  ...keyCases,
  ...limitCases,
  ...ageCases,
}
