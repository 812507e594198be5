import { describe, expect, test, vi } from 'vitest'
import * as XLSX from 'xlsx'
import type { Row, Table } from '../../src/core/row.ts'
import { zipTarget } from '../../src/core/sources/zip-writer.ts'
import type { FormatOptions } from '../../src/formats/format.ts'
import { openFile } from '../../src/formats/index.ts'
import { workbook } from '../../src/formats/workbook.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { share } from '../runs.ts'
import { decidedBy, fixtures, memoryTarget, only, rowsOf, sourceOf } from './fixtures.ts'

type BookType = 'biff5' | 'biff8' | 'xlsb' | 'ods'
const kinds = [
  ['paddocks.xls', 'biff8'],
  ['paddocks.xlsb', 'xlsb'],
  ['paddocks.ods', 'ods'],
] as const

type Cell = string | number | boolean | null | XLSX.CellObject
/** The cells of a row; those of texts alone may be one, such as 'id|name'. */
type Cells = string | readonly Cell[]

function bytesOfBook(
  sheets: Record<string, readonly Cells[]>,
  bookType: BookType,
  change?: (book: XLSX.WorkBook) => void,
): Uint8Array {
  const book = XLSX.utils.book_new()
  for (const [name, rows] of Object.entries(sheets)) {
    const cells = rows.map((row) => (typeof row === 'string' ? row.split('|') : [...row]))
    XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(cells), name)
  }
  change?.(book)
  return new Uint8Array(XLSX.write(book, { type: 'array', bookType }) as ArrayBuffer)
}

function open(bytes: Uint8Array, options: FormatOptions = {}, name = 'paddocks.xls'): Promise<readonly Table[]> {
  return decidedBy(workbook, sourceOf(name, bytes), options)
}

const codes = (row: Row | undefined): readonly string[] => (row?.problems ?? []).map(({ code }) => code)
const dated = (v: number, z: string, w?: string): XLSX.CellObject =>
  w === undefined ? { t: 'n', v, z } : { t: 'n', v, z, w }

