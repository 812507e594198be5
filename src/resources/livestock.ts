/** The reference records about livestock: birth periods, breeds, and medicine products for animals (sections 2.6 to 2.8). */

import { looseObject, type TypeOf } from '../core/object-schema.ts'
import { dateTime, looseMeta, number, openObject, text, truth } from './building-blocks.ts'
import type { ResourceType } from './resource-type.ts'

/** The days are text, as the service gives them. */
const birthPeriodSchema = looseObject([], {
  country: text,
  species: text,
  groupingName: text,
  startDay: text,
  endDay: text,
})

/** A breed's code: here the service writes `schema`, elsewhere `scheme`. */
const breedCode = looseObject([], { schema: { type: 'string', format: 'breed-scheme' }, id: text })

const breedSchema = looseObject([], {
  name: text,
  species: { type: 'string', format: 'breed-species' },
  isCross: truth,
  identifiers: { type: 'array', items: breedCode },
})

export type BirthPeriod = TypeOf<typeof birthPeriodSchema>
export type Breed = TypeOf<typeof breedSchema>

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

const productIdentifier = looseObject([], { scheme: text, id: text, additionalProperties: openObject })

const treatedSpecies = { type: 'string', format: 'medicine-species' } as const

const withholding = looseObject([], {
  hours: number,
  market: text,
  productType: { type: 'string', format: 'withholding-product' },
  species: treatedSpecies,
})

const medicineProductSchema = looseObject([], {
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
    items: looseObject([], { name: text, id: productIdentifier }),
  },
  withholdings: { type: 'array', items: withholding },
  location: productIdentifier,
  meta: looseMeta,
  self: text,
})

export type MedicineProduct = TypeOf<typeof medicineProductSchema>

export const medicineProduct: ResourceType = {
  name: 'medicineProductResource',
  title: 'Medicine product',
  plural: 'medicine-products',
  aliases: ['medicine', 'medicines', 'medicineProduct', 'medicineResource'],
  schema: medicineProductSchema,
}
