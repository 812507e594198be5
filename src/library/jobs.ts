/** Does whole jobs in one call, as the commands do them: imports, exports, plans and the ways back. */

import { basename, dirname, join, resolve } from 'node:path'
import { naming, WindrowError, type ErrorCode } from '../core/error.ts'
import type { Choice } from '../core/row.ts'
import { openSource, webOf } from '../core/sources/open-source.ts'
import type { Source } from '../core/sources/source.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import type { Difference } from '../ledger/comparison.ts'
import { findPlan, isApplied, openApply, openAsPlan } from '../pipeline/apply-run.ts'
import type { ExportFile, ImportFile } from '../pipeline/definition/definition-schema.ts'
import {
  checkSettings,
  pipelineFrom,
  readPipeline,
  type ExportPipeline,
  type ImportPipeline,
  type Pipeline,
} from '../pipeline/definition/definition.ts'
import type { Group } from '../pipeline/definition/yaml-source.ts'
import { exportJobOf } from '../pipeline/export/export-job.ts'
import type { Exported } from '../pipeline/export-run.ts'
import { runImport } from '../pipeline/import-run.ts'
import { keepExport } from '../pipeline/keep-export.ts'
import { prepareNear } from '../pipeline/prepare/holding-place.ts'
import { changesOf, countChanges, type Change, type ChangeKind } from '../pipeline/report/changes.ts'
import type { AroundJob, Connection, ImportOptions, OpenedJob } from '../pipeline/report/course.ts'
import { findRun } from '../pipeline/report/find-run.ts'
import { decideImport } from '../pipeline/inspect/decide.ts'
import { draftFor } from '../pipeline/inspect/draft.ts'
import { lookAt } from '../pipeline/inspect/look.ts'
import { aroundPlan, planImport, type PlanAround, type Planned } from '../pipeline/inspect/one-off.ts'
import type { Report } from '../pipeline/report/report.ts'
import { readKeptPipeline, readRuns, reportOf } from '../pipeline/report/run-folder.ts'
import { openRetry, rejectedRows, canRetry } from '../pipeline/retry.ts'
import { canUndo, changesIn, planUndo, undoRun, type UndoPlan } from '../pipeline/undo-run.ts'
import { isSame, openVerification, type Verified } from '../pipeline/verify.ts'
import { typeToExport } from '../resources/index.ts'
import {
  doJob,
  sendingSchema,
  writingSchema,
  type SendingOptions,
  type Surroundings,
  type WritingOptions,
} from './surroundings.ts'

/** A group of settings of which none is needed; the formats have more. */
type Loose<Settings> = { readonly [Key in keyof Settings]?: Settings[Key] | undefined } & {
  readonly [option: string]: unknown
}

/** An import pipeline as an object: the keys of a pipeline file. */
export type ImportSettings = Omit<ImportFile, 'windrow' | 'from'> & {
  readonly from: Loose<ImportFile['from']>
}

/** What is set about a file; the rest is decided. `holding` may also be SCHEME:ID, or the name or number of a farm. */
export type FileSettings = { readonly [Key in keyof ImportSettings]?: ImportSettings[Key] | undefined }

/** A pipeline file for a file, with the evidence as comments, and what was decided. A choice with the certainty `ask` is still open. */
export type Drafted = { readonly yaml: string; readonly choices: readonly Choice[] }

/** An export pipeline as an object: the keys of a pipeline file. */
export type ExportSettings = Omit<ExportFile, 'windrow' | 'to'> & {
  readonly to: Loose<ExportFile['to']> & { readonly file: string }
}

/** What is to be exported to a file: the keys of an export pipeline but the file. */
export type WantedRecords = Omit<ExportSettings, 'to'> & {
  readonly to?: Loose<Omit<ExportFile['to'], 'file'>>
}

/** A run of the past: its name as `windrow runs` lists it, "last", or its report. */
export type RunName = string | { readonly run: string; readonly files: Report['files'] }

/** A plan: the report of its dry run, and each change that applying it would make. */
export type Plan = Report & {
  readonly counts: Readonly<Record<ChangeKind, number>>
  /** The changes of one kind, in the order of the file, read from disk as they are asked for. */
  changes(kind: ChangeKind): Generator<Change>
}

/** What undoing a run does to how many records, and the report of doing it; no report if nothing had to be done, or in a dry run. */
export type Undone = UndoPlan & { readonly report: Report | undefined }

/** How the service compares with what was sent to it. */
export type Verification = {
  readonly isSame: boolean
  readonly datasets: readonly Verified[]
  readonly differences: readonly Difference[]
}

