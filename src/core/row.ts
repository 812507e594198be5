/** Hides what flows from a reader to the rest: places, values, rows, columns, tables. */

import type { Problem } from './problem.ts'
import type { Shape } from './shape.ts'

/** Where something stands, numbered as the person's own program numbers it. */
export type Place = { readonly source: string; readonly layer?: string; readonly row: number }

/** What a cell may hold. Text stays text until a mapped field wants a type. */
export type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [key: string]: Value }

/** One row's cells by column name. An absent name is an absent column; null and '' are blank cells. */
export type Values = { readonly [column: string]: Value }

/**
 * One row. `shape` is undefined where the table has no geometry and null where this row has none;
 * `problems` is what the reader already knows to be wrong with it. `part` tells, from 1, which part of a boundary this row is where
 * each is to be a record.
 */
export type Row = {
  readonly at: Place
  readonly values: Values
  readonly shape?: Shape | null
  readonly problems?: readonly Problem[]
  readonly part?: number
}

export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'json'

/**
 * `width` and `decimals` are the source's own declaration (DBF), kept so that rejects go back the way they came; `zone` is the
 * time zone of all its times, which its name says too.
 */
export type Column = {
  readonly name: string
  readonly type?: ColumnType
  readonly zone?: string
  readonly width?: number
  readonly decimals?: number
}

/** What a file says about its coordinate system, not yet understood; `described` says the same at length, for a code that is not known. */
export type CrsClue = {
  readonly from: '.prj' | '.qpj' | 'crs member' | 'format' | 'option' | 'table' | 'columns'
  readonly text: string
  readonly described?: string
}

/** Something a reader settled for the whole table: the option that would enforce it, and why. */
export type Decision = {
  readonly option: string
  readonly value: string | number | boolean
  readonly evidence: string
  readonly runnerUp?: string
}

/** What a column of a whole table turned out to hold: what a reader needs to hold its decisions against all rows. */
export type ColumnContent = {
  readonly name: string
  readonly filled: number
  readonly texts: number
  readonly examples: readonly string[]
  readonly numberFit: { readonly point: number; readonly comma: number; readonly either: number; readonly both: number }
}

/**
 * What all rows say of the decisions made on the first of them: the decisions with their counts, and `better`, the table as the
 * whole file wants it read, where they do not hold.
 */
export type Review = { readonly decisions: readonly Decision[]; readonly better?: Table }

/**
 * Rows that nothing is wrong with, without a text for each cell: those who only count cells need few of them. The cell of a column
 * stands in `units`, the code units of UTF-16, between the two numbers of `bounds` from `(row * width + places[column]) * 2` on;
 * of a column that holds no text the cells are in `values`. Columns are those of the table; without `shapes` it has none. All of
 * it is good until the next rows are asked for.
 */
export type TextRows = {
  readonly count: number
  readonly width: number
  readonly places: readonly number[]
  readonly units: Uint16Array
  readonly bounds: Int32Array
  readonly values?: readonly (readonly Value[] | undefined)[]
  readonly shapes?: readonly (Shape | null)[]
  text(from: number, to: number): string
  place(index: number): Place
  row(index: number): Row
}

/** The rows of a table, from the start. `asText`, asked for instead, gives the same rows in the same order, most of them as text. */
export type Rows = AsyncIterable<readonly Row[]> & {
  readonly asText?: () => AsyncIterable<readonly Row[] | TextRows>
}

/**
 * One table of a file. `batches` may be called more than once, each time from the start; `found` holds what is wrong with
 * the table as a whole and is complete only when `batches` has ended. `withoutPoints` is the same table without the points that were
 * made of two of its columns, for records that take boundaries only. `review` may be asked when `batches` has ended, with what
 * its columns hold.
 */
export type Table = {
  readonly name: string
  readonly format: string
  readonly crs?: CrsClue
  readonly columns?: readonly Column[]
  readonly hasGeometry: boolean
  readonly withoutPoints?: Table
  readonly count?: number
  readonly decisions: readonly Decision[]
  batches(signal?: AbortSignal): Rows
  found(): readonly Problem[]
  readonly review?: (columns: readonly ColumnContent[], signal?: AbortSignal) => Promise<Review>
}

/** How many rows flow together from a reader through the stages. */
export const rowsPerBatch = 100

/** True for a cell with nothing in it. */
export function isBlank(value: Value): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
}

/** Makes the function that shows the cells of a row one by one, in column order; an absent column shows as undefined. */
export function cellsVisitor(
  columns: readonly string[],
): (values: Values, visit: (value: Value, column: number) => void) => void {
  // Compiled for the same reason, and without an array in between, whose every cell the collector would have to note.
  const steps = columns.map((name, index) => {
    const cell = `values[${JSON.stringify(name)}]`
    // What every object inherits is no column.
    const own = name in {} ? `Object.hasOwn(values, ${JSON.stringify(name)}) ? ${cell} : undefined` : cell
    return `visit(${own}, ${index})`
  })
  return new Function('values', 'visit', steps.join('\n')) as ReturnType<typeof cellsVisitor>
}
