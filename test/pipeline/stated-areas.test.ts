import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DecimalMark } from '../../src/core/values/number-text.ts'
import type { Value } from '../../src/core/row.ts'
import { areaColumnsOf } from '../../src/mapping/area-column.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { noteStatedArea, statedColumnIn, type StatedAreas } from '../../src/pipeline/stage/stated-areas.ts'
import { collection, paddock, pipeline, startFarm, type Farm } from './farm.ts'

/** What each paddock of `paddock` measures, in hectares. */
const hectares = 0.9773

/** The column of a file whose boundaries all measure that. */
function counted(name: string, cells: readonly Value[], decimal?: DecimalMark) {
  const areas: StatedAreas = { measuredRows: 0, columns: undefined }
  const reading = { columnsOf: () => areaColumnsOf({}, [name]), decimal }
  for (const [index, cell] of cells.entries()) {
    const row = { at: { source: 'a.csv', row: index }, values: { [name]: cell } }
    noteStatedArea(areas, reading, { row, record: () => ({}), areaM2: hectares * 10_000 })
  }
  return statedColumnIn(areas)
}

describe('a column that states areas', () => {
  test.each<[what: string, name: string, cells: readonly Value[], unit: string | undefined]>([
    ['has its unit in the header', 'AREA_HA', [0.98, 0.97, 0.98], 'ha'],
    ['keeps it where another would fit', 'AREA_HA', [2.41, 2.42, 2.41], 'ha'],
    ['without a unit is recognised by its numbers', 'AREA', [hectares, hectares, hectares], 'ha'],
    ['may be in acres', 'SIZE', [2.415, 2.415, 2.415], 'ac'],
    ['may be in square metres', 'Shape_Area', [9773, 9773, 9773], 'm²'],
    ['may be in perches', 'AREA', [386.4, 386.4, 386.4], 'perches'],
    ['that contains no areas is ignored', 'AREA', [17, 4, 230], undefined],
    ['in square degrees is ignored', 'Shape_Area', [9.8e-7, 9.7e-7, 9.9e-7], undefined],
  ])('%s', (_, name, cells, unit) => {
    expect(counted(name, cells)?.column.unit.sign).toBe(unit)
  })

  test('may have units in the cells, and blank cells', () => {
    const { column, total } = counted('Area', ['2,41 ac', '', '0,98 ha'], 'comma')!
    expect(column).toMatchObject({ rows: 2, fitting: 2, doubts: [] })
    expect(total).toMatchObject({ unit: 'ac', rows: 2, measuredRows: 3 })
  })

  test('may be rounded to whole hectares', () => {
    expect(counted('AREA_HA', [1, 1, 1])!.column).toMatchObject({ rounding: 0.5, fitting: 3, doubts: [] })
  })

  test('shows which unit most rows fit, or that they are a thousand times as large', () => {
    const { column } = counted('AREA_HA', [2.41, 2.42, 0.98])!
    expect(column).toMatchObject({ rows: 3, fitting: 1, best: { rows: 2, unit: { sign: 'ac' } } })
    expect(column.doubts.map(({ amount }) => amount)).toEqual([2.41, 2.42])
    expect(counted('AREA_HA', [977, 978])!.column.best).toEqual({ rows: 2, unit: 'a thousand times' })
  })
})

describe('a run', () => {
  let farm: Farm
  beforeEach(async () => {
    farm = await startFarm()
  })
  afterEach(() => farm.close())

  const imported = (cells: readonly Value[], totalArea: string, more = ''): Promise<Report> => {
    const features = cells.map((AREA, index) => paddock(index, { ID: `${index}`, AREA }))
    const lines = { from: '{ file: map.geojson }', key: '<ID>', record: `{ name: <ID>, totalArea: ${totalArea} }` }
    return farm.night(collection(features), pipeline(lines, more))
  }
  const found = ({ problems }: Report, code: string) => problems.find((each) => each.code === code)

  test('reports the total of the column, and a row that differs, with both numbers', async () => {
    const report = await imported([0.98, 0.98, 1.42, 0.98, 0.98, 0.98], 'measured')
    expect(report).toMatchObject({ exit: 0, statedArea: { column: 'AREA', unit: 'ha', rows: 6, measuredRows: 6 } })
    expect(report.statedArea!.statedM2).toBeCloseTo(63_200, 6)
    expect(report.statedArea!.measuredM2).toBeCloseTo(report.areaM2, 6)
    expect(found(report, 'area-differs')).toMatchObject({
      severity: 'warning',
      count: 1,
      first: [
        {
          at: { row: 2 },
          column: 'AREA',
          value: '1.42',
          message: 'The column says 1.42 ha, the boundary measures 0.98 ha (45 % more).',
        },
      ],
    })
  })

  test('stops if the numbers that records get fit another unit, unless the pipeline only warns', async () => {
    const [cells, totalArea] = [[2.41, 2.42, 2.41], '{ from: AREA, unit: ha }']
    const report = await imported(cells, totalArea)
    expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' }, records: { created: 0 } })
    expect(found(report, 'area-unit')!.first[0]!.message).toBe(
      '"AREA" should be in hectares, but 3 of its 3 areas fit the measured boundaries in acres (row 0 says 2.41 ha; its boundary measures 0.98 ha).',
    )
    expect(report.error!.hint).toContain('totalArea: { from: AREA, unit: ac }, or  totalArea: measured')
    expect(farm.posted()).toEqual([])
    const warned = await imported(cells, totalArea, 'rules: { area-unit: warn }')
    expect(warned).toMatchObject({ exit: 0, records: { created: 3 } })
    expect(found(warned, 'area-unit')).toMatchObject({ severity: 'warning', count: 1 })
  })
})
