/** Reads the cell that a pipeline names: `<Column>`, a nested `<a.b[0].c>`, or a template of several columns. */

import { holdsNothing } from '../core/values/no-value.ts'
import { trimmed } from '../core/values/trimmed.ts'
import { keptName } from '../core/values/object-maker.ts'
import type { Row, Value } from '../core/row.ts'

/** Finds one cell of a row; undefined where the row has no such column. */
export type Cell = { readonly column: string; read(row: Row): Value }

const wholeReference = /^\s*<([^<>]+)>\s*$/

/** The column that a text such as `<Column>` names; undefined for ordinary text. */
export function columnNamed(text: string): string | undefined {
  return wholeReference.exec(text)?.[1]
}

/** The columns that a part of a pipeline names in angle brackets. */
export function columnsNamedIn(spec: Value): readonly string[] {
  return [...JSON.stringify(spec ?? '').matchAll(/<([^<>]+)>/g)].map(([, column]) => column!)
}

/** Makes the reader of a column. A column with exactly this name wins over a path into a nested value. */
export function cellOf(named: string): Cell {
  const column = keptName(named)
  // Every object inherits these names, with or without such a column.
  const inherited = column in {}
  const plain = inherited
    ? (row: Row): Value => (Object.hasOwn(row.values, column) ? row.values[column] : undefined)
    : (row: Row): Value => row.values[column]
  const steps = stepsOf(column)
  if (steps.length < 2) return { column, read: plain }
  return { column, read: (row) => plain(row) ?? walk(row, steps) }
}

/** "a.b[0].c" is a, b, 0, c. */
function stepsOf(column: string): readonly (string | number)[] {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d{1,6}\])+$/.test(column)) return [column]
  return [...column.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
    index === undefined ? step : Number(index),
  )
}

function walk(row: Row, steps: readonly (string | number)[]): Value {
  let value: Value = row.values
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.hasOwn(value, step) ? (value as { readonly [key: string | number]: Value })[step] : undefined
  }
  return value
}

/**
 * A text with columns inside: null where all its columns are blank, undefined where the row has none of them; a nested value is
 * returned unchanged, because it is not text.
 */
export type Template = { readonly columns: readonly string[]; read(row: Row): Value }

/** Compiles a text such as `<FARM>-<NO>`. */
export function templateOf(text: string): Template {
  const pieces = text.split(/<([^<>]+)>/)
  const cells = pieces.filter((_, index) => index % 2 === 1).map(cellOf)
  return {
    columns: cells.map(({ column }) => column),
    read(row) {
      let made = pieces[0] ?? ''
      let there = false
      let filled = false
      for (let index = 0; index < cells.length; index++) {
        const value = cells[index]?.read(row)
        there ||= value !== undefined
        if (!holdsNothing(value)) {
          const text = textOf(value)
          if (text === undefined) return value
          filled ||= text !== ''
          made += text
        }
        made += pieces[index * 2 + 2] ?? ''
      }
      return filled ? made.trim() : there ? null : undefined
    },
  }
}

/** A cell as text: a number with its shortest exact digits; undefined for lists and nested values. */
export function textOf(value: Value): string | undefined {
  if (typeof value === 'string') return trimmed(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return undefined
}
