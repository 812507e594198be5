import { describe, expect, test } from 'vitest'
import { type Row } from '../../../src/core/row.ts'
import { watchFooters } from '../../../src/formats/grid/footers.ts'

const names = ['No', 'Name', 'Area', 'Crop']
const columns = [0, 1, 2, 3]

/** What becomes of rows below two records, each written with bars between its cells: its number and the codes of its problems. */
function settle(...lines: readonly string[]): readonly string[] {
  return settleBelow(['1|Top|12|Wheat', '2|Low|3|Maize'], names, lines)
}

function settleBelow(
  records: readonly string[],
  names: readonly string[],
  lines: readonly string[],
): readonly string[] {
  const watch = watchFooters({ names, header: [names], columns: [...names.keys()] })
  const settled: Row[] = []
  for (const [index, line] of [...records, ...lines].entries()) {
    const cells = line.split('|')
    const values = Object.fromEntries(names.map((name, at) => [name, cells[at]]))
    watch.pass({ at: { source: 'paddocks.csv', row: index + 2 }, values }, cells, settled)
  }
  watch.end(settled)
  expect(settled).toHaveLength(lines.length + 2)
  return settled
    .toSorted((one, other) => one.at.row - other.at.row)
    .slice(2)
    .map(({ problems = [] }) => problems.map(({ code }) => code).join(' '))
}

