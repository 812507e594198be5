/** Undoes a run: a run of its own that puts back, deletes and restores the records that the other one changed. */

import { WindrowError } from '../core/error.ts'
import { readBody } from '../ledger/content.ts'
import { isLive, ledgerIn, openLedger } from '../ledger/ledger.ts'
import { idInKey } from '../resources/keys.ts'
import { restorePipeline } from './definition/kept-pipeline.ts'
import { askForStage, closeKilledRun, closeRun, deliver, startRun, underLock, type SharedCourse } from './import-run.ts'
import { matchScope } from './settle/identity.ts'
import { conclude } from './report/conclusion.ts'
import { withoutFile, type Course, type ImportOptions, type Sendable } from './report/course.ts'
import type { Report } from './report/report.ts'
import {
  findKilledRuns,
  findUnfinishedRun,
  isLastDelivered,
  nextNumber,
  readRuns,
  reportOf,
  type KeptRun,
} from './report/run-folder.ts'
import { readFeed } from './send/feed.ts'
import { addChanges, changesBetween } from './stage/changes.ts'
import { datasetOf } from './stage/import-job.ts'
import { startTotals } from './stage/row-totals.ts'
import { openStage, type Stage } from './stage/stage-store.ts'
import { undoKinds, undoSteps, type Remedy, type UndoKind, type UndoStep } from './undo-plan.ts'

/** What undoing a run would do: how many records of each kind, and the first of them. */
export type UndoPlan = Awaited<ReturnType<typeof planUndo>>

/** `reason`: why it is left alone. */
export type NamedRecord = { readonly id: string; readonly name?: string; readonly reason?: string }

/** How many records the plan would change. */
export function changesIn({ counts }: UndoPlan): number {
  return counts['put-back'] + counts.delete + counts.restore
}

const mostNamed = 20

/** Whether a run is one that "last" means: it sent something, and is no undo itself. */
export function canUndo({ hasSent, undoes }: KeptRun): boolean {
  return hasSent && undoes === undefined
}

/** Plans the undo of a run with what the service shows now. Throws 'run-unusable' if it cannot be undone. */
export async function planUndo(run: KeptRun, options: ImportOptions) {
  using origin = openToUndo(run, options)
  const { prepared, holdings, undone } = origin
  using ledger = openLedger(ledgerIn(options), run.account!)
  await readFeed(options.connection!.client, ledger, datasetOf(prepared.job), options.signal)
  const counts = Object.fromEntries(undoKinds.map((kind) => [kind, 0])) as Record<UndoKind, number>
  const first = Object.fromEntries(undoKinds.map((kind) => [kind, [] as NamedRecord[]])) as Record<
    UndoKind,
    NamedRecord[]
  >
  const [later, now] = [runsAfter(run, options.state), options.clock().toISOString()]
  for (const steps of undoSteps(undone, ledger, { later, now }))
    for (const step of steps) {
      const { kind } = step.outcome
      counts[kind] += 1
      if (first[kind].length < mostNamed) first[kind].push(named(step))
    }
  const left = unfinishedUndo(run, prepared, readRuns(options.state).runs)
  // An undo of this run that was interrupted; the next one continues it.
  const continues = left === undefined ? {} : { continues: left.id }
  return { run: run.id, type: prepared.job.type.plural, holdings, ...continues, counts, first }
}

function named({ key, name, outcome }: UndoStep): NamedRecord {
  return {
    id: idInKey(key),
    ...(name === undefined ? {} : { name }),
    ...(outcome.kind === 'left-alone' ? { reason: outcome.reason } : {}),
  }
}

/** Undoes a run, or continues an undo of it that was interrupted. */
export async function undoRun(run: KeptRun, options: ImportOptions): Promise<Report> {
  using origin = openToUndo(run, options)
  const { prepared } = origin
  return await underLock(prepared, options, async (ledger) => {
    const shared: SharedCourse = { prepared, options, ledger, posting: { hasBegun: false, unkept: [] } }
    const { runs } = readRuns(options.state)
    const killed = findKilledRuns(runs, prepared.job.name).filter(({ undoes }) => undoes === run.id)
    for (const each of killed) await closeKilledRun(each, shared)
    await readFeed(options.connection!.client, ledger, datasetOf(prepared.job), options.signal)
    const left = unfinishedUndo(run, prepared, runs)
    if (left === undefined) return freshUndo(origin, shared)
    using stage = openStage(left.folder)
    const course: Course = { ...shared, run: left, stage, isAbandoned: false }
    return await conclude(course, () => {
      stage.assertSound()
      return deliverUndo(course, origin)
    })
  })
}

function unfinishedUndo(run: KeptRun, { job: { name } }: Sendable, runs: readonly KeptRun[]): KeptRun | undefined {
  return findUnfinishedRun(runs, { name, account: run.account, undoes: run.id })
}

/** The run to undo, with its open stage. */
type Origin = ReturnType<typeof openToUndo>

function refuse(run: KeptRun, why: string, hint: string): never {
  throw new WindrowError('run-unusable', `The run "${run.id}" cannot be undone: ${why}`, { hint })
}

