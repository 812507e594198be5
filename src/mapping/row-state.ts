/** Carries the state while one row becomes one record: its cells, and the problems found. */

import { problem, type Problem, type ProblemCode } from '../core/problem.ts'
import type { Row, Value } from '../core/row.ts'
import type { Readings } from './readings.ts'

/** The measurements of the row's shape. */
export type Measured = {
  readonly areaM2: number
  readonly perimeterM: number
  readonly centroid: readonly [number, number]
}

export type RowState = ReturnType<typeof startRow>

/** Starts the state of one row. `filled` counts the cells that gave a value, so that an entry without any is left out. */
export function startRow(row: Row, more: { measured?: Measured | undefined; readings?: Readings | undefined } = {}) {
  return {
    row,
    measured: more.measured,
    filled: 0,
    blank: undefined as string[] | undefined,
    /** The entries of lists that the row leaves out, as JSON pointers: those behind them move up. */
    leftOut: undefined as string[] | undefined,
    problems: undefined as Problem[] | undefined,
    numericIds: undefined as string[] | undefined,
    /** The columns with NULL or the like. */
    wordedBlanks: undefined as string[] | undefined,
    /** Moments of an hour that the clock showed twice: the one that was taken, and the other. */
    otherMoments: undefined as Map<string, string> | undefined,
    /** Where fitting readings are counted; undefined without a row. */
    readings: more.readings,
  }
}

/** Starts without a row, for values that are the same in every row. */
export function rowlessState(): RowState {
  return startRow({ at: { source: '', row: 0 }, values: {} })
}

/** An empty cell, as opposed to a missing column. */
export const blank: unique symbol = Symbol('blank')

/** Reads one value for a field: `undefined` without the column, `blank` for an empty cell. */
export type Reader = (state: RowState) => unknown

/** Turns a value that is not blank into what the field wants; adds a problem and returns `undefined` when it cannot. */
export type Transform = (value: Value, state: RowState, spot: CellAndField) => unknown

/** The column and the field of a value, which a problem names. */
export type CellAndField = { readonly column: string; readonly path: string }

/** Adds a problem of the row and returns `undefined`, so that a reader can return it. */
export function addProblem(
  state: RowState,
  spot: CellAndField,
  details: { readonly code: ProblemCode; readonly value?: Value; readonly message: string; readonly hint?: string },
): undefined {
  const { code, value, message, hint } = details
  state.problems ??= []
  state.problems.push(
    problem(code, state.row.at, {
      ...(spot.column === '' ? {} : { column: spot.column }),
      ...(value === undefined ? {} : { value: showValue(value) }),
      ...(spot.path === '' ? {} : { path: spot.path }),
      message,
      hint,
    }),
  )
  return undefined
}

/** A value as a problem shows it: short, on one line. */
export function showValue(value: Value): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** A value nested deeper than the stack allows must not fail the run. */
function jsonOf(value: Value): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '(nested values)'
  }
}
