/**
 * Hides how records become tables: the one flattener, for spreadsheets and every other flat form. Two passes: it sees every
 * record first, then the columns are settled, then it gives rows.
 */

import { WindrowError } from '../core/error.ts'
import type { Column, Value, Values } from '../core/row.ts'
import { addRoot, memberNode, newTree, settle, slotOf, type Node, type Slot, type Tree } from './column-tree.ts'
import { finishRow, walkMembers, type Manner } from './column-walk.ts'
import { findResourceType } from './index.ts'
import { zoneClock } from './local-time.ts'
import { operationProduct, operationRecordSchema, productComponent } from './operation.ts'
import type { ResourceType } from './resource-type.ts'
import { sourceIds } from './spellings.ts'
import { unitCode, unitOfCode, unitsOfKind, type UnitKind } from './units.ts'
import { sayList, sayValue } from './wording.ts'
import { workRecord } from './work-record.ts'

/** `units` are codes or words ("ha", "acres"); `zone` is a name such as Pacific/Auckland, without it moments are in UTC. */
export type FlattenerOptions = {
  readonly layout?: 'flat' | 'linked'
  readonly zone?: string
  readonly units?: { readonly area?: string; readonly length?: string }
}

/** A table to be: its name for files, its title for people, its columns. */
export type FlatTable = { readonly name: string; readonly title: string; readonly columns: readonly Column[] }

/** `see` every record, then ask for `tables`, then for the `rows` of each record: one list for each table. */
export type Flattener = {
  see(body: object): void
  tables(): readonly FlatTable[]
  rows(body: object): readonly (readonly Values[])[]
}

/**
 * Makes the flattener of a type. 'flat' is one table; a work record has a row for each product of each operation there.
 * 'linked' gives work records three tables with linking ids; other types have one table in both layouts.
 */
export function flattener(type: ResourceType, options: FlattenerOptions = {}): Flattener {
  const manner: Manner = { unitOf: unitChooser(options.units ?? {}), clock: zoneClock(options.zone) }
  const isLinked = type === workRecord && options.layout === 'linked'
  const plans = isLinked
    ? linkedPlans(type, manner)
    : [type === workRecord ? jobPlan(type, manner) : plainPlan(type, manner)]
  let count = 0
  return {
    see(body) {
      for (const plan of plans) for (const parts of plan.rowsOf(body, 0)) fill(plan.tree, manner, parts, undefined)
    },
    tables: () => plans.map(({ name, title, tree }) => ({ name, title, columns: settle(tree) })),
    rows(body) {
      count += 1
      for (const { tree } of plans) settle(tree)
      return plans.map(({ tree, rowsOf }) =>
        rowsOf(body, count).map((parts) => {
          const cells: Value[] = Array.from({ length: tree.settled?.columns.length ?? 0 })
          return finishRow(tree, cells, fill(tree, manner, parts, cells))
        }),
      )
    },
  }
}

/** What a row shows: members of a group under a root, or one cell. */
type Part =
  | { readonly root: Node; readonly group: object; readonly skip: ReadonlySet<string>; readonly base: string }
  | { readonly slot: Slot | undefined; readonly value: Value }

type Plan = {
  readonly name: string
  readonly title: string
  readonly tree: Tree
  readonly rowsOf: (body: object, count: number) => readonly (readonly Part[])[]
}

function fill(
  tree: Tree,
  manner: Manner,
  parts: readonly Part[],
  cells: Value[] | undefined,
): ReadonlyMap<string, unknown> {
  const leftovers = new Map<string, unknown>()
  for (const part of parts) {
    if ('root' in part)
      walkMembers({ tree, manner, cells, leftovers, base: part.base }, part.root, part.group, part.skip)
    else if (cells !== undefined && part.slot !== undefined) cells[part.slot.at] = part.value
  }
  return leftovers
}

function unitChooser(units: { readonly area?: string; readonly length?: string }): (kind: UnitKind) => string {
  const chosen: Readonly<Record<UnitKind, string>> = {
    area: chosenUnit('area', units.area ?? 'HAR'),
    length: chosenUnit('length', units.length ?? 'MTR'),
    mass: 'KGM',
    volume: 'LTR',
    speed: 'KMH',
    temperature: 'CEL',
  }
  return (kind) => chosen[kind]
}

function chosenUnit(kind: UnitKind, word: string): string {
  const code = unitCode(word, kind)
  if (code !== undefined) return code
  const known = unitsOfKind(kind).map((unit) => unit.sign)
  throw new WindrowError('option-invalid', `${sayValue(word)} is not a unit of ${kind}.`, {
    hint: `Use ${sayList(known)}.`,
  })
}

