/** Decides how a GeoPackage stores columns: their names, their declared types, and what a cell becomes. */

import type { Column, Value } from '../../core/row.ts'
import { startOfDay } from '../../core/values/date-pattern.ts'
import { cellOf, isNothing, textOf } from '../table-names.ts'

export type Stored = string | number | null
/** `day` is a moment at the start of a day in the zone that the column names; it is stored as that day. */
type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'day' | 'date-time'

/** A column as it is written. `store` gives undefined for a cell that does not fit its kind. */
export type StoredColumn = ReturnType<typeof storedColumns>[number]

const declared: Readonly<Record<Kind, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  day: 'DATE',
  'date-time': 'DATETIME',
}

/**
 * The columns under names that differ in more than their case, none of them in `taken`. Columns that were stored before can then store
 * the cells that did not fit, which are given by the number of their column.
 */
export function storedColumns(
  columns: readonly { readonly from: Column; readonly kind?: Kind }[],
  taken: ReadonlySet<string>,
  misfits: ReadonlyMap<number, Value> = new Map(),
) {
  const used = new Set(taken)
  return columns.map(({ from, kind: before = kindOf(from) }, index) => {
    const kind = misfits.has(index) ? widerKind(before, misfits.get(index)) : before
    const name = unusedName(titleOf(from, kind), used)
    return { from, kind, name, declared: declared[kind], cell: cellOf(from.name), store: stores[kind] }
  })
}

function widerKind(kind: Kind, misfit: Value): Kind {
  if (kind === 'integer' && typeof misfit === 'number') return 'number'
  return kind === 'day' && stores['date-time'](misfit) !== undefined ? 'date-time' : 'text'
}

/** The name, or with the first number that makes it unused; it is used from then on. */
export function unusedName(wanted: string, used: Set<string>): string {
  let name = wanted
  for (let count = 2; used.has(name.toLowerCase()); count += 1) name = `${wanted}_${count}`
  used.add(name.toLowerCase())
  return name
}

/** GeoPackage stores moments in UTC only, so the name of the column says that. */
function titleOf({ name, zone }: Column, kind: Kind): string {
  const title = name.replaceAll('\0', ' ')
  const isMoment = kind === 'date-time' && zone !== undefined && title.endsWith(` (${zone})`)
  return isMoment ? `${title.slice(0, -zone.length - 3)} (UTC)` : title
}

function kindOf({ type, name, zone }: Column): Kind {
  // A guess; if one moment is not the start of a day, the rows are written again.
  if (type === 'date-time' && zone !== undefined && /\bdate\b/i.test(name)) return 'day'
  return type === undefined || type === 'json' ? 'text' : type
}

const stores: Readonly<Record<Kind, (value: Value) => Stored | undefined>> = {
  text: (value) => (value === null || value === undefined ? null : textOf(value)),
  integer: unlessBlank((value) => (Number.isInteger(value) || isWholeText(value) ? (value as number) : undefined)),
  number: unlessBlank((value) => (typeof value === 'number' ? value : undefined)),
  boolean: unlessBlank((value) => (value === true ? 1 : value === false ? 0 : undefined)),
  date: unlessBlank((value) => (typeof value === 'string' && isDay.test(value) ? value : undefined)),
  day: unlessBlank((value) => (typeof value === 'string' && startOfDay.test(value) ? value.slice(0, 10) : undefined)),
  'date-time': unlessBlank((value) => (typeof value === 'string' ? inUtc(value) : undefined)),
}

function unlessBlank(store: (value: Value) => Stored | undefined): (value: Value) => Stored | undefined {
  return (value) => (isNothing(value) ? null : store(value))
}

/** Whole numbers too large for JavaScript arrive as text; SQLite converts them. */
function isWholeText(value: Value): boolean {
  return typeof value === 'string' && /^(?:0|-?[1-9]\d{0,17})$/.test(value)
}

const isDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const moment = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i

/** The moment the way the standard wants it; undefined for text that is no moment of one instant. */
function inUtc(text: string): string | undefined {
  const [, minute, second = '00', fraction = '.000', zone] = moment.exec(text) ?? []
  if (minute === undefined || zone === undefined) return undefined
  const instantMs = Date.parse(`${minute}:${second}${zone}`.toUpperCase())
  if (Number.isNaN(instantMs)) return undefined
  const utc = new Date(instantMs).toISOString()
  return utc.length === 24 ? `${utc.slice(0, 19)}${fraction.padEnd(4, '0')}Z` : undefined
}
