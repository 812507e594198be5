/**
 * Decides the fields of a record that a row does not fill. The service replaces whole records, so fields that the pipeline
 * does not map are carried over from the last accepted body; mapped fields with a blank cell follow the blank policy.
 */

import { isObject } from '../../core/values/exact-json.ts'
import type { Body } from '../../ledger/content.ts'
import type { Mapping } from '../../mapping/compile.ts'
import type { BlankPolicy } from '../definition/definition.ts'
import { sameValue, type OtherMoments } from './same-value.ts'

/**
 * The fields that a pipeline maps, as JSON pointers; `groups` are those of which it maps members or entries. In an export each entry of a
 * list has columns of its own, and `lengths` counts them; in any other file * is every entry. `schemes` are those of the columns with
 * identifiers, by list.
 */
export type OwnedFields = {
  readonly isExport: boolean
  readonly pointers: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly lengths: ReadonlyMap<string, number>
  readonly schemes: ReadonlyMap<string, readonly unknown[]>
}

/** Prepares the pointers of a mapping for many rows. */
export function ownedFields({
  owned,
  isExport,
  schemes,
}: Pick<Mapping, 'owned' | 'isExport' | 'schemes'>): OwnedFields {
  const pointers = new Set<string>()
  const groups = new Set<string>()
  const lengths = new Map<string, number>()
  for (const leaf of owned) {
    const steps = (isExport ? leaf : leaf.replace(/\/\d+(?=\/|$)/g, '/*')).split('/')
    for (let end = 2; end <= steps.length; end += 1) {
      const pointer = steps.slice(0, end).join('/')
      pointers.add(pointer)
      if (end === steps.length) continue
      groups.add(pointer)
      const entry = Number(steps[end])
      if (entry >= 0) lengths.set(pointer, Math.max(lengths.get(pointer) ?? 0, entry + 1))
    }
  }
  return { isExport, pointers, groups, lengths, schemes }
}

/**
 * Joins the row's fields with the record's earlier ones. In an export of these records a value that only looks different (a
 * rounded area, a moment in another zone) stays as it was, entries of lists keep their positions, and what has no column stays. `lost`
 * are the JSON pointers of values that the row would have emptied without a blank policy.
 */
export function carryOver(mapped: Readonly<Record<string, unknown>>, previous: Body, rules: Omit<Joining, 'lost'>) {
  const lost: string[] = []
  const record = joinMembers(mapped, previous, '', { ...rules, lost })
  return { record, lost }
}

type Joining = {
  readonly owned: OwnedFields
  readonly blank: BlankPolicy
  /** The entries of lists that the row leaves out, as JSON pointers. */
  readonly leftOut?: readonly string[] | undefined
  readonly otherMoments?: OtherMoments
  readonly lost: string[]
}

function joinMembers(mapped: Body, previous: Body, at: string, joining: Joining): Record<string, unknown> {
  const joined: Record<string, unknown> = { ...mapped }
  for (const [name, before] of Object.entries(previous)) {
    const pointer = `${at}/${name}`
    const now = mapped[name]
    if (now === undefined) {
      const kept = isEmpty(before) ? undefined : keptBeside(before, { name, pointer }, joining)
      if (!isEmpty(kept)) joined[name] = kept
    } else if (joining.owned.isExport && isWholeValue(now) && sameValue(now, before, joining.otherMoments)) {
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

/** What is kept of a field that the row leaves out: in an export all that has no column, and otherwise what the blank policy says. */
function keptBeside(
  before: unknown,
  { name, pointer }: { readonly name: string; readonly pointer: string },
  joining: Joining,
): unknown {
  const { owned, blank, lost } = joining
  if (!owned.pointers.has(pointer) || blank === 'keep') return before
  if (owned.isExport && owned.groups.has(pointer)) {
    if (isObject(before)) {
      const kept = joinMembers({}, before, pointer, joining)
      return Object.keys(kept).length === 0 ? undefined : kept
    }
    if (Array.isArray(before)) {
      if (!isIdentifiers(name, before)) return joinEntries([], before, pointer, joining)
      const others = before.filter((each) => owned.schemes.get(pointer)?.includes(schemeOf(each)) !== true)
      if (blank === 'clear' || others.length === before.length) return others
    }
  }
  if (blank === 'clear') return undefined
  lost.push(pointer)
  return before
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
  const { isExport } = joining.owned
  const positions = isExport ? positionsOf(now, at, joining) : [...now.keys()]
  const { indexes, left } = pairEntries(now, before, { at, positions }, joining)
  const entries = now.map((entry, place) => {
    const old = before[indexes[place]!]
    const pointer = `${at}/${isExport ? positions[place] : '*'}`
    return isObject(entry) && isObject(old) ? joinMembers(entry, old, pointer, joining) : entry
  })
  if (!isExport) return entries
  for (const index of left) {
    const old = before[index]
    const kept = keptBeside(old, { name: '', pointer: `${at}/${index}` }, joining)
    // No column of an export is read into additional properties: alone they make no entry.
    const isEntry = isObject(kept) && Object.keys(kept).some((name) => name !== 'additionalProperties')
    if (kept === old || isEntry) entries.splice(index, 0, kept)
  }
  return entries
}

/** Which columns of an export have the entries of a row: those that it leaves out are not among its entries. */
function positionsOf(now: readonly unknown[], at: string, { owned, leftOut = [] }: Joining): readonly number[] {
  const count = owned.lengths.get(at) ?? now.length
  return [...Array(count).keys()].filter((position) => !leftOut.includes(`${at}/${position}`))
}

/** Finds the index of each entry's old entry, -1 for none, and the old entries that are left. */
function pairEntries(
  now: readonly unknown[],
  before: readonly unknown[],
  { at, positions }: { readonly at: string; readonly positions: readonly number[] },
  { owned, blank, otherMoments }: Joining,
): { readonly indexes: readonly number[]; readonly left: ReadonlySet<number> } {
  const left = new Set(before.keys())
  const take = (entry: unknown, among: Iterable<number>): number | undefined => {
    const index = [...among].find((each) => {
      const old = before[each]
      return left.has(each) && isObject(entry) && isObject(old) && agrees(entry, old, otherMoments)
    })
    if (index !== undefined) left.delete(index)
    return index
  }
  const inPlace = now.map((entry, place) => (owned.isExport ? take(entry, [positions[place]!]) : undefined))
  const found = now.map((entry, place) => {
    // A date without its crop's name does not say that a crop of an export moved.
    const isNamed = !owned.isExport || nameIn(entry) !== undefined
    return (
      inPlace[place] ?? take(entry, isNamed ? left : [...left].filter((index) => nameIn(before[index]) === undefined))
    )
  })
  // A blank name under another date does not say that it is another crop.
  const ownsName = blank !== 'clear' && owned.pointers.has(`${at}/*/name`)
  const indexes = now.map((entry, place) => {
    const position = positions[place]!
    const staysInPlace = owned.isExport || (ownsName && isObject(entry) && nameIn(entry) === undefined)
    const index = found[place] ?? (staysInPlace && left.has(position) ? position : -1)
    left.delete(index)
    return index
  })
  return { indexes, left }
}

function nameIn(entry: unknown): unknown {
  return isObject(entry) ? entry['name'] : undefined
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
