/** Reads choices: which columns they take, and the record that they make. */

import type { Choice, Value } from '../core/row.ts'
import { columnsNamedIn } from './cell.ts'
import { putAt, type Branch, type RecordTree } from './tree.ts'

/** The choice of a setting, if there is one. */
export function choiceOf(choices: readonly Choice[], setting: string): Choice | undefined {
  return choices.find((each) => each.setting === setting)
}

/** The columns that a value of a pipeline takes: those in angle brackets, and those behind `from`. */
export function columnsTaken(value: Value): readonly string[] {
  if (typeof value !== 'object' || value === null) return columnsNamedIn(value)
  if (Array.isArray(value)) return value.flatMap((each: Value) => columnsTaken(each))
  return Object.entries(value as Readonly<Record<string, Value>>).flatMap(([key, each]) =>
    key === 'from' ? [each].flat().filter((name) => typeof name === 'string') : columnsTaken(each),
  )
}

/** The choices that fill fields of the record, without those that a person must still make. */
export function fieldChoices(choices: readonly Choice[]): readonly Choice[] {
  return choices.filter(({ setting, certainty }) => setting.startsWith('record.') && certainty !== 'ask')
}

/** The record of a pipeline with these choices. */
export function recordOf(choices: readonly Choice[]): RecordTree {
  const tree: Branch = {}
  for (const { setting, value } of fieldChoices(choices)) putAt(tree, setting.split('.').slice(1), value)
  return tree as RecordTree
}
