/**
 * Runs one import from the lock to the report: finishes what an earlier run left, stages, judges, checks permission, sends,
 * confirms. However it ends, the run's folder records the outcome of every row.
 */

import { basename } from 'node:path'
import { exitCodes, WindrowError } from '../core/error.ts'
import { relativePath } from '../core/sources/relative-path.ts'
import { isWebAddress, withoutSecrets } from '../core/sources/web-address.ts'
import { storageFailure } from '../core/storage-failure.ts'
import { doubtLedger, setAsideIfDamaged, type SetAside } from '../ledger/damage.ts'
import { ledgerIn, openLedger, type Ledger } from '../ledger/ledger.ts'
import { idInKey } from '../resources/keys.ts'
import type { Identifier } from '../resources/resource-type.ts'
import { clockWrong, copyRules } from '../rules/file.ts'
import { duplicates } from '../rules/identity.ts'
import { find } from './settle/judging.ts'
import { fillStage } from './fill-stage.ts'
import { conclude } from './report/conclusion.ts'
import { withoutFile, type Course, type Ended, type ImportOptions, type PreparedImport } from './report/course.ts'
import { readFeed } from './send/feed.ts'
import { matchScope } from './settle/identity.ts'
import { keepReportOnly, pruneRuns } from './report/prune-runs.ts'
import { noteRebuilt, noteUnreadableRuns, noteUnseen } from './report/note-answers.ts'
import type { Report } from './report/report.ts'
import { askToPublish, refuseServiceIds } from './send/ask-to-publish.ts'
import {
  findOwnedBefore,
  findKilledRuns,
  findUnfinishedRun,
  lockPipeline,
  nextNumber,
  readRuns,
  startRunFolder,
  type OwnedBefore,
  type KeptRun,
  type UnreadableRun,
} from './report/run-folder.ts'
import type { ImportPipeline } from './definition/definition.ts'
import { isSaid } from './definition/holding-text.ts'
import { choicesOf } from './inspect/one-off.ts'
import { assertSameFile, isOneOff, keepPipeline, type KeptPipeline } from './definition/kept-pipeline.ts'
import { assertAnswered, confirmStage, hasDrifted, sendStage, settleOwners } from './send-stage.ts'
import type { Facts } from './stage/facts.ts'
import { datasetOf, type ImportJob } from './stage/import-job.ts'
import { rememberRows } from './stage/same-rows.ts'
import { openStage, type Stage } from './stage/stage-store.ts'

/** Runs one import. Returns its report, with `error` if a rule or the service stopped it; throws only if no run could start. */
export async function runImport(prepared: PreparedImport, options: ImportOptions): Promise<Report> {
  if (!options.dryRun && options.connection === undefined)
    throw new WindrowError('connection-missing', 'No service connection is configured.')
  const refusal = options.refusal ?? keyRefusal(prepared)
  if (!options.dryRun && refusal !== undefined) throw refusal
  return underLock(prepared, options, (ledger, setAside) => {
    if (options.retries === undefined) refuseNamesake(prepared.pipeline, options, ledger)
    const shared = { prepared, options: { ...options, refusal }, ledger, posting: { hasBegun: false, unkept: [] } }
    return finishOrStart({ ...shared, setAside })
  })
}

/** Two pipelines of one name would take each other's records for their own, and miss them in their file. */
function refuseNamesake(pipeline: KeptPipeline, { state, store }: ImportOptions, ledger: Ledger): void {
  const { name, path } = pipeline
  const file = ledger.shared.fileOf(name)
  // In a store, another machine may have the same files elsewhere.
  if (store === undefined && file !== null && !isOneOff(pipeline)) assertSameFile({ name, path }, { state, file })
}

/** Does a pipeline's work alone, with the ledger open. A damaged ledger is set aside, before or for the next run. */
export async function underLock(
  { job: { name } }: { readonly job: Pick<ImportJob, 'name'> },
  { state, store, connection, clock }: Pick<ImportOptions, 'state' | 'store' | 'connection' | 'clock'>,
  work: (ledger: Ledger, setAside: SetAside | undefined) => Promise<Report>,
): Promise<Report> {
  const path = ledgerIn({ state, store })
  let ended: Report | undefined
  try {
    using _lock = lockPipeline({ state, store }, name)
    const setAside = setAsideIfDamaged(path, clock())
    using ledger = openLedger(path, connection?.client.account ?? 'no connection')
    ended = await work(ledger, setAside)
    return ended
  } catch (cause) {
    const failure = storageFailure(cause, state)
    if (failure?.code === 'state-damaged') doubtLedger(path)
    throw failure ?? cause
  } finally {
    if (ended?.error?.code === 'state-damaged') doubtLedger(path)
    pruneRuns(state, { now: clock(), justEnded: ended?.run })
  }
}

