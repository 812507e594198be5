/**
 * Hides the pieces that records are made of (section 2.1), as JSON Schema literals that are composed in code. `format` names
 * a list of code-lists.ts or a kind of unit of units.ts; validation.ts knows them all. Objects are open: unknown members stay.
 */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'

export const text = { type: 'string' } as const satisfies JSONSchema
export const number = { type: 'number' } as const satisfies JSONSchema
export const truth = { type: 'boolean' } as const satisfies JSONSchema
export const dateTime = { type: 'string', format: 'date-time' } as const satisfies JSONSchema
export const openObject = { type: 'object' } as const satisfies JSONSchema
export const textList = { type: 'array', items: text } as const satisfies JSONSchema

export const identifier = {
  type: 'object',
  required: ['scheme', 'id'],
  properties: {
    scheme: { type: 'string', minLength: 1 },
    id: { type: 'string', minLength: 1 },
    additionalProperties: openObject,
  },
} as const satisfies JSONSchema
export const identifierList = { type: 'array', items: identifier } as const satisfies JSONSchema

export const relation = {
  type: 'object',
  properties: { relationship: text, contentType: text, related: text, additionalProperties: openObject },
} as const satisfies JSONSchema
export const relationList = { type: 'array', items: relation } as const satisfies JSONSchema

/** One identifier in the streaming API, a list of them in the OGC API: one schema for both, without `anyOf`, which costs. */
export const sourceId = {
  type: ['object', 'array'],
  required: identifier.required,
  properties: identifier.properties,
  items: identifier,
  minItems: 1,
  description: 'It tells the service which record of your own system this is, by scheme and id.',
} as const satisfies JSONSchema

const metaMembers = {
  modified: dateTime,
  created: dateTime,
  creator: text,
  validFrom: dateTime,
  validTo: dateTime,
  isDeleted: truth,
  sourceId,
  additionalProperties: openObject,
} as const

/** The meta of a published record, which the service matches by source id and orders by the moment of change. */
export const meta = {
  type: 'object',
  required: ['sourceId', 'modified'],
  properties: {
    ...metaMembers,
    modified: { ...dateTime, description: 'It says when this record was last changed.' },
  },
  description: 'It says where the record comes from (sourceId) and when it was changed (modified).',
} as const satisfies JSONSchema

/** The meta of a record that the service hands out, of which nothing is promised; medicine adds `source`. */
export const looseMeta = {
  type: 'object',
  properties: { ...metaMembers, source: text },
} as const satisfies JSONSchema

const measureMembers = {
  measurement: number,
  resolution: number,
  additionalProperties: openObject,
} as const
const measureNeeds = ['measurement', 'units'] as const

export const areaMeasure = {
  type: 'object',
  required: measureNeeds,
  properties: { ...measureMembers, units: { type: 'string', format: 'area-unit' } },
} as const satisfies JSONSchema
export const lengthMeasure = {
  type: 'object',
  required: measureNeeds,
  properties: { ...measureMembers, units: { type: 'string', format: 'length-unit' } },
} as const satisfies JSONSchema
export const speedMeasure = {
  type: 'object',
  required: measureNeeds,
  properties: { ...measureMembers, units: { type: 'string', format: 'speed-unit' } },
} as const satisfies JSONSchema
export const temperatureMeasure = {
  type: 'object',
  required: measureNeeds,
  properties: { ...measureMembers, units: { type: 'string', format: 'temperature-unit' } },
} as const satisfies JSONSchema
/** A measure whose kind depends on what is measured, such as a rate in litres or in kilograms. */
export const measure = {
  type: 'object',
  required: measureNeeds,
  properties: { ...measureMembers, units: { type: 'string', format: 'any-unit' } },
} as const satisfies JSONSchema

export const classification = {
  type: 'object',
  properties: { scheme: text, primary: text, secondary: text, tertiary: text, additionalProperties: openObject },
} as const satisfies JSONSchema
export const classificationList = { type: 'array', items: classification } as const satisfies JSONSchema

export const link = {
  type: 'object',
  properties: { href: text, rel: text, type: text, hrefLang: text, title: text },
} as const satisfies JSONSchema
export const linkList = { type: 'array', items: link } as const satisfies JSONSchema

/** Coordinates are no business of the schema: geometry-check.ts looks at them in one pass. */
export const geometry = {
  type: 'object',
  required: ['type'],
  properties: { type: text, bbox: { type: 'array' }, coordinates: {} },
} as const satisfies JSONSchema
export const feature = {
  type: 'object',
  required: ['type', 'geometry'],
  properties: {
    type: { const: 'Feature' },
    geometry: { ...geometry, type: ['object', 'null'] },
    id: text,
    bbox: { type: 'array' },
    properties: { type: ['object', 'null'] },
  },
} as const satisfies JSONSchema
export const point = {
  type: 'object',
  required: ['type', 'coordinates'],
  properties: {
    type: { const: 'Point' },
    bbox: { type: 'array' },
    coordinates: { type: 'array', items: { type: 'number' } },
  },
} as const satisfies JSONSchema

/** Which type of record a reference means; 'holding' or 'plot'. */
export const referencedType = { type: 'string' } as const satisfies JSONSchema

/** How a crop record names its holding or its plot. */
export const recordReference = {
  type: 'object',
  properties: {
    name: text,
    identifier: { ...identifier, properties: { ...identifier.properties, resourceType: text } },
    uri: text,
    contentType: referencedType,
  },
} as const satisfies JSONSchema

/** What every record that can be published carries; a type puts its own members between the two. */
export const leadingMembers = {
  resourceType: text,
  name: text,
  totalArea: areaMeasure,
  totalLength: lengthMeasure,
} as const
export const closingMembers = {
  identifiers: identifierList,
  links: relationList,
  centroid: point,
  spatialFeature: feature,
  additionalProperties: openObject,
  meta,
  dataPointKey: { type: 'string', minLength: 1 },
  id: text,
  self: text,
} as const

export type Meta = FromSchema<typeof meta>
export type Measure = FromSchema<typeof measure>
export type Relation = FromSchema<typeof relation>
export type Link = FromSchema<typeof link>
export type Feature = FromSchema<typeof feature>
export type RecordReference = FromSchema<typeof recordReference>
