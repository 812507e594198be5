/** Runs an export, replaces only files that windrow wrote itself, and keeps a report of the run. */

import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exitCodes, WindrowError } from '../core/error.ts'
import type { WebOptions } from '../core/sources/source-url.ts'
import { writeTarget } from '../core/sources/target.ts'
import { isS3Address } from '../core/sources/web-address.ts'
import type { ExportJob } from './export/export-job.ts'
import { exportChanges, runExport, type Around, type Exported } from './export-run.ts'
import { digestOfFile } from './prepare/watch-folder.ts'
import type { Connection } from './report/course.ts'
import type { ExportReport } from './report/export-report.ts'
import { pruneRuns } from './report/prune-runs.ts'
import { errorFacts } from './report/report.ts'
import { listRuns, startRunFolder } from './report/run-folder.ts'

/** `state` keeps the report; with `replaces`, any file that is there is replaced. */
export type ExportOptions = Omit<Around, 'client' | 'signal'> & {
  readonly replaces: boolean
  readonly connection: Connection
  /** What reaches a store, for a path that is an s3 address. */
  readonly web: WebOptions
  readonly signal: AbortSignal
  readonly onReport?: ((report: ExportReport) => void) | undefined
}

/** Runs the export and leaves its report in a run folder, also if it fails. */
export async function keepExport(asked: ExportJob, options: ExportOptions): Promise<Exported> {
  const { connection, signal, clock } = options
  const job = { ...asked, web: { ...options.web, signal, clock } }
  const started = clock()
  let exported: Exported
  try {
    await checkPlace(job, options)
    const around = { ...options, client: connection.client }
    exported = job.onlyChanged === true ? await exportChanges(job, around) : await runExport(job, around)
    if (job.onlyChanged !== true) await options.passOn?.()
  } catch (cause) {
    if (cause instanceof WindrowError || signal.aborted)
      // The first failure matters more than one of the report.
      await keepReport(job, { started, cause }, options).catch(() => undefined)
    throw cause
  }
  await keepReport(job, { started, exported }, options)
  return exported
}

/** Checks that the folder exists, and that a file at the path is one that windrow wrote. */
async function checkPlace({ path, makesFolders, web }: ExportJob, { state, replaces }: ExportOptions): Promise<void> {
  if (isS3Address(path)) {
    const stored = replaces ? undefined : await (await import('../core/sources/s3-target.ts')).storedFile(path, web!)
    if (stored !== undefined) await checkOwn(path, state, { bytes: stored.bytes, sha256: () => stored.sha256 })
    return
  }
  checkFolder(path, makesFolders)
  const there = await stat(path).catch(() => undefined)
  if (replaces || there?.isFile() !== true) return
  await checkOwn(path, state, { bytes: there.size, sha256: () => digestOfFile(path) })
}

/** Throws if the folder of a file is missing and nobody said to make it. */
export function checkFolder(path: string, makesFolders: boolean | undefined): void {
  const folder = dirname(path)
  if (makesFolders !== true && !existsSync(folder))
    throw new WindrowError('target-unwritable', `The folder "${folder}" does not exist.`, {
      hint: 'Make it, or set  to.folders: make',
    })
}

type FileThere = { readonly bytes: number; readonly sha256: () => Promise<string> | string | undefined }

/** Checks that windrow wrote the file that is there. */
async function checkOwn(path: string, state: string, there: FileThere): Promise<void> {
  const written = listRuns(state).runs.flatMap(({ report }) =>
    report.kind === 'export' && report.file !== undefined ? [{ ...report.file, ended: report.ended }] : [],
  )
  if (written.some(({ bytes }) => bytes === there.bytes)) {
    const sha256 = await there.sha256()
    if (written.some((each) => each.sha256 === sha256)) return
  }
  const last = written.findLast((each) => each.path === path)
  throw new WindrowError(
    'target-exists',
    last === undefined
      ? `"${path}" is there already, and windrow did not write it.`
      : `"${path}" was changed after windrow wrote it.`,
    {
      hint: 'It was left as it is. Choose another name (-o or to.file), or replace it with --force.',
    },
  )
}

type Ending = { readonly started: Date; readonly exported?: Exported; readonly cause?: unknown }

async function keepReport(job: ExportJob, ending: Ending, options: ExportOptions): Promise<void> {
  const { name, state, connection, clock, signal } = options
  const { started, exported, cause } = ending
  const error = cause instanceof WindrowError ? cause : undefined
  const { path, bytes } = options.passOn !== undefined || exported === undefined ? {} : exported
  const file =
    path === undefined || bytes === undefined
      ? undefined
      : { path, bytes, sha256: exported?.sha256 ?? (await digestOfFile(path)) }
  const { only } = job
  const { id, folder } = startRunFolder(state, name, started)
  const report: ExportReport = {
    windrow: 'report',
    version: 1,
    kind: 'export',
    run: id,
    pipeline: name,
    started: started.toISOString(),
    ended: clock().toISOString(),
    outcome: exported !== undefined ? 'done' : signal.aborted ? 'interrupted' : 'stopped',
    exit: exported !== undefined ? exitCodes.done : (error?.exit ?? exitCodes.interrupted),
    ...(error && { error: errorFacts(error) }),
    source: { service: connection.client.service, connection: connection.name },
    what: job.type.plural,
    only: Object.fromEntries(
      Object.entries(only).filter(([, value]) => !Array.isArray(value) || value.length > 0),
    ) as ExportReport['only'],
    ...(job.onlyChanged === true && { onlyChanged: true as const }),
    zone: job.zone,
    records: { read: exported?.read ?? 0, written: exported?.written ?? 0, leftOut: exported?.sifted ?? 0 },
    rows: exported?.rows ?? {},
    ...(file && { file }),
    notes: [...(exported?.notes ?? [])],
  }
  await writeTarget(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`)
  pruneRuns(state, { now: clock(), justEnded: id })
  options.onReport?.(report)
}