/**
 * Leaves the report of a run whose file could not be read at all, because nobody may be watching. Undefined if another process runs the pipeline or the disk cannot be
 * written.
 */
export async function reportUnread(
  pipeline: ImportPipeline,
  failure: WindrowError,
  around: Pick<ImportOptions, 'state' | 'store' | 'connection' | 'clock'>,
): Promise<Report | undefined> {
  const { name, from } = pipeline
  const file = isWebAddress(from.file) ? withoutSecrets(from.file) : basename(from.file)
  const shared = {
    prepared: withoutFile(pipeline, { name: file, table: '', format: '' }),
    options: { ...around, dryRun: false },
    posting: { hasBegun: false, unkept: [] },
  }
  try {
    using _lock = lockPipeline(around, name)
    return await startRun(shared, { name, facts: {} }, async (ran) => {
      const report = await conclude({ ...shared, ...ran }, () => Promise.reject(failure))
      pruneRuns(around.state, { now: around.clock(), justEnded: ran.run.id })
      return report
    })
  } catch (cause) {
    // The first failure is the one the person must see.
    if (storageFailure(cause) === undefined) throw cause
    return undefined
  }
}

function keyRefusal({ job, source }: PreparedImport): WindrowError | undefined {
  if (!job.keyIsStandIn) return undefined
  return new WindrowError(
    'key-missing',
    `No column of "${source.name}" is different in every row, so windrow could not recognise these records next time.`,
    {
      hint: 'Name the id column:  key: <COLUMN>  or preview the import with --dry-run.',
    },
  )
}

type Ran = Pick<Course, 'run' | 'stage' | 'isAbandoned'>
export type SharedCourse = Omit<Course, keyof Ran>

/** What all runs of one call share, including those that it only closes. */
type Shared = SharedCourse & {
  readonly prepared: PreparedImport
  readonly setAside: SetAside | undefined
  /** Earlier runs that are passed over. */
  readonly unreadable: UnreadableRun[]
  /** What a new ledger does not know of this pipeline, but kept runs do. */
  readonly ownedBefore?: OwnedBefore | undefined
}

async function finishOrStart(given: Omit<Shared, 'unreadable'>): Promise<Report> {
  const { prepared, options, ledger } = given
  const { name } = prepared.job
  const account = options.connection?.client.account
  const { runs, unreadable } = readRuns(options.state)
  const skipIfDamaged = async <T>(run: KeptRun, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (cause) {
      const failure = storageFailure(cause, run.folder)
      if (failure?.code !== 'state-damaged') throw cause
      unreadable.push({ id: run.id, reason: failure.message })
      return undefined
    }
  }
  const isLost = account !== undefined && ledger.lastCount(name) === undefined
  const ownedBefore = isLost ? findOwnedBefore(runs, { name, account }, unreadable) : undefined
  const shared: Shared = { ...given, unreadable, ownedBefore }
  for (const run of findKilledRuns(runs, name)) await skipIfDamaged(run, () => closeKilledRun(run, shared))
  const left = options.dryRun ? undefined : findUnfinishedRun(runs, { name, account, retries: options.retries })
  const resumed = left && (await skipIfDamaged(left, () => finishEarlierRun(left, shared)))
  return resumed ?? freshRun(runs, shared)
}

/** Writes the missing report of a run that ended before it had anything to send. */
export async function closeKilledRun(run: KeptRun, shared: SharedCourse): Promise<void> {
  using stage = openStage(run.folder)
  stage.together(() => {
    stage.remember('pipeline', shared.prepared.job.name)
    stage.remember('started', run.started)
  })
  const course: Course = { ...shared, run, stage, isAbandoned: true }
  await closeRun(course, 'This run ended before its report was written. Nothing was sent.', 'A later run replaced it.')
}

/** Writes the report of a run that does not continue. */
export function closeRun(course: Course, why: string, hint: string): Promise<Report> {
  return conclude(course, () => Promise.reject(new WindrowError('interrupted', why, { hint })))
}

/**
 * Continues a complete stage whose process died. If the file or the pipeline has changed since, the stage is out of date:
 * that run is closed as it is, and the caller starts a new one. It also starts one where somebody has changed records since.
 */
