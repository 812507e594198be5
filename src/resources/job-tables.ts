/** Lays out work records: in one table with a row for each product used, or in three linked tables. */

import { membersOf } from './building-blocks.ts'
import { addRoot, newTree, slotOf, type Node, type Slot, type Tree } from './column-tree.ts'
import type { Manner } from './column-walk.ts'
import { placeIn, startDay } from './diary.ts'
import { groupIn, groupsIn, textIn, type Group } from './groups.ts'
import { operationProduct, operationRecordSchema, productComponent } from './work-record.ts'
import type { ResourceType } from './resource-type.ts'
import { sourceIds } from './spellings.ts'
import { impliedMembers, recordTree, titleOfType, type FlattenerOptions, type Part, type Plan } from './table-plan.ts'

/** A group and its JSON pointer. */
type Entry = { readonly group: Group; readonly base: string }

function entriesIn(owner: Group, name: string, base: string): readonly Entry[] {
  return groupsIn(owner, name).map((group, index) => ({ group, base: `${base}/${name}/${index}` }))
}

/** The lists of a work record that have rows of their own. */
const lists: ReadonlySet<string> = new Set(['loggedOperations', 'products', 'components'])

type Operation = Entry & { readonly products: readonly Product[] }
type Product = Entry & {
  readonly component: Entry | undefined
  readonly number: number
  readonly componentNumber: number
}

/** The operations of a work record; a product is listed once for each of its components. */
function operationsOf(body: object): readonly Operation[] {
  return entriesIn(body as Group, 'loggedOperations', '').map(({ group, base }) => ({
    group,
    base,
    products: entriesIn(group, 'products', base).flatMap((product, index): readonly Product[] => {
      const components = entriesIn(product.group, 'components', product.base)
      const number = index + 1
      if (components.length === 0) return [{ ...product, component: undefined, number, componentNumber: 1 }]
      return components.map((component, at) => ({ ...product, component, number, componentNumber: at + 1 }))
    }),
  }))
}

type ProductRoots = { readonly product: Node; readonly component: Node }

function productRoots(tree: Tree): ProductRoots {
  return {
    product: addRoot(tree, '', membersOf(operationProduct)),
    component: addRoot(tree, '', membersOf(productComponent)),
  }
}

function productParts(roots: ProductRoots, product: Product): readonly Part[] {
  const { group, base, component } = product
  const isExpanded = component !== undefined
  // A mix is applied once: totals repeated for each component would be counted again in a sum of the column.
  const amounts = product.componentNumber > 1 ? ['applicationTotal', 'waterVolume'] : []
  return [
    { root: roots.product, group, base, skip: new Set([...(isExpanded ? ['components'] : []), ...amounts]) },
    ...(isExpanded ? [{ root: roots.component, ...component, skip: new Set<string>() }] : []),
  ]
}

/** What rows of work records have as geometry: where the machine went, else the outline of the work; or the middle of it. */
export const jobGeometryKinds = ['logged', 'point', 'none'] as const
export type JobGeometry = (typeof jobGeometryKinds)[number]

/** The members of an operation that say where it was done: where the machine went, and the outline of the work. */
export const operationShapes = ['loggedGeometry', 'summaryGeometry'] as const

/** The GeoJSON geometry of the operation of each row of `jobPlan`. */
export function jobGeometries(body: object): readonly unknown[] {
  const operations = operationsOf(body)
  if (operations.length === 0) return [undefined]
  return operations.flatMap(({ group, products }) => {
    const geometries = operationShapes.map((name) => groupIn(group, name)['geometry'])
    const geometry = geometries.find((each) => each !== null && each !== undefined)
    return Array<unknown>(Math.max(1, products.length)).fill(geometry)
  })
}

const jobAreas = ['workedArea', 'nonOverlapWorkedArea']

/**
 * One row for each component of each product of each operation; the members of the whole job are repeated. For people its areas are
 * only in the first row, so that a sum of the column is right. Operations have no column for the members `without`.
 */
