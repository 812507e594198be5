import { describe, expect, test } from 'vitest'
import { profileTable } from '../../../src/core/profile.ts'
import type { Table } from '../../../src/core/row.ts'
import { shapefile } from '../../../src/formats/shapefile.ts'
import { byRowsAlone, only, rowsByText, rowsOf } from '../fixtures.ts'
import { loose } from './collected.ts'
import { dbfBytes, nullContent, partsContent, shpBytes, square, type MadeTable } from './made-files.ts'

const fields: MadeTable['fields'] = [
  { name: 'ID', letter: 'N', width: 8 },
  { name: 'NAME', letter: 'C', width: 14 },
  { name: 'AREA', letter: 'N', width: 8, decimals: 2 },
  { name: 'NOTE', letter: 'C', width: 30 },
  { name: 'SOWN', letter: 'D', width: 8 },
  { name: 'USED', letter: 'L', width: 1 },
]

type Made = MadeTable['rows'][number]

const usual = (row: number): Made => ({
  cells: [
    row % 3 === 0 ? `00${row}` : String(row),
    ['Kōwhai', 'Top flat', '', 'Ōtāne'][row % 4]!,
    row % 7 === 0 ? '' : `${row}.25`,
    row % 5 === 0 ? '' : `  gate ${row % 11} €`,
    row % 6 === 0 ? '' : `202609${10 + (row % 20)}`,
    'TF?'[row % 3]!,
  ],
})

const made = (count: number, row: (row: number) => Made = usual): readonly Made[] =>
  Array.from({ length: count }, (_, index) => row(index))

type Case = { readonly rows: readonly Made[]; readonly shapes?: readonly Buffer[]; readonly encoding?: string }

async function open({ rows, shapes, encoding }: Case): Promise<Table> {
  const dbf = dbfBytes({ fields, rows })
  const files = shapes === undefined ? { 'a.dbf': dbf } : { 'a.shp': shpBytes(shapes), 'a.dbf': dbf }
  return only(await shapefile.open!(loose(files), encoding === undefined ? {} : { encoding }))
}

const paddock = (row: number): Buffer => partsContent(5, [square(row * 10, 0, 9)])
const paddocks = (count: number): readonly Buffer[] => Array.from({ length: count }, (_, index) => paddock(index))
const openRing = partsContent(5, [square(0, 0, 9).slice(0, 4)])

describe('rows by way of text are the rows', () => {
  const cases: Readonly<Record<string, Case>> = {
    'of a layer': { rows: made(350), shapes: paddocks(350) },
    'of a table alone': { rows: made(350) },
    'in a code page': { rows: made(350), shapes: paddocks(350), encoding: 'cp850' },
    'with deleted ones': { rows: made(350, (at) => ({ ...usual(at), deleted: at % 9 === 4 })), shapes: paddocks(350) },
    'with cells that do not fit': {
      rows: made(350, (at) => (at % 60 === 5 ? { cells: ['x', 'Kōwhai', '1e', 'y', '2026-9-3', 'Z'] } : usual(at))),
      shapes: paddocks(350),
    },
    'with letters cut off, lost and long': {
      rows: made(350, (at) => ({
        cells: ['1', Buffer.from('Ōtāne flat ōōō'), '2', at % 2 === 0 ? Buffer.of(0xc4) : '€ 😀 ḧ', '', ''],
      })),
      shapes: paddocks(350),
    },
    'with shapes gone wrong': {
      rows: made(350),
      shapes: paddocks(350).map((each, at) => (at % 70 === 3 ? openRing : at % 70 === 9 ? nullContent() : each)),
    },
    'with fewer shapes than rows': { rows: made(350), shapes: paddocks(240) },
    'with fewer rows than shapes': { rows: made(240), shapes: paddocks(350) },
    'with blanks around an end': {
      rows: made(30, () => ({ cells: ['1', ' a\0b', '2', '\0', '', ''] })),
      shapes: paddocks(30),
    },
  }

  test.each(Object.entries(cases))('%s', async (_, each) => {
    const [table, again] = [await open(each), await open(each)]
    expect((await rowsByText(table)).rows).toEqual(await rowsOf(again))
    expect(table.found()).toEqual(again.found())
    expect(await profileTable(table)).toEqual(await profileTable(byRowsAlone(again)))
  })
})

test('all rows of a sound layer come as text', async () => {
  const { rows, asText } = await rowsByText(await open({ rows: made(350), shapes: paddocks(350) }))
  expect(rows.length).toBe(350)
  expect(asText).toBe(350)
})

test('who looks on sees each shape and each problem once, whether rows come as text or not', async () => {
  const each: Case = {
    rows: made(250, (at) => (at === 120 ? { cells: ['x'] } : usual(at))),
    shapes: paddocks(250).map((shape, at) => (at === 7 ? openRing : shape)),
  }
  const see = async (table: Table) => {
    const seen: unknown[] = []
    const onlooker = {
      onShape: (shape: unknown) => seen.push(shape),
      onProblem: (problem: unknown) => seen.push(problem),
    }
    await profileTable(table, undefined, onlooker)
    return seen
  }
  const byText = await see(await open(each))
  expect(byText.length).toBe(252)
  expect(new Set(byText.map((one) => JSON.stringify(one)))).toEqual(
    new Set((await see(byRowsAlone(await open(each)))).map((one) => JSON.stringify(one))),
  )
})