describe.each(kinds)('%s', (name, bookType) => {
  const day = (number: number): XLSX.CellObject => dated(number, 'yyyy"-"mm"-"dd')
  const moment = (number: number): XLSX.CellObject => dated(number, 'yyyy"-"mm"-"dd" "hh:mm')
  const rows: readonly Cells[] = [
    'id|name|area|sown|seen|organic',
    [dated(7, '0000', '0007'), 'Ōtāne', 12.5, day(46_268), moment(45_351.572916666664), true],
    [null, null, null, null, null, null],
    [dated(12, '0000', '0012'), 'Rāhui "top"', 0, day(59), moment(45_351), false],
  ]
  const first = {
    id: '0007',
    name: 'Ōtāne',
    area: 12.5,
    sown: '2026-09-03',
    seen: '2024-02-29T13:45:00',
    organic: true,
  }
  const seen = '2024-02-29T00:00:00'
  const last = { id: '0012', name: 'Rāhui "top"', area: 0, sown: '1900-02-28', seen, organic: false }

  test('ids keep their zeros, days are the days that were typed, in any time zone', async () => {
    const before = process.env.TZ
    try {
      for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
        process.env.TZ = zone
        const table = only(await open(bytesOfBook({ Paddocks: rows }, bookType), {}, name))
        expect(table).toMatchObject({ name: 'Paddocks', format: 'workbook', hasGeometry: false })
        const read = await rowsOf(table)
        expect(read.map(({ at }) => at)).toEqual([2, 3, 4].map((row) => ({ source: name, row })))
        expect(read[0]!.values).toEqual(first)
        expect(codes(read[1])).toEqual(['row-blank'])
        expect(read[2]!.values).toEqual(last)
      }
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  test('each sheet with something in it is a table, its place names it', async () => {
    const sheets = { One: ['a|b', [1, 2]], Empty: [[]], Two: ['c|d', [3, 4]] }
    const tables = await open(bytesOfBook(sheets, bookType), {}, name)
    expect(tables.map((table) => table.name)).toEqual(['One', 'Two'])
    expect((await rowsOf(tables[1]!))[0]).toMatchObject({
      at: { source: name, layer: 'Two', row: 2 },
      values: { c: 3, d: 4 },
    })
  })
})

test.each(kinds.slice(0, 2))('%s: errors are problems of their cells', async (name, bookType) => {
  const broken: XLSX.CellObject = { t: 'e', v: 0x17, w: '#REF!' }
  const bytes = bytesOfBook({ Paddocks: ['id|area', ['1', broken]] }, bookType)
  const [row] = await rowsOf(only(await open(bytes, {}, name)))
  expect(row!.problems).toMatchObject([{ code: 'cell-error', column: 'area', value: '#REF!', at: { row: 2 } }])
  expect(row!.values).toEqual({ id: '1', area: null })
})

/** What an .ods contains, as LibreOffice writes it. */
const typed = (type: string, attributes: string, shown: string): string =>
  `<table:table-cell office:value-type="${type}"${attributes}><text:p>${shown}</text:p></table:table-cell>`
const text = (shown: string): string => typed('string', '', shown)
const rowOf = (...cells: readonly string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`
const openDocument = async (...made: Parameters<typeof sheetDocument>): Promise<Table> =>
  only(await open(await sheetDocument(...made), {}, 'paddocks.ods'))

async function sheetDocument(rows: string, name = 'Paddocks', more = '', hasStyles = true): Promise<Uint8Array> {
  const one = async function* (text: string): AsyncGenerator<string> {
    yield text
  }
  const target = memoryTarget('paddocks.ods')
  const zip = zipTarget(target)
  await zip.add('mimetype', one('application/vnd.oasis.opendocument.spreadsheet'))
  await zip.add('META-INF/manifest.xml', one('<manifest:manifest/>'))
  if (hasStyles) await zip.add('styles.xml', one('<office:document-styles/>'))
  // What LibreOffice writes of a chart stands before the sheets.
  await zip.add('Object 1/content.xml', one('<office:document-content/>'))
  const style =
    '<number:number-style style:name="N1"><number:number number:min-integer-digits="4"/></number:number-style>' +
    '<number:number-style style:name="N2"><number:number/><style:map style:condition="value()&lt;0" style:apply-style-name="N1"/></number:number-style>' +
    '<style:style style:name="ce1" style:family="table-cell" style:data-style-name="N1"/>' +
    more
  await zip.add(
    'content.xml',
    one(
      `<office:document-content><office:automatic-styles>${style}</office:automatic-styles><office:body><office:spreadsheet>` +
        `<table:table table:name="${name}">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    ),
  )
  await zip.finish()
  return target.bytes()
}

test('an .ods without styles is read', async () => {
  const table = await openDocument(rowOf(text('id')) + rowOf(text('7')), 'Paddocks', '', false)
  expect(await rowsOf(table)).toMatchObject([{ values: { id: '7' } }])
})

test('an .ods as LibreOffice writes it: padded ids, errors, repeated blanks', async () => {
  const padded = typed('float', ' table:style-name="ce1" office:value="7"', '0007')
  const error = ' table:formula="of:=[.#REF!]" office:string-value="" calcext:value-type="error"'
  const wrong = typed('string', error, '#REF!')
  const table = await openDocument(
    rowOf(text('id'), text('area')) +
      rowOf(padded, wrong) +
      `<table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>`,
  )
  const [row, ...more] = await rowsOf(table)
  expect(more).toEqual([])
  expect(row!.values).toEqual({ id: '0007', area: null })
  expect(row!.problems).toMatchObject([{ code: 'cell-error', column: 'area', value: '#REF!' }])
})