async function finishEarlierRun(run: KeptRun, shared: Shared): Promise<Report | undefined> {
  const { prepared } = shared
  using stage = openStage(run.folder)
  stage.assertSound()
  const isSameFile = stage.recall('fingerprint') === (await prepared.source.fingerprint())
  const isSameOrder = (stage.recall('take over') ?? false) === (shared.options.takeOver ?? false)
  const isSame = isSameFile && isSameOrder && stage.recall('definition') === prepared.definition
  const course: Course = { ...shared, run, stage, isAbandoned: !isSame }
  if (!isSame) {
    const why = 'This run was interrupted, and the file or the pipeline has changed since.'
    await closeRun(course, why, 'A new run replaced it.')
    return undefined
  }
  let isOutdated = false
  const report = await conclude(course, async () => {
    noteFoundBefore(stage, shared)
    await updateLedger(shared)
    const delivered = await deliver(course)
    isOutdated = shared.options.retries === undefined && hasDrifted(course)
    return delivered
  })
  return isOutdated ? undefined : report
}

async function freshRun(earlier: readonly KeptRun[], shared: Shared): Promise<Report> {
  const { prepared, options } = shared
  const facts = {
    'kept pipeline': keepPipeline(prepared.pipeline),
    choices: prepared.choices ?? [...prepared.job.table.choices, ...choicesOf(prepared.pipeline)],
    definition: prepared.definition,
    'take over': options.takeOver ?? false,
    number: nextNumber(earlier),
    account: options.connection?.client.account ?? null,
    'dry-run': options.dryRun,
    written: prepared.source.writtenMs ?? null,
    'line ended': prepared.source.isLineEnded ?? null,
    ...(options.retries === undefined ? {} : { retries: options.retries }),
  }
  return startRun(shared, { name: prepared.job.name, facts }, (ran) => {
    const course = { ...shared, ...ran }
    const { stage } = ran
    return conclude(course, async () => {
      noteFoundBefore(stage, shared)
      // Without permission to publish there is no point in reading a large file; a dry run shows its findings anyway.
      if (!options.dryRun) await askForStage(course, [prepared.job.mapping.holding])
      await updateLedger(shared)
      judgeFileAndClocks(course, earlier)
      await fillStage(course).catch(async (cause: unknown) => {
        // A key of ids that the service gave explains duplicates better.
        if (stage.stops().some(({ code }) => code === duplicates.id)) await askForStage(course)
        throw cause
      })
      if (!options.dryRun) return deliver(course)
      if (options.refusal !== undefined) throw options.refusal
      await askForStage(course)
      return { unseen: 0 }
    })
  })
}

/** Compares the file with the last one of the pipeline, and the clock with that of the last run and of the service. */
function judgeFileAndClocks(
  { prepared, options, run, stage }: Course<PreparedImport>,
  earlier: readonly KeptRun[],
): void {
  const { job, source } = prepared
  const account = options.connection?.client.account
  const last = earlier.findLast(
    (each) => each.pipeline === job.name && each.account === account && each.delivered !== undefined,
  )
  const judging = { job, stage, source: source.name }
  find(judging, copyRules, { writtenMs: source.writtenMs, isLineEnded: source.isLineEnded, last })
  const aheadMs = options.connection?.client.clockAheadMs()
  find(judging, [clockWrong], { now: run.started, lastStarted: earlier.at(-1)?.started, aheadMs })
}

/** Starts a run in a folder of its own, which is to remember the facts. */
export async function startRun(
  { prepared, options }: Pick<Ended, 'prepared' | 'options'>,
  { name, facts }: { readonly name: string; readonly facts: Partial<Facts> },
  work: (ran: Ran) => Promise<Report>,
): Promise<Report> {
  const began = options.clock()
  const started = began.toISOString()
  const run = { ...startRunFolder(options.state, name, began), started }
  // A preview is never sent: a power failure can cost nothing.
  const survives = options.connection === undefined ? 'end of its process' : 'power failure'
  let report: Report
  let isPartial: boolean
  {
    using stage = openStage(run.folder, survives)
    stage.together(() => {
      const all = Object.entries({ pipeline: prepared.job.name, started, ...facts })
      for (const [fact, value] of all) stage.remember(fact as keyof Facts, value)
    })
    report = await work({ run, stage, isAbandoned: false })
    isPartial = !stage.isComplete
  }
  return isPartial && report.error?.code === 'disk-full' ? keepReportOnly(run, report) : report
}

