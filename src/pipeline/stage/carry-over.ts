/**
 * Decides the fields of a record that a row does not fill. The service replaces whole records, so fields that the pipeline
 * does not map are carried over from the last accepted body; mapped fields with a blank cell follow the blank policy.
 */

import { isObject } from '../../core/values/exact-json.ts'
import type { Body } from '../../ledger/content.ts'
import type { BlankPolicy } from '../definition/definition.ts'
import { sameValue, type OtherMoments } from './same-value.ts'

/** The fields a pipeline maps, as JSON pointers, and how many entries of each list; * means every entry of a list. */
export type OwnedFields = { readonly pointers: ReadonlySet<string>; readonly lengths: ReadonlyMap<string, number> }

/** Prepares the pointers of a mapping for many rows. */
export function ownedFields(leaves: readonly string[]): OwnedFields {
  const pointers = new Set<string>()
  const lengths = new Map<string, number>()
  for (const leaf of leaves) {
    const steps = leaf.replace(/\/\d+(?=\/|$)/g, '/*').split('/')
    for (let end = 2; end <= steps.length; end += 1) pointers.add(steps.slice(0, end).join('/'))
    for (const [end, step] of leaf.split('/').entries()) {
      const list = steps.slice(0, end).join('/')
      if (steps[end] === '*') lengths.set(list, Math.max(lengths.get(list) ?? 0, Number(step) + 1))
    }
  }
  return { pointers, lengths }
}

/**
 * Joins the row's fields with the record's earlier ones. In an export of these records a value that only looks different (a
 * rounded area, a moment in another zone) stays as it was, and entries of lists keep their positions. `lost` are the JSON pointers of
 * values that the row would have emptied without a blank policy.
 */
export function carryOver(mapped: Readonly<Record<string, unknown>>, previous: Body, rules: Omit<Joining, 'lost'>) {
  const lost: string[] = []
  const record = joinMembers(mapped, previous, '', { ...rules, lost })
  return { record, lost }
}

type Joining = {
  readonly owned: OwnedFields
  readonly blank: BlankPolicy
  readonly isExport?: boolean
  readonly otherMoments?: OtherMoments
  readonly lost: string[]
}

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
    } else if (joining.isExport === true && isWholeValue(now) && sameValue(now, before, joining.otherMoments)) {
      joined[name] = before
    } else if (isObject(now) && isObject(before) && !('measurement' in now)) {
      // A measure is one value: an old resolution must not be combined with a new measurement.
      joined[name] = joinMembers(now, before, pointer, joining)
    } else if (Array.isArray(now) && Array.isArray(before)) {
      joined[name] = isIdentifiers(name, now)
        ? joinIdentifiers(now, before)
        : joinEntries(now, before, pointer, joining)
    }
  }
  return joined
}

/** True for a value whose parts mean nothing alone. */
function isWholeValue(value: unknown): boolean {
  return typeof value !== 'object' || (isObject(value) && 'measurement' in value)
}

/** True for identifiers, which the activities of a plot have as their id. */
function isIdentifiers(name: string, entries: readonly unknown[]): boolean {
  return name === 'identifiers' || (name === 'id' && entries.every((each) => isObject(each) && 'scheme' in each))
}

/** An entry whose fields all agree with an old entry is that entry, and keeps its other fields. */
function joinEntries(now: readonly unknown[], before: readonly unknown[], at: string, joining: Joining): unknown[] {
  const left = new Map(before.entries())
  const found = now.map((entry) => {
    if (!isObject(entry)) return undefined
    const [index] = [...left].find(([, old]) => isObject(old) && agrees(entry, old, joining.otherMoments)) ?? []
    if (index !== undefined) left.delete(index)
    return index
  })
  // A blank name under another date does not say that it is another crop.
  const ownsName = joining.blank !== 'clear' && joining.owned.pointers.has(`${at}/*/name`)
  const entries = now.map((entry, position) => {
    const staysInPlace = joining.isExport === true || (ownsName && isObject(entry) && entry['name'] === undefined)
    const index = found[position] ?? (staysInPlace && left.has(position) ? position : -1)
    left.delete(index)
    const old = before[index]
    return isObject(entry) && isObject(old) ? joinMembers(entry, old, `${at}/*`, joining) : entry
  })
  return joining.isExport === true ? [...entries, ...remaining(left, at, joining)] : entries
}

/** The old entries that an export's row leaves out: those without columns stay, the others follow the blank policy. */
function remaining(left: ReadonlyMap<number, unknown>, at: string, joining: Joining): readonly unknown[] {
  const { owned, blank, lost } = joining
  return [...left].flatMap(([index, old]) => {
    const hasColumns = index < (owned.lengths.get(at) ?? 0)
    if (hasColumns && blank === undefined) lost.push(`${at}/${index}`)
    return hasColumns && blank === 'clear' ? [] : [old]
  })
}

/** Identifiers are owned by scheme: a pipeline never changes those of other schemes. They keep their order. */
function joinIdentifiers(now: readonly unknown[], before: readonly unknown[]): unknown[] {
  const given = new Set(now.map(schemeOf))
  const left = [...now]
  const pairWith = (old: unknown, fits: (each: unknown) => boolean): boolean => {
    const index = left.findIndex((each) => schemeOf(each) === schemeOf(old) && fits(each))
    return index !== -1 && left.splice(index, 1).length > 0
  }
  const isSame = before.map((old) => pairWith(old, (each) => isObject(each) && isObject(old) && agrees(each, old)))
  const kept = before.flatMap((old, index) => {
    if (isSame[index] === true || !given.has(schemeOf(old))) return [old]
    const changed = left.find((each) => schemeOf(each) === schemeOf(old))
    return changed !== undefined && pairWith(old, (each) => each === changed) ? [changed] : []
  })
  return [...kept, ...left]
}

function schemeOf(identifier: unknown): unknown {
  return isObject(identifier) ? identifier['scheme'] : identifier
}

function agrees(entry: Body, old: Body, others?: OtherMoments): boolean {
  return Object.entries(entry).every(([name, value]) => {
    const other = old[name]
    const isPart = isObject(value) && isObject(other) && !('measurement' in value)
    return isPart ? agrees(value, other, others) : sameValue(value, other, others)
  })
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}
