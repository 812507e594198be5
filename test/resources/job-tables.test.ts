import { describe, expect, test } from 'vitest'
import { plot } from '../../src/resources/land.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { plotBody, workRecordBody } from './fixtures/bodies.ts'
import { after, columnNames, filled, flatRows } from './fixtures/flat-rows.ts'

describe('work records', () => {
  test('flat: a row for each product of each pass, with the whole job beside it', () => {
    const rows = flatRows(workRecord, [workRecordBody], { zone: 'Pacific/Auckland' })
    expect(rows).toHaveLength(4)
    for (const row of rows)
      expect(row).toMatchObject({
        Name: 'Spray Rāhui',
        Operation: 'CropProtection',
        Status: 'Complete',
        'Start (Pacific/Auckland)': '2026-11-20T09:15:00.1234567+13:00',
        'End (Pacific/Auckland)': '2026-11-20T10:45:00+13:00',
        'Holding name': 'Rimu Farm',
        'Plot name': 'Rāhui',
        'Worked area (ha)': 1.7,
        Id: 'job-31',
      })
    expect(rows[0]).toMatchObject({
      'Logged operation name': 'First pass',
      'Logged wind speed (km/h)': 18,
      'Logged wind direction': 'NNW',
      'Logged soil temperature (°C)': 15,
      'Logged soil temperature resolution (°C)': 1,
      'Application rate (L)': 1.5,
      'Rate is per (ha)': 1,
      Percent: 60,
      'Product type': 'Herbicide',
      'Product registration (nz.example.agvet)': '0012',
    })
    expect(rows[1]).toMatchObject({
      'Application rate (L)': 1.5,
      'Product type': 'Wetter',
      'Product withdrawal 1 hours': 24,
    })
    expect(rows[2]).toMatchObject({ 'Application rate (kg)': 200, 'Product type': 'Urea' })
    expect(rows[2]).not.toHaveProperty('Application rate (L)')
    expect(rows[3]).toMatchObject({ 'Logged operation name': 'Headland', 'Logged id': 'pass-2' })
    expect(rows[3]).not.toHaveProperty('Product type')
    expect(Object.keys(rows[0]!)).not.toContain('Other')
  })
  test('flat: a job without passes is one row', () => {
    expect(flatRows(workRecord, [{ name: 'Planned', loggedOperations: [] }])).toEqual([{ Name: 'Planned' }])
  })
  test('linked: for people the day, farm and paddock of an operation are those of the diary', () => {
    const operation = {
      observationDate: '2026-11-21T20:00:00Z',
      holding: { name: 'Kauri Farm' },
      feature: { identifier: { scheme: 'nz.example.paddock', id: '007' } },
    }
    const body = {
      observationDate: '2026-11-19T20:00:00Z',
      holding: { name: 'Rimu Farm' },
      feature: { name: 'Rāhui' },
      loggedOperations: [operation, {}, { phenomenonStartTime: '2026-11-23' }],
    }
    const shown = (layout: 'linked' | 'diary', table: number, day: string) =>
      after(workRecord, [body], { layout, forPeople: true, zone: 'Pacific/Auckland' })
        .rows(body)
        [table]!.map((row) => [row[day], row['Farm'], row['Paddock']])
    const days = shown('diary', 0, 'Date')
    expect(days).toEqual([
      ['2026-11-22', 'Kauri Farm', '007'],
      ['2026-11-20', 'Rimu Farm', 'Rāhui'],
      ['2026-11-23', 'Rimu Farm', 'Rāhui'],
    ])
    expect(shown('linked', 1, 'Day')).toEqual(days)
  })
  test('linked: three tables with ids that refer to each other', () => {
    const flat = after(workRecord, [workRecordBody], { layout: 'linked' })
    expect(flat.tables().map(({ name, title }) => [name, title])).toEqual([
      ['work-records', 'Work records'],
      ['operations', 'Operations'],
      ['products', 'Products'],
    ])
    expect(columnNames(flat)).not.toContain('Id')
    const [jobs, operations, products] = flat.rows(workRecordBody).map((rows) => rows.map(filled))
    expect(jobs).toHaveLength(1)
    expect(Object.keys(jobs![0]!)[0]).toBe('Work record id')
    expect(jobs![0]).toMatchObject({ 'Work record id': 'job-31', Name: 'Spray Rāhui' })
    expect(operations).toEqual([
      expect.objectContaining({ 'Work record id': 'job-31', 'Operation id': 'pass-1', 'Operation name': 'First pass' }),
      {
        'Work record id': 'job-31',
        'Operation id': 'pass-2',
        Operation: 'CropProtection',
        'Operation name': 'Headland',
      },
    ])
    expect(
      products!.map((row) => [
        row['Work record id'],
        row['Operation id'],
        row['Product no'],
        row['Component no'],
        row['Product type'],
      ]),
    ).toEqual([
      ['job-31', 'pass-1', 1, 1, 'Herbicide'],
      ['job-31', 'pass-1', 1, 2, 'Wetter'],
      ['job-31', 'pass-1', 2, 1, 'Urea'],
    ])
  })
  test('linked: records without ids get links too', () => {
    const bodies = [
      { loggedOperations: [{ products: [{ components: [] }] }, { id: '' }] },
      { meta: { sourceId: { scheme: 'a', id: 'J-7' } }, loggedOperations: [{ id: 'p' }, { id: 'p' }] },
    ]
    const flat = after(workRecord, bodies, { layout: 'linked' })
    const [one, other] = bodies.map((body) => flat.rows(body))
    expect(one!.map((rows) => rows.map((row) => [row['Work record id'], row['Operation id']]))).toEqual([
      [['record 1', undefined]],
      [
        ['record 1', 'record 1/1'],
        ['record 1', 'record 1/2'],
      ],
      [['record 1', 'record 1/1']],
    ])
    expect(other![1]!.map((row) => [row['Work record id'], row['Operation id'], row['Id']])).toEqual([
      ['J-7', 'p', undefined],
      ['J-7', 'J-7/2', 'p'],
    ])
  })
  test('another type has one table in both layouts', () => {
    expect(after(plot, [plotBody], { layout: 'linked' }).tables()).toEqual(after(plot, [plotBody]).tables())
  })
  test('passes that are not a list of groups stay with the job', () => {
    const [row] = flatRows(workRecord, [{ loggedOperations: ['sprayed', 'twice'] }])
    expect(JSON.stringify(row)).toMatch(/sprayed.*twice/)
  })
})