test('an .ods as LibreOffice writes it: ids padded by the number format of their column', async () => {
  const number = (value: string, shown: string): string =>
    typed('float', ` office:value="${value}" calcext:value-type="float"`, shown)
  const table = await openDocument(
    rowOf(text('id'), text('tag'), text('area')) +
      rowOf(number('123', '00123'), number('4128765', '412-8765'), number('1234.5', '1,234.50')) +
      rowOf(number('0', '00000'), number('412876', '041-2876'), number('12', '12')) +
      rowOf(number('12345', '12345'), number('5', '5/1'), number('-5', '-5')),
  )
  const rows = await rowsOf(table)
  expect(rows.map(({ values }) => values)).toEqual([
    { id: '00123', tag: '412-8765', area: 1234.5 },
    { id: '00000', tag: '041-2876', area: 12 },
    { id: 12345, tag: 5, area: -5 },
  ])
})

test('an .ods as LibreOffice writes it: a truth is one, the name of a sheet is what is shown', async () => {
  const truth = typed('float', ' table:formula="of:=TRUE()" office:value="1"', 'TRUE')
  const rows = rowOf(text('id'), text('organic')) + rowOf(text('P1'), truth)
  const table = await openDocument(rows, 'Hill &amp; &quot;flat&quot;')
  expect(table.name).toBe('Hill & "flat"')
  expect((await rowsOf(table))[0]!.values).toEqual({ id: 'P1', organic: true })
})

test('an .ods whose numbers have no text, and whose errors are written as Excel does', async () => {
  const bare =
    '<table:table-cell office:value="7" office:value-type="float"/>' +
    '<table:table-cell office:value-type="date" office:date-value="2026-09-03"/>' +
    '<table:table-cell office:value-type="boolean" office:boolean-value="true" table:number-columns-repeated="2"/>'
  const wrong = typed('float', ' office:value="0" table:formula="of:=1/0"', '#DIV/0!')
  const header = rowOf(...['id', 'sown', 'sown well', 'organic', 'area'].map(text))
  const table = await openDocument(header + rowOf(bare, wrong))
  const [row] = await rowsOf(table)
  expect(row!.values).toEqual({ id: 7, sown: '2026-09-03', 'sown well': true, organic: true, area: null })
  expect(row!.problems).toMatchObject([{ code: 'cell-error', column: 'area', value: '#DIV/0!' }])
})

test('an .ods keeps a day that there is not as it is written, and reports formulas that were never calculated', async () => {
  const day = (value: string): string => typed('date', ` office:date-value="${value}"`, value)
  const formula = (more: string): string => `<table:table-cell table:formula="of:=[.A2]&amp;1"${more}/>`
  const blank = formula(' office:value-type="string" office:string-value=""')
  const table = await openDocument(
    rowOf(...['id', 'sown', 'area', 'length', 'note'].map(text)) +
      rowOf(text('P1'), day('2026-13-45'), formula(''), formula(' office:value-type="float"'), blank) +
      rowOf(text('P2'), day('2027-02-29'), formula(' office:value-type="float" office:value="5"')) +
      rowOf(text('P3'), day('2028-02-29')),
  )
  const rows = await rowsOf(table)
  expect(rows.map(({ values }) => [values['sown'], values['area']])).toEqual([
    ['2026-13-45', null],
    ['2027-02-29', 5],
    ['2028-02-29', null],
  ])
  const uncalculated = { code: 'formula-not-calculated' }
  expect(rows.map(({ problems = [] }) => problems)).toMatchObject([
    ['area', 'length'].map((column) => ({ ...uncalculated, column })),
    [],
    [],
  ])
})

test.each(['#WERT!', 'Err:508'])('an .ods keeps the error %s, which is written with the number 0', async (shown) => {
  const table = await openDocument(rowOf(text('area')) + rowOf(typed('float', ' office:value="0"', shown)))
  expect((await rowsOf(table))[0]!.values).toEqual({ area: shown })
})

