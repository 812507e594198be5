/** Writes into the stage which fields of known records a run changes, and from what to what. */

import { isObject } from '../../core/values/exact-json.ts'
import { measure, type Measured } from '../../geometry/measure/measure.ts'
import { boundaryOf, contentOfBody, geometryIn, geometryOf, type Body } from '../../ledger/content.ts'
import { sortedText } from '../../rules/changes.ts'
import type { Stage } from './stage-store.ts'

/**
 * A field of a known record: it gets another value, or one where it had none, or it loses the one it has, or it keeps it although the
 * row has a blank cell. Of a boundary the table has only what was measured.
 */
export type ChangedField = {
  /** The field as a JSON pointer. */
  readonly field: string
  readonly kind: 'changed' | 'filled' | 'cleared' | 'kept'
  readonly before?: unknown
  readonly now?: unknown
}

/** Writes a line for each field. */
export function addChanges(stage: Stage, record: number, row: number, fields: readonly ChangedField[]): void {
  const sql = 'INSERT INTO changes (record, row, field, kind, before, now) VALUES (?, ?, ?, ?, ?, ?)'
  for (const { field, kind, ...values } of fields) {
    const [before, now] = [values.before, values.now].map((value) => JSON.stringify(value) ?? null)
    stage.change(sql, record, row, field, kind, before!, now!)
  }
}

/** The fields in which two bodies of a record differ, without its boundary. With one in either, a centroid is no field. */
export function changedFields(before: Body, now: Body, hasBoundary: boolean): readonly ChangedField[] {
  return [...differences(contentOfBody(before, hasBoundary), contentOfBody(now, hasBoundary), '')]
}

function* differences(before: unknown, now: unknown, field: string): Generator<ChangedField> {
  const hasFields = [isGroup, isListOfGroups].some((is) => is(before ?? now) && (now === undefined || is(now)))
  // Entries in another order are no fields of their own.
  if (hasFields && sortedText(before ?? []) !== sortedText(now ?? [])) {
    const [had, has] = [before, now].map((value) => (value ?? {}) as Body)
    for (const name of new Set([...Object.keys(had!), ...Object.keys(has!)]))
      yield* differences(had![name], has![name], `${field}/${name}`)
  } else if (JSON.stringify(before) !== JSON.stringify(now)) yield { field, kind: kindOf(before, now), before, now }
}

function kindOf(before: unknown, now: unknown): ChangedField['kind'] {
  if (before === undefined || containsAll(now, before)) return 'filled'
  return now === undefined || containsAll(before, now) ? 'cleared' : 'changed'
}

/** True for a list that has all entries of a shorter one. */
function containsAll(list: unknown, some: unknown): boolean {
  if (!Array.isArray(list) || !Array.isArray(some) || list.length <= some.length) return false
  const texts = new Set(list.map((each) => JSON.stringify(each)))
  return some.every((each) => texts.has(JSON.stringify(each)))
}

/** True for a group whose members are fields of their own: the members of a measure or of a point mean nothing alone. */
function isGroup(value: unknown): value is Body {
  return isObject(value) && !('measurement' in value) && !('coordinates' in value)
}

/** True for a list such as the crops. Identifiers are one field: they have no order. */
function isListOfGroups(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isGroup(each) && !('scheme' in each))
}

/** The line of a boundary that is another one, from the body before and from what was measured of the boundary now. */
export function changedBoundary(before: Body, now: Measured | undefined): ChangedField {
  const had = measuredIn(before)
  return { field: '/spatialFeature', kind: kindOf(had, now), before: had, now }
}

/** The fields in which two bodies of a record differ. */
export function changesBetween(before: Body, now: Body): readonly ChangedField[] {
  const fields = changedFields(before, now, hasBoundaryIn(before) || hasBoundaryIn(now))
  return geometryOf(before) === geometryOf(now) ? fields : [...fields, changedBoundary(before, measuredIn(now))]
}

function measuredIn(body: Body): Measured | undefined {
  const shape = boundaryOf(body)
  return shape && measure(shape)
}

/** The lines of fields that are blank in a row and have a value in its record, before and after it. */
export function keptFields(blank: readonly string[], before: Body, now: Body): readonly ChangedField[] {
  return blank.flatMap((field): readonly ChangedField[] => {
    if (field === '/spatialFeature') return hasBoundaryIn(before) ? [{ field, kind: 'kept' }] : []
    const value = valueIn(before, field)
    return value === undefined || valueIn(now, field) === undefined ? [] : [{ field, kind: 'kept', before: value }]
  })
}

/** True if the body has a boundary. */
export function hasBoundaryIn(body: Body): boolean {
  return (geometryIn(body) ?? undefined) !== undefined
}

/** The value of a field by its JSON pointer; undefined where it is empty. */
export function valueIn(body: Body, field: string): unknown {
  let value: unknown = body
  for (const step of field.split('/').slice(1)) value = (value as Body | null | undefined)?.[step]
  return value === null || value === '' ? undefined : value
}
