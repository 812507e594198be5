/** Finds and applies a plan: sends exactly what a dry run staged, unless the file, the pipeline or the records have changed since. */

import { basename, dirname, join } from 'node:path'
import { naming, WindrowError } from '../core/error.ts'
import { openSource, webOf } from '../core/sources/open-source.ts'
import type { OpenedSource } from '../core/sources/source.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import type { WebOptions } from '../core/sources/source-url.ts'
import type { Format } from '../formats/format.ts'
import { isLive } from '../ledger/ledger.ts'
import { idInKey } from '../resources/keys.ts'
import { readPipeline, type ImportPipeline } from './definition/definition.ts'
import { isOneOff, restorePipeline } from './definition/kept-pipeline.ts'
import { askForStage, deliver, underLock } from './import-run.ts'
import { prepareNear } from './prepare/holding-place.ts'
import { digestOf, fingerprintOf } from './prepare/prepare.ts'
import { conclude } from './report/conclusion.ts'
import type { AroundJob, Course, ImportOptions, OpenedJob, PreparedImport } from './report/course.ts'
import { allRuns, refuseDeleted, type FoundRun } from './report/find-run.ts'
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

/** Opens the stage of a dry run to show its changes, which makes it a plan: "last" means the newest of those. */
export function openAsPlan(run: string, state: string): Stage {
  const stage = openStage(join(state, 'runs', run))
  stage.remember('plan', true)
  return stage
}

/** The plan of this name, or "last": the newest; a dry run only by its name. */
export function findPlan(wanted: string, states: readonly string[]): FoundRun {
  const all = allRuns(states)
  const found = wanted === 'last' ? newestPlan(all, states) : all.find(({ id }) => id === wanted)
  if (found !== undefined) return found
  refuseDeleted(wanted, states)
  throw new WindrowError(
    'run-unknown',
    wanted === 'last' ? withoutPlan(all) : `There is no plan "${wanted}" in ${states.join(' or ')}.`,
    {
      hint: 'Plans of a pipeline are in .windrow beside it: add --state FOLDER/.windrow. windrow plan prints the command.',
    },
  )
}

/** Within a folder plans are in the order in which they were made, whatever the clock showed. */
function newestPlan(all: readonly FoundRun[], states: readonly string[]): FoundRun | undefined {
  const isPlan = (run: FoundRun): boolean => run.isPlan || run.applied !== undefined
  const newestIn = (state: string): FoundRun | undefined =>
    all
      .filter((run) => run.state === state && isPlan(run))
      .sort((one, other) => (one.planned ?? 0) - (other.planned ?? 0))
      .at(-1)
  return states
    .map(newestIn)
    .filter((run) => run !== undefined)
    .sort((one, other) => (one.started < other.started ? -1 : 1))
    .at(-1)
}

/** A dry run shows only numbers: sending the last one unseen would surprise. */
function withoutPlan(all: readonly FoundRun[]): string {
  const dry = all.findLast((each) => each.isDryRun && canApply(each))
  return dry === undefined
    ? 'There is no plan yet.'
    : `There is no plan yet, only dry runs. To send the last one:  windrow apply ${dry.id}`
}

