import { chosen } from '../../../src/core/row.ts'
import { describe, expect, test } from 'vitest'
import type { Choice } from '../../../src/core/row.ts'
import { csv } from '../../../src/formats/csv.ts'
import type { FormatOptions } from '../../../src/formats/format.ts'
import { xlsx } from '../../../src/formats/xlsx.ts'
import { factsFor, lookAtTable, type TableFacts } from '../../../src/pipeline/inspect/look.ts'
import { findResourceType } from '../../../src/resources/index.ts'
import { memoryTarget, only, outTable, rowsOf, sourceOf } from '../fixtures.ts'

const triangle = (lon: number): string => `POLYGON((${lon} -37,${lon + 1} -37,${lon + 1} -38,${lon} -37))`

async function open(header: string, rows: readonly string[], options: FormatOptions = {}) {
  const text = `${[header, ...rows].join('\n')}\n`
  return only(await csv.look!(sourceOf('Rimu paddocks.csv', text), { delimiter: '|', ...options }))
}

const decide = async (header: string, rows: readonly string[], options?: FormatOptions): Promise<TableFacts> =>
  lookAtTable(await open(header, rows, options))

const decided = ({ table }: TableFacts, option: string): Choice | undefined =>
  table.choices.find(({ setting }) => setting === `from.${option}`)
const times = (count: number, row: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => row(index))

describe('boundaries as text', () => {
  const late = [...times(1000, (at) => `${at}|`), ...times(1000, (at) => `${at}|${triangle(at % 100)}`)]

  test('that the first rows have blank are found, with the counts of all rows', async () => {
    const looked = await decide('id|outline', late)
    expect(decided(looked, 'geometry')).toMatchObject({
      setting: 'from.geometry',
      value: 'outline',
      evidence: '1000 of 1000 filled cells contain well-known text.',
    })
    expect(looked.profile.shapes).toEqual({ Polygon: 1000 })
    expect(looked.table.crs).toEqual({ from: 'columns', text: 'EPSG:4326' })
  })

  test('that an option names are read by the first that is there', async () => {
    const geojson = '{"type":"Point","coordinates":[175,-37]}'
    const text = ['id|outline', ...times(1000, (at) => `${at}|`), `1000|${geojson}`].join('\n')
    const table = only(await csv.open!(sourceOf('Rimu.csv', text), { delimiter: '|', geometry: 'outline' }))
    expect((await rowsOf(table)).at(-1)?.shape).toMatchObject({ kind: 'Point' })
  })

  test('go before positions also where they come later', async () => {
    const rows = late.map((row, at) => `${row}|${170 + at / 1000}|-37.5`)
    const looked = await decide('id|outline|lon|lat', rows)
    expect(looked.profile.shapes).toEqual({ Polygon: 1000 })
    const plots = findResourceType('plots')!
    const ofPlots = factsFor(plots, looked)
    expect(ofPlots.profile.shapes).toEqual({ Polygon: 1000 })
  })

  test('are counted where some cells do not hold one', async () => {
    const looked = await decide('id|outline', [...times(300, (at) => `${at}|${triangle(at % 100)}`), '300|none'])
    expect(decided(looked, 'geometry')?.evidence).toBe('300 of 301 filled cells contain well-known text.')
  })
})

describe('positions', () => {
  const european = (count: number): readonly string[] => times(count, (at) => `${at}|${50 + at / 1e4}|${10 + at / 1e4}`)
  const kiwi = (count: number): readonly string[] => times(count, (at) => `${at}|${175 + at / 1e4}|${-37 - at / 1e4}`)

  test('of which some are on earth only with the columns exchanged, and none only as named, are exchanged', async () => {
    const looked = await decide('id|lat|lon', [...european(2000), ...kiwi(500)])
    const evidence = 'By the names of <lon> and <lat>, 500 of 2500 positions would not be on earth; exchanged, none.'
    expect(decided(looked, 'x')).toEqual(chosen('from.x', 'lat', evidence, 'lon'))
    expect(decided(looked, 'y')).toMatchObject({ value: 'lon' })
    expect(looked.profile.withoutShape).toBe(0)
    expect(looked.table.found()).toMatchObject([
      { code: 'coordinate-out-of-range', severity: 'warning', column: 'lat' },
    ])
  })

  test('that were turned by the first rows are turned back where the rest proves the names right', async () => {
    const named = times(2000, (at) => `${at}|${-37 - at / 1e4}|${175 + at / 1e4}`)
    const looked = await decide('id|lat|lon', [...kiwi(300), ...named])
    expect(decided(looked, 'x')).toMatchObject({
      value: 'lon',
      evidence: expect.stringContaining(
        '300 would be on earth only with the columns exchanged, 2000 only as they are.',
      ),
    })
    expect(looked.profile.withoutShape).toBe(300)
  })

  test('of which some are on earth only as they are named are not turned, however many others would be', async () => {
    const named = times(5, (at) => `${at}|${-37 - at / 1e4}|${175 + at / 1e4}`)
    const looked = await decide('id|lat|lon', [...european(2000), ...kiwi(500), ...named])
    expect(decided(looked, 'x')).toMatchObject({
      value: 'lon',
      evidence: expect.stringContaining('500 would be on earth only with the columns exchanged, 5 only as they are.'),
    })
  })

  test('of which one is exchanged stay as they are named', async () => {
    const looked = await decide('id|lat|lon', [...european(2000), ...kiwi(1)])
    expect(decided(looked, 'x')).toMatchObject({
      setting: 'from.x',
      value: 'lon',
      evidence:
        'Chosen by the names of <lon> and <lat>; 2000 of 2001 positions can be read; 1 would be on earth only with the columns exchanged, 0 only as they are.',
    })
  })

  test('that the first rows have blank are found', async () => {
    const grid = times(1000, (at) => `${at}|${1_750_000 + at}|${5_800_000 + at}`)
    const looked = await decide('id|x|y', [...times(1000, (at) => `${at}||`), ...grid])
    expect(decided(looked, 'x')?.evidence).toBe(
      'Chosen by the names of <x> and <y>; 1000 of 1000 positions can be read.',
    )
    expect(looked.profile.shapes).toEqual({ Point: 1000 })
  })

  test('are in metres where only the first rows could be degrees', async () => {
    const small = times(250, (at) => `${at}|${10.125 + at / 1e4}|${50.125 + at / 1e4}`)
    const grid = times(2000, (at) => `${at}|${1_750_000 + at}.125|${5_800_000 + at}.125`)
    expect((await decide('id|x|y', [...small, ...grid])).table.crs).toBeUndefined()
  })

  test('that options name are not decided again', async () => {
    const looked = await decide('id|lat|lon', [...european(2000), ...kiwi(500)], { x: 'lon', y: 'lat' })
    expect(decided(looked, 'x')).toMatchObject({ value: 'lon', evidence: 'Set, not guessed.' })
  })
})

test('a sheet of a workbook is checked against all its rows too', async () => {
  const target = memoryTarget('Rimu.xlsx')
  const rows = times(1000, (at) => (at < 500 ? '' : triangle(at % 100)))
  const cells = rows.map((outline, index) => ({ values: { id: `P${index}`, outline } }))
  await xlsx.write!([outTable(cells, { columns: [{ name: 'id' }, { name: 'outline' }] })], target, {})
  const looked = await lookAtTable(only(await xlsx.look!(sourceOf('Rimu.xlsx', target.bytes()), {})))
  expect(decided(looked, 'geometry')?.evidence).toBe('500 of 500 filled cells contain well-known text.')
})
