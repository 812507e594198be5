/** Writes down where an export comes from: the sheet "About" of a workbook, and the heading of its printed pages. */

import { rowsPerBatch, type Row, type Values } from '../../core/row.ts'
import { version } from '../../core/version.ts'
import type { OutTable } from '../../formats/format.ts'
import { companionMarks } from '../../formats/spreadsheet/spreadsheet-sheet.ts'
import { zoneClock } from '../../resources/date-time.ts'
import { titleOfType } from '../../resources/table-plan.ts'
import { titleOf } from '../../resources/titles.ts'
import type { ExportJob } from './export-job.ts'

/** What was asked for, and of which service; records that came another way have no filters. */
export type Origin = {
  readonly job: Omit<ExportJob, 'only'> & { readonly only?: ExportJob['only'] }
  readonly service?: string
  readonly account?: string
  readonly now: Date
  /** The name of the farm of a plot or land cover. */
  readonly farmOf?: (body: object) => string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The sheet; `isShort`: some columns are not printed. */
export function aboutTable(origin: Origin, counts: Readonly<Record<string, number>>, isShort: boolean): OutTable {
  const { job, service, account, now } = origin
  const [name, value] = [companionMarks.about, 'Value']
  const isDiary = job.layout === 'diary' && job.type.plural === 'work-records'
  const areas = `The worked area of a job is only in the first of its rows${job.groupBy === undefined ? '' : ' on a sheet'}, so that a sum is right. In Totals, a job counts in full for each of its products and paddocks.`
  const lines: readonly (readonly [string, string | number | undefined])[] = [
    ['Records', titleOfType(job.type)],
    ['Written on', zoneClock(job.zone)(now.toISOString())?.slice(0, 16).replace('T', ' ')],
    ['Written by', `windrow ${version()}`],
    ['Service', service],
    ['Account', account],
    ['Days and times in', job.zone],
    ['Period', periodOf(job.only)],
    ...filtersOf(job.only),
    ['Only', job.onlyChanged === true ? 'what changed or was deleted since the last export' : undefined],
    ...Object.entries(counts),
    ['A sheet for each', job.groupBy],
    ['Areas', isDiary ? areas : undefined],
    ['Printed', isShort ? 'The ids in the last columns are on the sheet, but not on paper.' : undefined],
  ]
  return {
    name: 'About',
    columns: [
      { name, type: 'text', look: { width: 26 } },
      { name: value, type: 'text', look: { width: 70, wraps: true } },
    ],
    hasGeometry: false,
    rows: () =>
      rowsOf(lines.flatMap(([title, said]) => (said === undefined ? [] : [{ [name]: title, [value]: said }]))),
  }
}

/** Rows of values that are made at once, in batches: a year of work has many totals. */
export async function* rowsOf(values: readonly Values[]): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < values.length; from += rowsPerBatch)
    yield values
      .slice(from, from + rowsPerBatch)
      .map((each, index) => ({ at: { source: 'windrow', row: from + index }, values: each }))
}

/** What is printed above every page: the records, farm, period and zone. */
export function headingOf({ job }: Origin): string {
  const { only = {} } = job
  const parts = [titleOfType(job.type), only.holding, periodOf(only), job.zone]
  return parts.filter((part) => part !== undefined).join('  ·  ')
}

function periodOf({ from, until }: Partial<ExportJob['only']> = {}): string | undefined {
  if (from === undefined && until === undefined) return undefined
  if (from === until) return from
  return from === undefined ? `until ${until}` : until === undefined ? `from ${from}` : `${from} to ${until}`
}

function filtersOf(only: Partial<ExportJob['only']> = {}): readonly (readonly [string, string])[] {
  const { from: _from, until: _until, ...filters } = only
  return Object.entries(filters).flatMap(([name, value]): [string, string][] => {
    const text = value === true ? 'yes' : [value ?? []].flat().join(', ')
    return text === '' ? [] : [[`Only: ${titleOf(name).toLowerCase()}`, text]]
  })
}
