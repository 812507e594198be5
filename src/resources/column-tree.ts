/**
 * Collects the columns of a table in a tree with one node for each member. The tree grows while records are read; then it is
 * settled: lists that are too long become one column, and the columns get order and names.
 */

import type { Column, ColumnLook, ColumnType, Value, Values } from '../core/row.ts'
import { objectMaker } from '../core/values/object-maker.ts'
import { singularOf, titleOf, under } from './titles.ts'
import { pointerPart } from './wording.ts'
import { feature, point, referencedType } from './building-blocks.ts'
import { unitKindOf, type UnitKind } from './units.ts'

/** Lists with more entries than this become one column of joined text. */
export const longestNumbered = 5
// Names of members and schemes are data; these limits bound a table of nothing but new names.
const mostColumns = 1000
const mostNodes = 10_000
const deepest = 12

/**
 * A column. `at` is its index among the cells, -1 before the tree is settled, for joined lists and for columns left out. `isId`: it
 * tells records apart rather than describing them. `hasTimes`: one of its moments is not the start of a day.
 * `longest` is the length of its longest text or number. `isWanted`: it is there also if no record fills it.
 */
export type Slot = {
  readonly title: string
  readonly order: readonly number[]
  readonly isId: boolean
  readonly look: ColumnLook | undefined
  type: ColumnType | undefined
  at: number
  isFilled: boolean
  isWanted: boolean
  hasTimes: boolean
  longest: number
}

/** One member: its columns by the part they show, the members inside it, and its greatest length as a list. */
export type Node = {
  readonly name: string
  readonly prefix: string
  readonly title: string
  readonly pointer: string
  readonly order: readonly number[]
  readonly role: Role
  readonly slots: Map<string, Slot>
  readonly members: Map<string, Node>
  readonly entries: Node[]
  longest: number
}

/** The columns of a tree that grows no more, `other` for values without one, and what makes a row of cells. */
export type Settled = {
  readonly columns: readonly Column[]
  readonly other: number | undefined
  readonly make: (cells: readonly Value[]) => Values
}

/** The columns of one table; with `hasLeftovers` some value has no column. */
export type Tree = {
  readonly roots: Node[]
  readonly slots: Slot[]
  nodes: number
  hasLeftovers: boolean
  settled: Settled | undefined
}

export function newTree(): Tree {
  return { roots: [], slots: [], nodes: 0, hasLeftovers: false, settled: undefined }
}

/** Adds a part of the rows: a record, or an entry of one of its lists. Parts keep the order in which they are added. */
export function addRoot(tree: Tree, prefix: string, members: Readonly<Record<string, unknown>>): Node {
  const order = [tree.roots.length]
  const role: Role = { is: 'group', members }
  const root = node({ name: '', prefix, title: prefix, pointer: '', order, role })
  tree.roots.push(root)
  return root
}

function node(given: Pick<Node, 'name' | 'prefix' | 'title' | 'pointer' | 'order' | 'role'>): Node {
  return { ...given, slots: new Map(), members: new Map(), entries: [], longest: 0 }
}

/** The node of a member; created while the tree grows, else undefined when missing. */
export function memberNode(tree: Tree, parent: Node, name: string): Node | undefined {
  const known = parent.members.get(name)
  if (known !== undefined || !mayGrow(tree, parent)) return known
  const schemas = parent.role.is === 'group' ? parent.role.members : {}
  const isKnown = Object.hasOwn(schemas, name)
  const place = isKnown ? Object.keys(schemas).indexOf(name) : mostNodes + parent.members.size
  const made = node({
    name,
    prefix: parent.title,
    title: under(parent.title, titleOf(name)),
    pointer: `${parent.pointer}/${pointerPart(name)}`,
    order: [...parent.order, place],
    role: roleOf(name, isKnown ? schemas[name] : undefined),
  })
  tree.nodes += 1
  parent.members.set(name, made)
  return made
}

/** The node of a list's entry, by the same rule. */
export function entryNode(tree: Tree, list: Node, index: number): Node | undefined {
  const known = list.entries[index]
  if (known !== undefined || !mayGrow(tree, list)) return known
  const made = node({
    name: list.name,
    prefix: list.prefix,
    title: `${under(list.prefix, singularOf(list.name))} ${index + 1}`,
    pointer: `${list.pointer}/${index}`,
    order: [...list.order, index],
    role: roleOf('', list.role.is === 'list' ? list.role.entries : undefined),
  })
  tree.nodes += 1
  list.entries[index] = made
  return made
}

