import { describe, expect, test } from 'vitest'
import type { Row, Table } from '../../../src/core/row.ts'
import type { FormatOptions } from '../../../src/formats/format.ts'
import { xlsx } from '../../../src/formats/xlsx.ts'
import { decidedBy, only, rowsOf, sourceOf } from '../fixtures.ts'
import { bookBytes, relations, textRow, type MadeBook } from './made-books.ts'

function open(book: MadeBook, options: FormatOptions = {}): Promise<readonly Table[]> {
  return decidedBy(xlsx, sourceOf('paddocks.xlsx', bookBytes(book)), options)
}

/** The rows of a book with one sheet whose header is `id`, `value`. */
async function read(book: MadeBook, options: FormatOptions = {}): Promise<readonly Row[]> {
  return rowsOf(only(await open(book, options)))
}

const header = textRow(1, 'id', 'value')
/** The value of one cell, given as XML; the id beside it is P1. */
async function valueOf(cell: string, book: MadeBook = {}): Promise<unknown> {
  const rows = `${header}<row r="2"><c r="A2" t="inlineStr"><is><t>P1</t></is></c>${cell}</row>`
  const [row] = await read({ ...book, rows })
  expect(row!.values.id).toBe('P1')
  return row!.problems?.[0]?.code ?? row!.values.value
}