test.each([
  ['P0DT5H30M0S', '05:30:00'],
  ['P1DT2H', '02:00:00'],
  ['P2D', '00:00:00'],
])('an .ods with the duration %s is read, as a time of day', async (value, shown) => {
  const time = typed('time', ` office:time-value="${value}"`, 'x')
  const [row] = await rowsOf(await openDocument(rowOf(text('time')) + rowOf(time)))
  expect(row!.values).toEqual({ time: shown })
})

test('an .ods reports a hidden sheet, row and column like other workbooks', async () => {
  const style =
    '<style:style style:name="ta2" style:family="table"/>' +
    '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>'
  const row = (hidden: string, ...cells: string[]): string =>
    `<table:table-row${hidden}>${cells.map(text).join('')}</table:table-row>`
  const table = await openDocument(
    '<table:table-column/><table:table-column table:visibility="collapse"/><table:table-column table:number-columns-repeated="1022"/>' +
      row('', 'id', 'name') +
      row('', 'P1', 'Hill') +
      row(' table:visibility="filter"', 'P2', 'Flat') +
      '<table:table-row table:number-rows-repeated="1048573" table:visibility="collapse"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>' +
      '</table:table><table:table table:name="Lists" table:style-name="ta1">' +
      row('', 'code', 'crop') +
      row('', 'RG', 'Ryegrass'),
    'A &amp; B',
    style,
  )
  expect((await rowsOf(table)).map(({ values }) => values['id'])).toEqual(['P1', 'P2'])
  expect(table.found().map(({ code, at, message }) => [code, at.row, message.split(' is ')[0]])).toEqual([
    ['sheet-hidden', 1, 'The sheet "Lists"'],
    ['cells-hidden', 2, 'Hidden columns that were read like the others: B.'],
    ['cells-hidden', 3, 'Rows that are hidden, perhaps by a filter, and were read like the others: 1; the first'],
  ])
})

test('text of Excel before 97 is read in the code page of its book', async () => {
  const bytes = bytesOfBook({ Paddocks: ['id|name', [1, 'Top~flat']] }, 'biff5')
  // The writer knows ASCII alone.
  bytes[Buffer.from(bytes).indexOf('Top~flat') + 3] = 0x96
  expect((await rowsOf(only(await open(bytes))))[0]!.values).toEqual({ id: 1, name: 'Top–flat' })
})

test('an .xlsb whose folder has another name is known by its kind', () => {
  const members = ['[Content_Types].xml', 'book/workbook.bin']
  expect(workbook.recognise({ name: 'paddocks.xlsb', head: new Uint8Array(4), members })).toBe(true)
})

test('a book that begins at an odd place in memory is read', async () => {
  const bytes = bytesOfBook({ Paddocks: [['id'], ['P1']] }, 'biff8')
  const shifted = Buffer.concat([Buffer.alloc(1), bytes]).subarray(1)
  const source = { ...sourceOf('paddocks.xls', shifted), read: () => Promise.resolve(shifted) }
  expect(await rowsOf(only(await decidedBy(workbook, source, {})))).toHaveLength(1)
})

