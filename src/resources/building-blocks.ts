/**
 * The schemas that records are made of (section 2.1), as JSON Schema literals composed in code. `format` names a list of
 * code-lists.ts or a kind of unit of units.ts; validation.ts knows them all. Objects are open: unknown members stay.
 */

import { looseObject } from '../core/object-schema.ts'

/** The schemas of the members of an object. */
export function membersOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (schema as { readonly properties?: Readonly<Record<string, unknown>> } | undefined)?.properties ?? {}
}

export const text = { type: 'string' } as const
export const number = { type: 'number' } as const
export const truth = { type: 'boolean' } as const
export const dateTime = { type: 'string', format: 'date-time' } as const
export const openObject = { type: 'object' } as const
export const textList = { type: 'array', items: text } as const

export const identifier = looseObject(['scheme', 'id'], {
  scheme: { type: 'string', minLength: 1 },
  id: { type: 'string', minLength: 1 },
  additionalProperties: openObject,
})
export const identifierList = { type: 'array', items: identifier } as const

const relation = looseObject([], {
  relationship: text,
  contentType: text,
  related: text,
  additionalProperties: openObject,
})
const relationList = { type: 'array', items: relation } as const

/** One identifier in the streaming API, a list of them in the OGC API: one schema for both. */
const sourceId = {
  type: ['object', 'array'],
  required: identifier.required,
  properties: identifier.properties,
  items: identifier,
  minItems: 1,
  description: 'The identifier of this record in your own system: scheme and id.',
} as const

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

/** The meta of a published record; the service matches it by source id and orders it by modified. */
export const meta = {
  type: 'object',
  required: ['sourceId', 'modified'],
  properties: {
    ...metaMembers,
    modified: { ...dateTime, description: 'When this record was last changed.' },
  },
  description: 'Where the record comes from (sourceId) and when it was changed (modified).',
} as const

/** The meta of a record that the service sends, without any required member; medicine adds `source`. */
export const looseMeta = looseObject([], { ...metaMembers, source: text })

function measureIn<const Unit extends string>(unit: Unit) {
  return looseObject(['measurement', 'units'], {
    measurement: number,
    resolution: number,
    additionalProperties: openObject,
    units: { type: 'string', format: unit },
  })
}

export const areaMeasure = measureIn('area-unit')
export const lengthMeasure = measureIn('length-unit')
export const speedMeasure = measureIn('speed-unit')
export const temperatureMeasure = measureIn('temperature-unit')
/** A measure of any kind, such as a rate in litres or in kilograms. */
export const measure = measureIn('any-unit')

export const classification = looseObject([], {
  scheme: text,
  primary: text,
  secondary: text,
  tertiary: text,
  additionalProperties: openObject,
})
export const classificationList = { type: 'array', items: classification } as const

/** The schema does not check coordinates: geometry-check.ts checks them in one pass. */
export const geometry = looseObject(['type'], { type: text, bbox: { type: 'array' }, coordinates: {} })
export const feature = looseObject(['type', 'geometry'], {
  type: { const: 'Feature' },
  geometry: { ...geometry, type: ['object', 'null'] },
  id: text,
  bbox: { type: 'array' },
  properties: { type: ['object', 'null'] },
})
export const point = looseObject(['type', 'coordinates'], {
  type: { const: 'Point' },
  bbox: { type: 'array' },
  coordinates: { type: 'array', items: { type: 'number' } },
})

/** The type of a referenced record: 'holding' or 'plot'. */
export const referencedType = { type: 'string' } as const

/** A crop record's reference to its holding or plot. */
export const recordReference = looseObject([], {
  name: text,
  identifier: { ...identifier, properties: { ...identifier.properties, resourceType: text } },
  uri: text,
  contentType: referencedType,
})

/** The members of every record that can be published; a type puts its own members between the two. */
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
