/** The record type of a holding, which is a farm (section 2.2). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { closingMembers, leadingMembers, text } from './building-blocks.ts'
import type { ResourceType } from './resource-type.ts'

export const holdingSchema = {
  type: 'object',
  required: ['meta'],
  properties: { ...leadingMembers, ...closingMembers, featureCatalog: text },
} as const satisfies JSONSchema

export type Holding = FromSchema<typeof holdingSchema>

export const holding: ResourceType = {
  name: 'holdingResource',
  title: 'Holding',
  plural: 'holdings',
  dataset: 'holdings',
  shortCode: '/core/holdings',
  aliases: ['/core/holding', 'pfHoldingResource', 'farm', 'farms'],
  shapes: ['Polygon', 'MultiPolygon'],
  schema: holdingSchema,
}
