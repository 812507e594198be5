import { describe, expect, test } from 'vitest'
import { makeFilter, type RecordFilter } from '../../src/pipeline/export/filter-records.ts'
import type { FoundHolding } from '../../src/pipeline/export/find-holding.ts'

const rimu: FoundHolding = { id: 'u1', name: 'Rimu Farm', identifiers: [{ scheme: 'farm', id: '1' }] }
const job = {
  operation: 'CropProtection',
  status: 'Complete',
  holding: { identifier: { scheme: 'farm', id: '1' }, name: 'Rimu Farm' },
  phenomenonStartTime: '2026-10-31T11:30:00Z',
  responsible: 'Contractor Example Ltd',
  loggedOperations: [{ operation: 'Mowing', responsible: 'Hēmi Example' }],
}
const keeps = (only: RecordFilter, zone = 'Pacific/Auckland', holding?: FoundHolding): boolean =>
  makeFilter(only, { zone, holding }).passes(job)

describe('a work record is kept', () => {
  test.each<[string, RecordFilter, boolean]>([
    ['by its operation, however it is written', { operations: ['cropprotection'] }, true],
    ['by its operation as a diary has it', { operations: ['Crop protection'] }, true],
    ['by an operation that it logged', { operations: ['Mowing'] }, true],
    ['not by another operation', { operations: ['Baling'] }, false],
    ['by who did it, however the name is written', { operators: ['contractor example ltd'] }, true],
    ['by who did one of its operations', { operators: ['Hēmi Example'] }, true],
    ['not by another operator', { operators: ['Aroha Example'] }, false],
    ['by one of several statuses', { statuses: ['Paused', 'Complete'] }, true],
    ['not by another status', { statuses: ['Paused'] }, false],
    ['on its last day, which counts', { from: '2026-11-01', until: '2026-11-01' }, true],
    ['not on the day it was in UTC', { until: '2026-10-31' }, false],
    ['when nothing is asked for', {}, true],
  ])('%s', (_, only, isKept) => {
    expect(keeps(only)).toBe(isKept)
  })

  test('on the day in the given zone', () => {
    expect(keeps({ until: '2026-10-31' }, 'UTC')).toBe(true)
  })

  test('only for its own holding, and never without one', () => {
    expect(keeps({}, 'UTC', rimu)).toBe(true)
    expect(keeps({}, 'UTC', { ...rimu, identifiers: [{ scheme: 'farm', id: '2' }] })).toBe(false)
    expect(makeFilter({}, { zone: 'UTC', holding: rimu }).passes({ operation: 'Mowing' })).toBe(false)
  })

  test.each<[string, object, boolean]>([
    ['that only its operations name', { loggedOperations: [{}, { holding: job.holding }] }, true],
    ['on which one of its operations was', { ...job, holding: { name: 'Other' }, loggedOperations: [job] }, true],
    ['that is named without a number', { holding: { name: 'rimu farm' } }, true],
    ['that has the id of the service', { holding: { identifier: { scheme: 'service', id: 'u1' } } }, true],
    [
      'but not of the same name with another number',
      { holding: { ...job.holding, identifier: { scheme: 'farm', id: '2' } } },
      false,
    ],
  ])('for the farm %s', (_, body, isKept) => {
    expect(makeFilter({}, { zone: 'UTC', holding: rimu }).passes({ operation: 'Mowing', ...body })).toBe(isKept)
  })

  test('not for a farm if it names none, and is counted', () => {
    const { passes, farmless } = makeFilter({}, { zone: 'UTC', holding: rimu })
    expect(passes({ operation: 'Mowing', loggedOperations: [{}], holding: {} })).toBe(false)
    expect(passes({ operation: 'Mowing', holding: { name: 'Other' } })).toBe(false)
    expect(farmless()).toBe(1)
  })

  test('not by day if it has none, and is counted', () => {
    const { passes, undated } = makeFilter({ from: '2026-01-01' }, { zone: 'UTC', holding: undefined })
    expect(passes({ operation: 'Mowing' })).toBe(false)
    expect(passes({ operation: 'Mowing', observationDate: '2025-12-31T00:00:00Z' })).toBe(false)
    expect(undated()).toBe(1)
  })

  test.each([
    ['that its operations began', { loggedOperations: [{}, { phenomenonStartTime: '2026-11-01T05:00:00Z' }] }],
    ['that is written without a time, in every zone', { observationDate: '2026-11-01' }],
    ['that is written without its zone', { observationDate: '2026-11-01T23:59:00' }],
    ['that is written without its zone, early', { observationDate: '2026-11-01T00:01:00' }],
    [
      'that its operation began, not that it was written down or ended',
      {
        observationDate: '2026-11-03T05:00:00Z',
        phenomenonEndTime: '2026-11-02T09:00:00Z',
        loggedOperations: [{ observationDate: '2026-11-04T05:00:00Z', phenomenonStartTime: '2026-11-01T15:00:00Z' }],
      },
    ],
  ])('on the day %s', (_, body) => {
    const { passes } = makeFilter(
      { from: '2026-11-01', until: '2026-11-01' },
      { zone: 'America/Chicago', holding: undefined },
    )
    expect(passes({ operation: 'Mowing', ...body })).toBe(true)
  })
})
