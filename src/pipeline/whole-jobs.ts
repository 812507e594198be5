/** Runs a whole import or export in one call, with defaults for connection, state folder, clock and network. */

import { allRules, mayBeAllowed } from '../rules/index.ts'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { completeProfile, resolveProfile, stateFolder, type Profile } from '../client/profile.ts'
import { connectTo } from '../client/connection.ts'
import { WindrowError, type ErrorCode } from '../core/error.ts'
import { strictObject, type JsonSchema } from '../core/object-schema.ts'
import { openSource, webOf } from '../core/sources/open-source.ts'
import type { Source } from '../core/sources/source.ts'
import { isS3Address, isWebAddress } from '../core/sources/web-address.ts'
import { formatForTarget, formats, openFile } from '../formats/index.ts'
import type { FormatOptions } from '../formats/format.ts'
import { machineZone } from '../mapping/zones.ts'
import { typeToExport, typeToPublish } from '../resources/index.ts'
import { layouts } from '../resources/table-plan.ts'
import { firstError } from '../resources/validation.ts'
import type { Connection, ImportOptions } from './report/course.ts'
import { readPipeline, usualRepair, type ImportPipeline } from './definition/definition.ts'
import { optionsOf } from './definition/definition-schema.ts'
import { layoutOf, type ExportJob } from './export/export-job.ts'
import type { Exported } from './export-run.ts'
import { keepExport } from './keep-export.ts'
import { placeOfFarm } from './prepare/holding-place.ts'
import { runImport } from './import-run.ts'
import { planFile } from './inspect/one-off.ts'
import { matchOption } from './definition/amounts.ts'
import { faultOfFilter } from './definition/filter-types.ts'
import { faultOfDay } from './definition/period.ts'
import { prepareImport } from './prepare/prepare.ts'
import { exportFilters } from './report/export-report.ts'
import { interrupted } from './report/conclusion.ts'
import type { Report } from './report/report.ts'
import { farmSaid } from './export/find-holding.ts'
import type { RecordFilter } from './export/filter-records.ts'

/** `connection` is the name of a saved connection, or a profile; the default is the environment's, then the only saved one. */
type Around = {
  readonly connection?: string | Profile
  readonly signal?: AbortSignal
  readonly fetch?: typeof fetch
  readonly clock?: () => Date
  readonly sleep?: (ms: number) => Promise<void>
  readonly random?: () => number
}

/** `state` is the folder for ledger and runs; a run waits up to `confirmWithinMs` (10 s) until the service shows its records. */
export type ImportPipelineOptions = Around & {
  readonly state?: string
  readonly dryRun?: boolean
  /** The rules that do not stop this one run. */
  readonly allow?: readonly string[]
  readonly confirmWithinMs?: number
  readonly onProgress?: ImportOptions['onProgress']
}

/** `to` defaults to plots and `zone` to the machine's; `holding` is SCHEME:ID or, with a connection, the name or number of a
 * farm; `options` are those of the file's format. */
export type ImportFileOptions = ImportPipelineOptions & {
  readonly to?: string
  readonly holding?: string
  readonly key?: string | readonly string[]
  readonly zone?: string
  readonly layer?: string
  readonly crs?: string
  /** How rows find records that the service has under other keys: boundary, name, or COLUMN=identifier. */
  readonly match?: string
  readonly options?: FormatOptions
}

/**
 * `what` is a record type such as work-records, filtered by `only`; `zone` defaults to the machine's. `state` keeps the reports, which
 * show the files that windrow wrote: any other is replaced only with `force`. Missing folders are made with `makeFolders`; with
 * `allowEmpty`, an export without a record is a file with headings only.
 */
export type ExportFileOptions = Around & {
  readonly state?: string
  readonly force?: boolean
  readonly makeFolders?: boolean
  readonly allowEmpty?: boolean
  readonly what: string
  readonly only?: RecordFilter
  readonly zone?: string
  readonly layout?: ExportJob['layout']
  readonly units?: ExportJob['units']
}

type Schemas<Options> = Readonly<Record<keyof Options, JsonSchema>>

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
// JSON Schema has no word for a function.
const anything = {} as const

const aroundSchemas = {
  connection: { type: ['string', 'object'] },
  signal: anything,
  fetch: anything,
  clock: anything,
  sleep: anything,
  random: anything,
} satisfies Schemas<Around>

