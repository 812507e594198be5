/** The record types of land (sections 2.2 to 2.4): holdings, which are farms, plots, which farmers call paddock or field, and land covers. */

import { looseObject, type TypeOf } from '../core/object-schema.ts'
import {
  areaMeasure,
  classification,
  classificationList,
  closingMembers,
  dateTime,
  identifierList,
  leadingMembers,
  openObject,
  text,
  truth,
} from './building-blocks.ts'
import type { ResourceType } from './resource-type.ts'

/** A crop on a plot, and in a product that was applied to it. */
export const crop = looseObject([], {
  name: text,
  taxonomicName: text,
  variety: text,
  identifiers: identifierList,
  establishmentDate: dateTime,
  maturityDate: dateTime,
  harvestDate: dateTime,
  additionalProperties: openObject,
})

const landUseActivity = looseObject([], {
  name: text,
  id: identifierList,
  isPrimary: truth,
  productiveArea: areaMeasure,
  additionalProperties: openObject,
})

const holdingSchema = looseObject(['meta'], { ...leadingMembers, ...closingMembers, featureCatalog: text })

export type Holding = TypeOf<typeof holdingSchema>

export const holding: ResourceType = {
  name: 'holdingResource',
  title: 'Holding',
  plural: 'holdings',
  dataset: 'holdings',
  shortCode: '/core/holdings',
  aliases: ['/core/holding', 'pfHoldingResource', 'farm', 'farms'],
  shapes: ['Polygon', 'MultiPolygon'],
  schema: holdingSchema,
}

const plotSchema = looseObject(['meta'], {
  ...leadingMembers,
  crops: { type: 'array', items: crop },
  historicCrops: { type: 'array', items: crop },
  classifications: classificationList,
  activities: { type: 'array', items: landUseActivity },
  ...closingMembers,
})

export type Plot = TypeOf<typeof plotSchema>

export const plot: ResourceType = {
  name: 'plotResource',
  title: 'Plot',
  plural: 'plots',
  dataset: 'plots',
  shortCode: '/core/plots',
  aliases: ['/core/plot', 'pfPlotResource', 'paddock', 'paddocks', 'field', 'fields'],
  shapes: ['Polygon', 'MultiPolygon'],
  schema: plotSchema,
}

/** `classfication` is the service's own spelling; spellings.ts reads the other one too. */
const speciesPresence = looseObject([], {
  name: text,
  taxonomicName: text,
  abundance: { type: 'string', format: 'abundance' },
  classfication: classificationList,
  additionalProperties: openObject,
})

const complianceEligibility = looseObject([], {
  scheme: text,
  primary: text,
  secondary: text,
  tertiary: text,
  eligible: text,
  additionalProperties: openObject,
})

const landCoverSchema = looseObject(['meta'], {
  ...leadingMembers,
  landCoverClass: classification,
  classifications: classificationList,
  activities: { type: 'array', items: landUseActivity },
  speciesPresent: { type: 'array', items: speciesPresence },
  eligibility: { type: 'array', items: complianceEligibility },
  ...closingMembers,
})

export type LandCover = TypeOf<typeof landCoverSchema>

/** Bush, water, a yard, or anything else that covers land. */
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
