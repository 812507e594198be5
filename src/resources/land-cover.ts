/** The record type of a land cover: bush, water, a yard, or anything else that covers land (section 2.4). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import {
  classification,
  classificationList,
  closingMembers,
  leadingMembers,
  openObject,
  text,
} from './building-blocks.ts'
import { landUseActivity } from './crop.ts'
import type { ResourceType } from './resource-type.ts'

/** `classfication` is the service's own spelling; spellings.ts reads the other one too. */
const speciesPresence = {
  type: 'object',
  properties: {
    name: text,
    taxonomicName: text,
    abundance: { type: 'string', format: 'abundance' },
    classfication: classificationList,
    additionalProperties: openObject,
  },
} as const satisfies JSONSchema

const complianceEligibility = {
  type: 'object',
  properties: {
    scheme: text,
    primary: text,
    secondary: text,
    tertiary: text,
    eligible: text,
    additionalProperties: openObject,
  },
} as const satisfies JSONSchema

export const landCoverSchema = {
  type: 'object',
  required: ['meta'],
  properties: {
    ...leadingMembers,
    landCoverClass: classification,
    classifications: classificationList,
    activities: { type: 'array', items: landUseActivity },
    speciesPresent: { type: 'array', items: speciesPresence },
    eligibility: { type: 'array', items: complianceEligibility },
    ...closingMembers,
  },
} as const satisfies JSONSchema

export type LandCover = FromSchema<typeof landCoverSchema>

export const landCover: ResourceType = {
  name: 'landCoverResource',
  title: 'Land cover',
  plural: 'land-covers',
  dataset: 'land-covers',
  shortCode: '/core/land-covers',
  aliases: ['/core/land-cover', 'pfLandCoverResource'],
  shapes: ['Polygon', 'MultiPolygon', 'LineString', 'MultiLineString', 'Point', 'MultiPoint'],
  schema: landCoverSchema,
}
