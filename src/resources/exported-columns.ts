/** Finds the field of a record behind a column of an export. It is the inverse of columns.ts and uses the same tree and titles. */

import { addRoot, againTitle, entryNode, longestNumbered, memberNode, newTree, zonedTitle } from './column-tree.ts'
import type { Node, Tree } from './column-tree.ts'
import { measureTitle, pointTitles, schemeTitle } from './column-walk.ts'
import type { ResourceType } from './resource-type.ts'
import { membersOf } from './building-blocks.ts'
import { units } from './units.ts'

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
    const field = all.has(againTitle(name, 2)) ? undefined : fieldIn(tree, root, name)
    if (field !== undefined) found.set(name, field)
  }
  return found
}

function fieldIn(tree: Tree, owner: Node, header: string): ExportedField | undefined {
  const { role, pointer, title } = owner
  const firstField = <T>(among: Iterable<T>, nodeOf: (each: T) => Node | undefined): ExportedField | undefined => {
    for (const each of among) {
      const node = nodeOf(each)
      const field = node && fieldIn(tree, node, header)
      if (field !== undefined) return field
    }
    return undefined
  }
  switch (role.is) {
    case 'group':
      return header.startsWith(title)
        ? firstField(Object.keys(role.members), (name) => memberNode(tree, owner, name))
        : undefined
    case 'list':
      return firstField(Array(longestNumbered).keys(), (index) => entryNode(tree, owner, index))
    case 'identifiers': {
      const scheme = schemeIn(owner, header)
      return scheme === undefined ? undefined : { pointer, is: 'identifier', scheme }
    }
    case 'measure': {
      const unit = units.find(({ sign, kind }) => (role.kind ?? kind) === kind && measureTitle(owner, sign) === header)
      return unit && { pointer, is: 'measure', unit: unit.sign }
    }
    case 'point': {
      const at = pointTitles(owner).indexOf(header)
      return at === -1 ? undefined : { pointer, is: at === 0 ? 'longitude' : 'latitude' }
    }
    case 'date-time': {
      const zone = inBrackets(header)
      if (header === title) return { pointer, is: 'date-time', zone: undefined }
      return zone !== undefined && zonedTitle(title, zone) === header ? { pointer, is: 'date-time', zone } : undefined
    }
    case 'text':
    case 'number':
    case 'boolean':
      return header === title ? { pointer, is: 'value' } : undefined
    case 'open':
    case 'boundary':
    case 'shape':
    case 'tag':
      return undefined
  }
}

function schemeIn(owner: Node, header: string): string | undefined {
  const scheme = inBrackets(header)
  if (scheme === undefined) return undefined
  const counts = Array.from({ length: longestNumbered }, (_, index) => index + 1)
  return counts.some((count) => schemeTitle(owner, scheme, count) === header) ? scheme : undefined
}

/** The text in the brackets at the end of a header; it may contain brackets itself. */
function inBrackets(header: string): string | undefined {
  return /^[^(]* \((.+)\)$/.exec(header)?.[1]
}