export function jobPlan(
  type: ResourceType,
  manner: Manner,
  { forPeople = false, without = [] }: FlattenerOptions,
): Plan {
  const { tree, root } = recordTree(type, manner)
  const operationRoot = addRoot(tree, 'Logged', membersOf(operationRecordSchema))
  const roots = productRoots(tree)
  return {
    name: type.plural,
    title: titleOfType(type),
    tree,
    elsewhere: new Set([...lists, ...without]),
    rowsOf(body) {
      const operations = operationsOf(body)
      const elsewhere = operations.length > 0 ? ['loggedOperations'] : []
      const record: Part = { root, group: body, skip: impliedMembers(type, body, elsewhere), base: '' }
      if (operations.length === 0) return [[record]]
      const again: Part = forPeople ? { ...record, skip: new Set([...record.skip, ...jobAreas]) } : record
      const rows = operations.flatMap(({ group, base, products }) => {
        const operation: Part = {
          root: operationRoot,
          group,
          base,
          skip: new Set(products.length > 0 ? ['products', ...without] : without),
        }
        if (products.length === 0) return [[operation]]
        return products.map((product) => [operation, ...productParts(roots, product)])
      })
      return rows.map((parts, index) => [index === 0 ? record : again, ...parts])
    },
  }
}

/**
 * Work records, their operations and the products of those, linked by their ids. For people they begin with the day, the farm and the
 * paddock, and with cells that lead to the other tables.
 */
export function linkedPlans(type: ResourceType, manner: Manner, forPeople: boolean): readonly Plan[] {
  const jobs = recordTree(type, manner, ['id'])
  const jobLink = linkColumn(jobs.tree, jobs.root, jobIdTitle)
  const toPasses = forPeople ? leadingColumn(jobs.tree, jobs.root, operationsTitle, operationsTitle) : undefined
  const passes = newTree()
  const passRoot = addRoot(passes, '', membersOf(operationRecordSchema))
  const passLinks = [linkColumn(passes, passRoot, jobIdTitle), linkColumn(passes, passRoot, operationIdTitle)] as const
  const passContext = forPeople ? contextColumns(passes, passRoot, manner) : undefined
  const toJob = forPeople ? leadingColumn(passes, passRoot, jobTitle, jobsTitle) : undefined
  const toProducts = forPeople ? leadingColumn(passes, passRoot, productsTitle, productsTitle) : undefined
  return [
    {
      name: 'work-records',
      title: jobsTitle,
      tree: jobs.tree,
      elsewhere: new Set([...lists, 'id']),
      rowsOf(body, count) {
        const { link, isId } = jobId(body, count)
        const operations = operationsOf(body).length
        const elsewhere = [...(isId ? ['id'] : []), ...(operations > 0 ? ['loggedOperations'] : [])]
        return [
          [
            { slot: jobLink, value: link },
            { slot: toPasses, value: operations === 0 ? undefined : `${operations}` },
            { root: jobs.root, group: body, skip: impliedMembers(type, body, elsewhere), base: '' },
          ],
        ]
      },
    },
    {
      name: 'operations',
      title: operationsTitle,
      tree: passes,
      elsewhere: lists,
      rowsOf: (body, count) =>
        linkedOperations(body, count).map(({ job, link, isId, operation: { group, base, products } }) => [
          { slot: passLinks[0], value: job },
          { slot: passLinks[1], value: link },
          ...(passContext?.(body, group) ?? []),
          { slot: toJob, value: nameOf(body, job) },
          { slot: toProducts, value: products.length === 0 ? undefined : `${products.length}` },
          {
            root: passRoot,
            group,
            base,
            skip: new Set([...(isId ? ['id'] : []), ...(products.length > 0 ? ['products'] : [])]),
          },
        ]),
    },
    productPlan(manner, forPeople),
  ]
}

function productPlan(manner: Manner, forPeople: boolean): Plan {
  const tree = newTree()
  const roots = productRoots(tree)
  const links = [jobIdTitle, operationIdTitle].map((title) => linkColumn(tree, roots.product, title))
  const numbers = ['Product no', 'Component no'].map((title) => linkColumn(tree, roots.product, title, 'integer'))
  const context = forPeople ? contextColumns(tree, roots.product, manner) : undefined
  const toPass = forPeople ? leadingColumn(tree, roots.product, operationTitle, operationsTitle) : undefined
  return {
    name: 'products',
    title: productsTitle,
    tree,
    elsewhere: lists,
    rowsOf: (body, count) =>
      linkedOperations(body, count).flatMap(({ job, link, operation }) =>
        operation.products.map((product) => [
          { slot: links[0], value: job },
          { slot: links[1], value: link },
          { slot: numbers[0], value: product.number },
          { slot: numbers[1], value: product.componentNumber },
          ...(context?.(body, operation.group) ?? []),
          { slot: toPass, value: operationName(operation.group, nameOf(body, job)) },
          ...productParts(roots, product),
        ]),
      ),
  }
}

