/** Runs `windrow retry`: sends the corrected rows of a run's file of rejected rows. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { quoted } from '../core/setting-text.ts'
import { formats } from '../formats/index.ts'
import { meaningOf } from '../pipeline/definition/amounts.ts'
import type { ImportFile } from '../pipeline/definition/definition-schema.ts'
import { readRuns, reportOf, type RunFolder } from '../pipeline/report/run-folder.ts'
import { retryPipeline } from '../pipeline/retry.ts'
import { text, usualOptions, word, type Call, type CommandSpec } from './options/command.ts'
import { allRuns, findRun, refuseDeleted, runWord, type FoundRun } from './running/find-run.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { importOptions, openImport, runAndReport, unlessDry } from './running/import-report.ts'
import { reach, statesOf, storeOf } from './options/reach.ts'
import { settingsOf } from './options/settings.ts'

export const retry: CommandSpec = {
  words: { run: `${runWord} for the newest with rejected rows; or the corrected file` },
  options: {
    '--run <RUN>': 'the run that a corrected file elsewhere belongs to',
    '--set <KEY=VALUE>': {
      description:
        'only "geometry.repair=15 %": how much of its area the repair of a boundary may change (default: as in the run)',
      many: true,
    },
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
    const { pipeline: kept, retries, read } = retryPipeline(run, file)
    const {
      from: { layer } = {},
      geometry: { repair } = {},
      ...others
    } = (await settingsOf(call, 'import')) as Partial<ImportFile>
    const [other] = Object.keys(others)
    if (other !== undefined)
      throw new WindrowError('option-invalid', `A retry keeps the choices of its run: ${other} cannot be set.`)
    const { repairUpTo } = kept.geometry
    const geometry = { ...kept.geometry, repairUpTo: meaningOf('/geometry/repair', repair) ?? repairUpTo }
    const pipeline = { ...kept, from: { ...kept.from, layer }, geometry }
    const formats = await knownFormats(call)
    const connection = await reach(call, pipeline).catch(unlessDry(call))
    if (connection !== undefined && connection.client.account !== run.account)
      throw new WindrowError('run-unusable', `The run "${run.id}" was sent to another service or account.`, {
        hint: 'Name its connection with --connection NAME.',
      })
    await using prepared = await openImport(pipeline, { place, connection }, { formats, read }, call)
    return await runAndReport(prepared, { ...place, connection, retries }, call)
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
  const isThere = existsSync(path)
  const around = runAround(path)
  if (isThere && around === undefined) throw noRunAround(call, given)
  if (isThere && around !== undefined && around.folder !== path) return { run: around, file: path }
  const run = around ?? find(given)
  const file = run.isDryRun ? undefined : rejectedOf(run)
  if (file === undefined)
    throw new WindrowError('run-unusable', `The run "${run.id}" has no rejected rows to retry.`, {
      hint: 'windrow runs lists the runs and how many of their rows were rejected.',
    })
  return { run, file }
}

/** The newest file of rejected rows in a run's folder: a person may have unpacked it, or saved it as another kind. */
function rejectedOf(run: RunFolder): string | undefined {
  const { folder } = run
  // A format from outside has an ending of its own.
  const own = extname(reportOf(run)?.files['rejected'] ?? '')
  const endings = new Set([own, ...formats.flatMap(({ extensions }) => extensions)])
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^rejected(?:-2)?\.[^.]+$/.test(basename(path)) && endings.has(extname(path)))
    .map((path) => join(folder, path))
  const written = (path: string): number => statSync(path).mtimeMs
  const newest = files.sort((one, other) => written(other) - written(one))[0]
  // Of a shapefile, programs write only the files that change.
  const shapes = newest?.replace(/\.(?:dbf|shx)$/, '.shp')
  return shapes !== undefined && files.includes(shapes) ? shapes : newest
}

/** The run in whose folder the file lies, or a folder in that. */
function runAround(path: string): FoundRun | undefined {
  const folder = dirname(path)
  const state = dirname(folder)
  const found = basename(folder) === 'runs' ? readRuns(state).runs.find(({ id }) => id === basename(path)) : undefined
  if (found !== undefined) return { ...found, state }
  if (basename(folder) === 'runs') refuseDeleted(basename(path), [state])
  return folder === path ? undefined : runAround(folder)
}

function noRunAround(call: Call, given: string): WindrowError {
  const newest = allRuns(statesOf(call)).findLast((run) => !run.isDryRun && run.isComplete && rejectedOf(run))
  const command = `windrow retry ${quoted(given)} --run ${newest?.id ?? 'RUN'}`
  return new WindrowError('run-unknown', `"${basename(given)}" is not in the folder of a run.`, {
    hint: `Name the run that its rows were rejected in, as windrow runs lists it:  ${command}`,
  })
}
