import { describe, expect, test } from 'vitest'
import { headerWish, layOut, type Grid, type HeaderWish } from '../../src/formats/grid.ts'
import { textCells, type Merge } from '../../src/formats/grid/grid-cell.ts'

/** A grid from lines with bars between the cells; the first line is row 1. */
function gridOf(lines: readonly string[], more: Partial<Grid> = {}): Grid {
  return {
    name: 'Rimu paddocks',
    isCounted: false,
    rows: lines.map((line, index) => ({ row: index + 1, cells: textCells(line.split('|')) })),
    place: (row) => ({ source: 'Rimu paddocks', row }),
    ...more,
  }
}

const laidOut = (lines: readonly string[], wish?: HeaderWish, more: Partial<Grid> = {}) => {
  const { names, decision, firstRow, notes } = layOut(gridOf(lines, more), wish)
  return { names: names.join(', '), header: decision?.value, firstRow, notes: notes.map(({ code }) => code) }
}

const data = ['1|Top|12|Wheat', '2|Low|3|Maize', '3|River flat|4|Wheat']

describe('the row with the names', () => {
  test.each([
    ['is the first row', ['No|Name|Area|Crop', ...data], 1],
    ['is below a title', ['Rimu Farm|||', 'No|Name|Area|Crop', ...data], 2],
    ['is below labels with values', ['Farm|Rimu||', 'Date|3/9/2026||', '|||', 'No|Name|Area|Crop', ...data], 4],
    [
      'is below labels as wide as the table',
      ['Rimu|||', 'Manager|J. Kerr|Phone|021 555 0100', '|||', 'No|Name|Area|Crop', ...data],
      4,
    ],
    [
      'is above the first of two tables, also where only the second has known names',
      [
        'Kwatera|Rodzaj|Wielkosc',
        ...[1, 2, 3, 4, 5].map((each) => `K${each}|owies|${each}.1`),
        '||',
        'Name|Area|Crop',
      ].concat([1, 2, 3, 4, 5].map((each) => `P${each}|${each}.2|Oats`)),
      1,
    ],
    ['is below a title of its own width', ['Rimu|Farm|3/9/2026|x', 'No|Name|Area|Crop', ...data], 2],
    ['may have years in it', ['Paddock|2024|2025|2026', 'Top|12.1|13|14', 'Low|8|9|10'], 1],
    ['may count its columns', ['Paddock|1|2|3|4|5', 'Top|6|5|4|2|1', 'Low|0|1|2|4|5', 'Mid|6|7|7|3|1'], 1],
    ['may lack its last names', ['Paddock|Crop||', 'Top|Wheat|yes|a', 'Low|Maize|no|b'], 1],
    ['is above texts alone', ['Paddock|Crop', 'Top|Wheat', 'Low|Wheat'], 1],
    ['is followed by a blank row', ['Paddock|Crop', '|', 'Top|Wheat', 'Low|Maize'], 1],
    ['is all there is', ['Paddock|Crop'], 1],
    ['is above one row that is not filled in yet', ['id|name|area', 'tbc|Top|tbc', '2|Low|3', '3|Mid|4'], 1],
    ['lacks the name of the first column', ['|Area', 'Top|12', 'Low|3'], 1],
    ['is between ruled lines', ['---|---|---', 'id|name|area', '---|---|---', '1|Top|12', '2|Low|3'], 2],
    [
      'is below labels and a blank row',
      ['Lat|-37.7', 'Lon|175.3', '|', 'Date|Time|Rain', '3/9/2026|09:00|1', '4/9/2026|09:00|0'],
      4,
    ],
    ['has a name for one column alone', ['name', 'Rāhui', 'Ōtāne'], 1],
  ])('%s', (_, lines, header) => {
    expect(laidOut(lines)).toMatchObject({ header, firstRow: header + 1 })
  })

  test.each([
    ['numbers', ['1|Top|12', '2|Low|3', '3|Mid|4'], 1],
    ['numbers that count, once', ['1|2|3|4|5', '6|1|2|4|10', '9|8|3|3|1'], 1],
    ['numbers that count, row after row', ['1|2|3|4|5', '6|7|8|9|10', '11|12|13|14|15'], 1],
    ['dates', ['Top|3/9/2026', 'Low|4/9/2026'], 1],
    ['codes', ['P01|Top', 'P02|Low', 'P03|Mid'], 1],
    ['words that come again', ['Top|Wheat|Active', 'Low|Maize|Active', 'Mid|Wheat|Idle'], 1],
    ['one row of numbers', ['1|2|3'], 1],
    ['numbers below a title', ['Rimu Farm||', '||', '1|Top|12', '2|Low|3'], 3],
  ])('is missed where the first row holds values: %s', (_, lines, firstRow) => {
    const { names, header, firstRow: first, notes } = laidOut(lines)
    expect({ header, first }).toEqual({ header: 'none', first: firstRow })
    expect(names).toMatch(/^column 1, column 2/)
    expect(notes[0]).toBe('header-missing')
  })

  test('rows above it are reported, with their text', () => {
    const { notes, decision } = layOut(gridOf(['Rimu Farm|||', 'Spring 2026|||', '|||', 'No|Name|Area|Crop', ...data]))
    expect(notes).toMatchObject([
      { code: 'rows-above-header', severity: 'note', at: { row: 1 }, message: expect.stringContaining('Rows 1 to 2') },
    ])
    expect(notes[0]!.message).toContain('"Rimu Farm"')
    expect(decision?.evidence).toContain('as wide as the rows below')
  })

  test('the row that came second is named', () => {
    expect(layOut(gridOf(['Farm|Rimu|', 'id|name|area', '1|a|2', '2|b|3'])).decision).toMatchObject({
      value: 2,
      others: [{ value: 1 }],
    })
  })
})

