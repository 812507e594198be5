/** Hides the envelope in which the crop data API sends its lists (section 2.10). `page` counts from 1, `offset` from 0. */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'

const count = { type: 'integer', minimum: 0 } as const satisfies JSONSchema
const pageLink = { type: ['string', 'null'] } as const satisfies JSONSchema

export const pagedResult = {
  type: 'object',
  required: ['items'],
  properties: {
    totalPages: count,
    itemsPerPage: count,
    offset: count,
    totalItems: count,
    page: count,
    links: {
      type: 'object',
      properties: { first: pageLink, next: pageLink, previous: pageLink, last: pageLink },
    },
    items: { type: 'array', items: { type: 'object' } },
  },
} as const satisfies JSONSchema

export type PagedResult = FromSchema<typeof pagedResult>
