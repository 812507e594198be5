/** The documents of the OGC API around the records (section 2.5). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { dateTime, geometry, linkList, text } from './building-blocks.ts'

export const collection = {
  type: 'object',
  required: ['id', 'links'],
  properties: { id: text, title: text, description: text, itemType: text, links: linkList },
} as const satisfies JSONSchema

/** The service's own documents list collections under `items`, OGC under `collections`: one of them is required. */
export const collections = {
  type: 'object',
  required: ['links'],
  properties: {
    links: linkList,
    items: { type: 'array', items: collection },
    collections: { type: 'array', items: collection },
  },
  anyOf: [{ required: ['items'] }, { required: ['collections'] }],
} as const satisfies JSONSchema

/** A feature around a record; the id is repeated beside it because clients and item links need it. */
export const recordFeature = {
  type: 'object',
  required: ['type', 'properties'],
  properties: {
    type: { const: 'Feature' },
    id: { type: ['string', 'number'] },
    geometry: { ...geometry, type: ['object', 'null'] },
    properties: {
      type: 'object',
      required: ['agriculture'],
      properties: { agriculture: { type: 'object' } },
    },
    links: linkList,
  },
} as const satisfies JSONSchema

export const featureItems = {
  type: 'object',
  required: ['type', 'features'],
  properties: {
    type: { const: 'FeatureCollection' },
    timeStamp: dateTime,
    numberMatched: { type: 'integer', minimum: 0 },
    numberReturned: { type: 'integer', minimum: 0 },
    links: linkList,
    features: { type: 'array', items: recordFeature },
  },
} as const satisfies JSONSchema

export type FeatureItems = FromSchema<typeof featureItems>