describe('cells', () => {
  test.each([
    ['a number', '<c r="B2"><v>12.5</v></c>', 12.5],
    ['a negative number', '<c r="B2" t="n"><v>-0.25</v></c>', -0.25],
    ['a number with an exponent', '<c r="B2"><v>1.5E-3</v></c>', 0.0015],
    ['a number between blanks', '<c r="B2"><v> 7\n</v></c>', 7],
    ['17 digits of a short number', '<c r="B2"><v>1.1000000000000001</v></c>', 1.1],
    ['noise of a sum', '<c r="B2"><v>0.30000000000000004</v></c>', 0.3],
    ['noise from below', '<c r="B2"><v>2.6999999999999997</v></c>', 2.7],
    ['a long coordinate', '<c r="B2"><v>175.31264123456789</v></c>', Number('175.31264123456789')],
    ['a third', '<c r="B2"><v>0.33333333333333331</v></c>', 1 / 3],
    ['an id of 16 digits', '<c r="B2"><v>9007199254740991</v></c>', 9007199254740991],
    ['an id of 17 digits that a number keeps', '<c r="B2"><v>12345678901234600</v></c>', 12_345_678_901_234_600],
    ['an id of 18 digits', '<c r="B2"><v>123456789012345678</v></c>', '123456789012345678'],
    ['true', '<c r="B2" t="b"><v>1</v></c>', true],
    ['false in a word', '<c r="B2" t="b"><v>false</v></c>', false],
    ['a text of a formula', '<c r="B2" t="str"><f>A2&amp;"x"</f><v>P1 x</v></c>', 'P1 x'],
    ['a formula that gives nothing', '<c r="B2" t="str"><f>""</f><v></v></c>', null],
    ['a number of a formula', '<c r="B2"><f>1+1</f><v>2</v></c>', 2],
    ['a day without a value', '<c r="B2" t="d"/>', null],
    ['a blank with a style', '<c r="B2" s="1"/>', null],
    ['a text in a cell of numbers', '<c r="B2"><v>Top</v></c>', 'Top'],
    ['inline text in the wrong element', '<c r="B2" t="inlineStr"><v>Top</v></c>', 'Top'],
    ['inline text that a value repeats', '<c r="B2" t="inlineStr"><v>1.0</v><is><t>1.</t></is></c>', '1.'],
    ['inline text with the value behind it', '<c r="B2" t="inlineStr"><is><t>1.</t></is><v>1.0</v></c>', '1.'],
    ['an error', '<c r="B2" t="e"><v>#REF!</v></c>', 'cell-error'],
    ['a formula never calculated', '<c r="B2"><f>C2*2</f></c>', 'formula-not-calculated'],
    ['one with an empty result', '<c r="B2"><f>C2*2</f><v></v></c>', 'formula-not-calculated'],
    ['a shared text that is not there', '<c r="B2" t="s"><v>5</v></c>', 'cell-error'],
    ['an ISO day', '<c r="B2" t="d"><v>2026-09-03T00:00:00.000</v></c>', '2026-09-03'],
    ['an ISO moment', '<c r="B2" t="d"><v>2026-09-03T06:30:00</v></c>', '2026-09-03T06:30:00'],
    ['an ISO time', '<c r="B2" t="d"><v>1899-12-30T06:30:00</v></c>', '06:30:00'],
    ['no ISO day', '<c r="B2" t="d"><v>soon</v></c>', 'date-impossible'],
  ])('%s', async (_, cell, value) => {
    expect(await valueOf(cell)).toEqual(value)
  })

  test.each([
    ['plain', '<t>Top</t>', 'Top'],
    ['references', '<t>A &amp; B &lt;&#65;&#x42;&gt; &quot;&apos; &unknown;</t>', `A & B <AB> "' &unknown;`],
    ['CDATA and comments', '<t>A <![CDATA[& <b>]]><!-- no --></t>', 'A& <b>'],
    ['runs of rich text', '<r><rPr><b/></rPr><t xml:space="preserve">Top </t></r><r><t>flat</t></r>', 'Top flat'],
    ['a reading beside it', '<t>東</t><rPh sb="0" eb="1"><t>ヒガシ</t></rPh><phoneticPr/>', '東'],
    ['outer blanks that are kept', '<t xml:space="preserve"> Top </t>', ' Top '],
    ['outer blanks of a tidy file', '<t>\n   Top\n  </t>', 'Top'],
    ['a blank that XML does not know', '<t>\u00a0Top\u2028</t>', '\u00a0Top\u2028'],
    ['escapes', '<t>a_x000D_\nb_x005F_x0041_</t>', 'a\r\nb_x0041_'],
    ['line ends', '<t>a\r\nb\rc</t>', 'a\nb\nc'],
    ['nothing', '<t/>', ''],
    ['macrons and emoji', '<t>Ōtāne 🌱 &#x1F331;</t>', 'Ōtāne 🌱 🌱'],
  ])('text, shared and inline: %s', async (_, xml, text) => {
    expect((await valueOf('<c r="B2" t="s"><v>0</v></c>', { texts: [xml] })) ?? '').toBe(text)
    const inline = await valueOf(`<c r="B2" t="inlineStr"><is>${xml}</is></c>`)
    expect(inline ?? '').toBe(text)
  })

  test.each([
    ['00000', '123', '00123'],
    ['000-0000', '412876', '041-2876'],
    ['14', '46268', '2026-09-03'],
    ['22', '46268.25', '2026-09-03T06:00:00'],
    ['dd/mm/yyyy', '60', 'date-impossible'],
    ['dd/mm/yyyy', '59', '1900-02-28'],
    ['dd/mm/yyyy', '61', '1900-03-01'],
    ['20', '0.25', '06:00:00'],
    ['46', '1.25', '30:00:00'],
    ['#,##0.00', '1204.5', 1204.5],
    ['0.0%', '0.05', 0.05],
    ['@', '7', 7],
  ])('a number in the format %s: %s', async (format, stored, value) => {
    expect(await valueOf(`<c r="B2" s="1"><v>${stored}</v></c>`, { formats: ['0', format] })).toEqual(value)
  })

  test('days of a book that counts from 1904 are shifted', async () => {
    const book = { formats: ['0', '14'], date1904: true }
    expect(await valueOf('<c r="B2" s="1"><v>44806</v></c>', book)).toBe('2026-09-03')
  })

  test('an extension of the properties does not turn the epoch back', async () => {
    const workbook =
      '<workbook><workbookPr date1904="true"/><sheets><sheet name="P" r:id="rId1"/></sheets><extLst><x15:workbookPr/></extLst></workbook>'
    const book = { formats: ['0', '14'], parts: { 'xl/workbook.xml': workbook } }
    expect(await valueOf('<c r="B2" s="1"><v>44806</v></c>', book)).toBe('2026-09-03')
  })
})

