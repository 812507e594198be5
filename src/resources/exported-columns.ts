/** Finds the field of a record behind a column of an export, by the tree and the titles that columns.ts uses. */

import { addRoot, againTitle, entryNode, longestNumbered, memberNode, newTree, zonedTitle } from './column-tree.ts'
import type { Node, Tree } from './column-tree.ts'
import {
  measureTitle,
  pointTitles,
  resolutionTitle,
  schemeTitle,
  shapeTitle,
  walkValue,
  type Manner,
} from './column-walk.ts'
import type { ResourceType } from './resource-type.ts'
import { membersOf } from './building-blocks.ts'
import { unitOfCode, units } from './units.ts'

/**
 * The field of a column, as a JSON pointer. For `identifier` it is the pointer of the list, for `longitude` and `latitude` that of
 * the point. `unit` is a sign such as ha; `zone` is the zone in the header.
 */
export type ExportedField = { readonly pointer: string } & (
  | { readonly is: 'value' | 'longitude' | 'latitude' }
  | { readonly is: 'date-time'; readonly zone: string | undefined }
  | { readonly is: 'measure'; readonly unit: string }
  | { readonly is: 'identifier'; readonly scheme: string }
)

/** The columns that an export of this type has among these, with their fields. A name that stands for two fields is left out. */
export function exportedColumns(type: ResourceType, names: readonly string[]): ReadonlyMap<string, ExportedField> {
  const tree = newTree()
  const root = addRoot(tree, '', membersOf(type.schema))
  const all = new Set(names)
  const found = new Map<string, ExportedField>()
  for (const name of names) {
    const field = all.has(againTitle(name, 2)) ? undefined : fieldIn(tree, root, { header: name })?.field
    if (field !== undefined && field.is !== 'shape' && field.is !== 'resolution') found.set(name, field)
  }
  return found
}

/** The field of a column of any kind; an import reads neither shapes from texts nor resolutions. */
type AnyField =
  | ExportedField
  | { readonly pointer: string; readonly is: 'shape' }
  | { readonly pointer: string; readonly is: 'resolution'; readonly unit: string }

/** A column to find; with `anyCase`, small and capital letters are the same. */
type Search = { readonly header: string; readonly anyCase?: true }

type Found = { readonly node: Node; readonly field: AnyField }

function fieldIn(tree: Tree, owner: Node, search: Search): Found | undefined {
  const { role, pointer, title, longest } = owner
  const { header, anyCase } = search
  const cased = (text: string): string => (anyCase === true ? text.toLowerCase() : text)
  const isCalled = (text: string): boolean => cased(text) === cased(header)
  const found = (field: AnyField): Found => ({ node: owner, field })
  const firstField = <T>(among: Iterable<T>, nodeOf: (each: T) => Node | undefined): Found | undefined => {
    for (const each of among) {
      const node = nodeOf(each)
      const inside = node && fieldIn(tree, node, search)
      if (inside !== undefined) return inside
    }
    return undefined
  }
  switch (role.is) {
    case 'group':
      return cased(header).startsWith(cased(title))
        ? firstField(Object.keys(role.members), (name) => memberNode(tree, owner, name))
        : undefined
    case 'list':
      // A longer list has one column for all its entries.
      return longest > longestNumbered
        ? undefined
        : firstField(Array(longestNumbered).keys(), (index) => entryNode(tree, owner, index))
    case 'identifiers': {
      const scheme = inBrackets(header)
      const counts = Array.from({ length: longestNumbered }, (_, index) => index + 1)
      return scheme !== undefined && counts.some((count) => isCalled(schemeTitle(owner, scheme, count)))
        ? found({ pointer, is: 'identifier', scheme })
        : undefined
    }
    case 'measure': {
      const own = units.filter(({ kind }) => (role.kind ?? kind) === kind)
      const unit = own.find(({ sign }) => isCalled(measureTitle(owner, sign)))
      if (unit !== undefined) return found({ pointer, is: 'measure', unit: unit.sign })
      const finer = own.find(({ sign }) => isCalled(resolutionTitle(owner, sign)))
      return finer && found({ pointer, is: 'resolution', unit: finer.sign })
    }
    case 'point': {
      const at = pointTitles(owner).findIndex(isCalled)
      return at === -1 ? undefined : found({ pointer, is: at === 0 ? 'longitude' : 'latitude' })
    }
    case 'date-time': {
      const zone = inBrackets(header)
      if (isCalled(title)) return found({ pointer, is: 'date-time', zone: undefined })
      return zone !== undefined && isCalled(zonedTitle(title, zone))
        ? found({ pointer, is: 'date-time', zone })
        : undefined
    }
    case 'text':
    case 'number':
    case 'boolean':
      return isCalled(title) ? found({ pointer, is: 'value' }) : undefined
    case 'shape':
      return isCalled(shapeTitle(owner)) ? found({ pointer, is: 'shape' }) : undefined
    case 'open':
    case 'boundary':
    case 'tag':
      return undefined
  }
}

/** The text in the brackets at the end of a header; it may contain brackets itself. */
function inBrackets(header: string): string | undefined {
  return /^[^(]* \((.+)\)$/.exec(header)?.[1]
}

/**
 * Adds the column of this name, which a record could fill and none did, to a tree that still grows; its unit or zone may be left out.
 * False if the schema has no such field. `elsewhere` are members of the roots that other rows show.
 */
export function addColumn(
  { tree, elsewhere }: { readonly tree: Tree; readonly elsewhere: ReadonlySet<string> },
  name: string,
  { manner, zone }: { readonly manner: Manner; readonly zone: string | undefined },
): boolean {
  const known = tree.slots.length
  const kinds = [...new Set(units.map(({ kind }) => kind))]
  const signs = kinds.map((kind) => unitOfCode(manner.unitOf(kind))?.sign)
  const headers = [name, ...[zone, ...signs].flatMap((each) => (each === undefined ? [] : [`${name} (${each})`]))]
  for (const header of headers)
    for (const root of tree.roots) {
      const search = { header, anyCase: true } as const
      const members = root.role.is === 'group' ? Object.keys(root.role.members) : []
      for (const member of members.filter((each) => !elsewhere.has(each))) {
        const node = memberNode(tree, root, member)
        const found = node && fieldIn(tree, node, search)
        if (found === undefined) continue
        walkValue({ tree, manner, cells: undefined, leftovers: new Map(), base: '' }, found.node, exampleOf(found))
        for (const slot of tree.slots.slice(known)) {
          slot.isFilled = false
          slot.isWanted = true
        }
        return true
      }
    }
  return false
}

/** A value that makes the column of the field. */
function exampleOf({ node, field }: Found): unknown {
  switch (field.is) {
    case 'identifier':
      return { scheme: field.scheme, id: '1' }
    case 'measure':
    case 'resolution':
      return {
        measurement: 1,
        ...(field.is === 'resolution' && { resolution: 1 }),
        units: units.find(({ sign }) => sign === field.unit)!.code,
      }
    case 'longitude':
    case 'latitude':
      return { type: 'Point', coordinates: [0, 0] }
    case 'shape':
      return { type: 'Feature', geometry: { type: 'Point', coordinates: [0, 0] } }
    case 'date-time':
      return '2000-01-01T00:00:00Z'
    case 'value':
      return node.role.is === 'number' ? 1 : node.role.is === 'boolean' ? true : 'text'
  }
}
