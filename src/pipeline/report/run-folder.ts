/** Keeps one folder for each run below the state folder, and a lock for each pipeline. */

import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { lockFile, makePrivate, openForReading, openingFailure, otherVersion, versionOf } from '../../core/database.ts'
import { WindrowError } from '../../core/error.ts'
import { kindOf } from '../../core/sources/folder.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import { inNumbers } from '../../core/values/counting-order.ts'
import { takeLock, type Lock } from '../../core/postgres.ts'
import type { Match, StatePlace } from '../../ledger/ledger.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { isOneOff, restorePipeline } from '../definition/kept-pipeline.ts'
import type { RetriedRun } from '../settle/retry.ts'
import type { RunReport } from './export-report.ts'
import type { Report } from './report.ts'
import type { Recall } from '../stage/facts.ts'
import { factsIn, sameKeys, stageTables } from '../stage/stage-store.ts'

/** A run by its name, such as 2026-11-20-1412-onboard, and its folder. */
export type RunFolder = { readonly id: string; readonly folder: string }

/** What a run recorded about itself as it went. */
export type KeptRun = ReturnType<typeof readRun>

type OfPipeline = Pick<KeptRun, 'account'> & { readonly name: string }

/** What kept runs show of a pipeline: the keys of its records, how many its last file had, and its matches. */
export type OwnedBefore = NonNullable<ReturnType<typeof findOwnedBefore>>

/** A run of which something cannot be read, and why. */
export type UnreadableRun = { readonly id: string; readonly reason: string }

/** Makes the folder of a new run, named by its local start time and its pipeline. */
export function startRunFolder(state: string, name: string, started: Date): RunFolder {
  const local = new Date(started.getTime() - started.getTimezoneOffset() * 60_000).toISOString()
  const time = local.slice(0, 16).replace('T', '-').replace(':', '')
  const runs = join(state, 'runs')
  try {
    mkdirSync(runs, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw openingFailure(runs, cause)
  }
  makePrivate(state, 0o700)
  for (let attempt = 1; ; attempt += 1) {
    const id = `${time}-${fileName(name)}${attempt === 1 ? '' : `-${attempt}`}`
    const folder = join(runs, id)
    try {
      mkdirSync(folder, { mode: 0o700 })
      return { id, folder }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    }
  }
}

/** All runs that can be read, in the order in which they ran, and those that cannot. A plan takes its place when it is applied. */
export function readRuns(state: string) {
  const { found, unreadable } = readEach(state, readRun)
  return { runs: found.sort(byNumber), unreadable }
}

/** The number of the next run, or of a plan that is applied now. */
export function nextNumber(runs: readonly KeptRun[]): number {
  return runs.reduce((last, { number = 0 }) => Math.max(last, number), 0) + 1
}

function byNumber(one: KeptRun, other: KeptRun): number {
  const begun = ({ id, started, applied }: KeptRun) => ({ id, started: applied ?? started })
  return (one.number ?? 0) - (other.number ?? 0) || byStart(begun(one), begun(other))
}

/** What `read` finds in the folders of the runs. */
function readEach<Read>(state: string, read: (run: RunFolder) => Read) {
  const found: Read[] = []
  const unreadable: UnreadableRun[] = []
  for (const run of runFolders(state)) skipUnreadable(run, unreadable, () => found.push(read(run)))
  return { found, unreadable }
}

function skipUnreadable(run: RunFolder, unreadable: UnreadableRun[], work: () => void): void {
  try {
    work()
  } catch (cause) {
    // On a full disk even a sound database cannot be opened.
    if (storageFailure(cause, run.folder)?.code === 'disk-full') throw cause
    unreadable.push({ id: run.id, reason: (cause as Error).message })
  }
}

function byStart(one: { id: string; started: string }, other: { id: string; started: string }): number {
  return one.started < other.started ? -1 : one.started > other.started ? 1 : inNumbers(one.id, other.id)
}

/** facts.ts says what each is. */
function readRun(run: RunFolder) {
  return fromFacts(run.folder, (recall, hasReceipts) => ({
    ...run,
    started: recall('started') ?? anyReportOf(run)?.started ?? statSync(run.folder).mtime.toISOString(),
    number: recall('number'),
    planned: recall('planned') ?? recall('number'),
    pipeline: recall('pipeline'),
    account: recall('account') ?? undefined,
    isComplete: recall('complete') === true,
    /** True if a rule stopped it, and nobody has sent it since. */
    isStopped: recall('stopped') === true && recall('complete') !== true,
    isFinished: recall('finished') === true,
    isDryRun: recall('dry-run') === true,
    isPlan: recall('plan') === true,
    /** True if the service may have something from it. */
    hasSent: recall('dry-run') !== true && (hasReceipts || recall('posted') === true),
    undoes: recall('undoes'),
    retries: recall('retries'),
    delivered: recall('delivered'),
    writtenMs: recall('written'),
    isLineEnded: recall('line ended'),
    applied: recall('applied'),
  }))
}

/** Reads some facts of a run, by their names: others are long, such as the map. */
function fromFacts<Read>(folder: string, read: (recall: Recall, hasReceipts: boolean) => Read): Read {
  const found = readStage(folder, (database) => {
    const accepted = database.prepare(`SELECT 1 FROM receipts WHERE state = 'accepted' LIMIT 1`).get()
    return read(factsIn(database), accepted !== undefined)
  })
  return found ?? read(() => undefined, false)
}

/** Opens a run's stage only for reading: another process may be writing it. Undefined if the run was killed before it made its tables. */
export function readStage<Read>(folder: string, read: (database: DatabaseSync) => Read): Read | undefined {
  const path = join(folder, 'stage.db')
  if (!existsSync(path)) return undefined
  using database = openForReading(path)
  const found = versionOf(database)
  if (found !== 0 && found !== stageTables.version) throw otherVersion(`"${path}"`, found, stageTables.version)
  return found === 0 ? undefined : read(database)
}

/** The report of an import, if it left one. */
export function reportOf(run: RunFolder): Report | undefined {
  const report = anyReportOf(run)
  return report?.kind === 'export' ? undefined : report
}

/** The report of an import or an export, if it left one. */
export function anyReportOf({ folder }: RunFolder): RunReport | undefined {
  const path = join(folder, 'report.json')
  if (!existsSync(path)) return undefined
  let report: Partial<RunReport> | null
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as typeof report
  } catch (cause) {
    throw openingFailure(path, cause)
  }
  if (report?.windrow !== 'report' || typeof report.started !== 'string') throw new Error('report.json is not a report')
  return report as RunReport
}