function noteFoundBefore(stage: Stage, { prepared, unreadable, setAside, ownedBefore }: Shared): void {
  const { name } = prepared.source
  noteUnreadableRuns(stage, name, unreadable)
  noteRebuilt(stage, name, { setAside, isRestored: ownedBefore !== undefined })
}

/** Brings the ledger up to what the service shows, and a new one up to what kept runs show of this pipeline. */
async function updateLedger({ prepared: { job }, options, ledger, ownedBefore }: Shared): Promise<void> {
  const { connection, signal } = options
  if (connection !== undefined) await readFeed(connection.client, ledger, datasetOf(job), signal)
  if (ownedBefore === undefined) return
  ledger.restore(job.name, ownedBefore)
  ledger.match(matchScope(job), ownedBefore.matches)
}

/** Sends the stage and waits until the service shows it. */
export async function deliver(course: Course): Promise<{ unseen: number }> {
  const { prepared, ledger, stage } = course
  const { job } = prepared
  const updates = await askForStage(course)
  const known = ledger.matches(matchScope(job))
  const matches = (stage.recall('matches') ?? []).filter(([given, key]) => known.get(given) !== key)
  if (matches.length > 0) stage.remember('new matches', matches)
  ledger.match(matchScope(job), matches)
  const wasPosted = stage.recall('posted') ?? false
  try {
    await sendStage(course, updates)
  } catch (cause) {
    // Of what the service refused as a whole, nothing can be undone.
    if (cause instanceof WindrowError && cause.exit === exitCodes.refused) stage.remember('posted', wasPosted)
    throw cause
  }
  const unseen = await confirmStage(course)
  noteUnseen(stage, prepared.source.name, unseen)
  for (const keys of stage.keysWhere(`action IN ('unchanged', 'keep')`)) ledger.claim(job.name, keys)
  settleOwners(stage, ledger, job.name)
  rememberRows(stage, ledger, job.name)
  const last = ledger.lastCount(job.name)
  const counted = stage.recall('records') ?? last?.records ?? undefined
  if (stage.recall('last count') === undefined) stage.remember('last count', last ?? null)
  if (counted !== undefined) {
    // A file that shrinks by itself is compared with the largest; only a person makes a smaller one usual.
    const most = stage.recall('accepted') === true ? counted : Math.max(counted, last?.most ?? 0)
    ledger.setLastCount(job.name, { records: counted, most })
    settleFile(course)
    // Kept runs that were delivered show who owns a record.
    stage.remember('delivered', counted)
  }
  assertAnswered(stage)
  return { unseen: unseen.length }
}

/** Remembers what the last file of this pipeline has; the rows of an undo or a retry are not a whole file. */
function settleFile({ prepared: { job }, options, ledger, stage }: Course): void {
  const pipeline = stage.recall('kept pipeline')
  if (pipeline === undefined || stage.recall('undoes') !== undefined || stage.recall('retries') !== undefined) return
  // A state folder can be moved together with its pipelines, also to another system; a ledger that many folders share needs whole paths.
  const path = options.store === undefined ? relativePath(options.state, pipeline.path) : pipeline.path
  ledger.shared.setFile(job.name, isOneOff(pipeline) ? null : path)
  const left = ledger.shared.keysOf(job.name).filter((key) => !stage.hasRow(key))
  ledger.shared.remove(job.name, left)
  ledger.forgetDeleted()
}

/** Returns the address for the records, after checking that the account may publish for every holding. */
export async function askForStage(
  { prepared: { job }, options: { connection, signal }, ledger, stage }: Course,
  holdings: readonly (Identifier | undefined)[] = stage.recall('holdings') ?? [],
): Promise<string> {
  const created = stage.query<{ key: string; scheme: string }>(
    `SELECT key, source_scheme AS scheme FROM records WHERE action = 'create' LIMIT 3`,
  )
  const keys = created.map(({ key }) => idInKey(key))
  if (connection === undefined) {
    refuseServiceIds(job.keyColumn, keys)
    return ''
  }
  return askToPublish(
    connection.client,
    {
      type: job.type,
      holdings: holdings.filter((each) => each !== undefined).filter(isSaid),
      keys,
      keyColumn: job.keyColumn,
      isSourceId: (id) => created.some(({ scheme }) => ledger.findBySource(datasetOf(job), scheme, id) !== undefined),
    },
    signal,
  )
}
