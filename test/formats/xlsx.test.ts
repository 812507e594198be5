import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as XLSX from 'xlsx'
import type { Column, Row } from '../../src/core/row.ts'
import type { Shape } from '../../src/core/shape.ts'
import { bufferSource } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import type { OutTable, Written } from '../../src/formats/format.ts'
import { xlsx } from '../../src/formats/xlsx.ts'
import { columnLetters } from '../../src/formats/spreadsheet/spreadsheet-sheet.ts'
import { xmlText } from '../../src/formats/xlsx/cells.ts'
import { sheetName, sheetsOf } from '../../src/formats/xlsx/write-xlsx.ts'
import { decidedBy, memoryTarget, outTable } from './fixtures.ts'
import { runs } from '../runs.ts'

async function write(...tables: OutTable[]): Promise<{ bytes: Buffer; written: Written }> {
  const target = memoryTarget('out.xlsx')
  const written = await xlsx.write!(tables, target, {})
  return { bytes: target.bytes(), written }
}

function readBack(bytes: Buffer): XLSX.WorkBook {
  return XLSX.read(bytes, { type: 'buffer', cellNF: true })
}

async function partOf(bytes: Buffer, name: string): Promise<string> {
  const members = await membersOfZip(bufferSource('out.xlsx', bytes))
  const { source } = members.find((member) => member.name === name)!
  return Buffer.from(await source.read(0, source.size)).toString('utf8')
}

async function cellsOf(
  type: Column['type'],
  values: readonly Row['values'][string][],
): Promise<(XLSX.CellObject | undefined)[]> {
  const columns = [{ name: 'x', ...(type === undefined ? {} : { type }) }]
  const { bytes } = await write(
    outTable(
      values.map((x) => ({ values: { x } })),
      { columns },
    ),
  )
  const book = readBack(bytes)
  return values.map((_, index) => book.Sheets.Paddocks![`A${index + 2}`] as XLSX.CellObject | undefined)
}

describe('cells', () => {
  test.each([
    ['text', '007', { t: 's', v: '007' }],
    ['text', 7, { t: 's', v: '7' }],
    ['text', '=1+1', { t: 's', v: '=1+1' }],
    ['text', ' two  spaces ', { t: 's', v: ' two  spaces ' }],
    ['text', 'Ōtāne <&> "flat"\n\tend', { t: 's', v: 'Ōtāne <&> "flat"\n\tend' }],
    ['integer', 12, { t: 'n', v: 12 }],
    ['number', -0.5, { t: 'n', v: -0.5 }],
    ['number', '12.75', { t: 'n', v: 12.75 }],
    ['number', '007', { t: 's', v: '007' }],
    ['number', 'about 3', { t: 's', v: 'about 3' }],
    ['number', Number.NaN, { t: 's', v: 'NaN' }],
    ['integer', '12345678901234567', { t: 's', v: '12345678901234567' }],
    ['integer', 2 ** 53, { t: 's' }],
    ['boolean', true, { t: 'b', v: true }],
    ['boolean', 'perhaps', { t: 's', v: 'perhaps' }],
    ['date', '2026-09-03', { t: 'n', v: 46_268, z: 'yyyy\\-mm\\-dd' }],
    ['date', '1900-02-28', { t: 'n', v: 59 }],
    ['date', '1899-12-31', { t: 's', v: '1899-12-31' }],
    ['date', 'spring', { t: 's', v: 'spring' }],
    ['date-time', '2024-02-29T13:45:00+13:00', { t: 'n', v: 45_351.572916666664, z: 'yyyy\\-mm\\-dd\\ hh:mm:ss' }],
    ['date-time', '2024-02-29', { t: 'n', v: 45_351, z: 'yyyy\\-mm\\-dd' }],
    ['json', { a: [1] }, { t: 's', v: '{"a":[1]}' }],
    [undefined, 3, { t: 'n', v: 3 }],
    [undefined, '3', { t: 's', v: '3' }],
    [undefined, false, { t: 'b', v: false }],
  ] as const)('in a column of %s, %j', async (type, value, expected) => {
    expect((await cellsOf(type, [value]))[0]).toMatchObject(expected)
  })

  test('blank cells are not written', async () => {
    expect(await cellsOf('text', [null, undefined, '', 'x'])).toMatchObject([
      undefined,
      undefined,
      undefined,
      { v: 'x' },
    ])
  })

  test('control characters and what looks like their escape come back', () => {
    expect(xmlText('a\u0001b\r_x0041_\ufffe')).toBe('a_x0001_b_x000D__x005F_x0041__xFFFE_')
    expect(xmlText('lone \ud800 half')).toBe('lone \ufffd half')
  })

  test('any text survives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 20 }), async (texts) => {
        const cells = await cellsOf('text', texts)
        // The library makes one line feed of a line end; windrow's own reader does not.
        expect(cells.map((cell) => cell?.v ?? '')).toEqual(texts.map((text) => text.replaceAll('\r\n', '\n')))
      }),
      { numRuns: runs(40) },
    )
  })

  test.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [16_383, 'XFD'],
  ])('column %d is %s', (index, letters) => {
    expect(columnLetters(index)).toBe(letters)
  })

  test('text too long for a cell is cut with a note, not through a character', async () => {
    const { bytes, written } = await write(
      outTable([{ values: { x: `${'a'.repeat(32_766)}🐑🐑` } }], { columns: [{ name: 'x', type: 'text' }] }),
    )
    expect(readBack(bytes).Sheets.Paddocks!.A2).toMatchObject({ v: 'a'.repeat(32_766) })
    expect(written.notes).toEqual([expect.stringContaining('1 cell was cut')])
  })

  test('times that lose their zone are counted in a note', async () => {
    const rows = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00'].map((x) => ({ values: { x } }))
    const { written } = await write(outTable(rows, { columns: [{ name: 'x', type: 'date-time' }] }))
    expect(written.notes).toEqual([expect.stringMatching(/^1 times/)])
  })

  test('times whose column names their zone lose nothing', async () => {
    const column = { name: 'x (UTC)', type: 'date-time', zone: 'UTC' } as const
    const { written } = await write(
      outTable([{ values: { 'x (UTC)': '2026-01-01T00:00:00Z' } }], { columns: [column] }),
    )
    expect(written.notes).toEqual([])
  })
})