describe('at the end of a table', () => {
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
    'Total area||15|',
    'Total|2 paddocks|15|',
    '2 paddocks||15|',
    'Σ||15|',
    'Exported from FarmSoft on 3/9/2026|||',
    'END|||',
    'EOF|||',
    'Exporté le 3/9/2026|||',
    '* areas in hectares|||',
    '2 records|||',
    '------|||',
    'Page 1 of 1',
  ])('%j is a footer', (line) => {
    expect(settle(line)).toEqual(['row-footer'])
  })

  test('a sum without a word is a footer, a number that may be an id is not', () => {
    expect(settle('3|Mid|4,5|Oats', '||19,5|')).toEqual(['', 'row-footer'])
    expect(settle('3|Mid|4.5|Oats', '|||', '||19.5|', 'Exported by hand|||')).toEqual([
      '',
      '',
      'row-footer',
      'row-footer',
    ])
    const [two, three] = [['1|4.5|4|a', '2|5.5|5|b'], '3|6.5|6|c']
    expect(settleBelow(two, ['No', 'Area', 'Grazed', 'Crop'], [three, '|16.5|15|'])).toEqual(['', 'row-footer'])
    for (const row of ['4|||', '||5|', '||19.5|Oats', '|19.5||'])
      expect(settle('3|Mid|4.5|Oats', row)).toEqual(['', ''])
    expect(settle('3|Mid|4.5|Oats', '||19.5|', '4|End|2|Rye')).toEqual(['', '', ''])
  })

  test('a sentence below a blank row is a footer, and so is what follows it', () => {
    expect(settle('|||', 'All areas measured by GPS', '', 'Total||15|')).toEqual(['', 'row-footer', '', 'row-footer'])
  })

  test('notes that follow a note are footers', () => {
    expect(settle('|||', 'Notes:', '1. All areas by GPS', '2. Low is leased')).toEqual([
      '',
      'row-footer',
      'row-footer',
      'row-footer',
    ])
    expect(settle('|||', 'Printed by|J. Smith||')).toEqual(['', 'row-footer'])
    expect(settle('|||', 'Notes', '1. All areas by GPS', 'Prepared by|JB||3/9/2026')).toEqual([
      '',
      'row-footer',
      'row-footer',
      'row-footer',
    ])
    expect(settle('|||', 'Signed: ________|||Date: ______')).toEqual(['', 'row-footer'])
  })

  test.each([
    ['a record with a gap', '3|Total|4|'],
    ['a row cut off', '3'],
    ['a key of its own below nothing', 'P-03'],
    ['a name of several words that no blank row parts', '|River flat north||'],
    ['a place called after a total of words', 'Totara||15|'],
    ['a total with text in it', 'Total|Barley||Wheat'],
    ['one above which no blank row says that the list ends', 'Prepared by|JB||3/9/2026'],
  ])('%s is a row', (_, line) => {
    expect(settle(line)).toEqual([''])
  })

  test('a second table below a blank row is not read as records', () => {
    const table = ['Crop summary', 'Crop|Area||', 'Wheat|12||', 'Maize|3||']
    const refused = table.map(() => 'row-unreadable')
    expect(settle('Total||15|', '|||', ...table)).toEqual(['row-footer', '', ...refused])
    expect(settle('|||', ...table.slice(1), 'Total|15||')).toEqual(['', ...refused.slice(1), 'row-footer'])
    expect(settle('|||', 'Notes:', ...table.slice(1))).toEqual(['', 'row-footer', ...refused.slice(1)])
  })

  test('a second table of two columns is not read as records of three', () => {
    const below = (...lines: readonly string[]) =>
      settleBelow(['Top|12|Wheat', 'Low|3|Maize'], ['Name', 'Area', 'Crop'], ['||', ...lines])
    const table = ['Trough|Depth|', 'North|2|', 'South|3|']
    expect(below(...table)).toEqual(['', ...table.map(() => 'row-unreadable')])
    expect(below('North|4|', 'South||Oats')).toEqual(['', '', ''])
    expect(below('North||Oats', 'South|4|Oats')).toEqual(['', '', ''])
  })

  test('a record with only numbers is a footer only if they are the sums of their columns', () => {
    const below = (line: string) =>
      settleBelow(['Home|1|5|Wheat', 'Hill|2|6|Oats'], ['Farm', 'No', 'Area', 'Crop'], [line])
    expect(below('|31|20|')).toEqual([''])
    expect(below('||20|')).toEqual([''])
    expect(below('|3|11|')).toEqual(['row-footer'])
    expect(below('||11.05|')).toEqual(['row-footer'])
    expect(settle('3|Mid|unknown|Oats', '||15|')).toEqual(['', ''])
    const many = Array.from({ length: 6_000 }, () => '3|Mid|1|Oats')
    expect(settle(...many, '||6015|').at(-1)).toBe('')
    expect(settle(...many.slice(0, 900), '||915|').at(-1)).toBe('row-footer')
  })

  test.each([
    [
      ['1|12|3/9/2026|Oats', '2|3|4/9/2026|Rye'],
      ['|||', 'Block|South||', '3|4|5/9/2026|Oats'],
    ],
    [
      ['1|12|3/9/2026|Oats', '2|3|4/9/2026|Rye'],
      ['|||', 'South block|leased|Jo Brown|', '3|4|5/9/2026|Oats', '4|4|5/9/2026|Oats'],
    ],
    [
      ['North|Rye|3/9/2026|4/9/2027', 'East|Rye|3/9/2026|4/9/2027'],
      ['|||', 'Yard|Pasture|permanent|grazed', 'West|Oats|tbc|4/9/2027'],
    ],
    [
      ['1|Rye|5|a', '3A|Rye|6|a'],
      ['|||', 'House|Lawn|see map|', '5|Oats|7|a'],
    ],
    [
      ['A1|5|Rye|a', 'A2|6|Rye|a'],
      ['|||', 'South block|Jo Brown|leased land|', '1|4|Oats|a', '2|4|Oats|a'],
    ],
    [
      ['1|1|4|Rye', '2|1|5|Rye'],
      ['|||', 'House|Home||Lawn', 'Yard|Home||Stones', '3|2|6|Oats'],
    ],
  ])('records that continue below a heading or below a record of texts stay records: %j', (records, lines) => {
    expect(settleBelow(records, ['No', 'Area', 'Sown', 'Crop'], lines)).toEqual(lines.map(() => ''))
  })

  test('a second table as wide as the first, or with a title, is not read as records', () => {
    const table = ['Machine|Year|Hours|Driver', 'Tractor|2020|1200|Jo', 'Drill|2018|300|Jo']
    const below = (...lines: readonly string[]) =>
      settleBelow(['1|12|3/9/2026|Oats', '2|3|4/9/2026|Rye'], ['No', 'Area', 'Sown', 'Crop'], lines)
    const refused = table.map(() => 'row-unreadable')
    expect(below('|||', ...table)).toEqual(['', ...refused])
    expect(below('Total|15||', '|||', 'Machinery|||', ...table, '|||', '3|4|5/9/2026|Oats')).toEqual([
      'row-footer',
      '',
      'row-unreadable',
      ...refused,
      '',
      'row-unreadable',
    ])
    expect(below('|||', ...table, '|||', 'No|Area|Sown|Crop', '3|4|5/9/2026|Oats').slice(4)).toEqual([
      '',
      'header-again',
      '',
    ])
    // With the same kinds of cells in its columns.
    const tanks = ['No|Name|Litres|', '1|2000|3/9/2026|Yard', '2|900|4/9/2026|']
    expect(below('|||', ...tanks)).toEqual(['', ...refused])
    const summary = ['Crop|Total|Paddocks|Share', 'Oats|10|2|60', 'Rye|6|1|40']
    expect(settle('|||', ...summary)).toEqual(['', ...refused])
    expect(settle('|||', 'P-4|Hill|TBC|Oats', '5|Far|4|Oats')).toEqual(['', '', ''])
    expect(settle('|||', 'P-4|Hill|TBC|Oats')).toEqual(['', ''])
    for (const record of ['P-3|TBC|5/9/2026|Oats', 'P-3|TBC|autumn 2026|Oats', 'None|TBC|unknown|Oats'])
      expect(below('|||', record)).toEqual(['', ''])
    expect(below(...table)).toEqual(['', '', ''])
  })

  test.each([
    ['a group of records with gaps below a blank row', ['|||', '3|North||', '4|South||']],
    ['a block of one', ['|||', 'River block|||', '3|North|4|Oats']],
    ['rows of text alone', ['|||', 'P-08|North||', 'P-09|South||']],
    ['a small block with fuller rows below', ['|||', 'Crop|Area||', 'Wheat|12||', '3|North|4|Oats']],
  ])('%s is read as records', (_, lines) => {
    expect(settle(...lines)).toEqual(lines.map(() => ''))
  })

  test('a key below a blank row is a row', () => {
    expect(settle('|||', '0007|||', '|||', 'P-08|||')).toEqual(['', '', '', ''])
  })

  test('a total filled in like a record is read and reported', () => {
    expect(settle('Total|2|15|2')).toEqual(['row-like-total'])
    expect(settle('Total Block A||15|')).toEqual(['row-like-total'])
    expect(settle('Total effective||15|')).toEqual(['row-footer'])
    expect(settle('Soma Farm||15|')).toEqual([''])
  })

  test('a total filled in like a record is skipped where it adds up', () => {
    const settleList = (...lines: readonly string[]) => settleBelow(['Top|12', 'Low|3.5'], ['Paddock', 'Area'], lines)
    expect(settleList('Total|15.5')).toEqual(['row-footer'])
    expect(settleList('Summe|15,5', '|', 'Page 1 of 1|')).toEqual(['row-footer', '', 'row-footer'])
    expect(settleList('Total farm area|15.5', 'Number of paddocks|2')).toEqual(['row-footer', 'row-footer'])
    expect(settleList('Total|15')).toEqual(['row-like-total'])
    expect(settleBelow(['1|Top|12', '2|Low|3'], ['No', 'Name', 'Area'], ['3|Total|15'])).toEqual([''])
    expect(settleList('Total|15.5', 'Far|4')).toEqual(['row-like-total', ''])
    expect(settleList('Total Block|15.5')).toEqual([''])
  })

  test('more rows than a footer has are rows', () => {
    const many = Array.from({ length: 80 }, () => 'Total||15|')
    expect(settle(...many).slice(0, 50)).toEqual(Array.from({ length: 50 }, () => 'row-like-total'))
  })
})

