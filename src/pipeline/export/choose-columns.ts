/** Chooses, renames and orders the columns of an export, and sorts its records by one of them. */

import { WindrowError } from '../../core/error.ts'
import { isBlank, rowsPerBatch, type Column, type Value } from '../../core/row.ts'
import { inNumbers } from '../../core/values/counting-order.ts'
import { nearest } from '../../core/values/nearest.ts'
import type { OutRow, OutTable } from '../../formats/format.ts'
import { lookOfMoments } from '../../resources/diary.ts'
import { columnCalled, type Flattener } from '../../resources/table-plan.ts'
import type { Fetched } from './fetch-records.ts'
import type { Spool } from './record-spool.ts'

/** Columns as a person writes them, "Name" or "Name=Paddock" for a new heading, and the column to sort by, "Area" or "Area desc". */
export type ColumnChoice = {
  readonly columns?: readonly string[] | undefined
  readonly sort?: string | undefined
}

/** The word for the geometry among the columns of a format that writes it as text. */
const boundary = 'boundary'

/** The tables with the chosen columns in their order. A table with none of them is left out. Throws if a column is in no table. */
export function chosenTables(tables: readonly OutTable[], { columns: written }: ColumnChoice): readonly OutTable[] {
  if (written === undefined) return tables
  const choices = written.map(readChoice)
  const used = new Set<string>()
  const chosen = tables.flatMap((table): OutTable[] => {
    const picked = choices.flatMap(({ wanted, title }) => {
      const column = columnCalled(table.columns, wanted)
      if (column === undefined) return []
      used.add(wanted)
      return [{ from: column.name, to: { ...column, name: title ?? column.name } }]
    })
    if (picked.length === 0) return []
    const twice = picked.find(({ to }, index) => picked.findIndex((each) => each.to.name === to.name) !== index)
    if (twice !== undefined)
      throw new WindrowError('option-invalid', `Two of the chosen columns are called "${twice.to.name}".`, {
        hint: 'Name each column once, and give it a heading of its own:  to.columns: [Name, Plot name=Paddock]',
      })
    const frozen = table.frozen === undefined ? {} : { frozen: 1 }
    const hasDay = picked.some(({ to }) => to.type === 'date')
    const columns = picked.map(({ to }) => (hasDay ? to : withDay(to)))
    return [{ ...table, ...frozen, columns, rows: () => pickedRows(table, picked) }]
  })
  const missing = choices.find(({ wanted }) => !used.has(wanted) && wanted.toLowerCase() !== boundary)
  if (missing !== undefined) throw noColumn(missing.wanted, tables)
  const names = new Set(chosen.map(({ name }) => name))
  return chosen.map((table) => ({ ...table, columns: table.columns.map((column) => withoutLostLink(column, names)) }))
}

/** The column with the day of its moments: a time of day says nothing without a column of days beside it. */
function withDay(column: Column): Column {
  return column.look?.times === 'of day' ? { ...column, look: { ...column.look, ...lookOfMoments } } : column
}

function withoutLostLink(column: Column, tables: ReadonlySet<string>): Column {
  const { leadsTo, ...look } = column.look ?? {}
  return leadsTo === undefined || tables.has(leadsTo) ? column : { ...column, look }
}

/** Whether the geometry is written as a column of text: unless columns are chosen and it is not among them. */
export function wantsBoundaryText({ columns }: ColumnChoice): boolean {
  return columns === undefined || columns.some((each) => readChoice(each).wanted.toLowerCase() === boundary)
}

function readChoice(written: string): { readonly wanted: string; readonly title: string | undefined } {
  const [wanted = '', ...title] = written.split('=')
  return { wanted: wanted.trim(), title: title.length === 0 ? undefined : title.join('=').trim() }
}

/** The error for a column that is not there, with the nearest and the list. */
export function noColumn(wanted: string, tables: readonly { readonly columns: readonly Column[] }[]): WindrowError {
  const names = [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))]
  const near = nearest(wanted, names)
  const meant = near === undefined ? '' : `Did you mean ${near}? `
  return new WindrowError('option-invalid', `There is no column "${wanted}" in this export.`, {
    hint: `${meant}The columns are: ${names.join(', ')}.`,
  })
}

async function* pickedRows(
  table: OutTable,
  picked: readonly { readonly from: string; readonly to: Column }[],
): AsyncGenerator<readonly OutRow[]> {
  const names = picked.map(({ from, to }) => [from, to.name] as const)
  for await (const batch of table.rows())
    yield batch.map((row) => {
      const values: Record<string, Value> = {}
      const leadsTo: Record<string, number> = {}
      for (const [from, to] of names) {
        values[to] = row.values[from]
        const lead = row.leadsTo?.[from]
        if (lead !== undefined) leadsTo[to] = lead
      }
      return { ...row, values, ...(row.leadsTo === undefined ? {} : { leadsTo }) }
    })
}

/** The names of the columns that are chosen and sorted by. */
export function namedColumns({ columns = [], sort }: ColumnChoice): readonly string[] {
  return [...columns.map((each) => readChoice(each).wanted), ...(sort === undefined ? [] : [sortedBy(sort)])]
}

function sortedBy(sort: string): string {
  return sort.replace(/ (asc|desc)$/i, '').trim()
}

/** The column to sort by, and its table. Throws if no table has it. */
export function columnToSort(tables: ReturnType<Flattener['tables']>, sort: string) {
  const wanted = sortedBy(sort)
  const at = tables.findIndex(({ columns }) => columnCalled(columns, wanted) !== undefined)
  if (at === -1) throw noColumn(wanted, tables)
  return { at, name: columnCalled(tables[at]!.columns, wanted)!.name }
}

/** The order of the records by the column, those without a value last; undefined without one. A record's own rows stay together. */
export async function sortedOrder(spool: Spool<Fetched>, flat: Flattener, { sort }: ColumnChoice) {
  if (sort === undefined || spool.count === 0) return undefined
  const isDown = / desc$/i.test(sort)
  const { at, name } = columnToSort(flat.tables(), sort)
  const keys: Value[] = []
  for await (const batch of spool.batches(rowsPerBatch))
    for (const { body } of batch) keys.push(flat.rows(body)[at]?.[0]?.[name])
  const order = Uint32Array.from(keys.keys())
  return order.sort((one, other) => compare(keys[one], keys[other], isDown) || one - other)
}

function compare(one: Value, other: Value, isDown: boolean): number {
  if (isBlank(one) || isBlank(other)) return Number(isBlank(one)) - Number(isBlank(other))
  const difference =
    typeof one === 'number' && typeof other === 'number' ? one - other : inNumbers(textOf(one), textOf(other))
  return isDown ? -difference : difference
}

export function textOf(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
