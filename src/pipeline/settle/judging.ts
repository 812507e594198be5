/** Runs rules over the facts of a staged run, and stops it where they say so. */

import type { Client } from '../../client/connection.ts'
import { WindrowError } from '../../core/error.ts'
import type { Place, Problem } from '../../core/problem.ts'
import { judge, stopText, type Rule } from '../../core/rule.ts'
import type { StageContext } from '../stage/draft-row.ts'
import type { ImportJob } from '../stage/import-job.ts'
import { wholeFile, type Stage } from '../stage/stage-store.ts'
import { farmNames } from '../export/find-holding.ts'

/** A staged run to judge. */
export type Judging = StageContext & {
  readonly job: ImportJob
  /** The name of the file. */
  readonly source: string
  /** The folder that says whether another pipeline is in use. */
  readonly state: string
  readonly client: Client | undefined
}

/** Runs rules over their facts and writes what they find into the stage. Returns it, because somebody has to reject the rows. */
export function find<Facts>(
  { job: { policy }, stage, source }: Pick<Judging, 'job' | 'stage' | 'source'>,
  rules: readonly Rule<Facts>[],
  facts: Facts,
): readonly Problem[] {
  const found = judge(rules, facts, { policy, place: wholeFile(source) })
  for (const each of found) stage.addProblem(each)
  return found
}

/** The same for one record: where a rule says so, its rows are rejected. Returns whether one did. */
export function findAndReject<Facts>(
  { job: { policy }, stage, source }: Pick<Judging, 'job' | 'stage' | 'source'>,
  rules: readonly Rule<Facts>[],
  facts: Facts,
  { record, place }: { readonly record: number; readonly place?: Place },
): boolean {
  const found = judge(rules, facts, { policy, place: place ?? wholeFile(source) })
  for (const each of found)
    if (each.severity === 'error') stage.reject(record, each)
    else stage.addProblem(each)
  return found.some(({ severity }) => severity === 'error')
}

/** Throws the error of a run that rules stopped, with what all of them say. */
export function throwIfStopped(stage: Stage): void {
  const stops = stage.stops()
  if (stops.length === 0) return
  const { message, hint } = stopText(stops)
  throw new WindrowError('rule-stopped', message, {
    hint: hint === '' ? undefined : hint,
    data: { rules: [...new Set(stops.map(({ code }) => code))], reasons: stops.map((each) => each.message) },
  })
}

/** Makes the function that names the farm of a body. The name is only a help, so the service may refuse. */
export async function farmNamesIfShown({ client, signal }: Judging) {
  return client && (await farmNames(client, signal).catch(() => undefined))
}
