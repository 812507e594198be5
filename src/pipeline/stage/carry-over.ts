/**
 * Decides the fields of a record that a row does not fill. The service replaces whole records, so fields that the pipeline
 * does not map are carried over from the last accepted body; mapped fields with a blank cell follow the blank policy.
 */

import type { Body } from '../../ledger/content.ts'
import type { BlankPolicy } from '../definition/definition.ts'

export type CarriedOver = {
  readonly record: Record<string, unknown>
  /** JSON pointers of values that the row would have emptied without a blank policy. */
  readonly lost: readonly string[]
}

/** The fields a pipeline maps, as JSON pointers; * means every entry of a list. */
export type OwnedFields = { readonly pointers: ReadonlySet<string> }

/** Prepares the pointers of a mapping for many rows. */
export function ownedFields(leaves: readonly string[]): OwnedFields {
  const pointers = new Set<string>()
  for (const leaf of leaves) {
    const steps = leaf.replace(/\/\d+(?=\/|$)/g, '/*').split('/')
    for (let end = 2; end <= steps.length; end += 1) pointers.add(steps.slice(0, end).join('/'))
  }
  return { pointers }
}

/** Joins the row's fields with the record's earlier ones. */
export function carryOver(
  mapped: Readonly<Record<string, unknown>>,
  previous: Body,
  rules: { readonly owned: OwnedFields; readonly blank: BlankPolicy },
): CarriedOver {
  const lost: string[] = []
  const record = joinMembers(mapped, previous, '', { ...rules, lost })
  return { record, lost }
}

type Joining = { readonly owned: OwnedFields; readonly blank: BlankPolicy; readonly lost: string[] }

function joinMembers(mapped: Body, previous: Body, at: string, joining: Joining): Record<string, unknown> {
  const joined: Record<string, unknown> = { ...mapped }
  for (const [name, before] of Object.entries(previous)) {
    const pointer = `${at}/${name}`
    const now = mapped[name]
    if (now === undefined) {
      if (isEmpty(before)) continue
      if (!joining.owned.pointers.has(pointer) || joining.blank === 'keep') joined[name] = before
      else if (joining.blank === undefined) {
        joining.lost.push(pointer)
        joined[name] = before
      }
    } else if (isRecord(now) && isRecord(before) && !('measurement' in now)) {
      // A measure is one value: an old resolution must not be combined with a new measurement.
      joined[name] = joinMembers(now, before, pointer, joining)
    } else if (Array.isArray(now) && Array.isArray(before)) {
      joined[name] = name === 'identifiers' ? joinIdentifiers(now, before) : joinEntries(now, before, pointer, joining)
    }
  }
  return joined
}

/** An entry whose fields all agree with an old entry is that entry, and keeps its other fields. */
function joinEntries(now: readonly unknown[], before: readonly unknown[], at: string, joining: Joining): unknown[] {
  const left = [...before]
  return now.map((entry) => {
    if (!isRecord(entry)) return entry
    const index = left.findIndex((old) => isRecord(old) && agrees(entry, old))
    if (index < 0) return entry
    const [old] = left.splice(index, 1)
    return joinMembers(entry, old as Body, `${at}/*`, joining)
  })
}

/** Identifiers are owned by scheme: a pipeline never changes those of other schemes. */
function joinIdentifiers(now: readonly unknown[], before: readonly unknown[]): unknown[] {
  const given = new Set(now.map(schemeOf))
  return [...now, ...before.filter((old) => !given.has(schemeOf(old)))]
}

function schemeOf(identifier: unknown): unknown {
  return isRecord(identifier) ? identifier['scheme'] : identifier
}

function agrees(entry: Body, old: Body): boolean {
  return Object.entries(entry).every(([name, value]) => {
    const other = old[name]
    return isRecord(value) && isRecord(other) ? agrees(value, other) : sameValue(value, other)
  })
}

function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one === 'string' && typeof other === 'string' && isInstant(one) && isInstant(other))
    return Date.parse(one) === Date.parse(other)
  return JSON.stringify(one) === JSON.stringify(other)
}

function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text)
}

function isRecord(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}
