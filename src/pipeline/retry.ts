/** Finds and sends the corrected rows of a run: every decision is as in that run, and only the file is another. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import type { Row, Table, Value } from '../core/row.ts'
import { rearmed } from '../core/values/formula-text.ts'
import { quoted } from '../core/shell-word.ts'
import { formats } from '../formats/index.ts'
import { recordsRenumbered } from '../rules/identity.ts'
import { meaningOf } from './definition/amounts.ts'
import type { ImportFile } from './definition/definition-schema.ts'
import type { ImportPipeline } from './definition/definition.ts'
import { runImport } from './import-run.ts'
import { prepareNear } from './prepare/holding-place.ts'
import type { AroundJob, OpenedJob } from './report/course.ts'
import { allRuns, findRun, refuseDeleted, type FoundRun } from './report/find-run.ts'
import { readKeptPipeline, readRuns, reportOf, type KeptRun, type RunFolder } from './report/run-folder.ts'

// How the file of rejected rows is written is another matter than in the file they come from, but not which columns have what.
const ofContent: ReadonlySet<string> = new Set(['geometry', 'x', 'y', 'decimal'])

/** Opens a file of corrected rows. `settings` may have the layer of the file and the repair of boundaries. */
export async function openRetry(
  { run, file }: ToRetry,
  { from: { layer } = {}, geometry: { repair } = {}, ...others }: Partial<ImportFile>,
  around: AroundJob,
): Promise<OpenedJob> {
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new WindrowError('option-invalid', `A retry keeps the choices of its run: ${other} cannot be set.`)
  const { pipeline: kept, retries, read } = retryPipeline(run, file)
  const repairUpTo = meaningOf('/geometry/repair', repair) ?? kept.geometry.repairUpTo
  const pipeline = { ...kept, from: { ...kept.from, layer }, geometry: { ...kept.geometry, repairUpTo } }
  const place = { state: run.state, store: around.store }
  const connection = await around.connect(pipeline)
  if (connection !== undefined && connection.client.account !== run.account)
    throw new WindrowError('run-unusable', `The run "${run.id}" was sent to another service or account.`, {
      hint: 'Name its connection with --connection NAME.',
    })
  const { folder, formats, clock, sleep, signal } = around
  const preparation = { folder, formats, clock, sleep, signal, read, decides: true }
  const prepared = await prepareNear(pipeline, { place, connection }, preparation)
  const options = { ...place, connection, retries }
  return { prepared, options, begin: runImport, [Symbol.asyncDispose]: prepared[Symbol.asyncDispose] }
}

type States = readonly string[]
type ToRetry = { readonly run: FoundRun; readonly file: string }

/** A run with its file of rejected rows, or a file with the run that its folder or `named` names. */
export function whatToRetry(
  given: string,
  { named, folder, states }: { readonly named: string | undefined; readonly folder: string; readonly states: States },
): ToRetry {
  const path = resolve(folder, given)
  const find = (run: string): FoundRun => findRun(run, states, 'with rejected rows', canRetry)
  if (named !== undefined) return { run: find(named), file: path }
  const isThere = existsSync(path)
  const around = runAround(path)
  if (isThere && around === undefined) throw noRunAround(states, given)
  if (isThere && around !== undefined && around.folder !== path) return { run: around, file: path }
  const run = around ?? find(given)
  return { run, file: rejectedRows(run) }
}

/** Whether a run is one that "last" means: it has rejected rows. */
export function canRetry(run: KeptRun): boolean {
  return !run.isDryRun && run.isComplete && rejectedOf(run) !== undefined
}

/** The file of rejected rows of a run. Throws if it has none. */
export function rejectedRows(run: KeptRun): string {
  const file = run.isDryRun ? undefined : rejectedOf(run)
  if (file !== undefined) return file
  throw new WindrowError('run-unusable', `The run "${run.id}" has no rejected rows to retry.`, {
    hint: 'windrow runs lists the runs and how many of their rows were rejected.',
  })
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

function noRunAround(states: States, given: string): WindrowError {
  const newest = allRuns(states).findLast(canRetry)
  const command = `windrow retry ${quoted(given)} --run ${newest?.id ?? 'RUN'}`
  return new WindrowError('run-unknown', `"${basename(given)}" is not in the folder of a run.`, {
    hint: `Name the run that its rows were rejected in, as windrow runs lists it:  ${command}`,
  })
}

/**
 * The pipeline for a file of corrected rows of this run, the run whose books they close, and how the file's table is read. Throws
 * 'run-unusable' if the run kept too little.
 */
function retryPipeline(run: KeptRun, file: string) {
  if (run.isDryRun || (!run.isComplete && run.retries === undefined))
    throw new WindrowError(
      'run-unusable',
      run.isDryRun
        ? `The run "${run.id}" was a dry run: it sent nothing.`
        : `The run "${run.id}" was stopped before sending.`,
      { hint: 'Correct the file and import it again.' },
    )
  const kept = readKeptPipeline(run)
  if (kept === undefined)
    throw new WindrowError('run-unusable', `The run "${run.id}" cannot be retried: only its report is left.`, {
      hint: 'Import the corrected file with windrow import or windrow run.',
    })
  const { files } = reportOf(run) ?? {}
  const options = Object.entries(kept.from.options).filter(([option]) => ofContent.has(option))
  const pipeline: ImportPipeline = {
    ...kept,
    from: {
      ...kept.from,
      file,
      layer: undefined,
      format: undefined,
      settledMs: 0,
      options: Object.fromEntries(options),
    },
    // The file has two columns more, with problem and hint.
    columns: { expect: undefined, new: 'ignore', missing: 'stop' },
    gone: 'keep',
    // A few rows are no sign of how the whole file is read, nor the next file of the pipeline.
    rules: {
      ...kept.rules,
      // The known records of other rows are not in the file.
      [recordsRenumbered.id]: { verdict: 'warn' },
      rejected: { verdict: 'allow' },
      'area-unit': { verdict: 'warn' },
      'filter-empty': { verdict: 'warn' },
      'other-reading': { verdict: 'warn' },
      'file-older': { verdict: 'allow' },
      'file-cut': { verdict: 'allow' },
      'other-encoding': { verdict: 'warn' },
    },
  }
  // People also correct a CSV file in a spreadsheet program, and save it as a workbook.
  const wasCsv = files?.['rejected']?.endsWith('.csv') === true
  return { pipeline, retries: run.retries ?? run.id, read: wasCsv ? rearmedTable : undefined }
}

/** A table as it was before its rows were written to a CSV file. */
function rearmedTable(table: Table): Table {
  const rearmedRow = (row: Row): Row => {
    const cells = Object.entries(row.values).map(([name, value]): [string, Value] => [
      rearmed(name),
      typeof value === 'string' ? rearmed(value) : value,
    ])
    return { ...row, values: Object.fromEntries(cells) }
  }
  return {
    ...table,
    ...(table.columns && { columns: table.columns.map((each) => ({ ...each, name: rearmed(each.name) })) }),
    async *batches(signal) {
      for await (const batch of table.batches(signal)) yield batch.map(rearmedRow)
    },
    found: () => table.found(),
  }
}