describe('sheets', () => {
  const lists = {
    Paddocks: ['id|name', '1|Top'],
    Lists: ['crop|code', 'Rye|RG'],
  }
  const hide = (book: XLSX.WorkBook): void => {
    book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] }
  }

  test('hidden ones are left out with a note, or read when asked for', async () => {
    const bytes = bytesOfBook(lists, 'biff8', hide)
    const table = only(await open(bytes))
    expect(table.found()).toMatchObject([{ code: 'sheet-hidden', severity: 'note', at: { layer: 'Lists' } }])
    const both = await open(bytes, { hidden: true })
    expect(both.map(({ name }) => name)).toEqual(['Paddocks', 'Lists'])
    expect(both[0]!.found()).toEqual([])
  })

  test.each(kinds.slice(0, 2))(
    'a hidden column of %s is noted, and blank cells with a look are none',
    async (name, bookType) => {
      const bytes = bytesOfBook({ Paddocks: ['id|name|area', ['P1', 'Hill', 3]] }, bookType, ({ Sheets }) => {
        Sheets['Paddocks']!['!cols'] = [{ wch: 8 }, { wch: 8, hidden: true }, { wch: 8 }]
      })
      const table = only(await open(bytes, {}, name))
      expect((await rowsOf(table)).map(({ values }) => values)).toEqual([{ id: 'P1', name: 'Hill', area: 3 }])
      expect(table.found()).toMatchObject([
        { code: 'cells-hidden', message: expect.stringContaining('others: B') as string },
      ])
    },
  )

  test('days of a book that counts from 1904 are shifted', async () => {
    const rows = ['id|sown', ['1', dated(44_806, 'yyyy-mm-dd')]]
    const bytes = bytesOfBook({ Paddocks: rows }, 'biff8', (book) => {
      book.Workbook = { WBProps: { date1904: true } }
    })
    expect((await rowsOf(only(await open(bytes))))[0]!.values.sown).toBe('2026-09-03')
  })

  test('the header is the first row with two texts, or where the option sets it', async () => {
    const rows = [['Rimu Farm'], [], [null, 'id', 'name', null, 'name'], [null, '1', 'Top', 'x', 'y']]
    const bytes = bytesOfBook({ Paddocks: rows }, 'biff8')
    const table = only(await open(bytes))
    expect(table.columns!.map(({ name }) => name)).toEqual(['id', 'name', 'column 4', 'name (2)'])
    expect(table.choices).toMatchObject([{ setting: 'from.header', value: 3 }])
    expect(table.found().map(({ code }) => code)).toEqual(['rows-above-header', 'header-renamed', 'header-renamed'])
    expect(await rowsOf(table)).toMatchObject([
      { at: { row: 4 }, values: { id: '1', name: 'Top', 'column 4': 'x', 'name (2)': 'y' } },
    ])
    expect(only(await open(bytes, { header: 4 })).columns!.map(({ name }) => name)).toEqual(['1', 'Top', 'x', 'y'])
    await expect(open(bytes, { header: 9 })).rejects.toMatchObject({ code: 'option-invalid' })
  })
})