describe('rows', () => {
  const table = (rows: string): Promise<readonly Row[]> => read({ rows: header + rows })

  test('are numbered as the sheet shows them, blank ones between them counted', async () => {
    const rows = await table(`${textRow(2, 'P1', 'Top')}${textRow(5, 'P2', 'Low')}`)
    expect(rows.map(({ at, problems }) => [at.row, problems?.[0]?.code])).toEqual([
      [2, undefined],
      [3, 'row-blank'],
      [4, 'row-blank'],
      [5, undefined],
    ])
  })

  test('without numbers count on, with those of their cells if these have some', async () => {
    const rows = await table(
      '<row><c t="inlineStr"><is><t>P1</t></is></c><c><v>1</v></c></row><row><c r="A4" t="inlineStr"><is><t>P2</t></is></c><c><v>2</v></c></row>',
    )
    expect(rows.map(({ at, values }) => [at.row, values.id, values.value])).toEqual([
      [2, 'P1', 1],
      [3, null, null],
      [4, 'P2', 2],
    ])
  })

  test('in any order keep their numbers', async () => {
    const rows = await read({ rows: `${textRow(3, 'P2', 'Low')}${textRow(2, 'P1', 'Top')}${header}` })
    expect(rows.map(({ at, values }) => [at.row, values.id])).toEqual([
      [3, 'P2'],
      [2, 'P1'],
    ])
  })

  test('cells in any order are in their columns', async () => {
    const [row] = await table('<row r="2"><c r="B2"><v>2</v></c><c r="A2" t="str"><v>P1</v></c></row>')
    expect(row!.values).toEqual({ id: 'P1', value: 2 })
  })

  test('that are only formatted are none, down to the end of the sheet', async () => {
    const formatted = Array.from(
      { length: 3000 },
      (_, index) => `<row r="${index + 3}"><c r="A${index + 3}" s="1"/></row>`,
    )
    expect(await table(textRow(2, 'P1', 'Top') + formatted.join(''))).toHaveLength(1)
  })

  test('far below are read, and the gap is reported once', async () => {
    const only1 = only(await open({ rows: `${header}${textRow(2, 'P1', 'Top')}${textRow(900_000, 'P2', 'Low')}` }))
    expect((await rowsOf(only1)).map(({ at }) => at.row)).toEqual([2, 900_000])
    expect(only1.found()).toMatchObject([{ code: 'rows-far-below', at: { row: 3 } }])
  })

  test('a cell in the last corner of the sheet does no harm', async () => {
    const rows = await table(
      `${textRow(2, 'P1', 'Top').repeat(300)}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`,
    )
    expect(rows.at(-1)!.problems).toMatchObject([{ code: 'row-blank' }, { code: 'row-ragged', severity: 'warning' }])
  })

  test('a value beside the last column makes the columns of the others doubtful', async () => {
    const rows = await table(`${textRow(2, 'P1', 'Top').repeat(300)}${textRow(3, 'P2', 'x', 'Low')}`)
    expect(rows.at(-1)!.problems).toMatchObject([{ code: 'row-ragged', severity: 'error', value: 'Low' }])
  })

  test('numbers and dimensions that no sheet has are not believed', async () => {
    const book = {
      sheets: {
        P: `<dimension ref="A1:XFD1048576"/><sheetData>${header}<row r="99999999"><c r="A2"><v>7</v></c></row></sheetData>`,
      },
    }
    expect(await read(book)).toMatchObject([{ at: { row: 2 }, values: { id: 7 } }])
  })

  test('footers below the table are left out, each accounted for', async () => {
    const rows = await read({
      rows: `${textRow(1, 'id', 'crop', 'sown', 'area')}${textRow(2, 'P1', 'Rye', 'May', '9')}<row r="3"><c r="A3" t="str"><v>Total</v></c><c r="D3"><v>9</v></c></row>`,
    })
    expect(rows.map(({ problems }) => problems?.[0]?.code)).toEqual([undefined, 'row-footer'])
  })
})