/**
 * The newest run of this pipeline and account whose stage is complete but not all answered, if its process died. A retry
 * continues only a retry of the same run, and an undo only an undo.
 */
export function findUnfinishedRun(
  runs: readonly KeptRun[],
  { name, account, retries, undoes }: OfPipeline & Partial<KeptRun>,
): KeptRun | undefined {
  return runs
    .filter((run) => run.isComplete && !run.isFinished && !run.isDryRun)
    .filter((run) => run.retries === retries && run.undoes === undoes)
    .findLast((run) => run.pipeline === name && run.account === account)
}

/**
 * Finds what a lost ledger knew of this pipeline and account in the kept runs: a record belongs to the pipeline that had it last.
 * Undefined if none of them reached its end, or if a run of another pipeline cannot be read. Adds such runs to `unreadable`.
 */
export function findOwnedBefore(
  runs: readonly KeptRun[],
  wanted: { readonly name: string; readonly account: string },
  unreadable: UnreadableRun[],
) {
  const ofAccount = runs.filter(({ account, isDryRun }) => account === wanted.account && !isDryRun)
  const isOwn = ({ pipeline }: KeptRun): boolean => pipeline === wanted.name
  const first = ofAccount.findIndex((run) => isOwn(run) && run.delivered !== undefined)
  if (first < 0) return undefined
  const keys = new Set<string>()
  const note = (key: string, isIts: boolean): void => void (isIts ? keys.add(key) : keys.delete(key))
  let records: number | null = null
  let matches: readonly Match[] = []
  const lastOfOthers = new Map<string | undefined, KeptRun>()
  for (const run of ofAccount.slice(first)) {
    if (!isOwn(run) && run.delivered !== undefined) lastOfOthers.set(run.pipeline, run)
    if (isOwn(run) && run.delivered !== undefined) records = run.delivered
    skipUnreadable(run, unreadable, () =>
      readStage(run.folder, (database) => {
        if (isOwn(run)) matches = factsIn(database)('matches') ?? matches
        for (const key of keysIn(database, owned, run.delivered !== undefined)) note(key, isOwn(run))
        if (run.delivered === undefined) return
        for (const { key, after } of database.prepare('SELECT key, after FROM owners').iterate())
          note(String(key), after === wanted.name)
      }),
    )
  }
  // What the last file of another pipeline has belongs to nobody, until one of both runs.
  for (const run of lastOfOthers.values())
    skipUnreadable(run, unreadable, () => {
      // Nobody runs a one-off import again, or a pipeline that was renamed or removed.
      const kept = readKeptPipeline(run)
      if (kept === undefined || isOneOff(kept) || !existsSync(kept.path)) return
      readStage(run.folder, (database) => {
        for (const key of keysIn(database, present, true)) keys.delete(key)
      })
    })
  const isOthers = ({ id }: UnreadableRun): boolean => !isRunOf({ id, pipeline: undefined }, wanted.name)
  return records === null || unreadable.some(isOthers) ? undefined : { keys, records, matches }
}

