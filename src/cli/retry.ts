/** Runs `windrow retry`: sends the corrected rows of a run's file of rejected rows. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { readRuns, type RunFolder } from '../pipeline/report/run-folder.ts'
import { retryPipeline } from '../pipeline/retry.ts'
import { text, usualOptions, word, type Call, type CommandSpec } from './options/command.ts'
import { findRun, runWord, type FoundRun } from './running/find-run.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { importOptions, openImport, runAndReport, unlessDry } from './running/import-report.ts'
import { noteRun } from './running/note-run.ts'
import { reach, storeOf } from './options/reach.ts'
import { repairOf } from './options/reading.ts'

export const retry: CommandSpec = {
  words: { run: `${runWord} for the newest with rejected rows; or the corrected file` },
  options: {
    '--run <RUN>': 'the run that a corrected file elsewhere belongs to',
    '--repair <SHARE>':
      'how much of its area the repair of a boundary may change, such as "15 %" (default: as in the run)',
    '--layer <NAME>': 'the layer or sheet of the corrected file, if it has several',
    ...importOptions,
    ...formatModuleOption,
    ...usualOptions,
  },
  examples: [
    'windrow retry last',
    'windrow retry "Desktop/rejected corrected.xlsx" --run 2026-11-20-1412-onboard-paddocks',
  ],
  async run(call) {
    const { run, file } = whatToRetry(call)
    const place = { state: run.state, store: storeOf(call) }
    const { pipeline: kept, retries } = retryPipeline(run, file)
    const { geometry } = kept
    const repairUpTo = text(call, 'repair') === undefined ? geometry.repairUpTo : repairOf(call)
    const from = { ...kept.from, layer: text(call, 'layer') }
    const pipeline = { ...kept, from, geometry: { ...geometry, repairUpTo } }
    const formats = await knownFormats(call)
    const connection = await reach(call, { path: pipeline.path, connection: pipeline.connection }).catch(
      unlessDry(call),
    )
    if (connection !== undefined && connection.client.account !== run.account)
      throw new WindrowError('run-unusable', `The run "${run.id}" was sent to another service or account.`, {
        hint: 'Name its connection with --connection NAME.',
      })
    await using prepared = await openImport(pipeline, { place, connection }, { formats }, call)
    return await noteRun({ what: 'retry', pipeline }, call, (onReport) =>
      runAndReport(prepared, { ...place, connection, retries, onReport }, call),
    )
  },
}

/** A run with its file of rejected rows, or a file with the run that its folder or --run names. */
function whatToRetry(call: Call) {
  const given = word(call, 'run')
  const path = resolve(call.folder, given)
  const named = text(call, 'run')
  const find = (run: string): FoundRun =>
    findRun(
      run,
      call,
      'with rejected rows',
      (each) => !each.isDryRun && each.isComplete && rejectedOf(each) !== undefined,
    )
  if (named !== undefined) return { run: find(named), file: path }
  if (existsSync(path)) return { run: runAround(path), file: path }
  const run = find(given)
  const file = run.isDryRun ? undefined : rejectedOf(run)
  if (file === undefined)
    throw new WindrowError('run-unusable', `The run "${run.id}" has no rejected rows to retry.`, {
      hint: 'windrow runs lists the runs and how many of their rows were rejected.',
    })
  return { run, file }
}

/** The newest file of rejected rows in a run's folder: a spreadsheet program may have saved it as another kind. */
function rejectedOf({ folder }: RunFolder): string | undefined {
  const files = readdirSync(folder).filter((name) => /^rejected(?:-2)?\.[^.]+$/.test(name))
  const written = (path: string): number => statSync(path).mtimeMs
  return files.map((name) => join(folder, name)).sort((one, other) => written(other) - written(one))[0]
}

/** The run in whose folder the file lies. */
function runAround(path: string): FoundRun {
  const folder = dirname(path)
  const state = dirname(dirname(folder))
  const found = readRuns(state).runs.find(({ id }) => id === basename(folder))
  if (found !== undefined && basename(dirname(folder)) === 'runs') return { ...found, state }
  throw new WindrowError('run-unknown', `"${basename(path)}" is not in the folder of a run.`, {
    hint: 'Name the run that its rows were rejected in: --run RUN. windrow runs lists them.',
  })
}
