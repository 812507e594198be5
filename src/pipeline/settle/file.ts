/** Judges how the file is read, and whose rows it has. */

import type { Problem } from '../../core/problem.ts'
import { judge } from '../../core/rule.ts'
import { farmRules, filterRules, readingRules } from '../../rules/file.ts'
import { farmsNamedIn, farmsToWrite } from '../export/find-holding.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import { wholeFile } from '../stage/stage-store.ts'
import { find, type Judging } from './judging.ts'

/** What speaks against the way in which the pipeline reads the file. It is not in the stage yet, which may have to be filled again. */
export function doubtsAboutReading(judging: Judging): readonly Problem[] {
  const {
    job: { only, settingsIn },
    readings,
    policy,
    source,
  } = judging
  const by = { policy, place: wholeFile(source) }
  // A column may be read for several fields.
  const columns = new Map([...readings.values()].map((each) => [`${each.kind} ${each.agreed} ${each.column}`, each]))
  return [
    ...(only.length === 0 ? [] : judge(filterRules, filterFacts(judging), by)),
    ...[...columns.values()].flatMap((each) => judge(readingRules, { ...each, settingsIn }, by)),
  ]
}

function filterFacts({ stage, ledger, job: { only, name } }: Judging) {
  const [counts] = stage.query<{ left: number; taken: number }>(
    `SELECT (SELECT count(*) FROM problems WHERE code = 'row-filtered') AS left,
       (SELECT count(*) FROM rows WHERE outcome <> 'skipped') + (SELECT count(*) FROM same_rows) AS taken`,
  ) as [{ left: number; taken: number }]
  return { only, ...counts, lastRecords: ledger.lastCount(name)?.records }
}

/** Judges the farms of the account that new or changed rows name. */
export async function judgeFarmsNamed(judging: Judging, { farmsNamed }: RowTotals): Promise<void> {
  const { job, source, client, signal } = judging
  const chosen = job.mapping.holding
  const columns = Object.entries(farmsNamed)
  if (client === undefined || chosen === undefined || columns.length === 0) return
  const farms = await farmsToWrite(client, signal)
  const named = farmsNamedIn(columns, { chosen, farms })
  find(judging, farmRules, { file: source, chosen, columns: named, settingsIn: job.settingsIn })
}
