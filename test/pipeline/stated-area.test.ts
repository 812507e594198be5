import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Value } from '../../src/core/row.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { collection, paddock, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

/** What each paddock of `paddock` measures, in hectares. */
const hectares = 0.9773

async function compared(
  cells: readonly Value[],
  how: { readonly column?: string; readonly totalArea?: string; readonly more?: string } = {},
): Promise<Report> {
  const { column = 'AREA_HA', totalArea = 'measured', more = '' } = how
  farm.write('map.geojson', collection(cells.map((cell, index) => paddock(index, { ID: `${index}`, [column]: cell }))))
  return farm.run(`windrow: 1
import: plots
from: { file: map.geojson${more.includes('decimal') ? ', decimal: comma' : ''} }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <ID>, totalArea: ${totalArea} }
${more.includes('guard') ? more : ''}`)
}

const found = ({ problems }: Report) => problems.filter(({ code }) => code === 'area-differs')

describe('a column that states areas', () => {
  test('is totalled beside the measured areas', async () => {
    const report = await compared([0.98, 0.97, 0.98])
    expect(report.statedArea).toMatchObject({ column: 'AREA_HA', unit: 'ha', rows: 3, measuredRows: 3 })
    expect(report.statedArea!.statedM2).toBeCloseTo(29_300, 6)
    expect(report.statedArea!.measuredM2).toBeCloseTo(report.areaM2, 6)
    expect(found(report)).toEqual([])
  })

  test.each([
    ['ha', hectares, 'AREA'],
    ['ac', hectares * 2.4710538, 'SIZE'],
    ['m²', hectares * 1e4, 'Shape_Area'],
    ['perches', (hectares * 1e4) / 25.29285264, 'AREA'],
  ])('without a unit is recognised as %s by its numbers', async (unit, amount, column) => {
    expect((await compared([amount, amount, amount], { column })).statedArea).toMatchObject({ column, unit })
  })

  test('that contains no areas is ignored', async () => {
    const report = await compared([17, 4, 230], { column: 'AREA' })
    expect(report.statedArea).toBeUndefined()
    expect(found(report)).toEqual([])
  })

  test('in square degrees, as some programs measure, is ignored', async () => {
    expect((await compared([9.8e-7, 9.7e-7, 9.9e-7], { column: 'Shape_Area' })).statedArea).toBeUndefined()
  })

  test('may have its unit in the cells, and blank cells', async () => {
    const report = await compared(['2,41 ac', '', '0,98 ha'], { column: 'Area', more: 'decimal' })
    expect(report.statedArea).toMatchObject({ unit: 'ac', rows: 2, measuredRows: 3 })
    expect(found(report)).toEqual([])
  })

  test('is reported if one row differs, with both numbers', async () => {
    const [group] = found(await compared([0.98, 0.98, 1.42, 0.98]))
    expect(group).toMatchObject({ severity: 'warning', count: 1 })
    expect(group!.first[0]).toMatchObject({ at: { row: 2 }, column: 'AREA_HA', value: '1.42' })
    expect(group!.first[0]!.message).toBe('The column says 1.42 ha, the boundary measures 0.98 ha (45 % more).')
  })

  test('is reported once if most rows differ', async () => {
    const [group] = found(await compared([1.42, 1.31, 1.42, 0.98]))
    expect(group).toMatchObject({ count: 1, first: [{ at: { row: -1 } }] })
    expect(group!.first[0]!.message).toContain('3 of 4 areas in "AREA_HA" differ by more than 10 %')
  })

  test('may be rounded to whole hectares', async () => {
    expect(found(await compared([1, 1, 1]))).toEqual([])
  })

  test('whose numbers fit another unit than its header is reported, and not sent', async () => {
    const report = await compared([2.41, 2.42, 2.41])
    expect(report).toMatchObject({ exit: 0, records: { created: 3 } })
    expect(found(report)[0]!.first[0]!.message).toBe(
      '"AREA_HA" should be in hectares, but 3 of its 3 areas fit the measured boundaries in acres (row 0 says 2.41 ha; its boundary measures 0.98 ha).',
    )
  })
})

describe('a column that gives the record its area', () => {
  const totalArea = '{ from: AREA, unit: ha }'

  test('is compared as the record has it', async () => {
    const report = await compared([0.98, 0.97, 0.98], { column: 'AREA', totalArea })
    expect(report).toMatchObject({ exit: 0, statedArea: { column: 'AREA', unit: 'ha', rows: 3 } })
  })

  test('stops the run if its numbers fit another unit', async () => {
    const report = await compared([2.41, 2.42, 2.41], { column: 'AREA', totalArea })
    expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
    expect(report.error!.message).toContain('3 of its 3 areas fit the measured boundaries in acres')
    expect(report.error!.hint).toContain('totalArea: { from: AREA, unit: ac }, or  totalArea: measured')
    expect(farm.posted()).toEqual([])
  })

  test('is imported if the guard only warns', async () => {
    const more = 'rules: { reading: warn }'
    const report = await compared([2.41, 2.42, 2.41], { column: 'AREA', totalArea, more })
    expect(report).toMatchObject({ exit: 0, records: { created: 3 } })
    expect(report.problems[0]!.first[0]!.message).toContain('fit the measured boundaries in acres')
  })

  test('stops the run if it is a thousand times too large', async () => {
    const report = await compared([977, 978, 977], { column: 'AREA', totalArea })
    expect(report.error?.message).toContain('are a thousand times the measured areas')
  })

  test('of a single paddock is only reported', async () => {
    const report = await compared([2.41], { column: 'AREA', totalArea })
    expect(report).toMatchObject({ exit: 0, problems: [{ code: 'area-differs', count: 1 }] })
  })
})
