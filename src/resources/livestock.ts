/** The reference records about livestock: birth periods, breeds, and medicine products for animals (sections 2.6 to 2.8). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { dateTime, looseMeta, number, openObject, text, truth } from './building-blocks.ts'
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

const productIdentifier = {
  type: 'object',
  properties: { scheme: text, id: text, additionalProperties: openObject },
} as const satisfies JSONSchema

const treatedSpecies = { type: 'string', format: 'medicine-species' } as const satisfies JSONSchema

const withholding = {
  type: 'object',
  properties: {
    hours: number,
    market: text,
    productType: { type: 'string', format: 'withholding-product' },
    species: treatedSpecies,
  },
} as const satisfies JSONSchema

export const medicineProductSchema = {
  type: 'object',
  properties: {
    resourceType: text,
    name: text,
    registeredId: productIdentifier,
    registrant: text,
    classification: { type: 'string', format: 'medicine-classification' },
    form: { type: 'string', format: 'medicine-form' },
    approved: text,
    registrationDate: dateTime,
    expiryDate: dateTime,
    species: { type: 'array', items: treatedSpecies },
    activeIngredients: {
      type: 'array',
      items: { type: 'object', properties: { name: text, id: productIdentifier } },
    },
    withholdings: { type: 'array', items: withholding },
    location: productIdentifier,
    meta: looseMeta,
    self: text,
  },
} as const satisfies JSONSchema

export type MedicineProduct = FromSchema<typeof medicineProductSchema>

export const medicineProduct: ResourceType = {
  name: 'medicineProductResource',
  title: 'Medicine product',
  plural: 'medicine-products',
  aliases: ['medicine', 'medicines', 'medicineProduct', 'medicineResource'],
  schema: medicineProductSchema,
}