function plainPlan(type: ResourceType, manner: Manner): Plan {
  const { tree, root } = recordTree(type, manner)
  return {
    name: type.plural,
    title: pluralTitle(type),
    tree,
    rowsOf: (body) => [[{ root, group: body, skip: impliedMembers(type, body, []), base: '' }]],
  }
}

function recordTree(type: ResourceType, manner: Manner): { readonly tree: Tree; readonly root: Node } {
  const tree = newTree()
  const root = addRoot(tree, '', membersOf(type.schema))
  for (const name of Object.keys(membersOf(type.schema))) expectColumn(tree, root, name, manner)
  const meta = memberNode(tree, root, 'meta')
  if (meta !== undefined) expectColumn(tree, meta, 'modified', manner)
  return { tree, root }
}

const seldom: ReadonlySet<string> = new Set(['self', '@self', 'featureCatalog'])

/** Plain members of the schema have a column even in a table without a value for them, so that every export looks alike. */
function expectColumn(tree: Tree, owner: Node, name: string, manner: Manner): void {
  const node = seldom.has(name) ? undefined : memberNode(tree, owner, name)
  if (node === undefined) return
  const { role, title } = node
  if (role.is === 'text' || role.is === 'number' || role.is === 'boolean' || role.is === 'date-time')
    slotOf(tree, node, 'value', { title, type: role.is })
  if (role.is !== 'measure' || role.kind === undefined) return
  const unit = manner.unitOf(role.kind)
  slotOf(tree, node, role.kind, { title: `${title} (${unitOfCode(unit)?.sign ?? unit})`, type: 'number' })
}

function membersOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (schema as { readonly properties?: Readonly<Record<string, unknown>> }).properties ?? {}
}

function pluralTitle(type: ResourceType): string {
  return `${type.plural.charAt(0).toUpperCase()}${type.plural.slice(1).replaceAll('-', ' ')}`
}

/** Members that the table says by itself or shows elsewhere. */
function impliedMembers(type: ResourceType, body: object, elsewhere: readonly string[]): ReadonlySet<string> {
  const named: unknown = (body as { readonly resourceType?: unknown }).resourceType
  const isImplied = typeof named === 'string' && findResourceType(named) === type
  return new Set(isImplied ? ['resourceType', ...elsewhere] : elsewhere)
}

/** The entries of a list of groups, each with where it stands; none when the member is something else and stays where it is. */
function groupsIn(
  owner: object,
  name: string,
  base: string,
): readonly { readonly group: object; readonly base: string }[] {
  const list: unknown = (owner as Readonly<Record<string, unknown>>)[name]
  const isOfGroups =
    Array.isArray(list) && list.every((each) => typeof each === 'object' && each !== null && !Array.isArray(each))
  return isOfGroups ? list.map((group: object, index) => ({ group, base: `${base}/${name}/${index}` })) : []
}

type Operation = { readonly group: object; readonly base: string; readonly products: readonly Product[] }
type Product = {
  readonly group: object
  readonly base: string
  readonly component: { readonly group: object; readonly base: string } | undefined
  readonly number: number
  readonly componentNumber: number
}

/** The operations of a work record; a product stands there once for each of its components. */
function operationsOf(body: object): readonly Operation[] {
  return groupsIn(body, 'loggedOperations', '').map(({ group, base }) => ({
    group,
    base,
    products: groupsIn(group, 'products', base).flatMap((product, index): readonly Product[] => {
      const components = groupsIn(product.group, 'components', product.base)
      const number = index + 1
      if (components.length === 0) return [{ ...product, component: undefined, number, componentNumber: 1 }]
      return components.map((component, at) => ({ ...product, component, number, componentNumber: at + 1 }))
    }),
  }))
}

function productParts(roots: { readonly product: Node; readonly component: Node }, product: Product): readonly Part[] {
  const { group, base, component } = product
  const isExpanded = component !== undefined
  return [
    { root: roots.product, group, base, skip: new Set(isExpanded ? ['components'] : []) },
    ...(isExpanded ? [{ root: roots.component, ...component, skip: new Set<string>() }] : []),
  ]
}

