/** The schemas of what the service lists about itself: collections, datasets, and what an account may publish (sections 2.5 and 2.9). */

import { looseObject } from '../core/object-schema.ts'
import { dateTime, identifierList, text, textList } from './building-blocks.ts'

const link = looseObject([], { href: text, rel: text, type: text, hrefLang: text, title: text })
export const linkList = { type: 'array', items: link } as const

export const collection = looseObject(['id', 'links'], {
  id: text,
  title: text,
  description: text,
  itemType: text,
  links: linkList,
})

/** A dataset, with the addresses of its feed and for publishing. */
export const dataset = looseObject(['name'], {
  name: { type: 'string', minLength: 1 },
  url: text,
  changes: text,
  updates: text,
  containedTypes: textList,
})

/** The types that the caller may publish for one holding. */
export const controlItem = looseObject([], {
  holdingId: text,
  connectedAt: dateTime,
  signature: text,
  identifiers: identifierList,
  resourceTypes: {
    type: 'array',
    items: looseObject(['id'], { id: text, href: text, changes: text, updates: text, description: text }),
  },
  connectorIdentifiers: identifierList,
})
