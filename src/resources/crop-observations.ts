/** The record types of what was measured on a farm (section 2.10): the grass on a plot, and loads and samples of crops. */

import { looseObject, type JsonSchema, type TypeOf } from '../core/object-schema.ts'
import {
  areaMeasure,
  dateTime,
  identifierList,
  lengthMeasure,
  looseMeta,
  measure,
  number,
  recordReference,
  text,
} from './building-blocks.ts'
import type { ResourceType } from './resource-type.ts'

const dryMatterMeasure = looseObject([], { resourceType: text, measure, areaMetric: areaMeasure })

const measuringDevice = looseObject([], {
  resourceType: text,
  id: text,
  serial: text,
  name: text,
  description: text,
  softwareVersion: text,
  hardwareVersion: text,
  manufacturer: text,
  deviceCategory: text,
})

const pastureCoverEventSchema = looseObject([], {
  resourceType: text,
  name: text,
  observationDate: dateTime,
  phenomenonStartTime: dateTime,
  phenomenonEndTime: dateTime,
  holding: recordReference,
  feature: recordReference,
  dryMatter: dryMatterMeasure,
  pastureHeight: { ...lengthMeasure, properties: { resourceType: text, ...lengthMeasure.properties } },
  pastureArea: { ...areaMeasure, properties: { resourceType: text, ...areaMeasure.properties } },
  metabolisableEnergy: number,
  equationIntercept: number,
  equationSlope: number,
  methodUsed: text,
  device: measuringDevice,
  responsible: text,
  remark: text,
  identifiers: identifierList,
  meta: looseMeta,
  id: text,
})

export type PastureCoverEvent = TypeOf<typeof pastureCoverEventSchema>

export const pastureCoverEvent: ResourceType = {
  name: 'svcPastureCoverEvent',
  title: 'Pasture cover event',
  plural: 'pasture-cover-events',
  aliases: ['pasture cover', 'pasture covers', 'pastureCoverEventResource'],
  schema: pastureCoverEventSchema,
}

/** The members of loads and samples that the service publishes (section 4.4); the others are kept unchanged. */
const openMembers = {
  resourceType: text,
  name: text,
  observationDate: dateTime,
  holding: recordReference,
  meta: looseMeta,
  id: text,
} as const

const loadReceivalSchema = looseObject([], { ...openMembers, consignmentDate: dateTime })
const sampleAnalysisSchema = looseObject([], openMembers)
const samplePlanSchema = looseObject([], openMembers)

export type LoadReceival = TypeOf<typeof loadReceivalSchema>
export type SampleAnalysis = TypeOf<typeof sampleAnalysisSchema>
export type SamplePlan = TypeOf<typeof samplePlanSchema>

function observed(name: string, title: string, plural: string, schema: JsonSchema): ResourceType {
  return { name: `${name}Resource`, title, plural, aliases: [name], schema }
}

export const loadReceival = observed('loadReceival', 'Load receival', 'load-receivals', loadReceivalSchema)
export const sampleAnalysis = observed('sampleAnalysis', 'Sample analysis', 'sample-analyses', sampleAnalysisSchema)
export const samplePlan = observed('samplePlan', 'Sample plan', 'sample-plans', samplePlanSchema)