/** One row for each component of each product of each operation; what belongs to the whole job is repeated. */
function jobPlan(type: ResourceType, manner: Manner): Plan {
  const { tree, root } = recordTree(type, manner)
  const operationRoot = addRoot(tree, 'Logged', membersOf(operationRecordSchema))
  const roots = {
    product: addRoot(tree, '', membersOf(operationProduct)),
    component: addRoot(tree, '', membersOf(productComponent)),
  }
  return {
    name: type.plural,
    title: pluralTitle(type),
    tree,
    rowsOf(body) {
      const operations = operationsOf(body)
      const elsewhere = operations.length > 0 ? ['loggedOperations'] : []
      const record: Part = { root, group: body, skip: impliedMembers(type, body, elsewhere), base: '' }
      if (operations.length === 0) return [[record]]
      return operations.flatMap(({ group, base, products }) => {
        const operation: Part = {
          root: operationRoot,
          group,
          base,
          skip: new Set(products.length > 0 ? ['products'] : []),
        }
        if (products.length === 0) return [[record, operation]]
        return products.map((product) => [record, operation, ...productParts(roots, product)])
      })
    },
  }
}

/** Work records, their operations, and the products of those, linked by the ids in the first columns. */
function linkedPlans(type: ResourceType, manner: Manner): readonly Plan[] {
  const jobs = recordTree(type, manner)
  const jobLink = linkColumn(jobs.tree, jobs.root, jobIdTitle)
  const passes = newTree()
  const passRoot = addRoot(passes, '', membersOf(operationRecordSchema))
  const passLinks = [linkColumn(passes, passRoot, jobIdTitle), linkColumn(passes, passRoot, operationIdTitle)] as const
  return [
    {
      name: 'work-records',
      title: 'Work records',
      tree: jobs.tree,
      rowsOf(body, count) {
        const { link, isId } = jobId(body, count)
        const elsewhere = [...(isId ? ['id'] : []), ...(operationsOf(body).length > 0 ? ['loggedOperations'] : [])]
        return [
          [
            { slot: jobLink, value: link },
            { root: jobs.root, group: body, skip: impliedMembers(type, body, elsewhere), base: '' },
          ],
        ]
      },
    },
    {
      name: 'operations',
      title: 'Operations',
      tree: passes,
      rowsOf: (body, count) =>
        linkedOperations(body, count).map(({ job, link, isId, operation: { group, base, products } }) => [
          { slot: passLinks[0], value: job },
          { slot: passLinks[1], value: link },
          {
            root: passRoot,
            group,
            base,
            skip: new Set([...(isId ? ['id'] : []), ...(products.length > 0 ? ['products'] : [])]),
          },
        ]),
    },
    productPlan(),
  ]
}

function productPlan(): Plan {
  const tree = newTree()
  const roots = {
    product: addRoot(tree, '', membersOf(operationProduct)),
    component: addRoot(tree, '', membersOf(productComponent)),
  }
  const links = [jobIdTitle, operationIdTitle].map((title) => linkColumn(tree, roots.product, title))
  const numbers = ['Product no', 'Component no'].map((title) => linkColumn(tree, roots.product, title, 'integer'))
  return {
    name: 'products',
    title: 'Products',
    tree,
    rowsOf: (body, count) =>
      linkedOperations(body, count).flatMap(({ job, link, operation }) =>
        operation.products.map((product) => [
          { slot: links[0], value: job },
          { slot: links[1], value: link },
          { slot: numbers[0], value: product.number },
          { slot: numbers[1], value: product.componentNumber },
          ...productParts(roots, product),
        ]),
      ),
  }
}

const jobIdTitle = 'Work record id'
const operationIdTitle = 'Operation id'

function linkColumn(tree: Tree, root: Node, title: string, type: 'text' | 'integer' = 'text'): Slot | undefined {
  return slotOf(tree, root, title, { title, type, place: root.slots.size - 10 })
}

/** What a work record is called in the other tables: its id, else its source id, else its number in the export. */
function jobId(body: object, count: number): { readonly link: string; readonly isId: boolean } {
  const { id, meta } = body as { readonly id?: unknown; readonly meta?: unknown }
  if (typeof id === 'string' && id !== '') return { link: id, isId: true }
  return { link: sourceIds(meta)[0]?.id ?? `record ${count}`, isId: false }
}

function linkedOperations(
  body: object,
  count: number,
): readonly { readonly job: string; readonly link: string; readonly isId: boolean; readonly operation: Operation }[] {
  const job = jobId(body, count).link
  const taken = new Set<string>()
  return operationsOf(body).map((operation, index) => {
    const { id } = operation.group as { readonly id?: unknown }
    const isId = typeof id === 'string' && id !== '' && !taken.has(id)
    const link = isId ? id : `${job}/${index + 1}`
    taken.add(link)
    return { job, link, isId, operation }
  })
}