function mayGrow(tree: Tree, parent: Node): boolean {
  return tree.settled === undefined && tree.nodes < mostNodes && parent.order.length < deepest
}

/** The column for one part of a member; created while the tree grows and has not too many columns. */
export function slotOf(
  tree: Tree,
  owner: Node,
  facet: string,
  make: Pick<Slot, 'title'> & Partial<Pick<Slot, 'type' | 'isId' | 'look'>> & { readonly place?: number },
): Slot | undefined {
  const known = owner.slots.get(facet)
  if (known !== undefined || tree.settled !== undefined || tree.slots.length >= mostColumns) return known
  const title = make.title === '' ? owner.name : make.title
  const slot: Slot = {
    title,
    order: [...owner.order, make.place ?? 0],
    isId: make.isId ?? isIdentifying(owner),
    look: make.look ?? (owner.name === 'remark' ? { wraps: true } : undefined),
    type: make.type,
    at: -1,
    isFilled: false,
    isWanted: false,
    hasTimes: false,
    longest: 0,
  }
  owner.slots.set(facet, slot)
  tree.slots.push(slot)
  return slot
}

const identifying: ReadonlySet<string> = new Set(['id', 'self', '@self', 'uri', 'dataPointKey'])

function isIdentifying({ role, name, pointer }: Node): boolean {
  return role.is === 'identifiers' || role.is === 'tag' || identifying.has(name) || /\/meta\/|^\/links\//.test(pointer)
}

type Arrangement = {
  readonly zone: string | undefined
  readonly idsLast: boolean
  readonly leavesOutEmpty: boolean
}

/**
 * Ends growing: joins long lists, sorts and names the columns. Columns of times name their zone, where all times are in one. A
 * table without any value keeps all its columns.
 */
export function settle(tree: Tree, { zone, idsLast, leavesOutEmpty }: Arrangement): Settled {
  if (tree.settled !== undefined) return tree.settled
  const folded = new Set<Slot>()
  for (const root of tree.roots) foldLongLists(tree, root, folded)
  const isShort = leavesOutEmpty && tree.slots.some(({ isFilled }) => isFilled)
  const kept = tree.slots
    .filter((slot) => !folded.has(slot) && (!isShort || slot.isFilled || slot.isWanted))
    .toSorted((one, other) => (idsLast ? Number(one.isId) - Number(other.isId) : 0) || compare(one.order, other.order))
  const taken = new Set<string>()
  const columns = kept.map((slot, at): Column => {
    slot.at = at
    const type = slot.type ?? 'text'
    const isZoned = type === 'date-time' && zone !== undefined
    const look = lookOf(slot, { isId: idsLast && slot.isId, isZoned })
    const name = freeName(columnTitle(slot, zone), taken)
    return isZoned ? { name, type, zone, ...look } : { name, type, ...look }
  })
  const other = tree.hasLeftovers ? columns.length : undefined
  if (other !== undefined) columns.push({ name: freeName('Other', taken), type: 'text' })
  return (tree.settled = { columns, other, make: objectMaker(columns.map(({ name }) => name)) })
}

/**
 * The width of a column of remarks, wider than usual if the longest needs it: a row of a sheet has room for 27 lines, and a narrow
 * column would hide the rest of a long text, on paper too.
 */
export function remarkWidth(longest: number, usual: number): number {
  return Math.min(80, Math.max(usual, Math.ceil(longest / 12)))
}

/** A number of fewer digits has room in any column of a sheet. */
const usualWidth = 8

function lookOf(
  { type, look: own, isFilled, hasTimes, longest }: Slot,
  { isId, isZoned }: { readonly isId: boolean; readonly isZoned: boolean },
): Pick<Column, 'look'> {
  const isNumber = type === 'number' || type === 'integer'
  const look: ColumnLook = {
    ...own,
    ...(own?.wraps === true ? { width: remarkWidth(longest, Math.min(40, Math.max(10, longest + 1))) } : {}),
    ...(isNumber && longest >= usualWidth ? { width: longest + 1 } : {}),
    ...(isId ? { isId } : {}),
    // A day that the service stores as a moment, such as a sowing date.
    ...(isZoned && isFilled && !hasTimes ? { times: 'day only' } : {}),
  }
  return Object.keys(look).length === 0 ? {} : { look }
}