function canApply(run: FoundRun): boolean {
  try {
    readPlan(run)
    return true
  } catch (cause) {
    if (cause instanceof WindrowError) return false
    throw cause
  }
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
    : await readPipeline(plan.pipeline.path, formats, plan.pipeline.set).catch(
        unlessGone('pipeline', plan.pipeline.path),
      )
  const pipeline = written.kind === 'import' ? withFileOf(plan, written) : written
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

/** Opens a plan to apply it. */
export async function openApply(run: FoundRun, around: AroundJob): Promise<OpenedJob> {
  const plan = readPlan(run)
  const { folder, env, formats, clock, sleep, signal } = around
  const timing = { clock, sleep, signal }
  await using closers = new AsyncDisposableStack()
  const { pipeline, source, close } = await openPlanned(plan, formats, { ...timing, ...webOf({ env }, run.state) })
  closers.defer(close)
  const place = { state: run.state, store: around.store }
  const connection = await around.connect(pipeline)
  const prepared = await prepareNear(pipeline, { place, connection }, { ...timing, folder, formats, source })
  const opened = closers.move()
  opened.use(prepared)
  return {
    prepared,
    options: { ...place, connection, takeOver: plan.takeOver },
    begin: (...course) => applyPlan(plan, ...course),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The pipeline with the name of the plan, and its file of a watched folder. */
function withFileOf({ pipeline: { name, from } }: Plan, written: ImportPipeline): ImportPipeline {
  const file = written.from.watch === undefined ? written.from.file : from.file
  return { ...written, name, from: { ...written.from, file } }
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
      assertCurrent(plan, course)
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

const named = 5

/** Stops if a record is no longer as the plan found it. */
function assertCurrent(plan: Plan, course: Course): void {
  const { stage, ledger, prepared } = course
  const { name } = prepared.job
  const changed: string[] = []
  let count = 0
  const note = (key: string, what: string): void => {
    count += 1
    if (changed.length < named) changed.push(`"${idInKey(key)}" ${what}`)
  }
  const gone = new Set<string>()
  ledger.whileReading(() => {
    for (const page of stage.pages<Based>(plannedRecords))
      for (const record of page) {
        if (record.action === 'keep' || record.action === 'delete') gone.add(record.key)
        const what = changeOf(record, course)
        if (what !== undefined) note(record.key, what)
      }
    const known = ledger.sourceRows.keysOf(name)
    for (const { key } of stage.query<{ key: string }>(sameKeys)) if (!known.has(key)) note(key, 'was changed')
    // A record of the plan that another pipeline still has is only passed on.
    const isPassedOn = (key: string): boolean => stage.query('SELECT 1 FROM owners WHERE key = ?', key).length > 0
    for (const { key } of ledger.heldBy(name))
      if (!gone.has(key) && !stage.hasRow(key) && !isPassedOn(key))
        note(key, 'was added by another run of this pipeline')
  })
  if (count === 0) return
  const more = count > changed.length ? ` and ${count - changed.length} more` : ''
  const records = count === 1 ? '1 record has' : `${count} records have`
  throw outdated(plan, `${records} changed in the service: ${changed.join(', ')}${more}`)
}

type Based = Pick<StagedRecord, 'id' | 'key' | 'action' | 'base' | 'sourceScheme' | 'sourceId'>

const plannedRecords = `SELECT id, key, action, base, source_scheme AS sourceScheme, source_id AS sourceId FROM records
  WHERE action <> 'void' AND id > ? ORDER BY id LIMIT 5000`

function changeOf(record: Based, { stage, ledger, prepared: { job } }: Course): string | undefined {
  const { key, action, base, sourceScheme, sourceId } = record
  const known =
    ledger.stateOf(key) ??
    (action === 'create' ? ledger.findBySource(datasetOf(job), sourceScheme, sourceId) : undefined)
  const exists = isLive(known) && known.state !== 'missing'
  if (action === 'create') return exists ? 'now exists' : undefined
  if (!exists) return 'was deleted'
  if (known.hash !== base) return 'was changed'
  // One that the plan deletes may have become another pipeline's, or was forgotten.
  if (action !== 'delete' || ledger.find(key)?.pipeline === job.name) return undefined
  const isPassedOn = stage.query('SELECT 1 FROM owners WHERE key = ? AND after = ?', key, job.name).length > 0
  return isPassedOn ? undefined : 'is no longer the record of this pipeline'
}

function outdated(plan: Plan, what: string): WindrowError {
  const sent = plan.hasBegun ? 'A part of it was sent before; nothing more was sent.' : 'Nothing was sent.'
  return new WindrowError(
    'plan-outdated',
    `The plan "${plan.id}" is out of date: since it was made, ${what}. ${sent}`,
    { hint: 'Make a new plan with windrow plan, look at it, and apply that one.', data: { plan: plan.id } },
  )
}
