/** Applies a plan: sends exactly what a dry run staged, unless the file, the pipeline or the records have changed since. */

import { basename, dirname } from 'node:path'
import { naming, WindrowError } from '../core/error.ts'
import { openSource } from '../core/sources/open-source.ts'
import type { OpenedSource } from '../core/sources/source.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import type { WebOptions } from '../core/sources/source-url.ts'
import type { Format } from '../formats/format.ts'
import { isLive, type Ledger } from '../ledger/ledger.ts'
import { idInKey } from '../resources/keys.ts'
import { readPipeline, type ImportPipeline } from './definition/definition.ts'
import { isOneOff, restorePipeline } from './definition/kept-pipeline.ts'
import { askForStage, deliver, underLock } from './import-run.ts'
import { digestOf, fingerprintOf } from './prepare/prepare.ts'
import { conclude } from './report/conclusion.ts'
import type { Course, ImportOptions, PreparedImport } from './report/course.ts'
import { noteRebuilt } from './report/note-answers.ts'
import type { Report } from './report/report.ts'
import { nextNumber, readRuns, reportOf, type KeptRun } from './report/run-folder.ts'
import { readFeed } from './send/feed.ts'
import { datasetOf } from './stage/import-job.ts'
import { openStage, sameKeys, type Stage, type StagedRecord } from './stage/stage-store.ts'

/** A plan to apply. `fingerprint` and `definition` are those of its file and its pipeline when it was made. */
type Plan = ReturnType<typeof readPlan>

/** Reads a kept dry run as a plan. Throws 'plan-unusable' if it cannot be applied. */
export function readPlan(run: KeptRun) {
  const refuse = (why: string, hint: string): never => {
    throw new WindrowError('plan-unusable', `The run "${run.id}" cannot be applied: ${why}`, { hint })
  }
  const again = 'Correct that and make a new plan with windrow plan.'
  const isFirst = run.applied === undefined
  if (!run.isDryRun && !run.isStopped && isFirst)
    refuse('it is no plan, and no rule stopped it.', 'Make a plan with windrow plan.')
  // Once begun, an error is no reason to leave a plan half applied.
  const failure = isFirst && !run.isStopped ? reportOf(run)?.error : undefined
  if (failure !== undefined) refuse(failure.message, failure.hint ?? again)
  if (!(run.isComplete || run.isStopped) || (isFirst && !run.isFinished))
    refuse('it ended before it was complete.', again)
  const { account } = run
  if (account === undefined)
    return refuse(
      'it was made without a connection to the service.',
      'Connect first (windrow connect), then plan again.',
    )
  using stage = openStage(run.folder)
  const kept = stage.recall('kept pipeline')!
  const [definition, fingerprint] = [stage.recall('definition')!, stage.recall('fingerprint')!]
  const takeOver = stage.recall('take over') === true
  const { id, folder, started } = run
  const pipeline = restorePipeline(kept)
  if (isOneOff(pipeline) && digestOf(pipeline) !== definition)
    return refuse(
      isWebAddress(pipeline.path)
        ? 'its web address contains a secret, and windrow keeps no secrets.'
        : 'another version of windrow made it.',
      'Download the file and make a plan of that.',
    )
  // A part of one that has begun may have been sent already.
  const planned = { definition, fingerprint, takeOver, hasBegun: !isFirst }
  return { id, folder, started, account, pipeline, ...planned }
}

/** Whether a plan was applied to its end. One that was stopped is continued, unless its pipeline has run since. */
export function isApplied(run: KeptRun, runs: readonly KeptRun[]): boolean {
  if (run.applied === undefined || !run.isFinished) return false
  const last = runs.findLast(({ pipeline, isDryRun }) => pipeline === run.pipeline && !isDryRun)
  return last?.id !== run.id || reportOf(run)?.error === undefined
}

/** Opens the file of a plan. Throws 'plan-outdated' if it or the pipeline file has changed since the plan was made. */
export async function openPlanned(
  plan: Plan,
  formats: readonly Format[],
  options: WebOptions,
): Promise<OpenedSource & { readonly pipeline: ImportPipeline }> {
  const { definition, fingerprint } = plan
  const unlessGone = (kind: string, path: string) => (cause: unknown) => {
    const isGone = cause instanceof WindrowError && cause.code === 'file-missing'
    throw isGone ? outdated(plan, `the ${kind} "${basename(path)}" is no longer there`) : cause
  }
  // Only the pipeline file has the secrets of a web address.
  const written = isOneOff(plan.pipeline)
    ? plan.pipeline
    : await readPipeline(plan.pipeline.path, formats).catch(unlessGone('pipeline', plan.pipeline.path))
  const pipeline = written.kind === 'import' ? withOptionsOf(plan, written) : written
  if (pipeline.kind !== 'import' || digestOf(pipeline) !== definition)
    throw outdated(plan, `the pipeline "${basename(pipeline.path)}" has changed`)
  const { file, allowsPrivate } = pipeline.from
  const folder = dirname(pipeline.path)
  const opened = await openSource(file, folder, { ...options, allowsPrivate }).catch(unlessGone('file', file))
  const { source, close } = opened
  try {
    if ((await fingerprintOf(source)) === fingerprint) return { ...opened, pipeline }
    throw outdated(plan, `the file "${source.name}" has changed`)
  } catch (cause) {
    await close()
    throw naming(source.name, cause)
  }
}

