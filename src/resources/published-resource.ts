/** Hides what is known of a type that the service has and windrow does not: what every published resource has (section 2.9). */

import type { JSONSchema } from 'json-schema-to-ts'
import { closingMembers, leadingMembers } from './building-blocks.ts'
import { findResourceType, publishedTypes } from './index.ts'
import type { ResourceType } from './resource-type.ts'

export const publishedResourceSchema = {
  type: 'object',
  required: ['meta'],
  properties: { ...leadingMembers, ...closingMembers },
} as const satisfies JSONSchema

/** A type for the records of a dataset; `note` is there when windrow does not know it and checks only what all types have. */
export type TypeOfDataset = { readonly type: ResourceType; readonly note?: string }

/** The type of what a dataset holds, by its name or by the types that it says it holds. */
export function typeOfDataset(dataset: {
  readonly name: string
  readonly containedTypes?: readonly string[]
}): TypeOfDataset {
  const { name, containedTypes = [] } = dataset
  const known = [name, ...containedTypes].map(findResourceType).find((type) => type !== undefined && isPublished(type))
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
    note: `windrow does not know the records of "${name}"; they are checked for what every published record has, no more.`,
  }
}

function isPublished(type: ResourceType): boolean {
  return publishedTypes.includes(type)
}
