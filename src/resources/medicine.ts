/** The record type of a medicine product for animals (section 2.6). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { dateTime, looseMeta, number, openObject, text } from './building-blocks.ts'
import type { ResourceType } from './resource-type.ts'

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
