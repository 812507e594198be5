/** The record type of a job planned or done on a farm, such as spraying, with its logged passes (section 2.10). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { areaMeasure, dateTime, identifierList, looseMeta, recordReference, text } from './building-blocks.ts'
import { operationRecordSchema } from './operation.ts'
import type { ResourceType } from './resource-type.ts'

export const workRecordSchema = {
  type: 'object',
  required: ['operation', 'status'],
  properties: {
    resourceType: text,
    name: text,
    operation: { type: 'string', format: 'operation', description: 'The kind of work, such as CropProtection.' },
    status: { type: 'string', format: 'work-status', description: 'The progress of the work, such as Complete.' },
    priority: { type: ['string', 'null'], format: 'priority' },
    observationDate: dateTime,
    phenomenonStartTime: dateTime,
    phenomenonEndTime: dateTime,
    holding: recordReference,
    feature: recordReference,
    workedArea: areaMeasure,
    nonOverlapWorkedArea: areaMeasure,
    responsible: text,
    remark: text,
    loggedOperations: { type: 'array', items: operationRecordSchema },
    identifiers: identifierList,
    meta: looseMeta,
    id: text,
    '@self': text,
  },
} as const satisfies JSONSchema

export type WorkRecord = FromSchema<typeof workRecordSchema>

export const workRecord: ResourceType = {
  name: 'workRecordResource',
  title: 'Work record',
  plural: 'work-records',
  aliases: ['pfWorkRecordResource', 'work', 'jobs'],
  schema: workRecordSchema,
}
