/** Defines what flows from a reader to the rest: places, values, rows, columns, tables. */

import type { Place, Problem } from './problem.ts'
import type { Shape } from './shape.ts'
import type { ShapeFacts } from './shape-facts.ts'

export type { Place } from './problem.ts'

/** What a cell may contain. Text stays text until a mapped field needs a type. */
export type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [key: string]: Value }

/** One row's cells by column name. An absent name is an absent column; null and '' are blank cells. */
export type Values = { readonly [column: string]: Value }

/**
 * One row. `shape` is undefined where the table has no geometry and null where this row has none;
 * `problems` are those the reader already found. `part`, from 1, is the part of a boundary that this row is if
 * each part becomes a record; `id` identifies the row's record in formats that store an id apart from the columns.
 */
export type Row = {
  readonly at: Place
  readonly values: Values
  readonly shape?: Shape | null
  readonly problems?: readonly Problem[]
  readonly part?: number
  readonly id?: string
}

export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time' | 'json'

/**
 * How a sheet shows a column: its width in characters (of numbers, the least), the decimals of all its numbers, times of day or days in
 * place of moments, long text on several lines, and the table that its cells lead to. Text of numbers with units (`isMeasured`) has the
 * decimal mark of the file. Last columns that tell records apart (`isId`) are not printed.
 * Formats without looks ignore it.
 */
export type ColumnLook = {
  readonly width?: number
  readonly decimals?: number
  readonly times?: 'of day' | 'to the minute' | 'day only'
  readonly wraps?: true
  readonly leadsTo?: string
  readonly isMeasured?: true
  readonly isId?: true
}

/**
 * `width` and `decimals` are the source's own declaration (DBF), kept so that rejects are written the way they came; `zone` is the
 * time zone of all its times, which is also part of its name or of another column's.
 */
export type Column = {
  readonly name: string
  readonly type?: ColumnType
  readonly zone?: string | undefined
  readonly width?: number
  readonly decimals?: number
  readonly look?: ColumnLook
}

/** A file's statement of its coordinate system, not yet interpreted; `described` is a longer description for an unknown code. */
export type CrsClue = {
  readonly from: '.prj' | '.qpj' | 'crs member' | 'format' | 'option' | 'table' | 'columns'
  readonly text: string
  readonly described?: string | undefined
}

/**
 * A setting of a pipeline as it was decided: its key, such as `from.encoding` or `record.crops.0.name`, its value as a pipeline has it,
 * why, and what else it could be, the likeliest first. `check` is a guess that a person should check; `ask` is what only a person can
 * decide: then `value` is a proposal, and undefined if there is none.
 */
export type Choice = {
  readonly setting: string
  readonly value: Value
  readonly evidence: string
  readonly others: readonly Other[]
  readonly certainty: 'sure' | 'check' | 'ask'
  /** What to ask a person, such as "Which layer?". */
  readonly question?: string
}

/** Another value that a setting could have, and what speaks for it. */
export type Other = { readonly value: Value; readonly evidence: string }

/** A choice that is sure, with the next best value if there is one. */
export function chosen(setting: string, value: Value, evidence: string, nextBest?: Value): Choice {
  const others = nextBest === undefined ? [] : [{ value: nextBest, evidence: '' }]
  return { setting, value, evidence, others, certainty: 'sure' }
}

/** The choice of a person. */
export function chosenByPerson(setting: string, value: Value): Choice {
  return chosen(setting, value, 'Set, not guessed.')
}

/** A choice that only a person can make. */
export function asks(
  setting: string,
  question: string,
  open: Partial<Pick<Choice, 'value' | 'evidence' | 'others'>>,
): Choice {
  return { setting, value: undefined, evidence: '', others: [], ...open, certainty: 'ask', question }
}

/** The value of a setting among choices. */
export function settingOf(choices: readonly Choice[], setting: string): Value {
  return choices.find((each) => each.setting === setting)?.value
}

/**
 * A search for the columns that contain geometry. `pass` takes each row that counts; `end` returns the table with that geometry and
 * the facts about its shapes, and passes on the problems of rows with it; undefined if no column has any.
 */
export type GeometrySearch = {
  pass(row: Row): void
  end(onProblem?: (problem: Problem) => void): { readonly table: Table; readonly shapes: ShapeFacts } | undefined
}

/**
 * One table of a file. `batches` may be called more than once, each time from the start; `found` lists what is wrong with
 * the table as a whole and is complete only when `batches` has ended. `withoutPoints` is the same table without points
 * made of two of its columns, for records that only take boundaries; its `lonLat` names these columns if they are longitudes and latitudes.
 * `search` starts the search for geometry in its columns, where nobody has said which have it.
 */
export type Table = {
  readonly name: string
  readonly format: string
  readonly crs?: CrsClue | undefined
  readonly columns?: readonly Column[]
  readonly hasGeometry: boolean
  readonly withoutPoints?: Table
  readonly lonLat?: readonly [lon: string, lat: string] | undefined
  readonly count?: number | undefined
  readonly choices: readonly Choice[]
  batches(signal?: AbortSignal): AsyncIterable<readonly Row[]>
  found(): readonly Problem[]
  search?(): GeometrySearch
}

/** How many rows flow together from a reader through the stages. */
export const rowsPerBatch = 100

/** A value in words: text and numbers as they are, lists and objects as JSON. */
export function valueText(value: Value): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** True for a cell with nothing in it. */
export function isBlank(value: Value): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '')
}
