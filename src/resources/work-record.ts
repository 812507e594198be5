/**
 * The record types of work (section 2.10): a job planned or done on a farm, such as spraying, and each pass of a machine over a plot, with
 * the products used and the weather.
 */

import { looseObject, type TypeOf } from '../core/object-schema.ts'
import {
  areaMeasure,
  dateTime,
  feature,
  identifier,
  identifierList,
  looseMeta,
  measure,
  number,
  recordReference,
  speedMeasure,
  temperatureMeasure,
  text,
} from './building-blocks.ts'
import { crop } from './land.ts'
import type { ResourceType } from './resource-type.ts'

const appliedProduct = looseObject([], {
  name: text,
  type: text,
  manufacturer: text,
  form: text,
  crop,
  specificGravity: number,
  withdrawals: { type: 'array', items: looseObject([], { scheme: text, hours: number }) },
  registrations: { type: 'array', items: identifier },
})

export const productComponent = looseObject([], { mixSequence: number, percent: number, product: appliedProduct })

/** `spatialMetric` is the area of the rate, such as one hectare. */
export const operationProduct = looseObject([], {
  resourceType: text,
  applicationRate: measure,
  spatialMetric: areaMeasure,
  applicationTotal: measure,
  waterVolume: measure,
  components: { type: 'array', items: productComponent },
})

const operationEnvironment = looseObject([], {
  resourceType: text,
  windSpeed: speedMeasure,
  windDirectionCompass: { type: 'string', format: 'wind-direction' },
  soilTemperature: temperatureMeasure,
})

export const operationRecordSchema = looseObject([], {
  resourceType: text,
  name: text,
  operation: { type: 'string', format: 'operation' },
  operationName: text,
  observationDate: dateTime,
  phenomenonStartTime: dateTime,
  phenomenonEndTime: dateTime,
  products: { type: 'array', items: operationProduct },
  environment: operationEnvironment,
  holding: recordReference,
  feature: recordReference,
  responsible: text,
  remark: text,
  summaryGeometry: feature,
  loggedGeometry: feature,
  meta: looseMeta,
  id: text,
})

export const operationRecord: ResourceType = {
  name: 'operationRecordResource',
  title: 'Operation',
  plural: 'operation-records',
  aliases: ['operation', 'operations'],
  schema: operationRecordSchema,
}

const workRecordSchema = looseObject(['operation', 'status'], {
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
})

export type WorkRecord = TypeOf<typeof workRecordSchema>

export const workRecord: ResourceType = {
  name: 'workRecordResource',
  title: 'Work record',
  plural: 'work-records',
  aliases: ['pfWorkRecordResource', 'work', 'jobs'],
  schema: workRecordSchema,
}
