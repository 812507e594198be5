import { describe, expect, test } from 'vitest'
import type { Values } from '../../src/core/row.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { workTotals } from '../../src/resources/work-totals.ts'
import { after, columnNames, filled } from './fixtures/flat-rows.ts'

const product = (name: string, percent: number, more: object = {}): object => ({ percent, product: { name, ...more } })
const litres = (measurement: number): object => ({ measurement, units: 'LTR' })

const job = {
  operation: 'CropProtection',
  status: 'Complete',
  phenomenonStartTime: '2026-10-01T08:00:00+13:00',
  phenomenonEndTime: '2026-10-01T10:00:00+13:00',
  holding: { name: 'Rimu' },
  feature: { name: 'Swamp' },
  workedArea: { measurement: 2, units: 'HAR' },
  remark: 'Done.',
  loggedOperations: [
    {
      operation: 'CropProtection',
      environment: { windSpeed: { measurement: 12, units: 'KMH' }, windDirectionCompass: 'NW' },
      products: [
        {
          applicationRate: litres(2.5),
          spatialMetric: { measurement: 100, units: 'MTK' },
          applicationTotal: litres(10),
          components: [
            product('Weedaway', 75, { withdrawals: [{ hours: 24 }, { hours: 48 }], crop: { name: 'Maize' } }),
            product('Stick', 25, { registrations: [{ scheme: 'x', id: 'P1' }] }),
          ],
        },
      ],
    },
    { operation: 'Mowing', responsible: 'Aroha' },
  ],
}

function diaryOf(body: object, zone = 'Pacific/Auckland'): readonly Values[] {
  return after(workRecord, [body], { layout: 'diary', zone }).rows(body)[0]!.map(filled)
}

describe('the diary of a job', () => {
  test('has a row for each application, and the area once', () => {
    expect(diaryOf(job)).toEqual([
      {
        Date: '2026-10-01',
        'Start (Pacific/Auckland)': '2026-10-01T08:00:00+13:00',
        End: '2026-10-01T10:00:00+13:00',
        Farm: 'Rimu',
        Paddock: 'Swamp',
        Crop: 'Maize',
        Operation: 'Crop protection',
        Product: 'Weedaway 75\u00a0%; Stick 25\u00a0%',
        Registration: 'P1',
        Rate: '2.5 L/100 m²',
        Total: 10,
        Unit: 'L',
        'Area treated (ha)': 2,
        Weather: 'wind 12 km/h NW',
        'Withholding until': '2026-10-03T10:00:00+13:00',
        Status: 'Complete',
        Remark: 'Done.',
      },
      expect.objectContaining({ Operation: 'Mowing', Operator: 'Aroha', Product: '', Weather: '' }),
    ])
    expect(diaryOf(job)[1]).not.toHaveProperty(['Area treated (ha)'])
  })

  test('shows what it cannot convert or read as it is', () => {
    const [row] = diaryOf({ ...job, workedArea: { measurement: 3, units: 'KGM' }, phenomenonStartTime: 'this morning' })
    expect(row).toMatchObject({
      'Area treated (ha)': '3 kg',
      'Start (Pacific/Auckland)': 'this morning',
      Date: 'this morning',
    })
    expect(diaryOf({ loggedOperations: 'none', holding: [], meta: 7 })).toHaveLength(1)
  })

  test('is never short of the day on which work ended', () => {
    const night = { ...job, phenomenonEndTime: '2026-10-02T02:00:00+13:00' }
    const lookOf = (body: object): unknown =>
      after(workRecord, [body], { layout: 'diary', zone: 'Pacific/Auckland' })
        .tables()[0]!
        .columns.find(({ name }) => name === 'End')?.look?.times
    expect([lookOf(job), lookOf(night)]).toEqual(['of day', 'to the minute'])
  })

  test.each([
    ['diary', 100, 16],
    ['diary', 720, 60],
    ['diary', 6000, 80],
    ['flat', 5, 10],
    ['flat', 100, 40],
    ['flat', 720, 60],
  ] as const)('has room for long remarks, and so have the other layouts: %s, %i letters', (layout, letters, width) => {
    const remark = 'x'.repeat(letters)
    const remarks = after(workRecord, [{ remark: 'Done.' }, { remark }, {}], { layout })
      .tables()[0]!
      .columns.find(({ name }) => name === 'Remark')
    expect(remarks?.look).toEqual({ wraps: true, width })
  })

  test.each([
    ['diary', 'Total', 12.5, 8],
    ['diary', 'Total', 333.3333333333, 15],
    ['diary', 'Area treated (ha)', 1234567.8, 13],
    ['flat', 'Application total (L)', 333.3333333333, 15],
    ['flat', 'Worked area (ha)', 1234567.8, 13],
  ] as const)('has room for a long number: %s, %s %d', (layout, title, amount, width) => {
    const body = {
      workedArea: { measurement: amount, units: 'HAR' },
      loggedOperations: [{ products: [{ applicationTotal: litres(amount) }] }],
    }
    const { columns } = after(workRecord, [body, job], { layout }).tables()[0]!
    expect(columns.find(({ name }) => name === title)?.look?.width).toBe(width)
  })

  test('is in order by what it logged if it has no times of its own', () => {
    const moments = [{}, { loggedOperations: [{}, { observationDate: '2026-10-01' }] }].map((body) =>
      after(workRecord, [body], { layout: 'diary' }).momentOf!(body),
    )
    expect(moments).toEqual([Number.NaN, Date.UTC(2026, 9, 1)])
  })

  test('leaves out empty columns when asked, but not all of them', () => {
    const options = { layout: 'diary', leavesOutEmpty: true } as const
    expect(columnNames(after(workRecord, [{ operation: 'Mowing' }], options))).toEqual(['Operation'])
    expect(columnNames(after(workRecord, [], options))).toContain('Area treated (ha)')
  })
})