/** Runs an import pipeline, from a file or an object, as `windrow run` does. Rejects unless the run finished; if it had started, `data.report` of the error shows how far it came. */
export function importPipeline(pipeline: string | ImportSettings, options: SendingOptions = {}): Promise<Report> {
  return doJob({ caller: 'importPipeline', schema: sendingSchema, options }, async (around) =>
    finished(await runAlone(await importOf(pipeline, options, around), options, around)),
  )
}

/**
 * Imports a file as `windrow import` does. Rejects with a WindrowError unless the run finished; if it had started, the
 * error's `data.report` shows how far it came. The report counts rejected rows and refused records. A choice that only a person can
 * make is an error with the code `choices-missing` that lists all of them.
 */
export function importFile(path: string, settings: FileSettings = {}, options: SendingOptions = {}): Promise<Report> {
  return doJob({ caller: 'importFile', schema: sendingSchema, options }, (around) =>
    withFile(path, { settings, options }, around, async ({ source, said, state, plan }) => {
      const planned = await planImport(source, said, plan)
      return finished(await runAlone({ ...planned, state, source, connection: plan.connection }, options, around))
    }),
  )
}

/** Drafts a pipeline file for a file. Its paths are relative to the folder of the options. Writes and sends nothing. */
export function init(path: string, settings: FileSettings = {}, options: SendingOptions = {}): Promise<Drafted> {
  return doJob({ caller: 'init', schema: sendingSchema, options }, (around) =>
    withFile(path, { settings, options: { ...options, dryRun: true } }, around, async ({ source, said, plan }) => {
      const facts = await lookAt(source, said, plan)
      try {
        const decided = await decideImport(facts, said, plan)
        const yaml = draftFor(decided, { folder: around.folder, fileName: source.name })
        return { yaml, choices: decided.choices }
      } finally {
        await facts.close()
      }
    }),
  )
}

/** Makes a plan: a dry run that shows each change, and that `apply` can send. A plan that a rule stopped is one, too. */
export function plan(pipeline: string | ImportSettings, options: SendingOptions = {}): Promise<Plan> {
  return doJob({ caller: 'plan', schema: sendingSchema, options }, async (around) => {
    const asked = await importOf(pipeline, options, around)
    const report = await runAlone(asked, { ...options, dryRun: true }, around)
    if (report.apply === undefined) finished(report)
    const { state } = asked
    using stage = openAsPlan(report.run, state)
    return {
      ...report,
      counts: countChanges(stage),
      *changes(kind) {
        using opened = openAsPlan(report.run, state)
        yield* changesOf(opened, kind)
      },
    }
  })
}

/** Sends what a plan staged, unless the file, the pipeline or the records have changed since. A plan is sent once; its report is returned again. */
export function apply(run: RunName, options: SendingOptions = {}): Promise<Report> {
  return doJob({ caller: 'apply', schema: sendingSchema, options }, async (around) => {
    const { name, states } = whereIs(run, around)
    const found = findPlan(name, states)
    if (isApplied(found, readRuns(found.state).runs)) return reportOf(found)!
    await using job = await openApply(found, jobAround(around, options))
    return finished(await runJob(job, options, around))
  })
}

/** Sends the corrected rows of a run: those in the file, else in the run's own file of rejected rows. Each decision is as in the run. */
export function retry(run: RunName, file?: string, options: SendingOptions = {}): Promise<Report> {
  return doJob({ caller: 'retry', schema: sendingSchema, options }, async (around) => {
    const { name, states } = whereIs(run, around)
    const found = findRun(name, states, 'with rejected rows', canRetry)
    const rows = file === undefined ? rejectedRows(found) : resolve(around.folder, file)
    await using job = await openRetry({ run: found, file: rows }, {}, jobAround(around, options))
    return finished(await runJob(job, options, around))
  })
}

/** Undoes a run: puts back, deletes and restores what it changed, and leaves alone what was changed since. */
export function undo(run: RunName, options: SendingOptions = {}): Promise<Undone> {
  return doJob({ caller: 'undo', schema: sendingSchema, options }, async (around) => {
    const { name, states } = whereIs(run, around)
    const found = findRun(name, states, 'that sent something', canUndo)
    const connection = await around.connect(readKeptPipeline(found))
    const how = { ...sending(options, around), dryRun: false, state: found.state, connection }
    const planned = await planUndo(found, how)
    const isDone = changesIn(planned) === 0 && planned.continues === undefined
    if (isDone || options.dryRun === true) return { ...planned, report: undefined }
    return { ...planned, report: finished(await undoRun(found, how)) }
  })
}

