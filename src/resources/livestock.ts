/** The reference records about livestock: birth periods and breeds (sections 2.7 and 2.8). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { text, truth } from './building-blocks.ts'
import type { ResourceType } from './resource-type.ts'

/** The days are text, as the service gives them. */
export const birthPeriodSchema = {
  type: 'object',
  properties: { country: text, species: text, groupingName: text, startDay: text, endDay: text },
} as const satisfies JSONSchema

/** A breed's code: here the service writes `schema`, elsewhere `scheme`. */
const breedCode = {
  type: 'object',
  properties: { schema: { type: 'string', format: 'breed-scheme' }, id: text },
} as const satisfies JSONSchema

export const breedSchema = {
  type: 'object',
  properties: {
    name: text,
    species: { type: 'string', format: 'breed-species' },
    isCross: truth,
    identifiers: { type: 'array', items: breedCode },
  },
} as const satisfies JSONSchema

export type BirthPeriod = FromSchema<typeof birthPeriodSchema>
export type Breed = FromSchema<typeof breedSchema>

export const birthPeriod: ResourceType = {
  name: 'birthPeriod',
  title: 'Birth period',
  plural: 'birth-periods',
  aliases: [],
  schema: birthPeriodSchema,
}

export const breed: ResourceType = {
  name: 'breed',
  title: 'Breed',
  plural: 'breeds',
  aliases: ['Livestock Breed'],
  schema: breedSchema,
}