describe('XML as other programs write it', () => {
  const rows =
    "<x:row spans='1:2' r='2'><!-- a row --><x:c t='s' s='0' r='A2'><x:v>1</x:v></x:c>\n <x:c\n r = 'B2' ><x:v>5</x:v></x:c></x:row>"
  const prefixed: MadeBook = {
    texts: ['<t>id</t>', '<t>P1</t>', '<t>value</t>'],
    sheets: {
      P: `<x:sheetData><x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="B1" t="s"><x:v>2</x:v></x:c></x:row>${rows}</x:sheetData>`,
    },
  }

  test('prefixes, single quotes, blanks in tags and comments make no difference', async () => {
    expect((await read(prefixed))[0]).toMatchObject({ at: { row: 2 }, values: { id: 'P1', value: 5 } })
  })

  test.each([
    ['UTF-16 little-endian', 'utf16le', 'utf-16'],
    ['UTF-16 big-endian', 'utf16be', 'utf-16'],
    ['UTF-8 with a mark', 'mark', 'utf-8'],
    ['UTF-8 that calls itself UTF-16', 'utf8', 'utf-16'],
    ['Latin-1', 'latin1', 'iso-8859-1'],
  ])('a sheet as %s', async (_, kind, name) => {
    const text = `<?xml version="1.0" encoding="${name}"?><worksheet><sheetData>${header}${textRow(2, 'é', 'ü')}</sheetData></worksheet>`
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le')
    const bytes =
      kind === 'utf16le'
        ? wide
        : kind === 'utf16be'
          ? Buffer.from(wide).swap16()
          : kind === 'mark'
            ? Buffer.from(`\ufeff${text}`)
            : Buffer.from(text, kind as BufferEncoding)
    const [row] = await read({ parts: { 'xl/worksheets/sheet1.xml': bytes } })
    expect(row!.values).toEqual({ id: 'é', value: 'ü' })
  })

  test.each([
    ['a document type', '<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>', 'archive-unsafe'],
    ['a tag cut off', `<worksheet><sheetData>${header}<row r="2"><c r="A2`, 'file-damaged'],
    ['an attribute without quotes', '<worksheet><sheetData><row r=1></row></sheetData></worksheet>', 'file-damaged'],
    ['an encoding nobody knows', '<?xml version="1.0" encoding="farm"?><worksheet/>', 'encoding-unknown'],
  ])('%s is refused', async (_, xml, code) => {
    await expect(read({ parts: { 'xl/worksheets/sheet1.xml': xml } })).rejects.toMatchObject({
      name: 'WindrowError',
      code,
    })
  })

  test('a text without end is refused before it fills the memory', async () => {
    const endless = `<worksheet><sheetData><row><c t="str"><v>${'x'.repeat(6 * 2 ** 20)}`
    await expect(read({ parts: { 'xl/worksheets/sheet1.xml': endless } })).rejects.toMatchObject({
      code: 'file-damaged',
    })
  })
})