describe('the workbook', () => {
  const columns: readonly Column[] = [
    { name: 'id', type: 'text' },
    { name: 'area', type: 'number' },
  ]

  test('has a sheet a table, a frozen bold header, a filter and widths', async () => {
    const { bytes, written } = await write(
      outTable([{ values: { id: '007', area: 1.5 } }], { name: 'Rimu Farm', columns }),
      outTable([], { name: 'Kōwhai', columns }),
    )
    const book = readBack(bytes)
    expect(book.SheetNames).toEqual(['Rimu Farm', 'Kōwhai'])
    expect(XLSX.utils.sheet_to_json(book.Sheets['Rimu Farm']!)).toEqual([{ id: '007', area: 1.5 }])
    expect(book.Sheets['Rimu Farm']!['!autofilter']).toEqual({ ref: 'A1:B2' })
    expect(written).toMatchObject({ rows: { 'Rimu Farm': 1, Kōwhai: 0 }, notes: [] })
    const sheet = await partOf(bytes, 'xl/worksheets/sheet1.xml')
    expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
    expect(sheet).toMatch(/<col min="1" max="1" width="8" customWidth="1"\/>/)
    expect(sheet).toContain('<c r="A1" s="1" t="inlineStr">')
    expect(await partOf(bytes, 'xl/styles.xml')).toContain('<patternFill patternType="gray125"/>')
    expect(await partOf(bytes, 'xl/workbook.xml')).toContain(`'Rimu Farm'!$A$1:$B$2`)
    expect((await membersOfZip(bufferSource('out.xlsx', bytes))).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['[Content_Types].xml', '_rels/.rels', 'docProps/app.xml', 'docProps/core.xml']),
    )
  })

  test('the same rows give the same bytes', async () => {
    const table = outTable([{ values: { id: '1', area: 2 } }], { columns })
    expect((await write(table)).bytes).toEqual((await write(table)).bytes)
  })

  test('boundaries are not in it, with a note where there are any', async () => {
    const place: Shape = { kind: 'Point', coordinates: Float64Array.of(175, -38), ends: [], parts: [] }
    const rows = [
      { values: { id: '1' }, shape: null },
      { values: { id: '2' }, shape: place },
    ] as const
    const { written } = await write(outTable(rows, { columns, hasGeometry: true }))
    expect(written.notes).toEqual([expect.stringContaining('boundaries of "Paddocks"')])
    const without = await write(outTable(rows.slice(0, 1), { columns, hasGeometry: true }))
    expect(without.written.notes).toEqual([])
  })

  test('columns that objects inherit stay blank', async () => {
    const { bytes } = await write(
      outTable([{ values: {} }], { columns: [{ name: '__proto__' }, { name: 'constructor' }] }),
    )
    const read = XLSX.utils.sheet_to_json(readBack(bytes).Sheets.Paddocks!, { header: 1 })
    expect(read).toEqual([['__proto__', 'constructor'], []])
  })

  test('rows beyond the limit of a sheet continue on the next, with the header', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => ({ values: { id: String(index) } }))
    const sheets: { name: string; rows: number; ids: string[] }[] = []
    const nameOf = (wanted: string): string => `${wanted} ${sheets.length + 1}`
    for await (const sheet of sheetsOf(outTable(rows, { columns }), { cut: 0, zones: 0 }, nameOf, { rowLimit: 101 })) {
      let xml = ''
      for await (const part of sheet.xml) xml += part
      const ids = [...xml.matchAll(/<c r="A\d+" t="inlineStr"><is><t>(\d+)/g)].map(([, id]) => id!)
      expect(xml).toContain('<t>id</t>')
      sheets.push({ name: sheet.name, rows: sheet.rows(), ids })
    }
    expect(sheets.map(({ name, rows: count }) => [name, count])).toEqual([
      ['Paddocks 1', 100],
      ['Paddocks 2', 100],
      ['Paddocks 3', 50],
    ])
    expect(sheets.flatMap(({ ids }) => ids)).toEqual(rows.map(({ values }) => values.id))
  })

  test('cells lead to rows of other sheets, as far as their first sheet reaches', async () => {
    const look = { leadsTo: "Rita's paddocks" }
    const rows = [1, 98, 99].map((row) => ({ values: { id: 'a "b" & c' }, leadsTo: { id: row } }))
    const table = {
      ...outTable([], { columns: [{ name: 'id', type: 'text', look }] }),
      rows: async function* () {
        yield rows.map((row, index) => ({ at: { source: 'x', row: index }, ...row }))
      },
    }
    let xml = ''
    for await (const sheet of sheetsOf(table, { cut: 0, zones: 0 }, (name) => name, { rowLimit: 100 }))
      for await (const part of sheet.xml) xml += part
    const formulas = [...xml.matchAll(/<f>(.*?)<\/f><v>(.*?)<\/v>/g)].map(([, formula, text]) => [formula, text])
    expect(formulas).toEqual(
      [3, 100].map((row) => [
        `HYPERLINK(&quot;#'Rita''s paddocks'!A${row}&quot;,&quot;a &quot;&quot;b&quot;&quot; &amp; c&quot;)`,
        'a &quot;b&quot; &amp; c',
      ]),
    )
  })

  test('columns look as they should: decimals, times, lines, and headers over their numbers', async () => {
    const { bytes } = await write({
      ...outTable(
        [{ values: { 'Area (ha)': 5.058570528, Start: '2026-10-01T08:40:00', Remark: `${'long '.repeat(12)}` } }],
        {
          columns: [
            { name: 'Area (ha)', type: 'number', look: { decimals: 2 } },
            { name: 'Start', type: 'date-time', look: { times: 'of day', width: 9 } },
            { name: 'Remark', type: 'text', look: { wraps: true, width: 20 } },
          ],
        },
      ),
      frozen: 1,
      heading: 'Rimu & Sons',
    })
    const sheet = readBack(bytes).Sheets.Paddocks!
    expect(sheet.A2).toMatchObject({ v: 5.058570528, z: '#,##0.00\\ ' })
    expect(sheet.B2).toMatchObject({ z: 'hh:mm' })
    const xml = await partOf(bytes, 'xl/worksheets/sheet1.xml')
    expect(xml).toContain('<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>')
    expect(xml).toContain('<col min="2" max="2" width="9" customWidth="1"/>')
    expect(xml).toContain('<row r="2" ht="45" customHeight="1">')
    expect(xml).toContain('<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>')
    expect(xml).toContain('<oddHeader>&amp;LRimu &amp;&amp; Sons</oddHeader>')
    expect(await partOf(bytes, 'xl/workbook.xml')).toContain(
      `<definedName name="_xlnm.Print_Titles" localSheetId="0">'Paddocks'!$1:$1</definedName>`,
    )
  })

  test.each([
    [12.5, {}, 9],
    [333.3333333333, {}, 15],
    [1234567.8, { decimals: 2 }, 13],
    [1.5, { width: 12 }, 12],
  ])('a column of numbers has room for %d, which would be shown as ###', async (amount, look, width) => {
    const amounts = { name: 'Amount', type: 'number', look: { width: 8, ...look } } as const
    const { bytes } = await write(outTable([{ values: { Amount: amount } }], { columns: [amounts] }))
    expect(await partOf(bytes, 'xl/worksheets/sheet1.xml')).toContain(`<col min="1" max="1" width="${width}"`)
  })

  test.each([
    ['Tank 1\nTank 2\nTank 3', 3],
    [`Rinsed.\n${'long '.repeat(12)}`, 4],
    ['short', 1],
  ])('a row is as high as its text has lines: %j', async (text, lines) => {
    const remark = { name: 'Remark', type: 'text', look: { wraps: true, width: 20 } } as const
    const { bytes } = await write(outTable([{ values: { Remark: text } }], { columns: [remark] }))
    const height = lines === 1 ? '' : ` ht="${15 * lines}" customHeight="1"`
    expect(await partOf(bytes, 'xl/worksheets/sheet1.xml')).toContain(`<row r="2"${height}>`)
  })

  test('a name with a line break has a row of two lines, so that it does not cover the next one', async () => {
    const { bytes } = await write(outTable([{ values: { Name: 'Top\nflat' } }], { columns: [{ name: 'Name', type: 'text' }] })) // oxfmt-ignore
    expect(await partOf(bytes, 'xl/worksheets/sheet1.xml')).toContain('<row r="2" ht="30" customHeight="1">')
  })

  test('sheets that windrow added are left out when read, but not those of others with the same name', async () => {
    const about = outTable([{ values: { 'About this export': 'Records' } }], {
      name: 'About',
      columns: [{ name: 'About this export', type: 'text' }],
    })
    const others = outTable([{ values: { Farm: 'Rimu' } }], {
      name: 'Totals',
      columns: [{ name: 'Farm', type: 'text' }],
    })
    const { bytes } = await write(outTable([{ values: { id: '1', area: 2 } }], { columns }), others, about)
    const tables = await decidedBy(xlsx, bufferSource('out.xlsx', bytes), {})
    expect(tables.map(({ name }) => name)).toEqual(['Paddocks', 'Totals'])
  })

  test('too many columns, and no table at all, are refused', async () => {
    const many = Array.from({ length: 16_385 }, (_, index) => ({ name: `c${index}` }))
    await expect(write(outTable([], { columns: many }))).rejects.toMatchObject({ code: 'format-cannot-write' })
    await expect(write()).rejects.toMatchObject({ code: 'format-cannot-write' })
  })

  test('a failure of the rows comes out', async () => {
    const failing: OutTable = {
      ...outTable([], { columns }),
      async *rows() {
        yield [{ at: { source: 'service', row: 0 }, values: { id: '1' } }]
        throw new Error('the service went away')
      },
    }
    await expect(write(failing)).rejects.toThrow('the service went away')
  })
})

