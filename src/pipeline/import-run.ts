/**
 * Hides the course of one import from the lock to the report: finish what an earlier run left, stage, judge, ask for the
 * right, send, confirm. However it ends, the run's folder says what became of every row.
 */

import { join } from 'node:path'
import type { Client } from '../client/connection.ts'
import { mayPublish } from '../client/writable.ts'
import { WindrowError } from '../core/error.ts'
import { openLedger, type Ledger } from '../ledger/ledger.ts'
import { betterReadings, startReadings } from '../mapping/readings.ts'
import type { Identifier } from '../resources/resource-type.ts'
import { startBoundaryStore, type BoundaryStore } from './boundary-store.ts'
import { conclude } from './conclusion.ts'
import type { Course, ImportOptions, PreparedImport } from './course.ts'
import { readFeed } from './feed.ts'
import { addHeldBoundaries } from './held-boundaries.ts'
import { judgeCoverage } from './judge-coverage.ts'
import { judgeGuards, judgeKeys, judgeSource } from './judge.ts'
import { judgeGone, releaseFormer } from './judge-gone.ts'
import { contradictionOfLetters, contradictionOfRival, judgeReadings } from './judge-readings.ts'
import { startLetters } from './letters.ts'
import { noteUnseen } from './notes.ts'
import type { Report } from './report.ts'
import { findUnfinishedRun, lockPipeline, pruneRuns, startRunFolder } from './run-folder.ts'
import { contradictionOfKeys } from './respelt-keys.ts'
import { contradictionOfScale, startScale } from './scale.ts'
import { confirmStage, sendStage, type SendOptions } from './send.ts'
import { stageRows, type ImportJob, type StageContext } from './stage.ts'
import { openStage, type Stage } from './stage-store.ts'

/** Runs one import. Returns its report, also when a guard or the service stopped it; throws only where no run came about. */
export async function runImport(prepared: PreparedImport, options: ImportOptions): Promise<Report> {
  const { name } = prepared.job
  if (!options.dryRun && options.connection === undefined)
    throw new WindrowError('connection-missing', 'It is not said which service to publish to.')
  if (!options.dryRun && prepared.job.keyIsStandIn)
    throw new WindrowError('key-missing', `No column of "${prepared.source.name}" tells one record from another.`, {
      hint: 'Name the column that does with --key COLUMN, or try it out with --dry-run.',
    })
  const lock = lockPipeline(options.state, name)
  const ledger = openLedger(join(options.state, 'ledger.db'), options.connection?.account ?? 'no connection')
  try {
    const resumed = options.dryRun ? undefined : await finishEarlierRun(prepared, options, ledger)
    if (resumed !== undefined) return resumed
    return await freshRun(prepared, options, ledger)
  } finally {
    ledger.close()
    lock.release()
    pruneRuns(options.state)
  }
}

/**
 * Goes on with a stage that a dead process left complete. When the file or the pipeline has changed since, what was staged is
 * no longer what anybody wants: that run is closed as it stands, and the caller begins anew.
 */
async function finishEarlierRun(
  prepared: PreparedImport,
  options: ImportOptions,
  ledger: Ledger,
): Promise<Report | undefined> {
  const run = findUnfinishedRun(options.state, prepared.job.name)
  if (run === undefined) return undefined
  const stage = openStage(run.folder)
  try {
    if (stage.recall<string>('account') !== options.connection?.account) return undefined
    const started = stage.recall<string>('started') ?? options.clock().toISOString()
    const isSameFile = stage.recall<string>('fingerprint') === (await prepared.source.fingerprint())
    const isSameOrder = (stage.recall<boolean>('take over') ?? false) === (options.takeOver ?? false)
    const isSame = isSameFile && isSameOrder && stage.recall<string>('definition') === prepared.definition
    const course: Course = { prepared, options, ledger, run, stage, started, isAbandoned: !isSame }
    const report = await conclude(course, async () => {
      if (!isSame)
        throw new WindrowError(
          'interrupted',
          'This run was broken off, and the file or the pipeline has changed since.',
          {
            hint: 'A new run has taken its place.',
          },
        )
      await readFeed(options.connection!.client, ledger, datasetOf(prepared.job), options.signal)
      return deliver(course)
    })
    return isSame ? report : undefined
  } finally {
    stage.close()
  }
}

async function freshRun(prepared: PreparedImport, options: ImportOptions, ledger: Ledger): Promise<Report> {
  const began = options.clock()
  const run = startRunFolder(options.state, prepared.job.name, began)
  const stage = openStage(run.folder)
  try {
    const started = began.toISOString()
    const course: Course = { prepared, options, ledger, run, stage, started, isAbandoned: false }
    stage.remember('pipeline', prepared.job.name)
    stage.remember('definition', prepared.definition)
    stage.remember('take over', options.takeOver ?? false)
    stage.remember('started', started)
    stage.remember('account', options.connection?.account ?? null)
    return await conclude(course, async () => {
      await fillStage(course)
      if (options.dryRun) return { unseen: 0 }
      return deliver(course)
    })
  } finally {
    stage.close()
  }
}

async function fillStage(course: Course): Promise<void> {
  const boundaries = course.prepared.job.geometry && startBoundaryStore(course.stage.folder)
  try {
    await fillAndJudge(course, boundaries)
  } finally {
    boundaries?.close()
  }
}