describe('files that cannot be read', () => {
  test.each([
    ['nothing', new Uint8Array(0), 'file-empty'],
    ['text', Buffer.from('id,name\n'), 'file-damaged'],
    ['half a book', bytesOfBook({ Paddocks: [['id', 'name']] }, 'xlsb').slice(0, 900), 'file-damaged'],
    ['a book of empty sheets', bytesOfBook({ Paddocks: [[]] }, 'biff8'), 'file-empty'],
  ])('%s', async (_, bytes, code) => {
    await expect(open(bytes)).rejects.toMatchObject({ name: 'WindrowError', code })
  })

  test.each(['content.xml', 'encrypted-package'])('an .ods with a password says so, its rows in %s', async (part) => {
    const members = [
      { name: 'mimetype', bytes: 'application/vnd.oasis.opendocument.spreadsheet' },
      { name: part, bytes: Uint8Array.from({ length: 900 }, (_, index) => (index * 197) % 251) },
      { name: 'META-INF/manifest.xml', bytes: '<manifest:manifest><manifest:encryption-data/></manifest:manifest>' },
    ]
    await expect(openFile(sourceOf('secret.ods', zipBytes(members)))).rejects.toMatchObject({
      code: 'file-unreadable',
      message: expect.stringContaining('password'),
      hint: expect.stringContaining('LibreOffice'),
    })
  })

  test('a book with a password is reported, and an old book with a new extension is read', async () => {
    const container = Buffer.concat([
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      Buffer.alloc(1500),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ])
    await expect(openFile(sourceOf('secret.xlsx', container))).rejects.toMatchObject({
      code: 'file-unreadable',
      message: expect.stringContaining('password'),
    })
    const renamed = sourceOf('renamed.xlsx', bytesOfBook({ Paddocks: ['id|name', '1|Top'] }, 'biff8'))
    expect(await rowsOf(only((await openFile(renamed)).tables))).toHaveLength(1)
  })

  test('a file beyond the limit is refused before it is read', async () => {
    const read = () => Promise.reject(new Error('was read'))
    const large = { ...sourceOf('large.xls', ''), size: 101 * 2 ** 20, read }
    await expect(decidedBy(workbook, large, {})).rejects.toMatchObject({
      code: 'file-too-large',
      hint: expect.stringContaining('CSV'),
    })
  })

  test('a small file that fills a sheet a million times over is refused', async () => {
    const cell = typed('string', ' table:number-columns-repeated="1024"', 'x')
    const bytes = await sheetDocument(`<table:table-row table:number-rows-repeated="1048576">${cell}</table:table-row>`)
    await expect(open(bytes, {}, 'bomb.ods')).rejects.toMatchObject({ code: 'file-too-large' })
  })

  test("the library's warnings are not printed", async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const bytes = await sheetDocument(rowOf(text('id')))
    XLSX.read(bytes, { type: 'array' })
    expect(said.mock.calls.length, 'the library has nothing to say about this file').toBeGreaterThan(0)
    said.mockClear()
    await open(bytes, {}, 'paddocks.ods')
    expect(said).not.toHaveBeenCalled()
    said.mockRestore()
  })
})

test('a list of sectors that never ends is refused in a few seconds, and the next workbook is read', async () => {
  const { name, make } = fixtures.find(({ name: each }) => each.endsWith('.xls'))!
  const bytes = make(5)
  // Found by changing bytes at random: entries 0 and 2 of the list of small sectors, and the size of a stream in the directory.
  for (const [at, byte] of [
    [1027, 50],
    [1032, 0],
    [2072, 7],
  ] as const)
    bytes[at] = byte
  await expect(open(bytes)).rejects.toMatchObject({
    code: 'file-too-large',
    hint: expect.stringContaining('save the sheet as CSV'),
  })
  expect(await rowsOf(only(await open(make(5), {}, name)))).toHaveLength(5)
})

test.each(share(kinds, 1))(
  '%s: an honest file of almost a megabyte is within the limits that stop dishonest ones',
  async (name, bookType) => {
    // Just less than a megabyte has the least memory for its size. The library takes long to write each row.
    const [long, wide] = { biff8: [160, 240], xlsb: [110, 408], ods: [700, 12] }[bookType] as [number, number]
    const rows = Array.from({ length: long }, (_, row) =>
      Array.from({ length: wide }, (_cell, column) =>
        column % 3 === 0 ? `Rāhui ${row} ${column}` : row * column + 0.5,
      ),
    )
    const header = Array.from({ length: wide }, (_, column) => `column ${column}`)
    const bytes = bytesOfBook({ Paddocks: [header, ...rows] }, bookType)
    expect(bytes.length / 2 ** 20).toBeCloseTo(0.95, 1)
    expect(await rowsOf(only(await open(bytes, {}, name)))).toHaveLength(long)
  },
)

test('a book of many sheets is read', async () => {
  const numbers = Array.from({ length: 20 }, (_, row) =>
    Array.from({ length: 7 }, (_cell, column) => (row * 7 + column) / 7),
  )
  const sheets = Object.fromEntries(
    Array.from({ length: 40 }, (_, block) => [`Block ${block}`, [['a', 'b', 'c', 'd', 'e', 'f', 'g'], ...numbers]]),
  )
  const bytes = bytesOfBook(sheets, 'biff8')
  expect(await open(bytes)).toHaveLength(40)
})
