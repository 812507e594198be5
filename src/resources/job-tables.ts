/** Lays out work records: in one table with a row for each product used, or in three linked tables. */

import { addRoot, newTree, slotOf, type Node, type Slot, type Tree } from './column-tree.ts'
import type { Manner } from './column-walk.ts'
import { operationProduct, operationRecordSchema, productComponent } from './operation.ts'
import type { ResourceType } from './resource-type.ts'
import { sourceIds } from './spellings.ts'
import { impliedMembers, membersOf, recordTree, titleOfType, type Part, type Plan } from './table-plan.ts'

/** The entries of a list of groups, each with its pointer; none when the member is something else, which then stays in place. */
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

/** The operations of a work record; a product is listed once for each of its components. */
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
  // A mix is applied once: totals repeated for each component would be counted again in a sum of the column.
  const amounts = product.componentNumber > 1 ? ['applicationTotal', 'waterVolume'] : []
  return [
    { root: roots.product, group, base, skip: new Set([...(isExpanded ? ['components'] : []), ...amounts]) },
    ...(isExpanded ? [{ root: roots.component, ...component, skip: new Set<string>() }] : []),
  ]
}

/** One row for each component of each product of each operation; the members of the whole job are repeated. */
export function jobPlan(type: ResourceType, manner: Manner): Plan {
  const { tree, root } = recordTree(type, manner)
  const operationRoot = addRoot(tree, 'Logged', membersOf(operationRecordSchema))
  const roots = {
    product: addRoot(tree, '', membersOf(operationProduct)),
    component: addRoot(tree, '', membersOf(productComponent)),
  }
  return {
    name: type.plural,
    title: titleOfType(type),
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

/** Work records, their operations and the products of those, linked by the ids in the first columns. */
export function linkedPlans(type: ResourceType, manner: Manner): readonly Plan[] {
  const jobs = recordTree(type, manner, ['id'])
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

/** The link of a work record in the other tables: its id, else its source id, else its number in the export. */
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