/** Compares what was sent with what the service shows: the records of a pipeline, else all that were sent from the state folder. Changes nothing. */
export function verify(pipeline?: string | ImportSettings, options: SendingOptions = {}): Promise<Verification> {
  return doJob({ caller: 'verify', schema: sendingSchema, options }, async (around) => {
    const asked = pipeline === undefined ? undefined : await importOf(pipeline, options, around)
    const state = asked?.state ?? around.stateBeside(undefined)
    const { client } = await around.connect(asked?.pipeline)
    const datasets = [asked?.pipeline.type.dataset ?? []].flat()
    using verification = openVerification({ state }, client, { datasets, signal: around.signal })
    const differences: Difference[] = []
    for await (const each of verification.differences()) differences.push(each)
    const { verified } = verification
    return { isSame: verified.every(isSame), datasets: verified, differences }
  })
}

/** Runs an export pipeline, from a file or an object, as `windrow run` does. The file appears only when every record has arrived. */
export function exportPipeline(pipeline: string | ExportSettings, options: WritingOptions = {}): Promise<Exported> {
  return doJob({ caller: 'exportPipeline', schema: writingSchema, options }, async (around) =>
    exportBy(await exportOf(pipeline, options, around), options, around),
  )
}

/** Writes records of the service to a file, or to s3://BUCKET/FILE, as `windrow export` does; its extension gives the format. */
export function exportFile(path: string, wanted: WantedRecords, options: WritingOptions = {}): Promise<Exported> {
  return doJob({ caller: 'exportFile', schema: writingSchema, options }, async (around) => {
    checkSettings('export', wanted, around.formats)
    const name = options.name ?? `export-${typeToExport(wanted.export).plural}`
    const settings = { ...wanted, to: { ...wanted.to, file: path } }
    return exportBy(await exportOf(settings, { ...options, name }, around), options, around)
  })
}

type Asked<P extends Pipeline> = { readonly pipeline: P; readonly state: string }

async function importOf(given: string | ImportSettings, options: SendingOptions, around: Surroundings) {
  const asked = await pipelineOf(given, options, around)
  const { pipeline } = asked
  if (pipeline.kind === 'export')
    throw new WindrowError('option-invalid', `"${pipeline.name}" is an export.`, { hint: 'Call exportPipeline.' })
  if (pipeline.from.watch !== undefined)
    throw new WindrowError('option-invalid', `"${pipeline.name}" reads the files that arrive in a folder.`, {
      hint: 'Run it on the command line: windrow run, or windrow schedule.',
    })
  return { ...asked, pipeline } satisfies Asked<ImportPipeline>
}

async function exportOf(given: string | ExportSettings, options: WritingOptions, around: Surroundings) {
  const asked = await pipelineOf(given, options, around)
  const { pipeline } = asked
  if (pipeline.kind === 'export') return { ...asked, pipeline } satisfies Asked<ExportPipeline>
  throw new WindrowError('option-invalid', `"${pipeline.name}" is an import.`, { hint: 'Call importPipeline.' })
}

/** A pipeline and its state folder. One without a file has the name that its program gives it, and all paths in it are whole. */
async function pipelineOf(
  given: string | ImportSettings | ExportSettings,
  { name }: { readonly name?: string },
  { folder, formats, stateBeside }: Surroundings,
): Promise<Asked<Pipeline>> {
  if (typeof given === 'string') {
    const path = resolve(folder, given)
    const pipeline = await readPipeline(path, formats)
    return { pipeline, state: stateBeside(dirname(path)) }
  }
  if (name === undefined)
    throw new WindrowError('option-invalid', 'The pipeline has no name.', {
      hint: 'Add name to the options: its records belong to the pipeline of this name, as they do to the name of a pipeline file.',
    })
  const pipeline = pipelineFrom(given, join(folder, basename(name)), formats)
  // No file can change it, so that a plan of it is applied as it was kept.
  const path = pipeline.kind === 'import' ? pipeline.from.file : pipeline.path
  return { pipeline: { ...pipeline, name, path }, state: stateBeside(undefined) }
}

