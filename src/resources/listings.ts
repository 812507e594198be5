/** The schemas of what the service lists about itself: collections, datasets, and what an account may publish (sections 2.5 and 2.9). */

import type { JSONSchema } from 'json-schema-to-ts'
import { dateTime, identifierList, text, textList } from './building-blocks.ts'

const link = {
  type: 'object',
  properties: { href: text, rel: text, type: text, hrefLang: text, title: text },
} as const satisfies JSONSchema
export const linkList = { type: 'array', items: link } as const satisfies JSONSchema

export const collection = {
  type: 'object',
  required: ['id', 'links'],
  properties: { id: text, title: text, description: text, itemType: text, links: linkList },
} as const satisfies JSONSchema

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
