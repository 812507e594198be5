/** Helps a run of another process with a large file: takes a share of the work that the task says. */

import { ledgerIn, openLedger, type StatePlace } from '../ledger/ledger.ts'
import { machineZone } from '../mapping/zones.ts'
import { restorePipeline } from './definition/kept-pipeline.ts'
import { startMatching } from './judge/match-records.ts'
import { comparingTurns, readTask, stagingTurns, takeTurns, type StagingTask } from './parts.ts'
import { placeOfHolding } from './prepare/holding-place.ts'
import { prepareImport, type Preparation } from './prepare/prepare.ts'
import { recognitionOf } from './fill-stage.ts'
import { startSameRows } from './stage/same-rows.ts'

/** `place` is that of the run. */
export type Helping = Pick<Preparation, 'formats' | 'clock' | 'sleep' | 'signal'> & { readonly place: StatePlace }

/** Helps until nothing is left that nobody has. Returns how many pieces of work that were: none if the run has ended. */
export async function helpRun(path: string, helping: Helping): Promise<number> {
  const task = readTask(path)
  const { place, signal } = helping
  if (task === undefined) return 0
  if (task.kind === 'compare') return takeTurns(comparingTurns(path, task, { store: place.store, signal }))
  return stageParts(path, task, helping)
}

async function stageParts(path: string, task: StagingTask, { place, signal, ...around }: Helping): Promise<number> {
  const pipeline = restorePipeline(task.pipeline)
  const near = placeOfHolding(pipeline, { ...place, account: task.account })
  await using prepared = await prepareImport(pipeline, { ...around, near, checksAge: false, signal })
  const { definition, crs, source } = prepared
  const found = [definition, await source.fingerprint(), crs, machineZone()]
  const wanted = [task.definition, task.fingerprint, task.crs, task.timeZone]
  if (JSON.stringify(found) !== JSON.stringify(wanted)) return 0
  // The name of a pipeline in a store has that of its folder.
  const job = { ...prepared.job, name: task.name }
  using ledger = openLedger(ledgerIn(place), task.account ?? 'no connection')
  const { isPreview, started: now } = task
  const matching = startMatching(job, undefined, ledger)
  const sameRows = task.recognises
    ? startSameRows(job, ledger, { definition: recognitionOf(prepared), isPreview })
    : undefined
  const context = { ledger, now, signal, matching, sameRows, isPreview }
  return await takeTurns(stagingTurns(path, task.ranges, { job, context, store: place.store }))
}
