/** Hides what is carried along while one row becomes one record: its cells, and what is found on the way. */

import { problem, type Problem, type ProblemCode } from '../core/problem.ts'
import type { Row, Value } from '../core/row.ts'
import type { Readings } from './readings.ts'

/** What was measured of the row's shape. */
export type Measured = {
  readonly areaM2: number
  readonly perimeterM: number
  readonly centroid: readonly [number, number]
}

/** One row under way. `filled` counts the cells that gave a value, so that an entry without any can vanish. */
export type Run = {
  readonly row: Row
  readonly measured: Measured | undefined
  filled: number
  blank: string[] | undefined
  problems: Problem[] | undefined
  numericIds: string[] | undefined
  /** The columns that say NULL or the like. */
  wordedBlanks: string[] | undefined
  /** Where the fits of agreed readings are counted; nowhere for a trial. */
  readonly readings: Readings | undefined
}

/** Sets out with a row. */
export function startRun(row: Row, measured?: Measured, readings?: Readings): Run {
  return {
    row,
    measured,
    filled: 0,
    blank: undefined,
    problems: undefined,
    numericIds: undefined,
    wordedBlanks: undefined,
    readings,
  }
}

/** Sets out without a row, for what is the same in all of them. */
export function trialRun(): Run {
  return startRun({ at: { source: '', row: 0 }, values: {} })
}

/** A cell with nothing in it, which is not the same as a column that is not there. */
export const blank: unique symbol = Symbol('blank')

/** Reads one value for a field out of the row: `undefined` where there is no column, `blank` where there is no text. */
export type Reader = (run: Run) => unknown

/** Where a value came from and where it goes: what a problem must name. */
export type Spot = { readonly column: string; readonly path: string }

/** Notes a problem of the row and gives `undefined`, so that a reader can end with it. */
export function complain(
  run: Run,
  spot: Spot,
  said: { readonly code: ProblemCode; readonly value?: Value; readonly message: string; readonly hint?: string },
): undefined {
  const { code, value, message, hint } = said
  run.problems ??= []
  run.problems.push(
    problem(code, run.row.at, {
      ...(spot.column === '' ? {} : { column: spot.column }),
      ...(value === undefined ? {} : { value: showValue(value) }),
      ...(spot.path === '' ? {} : { path: spot.path }),
      message,
      ...(hint === undefined ? {} : { hint }),
    }),
  )
  return undefined
}

/** A value as a problem shows it: short, on one line. */
export function showValue(value: Value): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Values nested deeper than the stack are not worth a failure. */
function jsonOf(value: Value): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '(nested values)'
  }
}
