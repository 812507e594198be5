/** Plans a table of records: which parts of a record make a row, and which columns are always present. */

import type { Column, Value, Values } from '../core/row.ts'
import { membersOf } from './building-blocks.ts'
import { addRoot, memberNode, newTree, slotOf, type Node, type Slot, type Tree } from './column-tree.ts'
import { isScalarRole, measureTitle, type Manner } from './column-walk.ts'
import { findResourceType } from './index.ts'
import type { ResourceType } from './resource-type.ts'
import { unitOfCode } from './units.ts'

/** A part of a row: members of a group under a root, or one cell. */
export type Part =
  | { readonly root: Node; readonly group: object; readonly skip: ReadonlySet<string>; readonly base: string }
  | { readonly slot: Slot | undefined; readonly value: Value }

/** The plan of a table; `elsewhere` are members that its columns do not show, because rows of their own do; `count` is the number of the record in the export, for records without any id. */
export type Plan = {
  readonly name: string
  readonly title: string
  readonly tree: Tree
  readonly elsewhere: ReadonlySet<string>
  readonly rowsOf: (body: object, count: number) => readonly (readonly Part[])[]
}

/**
 * `see` every record, `expect` the columns that must be there, then ask for `tables`, then for the `rows` of each record: one list for each table. `leads` has the row of
 * the same record, from 0, that a cell of a column leads to in another table. `count` is the number of the record in its table, by which
 * tables without ids are linked; by default one more than the last. `momentOf` gives the order in which rows are read; `once`
 * is the column that only the first row of a record fills.
 */
export type Flattener = {
  see(body: object): void
  /** Adds the column of this name, if no record fills it but one could; false if there is no such column. */
  expect?(name: string): boolean
  /** Of each table the name for files, the title for people, and the columns. */
  tables(): readonly (Pick<Plan, 'name' | 'title'> & { readonly columns: readonly Column[] })[]
  rows(body: object, count?: number): readonly (readonly Values[])[]
  leads?(body: object): readonly (readonly Readonly<Record<string, number>>[])[]
  momentOf?(body: object): number
  readonly once?: string
}

/**
 * `units` are codes or words ("ha", "acres"), of rates "L/ha, kg/ha"; with `zone`, such as Pacific/Auckland, times are in it and their
 * columns name it, without it they keep their own offset; `without` lists members that get no column. With `forPeople`, ids come last
 * and linked tables begin with what a person looks for; with `leavesOutEmpty`, columns without any value are left out, but not those
 * that a diary `keeps`. `farmOf` fills a column with the name of the farm, in tables of types that do not name it.
 */
export type FlattenerOptions = {
  readonly layout?: Layout
  readonly forPeople?: boolean
  readonly leavesOutEmpty?: boolean
  readonly keeps?: readonly string[]
  readonly zone?: string
  readonly units?: UnitWords
  readonly without?: readonly string[]
  readonly farmOf?: (body: object) => string | undefined
}

/** The units that a person chose; rates have one of their own in the diary only. */
export type UnitWords = { readonly [Kind in 'area' | 'length' | 'rate']?: string | undefined }

/** The layouts of work records; other types have one table in each of them. */
export const layouts = ['diary', 'linked', 'flat'] as const
export type Layout = (typeof layouts)[number]

/** One table with one row for each record. */
export function plainPlan(type: ResourceType, manner: Manner, { without = [], farmOf }: FlattenerOptions): Plan {
  const { tree, root } = recordTree(type, manner, without)
  const name = farmOf && memberNode(tree, root, 'name')
  const farm = name && slotOf(tree, name, 'farm', { title: 'Farm', type: 'text', place: 1 })
  return {
    name: type.plural,
    title: titleOfType(type),
    tree,
    elsewhere: new Set(without),
    rowsOf: (body) => [
      [
        { slot: farm, value: farmOf?.(body) },
        { root, group: body, skip: impliedMembers(type, body, without), base: '' },
      ],
    ],
  }
}

/** The columns of the record itself; `elsewhere` are members that get no column here. */
export function recordTree(type: ResourceType, manner: Manner, elsewhere: readonly string[] = []) {
  const tree = newTree()
  const root = addRoot(tree, '', membersOf(type.schema))
  const expected = Object.keys(membersOf(type.schema)).filter((name) => !seldom.has(name) && !elsewhere.includes(name))
  for (const name of expected) expectColumn(tree, root, name, manner)
  const meta = memberNode(tree, root, 'meta')
  if (meta !== undefined) expectColumn(tree, meta, 'modified', manner)
  return { tree, root }
}

const seldom: ReadonlySet<string> = new Set(['self', '@self', 'featureCatalog'])

/** Plain members of the schema always get a column, even without a value, so that every export looks alike. */
function expectColumn(tree: Tree, owner: Node, name: string, manner: Manner): void {
  const node = memberNode(tree, owner, name)
  if (node === undefined) return
  const { role, title } = node
  if (isScalarRole(role.is)) slotOf(tree, node, 'value', { title, type: role.is })
  if (role.is !== 'measure' || role.kind === undefined) return
  const unit = manner.unitOf(role.kind)
  slotOf(tree, node, role.kind, { title: measureTitle(node, unitOfCode(unit)?.sign ?? unit), type: 'number' })
}

/** The name of a table of records of the type. */
export function titleOfType(type: ResourceType): string {
  return `${type.plural.charAt(0).toUpperCase()}${type.plural.slice(1).replaceAll('-', ' ')}`
}

/** Members that the table implies or shows elsewhere. */
export function impliedMembers(type: ResourceType, body: object, elsewhere: readonly string[]): ReadonlySet<string> {
  const named: unknown = (body as { readonly resourceType?: unknown }).resourceType
  const isImplied = typeof named === 'string' && findResourceType(named) === type
  return new Set(isImplied ? ['resourceType', ...elsewhere] : elsewhere)
}

/** The column of this name; its unit or zone in brackets may be left out. A single word is enough where only one column has it. */
export function columnCalled<Named extends { readonly name: string }>(
  columns: readonly Named[],
  wanted: string,
): Named | undefined {
  const word = wanted.toLowerCase()
  const found =
    columns.find(({ name }) => name === wanted) ??
    columns.find(({ name }) => name.toLowerCase() === word) ??
    columns.find(({ name }) => name.toLowerCase().replace(/ \([^()]*\)$/, '') === word)
  if (found !== undefined) return found
  const having = columns.filter(({ name }) =>
    name
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .includes(word),
  )
  return having.length === 1 ? having[0] : undefined
}