describe('names in several lines', () => {
  const two = ['1|Top|12|11|Wheat', '2|Low|3|2.5|Maize']
  test.each([
    ['groups above', ['Paddock||Area||Crop', 'No|Name|gross|net|', ...two], '1-2'],
    ['names below', ['Paddock|Name|Area||Crop', '||gross|net|', ...two], '1-2'],
  ])('%s', (_, lines, header) => {
    const read = laidOut(lines)
    expect(read.header).toBe(header)
    expect(read.names).toMatch(/^Paddock(?: No)?, (?:Paddock )?Name, Area gross, Area net, Crop$/)
    expect(read.firstRow).toBe(3)
  })

  test('years above names that repeat', () => {
    const lines = ['||2025||2026|', 'No|Name|Area|Yield|Area|Yield', '1|Top|12|8|12|9', '2|Low|3|8|3|9']
    expect(laidOut(lines).names).toBe('No, Name, 2025 Area, 2025 Yield, 2026 Area, 2026 Yield')
  })

  test('labels with their values are none of them', () => {
    const lines = ['Farm: Rimu|||Season: 2026|', 'No|Name|Area|Crop|Yield', '1|Top|12|Oats|8', '2|Low|3|Rye|8']
    const merges = [{ firstRow: 1, lastRow: 1, firstColumn: 0, lastColumn: 2 }]
    expect(laidOut(lines, undefined, { merges })).toMatchObject({ names: 'No, Name, Area, Crop, Yield', header: 2 })
  })

  test('units below', () => {
    expect(laidOut(['No|Name|Area|Depth', '||(ha)|m', '1|Top|12|0.3', '2|Low|3|0.4'])).toMatchObject({
      names: 'No, Name, Area (ha), Depth m',
      header: '1-2',
    })
  })

  test('units below, with dashes where there are none', () => {
    expect(laidOut(['No|Name|Area|Yield', '-|-|ha|t/ha', '1|Top|12|8', '2|Low|3|7'])).toMatchObject({
      names: 'No, Name, Area ha, Yield t/ha',
      header: '1-2',
    })
  })

  test.each([
    ['text|text|ha|date', 'No, Name, Area ha, Sown'],
    ['required|||dd/mm/yy', 'No, Name, Area, Sown dd/mm/yy'],
    ['-||hectares|(date)', 'No, Name, Area hectares, Sown (date)'],
  ])('units below beside types: %s', (line, names) => {
    const lines = ['No|Name|Area|Sown', line, '1|Top|12|2026-11-02', '2|Low|3|2026-11-03']
    expect(laidOut(lines)).toMatchObject({ names, header: '1-2', firstRow: 3 })
  })

  test.each(['1|2|3|4', 'text|text|number|text', 'VARCHAR(5)|VARCHAR|DOUBLE|'])(
    'below them the line %s describes the columns',
    (line) => {
      const lines = ['No|Name|Area|Crop', line, ...data]
      expect(laidOut(lines)).toMatchObject({ names: 'No, Name, Area, Crop', header: '1-2', firstRow: 3 })
      expect(laidOut(lines, { first: 1, last: 2 })).toMatchObject({ names: 'No, Name, Area, Crop', firstRow: 3 })
    },
  )

  test('numbers above nothing but numbers are a record', () => {
    expect(laidOut(['No|Block|Rows|Trees', '1|2|3|4', '2|3|4|5', '3|4|5|6'])).toMatchObject({ header: 1, firstRow: 2 })
    expect(laidOut(['No|Name|Area', '1|2|3', '2|Low|4', '3|Mid|5'])).toMatchObject({ header: 1, firstRow: 2 })
  })

  test('a column of units is none of them', () => {
    expect(laidOut(['Unit', 'ha', 'ha', 'ac'])).toMatchObject({ header: 1, firstRow: 2 })
  })

  test('a first record with little in it is a record', () => {
    expect(laidOut(['id|name|area|note', '1|||n/a', '2|Low|3|', '3|Mid|4|'])).toMatchObject({ header: 1, firstRow: 2 })
    expect(laidOut(['id|name|area|note', '|Top||', '2|Low|3|', '3|Mid|4|'])).toMatchObject({ header: 1, firstRow: 2 })
  })

  test('merged cells reach as far as they are merged', () => {
    const merge = (firstRow: number, lastRow: number, firstColumn: number, lastColumn: number): Merge => ({
      firstRow,
      lastRow,
      firstColumn,
      lastColumn,
    })
    const merges = [merge(1, 1, 0, 5), merge(2, 3, 0, 0), merge(2, 3, 1, 1), merge(2, 2, 2, 3), merge(2, 3, 5, 5)]
    const lines = [
      'Rimu Farm|||||',
      'No|Name|Area|||Crop',
      '||gross|net|Depth|',
      '1|Top|12|11|1|Wheat',
      '2|Low|3|2|1|Oats',
    ]
    expect(laidOut(lines, undefined, { merges })).toEqual({
      names: 'No, Name, Area gross, Area net, Depth, Crop',
      header: '2-3',
      firstRow: 4,
      notes: ['rows-above-header'],
    })
  })

  test('a title is not a group', () => {
    expect(laidOut(['Rimu Farm|||', 'No|Name|Area|Crop', ...data]).names).toBe('No, Name, Area, Crop')
    expect(laidOut(['Farm|Rimu||', 'No|Name|Area|Crop', ...data]).names).toBe('No, Name, Area, Crop')
  })
})