const pipelineSchemas = {
  ...aroundSchemas,
  state: text,
  dryRun: flag,
  allow: { type: 'array', items: { enum: allRules.filter(mayBeAllowed).map(({ id }) => id) } },
  confirmWithinMs: { type: 'number' },
  onProgress: anything,
} satisfies Schemas<ImportPipelineOptions>

const importPipelineSchema = strictObject([], pipelineSchemas)

const importFileSchema = strictObject([], {
  ...pipelineSchemas,
  to: text,
  holding: text,
  key: { type: ['string', 'array'], items: text },
  zone: text,
  layer: text,
  crs: text,
  match: text,
  options: strictObject([], optionsOf('import', formats)),
} satisfies Schemas<ImportFileOptions>)

const exportFileSchema = strictObject(['what'], {
  ...aroundSchemas,
  state: text,
  force: flag,
  makeFolders: flag,
  allowEmpty: flag,
  what: text,
  only: strictObject([], exportFilters satisfies Schemas<RecordFilter>),
  zone: text,
  layout: { enum: layouts },
  units: strictObject([], { area: text, length: text, rate: text } satisfies Schemas<ExportJob['units']>),
} satisfies Schemas<ExportFileOptions>)

/** Throws for an option that the function does not know: a misspelt one would leave a file or a service as nobody wanted. */
function checkOptions(caller: string, schema: JsonSchema, options: object): void {
  const fault = firstError(schema, options)
  if (fault !== undefined) throw new WindrowError('option-invalid', `${caller}: ${fault.message}`, { hint: fault.hint })
}

/**
 * Imports a file as `windrow import` does. Rejects with a WindrowError unless the run finished; if it had started, the
 * error's `data.report` shows how far it came. The report counts rejected rows and refused records.
 */
export function importFile(path: string, options: ImportFileOptions = {}): Promise<Report> {
  return orInterrupted(options.signal, importOne(path, options))
}

async function importOne(path: string, options: ImportFileOptions): Promise<Report> {
  checkOptions('importFile', importFileSchema, options)
  const deps = depsOf(options)
  const { signal } = deps
  const connection = await connectionFor(options, undefined)
  const state = options.state ?? stateFolder(process.env, process.platform)
  const { source, close } = await openSource(path, process.cwd(), { signal, ...webOf(process, state) })
  await using closers = new AsyncDisposableStack()
  closers.defer(close)
  const opened = await openFile(source, { options: options.options ?? {}, signal })
  closers.defer(opened.close)
  const type = typeToPublish(options.to ?? 'plots')
  const { pipeline } = await planFile(
    opened,
    {
      file: isWebAddress(path) ? path : resolve(path),
      fileName: source.name,
      type,
      typeIsSaid: options.to !== undefined,
      holding: await farmSaid(options.holding, { type, connection, signal }),
      key: options.key === undefined ? [] : [options.key].flat(),
      layer: options.layer,
      format: undefined,
      crs: options.crs,
      grids: undefined,
      zone: options.zone ?? machineZone(),
      blank: undefined,
      options: options.options ?? {},
      repairUpTo: usualRepair,
      match: matchOption(options.match),
      dryRun: options.dryRun === true,
    },
    { connection, saidZone: options.zone, signal },
  )
  return await runToEnd(pipeline, { ...options, state }, connection, { ...deps, source })
}

/** Runs an import pipeline as `windrow run` does; fails as `importFile` does. Its state lies beside the pipeline file. */
export function importPipeline(path: string, options: ImportPipelineOptions = {}): Promise<Report> {
  return orInterrupted(options.signal, importBy(path, options))
}

async function importBy(path: string, options: ImportPipelineOptions): Promise<Report> {
  checkOptions('importPipeline', importPipelineSchema, options)
  const pipeline = await readPipeline(resolve(path))
  if (pipeline.kind === 'export')
    throw new WindrowError('option-invalid', `The pipeline "${path}" is an export.`, {
      hint: 'Call exportFile, or run it on the command line: windrow run.',
    })
  if (pipeline.from.watch !== undefined)
    throw new WindrowError('option-invalid', `The pipeline "${path}" reads the files that arrive in a folder.`, {
      hint: 'Run it on the command line: windrow run, or windrow schedule.',
    })
  const connection = await connectionFor(options, pipeline.connection)
  const state = options.state ?? join(dirname(pipeline.path), '.windrow')
  return runToEnd(pipeline, { ...options, state }, connection, depsOf(options))
}

