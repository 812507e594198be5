/** Runs `windrow run`: runs pipelines one after the other, imports and exports. */

import { basename, dirname, resolve, relative } from 'node:path'
import { webOf } from '../core/sources/open-source.ts'
import { openTraffic, type Traffic } from '../client/traffic.ts'
import { naming, WindrowError } from '../core/error.ts'
import { storageFailure } from '../core/storage-failure.ts'
import {
  readPipeline,
  type ExportPipeline,
  type ImportPipeline,
  type Pipeline,
  type WatchFolder,
} from '../pipeline/definition/definition.ts'
import { exportJobOf } from '../pipeline/export/export-job.ts'
import type { RunReport } from '../pipeline/report/export-report.ts'
import { isGood } from '../schedule/due.ts'
import type { Report } from '../pipeline/report/report.ts'
import { reportUnread } from '../pipeline/import-run.ts'
import {
  flag,
  usualOptions,
  timing,
  type Call,
  type CommandSpec,
  type Specs,
  type Surroundings,
} from './options/command.ts'
import { allowedBy, ruleOptions } from './options/reading.ts'
import { setOption, settingsFor } from './options/settings.ts'
import { forceOption, printExport, writeFile } from './export.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { importOptions, runAndReport, unlessDry, type Show } from './running/import-report.ts'
import { inStore, statePlace, reach, stateOf, storeOf } from './options/reach.ts'
import { inform, say } from './screen/terminal.ts'
import { prepareNear } from '../pipeline/prepare/holding-place.ts'
import { waitUntilSettled } from '../pipeline/prepare/prepare.ts'
import { chooseFiles, finishFile, listArrived, openTakenFiles } from '../pipeline/prepare/watch-folder.ts'

export const takeOverOption: Specs = {
  '--take-over':
    'take over the records of this source that are in the service, but not in the file, and that no pipeline owns; "gone" in the pipeline then decides about them',
}

export const run: CommandSpec = {
  words: { pipeline: { description: 'the pipeline file', many: true } },
  options: {
    ...importOptions,
    ...ruleOptions,
    ...setOption(['import', 'export']),
    ...takeOverOption,
    '--force': `exports: ${forceOption['--force']}`,
    ...formatModuleOption,
    ...usualOptions,
  },
  examples: ['windrow run pipelines/onboard-paddocks.yaml --dry-run', 'windrow run pipelines/nightly-paddocks.yaml'],
  async run(call) {
    const known = await knownFormats(call)
    let worst = 0
    const traffic = openTraffic()
    for (const path of call.words['pipeline'] ?? []) {
      const ran = readPipeline(resolve(call.folder, path), known, settingsFor(call, 'import')).then((pipeline) =>
        runPipeline(pipeline, call, { traffic }),
      )
      worst = Math.max(worst, await ran.catch(unlessAlone(path, call)))
      if (call.signal.aborted) break
    }
    return worst
  },
}

/** What a command adds to a run. */
export type RunHow = {
  readonly show?: Show
  /** Hears each report that was made. */
  readonly onReport?: (report: RunReport) => void
  /** The code of the failure of the try before: the same one again leaves no second report. */
  readonly failedBefore?: string | undefined
  /** How old the file may be, unless the pipeline says. */
  readonly usualOldestMs?: number | undefined
  /** The time that the run is due for; without it, now. */
  readonly due?: Date | undefined
  /** Shared by pipelines that run in turn: a service that asks one to wait means all. */
  readonly traffic?: Traffic
}

/** Runs one pipeline, import or export, and prints its report. Throws a WindrowError where a disk fails. */
export async function runPipeline(pipeline: Pipeline, call: Call, how: RunHow = {}): Promise<number> {
  try {
    if (pipeline.kind === 'export') return await runExporting(pipeline, call, how)
    const { watch } = pipeline.from
    const chosen = inStore(pipeline, storeOf(call))
    if (watch === undefined) return await runImporting(chosen, call, { ...how, checksAge: true })
    const runFile: Arriving['runFile'] = async (each, checksAge) => {
      let failure: Report['error']
      const onReport = (report: RunReport): void => {
        failure = report.error
        how.onReport?.(report)
      }
      const exit = await runImporting(each, call, { ...how, onReport, checksAge })
      return { exit, isGood: isGood(exit, failure) }
    }
    const state = stateOf(call, dirname(pipeline.path))
    return await runArrived(chosen, { watch, state, isDry: flag(call, 'dry-run'), runFile }, call)
  } catch (cause) {
    throw storageFailure(cause) ?? cause
  }
}

const importsOnly = ['dry-run', 'take-over', 'allow']