/** The pipeline with --match of the plan, and its file of a watched folder. */
function withOptionsOf({ pipeline: { name, match, from } }: Plan, written: ImportPipeline): ImportPipeline {
  const file = written.from.watch === undefined ? written.from.file : from.file
  return {
    ...written,
    name,
    from: { ...written.from, file },
    match,
  }
}

/**
 * Sends a plan, in the same run folder. Throws if it must not begin, and leaves the plan as it is. A plan that began is
 * continued: a record changed since is then reported and not overwritten, as in every run.
 */
export function applyPlan(plan: Plan, prepared: PreparedImport, options: ImportOptions): Promise<Report> {
  const { connection, signal, clock } = options
  const { job } = prepared
  if (connection === undefined) throw new WindrowError('connection-missing', 'No service connection is configured.')
  if (connection.client.account !== plan.account)
    throw new WindrowError('plan-unusable', `The run "${plan.id}" was planned for another service or account.`, {
      hint: 'Name its connection with --connection NAME, or make a new plan with windrow plan.',
    })
  return underLock(prepared, options, async (ledger, setAside) => {
    using stage = openStage(plan.folder)
    stage.assertSound()
    const { runs } = readRuns(options.state)
    if (runs.some((run) => run.id === plan.id && isApplied(run, runs)))
      throw new WindrowError('plan-unusable', `The run "${plan.id}" was applied by another process.`)
    const common = { prepared, options, ledger, stage, posting: { hasBegun: false, unkept: [] } }
    const course: Course = { ...common, run: plan, isAbandoned: false }
    noteRebuilt(stage, prepared.source.name, { setAside, isRestored: false })
    await readFeed(connection.client, ledger, datasetOf(job), signal)
    if (stage.recall('applied') === undefined) {
      assertCurrent(plan, stage, { ledger, dataset: datasetOf(job), pipeline: job.name })
      await askForStage(course)
      stage.together(() => {
        stage.acceptStops()
        stage.remember('complete', true)
        stage.remember('accepted', true)
        stage.remember('applied', clock().toISOString())
        stage.remember('planned', stage.recall('number') ?? null)
        stage.remember('number', nextNumber(runs))
        stage.remember('dry-run', false)
        stage.remember('finished', false)
      })
    }
    return await conclude(course, () => deliver(course))
  })
}

type Now = { readonly ledger: Ledger; readonly dataset: string; readonly pipeline: string }

const named = 5

/** Stops if a record is no longer as the plan found it. */
function assertCurrent(plan: Plan, stage: Stage, now: Now): void {
  const changed: string[] = []
  let count = 0
  const note = (key: string, what: string): void => {
    count += 1
    if (changed.length < named) changed.push(`"${idInKey(key)}" ${what}`)
  }
  const gone = new Set<string>()
  now.ledger.whileReading(() => {
    for (const page of stage.pages<Based>(plannedRecords))
      for (const record of page) {
        if (record.action === 'keep' || record.action === 'delete') gone.add(record.key)
        const what =
          changeOf(record, now) ??
          (isForeign(record, stage, now) ? 'is no longer the record of this pipeline' : undefined)
        if (what !== undefined) note(record.key, what)
      }
    const known = now.ledger.sourceRows.keysOf(now.pipeline)
    for (const { key } of stage.query<{ key: string }>(sameKeys)) if (!known.has(key)) note(key, 'was changed')
    // A record of the plan that another pipeline still has is only passed on.
    const isPassedOn = (key: string): boolean => stage.query('SELECT 1 FROM owners WHERE key = ?', key).length > 0
    for (const { key } of now.ledger.heldBy(now.pipeline))
      if (!gone.has(key) && !stage.hasRow(key) && !isPassedOn(key))
        note(key, 'was added by another run of this pipeline')
  })
  if (count === 0) return
  const more = count > changed.length ? ` and ${count - changed.length} more` : ''
  const words = count === 1 ? '1 record has changed' : `${count} records have changed`
  throw outdated(plan, `${words} in the service: ${changed.join(', ')}${more}`)
}

type Based = Pick<StagedRecord, 'id' | 'key' | 'action' | 'base' | 'sourceScheme' | 'sourceId'>

const plannedRecords = `SELECT id, key, action, base, source_scheme AS sourceScheme, source_id AS sourceId FROM records
  WHERE action <> 'void' AND id > ? ORDER BY id LIMIT 5000`

function changeOf(record: Based, { ledger, dataset }: Now): string | undefined {
  const { key, action, base, sourceScheme, sourceId } = record
  const known =
    ledger.stateOf(key) ?? (action === 'create' ? ledger.findBySource(dataset, sourceScheme, sourceId) : undefined)
  const exists = isLive(known) && known.state !== 'missing'
  if (action === 'create') return exists ? 'now exists' : undefined
  if (!exists) return 'was deleted'
  return known.hash === base ? undefined : 'was changed'
}

/** Whether a record that the plan deletes has become another pipeline's, or was forgotten. */
function isForeign({ key, action }: Based, stage: Stage, { ledger, pipeline }: Now): boolean {
  if (action !== 'delete' || ledger.find(key)?.pipeline === pipeline) return false
  return stage.query('SELECT 1 FROM owners WHERE key = ? AND after = ?', key, pipeline).length === 0
}

function outdated(plan: Plan, what: string): WindrowError {
  const sent = plan.hasBegun ? 'A part of it was sent before; nothing more was sent.' : 'Nothing was sent.'
  return new WindrowError(
    'plan-outdated',
    `The plan "${plan.id}" is out of date: since it was made, ${what}. ${sent}`,
    { hint: 'Make a new plan with windrow plan, look at it, and apply that one.', data: { plan: plan.id } },
  )
}