async function fillAndJudge(
  { prepared, options, ledger, stage, started }: Course,
  boundaries: BoundaryStore | undefined,
): Promise<void> {
  const { job, source } = prepared
  const { connection, signal, onProgress } = options
  const before = await source.fingerprint()
  stage.remember('fingerprint', before)
  if (connection !== undefined) await readFeed(connection.client, ledger, datasetOf(job), signal)
  const readings = startReadings()
  const letters = prepared.encoding === undefined ? undefined : startLetters(prepared.encoding)
  const onRows = (rows: number): void => onProgress?.('read', rows)
  const scale = startScale()
  const context: StageContext = { stage, ledger, now: started, signal, readings, letters, scale, onRows, boundaries }
  const passed = await stageRows(job, context)
  await judgeSource(job, { before, fingerprint: source.fingerprint })
  if (job.rows === 'one') judgeKeys(stage, source.name, job.keyColumn)
  const unowned = judgeGone(job, context, {
    source: source.name,
    gone: prepared.gone,
    keyless: passed.keyless,
    takeOver: options.takeOver ?? false,
  })
  if (boundaries !== undefined) {
    addHeldBoundaries(boundaries, { stage, ledger, dataset: datasetOf(job) })
    stage.remember(
      'coverage',
      await judgeCoverage(stage, boundaries, {
        source: source.name,
        signal,
        trimming: job.trim && { stage, ledger, boundaries, policy: job.trim },
      }),
    )
  }
  for (const each of job.table.found()) stage.addProblem(each)
  const inLetters = letters && contradictionOfLetters(letters)
  const inScale = contradictionOfScale(scale)
  const areas = job.statedAreas?.verdict(source.name)
  if (areas?.stated !== undefined) stage.remember('stated-area', areas.stated)
  for (const each of areas?.problems ?? []) stage.addProblem(each)
  const inKeys = contradictionOfKeys(stage, ledger, source.name)
  const contradictions = [
    ...(inKeys ? [inKeys] : []),
    ...(inLetters ? [inLetters] : []),
    ...betterReadings(readings).map(contradictionOfRival),
    ...(inScale ? [inScale] : []),
    ...(areas?.contradiction ? [areas.contradiction] : []),
  ]
  judgeReadings(stage, contradictions, { source: source.name, policy: prepared.guards.reading })
  judgeGuards(job, context, { guards: prepared.guards, passed, unowned })
  if (job.picture !== undefined) stage.remember('outlines', job.picture.outlines())
  stage.complete()
}

/** Sends what is staged and waits until it is seen. */
async function deliver({ prepared, options, ledger, stage }: Course): Promise<{ unseen: number }> {
  const { job } = prepared
  const { client } = options.connection!
  const updates = await findUpdates(client, prepared, stage)
  const send: SendOptions = {
    client,
    ledger,
    stage,
    pipeline: job.name,
    dataset: datasetOf(job),
    updates,
    signal: options.signal,
    onSent: (records) => options.onProgress?.('sent', records),
  }
  await sendStage(send)
  const unseen = await confirmStage({
    ...send,
    waitMs: options.confirmWithinMs,
    sleep: options.sleep,
    clock: () => options.clock().getTime(),
  })
  noteUnseen(stage, prepared.source.name, unseen)
  for (const keys of stage.keysWhere(`action IN ('unchanged', 'keep')`)) ledger.claim(job.name, keys)
  releaseFormer(stage, ledger)
  const counted = stage.recall<number>('records')
  if (counted !== undefined) ledger.setLastCount(job.name, counted)
  assertAnswered(stage)
  return { unseen: unseen.length }
}

function assertAnswered(stage: Stage): void {
  const [left] = stage.query<{ n: number }>(
    `SELECT count(*) AS n FROM records WHERE action IN ('create', 'update', 'delete') AND id NOT IN (SELECT record FROM receipts)`,
  )
  if (left!.n > 0)
    throw new WindrowError('service-confused', `The service gave no answer for ${left!.n} of the records.`, {
      hint: 'Run it again: what has no answer is sent again, everything else is left alone.',
    })
}

/** Where the records go, after asking whether the account may publish them for every holding they belong to. */
async function findUpdates(client: Client, { job }: PreparedImport, stage: Stage): Promise<string> {
  const [control, datasets] = await Promise.all([client.control(), client.datasets()])
  const holdings = stage.recall<readonly Identifier[]>('holdings') ?? []
  const wanted: readonly (Identifier | undefined)[] =
    job.type.plural === 'holdings' || holdings.length === 0 ? [undefined] : holdings
  const answers = wanted.map((holding) => mayPublish(control, job.type, holding, datasets))
  const refusal = answers.find((answer) => !answer.allowed)
  if (refusal !== undefined)
    throw new WindrowError(
      'rights-missing',
      `${refusal.reason ?? 'The account may not publish this.'} Nothing was sent.`,
      {
        hint:
          control.length === 0 && job.type.plural !== 'holdings'
            ? 'The farm comes first: windrow import holdings.csv --to holdings --holding SCHEME, or ask its keeper to connect this account.'
            : 'Ask the keeper of the holding to connect this account, or correct the holding in the pipeline.',
      },
    )
  const updates = answers.find((answer) => answer.updates !== undefined)?.updates
  if (updates === undefined)
    throw new WindrowError('service-confused', `The service gives no address for publishing ${job.type.plural}.`)
  return updates
}

function datasetOf(job: ImportJob): string {
  return job.type.dataset ?? job.type.plural
}
