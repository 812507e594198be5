/** The documents of the streaming API other than the records (section 2.9). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { dateTime, identifierList, text, textList } from './building-blocks.ts'

/** A dataset, with the addresses of its feed and for publishing. */
export const dataset = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1 },
    url: text,
    changes: text,
    updates: text,
    containedTypes: textList,
  },
} as const satisfies JSONSchema
export const datasetList = { type: 'array', items: dataset } as const satisfies JSONSchema

/** The result of one published record: accepted, or why not. */
export const resultItem = {
  type: 'object',
  required: ['index', 'successful'],
  properties: {
    index: { type: 'integer', minimum: 0 },
    successful: { type: 'boolean' },
    error: { type: ['string', 'null'] },
  },
} as const satisfies JSONSchema
export const resultList = { type: 'array', items: resultItem } as const satisfies JSONSchema

/** The types that the caller may publish for one holding. */
export const controlItem = {
  type: 'object',
  properties: {
    holdingId: text,
    connectedAt: dateTime,
    signature: text,
    identifiers: identifierList,
    resourceTypes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id'],
        properties: { id: text, href: text, changes: text, updates: text, description: text },
      },
    },
    connectorIdentifiers: identifierList,
  },
} as const satisfies JSONSchema
export const controlList = { type: 'array', items: controlItem } as const satisfies JSONSchema

/** The first element of a feed, which names the dataset. */
export const feedContext = {
  type: 'object',
  required: ['id'],
  properties: { id: { const: '@context' }, description: text },
} as const satisfies JSONSchema

/** The element of a feed with the token to continue from. */
export const feedContinuation = {
  type: 'object',
  required: ['id', 'token'],
  properties: { id: { const: '@continuation' }, token: text },
} as const satisfies JSONSchema

export type ResultItem = FromSchema<typeof resultItem>