/** The keys that a query finds, and those of the rows that are the same as in the last file. */
function* keysIn(database: DatabaseSync, sql: string, withSame: boolean): Generator<string> {
  for (const { key } of database.prepare(sql).iterate()) yield String(key)
  if (withSame) yield* keysIn(database, sameKeys, false)
}

const present = `SELECT key FROM rows WHERE key IS NOT NULL AND outcome <> 'skipped'`

// A run takes unchanged and kept records as its own only at its end.
const owned = `SELECT key FROM records LEFT JOIN receipts ON receipts.record = records.id
  WHERE receipts.state = 'accepted'
    OR action IN ('unchanged', 'keep') AND EXISTS (SELECT 1 FROM facts WHERE name = 'delivered')`

/** For each record that these runs sent, the last of them. */
export function lastSenders(runs: readonly KeptRun[]): ReadonlyMap<string, KeptRun> {
  const senders = new Map<string, KeptRun>()
  for (const run of runs) if (run.hasSent) eachKey(run, sent, (key) => senders.set(key, run))
  return senders
}

/** Passes on the keys that a query finds in the stage of a run, if that can be read. */
function eachKey(run: KeptRun, sql: string, work: (key: string) => void): void {
  skipUnreadable(run, [], () =>
    readStage(run.folder, (database) => {
      for (const key of keysIn(database, sql, false)) work(key)
    }),
  )
}

/**
 * The keys of a run's rejected rows and of the others, and for each record that its pipeline has published since, the last run that
 * did. Retries of the run do not count, nor what was undone.
 */
export function retriedIn(state: string, run: string): RetriedRun {
  const { runs } = readRuns(state)
  const at = runs.findIndex(({ id }) => id === run)
  const retried = runs[at]
  const readKeys = (sql: string, withSame: boolean): ReadonlySet<string> =>
    new Set(retried && readStage(retried.folder, (database) => [...keysIn(database, sql, withSame)]))
  const rejected = readKeys(rejectedKeys, false)
  const ofAccount = runs.slice(at + 1).filter(({ account }) => account === retried?.account)
  const later = withoutUndone(ofAccount.filter(({ pipeline }) => pipeline === retried?.pipeline)).filter(
    ({ undoes, retries }) => undoes === undefined && retries !== run,
  )
  return {
    id: run,
    rejected,
    published: new Set([...readKeys(present, true)].filter((key) => !rejected.has(key))),
    senders: lastSenders(later),
    started: retried?.started,
    sent: lastSenders(ofAccount),
  }
}

/** The keys of the records that this pipeline's last delivered file lacked already. */
export function goneBefore(state: string, of: OfPipeline): ReadonlySet<string> {
  const last = lastDelivered(state, of)
  const keys = new Set<string>()
  if (last !== undefined) eachKey(last, `SELECT key FROM records WHERE action = 'keep'`, (key) => keys.add(key))
  return keys
}

/** The digest of this pipeline in its last run that reached its end; undefined without one. */
export function lastDefinition(state: string, of: OfPipeline): string | undefined {
  const last = lastDelivered(state, of)
  return last && fromFacts(last.folder, (recall) => recall('definition'))
}

/** The last run of this pipeline that sent a whole file and was not undone. */
function lastDelivered(state: string, { name, account }: OfPipeline): KeptRun | undefined {
  const own = readRuns(state).runs.filter((run) => run.pipeline === name && run.account === account)
  return withoutUndone(own).findLast(
    ({ delivered, undoes, retries }) => delivered !== undefined && undoes === undefined && retries === undefined,
  )
}

const rejectedKeys = `SELECT key FROM rows LEFT JOIN receipts ON receipts.record = rows.record
  WHERE key IS NOT NULL AND (outcome = 'rejected' OR receipts.state = 'refused')`