const jobsTitle = 'Work records'
const operationsTitle = 'Operations'
const productsTitle = 'Products'
const jobTitle = 'Work record'
const operationTitle = 'Operation of'

/** The row of the same record that each cell leads to: from a record to its operations and from those to their products, and back. */
export function linkedLeads(body: object): readonly (readonly Readonly<Record<string, number>>[])[] {
  const operations = operationsOf(body)
  let products = 0
  const starts = operations.map((each) => {
    products += each.products.length
    return products - each.products.length
  })
  return [
    [operations.length === 0 ? {} : { [operationsTitle]: 0 }],
    operations.map((each, index) => ({
      [jobTitle]: 0,
      ...(each.products.length === 0 ? {} : { [productsTitle]: starts[index]! }),
    })),
    operations.flatMap((each, index) => each.products.map(() => ({ [operationTitle]: index }))),
  ]
}

// The columns before those of the members, whose places begin with 0, lie in three blocks of at most ten.
const blocks = { context: -30, leads: -20, ids: -10 } as const

/** The next place of a block; the columns of each are in the order in which they are added. */
function placeBefore(root: Node, block: keyof typeof blocks): number {
  return blocks[block] + root.slots.size
}

/** The columns that say when and where, in tables that would otherwise only have ids for it. */
function contextColumns(tree: Tree, root: Node, { clock }: Manner) {
  const column = (title: string, type: 'text' | 'date'): Slot | undefined =>
    slotOf(tree, root, `context ${title}`, { title, type, place: placeBefore(root, 'context'), isId: false })
  const slots = [column('Day', 'date'), column('Farm', 'text'), column('Paddock', 'text')] as const
  return (body: object, operation: Group): readonly Part[] => {
    const work = { job: body as Group, operation }
    const [farm, paddock] = [placeIn(work, 'holding'), placeIn(work, 'feature')]
    return [
      { slot: slots[0], value: startDay(clock, work) },
      { slot: slots[1], value: farm.name ?? farm.id },
      { slot: slots[2], value: paddock.name ?? paddock.id },
    ]
  }
}

function nameOf(body: object, link: string): string {
  return textIn(body, 'name') ?? textIn(body, 'operation') ?? link
}

function operationName(operation: object, otherwise: string): string {
  return textIn(operation, 'operationName') ?? textIn(operation, 'name') ?? otherwise
}

function leadingColumn(tree: Tree, root: Node, title: string, leadsTo: string): Slot | undefined {
  return slotOf(tree, root, `to ${title}`, {
    title,
    type: 'text',
    place: placeBefore(root, 'leads'),
    isId: false,
    look: { leadsTo },
  })
}

const jobIdTitle = 'Work record id'
const operationIdTitle = 'Operation id'

function linkColumn(tree: Tree, root: Node, title: string, type: 'text' | 'integer' = 'text'): Slot | undefined {
  return slotOf(tree, root, title, { title, type, place: placeBefore(root, 'ids'), isId: true })
}

/** The link of a work record in the other tables: its id, else its source id, else its number in the export. */
function jobId(body: object, count: number): { readonly link: string; readonly isId: boolean } {
  const id = textIn(body, 'id')
  if (id !== undefined) return { link: id, isId: true }
  return { link: sourceIds(groupIn(body, 'meta'))[0]?.id ?? `record ${count}`, isId: false }
}

function linkedOperations(body: object, count: number) {
  const job = jobId(body, count).link
  const taken = new Set<string>()
  return operationsOf(body).map((operation, index) => {
    const id = textIn(operation.group, 'id')
    const isId = id !== undefined && !taken.has(id)
    const link = isId ? id : `${job}/${index + 1}`
    taken.add(link)
    return { job, link, isId, operation }
  })
}