async function runExporting(pipeline: ExportPipeline, call: Call, { onReport, traffic, due }: RunHow): Promise<number> {
  for (const option of importsOnly)
    if (call.options[option] ?? false)
      throw new WindrowError('option-invalid', `--${option} is for imports: an export changes nothing in the service.`)
  const connection = await reach(call, pipeline, { traffic })
  // "yesterday" is the day before the run was due: a late run must not write another day in its place.
  const job = exportJobOf(pipeline, due ?? call.clock(), await knownFormats(call))
  const state = stateOf(call, dirname(pipeline.path))
  const replaces = flag(call, 'force')
  const { name, path: file } = pipeline
  const exported = await writeFile(job, { name, state, file, replaces, connection, onReport }, call)
  printExport(exported, { job, zoneIsOwn: pipeline.zone === undefined }, call)
  return 0
}

async function runImporting(
  pipeline: ImportPipeline,
  call: Call,
  how: RunHow & { readonly checksAge: boolean },
): Promise<number> {
  const { show, onReport, failedBefore, usualOldestMs, traffic, checksAge } = how
  const { clock, signal, terminal } = call
  const connection = await reach(call, pipeline, { traffic }).catch(unlessDry(call))
  const place = statePlace(call, dirname(pipeline.path))
  const preparation = {
    ...timing(call),
    folder: call.folder,
    formats: await knownFormats(call),
    allowed: allowedBy(call),
    usualOldestMs,
    checksAge,
    web: webOf(call, place.state),
    onWait: (sentence: string) => inform(terminal, sentence),
  }
  const preparing = prepareNear(pipeline, { place, connection }, preparation)
  await using prepared = await preparing.catch(async (cause: unknown) => {
    const isNews = cause instanceof WindrowError && cause.code !== failedBefore
    if (isNews && !flag(call, 'dry-run') && !signal.aborted) {
      const report = await reportUnread(pipeline, cause, { ...place, connection, clock })
      if (report !== undefined) onReport?.(report)
    }
    throw cause
  })
  const options = { ...place, connection, takeOver: flag(call, 'take-over'), show, onReport }
  return await runAndReport(prepared, options, call)
}

/** With several pipelines, one that cannot be run is reported and does not stop the others. */
function unlessAlone(path: string, call: Call): (cause: unknown) => number {
  return (cause) => {
    if (!(cause instanceof WindrowError) || (call.words['pipeline'] ?? []).length < 2) throw cause
    const { code, message, hint, exit } = naming(basename(path), cause)
    if (flag(call, 'json')) say(call.terminal, JSON.stringify({ error: { code, message, hint }, exit }))
    else inform(call.terminal, `windrow: ${message}`, ...(hint === undefined ? [] : [hint]))
    return exit
  }
}

type Arriving = {
  readonly watch: WatchFolder
  readonly state: string
  /** A dry run moves and remembers nothing. */
  readonly isDry: boolean
  /** Runs the pipeline for one file; `isLatest`: no later one follows. */
  runFile(pipeline: ImportPipeline, isLatest: boolean): Promise<{ readonly exit: number; readonly isGood: boolean }>
}

/** Runs the pipeline for each new file. Returns the worst exit status; a file that fails stops those after it. */
export async function runArrived(
  pipeline: ImportPipeline,
  { watch, state, isDry, runFile }: Arriving,
  surroundings: Surroundings,
): Promise<number> {
  const { terminal, folder } = surroundings
  const note = (sentence: string): void => inform(terminal, sentence)
  const waiting = { ...timing(surroundings), onWait: note }
  const paths = await listArrived(watch)
  for (const path of paths) await waitUntilSettled(path, pipeline.from.settledMs, waiting)
  using taken = openTakenFiles(state, pipeline.name)
  const { toRead, passedOver } = await chooseFiles(watch, paths, { taken, now: waiting.clock() })
  for (const { file, why } of passedOver) {
    if (why !== '') note(`"${file.name}" ${why} and is not read.`)
    const left = isDry ? undefined : await finishFile(file, watch, { taken, wasRead: false })
    if (left !== undefined && why !== '') note(left)
  }
  let worst = 0
  for (const file of toRead) {
    const chosen = { ...pipeline, from: { ...pipeline.from, file: file.path } }
    const { exit, isGood } = await runFile(chosen, file === toRead.at(-1))
    worst = Math.max(worst, exit)
    if (!isGood) return exit
    const left = isDry ? undefined : await finishFile(file, watch, { taken, wasRead: true })
    if (left !== undefined) note(left)
  }
  if (toRead.length > 0) return worst
  const nothing = `"${relative(folder, watch.folder) || watch.folder}" has no new file that fits "${watch.pattern}".`
  if (!watch.allowsNone && !passedOver.some(({ why }) => why !== ''))
    throw new WindrowError('file-missing', nothing, {
      hint: 'Check the program that puts files there. If there is not always a new one, write empty: allow under "from".',
    })
  note(`${nothing} Nothing to do.`)
  return 0
}
