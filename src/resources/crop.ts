/** The schemas of a plot's crops and land use (section 2.4, sub-types). */

import type { JSONSchema } from 'json-schema-to-ts'
import { areaMeasure, dateTime, identifierList, openObject, text, truth } from './building-blocks.ts'

export const crop = {
  type: 'object',
  properties: {
    name: text,
    taxonomicName: text,
    variety: text,
    identifiers: identifierList,
    establishmentDate: dateTime,
    maturityDate: dateTime,
    harvestDate: dateTime,
    additionalProperties: openObject,
  },
} as const satisfies JSONSchema

export const landUseActivity = {
  type: 'object',
  properties: {
    name: text,
    id: identifierList,
    isPrimary: truth,
    productiveArea: areaMeasure,
    additionalProperties: openObject,
  },
} as const satisfies JSONSchema