describe('columns', () => {
  test('blank ones before and between are left out', () => {
    const layout = layOut(gridOf(['|||', '|No||Name', '|1||Top', '|2||Low']))
    expect(layout).toMatchObject({ names: ['No', 'Name'], columns: [1, 3], left: [0, 2], width: 4, firstRow: 3 })
  })

  test('one without a name is called after its place', () => {
    const { names, notes } = layOut(gridOf(['|No|Name|', '|1|Top|x', '|2|Low|y']))
    expect(names).toEqual(['No', 'Name', 'column 4'])
    expect(notes).toMatchObject([{ code: 'header-renamed', column: 'column 4' }])
  })

  test('a single cell makes no column, and neither does a longer row if rows are counted', () => {
    expect(layOut(gridOf(['No|Name|', '1|Top|', '2|Low|', '3|Mid|4'])).names).toEqual(['No', 'Name'])
    expect(layOut(gridOf(['No|Name', '1|Top|x', '2|Low|y'], { isCounted: true })).names).toEqual(['No', 'Name'])
    expect(layOut(gridOf(['No|Name', '1|Top|x', '2|Low|y'])).names).toEqual(['No', 'Name', 'column 3'])
  })
})

describe('the option', () => {
  test.each([
    [3, { first: 3, last: 3 }],
    ['2-3', { first: 2, last: 3 }],
    ['None', 'none'],
    [undefined, undefined],
  ])('%j is read', (option, wish) => expect(headerWish(option)).toEqual(wish))

  test.each([0, -1, 1.5, '3-2', 'first', '', true])('%j is refused', (option) => {
    expect(() => headerWish(option)).toThrow('does not name the rows')
  })

  test('wins over what the rows look like', () => {
    const lines = ['Rimu Farm|||', 'No|Name|Area|Crop', ...data]
    expect(laidOut(lines, { first: 1, last: 2 }).names).toBe(
      'Rimu Farm No, Rimu Farm Name, Rimu Farm Area, Rimu Farm Crop',
    )
    expect(laidOut(lines, { first: 3, last: 3 })).toMatchObject({ names: '1, Top, 12, Wheat', firstRow: 4 })
    expect(laidOut(lines, 'none')).toEqual({
      names: 'column 1, column 2, column 3, column 4',
      header: 'none',
      firstRow: 1,
      notes: [],
    })
  })

  test('beyond the last row it is refused', () => {
    expect(() => laidOut(['a|b'], { first: 5, last: 5 })).toThrow('ends at row 1')
  })
})