/** What the command line calls the filters that have another name here. */
const filterNames: ReadonlyMap<string, string> = new Map([
  ['plots', 'plot'],
  ['operations', 'operation'],
  ['products', 'product'],
  ['operators', 'operator'],
  ['statuses', 'status'],
  ['deletedToo', 'include-deleted'],
])

/**
 * Writes records of the service to a file, or to s3://BUCKET/FILE, as `windrow export` does; its extension gives the format. It appears
 * only when every record has arrived.
 */
export function exportFile(path: string, options: ExportFileOptions): Promise<Exported> {
  return orInterrupted(options.signal, exportOne(path, options))
}

async function exportOne(path: string, options: ExportFileOptions): Promise<Exported> {
  checkOptions('exportFile', exportFileSchema, options)
  const { what, zone = machineZone(), units = {}, only = {} } = options
  const type = typeToExport(what)
  const fault = [only.from, only.until].flatMap((day) => (day === undefined ? [] : (faultOfDay(day, false) ?? [])))[0]
  if (fault !== undefined) throw new WindrowError('option-invalid', fault)
  for (const [name, given] of Object.entries(only)) {
    const isGiven = given !== undefined && given !== false && !(Array.isArray(given) && given.length === 0)
    const wrong = isGiven ? faultOfFilter(filterNames.get(name) ?? name, type.plural) : undefined
    if (wrong !== undefined) throw new WindrowError('option-invalid', `only.${name} ${wrong}`)
  }
  const { clock, signal, sleep } = depsOf(options)
  const connection = (await connectionFor(options, undefined))!
  const format = formatForTarget(path)
  const job = {
    type,
    only,
    zone,
    units,
    format,
    formatOptions: {},
    ...layoutOf(options, type, format),
    path: isS3Address(path) ? path : resolve(path),
    makesFolders: options.makeFolders === true,
    allowsEmpty: options.allowEmpty === true,
  }
  return keepExport(job, {
    name: `export-${type.plural}`,
    state: options.state ?? stateFolder(process.env, process.platform),
    replaces: options.force === true,
    connection,
    web: { env: process.env, sleep },
    clock,
    signal,
  })
}

/** The outcome of a job; one that the caller's signal stopped is interrupted, whatever the signal's reason. */
async function orInterrupted<T>(signal: AbortSignal | undefined, job: Promise<T>): Promise<T> {
  try {
    return await job
  } catch (cause) {
    if (signal?.aborted !== true || cause instanceof WindrowError) throw cause
    throw interrupted(cause)
  }
}

function depsOf({ clock = () => new Date(), sleep = wait, signal = new AbortController().signal }: Around) {
  return { clock, sleep, signal }
}

/** A dry run works without a connection. */
async function connectionFor(
  options: Around & { readonly dryRun?: boolean },
  pipeline: string | undefined,
): Promise<Connection | undefined> {
  const { connection: said, fetch = globalThis.fetch, random = Math.random } = options
  const { env, platform } = process
  const place = { stateFolder: stateFolder(env, platform), platform, env }
  const profile =
    typeof said === 'object'
      ? completeProfile(said)
      : await resolveProfile({ option: said, pipeline }, place).catch((cause: unknown) => {
          if (options.dryRun && cause instanceof WindrowError && cause.code === 'connection-missing') return undefined
          throw cause
        })
  if (profile === undefined) return undefined
  const { clock, sleep } = depsOf(options)
  return { client: connectTo(profile, { fetch, random, clock, sleep }), name: profile.name }
}

async function runToEnd(
  pipeline: ImportPipeline,
  {
    state,
    dryRun = false,
    allow,
    confirmWithinMs = 10_000,
    onProgress,
  }: ImportPipelineOptions & { readonly state: string },
  connection: Connection | undefined,
  deps: ReturnType<typeof depsOf> & { readonly source?: Source },
): Promise<Report> {
  const farm = placeOfFarm(pipeline, { state }, connection, deps.signal)
  await using prepared = await prepareImport(pipeline, {
    ...deps,
    ...farm,
    allowed: new Set(allow),
    web: webOf(process, state),
  })
  const report = await runImport(prepared, { ...deps, state, connection, dryRun, confirmWithinMs, onProgress })
  if (report.error === undefined) return report
  // A report that is returned could be mistaken for success; these counts are of a run that did not finish.
  const { code, message, hint } = report.error
  throw new WindrowError(code as ErrorCode, message, { hint, data: { report } })
}
