/** The record type for datasets that windrow does not know: the members of every published record (section 2.9). */

import type { JSONSchema } from 'json-schema-to-ts'
import { closingMembers, leadingMembers } from './building-blocks.ts'
import { findResourceType, publishedTypes } from './index.ts'
import type { ResourceType } from './resource-type.ts'

export const publishedResourceSchema = {
  type: 'object',
  required: ['meta'],
  properties: { ...leadingMembers, ...closingMembers },
} as const satisfies JSONSchema

/** A type for the records of a dataset; `note` is set when windrow does not know it and checks only the common members. */
export type TypeOfDataset = { readonly type: ResourceType; readonly note?: string }

/** The type of a dataset's records, by its name or by the types that it lists. */
export function typeOfDataset(dataset: {
  readonly name: string
  readonly containedTypes?: readonly string[]
}): TypeOfDataset {
  const { name, containedTypes = [] } = dataset
  const known = [name, ...containedTypes]
    .map(findResourceType)
    .find((type) => type !== undefined && publishedTypes.includes(type))
  if (known !== undefined) return { type: known }
  const type: ResourceType = {
    name: containedTypes[0] ?? name,
    title: name,
    plural: name,
    dataset: name,
    aliases: [...containedTypes, `/core/${name}`],
    shapes: ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon'],
    schema: publishedResourceSchema,
  }
  return {
    type,
    note: `windrow does not know the records of "${name}"; only the members of every published record are checked.`,
  }
}
