/** The record type of a measurement of the grass on a plot (section 2.10). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
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

const dryMatterMeasure = {
  type: 'object',
  properties: { resourceType: text, measure, areaMetric: areaMeasure },
} as const satisfies JSONSchema

const measuringDevice = {
  type: 'object',
  properties: {
    resourceType: text,
    id: text,
    serial: text,
    name: text,
    description: text,
    softwareVersion: text,
    hardwareVersion: text,
    manufacturer: text,
    deviceCategory: text,
  },
} as const satisfies JSONSchema

export const pastureCoverEventSchema = {
  type: 'object',
  properties: {
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
  },
} as const satisfies JSONSchema

export type PastureCoverEvent = FromSchema<typeof pastureCoverEventSchema>

export const pastureCoverEvent: ResourceType = {
  name: 'svcPastureCoverEvent',
  title: 'Pasture cover event',
  plural: 'pasture-cover-events',
  aliases: ['pasture cover', 'pasture covers', 'pastureCoverEventResource'],
  schema: pastureCoverEventSchema,
}
