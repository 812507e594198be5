import { expect, expectTypeOf, test } from 'vitest'
import type { FromSchema } from 'json-schema-to-ts'
import type { TypeOf } from '../../src/core/object-schema.ts'
import type { exportSchema, importSchema } from '../../src/pipeline/definition/definition-schema.ts'
import type { inspectionSchema } from '../../src/pipeline/inspect/inspection-schema.ts'
import type { changesSchema } from '../../src/pipeline/report/changes-schema.ts'
import type { exportReportSchema } from '../../src/pipeline/report/export-report.ts'
import type { reportSchema } from '../../src/pipeline/report/report-schema.ts'
import type { meta as metaSchema } from '../../src/resources/building-blocks.ts'
import { plot, type Holding, type LandCover, type Plot } from '../../src/resources/land.ts'
import { check } from '../../src/resources/validation.ts'
import { workRecord, type operationRecordSchema, type WorkRecord } from '../../src/resources/work-record.ts'
import type { FeatureItems, PagedResult, ResultItem } from './fixtures/answers.ts'

type Meta = FromSchema<typeof metaSchema>

const meta = { sourceId: { scheme: 'nz.example.a', id: '7' }, modified: '2026-11-19T20:15:00Z' }

test('the check allows what the types allow', () => {
  const typedPlot: Plot = {
    meta,
    name: 'Rāhui',
    totalArea: { measurement: 1.85, units: 'HAR' },
    crops: [{ name: 'Lucerne', unknownMember: 'clay' }],
    anything: ['else'],
  }
  const listed: Plot = { meta: { ...meta, sourceId: [meta.sourceId] } }
  const typedWork: WorkRecord = {
    operation: 'Mowing',
    status: 'Scheduled',
    priority: null,
    loggedOperations: [{ products: [] }],
  }
  for (const body of [typedPlot, listed]) expect(check(plot, body)).toEqual([])
  expect(check(workRecord, typedWork)).toEqual([])
})

test('the types reject what the check rejects', () => {
  expectTypeOf<{ name: string }>().not.toExtend<Plot>()
  expectTypeOf<{ meta: { modified: string } }>().not.toExtend<Plot>()
  expectTypeOf<{ meta: typeof meta; name: number }>().not.toExtend<Plot>()
  expectTypeOf<{ meta: typeof meta; totalArea: { measurement: string; units: string } }>().not.toExtend<Plot>()
  expectTypeOf<{ meta: typeof meta; crops: { name: number }[] }>().not.toExtend<Plot>()
  expectTypeOf<{ meta: { sourceId: string; modified: string } }>().not.toExtend<LandCover>()
  expectTypeOf<{ operation: string }>().not.toExtend<WorkRecord>()
  expectTypeOf<{ operation: string; status: string; priority: number }>().not.toExtend<WorkRecord>()
  expectTypeOf<{ index: string; successful: boolean }>().not.toExtend<ResultItem>()
})

test('members have the types of the schemas', () => {
  expectTypeOf<Plot['name']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Plot['meta']>().toEqualTypeOf<Meta>()
  expectTypeOf<Meta['modified']>().toEqualTypeOf<string>()
  expectTypeOf<NonNullable<Plot['totalArea']>['measurement']>().toEqualTypeOf<number>()
  expectTypeOf<NonNullable<Plot['crops']>[number]['establishmentDate']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Holding['featureCatalog']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<WorkRecord['priority']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<NonNullable<WorkRecord['loggedOperations']>[number]['operationName']>().toEqualTypeOf<
    string | undefined
  >()
  expectTypeOf<Plot['whatever']>().toEqualTypeOf<unknown>()
  expectTypeOf<ResultItem['index']>().toEqualTypeOf<number>()
  expectTypeOf<PagedResult['items']>().toExtend<readonly object[]>()
  expectTypeOf<FeatureItems['features'][number]['properties']['agriculture']>().toExtend<object>()
})

test('the types of schemas are those that json-schema-to-ts finds', () => {
  expectTypeOf<TypeOf<typeof metaSchema>>().toEqualTypeOf<FromSchema<typeof metaSchema>>()
  expectTypeOf<TypeOf<typeof operationRecordSchema>>().toEqualTypeOf<FromSchema<typeof operationRecordSchema>>()
  expectTypeOf<TypeOf<typeof importSchema>>().toEqualTypeOf<FromSchema<typeof importSchema>>()
  expectTypeOf<TypeOf<typeof exportSchema>>().toEqualTypeOf<FromSchema<typeof exportSchema>>()
  expectTypeOf<TypeOf<typeof inspectionSchema>>().toEqualTypeOf<FromSchema<typeof inspectionSchema>>()
  expectTypeOf<TypeOf<typeof reportSchema>>().toEqualTypeOf<FromSchema<typeof reportSchema>>()
  expectTypeOf<TypeOf<typeof exportReportSchema>>().toEqualTypeOf<FromSchema<typeof exportReportSchema>>()
  expectTypeOf<TypeOf<typeof changesSchema>>().toEqualTypeOf<FromSchema<typeof changesSchema>>()
})