async function exportBy(
  { pipeline, state }: Asked<ExportPipeline>,
  { force = false, onProgress }: WritingOptions,
  around: Surroundings,
): Promise<Exported> {
  const { clock, signal, sleep, env, formats } = around
  const job = exportJobOf(pipeline, clock(), formats)
  return keepExport(job, {
    name: pipeline.name,
    state,
    replaces: force,
    connection: await around.connect(pipeline),
    web: { env, sleep },
    clock,
    signal,
    onRead: onProgress,
  })
}

/** A dry run works without a connection, unless one is named. */
function jobAround(around: Surroundings, { dryRun = false, connection }: SendingOptions): AroundJob {
  const connect: AroundJob['connect'] = (pipeline) =>
    around.connect(pipeline).catch((cause: unknown) => {
      const isMissing = cause instanceof WindrowError && cause.code === 'connection-missing'
      if (dryRun && isMissing && connection === undefined) return undefined
      throw cause
    })
  return { ...around, connect }
}

function sending(
  { dryRun = false, confirmWithinMs = 10_000, onProgress }: SendingOptions,
  { clock, sleep, signal }: Surroundings,
): Pick<ImportOptions, 'dryRun' | 'confirmWithinMs' | 'onProgress' | 'clock' | 'sleep' | 'signal'> {
  return { dryRun, confirmWithinMs, onProgress, clock, sleep, signal }
}

function runJob(
  { prepared, options: of, begin }: Omit<OpenedJob, typeof Symbol.asyncDispose>,
  options: SendingOptions,
  around: Surroundings,
) {
  return begin(prepared, { ...sending(options, around), ...of })
}

/** Runs an import; what is open already, and what was decided about its file, is given. */
async function runAlone(
  asked: Asked<ImportPipeline> &
    Partial<Pick<Planned, 'choices' | 'forReport' | 'lookedAt' | 'refusal'> & Pick<OpenedFile, 'source'>> & {
      readonly connection?: Connection | undefined
    },
  options: SendingOptions,
  around: Surroundings,
): Promise<Report> {
  const { pipeline, state, source, choices, forReport = [], lookedAt, refusal } = asked
  const { folder, formats, clock, sleep, signal } = around
  const connection = asked.connection ?? (await jobAround(around, options).connect(pipeline))
  const preparation = {
    folder,
    formats,
    clock,
    sleep,
    signal,
    notes: forReport,
    lookedAt,
    web: webOf(around, state),
    allowed: new Set(options.allow),
    ...(source && { source }),
  }
  await using prepared = await prepareNear(pipeline, { place: { state }, connection }, preparation)
  const job = { prepared: { ...prepared, choices }, options: { state, connection, refusal }, begin: runImport }
  return await runJob(job, options, around)
}

type OpenedFile = {
  readonly source: Source
  readonly said: Group
  readonly state: string
  readonly plan: PlanAround
}

/** Opens a file, and closes it after the work. */
async function withFile<Result>(
  path: string,
  { settings, options }: { readonly settings: FileSettings; readonly options: SendingOptions },
  around: Surroundings,
  work: (file: OpenedFile) => Promise<Result>,
): Promise<Result> {
  const { folder, formats, signal, clock, sleep } = around
  checkSettings('import', settings, formats)
  const { grids, 'private addresses': inside } = settings.from ?? {}
  const said =
    grids === undefined ? settings : { ...settings, from: { ...settings.from, grids: resolve(folder, grids) } }
  const connection = await jobAround(around, options).connect(undefined)
  const state = around.stateBeside(undefined)
  const web = { signal, clock, sleep, ...webOf(around, state), allowsPrivate: inside === 'allow' }
  const { source, close } = await openSource(path, folder, web)
  const plan = aroundPlan(
    { state },
    {
      path: isWebAddress(path) ? path : resolve(folder, path),
      fileName: source.name,
      connection,
      formats,
      isTrial: options.dryRun === true,
      signal,
    },
  )
  try {
    return await work({ source, said, state, plan })
  } catch (cause) {
    throw naming(source.name, cause)
  } finally {
    await close()
  }
}

/** A report that is returned could be mistaken for success; the counts of one with an error are of a run that did not finish. */
function finished(report: Report): Report {
  if (report.error === undefined) return report
  const { code, message, hint } = report.error
  throw new WindrowError(code as ErrorCode, message, { hint, data: { report } })
}

/** Where a run is looked for. A report says where it lies. */
function whereIs(
  run: RunName,
  { states }: Surroundings,
): { readonly name: string; readonly states: readonly string[] } {
  if (typeof run === 'string') return { name: run, states }
  const { report } = run.files
  return { name: run.run, states: report === undefined ? states : [dirname(dirname(dirname(report)))] }
}
