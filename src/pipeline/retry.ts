/** Makes the pipeline that sends the corrected rows of a run: every decision as in that run, and only the file is another. */

import { optionsAmong } from '../formats/format.ts'
import { WindrowError } from '../core/error.ts'
import type { Row, Table, Value } from '../core/row.ts'
import { rearmed } from '../core/values/formula-text.ts'
import { recordsRenumbered } from '../rules/identity.ts'
import type { ImportPipeline } from './definition/definition.ts'
import { readKeptPipeline, reportOf, type KeptRun } from './report/run-folder.ts'

// How the file of rejected rows is written is another matter than in the file they come from, but not which columns have what.
const ofContent: ReadonlySet<string> = new Set(['geometry', 'x', 'y', 'decimal'])

/**
 * The pipeline for a file of corrected rows of this run, the run whose books they close, and how the file's table is read. Throws
 * 'run-unusable' if the run kept too little.
 */
export function retryPipeline(run: KeptRun, file: string) {
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
  const { source, files } = reportOf(run) ?? {}
  const decided = optionsAmong(source?.choices ?? [])
  const options = Object.entries({ ...decided, ...kept.from.options }).filter(([option]) => ofContent.has(option))
  const crs = kept.from.crs?.toLowerCase() === 'auto' ? source?.crs?.code || 'auto' : kept.from.crs
  const pipeline: ImportPipeline = {
    ...kept,
    from: {
      ...kept.from,
      file,
      layer: undefined,
      format: undefined,
      crs,
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
