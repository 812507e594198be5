/**
 * Writes the rows that need a person's attention to a file: as they were, in the source's format and coordinate system, with
 * problem and hint in two columns at the end.
 */

import { join } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { fileTarget } from '../../core/sources/target.ts'
import type { Column, Table } from '../../core/row.ts'
import { optionsAmong, type Format, type FormatOptions, type OutTable } from '../../formats/format.ts'
import type { Stage } from '../stage/stage-store.ts'

type Reason = { readonly problem: string; readonly hint: string }

/**
 * The table whose rows may be rejected, and the formats for these: the source's own, one for boundaries if that cannot be written, and
 * one that takes any row.
 */
export type Rejects = {
  readonly table: Table
  readonly own: Format
  readonly ofMaps: Format | undefined
  readonly fallback: Format
}

/** Writes the rejected and refused rows to `rejected.<ext>` in the run's folder, or beside it where a program has that open. Returns its path, or undefined without any. */
export async function writeRejects(
  stage: Stage,
  { table, own, ofMaps, fallback }: Rejects,
): Promise<string | undefined> {
  const reasons = reasonsByRow(stage)
  if (reasons.size === 0) return undefined
  const columns = table.columns ?? (await columnsOf(table, reasons))
  const rejected = rejectedTable(table, columns, reasons)
  // Boundaries that were made from cells are in the row anyway.
  const hasOwnShapes =
    table.hasGeometry && !table.choices.some(({ setting }) => setting === 'from.geometry' || setting === 'from.x')
  const format = own.write === undefined && hasOwnShapes ? ofMaps : own
  let name = 'rejected'
  if (format?.write !== undefined) {
    try {
      return await writeAs(format, format === own ? rejected : withCrsName(rejected), join(stage.folder, name), table)
    } catch (cause) {
      // One value that a format cannot store, such as a long name, must not cost the person all rows.
      if (!(cause instanceof WindrowError)) throw cause
      // A person may look in Excel at the file that the plan left.
      if (cause.code === 'target-busy') name = 'rejected-2'
    }
  }
  return writeAs(fallback, { ...rejected, hasGeometry: false }, join(stage.folder, name), table)
}

/** The table with its coordinate system by name, as GeoJSON before RFC 7946 allowed. */
function withCrsName(rejected: OutTable): OutTable {
  const { crs } = rejected
  return crs?.from === 'table' ? { ...rejected, crs: { from: 'crs member', text: crs.text } } : rejected
}

async function writeAs(format: Format, rejected: OutTable, stem: string, table: Table): Promise<string> {
  const extension = (format.writtenAs ?? format.extensions)[0]!.replace(/^\./, '')
  const target = await fileTarget(`${stem}.${extension}`, { private: true })
  try {
    await format.write!([rejected], target, writtenAs(table, format))
    return (await target.commit()).path
  } catch (cause) {
    await target.abandon()
    throw cause
  }
}

/** The reader's options that the writer shares, so that the same program can open the rejects. */
function writtenAs(table: Table, format: Format): FormatOptions {
  const known = format.options.properties
  const { delimiter } = optionsAmong(table.choices)
  return {
    ...(delimiter !== undefined && 'delimiter' in known ? { delimiter } : {}),
    // A reason may be longer than a cell of a shapefile.
    ...('cut' in known ? { cut: true } : {}),
  }
}

function reasonsByRow(stage: Stage): Map<number, Reason> {
  stage.change('CREATE INDEX IF NOT EXISTS problems_by_row ON problems (row)')
  const rows = stage.query<{ row: number; problems: string | null }>(
    `SELECT rows.row, (SELECT json_group_array(json(detail)) FROM problems
       WHERE problems.row = rows.row AND problems.layer IS rows.layer AND problems.severity = 'error') AS problems
     FROM rows LEFT JOIN receipts ON receipts.record = rows.record
     WHERE rows.outcome = 'rejected' OR receipts.state = 'refused'`,
  )
  return new Map(
    rows.map(({ row, problems }) => {
      const found = JSON.parse(problems ?? '[]') as readonly { readonly message: string; readonly hint?: string }[]
      const hint = found.flatMap((each) => each.hint ?? []).join(' ')
      return [row, { problem: found.map(({ message }) => message).join(' '), hint }]
    }),
  )
}

/** The columns of the rejected rows, for formats without a list of columns. */
async function columnsOf(table: Table, reasons: ReadonlyMap<number, Reason>): Promise<readonly Column[]> {
  // A placemark without a name would get the first other text as its name, which is the problem.
  const names = new Set(table.format === 'kml' ? ['name'] : [])
  for await (const batch of table.batches())
    for (const row of batch) if (reasons.has(row.at.row)) for (const name of Object.keys(row.values)) names.add(name)
  return [...names].map((name) => ({ name }))
}

function rejectedTable(table: Table, columns: readonly Column[], reasons: ReadonlyMap<number, Reason>): OutTable {
  const names = columnNames(columns)
  return {
    name: 'rejected',
    columns: [...columns, { name: names.problem, type: 'text' }, { name: names.hint, type: 'text' }],
    hasGeometry: table.hasGeometry,
    crs: table.crs,
    async *rows() {
      for await (const batch of table.batches()) {
        const rejected = batch.flatMap((row) => {
          const reason = reasons.get(row.at.row)
          if (reason === undefined) return []
          const { problems: _, ...rest } = row
          return [{ ...rest, values: { ...row.values, [names.problem]: reason.problem, [names.hint]: reason.hint } }]
        })
        if (rejected.length > 0) yield rejected
      }
    },
  }
}

function columnNames(columns: readonly Column[]) {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  const free = (name: string): string => (taken.has(name) ? `${name}_2` : name)
  return { problem: free('problem'), hint: free('hint') }
}