describe('sheet names', () => {
  test.each([
    ['Paddocks', [], 'Paddocks'],
    ['a/b\\c[d]e:f*g?h', [], 'a b c d e f g h'],
    [`'quoted'`, [], 'quoted'],
    [`${'x'.repeat(29)} 'y`, [], 'x'.repeat(29)],
    ['', [], 'Sheet'],
    ['History', [], 'Sheet History'],
    ['x'.repeat(40), [], 'x'.repeat(31)],
    ['PADDOCKS', ['paddocks'], 'PADDOCKS (2)'],
    ['x'.repeat(40), ['x'.repeat(31)], `${'x'.repeat(27)} (2)`],
    [`${'x'.repeat(30)}🐑`, [], 'x'.repeat(30)],
  ])('%j beside %j is %j', (wanted, taken, expected) => {
    expect(sheetName(wanted, new Set(taken))).toBe(expected)
  })

  test('are always legal and different', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 12 }), (wanted) => {
        const taken = new Set<string>()
        for (const each of wanted) {
          const name = sheetName(each, taken)
          expect(name).toMatch(/^[^[\]:*?/\\\x00-\x1f]{1,31}$/)
          expect(name).not.toMatch(/^'|'$|^\s|\s$/)
          expect(taken.has(name.toLowerCase())).toBe(false)
          taken.add(name.toLowerCase())
        }
      }),
    )
  })
})
