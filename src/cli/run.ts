/** Runs `windrow run`: runs pipelines one after the other, imports and exports. */

import { basename, dirname, resolve } from 'node:path'
import { naming, WindrowError } from '../core/error.ts'
import { storageFailure } from '../core/storage-failure.ts'
import { readPipeline, type ImportPipeline, type Pipeline } from '../pipeline/definition/definition.ts'
import { exportJobOf } from '../pipeline/export/export-job.ts'
import { placeInService, placeOfHolding } from '../pipeline/prepare/holding-place.ts'
import { prepareImport } from '../pipeline/prepare/prepare.ts'
import { reportUnread } from '../pipeline/report/report-unstarted.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  wholeNumber,
  type CommandSpec,
  type Input,
  type OptionSpec,
  type Surroundings,
} from './command.ts'
import { forceOption, printExport, writeFile } from './export.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { duplicateOptions, duplicatesOption, importOptions, runAndReport, type Show } from './import-report.ts'
import { reach, stateOf } from './reach.ts'
import { plain, say } from './terminal.ts'

export const takeOverOption: OptionSpec = {
  flags: '--take-over',
  description:
    'take over the records of this source that are in the service, but not in the file, and that no pipeline owns; "gone" in the pipeline then decides about them',
}

export const run: CommandSpec = {
  words: [{ name: 'pipeline', description: 'the pipeline file', many: true }],
  options: [
    ...importOptions,
    ...duplicateOptions,
    takeOverOption,
    { ...forceOption, description: `exports: ${forceOption.description}` },
    formatModuleOption,
    connectionOption,
    stateOption,
    jsonOption,
  ],
  examples: ['windrow run pipelines/onboard-paddocks.yaml --dry-run', 'windrow run pipelines/nightly-paddocks.yaml'],
  async run(input, surroundings) {
    const known = await knownFormats(input, surroundings)
    let worst = 0
    for (const path of input.words['pipeline'] ?? []) {
      const ran = readPipeline(resolve(surroundings.folder, path), known).then((pipeline) =>
        runPipeline(pipeline, input, surroundings),
      )
      worst = Math.max(worst, await ran.catch(unlessAlone(path, input, surroundings)))
      if (surroundings.signal.aborted) break
    }
    return worst
  },
}

/** The pipeline with what the command line says for this run. */
function overridden(pipeline: ImportPipeline, input: Input): ImportPipeline {
  const { match = pipeline.match, duplicates = pipeline.guard.duplicates } = duplicatesOption(input)
  return { ...pipeline, match, guard: { ...pipeline.guard, duplicates } }
}

/** Runs one pipeline, import or export, and prints its report. Throws a WindrowError where a disk fails. */
export async function runPipeline(
  pipeline: Pipeline,
  input: Input,
  surroundings: Surroundings,
  show?: Show,
): Promise<number> {
  try {
    return await runEitherWay(pipeline, input, surroundings, show)
  } catch (cause) {
    throw storageFailure(cause) ?? cause
  }
}

async function runEitherWay(
  written: Pipeline,
  input: Input,
  surroundings: Surroundings,
  show: Show | undefined,
): Promise<number> {
  const { clock, sleep, signal } = surroundings
  const formats = await knownFormats(input, surroundings)
  const pipeline = written.kind === 'import' ? overridden(written, input) : written
  if (pipeline.kind === 'export') {
    for (const option of ['dry-run', 'take-over', 'match', 'duplicates'])
      if (input.options[option] ?? false)
        throw new WindrowError(
          'option-invalid',
          `--${option} is for imports: an export changes nothing in the service.`,
        )
    const connection = await reach(input, surroundings, pipeline.connection)
    const job = exportJobOf(pipeline, clock(), formats)
    const state = stateOf(input, surroundings, dirname(pipeline.path))
    const options = { name: pipeline.name, state, replaces: flag(input, 'force'), isPassedOn: false, connection }
    const exported = await writeFile(job, options, surroundings)
    const zoneIsOwn = pipeline.zone === undefined
    printExport(exported, { job, zoneIsOwn, asJson: flag(input, 'json'), isPassedOn: false }, surroundings)
    return 0
  }
  const connection = await reach(input, surroundings, pipeline.connection).catch(unlessDry(input))
  const state = stateOf(input, surroundings, dirname(pipeline.path))
  const prepared = await prepareImport(pipeline, {
    clock,
    signal,
    formats,
    near: placeOfHolding(pipeline, { state, account: connection?.account }),
    findNear: connection && (() => placeInService(pipeline, connection.client, signal)),
    sleep: (ms) => sleep(ms, signal),
    onWait: (sentence) => void surroundings.terminal.err.write(`${plain(sentence)}\n`),
  }).catch(async (cause: unknown) => {
    if (cause instanceof WindrowError && !flag(input, 'dry-run') && !signal.aborted)
      await reportUnread(pipeline, cause, { state, connection, clock })
    throw cause
  })
  try {
    const options = {
      state,
      connection,
      confirmWithinMs: confirmWithin(input),
      takeOver: flag(input, 'take-over'),
      show,
    }
    return await runAndReport(prepared, options, input, surroundings)
  } finally {
    await prepared.close()
  }
}

/** With several pipelines, one that cannot be run is reported and does not stop the others. */
function unlessAlone(path: string, input: Input, { terminal }: Surroundings): (cause: unknown) => number {
  return (cause) => {
    if (!(cause instanceof WindrowError) || (input.words['pipeline'] ?? []).length < 2) throw cause
    const { code, message, hint, exit } = naming(basename(path), cause)
    if (flag(input, 'json')) say(terminal, JSON.stringify({ error: { code, message, hint }, exit }))
    else terminal.err.write(`${plain(`windrow: ${message}`)}\n${hint === undefined ? '' : `${plain(hint)}\n`}`)
    return exit
  }
}

/** A dry run needs no service: without one it compares with the ledger. */
export function unlessDry(input: Input): (cause: unknown) => undefined {
  return (cause) => {
    if (flag(input, 'dry-run') && cause instanceof WindrowError && cause.code === 'connection-missing') return undefined
    throw cause
  }
}

/** How long to wait for accepted records to appear in the service. */
export function confirmWithin(input: Input): number {
  return (wholeNumber(input, 'confirm-within', { from: 0, to: 3600 }) ?? 10) * 1000
}