describe('the parts of a book', () => {
  const sheet = (name: string): string => `<sheetData>${textRow(1, 'id', 'value')}${textRow(2, name, 'x')}</sheetData>`

  test('sheets come in the order of their tabs, whatever their files are called', async () => {
    const parts = {
      'xl/_rels/workbook.xml.rels': relations([
        ['rId1', 'worksheet', '/xl/worksheets/sheet2.xml'],
        ['rId2', 'worksheet', '../xl/worksheets/sheet1.xml'],
      ]),
    }
    const tables = await open({ sheets: { 'North &amp; east': sheet('one'), South: sheet('two') }, parts })
    expect(tables.map(({ name }) => name)).toEqual(['North & east', 'South'])
    expect((await rowsOf(tables[0]!))[0]).toMatchObject({
      at: { layer: 'North & east', row: 2 },
      values: { id: 'two' },
    })
  })

  test('the book is where the package says, in a folder of any name and any case', async () => {
    const parts = {
      '_rels/.rels': relations([['a', 'officeDocument', '/Book/Main.xml']]),
      'book/main.xml': '<workbook><sheets><sheet name="P" r:id="s"/></sheets></workbook>',
      'book/_rels/main.xml.rels': relations([['s', 'worksheet', 'Sheets\\One.xml']]),
      'Book/Sheets/One.XML': `<worksheet>${sheet('P9')}</worksheet>`,
    }
    expect((await read({ parts }))[0]!.values.id).toBe('P9')
  })

  test('the strict form of the standard is the same book', async () => {
    const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships'
    const parts = {
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${strict}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      'xl/workbook.xml': `<workbook xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main" xmlns:rel="${strict}"><sheets><sheet name="P" sheetId="1" rel:id="rId1"/></sheets></workbook>`,
    }
    expect(await read({ sheets: { P: sheet('P1') }, parts })).toHaveLength(1)
  })

  test('charts among the sheets are left out', async () => {
    const parts = {
      'xl/_rels/workbook.xml.rels': relations([
        ['rId1', 'chartsheet', 'chartsheets/sheet1.xml'],
        ['rId2', 'worksheet', 'worksheets/sheet2.xml'],
      ]),
    }
    expect((await open({ sheets: { Chart: '', P: sheet('P1') }, parts })).map(({ name }) => name)).toEqual(['P'])
  })

  test('a sheet that is not in the file is named', async () => {
    const parts = { 'xl/worksheets/sheet1.xml': undefined }
    await expect(read({ rows: header, parts })).rejects.toMatchObject({
      code: 'file-damaged',
      message: expect.stringContaining('"Paddocks"'),
    })
  })

  test('a listed module of macros, which has no part, is passed over', async () => {
    const parts = {
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="Paddocks" sheetId="1" r:id="rId1"/><sheet name="Module" sheetId="2" r:id=""/></sheets></workbook>',
    }
    expect((await open({ sheets: { Paddocks: sheet('P1') }, parts })).map(({ name }) => name)).toEqual(['Paddocks'])
  })

  test('hidden sheets are noted, or read when asked for', async () => {
    const book = {
      sheets: { P: sheet('P1'), Lists: sheet('L'), Old: sheet('O') },
      states: { Lists: 'hidden', Old: 'veryHidden' },
    }
    const table = only(await open(book))
    expect(table.found()).toMatchObject([
      { code: 'sheet-hidden', at: { layer: 'Lists' } },
      { code: 'sheet-hidden', at: { layer: 'Old' } },
    ])
    expect((await open(book, { hidden: true })).map(({ name }) => name)).toEqual(['P', 'Lists', 'Old'])
  })

  test('a book with nothing to see names what it hides', async () => {
    const book = { sheets: { P: '<sheetData/>', Lists: sheet('L') }, states: { Lists: 'hidden' } }
    await expect(open(book)).rejects.toMatchObject({ code: 'file-empty', hint: expect.stringContaining('Lists') })
  })

  test('rows that are crossed out are read and reported, where every filled cell is', async () => {
    const fonts = '<fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts>'
    const cells = '<cellXfs><xf fontId="0"/><xf fontId="1" numFmtId="2"/><xf fontId="2"/></cellXfs>'
    const later = '<dxfs><dxf><font><strike/></font></dxf></dxfs>'
    const styled = (number: number, ...styles: readonly number[]): string =>
      styles.reduce(
        (row, style, at) => {
          const cell = `r="${String.fromCharCode(65 + at)}${number}"`
          return row.replace(cell, `${cell} s="${style}"`)
        },
        textRow(number, `P${number}`, 'Top').replace('</row>', `<c r="C${number}" s="0"/></row>`),
      )
    const rows = [
      textRow(1, 'Id', 'Name', 'Crop'),
      styled(2, 0, 0),
      styled(3, 1, 1),
      styled(4, 0, 1),
      styled(5, 2, 2),
      styled(6, 1, 1),
    ]
    const read = async (kept: readonly string[]) => {
      const book = {
        formats: ['0'],
        rows: kept.join(''),
        parts: { 'xl/styles.xml': `<styleSheet>${fonts}${cells}${later}</styleSheet>` },
      }
      const table = only(await open(book))
      return {
        names: (await rowsOf(table)).length,
        found: table.found().filter(({ code }) => code === 'rows-crossed-out'),
      }
    }
    expect(await read(rows)).toMatchObject({
      names: 5,
      found: [
        {
          severity: 'warning',
          at: { row: 3 },
          message: 'Rows that are crossed out and were read like the others: 2; the first is row 3.',
        },
      ],
    })
    expect((await read(rows.slice(0, 3))).found).toMatchObject([
      { message: 'Rows that are crossed out and were read like the others: 1; the first is row 3.' },
    ])
    expect((await read([rows[0]!, rows[1]!, rows[3]!, rows[4]!])).found).toEqual([])
  })

  test('hidden rows and columns are read and reported', async () => {
    const table = only(
      await open({
        sheets: {
          P: `<cols><col min="2" max="2" hidden="1"/></cols><sheetData>${header}${textRow(2, 'P1', 'x').replace('<row', '<row hidden="1"')}</sheetData>`,
        },
      }),
    )
    expect(await rowsOf(table)).toHaveLength(1)
    expect(table.found().map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Hidden columns .*: B\.$/),
      expect.stringMatching(/^Rows that are hidden.* row 2\.$/),
    ])
  })
})

