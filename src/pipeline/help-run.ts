/** Helps a run of another process with a large file: takes a share of the work that its plan says. */

import { ledgerIn, openLedger, type StatePlace } from '../ledger/ledger.ts'
import { machineZone } from '../mapping/zones.ts'
import { restorePipeline } from './definition/kept-pipeline.ts'
import { startMatching } from './judge/match-records.ts'
import { comparingTurns, readPlan, stagingTurns, takeTurns, type StagingPlan } from './parts.ts'
import { placeOfHolding } from './prepare/holding-place.ts'
import { prepareImport, type Preparation } from './prepare/prepare.ts'
import { recognitionOf } from './fill-stage.ts'
import { startSameRows } from './stage/same-rows.ts'

/** `place` is that of the run. */
export type Helping = Pick<Preparation, 'formats' | 'clock' | 'sleep' | 'signal'> & { readonly place: StatePlace }

/** Helps until nothing is left that nobody has. Returns how many pieces of work that were: none if the run has ended. */
export async function helpRun(path: string, helping: Helping): Promise<number> {
  const plan = readPlan(path)
  const { place, signal } = helping
  if (plan === undefined) return 0
  if (plan.kind === 'compare') return takeTurns(comparingTurns(path, plan, { store: place.store, signal }))
  return stageParts(path, plan, helping)
}

async function stageParts(path: string, plan: StagingPlan, { place, signal, ...around }: Helping): Promise<number> {
  const pipeline = restorePipeline(plan.pipeline)
  const near = placeOfHolding(pipeline, { ...place, account: plan.account })
  await using prepared = await prepareImport(pipeline, { ...around, near, checksAge: false, signal })
  const { definition, crs, source, encoding } = prepared
  const found = [definition, await source.fingerprint(), crs, machineZone()]
  const wanted = [plan.definition, plan.fingerprint, plan.crs, plan.timeZone]
  if (JSON.stringify(found) !== JSON.stringify(wanted)) return 0
  // The name of a pipeline in a store has that of its folder.
  const job = { ...prepared.job, name: plan.name }
  using ledger = openLedger(ledgerIn(place), plan.account ?? 'no connection')
  const { isPreview, started: now } = plan
  const matching = startMatching(job, undefined, ledger)
  const sameRows = plan.recognises
    ? startSameRows(job, ledger, { definition: recognitionOf(prepared), isPreview })
    : undefined
  const context = { ledger, now, signal, matching, sameRows, isPreview, encoding }
  return await takeTurns(stagingTurns(path, plan.ranges, { job, context, store: place.store }))
}
