/** The record type of a plot, which farmers call paddock or field (section 2.3). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { classificationList, closingMembers, leadingMembers } from './building-blocks.ts'
import { crop, landUseActivity } from './crop.ts'
import type { ResourceType } from './resource-type.ts'

export const plotSchema = {
  type: 'object',
  required: ['meta'],
  properties: {
    ...leadingMembers,
    crops: { type: 'array', items: crop },
    historicCrops: { type: 'array', items: crop },
    classifications: classificationList,
    activities: { type: 'array', items: landUseActivity },
    ...closingMembers,
  },
} as const satisfies JSONSchema

export type Plot = FromSchema<typeof plotSchema>

export const plot: ResourceType = {
  name: 'plotResource',
  title: 'Plot',
  plural: 'plots',
  dataset: 'plots',
  shortCode: '/core/plots',
  aliases: ['/core/plot', 'pfPlotResource', 'paddock', 'paddocks', 'field', 'fields'],
  shapes: ['Polygon', 'MultiPolygon'],
  schema: plotSchema,
}