describe('among the rows of a table', () => {
  test('a subtotal is read and reported', () => {
    expect(settle('Subtotal||15|', '3|Mid|4|Oats', 'Total||19|')).toEqual(['row-like-total', '', 'row-footer'])
    expect(settle('|Home block total|15|', '3|Mid|4|Oats')).toEqual(['row-like-total', ''])
    expect(settle('|Totally new|15|', '3|Mid|4|Oats')).toEqual(['', ''])
  })

  test('a note is what it was', () => {
    expect(settle('|||', 'Block B, south of the river|||', '3|Mid|4|Oats')).toEqual(['', '', ''])
  })

  test('a ruled line is skipped', () => {
    expect(settle('--|----|----|----', '3|Mid|4|Oats', '---|||', '4|End|4|Oats')).toEqual([
      'row-footer',
      '',
      'row-footer',
      '',
    ])
  })

  test('a ruled line of Markdown, which begins with the delimiter, is skipped', () => {
    expect(settle('|----|----|----', '3|Mid|4|Oats')).toEqual(['row-footer', ''])
  })

  test.each(['No|Name|Area|Crop', '"No"|Name|Area|Crop'])('the names of a file that was joined are skipped', (line) => {
    expect(settle(`\ufeff${line}`, '3|Mid|4|Oats')).toEqual(['header-again', ''])
    expect(settle('\ufeffName|No|Area|Crop', 'Mid|3|4|Oats')).toEqual(['header-again', 'row-unreadable'])
  })

  test('the least and the greatest below a total are skipped, alone they are records', () => {
    expect(settle('Average||3|', 'Min||1|', 'Max:||5|')).toEqual(['row-footer', 'row-footer', 'row-footer'])
    expect(settle('Max||5|')).toEqual([''])
  })

  test('the names once more are skipped', () => {
    expect(settle('No|Name|Area|Crop', '3|Mid|4|Oats')).toEqual(['header-again', ''])
  })

  test('the names in another order are skipped, and no row below them is read until they come in the first order', () => {
    expect(settle('Name|No|Area|Crop', 'Mid|3|4|Oats', '', 'Far|4|5|Rye', 'No|Name|Area|Crop', '5|New|6|Kale')).toEqual(
      ['header-again', 'row-unreadable', '', 'row-unreadable', 'header-again', ''],
    )
  })

  test('a record that holds some of the names is a record', () => {
    expect(settle('Name|No|12|Crop', '3|Mid|4|Oats')).toEqual(['', ''])
    expect(settle('name|no|area|crop', '3|Mid|4|Oats')).toEqual(['', ''])
  })

  test('numbers and truth are cells like others', () => {
    const watch = watchFooters({ names, header: [names], columns })
    const settled: Row[] = []
    const row = { at: { source: 'book.xlsx', row: 9 }, values: { No: 'Total', Area: 15 } }
    watch.pass(row, ['Total', null, 15, null], settled)
    watch.end(settled)
    expect(settled[0]!.problems).toMatchObject([{ code: 'row-footer', message: expect.stringContaining('Total | 15') }])
  })
})