const sent = `SELECT key FROM records JOIN receipts ON receipts.record = records.id WHERE receipts.state = 'accepted'`

/** The runs that were not undone, or whose undo was undone. */
export function withoutUndone(runs: readonly KeptRun[]): readonly KeptRun[] {
  const undone = new Set<string>()
  for (const { id, undoes, delivered } of runs.toReversed())
    if (undoes !== undefined && delivered !== undefined && !undone.has(id)) undone.add(undoes)
  return runs.filter(({ id }) => !undone.has(id))
}

/** True if the pipeline's last file is that of this run: later ones were undone. */
export function isLastDelivered(runs: readonly KeptRun[], wanted: KeptRun): boolean {
  const delivered = runs.filter(
    ({ pipeline, account, delivered }) =>
      pipeline === wanted.pipeline && account === wanted.account && delivered !== undefined,
  )
  const last = withoutUndone(delivered).findLast(({ id, undoes }) => undoes === undefined || id === wanted.id)
  return last?.id === wanted.id
}

/** The runs of this pipeline that ended before there was anything to send, and without a report. */
export function findKilledRuns(runs: readonly KeptRun[], name: string): readonly KeptRun[] {
  return runs.filter(
    (run) => isRunOf(run, name) && !run.isFinished && (!run.isComplete || run.isDryRun) && !isReportOnly(run),
  )
}

/** A run killed at its very start has recorded nothing; its name shows its pipeline. */
function isRunOf({ pipeline, id }: Pick<KeptRun, 'pipeline' | 'id'>, name: string): boolean {
  if (pipeline !== undefined) return pipeline === name
  const rest = id.replace(/^(\d{4}-\d{2}-\d{2}|\d{4})-\d{4}-/, '')
  return [rest, rest.replace(/-\d+$/, '')].includes(fileName(name))
}

/** True for an export, and for an import that could not start. */
function isReportOnly({ folder }: RunFolder): boolean {
  return !existsSync(join(folder, 'stage.db')) && existsSync(join(folder, 'report.json'))
}

/** The pipeline of a run with every decision; undefined if it kept none. */
export function readKeptPipeline({ folder }: RunFolder): ImportPipeline | undefined {
  const kept = fromFacts(folder, (recall) => recall('kept pipeline'))
  return kept === undefined ? undefined : restorePipeline(kept)
}

/** All runs that left a report, imports and exports, oldest first, and those whose report cannot be read. */
export function listRuns(state: string) {
  const { found, unreadable } = readEach(state, (run) => {
    const report = anyReportOf(run)
    return report === undefined ? [] : [{ ...run, report, started: report.started }]
  })
  return { runs: found.flat().sort(byStart), unreadable }
}

/** The folders of all runs, in no order. */
export function runFolders(state: string): readonly RunFolder[] {
  const runs = join(state, 'runs')
  if (!existsSync(runs)) return []
  try {
    return readdirSync(runs, { withFileTypes: true })
      .filter((entry) => kindOf(entry).isDirectory())
      .map((entry) => ({ id: entry.name, folder: join(runs, entry.name) }))
  } catch (cause) {
    throw openingFailure(runs, cause)
  }
}

/**
 * Stops other processes from running the same pipeline until `release` is called or this process ends. A lock of SQLite or
 * PostgreSQL is used because it never outlives its process.
 */
export function lockPipeline({ state, store }: StatePlace, name: string): Lock {
  if (store !== undefined) {
    const lock = takeLock(store, `pipeline ${name}`)
    if (lock !== undefined) return lock
  } else {
    const lock = lockFile(join(state, 'locks', `${ownFileName(name)}.lock`))
    if (lock !== undefined) return { release: () => lock.close(), [Symbol.dispose]: () => lock.close() }
  }
  throw new WindrowError('run-busy', `Another process is running "${name}".`, {
    hint: 'Wait until it has ended: two runs of one pipeline cannot run at the same time.',
  })
}

/** Such a name, and no other name has it: not where only what it leaves out is different, or, as on Windows and macOS, the case. */
export function ownFileName(name: string): string {
  const safe = fileName(name)
  return safe === name.toLowerCase() ? safe : `${safe}-${hash('sha256', name).slice(0, 8)}`
}

/** Makes a name that every file system accepts. */
export function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+/, '')
  return safe.slice(0, 60).replace(/[-.]+$/, '') || 'run'
}