test('totals have a line for each farm where there are several, and the paddocks of a farm together', () => {
  const totals = workTotals('HAR')
  const works = [
    ['Rimu', 'Block 10', 'Complete'],
    ['Kōwhai', 'North', 'Complete'],
    ['Rimu', 'Block 2', 'Complete'],
    ['Kōwhai', 'North', 'Scheduled'],
    ['Kōwhai', 'Block 2', 'Complete'],
  ]
  for (const [farm, paddock, status] of works)
    totals.add({ ...job, status, holding: { name: farm }, feature: { name: paddock }, loggedOperations: [] })
  const lines = totals.rows().map((row) => [row['Total of'], row['Name'], row['Farm or registration'], row['Status']])
  expect(lines.slice(2)).toEqual([
    ['Farm', 'Kōwhai', '', 'Complete'],
    ['Farm', 'Kōwhai', '', 'Scheduled'],
    ['Farm', 'Rimu', '', 'Complete'],
    ['Paddock', 'Block 2', 'Kōwhai', 'Complete'],
    ['Paddock', 'North', 'Kōwhai', 'Complete'],
    ['Paddock', 'North', 'Kōwhai', 'Scheduled'],
    ['Paddock', 'Block 2', 'Rimu', 'Complete'],
    ['Paddock', 'Block 10', 'Rimu', 'Complete'],
  ])
})

describe('farms and paddocks of one name', () => {
  const place = (name: string, id: string, scheme = 'a'): object => ({ name, identifier: { scheme, id } })
  const work = (holding: object, feature: object): object => ({ ...job, holding, feature, loggedOperations: [] })
  const home = place('Home', '1')
  const works = [
    work(home, place('House', '7')),
    work(home, place('House', '8')),
    work(place('Home', '2'), place('House', '7')),
    work(home, place('Top', '9')),
    work(home, place('Top', 'T', 'another program')),
  ]

  test('have their ids in the diary', () => {
    const flat = after(workRecord, works, { layout: 'diary', zone: 'UTC' })
    const shown = works.map((body) => flat.rows(body)[0]![0]!).map(({ Farm, Paddock }) => [Farm, Paddock])
    expect(shown).toEqual([
      ['Home (1)', 'House (7)'],
      ['Home (1)', 'House (8)'],
      ['Home (2)', 'House'],
      ['Home (1)', 'Top'],
      ['Home (1)', 'Top'],
    ])
  })

  test('have their own totals, but not one paddock that two programs number', () => {
    const totals = workTotals('HAR')
    for (const body of works) totals.add(body)
    expect(
      totals.rows().map((row) => [row['Name'], row['Farm or registration'], row['Jobs'], row['Area (ha)']]),
    ).toEqual([
      ['', '', 5, 10],
      ['Home (1)', '', 4, 8],
      ['Home (2)', '', 1, 2],
      ['House (7)', 'Home (1)', 1, 2],
      ['House (8)', 'Home (1)', 1, 2],
      ['Top', 'Home (1)', 2, 4],
      ['House', 'Home (2)', 1, 2],
    ])
  })
})

test('totals have a job on each of its paddocks, with its whole area', () => {
  const totals = workTotals('HAR')
  const on = (name: string): object => ({ feature: { name } })
  totals.add({ ...job, loggedOperations: [on('Swamp'), on('Top'), on('Top')] })
  const lines = totals.rows().map((row) => [row['Total of'], row['Name'], row['Jobs'], row['Area (ha)']])
  expect(lines).toEqual([
    ['All jobs', '', 1, 2],
    ['Paddock', 'Swamp', 1, 2],
    ['Paddock', 'Top', 1, 2],
  ])
})

test('totals have room for their longest numbers', () => {
  const totals = workTotals('HAR')
  const applied = { applicationTotal: { measurement: 1234.567891234, units: 'KGM' }, components: [{ percent: 100 }] }
  totals.add({
    ...job,
    workedArea: { measurement: 12_345_678.9, units: 'HAR' },
    loggedOperations: [{ products: [applied] }],
  })
  const widths = totals.columns().map(({ name, look }) => [name, look?.width])
  expect(widths).toContainEqual(['Area (ha)', '12,345,678.90'.length + 1])
  expect(widths).toContainEqual(['Amount', '1234.56789123'.length + 1])
})

test('totals split a mix by its shares, and count the area of a job once for each product', () => {
  const totals = workTotals('HAR')
  for (const body of [job, { ...job, status: 'Cancelled', loggedOperations: [] }, job]) totals.add(body)
  expect(totals.rows().map(filled)).toEqual([
    {
      'Total of': 'All jobs',
      Name: '',
      'Farm or registration': '',
      Status: 'Complete',
      Jobs: 2,
      'Area (ha)': 4,
      Unit: '',
    },
    {
      'Total of': 'All jobs',
      Name: '',
      'Farm or registration': '',
      Status: 'Cancelled',
      Jobs: 1,
      'Area (ha)': 2,
      Unit: '',
    },
    expect.objectContaining({ Name: 'Stick', Jobs: 2, 'Area (ha)': 4, Amount: 5, Unit: 'L' }),
    expect.objectContaining({ Name: 'Weedaway', Jobs: 2, 'Area (ha)': 4, Amount: 15, Unit: 'L' }),
    expect.objectContaining({ 'Total of': 'Paddock', Name: 'Swamp', Status: 'Complete', 'Area (ha)': 4 }),
    expect.objectContaining({ 'Total of': 'Paddock', Name: 'Swamp', Status: 'Cancelled', 'Area (ha)': 2 }),
  ])
})
