/** Divides the rows of an export into groups by the values of a column, or by day, month or year; each gets a sheet. */

import { WindrowError } from '../../core/error.ts'
import { rowsPerBatch, type Column, type Values } from '../../core/row.ts'
import { inNumbers } from '../../core/values/counting-order.ts'
import { columnCalled, type Flattener } from '../../resources/table-plan.ts'
import { noColumn, textOf } from './choose-columns.ts'
import type { ExportJob } from './export-job.ts'
import type { Fetched } from './fetch-records.ts'
import type { Spool } from './record-spool.ts'

/** A group: its name, its records by their place in the spool, and the test for its rows. */
export type RowGroup = Awaited<ReturnType<typeof rowGroups>>[number]

/** More sheets than this nobody finds a way through. */
const mostGroups = 250

/** Refuses what only a workbook or a diary can show. */
export function checkLayout({ type, layout, format, groupBy, units }: Omit<ExportJob, 'only'>): void {
  const isWork = type.plural === 'work-records'
  if (units.rate !== undefined && !(isWork && layout === 'diary'))
    throw new WindrowError('option-invalid', 'Only the diary of work records has rates with a unit of their own.', {
      hint: 'Write work records with  to.layout: diary  or leave out units.rate.',
    })
  if (groupBy === undefined) return
  if (format.isWorkbook !== true)
    throw new WindrowError('option-invalid', 'Groups are sheets of a workbook; this format has one table.', {
      hint: `Write an .xlsx file, or set  to.sort: ${groupBy}  which puts records of a group one after the other.`,
    })
  if (isWork && layout !== 'diary')
    throw new WindrowError('option-invalid', 'Of work records, only the diary can be grouped.', {
      hint: 'Leave out to.layout or to.groupBy.',
    })
}

/** The groups in the order of their names, the one without a value last. `see` gets each record with the group of each of its rows. */
export async function rowGroups(
  { spool, flat, order }: { spool: Spool<Fetched>; flat: Flattener; order: Uint32Array | undefined },
  groupBy: string,
  see: (body: object, groups: readonly string[]) => void,
) {
  const { nameOf, without } = grouping(flat.tables()[0]!.columns, groupBy)
  const found = new Map<string, number[]>()
  let nth = 0
  for await (const batch of spool.batches(rowsPerBatch, order))
    for (const { body } of batch) {
      const groups = flat.rows(body)[0]!.map(nameOf)
      for (const group of new Set(groups)) {
        const records = found.get(group) ?? []
        records.push(order?.[nth] ?? nth)
        found.set(group, records)
      }
      nth += 1
      see(body, groups)
    }
  if (found.size > mostGroups)
    throw new WindrowError('option-invalid', `Grouped by ${groupBy}, there would be ${found.size} sheets.`, {
      hint: `A workbook gets ${mostGroups} at most. Choose another column, or fewer records.`,
    })
  return [...found]
    .toSorted(([one], [other]) => Number(one === without) - Number(other === without) || inNumbers(one, other))
    .map(([name, records]) => ({ name, records, has: (values: Values) => nameOf(values) === name }))
}

/** How much of a date is the same in a group. */
const periods: Readonly<Record<string, number>> = { day: 10, month: 7, year: 4 }

/** The columns that a word means where none is called so. */
const meant: Readonly<Record<string, readonly string[]>> = {
  holding: ['Farm', 'Holding name'],
  farm: ['Holding name'],
  plot: ['Paddock', 'Plot name'],
  paddock: ['Plot name'],
  crop: ['Crop 1 name'],
}

/** The names that the column to group by may have, the likeliest first. */
export function groupColumns(groupBy: string): readonly string[] {
  return [groupBy.trim(), ...(meant[groupBy.trim().toLowerCase()] ?? [])]
}

/** Names the group of a row. Throws if there is no such column. */
export function grouping(columns: readonly Column[], groupBy: string) {
  const word = groupBy.trim().toLowerCase()
  const called = groupColumns(groupBy).flatMap((each) => columnCalled(columns, each) ?? [])[0]
  const length = called === undefined ? periods[word] : undefined
  const column = called ?? (length && columns.find(({ type }) => type === 'date' || type === 'date-time'))
  if (!column) throw noColumn(groupBy, [{ columns }])
  const without = `No ${(called?.name ?? word).toLowerCase()}`
  const nameOf = (values: Values): string => {
    const value = values[column.name]
    // The same mix in other shares is the same product.
    const text = value === undefined || value === null ? '' : textOf(value).replaceAll(/ [\d.]+\u00a0%/g, '')
    return text === '' ? without : text.slice(0, length)
  }
  return { nameOf, without, column: column.name }
}