/** The title of a column in a table whose times are in the zone. */
export function columnTitle({ title, type }: Slot, zone: string | undefined): string {
  return type === 'date-time' && zone !== undefined ? zonedTitle(title, zone) : title
}

/** The title of a column whose times are all in one zone. */
export function zonedTitle(title: string, zone: string): string {
  return `${title} (${zone})`
}

function foldLongLists(tree: Tree, owner: Node, folded: Set<Slot>): void {
  if (owner.longest > longestNumbered) {
    const isOfGroups = owner.entries.some(
      ({ members, entries, slots }) =>
        members.size + entries.length > 0 || [...slots.keys()].some((facet) => facet !== 'value'),
    )
    if (isOfGroups) tree.hasLeftovers = true
    for (const entry of owner.entries) foldAll(entry, folded)
    const joined = slotOf(tree, owner, 'joined', { title: owner.title, type: 'text' })
    if (joined === undefined) tree.hasLeftovers = true
    else joined.isFilled = true
    return
  }
  for (const inside of [...owner.members.values(), ...owner.entries]) foldLongLists(tree, inside, folded)
}

function foldAll(owner: Node, folded: Set<Slot>): void {
  for (const slot of owner.slots.values()) folded.add(slot)
  for (const inside of [...owner.members.values(), ...owner.entries]) foldAll(inside, folded)
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < one.length && index < other.length; index += 1)
    if (one[index] !== other[index]) return one[index]! - other[index]!
  return one.length - other.length
}

/** A name that no column has yet, ignoring case as spreadsheets and databases do. */
function freeName(title: string, taken: Set<string>): string {
  let name = title
  for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = againTitle(title, count)
  taken.add(name.toLowerCase())
  return name
}

/** The name of a further column with the same title. */
export function againTitle(title: string, count: number): string {
  return `${title} ${count}`
}

/**
 * `open` is for members that windrow does not know: their values decide. `boundary` is geometry that the file format stores
 * itself, `shape` is geometry that needs a text column; `tag` is a type name that adds nothing to the columns.
 */
type Role =
  | {
      readonly is:
        | 'text'
        | 'number'
        | 'boolean'
        | 'date-time'
        | 'open'
        | 'boundary'
        | 'shape'
        | 'point'
        | 'tag'
        | 'identifiers'
    }
  | { readonly is: 'measure'; readonly kind: UnitKind | undefined }
  | { readonly is: 'group'; readonly members: Readonly<Record<string, unknown>> }
  | { readonly is: 'list'; readonly entries: unknown }

type SchemaParts = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
}

/** The role of the member `name` with this schema; no schema means an unknown member. */
function roleOf(name: string, schema: unknown): Role {
  if (schema === undefined) return { is: 'open' }
  if (schema === feature) return { is: name === 'spatialFeature' ? 'boundary' : 'shape' }
  if (schema === point) return { is: 'point' }
  if (name === 'resourceType' || schema === referencedType) return { is: 'tag' }
  const { type, format, properties, items } = schema as SchemaParts
  if (isIdentifier(properties)) return { is: 'identifiers' }
  const first = typeof type === 'string' ? type : type?.[0]
  if (first === 'object') return groupRole(properties)
  if (first === 'array') {
    const entries = items as SchemaParts | undefined
    return isIdentifier(entries?.properties) ? { is: 'identifiers' } : { is: 'list', entries: items }
  }
  if (first === 'number' || first === 'integer') return { is: 'number' }
  if (first === 'boolean') return { is: 'boolean' }
  if (first !== 'string') return { is: 'open' }
  return { is: format === 'date-time' ? 'date-time' : 'text' }
}

/** A breed's code has `schema` where other identifiers have `scheme`. */
function isIdentifier(properties: Readonly<Record<string, unknown>> | undefined): boolean {
  return properties?.['id'] !== undefined && (properties['scheme'] ?? properties['schema']) !== undefined
}

function groupRole(properties: Readonly<Record<string, unknown>> | undefined): Role {
  if (properties === undefined) return { is: 'open' }
  const unit = (properties['units'] as SchemaParts | undefined)?.format
  if (unit?.endsWith('-unit') !== true) return { is: 'group', members: properties }
  return { is: 'measure', kind: unitKindOf(unit) }
}
