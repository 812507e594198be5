/**
 * The crop records whose members the service does not publish (sections 2.10 and 4.4): load receivals, sample analyses and
 * sample plans. Only the members of every crop record are named; the others are kept unchanged.
 */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { dateTime, looseMeta, recordReference, text } from './building-blocks.ts'
import type { ResourceType } from './resource-type.ts'

const openMembers = {
  resourceType: text,
  name: text,
  observationDate: dateTime,
  holding: recordReference,
  meta: looseMeta,
  id: text,
} as const

export const loadReceivalSchema = {
  type: 'object',
  properties: { ...openMembers, consignmentDate: dateTime },
} as const satisfies JSONSchema
export const sampleAnalysisSchema = { type: 'object', properties: openMembers } as const satisfies JSONSchema
export const samplePlanSchema = { type: 'object', properties: openMembers } as const satisfies JSONSchema

export type LoadReceival = FromSchema<typeof loadReceivalSchema>
export type SampleAnalysis = FromSchema<typeof sampleAnalysisSchema>
export type SamplePlan = FromSchema<typeof samplePlanSchema>

export const loadReceival: ResourceType = {
  name: 'loadReceivalResource',
  title: 'Load receival',
  plural: 'load-receivals',
  aliases: ['loadReceival'],
  schema: loadReceivalSchema,
}
export const sampleAnalysis: ResourceType = {
  name: 'sampleAnalysisResource',
  title: 'Sample analysis',
  plural: 'sample-analyses',
  aliases: ['sampleAnalysis'],
  schema: sampleAnalysisSchema,
}
export const samplePlan: ResourceType = {
  name: 'samplePlanResource',
  title: 'Sample plan',
  plural: 'sample-plans',
  aliases: ['samplePlan'],
  schema: samplePlanSchema,
}