describe('headers', () => {
  const names = (table: Table): readonly string[] => table.columns!.map(({ name }) => name)

  test('merged cells fill the names, though they are listed behind the last row', async () => {
    const table = only(
      await open({
        rows: `${textRow(1, 'Paddock', 'Area', '', 'Crop')}${textRow(2, '', 'gross', 'net', '')}<row r="3"><c t="str"><v>Top</v></c><c><v>3.2</v></c><c><v>3</v></c><c t="str"><v>Rye</v></c></row>`,
        tail: '<mergeCells count="3"><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="D1:D2"/></mergeCells>',
      }),
    )
    expect(names(table)).toEqual(['Paddock', 'Area gross', 'Area net', 'Crop'])
    expect(await rowsOf(table)).toMatchObject([{ at: { row: 3 }, values: { 'Area net': 3 } }])
    expect(table.found()).toEqual([])
  })

  test('a title above them is left out with a note', async () => {
    const table = only(
      await open({ rows: `${textRow(1, 'Rimu Farm')}${textRow(3, 'id', 'value')}${textRow(4, 'P1', 'x')}` }),
    )
    expect(names(table)).toEqual(['id', 'value'])
    expect(table.found()).toMatchObject([{ code: 'rows-above-header', at: { row: 1 } }])
  })

  test('a title merged over the first of them is no group, unless it makes equal ones differ', async () => {
    const under = (...named: readonly string[]): Promise<readonly Table[]> =>
      open({
        rows: `${textRow(1, 'My paddocks', '', '', '')}${textRow(2, ...named)}${textRow(3, '7', 'Top', '3', 'Rye')}`,
        tail: '<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>',
      })
    const table = only(await under('No', 'Name', 'Area', 'Crop'))
    expect(names(table)).toEqual(['No', 'Name', 'Area', 'Crop'])
    expect(table.found()).toMatchObject([{ code: 'rows-above-header', at: { row: 1 } }])
    const equal = ['My paddocks No', 'My paddocks Name', 'No', 'Name']
    expect(names(only(await under('No', 'Name', 'No', 'Name')))).toEqual(equal)
  })

  test('are where the option sets them', async () => {
    const rows = `${textRow(1, 'Rimu Farm')}${textRow(2, 'a', 'b')}${textRow(3, 'id', 'value')}${textRow(4, 'P1', 'x')}`
    expect(names(only(await open({ rows }, { header: 2 })))).toEqual(['a', 'b'])
    expect(names(only(await open({ rows }, { header: '2-3' })))).toEqual(['a id', 'b value'])
    expect(names(only(await open({ rows }, { header: 'none' })))).toEqual(['column 1', 'column 2'])
    await expect(open({ rows }, { header: 9 })).rejects.toMatchObject({ code: 'option-invalid' })
  })

  test('a unit that only the format shows is warned of once for each column', async () => {
    const cells = (row: number): string =>
      `<row r="${row}"><c r="A${row}" s="1"><v>1</v></c><c r="B${row}" s="2"><v>15</v></c></row>`
    const rows = `${textRow(1, 'id', 'Area (ha)')}${cells(2)}${cells(3)}`
    const table = only(await open({ rows, formats: ['0', '0', '0.00" ac"'] }))
    expect((await rowsOf(table))[0]!.values).toEqual({ id: 1, 'Area (ha)': 15 })
    expect(table.found()).toMatchObject([
      {
        code: 'number-shown-otherwise',
        severity: 'warning',
        at: { row: 2 },
        message:
          'Numbers in column "Area (ha)" are shown with the unit "ac". That is only their format, and is not read.',
      },
    ])
  })

  test('cells merged over several rows of the table are warned of', async () => {
    const table = only(
      await open({
        rows: `${header}${textRow(2, 'P1', 'Top')}${textRow(3, '', 'Low')}`,
        tail: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
      }),
    )
    await rowsOf(table)
    expect(table.found()).toMatchObject([
      { code: 'cells-merged', at: { row: 2 }, message: expect.stringContaining('A2:A3') },
    ])
  })
})

