/** Lists the cases of all rules, by the id of the rule. */

import type { Cases } from '../core/rule.ts'
import { encodingCases } from '../core/sources/text.cases.ts'
import { dialectCases } from '../formats/csv/dialect.cases.ts'
import { headerCases } from '../formats/grid.cases.ts'
import { tableEncodingCases } from '../formats/shapefile/encoding.cases.ts'
import { changesCases } from './changes.cases.ts'
import { columnsCases } from './columns.cases.ts'
import { fileCases } from './file.cases.ts'
import { identityCases } from './identity.cases.ts'
import { keyCases } from './keys.cases.ts'
import { landCases } from './land.cases.ts'
import { lettersCases } from './letters.cases.ts'
import { ageCases, limitCases } from './limits.cases.ts'
import { placeCases } from './place.cases.ts'
import { placingCases } from './placing.cases.ts'
import { retryCases } from './retry.cases.ts'
import { rowsCases } from './rows.cases.ts'

export const allCases: Cases<unknown> = {
  ...encodingCases,
  ...tableEncodingCases,
  ...dialectCases,
  ...headerCases,
  ...changesCases,
  ...keyCases,
  ...identityCases,
  ...lettersCases,
  ...placeCases,
  ...landCases,
  ...limitCases,
  ...ageCases,
  ...fileCases,
  ...rowsCases,
  ...retryCases,
  ...columnsCases,
  ...placingCases,
}
