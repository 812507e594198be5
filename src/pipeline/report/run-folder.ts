/** Keeps one folder for each run below the state folder, a lock for each pipeline, and deletes old runs. */

import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openDatabase, openForReading, openingFailure } from '../../core/database.ts'
import { WindrowError } from '../../core/error.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import type { Match } from '../../ledger/ledger.ts'
import type { Report } from './report.ts'

/** A run by its name, such as 2026-11-20-1412-onboard, and its folder. */
export type RunFolder = { readonly id: string; readonly folder: string }

/** What a run recorded about itself as it went. */
export type KeptRun = RunFolder & {
  readonly started: string
  readonly pipeline: string | undefined
  readonly account: string | undefined
  readonly isComplete: boolean
  readonly isFinished: boolean
  readonly isDryRun: boolean
  /** The number of records in the file of a run that reached its end; undefined for other runs. */
  readonly delivered: number | undefined
  /** When the sending of a plan began. */
  readonly applied: string | undefined
}

/** What kept runs show of a pipeline: the keys of its records, how many its last file had, and its matches. */
export type OwnedBefore = {
  readonly keys: ReadonlySet<string>
  readonly records: number
  readonly matches: readonly Match[]
}

/** A run of which something cannot be read, and why. */
export type UnreadableRun = { readonly id: string; readonly reason: string }

const keptRuns = 60