describe('formulas that a program wrote and nobody calculated', () => {
  const paddock = (row: number) => textRow(row, `P${row}`, 'Top')
  const formula = (cell: string) => `<c r="${cell}"><f>SUM(B2:B3)</f></c>`

  test('a total of them below the table is a footer', async () => {
    const name = '<c r="A4" t="inlineStr"><is><t>Total</t></is></c>'
    const rows = textRow(1, 'id', 'value', 'area') + paddock(2) + paddock(3)
    const last = (await read({ rows: `${rows}<row r="4">${name}${formula('C4')}</row>` })).at(-1)!
    expect(last.at.row).toBe(4)
    expect(last.problems?.map(({ code }) => code)).toEqual(['row-footer'])
  })

  test('rows of nothing else are reported once, not left out silently', async () => {
    const cells = (row: number) => `<row r="${row}">${formula(`A${row}`)}${formula(`B${row}`)}</row>`
    const table = only(await open({ rows: header + cells(2) + cells(3) }))
    expect(await rowsOf(table)).toEqual([])
    expect(table.found()).toMatchObject([
      {
        code: 'formula-not-calculated',
        severity: 'warning',
        at: { row: 2 },
        message: expect.stringMatching(/^Rows of formulas .*: 2;/),
      },
    ])
  })
})

test('a sheet whose name has thousands of letters is called by the first of them', async () => {
  const sheets = { ['Pōkeka '.repeat(1000)]: `<sheetData>${header}${textRow(2, 'P1', 'Top')}</sheetData>` }
  const table = only(await open({ sheets }))
  expect(table.name.length).toBeLessThan(300)
  expect(await rowsOf(table)).toHaveLength(1)
})

test('a header row set for one sheet does not stop the book for a shorter one', async () => {
  const sheets = {
    Paddocks: `<sheetData>${textRow(1, 'Rimu Farm')}${textRow(4, 'id', 'name')}${textRow(5, 'P1', 'Top')}</sheetData>`,
    Codes: `<sheetData>${textRow(1, 'code', 'crop')}${textRow(2, 'RG', 'Ryegrass')}</sheetData>`,
  }
  const [paddocks, codes] = await open({ sheets }, { header: 4 })
  expect((await rowsOf(paddocks!)).map(({ values }) => values)).toEqual([{ id: 'P1', name: 'Top' }])
  await expect(rowsOf(codes!)).rejects.toMatchObject({ code: 'option-invalid' })
  await expect(open({ sheets }, { header: 9 })).rejects.toMatchObject({ code: 'option-invalid' })
})