/** Opens the stage of a run that sent something; opening would make one where there is none. */
function openToUndo(run: KeptRun, { connection }: ImportOptions) {
  if (run.isDryRun)
    refuse(run, 'it was a dry run and sent nothing.', 'windrow runs lists the runs that sent something.')
  if (!run.isComplete) refuse(run, 'it ended before anything was sent.', 'Nothing has to be undone.')
  if (connection?.client.account !== run.account)
    refuse(run, 'it was sent to another service or account.', 'Name its connection with --connection NAME.')
  const undone = openStage(run.folder)
  const kept = undone.recall('kept pipeline')!
  const { name } = kept
  const prepared = withoutFile(restorePipeline(kept), reportOf(run)?.source ?? { name, table: name, format: '' })
  const holdings = undone.recall('holdings') ?? []
  return { run, undone, prepared, kept, holdings, [Symbol.dispose]: undone.close }
}

function runsAfter(run: KeptRun, state: string): readonly KeptRun[] {
  const ofAccount = readRuns(state).runs.filter(({ account }) => account === run.account)
  return ofAccount.slice(ofAccount.findIndex(({ id }) => id === run.id) + 1)
}

async function freshUndo(origin: Origin, shared: SharedCourse): Promise<Report> {
  const { prepared, kept, holdings, run } = origin
  const facts = {
    'kept pipeline': kept,
    number: nextNumber(readRuns(shared.options.state).runs),
    account: run.account ?? null,
    'dry-run': false,
    undoes: run.id,
    holdings,
  }
  return startRun(shared, { name: `undo-${prepared.job.name}`, facts }, (ran) => {
    const course = { ...shared, ...ran }
    return conclude(course, async () => {
      await askForStage(course)
      stageUndo(course, origin)
      return deliverUndo(course, origin)
    })
  })
}

function stageUndo(course: Course, { run, undone }: Origin): void {
  const { stage, ledger, options, prepared } = course
  const { state } = options
  const { name } = prepared.job
  const at = { source: prepared.source.name, row: -1 }
  const later = runsAfter(run, state).filter(({ folder }) => folder !== stage.folder)
  const batches = stage.startBatches()
  let read = 0
  try {
    for (const steps of undoSteps(undone, ledger, { later, now: course.run.started }))
      batches.run(() => {
        for (const step of steps) {
          const { key, outcome } = step
          read += 1
          if (outcome.kind === 'as-before') stage.addRow(at, 'unchanged', null, key)
          else if (outcome.kind === 'left-alone') {
            const message = `The record "${idInKey(key)}" was left alone: ${outcome.reason}.`
            stage.addRow(at, 'skipped', null, key)
            stage.report('left-alone', at, { value: idInKey(key), message })
          } else stage.addRow(at, 'ready', addRemedy(stage, step, outcome), key)
        }
      })
    batches.run(() => {
      for (const { key, before, after } of undone.query<Owner>('SELECT key, before, after FROM owners'))
        if (ledger.find(key)?.pipeline === after && !stage.hasSkippedRow(key)) stage.addOwner(key, after, before)
      for (const { key } of stage.query<{ key: string }>('SELECT key FROM records')) {
        const owner = ledger.find(key)?.pipeline ?? null
        // The records that another pipeline has taken since stay with it.
        if (owner !== name) stage.addOwner(key, owner, owner)
      }
      stage.remember('passed', { ...startTotals(), read })
    })
  } finally {
    batches.end()
  }
  stage.complete()
}

type Owner = { readonly key: string; readonly before: string | null; readonly after: string | null }

const actions = { 'put-back': 'update', delete: 'delete', restore: 'create' } as const

function addRemedy(stage: Stage, { key, known }: UndoStep, remedy: Remedy): number {
  const { kind, body, hash, modified, sourceScheme, sourceId } = remedy
  const number = stage.addRecord({
    key,
    action: actions[kind],
    hash,
    base: isLive(known) ? known.hash : null,
    sourceScheme,
    sourceId,
    modified,
    body: (out) => out.text(body),
    before: kind === 'restore' ? undefined : known?.body,
  })
  if (kind === 'put-back' && known !== undefined)
    addChanges(stage, number, -1, changesBetween(readBody(known.body), readBody(body)))
  return number
}

/** Sends the undo. At its end the records and the last count belong to whom they belonged before the run. */
async function deliverUndo(course: Course, { run, undone }: Origin): Promise<{ unseen: number }> {
  // The next run of the pipeline would continue an unfinished run that is undone here.
  if (undone.recall('finished') !== true) {
    const why = 'This run was interrupted, and what it had sent was undone.'
    const unfinished = { ...course, run, stage: undone, isAbandoned: true }
    await closeRun(unfinished, why, `The run ${course.run.id} undid it.`)
  }
  const delivered = await deliver(course)
  const { stage, ledger, prepared, options } = course
  const others = readRuns(options.state).runs.filter(({ id }) => id !== course.run.id)
  if (isLastDelivered(others, run)) restoreDecisions(course, undone)
  stage.remember('delivered', ledger.lastCount(prepared.job.name)?.records ?? null)
  return delivered
}

/** Gives the pipeline what its next run decides by: the last count, and the matches from before the run. */
function restoreDecisions({ stage, ledger, prepared: { job } }: Course, undone: Stage): void {
  const before = undone.recall('last count')
  if (before !== undefined) ledger.setLastCount(job.name, before ?? undefined)
  const scope = matchScope(job)
  const found = undone.recall('new matches') ?? []
  const dropped = undone.recall('dropped matches') ?? []
  ledger.match(scope, dropped, found)
  stage.remember('new matches', dropped)
  stage.remember('dropped matches', found)
  stage.remember('matches', [...ledger.matches(scope)])
}