/** Makes the folder of a new run, named by its local start time and its pipeline. */
export function startRunFolder(state: string, name: string, started: Date): RunFolder {
  const two = (part: number): string => String(part).padStart(2, '0')
  const day = `${started.getFullYear()}-${two(started.getMonth() + 1)}-${two(started.getDate())}`
  const time = `${day}-${two(started.getHours())}${two(started.getMinutes())}`
  const runs = join(state, 'runs')
  mkdirSync(runs, { recursive: true, mode: 0o700 })
  if (process.platform !== 'win32') chmodSync(state, 0o700)
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

/** All runs that can be read, oldest first by what they recorded, and those that cannot. */
export function readRuns(state: string): {
  readonly runs: readonly KeptRun[]
  readonly unreadable: readonly UnreadableRun[]
} {
  const runs: KeptRun[] = []
  const unreadable: UnreadableRun[] = []
  for (const run of runFolders(state)) skipUnreadable(run, unreadable, () => runs.push(readRun(run)))
  return { runs: runs.sort(byStart), unreadable }
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
  return one.started < other.started ? -1 : one.started > other.started ? 1 : inNumbers.compare(one.id, other.id)
}

const inNumbers = new Intl.Collator('en', { numeric: true })

function readRun(run: RunFolder): KeptRun {
  const facts = factsOf(run.folder)
  const recall = <T>(name: string): T | undefined => (facts.has(name) ? (JSON.parse(facts.get(name)!) as T) : undefined)
  return {
    ...run,
    started: recall('started') ?? reportOf(run)?.started ?? statSync(run.folder).mtime.toISOString(),
    pipeline: recall('pipeline'),
    account: recall<string | null>('account') ?? undefined,
    isComplete: recall('complete') === true,
    isFinished: recall('finished') === true,
    isDryRun: recall('dry-run') === true,
    delivered: recall('delivered'),
    applied: recall('applied'),
  }
}

function factsOf(folder: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>()
  readStage(folder, (database) => {
    const [{ n }] = database.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name = 'facts'`).all() as [
      { n: number },
    ]
    if (n === 0) return
    for (const { name, value } of database.prepare('SELECT name, value FROM facts').iterate())
      facts.set(String(name), String(value))
  })
  return facts
}

/** Opens a run's stage only for reading: another process may be writing it. */
function readStage(folder: string, read: (database: DatabaseSync) => void): void {
  const path = join(folder, 'stage.db')
  if (!existsSync(path)) return
  const database = openForReading(path)
  try {
    read(database)
  } finally {
    database.close()
  }
}

/** The report of a run, if it left one. */
export function reportOf({ folder }: RunFolder): Report | undefined {
  const path = join(folder, 'report.json')
  if (!existsSync(path)) return undefined
  const report = JSON.parse(readFileSync(path, 'utf8')) as Partial<Report> | null
  if (report?.windrow !== 'report' || typeof report.started !== 'string') throw new Error('report.json is not a report')
  // Earlier versions wrote would-be for a dry run.
  const outcome = (report.outcome as string) === 'would-be' ? 'dry-run' : report.outcome
  return { ...report, outcome } as Report
}

/** The newest run of this pipeline and account whose stage is complete but not all answered, if its process died. */
export function findUnfinishedRun(
  runs: readonly KeptRun[],
  wanted: { readonly name: string; readonly account: string | undefined },
): KeptRun | undefined {
  return runs.findLast(
    (run) =>
      run.pipeline === wanted.name &&
      run.account === wanted.account &&
      run.isComplete &&
      !run.isFinished &&
      !run.isDryRun,
  )
}

/**
 * Finds what a lost ledger knew of this pipeline and account in the kept runs: a record belongs to the pipeline that had it last.
 * Undefined if none of them reached its end, or if a run of another pipeline cannot be read. Adds such runs to `unreadable`.
 */
export function findOwnedBefore(
  runs: readonly KeptRun[],
  wanted: { readonly name: string; readonly account: string },
  unreadable: UnreadableRun[],
): OwnedBefore | undefined {
  const ofAccount = runs.filter(({ account, isDryRun }) => account === wanted.account && !isDryRun)
  const isOwn = ({ pipeline }: KeptRun): boolean => pipeline === wanted.name
  const first = ofAccount.findIndex((run) => isOwn(run) && run.delivered !== undefined)
  if (first < 0) return undefined
  const keys = new Set<string>()
  let records = 0
  let matches: readonly Match[] = []
  for (const run of ofAccount.slice(first)) {
    if (isOwn(run)) records = run.delivered ?? records
    skipUnreadable(run, unreadable, () =>
      readStage(run.folder, (database) => {
        const known = database.prepare(`SELECT value FROM facts WHERE name = 'matches'`).get()
        if (isOwn(run) && known !== undefined) matches = JSON.parse(String(known['value'])) as readonly Match[]
        for (const { key } of database.prepare(owned).iterate())
          if (isOwn(run)) keys.add(String(key))
          else keys.delete(String(key))
      }),
    )
  }
  const isOthers = ({ id }: UnreadableRun): boolean => !isRunOf({ id, pipeline: undefined }, wanted.name)
  return unreadable.some(isOthers) ? undefined : { keys, records, matches }
}

// A run takes unchanged and kept records as its own only at its end.
const owned = `SELECT key FROM records LEFT JOIN receipts ON receipts.record = records.id
  WHERE receipts.state = 'accepted'
    OR action IN ('unchanged', 'keep') AND EXISTS (SELECT 1 FROM facts WHERE name = 'delivered')`

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

function isReportOnly({ folder }: RunFolder): boolean {
  return !existsSync(join(folder, 'stage.db')) && existsSync(join(folder, 'report.json'))
}

/** All runs that left a report, oldest first, and those whose report cannot be read. */
export function listRuns(state: string): {
  readonly runs: readonly (RunFolder & { readonly report: Report })[]
  readonly unreadable: readonly UnreadableRun[]
} {
  const runs: (RunFolder & { report: Report; started: string })[] = []
  const unreadable: UnreadableRun[] = []
  for (const run of runFolders(state))
    try {
      const report = reportOf(run)
      if (report !== undefined) runs.push({ ...run, report, started: report.started })
    } catch (cause) {
      unreadable.push({ id: run.id, reason: (cause as Error).message })
    }
  return { runs: runs.sort(byStart), unreadable }
}

/**
 * Deletes the oldest runs beyond the number that is kept, but never one with records still to send, an unreadable one, or
 * the one that just ended. Errors are ignored: the next run tries again.
 */
export function pruneRuns(state: string, justEnded?: string): void {
  try {
    if (runFolders(state).length <= keptRuns) return
    const finished = readRuns(state).runs.filter((run) => run.isFinished || run.pipeline === undefined)
    for (const { id, folder } of finished.slice(0, Math.max(0, finished.length - keptRuns)))
      if (id !== justEnded) rmSync(folder, { recursive: true, force: true })
  } catch {
    // The run has ended and its report is written; a failure here must not change its outcome.
  }
}

function runFolders(state: string): readonly RunFolder[] {
  const runs = join(state, 'runs')
  if (!existsSync(runs)) return []
  return readdirSync(runs, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({ id: entry.name, folder: join(runs, entry.name) }))
}

/**
 * Stops other processes from running the same pipeline until `release` is called or this process ends. SQLite's file lock
 * is used because it never outlives its process.
 */
export function lockPipeline(state: string, name: string): { release(): void } {
  const path = join(state, 'locks', `${fileName(name)}.lock`)
  const database = openDatabase(path, { timeoutMs: 0 })
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    const failure = openingFailure(path, cause)
    if (failure.code !== 'file-locked') throw failure
    throw new WindrowError('run-busy', `Another process is running "${name}".`, {
      hint: 'Wait until it has ended: two runs of one pipeline cannot run at the same time.',
      cause,
    })
  }
  return { release: () => database.close() }
}

/** Makes a name that every file system accepts. */
export function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '')
  return safe === '' ? 'run' : safe.slice(0, 60)
}
