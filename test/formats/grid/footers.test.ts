import { describe, expect, test } from 'vitest'
import type { Row } from '../../../src/core/row.ts'
import { watchFooters } from '../../../src/formats/grid/footers.ts'

const names = ['No', 'Name', 'Area', 'Crop']

/** The codes of the problems of rows below two records, each written with bars between its cells. */
function settle(...lines: readonly string[]): readonly string[] {
  return below(['1|Top|12|Wheat', '2|Low|3|Maize'], names, lines)
}

function below(records: readonly string[], header: readonly string[], lines: readonly string[]): readonly string[] {
  const watch = watchFooters({ names: header, header: [header], columns: [...header.keys()] })
  const settled: Row[] = []
  for (const [index, line] of [...records, ...lines].entries()) {
    const cells = line.split('|')
    const values = Object.fromEntries(header.map((name, at) => [name, cells[at]]))
    watch.pass({ at: { source: 'paddocks.csv', row: index + 2 }, values }, cells, settled)
  }
  watch.end(settled)
  expect(settled).toHaveLength(lines.length + records.length)
  return settled
    .toSorted((one, other) => one.at.row - other.at.row)
    .slice(records.length)
    .map(({ problems = [] }) => problems.map(({ code }) => code).join(' '))
}

const footer = 'row-footer'

test.each([
  'Total||15|',
  'TOTALS:||15|',
  'Grand total||15|',
  '|Total|15|',
  'Sum||15|',
  'Carried forward||15|',
  'Totaal||15,0|',
  'Summe||1.204,5|',
  'Gesamt (ha)||15|',
  'Gesamtfläche||15 ha|',
  'Total général||15|',
  'Total effective||15|',
  'Total|2|15|2',
  '2 paddocks||15|',
  'Average||3|',
  'Σ||15|',
])('%j is a total, wherever it lies', (line) => {
  expect(settle(line, '3|Mid|4|Oats', line)).toEqual([footer, '', footer])
})

test.each([
  'Total Block A||15|',
  'Totara||15|',
  'Soma Farm||15|',
  '|Totally new|15|',
  '3|Total|4|',
  // Without a word for a total: whoever reads it as a record finds no key in it.
  '||15|',
])('%j is a row', (line) => {
  expect(settle(line)).toEqual([''])
})

describe('below the last record and a blank row', () => {
  test.each([
    [['All areas measured by GPS'], [footer]],
    [
      ['All areas measured by GPS', '', 'Total||15|', '', 'END|||'],
      [footer, '', footer, '', footer],
    ],
    [
      ['Notes:', '1. All areas by GPS', '2. Low is on lease'],
      [footer, footer, footer],
    ],
    [['Printed by|J. Smith||'], [footer]],
    [['Signed: ________|||Date: ______'], [footer]],
    [['Exporté le 3/9/2026|||'], [footer]],
    [['||3/9/2026|'], [footer]],
    [['|J. Smith||'], [footer]],
  ])('%j are remarks', (lines, codes) => {
    expect(settle('|||', ...lines)).toEqual(['', ...codes])
  })

  test.each([
    [['3|North||', '4|South||']],
    [['P-08|North||', 'P-09|South||']],
    [['0007|||', '|||', 'P-08|||']],
    [['River block|||', '3|North|4|Oats']],
    [['Block B, south of the river|||', '3|Mid|4|Oats']],
    [['Printed by|JB||3/9/2026']],
  ])('%j are rows', (lines) => {
    expect(settle('|||', ...lines)).toEqual(['', ...lines.map(() => '')])
  })

  test('a list by names continues with a name and an area', () => {
    expect(below(['Top flat|12|Wheat'], ['Name', 'Area', 'Crop'], ['||', 'House block|4|'])).toEqual(['', ''])
  })

  test('more rows than remarks have are rows', () => {
    const many = Array.from({ length: 80 }, () => 'Measured by the owner himself|||')
    expect(settle('|||', ...many).slice(1, 50)).toEqual(Array.from({ length: 49 }, () => ''))
  })

  test('nothing is a remark without a blank row above it', () => {
    expect(settle('All areas measured by GPS', 'Printed by|J. Smith||')).toEqual(['', ''])
  })
})

describe('a second table below a blank row', () => {
  const refused = (row: number) =>
    expect.objectContaining({
      code: 'two-tables',
      message: expect.stringContaining(`begins at row ${row} (`) as string,
    }) as Error

  test.each([
    [6, ['|||', 'Crop summary', 'Crop|Area||', 'Wheat|12||']],
    [5, ['|||', 'Crop|Area||', 'Wheat|12||']],
    [6, ['|||', 'Notes:', 'Crop|Area||', 'Wheat|12||']],
    [5, ['|||', 'Machine|Year|Hours|Driver', 'Tractor|2020|1200|Jo']],
    [6, ['|||', 'Machinery|||', 'Machine|Year|Hours|Driver', 'Tractor|2020|1200|Jo']],
    [5, ['|||', 'Crop|Total|Paddocks|Share', 'Oats|10|2|60']],
    // With the same kinds of cells in its columns.
    [5, ['|||', 'No|Name|Litres|', '1|Yard|2000|']],
  ])('is refused: from row %i of %j', (row, lines) => {
    expect(() => settle(...lines)).toThrow(refused(row))
  })

  test.each([
    [['|||', 'Block|South||', '3|North|5|Oats']],
    [['|||', 'House|Lawn|see map|', '5|Oats|7|Rye']],
    [['|||', 'P-4|Hill|TBC|Oats', '5|Far|4|Oats']],
    [['|||', 'Machine|Year|Hours|Driver']],
    [['Machine|Year|Hours|Driver', 'Tractor|2020|1200|Jo']],
  ])('is not what %j have', (lines) => {
    expect(settle(...lines)).toHaveLength(lines.length)
  })
})

describe('among the rows', () => {
  test.each(['--|----|----|----', '---|||', '|----|----|----'])('the line %j is skipped', (line) => {
    expect(settle(line, '3|Mid|4|Oats')).toEqual([footer, ''])
  })

  test.each(['No|Name|Area|Crop', '\ufeff"No"|Name|Area|Crop'])('the names once more are skipped: %j', (line) => {
    expect(settle(line, '3|Mid|4|Oats')).toEqual(['header-again', ''])
  })

  test('the names in another order are skipped, and no row below them is read until they come in the first order', () => {
    expect(settle('Name|No|Area|Crop', 'Mid|3|4|Oats', '', 'Far|4|5|Rye', 'No|Name|Area|Crop', '5|New|6|Kale')).toEqual(
      ['header-again', 'row-unreadable', '', 'row-unreadable', 'header-again', ''],
    )
  })

  test.each(['Name|No|12|Crop', 'name|no|area|crop'])('a record that has some of the names is a record: %j', (line) => {
    expect(settle(line, '3|Mid|4|Oats')).toEqual(['', ''])
  })
})

test('numbers and truth are cells like others', () => {
  const watch = watchFooters({ names, header: [names], columns: [0, 1, 2, 3] })
  const settled: Row[] = []
  const row = { at: { source: 'book.xlsx', row: 9 }, values: { No: 'Total', Area: 15 } }
  watch.pass(row, ['Total', null, 15, null], settled)
  expect(settled[0]!.problems).toMatchObject([
    { code: footer, message: 'The row is a total, not a record: Total | 15' },
  ])
})
