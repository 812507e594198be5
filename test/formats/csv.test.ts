import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row, Table } from '../../src/core/row.ts'
import { shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import { csv } from '../../src/formats/csv.ts'
import type { FormatOptions } from '../../src/formats/format.ts'
import { decidedBy, memoryTarget, only, outTable, rowsOf, sourceOf } from './fixtures.ts'
import { expectQuick } from '../processor-time.ts'

async function openText(text: string | Uint8Array, options: FormatOptions = {}): Promise<Table> {
  return only(await decidedBy(csv, sourceOf('Rimu paddocks.csv', text), options))
}

async function read(text: string | Uint8Array, options: FormatOptions = {}): Promise<Row[]> {
  return rowsOf(await openText(text, options))
}

const codes = (row: Row | undefined): readonly string[] => (row?.problems ?? []).map(({ code }) => code)
const decided = (table: Table, option: string) => table.choices.find(({ setting }) => setting === `from.${option}`)

describe('what a CSV file says', () => {
  test('cells stay text, and rows are numbered as the spreadsheet shows them', async () => {
    const table = await openText('id,name,area\r\n007,Ōtāne,1e5\r\n008,"two\r\nlines",-3\r\n\r\n009,last,\r\n')
    expect(table).toMatchObject({ name: 'Rimu paddocks', format: 'csv', hasGeometry: false })
    expect(table.columns).toEqual([{ name: 'id' }, { name: 'name' }, { name: 'area' }])
    const rows = await rowsOf(table)
    expect(rows.map(({ at }) => at.row)).toEqual([2, 3, 4, 5])
    expect(rows[0]!.values).toEqual({ id: '007', name: 'Ōtāne', area: '1e5' })
    expect(rows[1]!.values).toEqual({ id: '008', name: 'two\nlines', area: '-3' })
    expect(codes(rows[2])).toEqual(['row-blank'])
    expect(rows[2]!.problems![0]!.severity).toBe('note')
    expect(rows[3]!.values).toEqual({ id: '009', name: 'last', area: '' })
    expect(table.found()).toEqual([])
  })

  test.each([
    [',', undefined],
    [';', undefined],
    ['\t', undefined],
    ['|', undefined],
    [';', ','],
  ])('the separator %j is found (runner-up %j)', async (delimiter, runnerUp) => {
    const area = runnerUp === ',' ? '12,5' : '12'
    const rows = ['id', '1', '2', '3'].map((id) => [id, `x${id}`, area].join(delimiter)).join('\n')
    const decision = decided(await openText(`${rows}\n`), 'delimiter')
    expect(decision).toMatchObject({ value: delimiter, evidence: expect.stringContaining('all 4 rows') })
    expect(decision?.others[0]?.value).toBe(runnerUp)
  })

  test('a file of one column may have commas in its texts', async () => {
    const rows = await read('name\nTop, lower\nMid, upper\nLow\n')
    expect(rows.map(({ values }) => values)).toEqual([{ name: 'Top, lower' }, { name: 'Mid, upper' }, { name: 'Low' }])
  })

  test.each([
    ['a comma in the title and in the decimals', 'Report, June 2026\n\nid;area\n1;2,5\n2;3,5\n', ';'],
    ['a comma in every text', 'id\tnote\n1\tTop, dry\n2\tLow, wet\n', '\t'],
    ['semicolons in a list', 'id,crops\n1,Oats;Rye\n2,Rye;Oats\n', ','],
    ['separators in quotes', 'id,note\n1,"a;b;c"\n2,"d;e;f"\n', ','],
  ])('%s is not the separator', async (_, text, delimiter) => {
    expect(decided(await openText(text), 'delimiter')?.value).toBe(delimiter)
  })

  test('a cut-off last row does not make commas within boundaries the delimiter', async () => {
    const boundary = 'POLYGON ((175.28 -37.79, 175.29 -37.79, 175.29 -37.78, 175.28 -37.79))'
    const rows = ['wkt_geom\tid\tcrop', `${boundary}\t1\tOats`, `${boundary}\t2\tOats`, boundary]
    const table = await openText(rows.join('\n'))
    expect(decided(table, 'delimiter')?.value).toBe('\t')
    const read = await rowsOf(table)
    expect(read.map(codes)).toEqual([[], [], ['row-ragged']])
  })

  test('a file of one column needs no delimiter', async () => {
    const rows = await read('name\nRāhui\nŌtāne\n')
    expect(rows.map(({ values }) => values.name)).toEqual(['Rāhui', 'Ōtāne'])
  })

  test('the option for the delimiter wins, and "tab" is accepted', async () => {
    const table = await openText('a;b\tc\n1;2\t3\n', { delimiter: 'tab' })
    expect(table.columns).toEqual([{ name: 'a;b' }, { name: 'c' }])
    expect(decided(table, 'delimiter')).toMatchObject({ value: '\t', evidence: 'Set, not guessed.' })
  })

  test('a first line "sep=;" is an instruction and no row', async () => {
    const table = await openText('sep=;\r\nid;name\r\n1;Top, upper\r\n')
    expect(await rowsOf(table)).toMatchObject([{ at: { row: 2 }, values: { id: '1', name: 'Top, upper' } }])
  })

  test('the option for the decimal mark is passed on', async () => {
    expect(decided(await openText('a;b\n1.5;x\n', { decimal: 'comma' }), 'decimal')?.value).toBe('comma')
  })

  test('text that cannot be Windows-1252 is refused, and read in the encoding that is named', async () => {
    const bytes = Buffer.from('Id,Name\n1,\xcf\xee\xeb\xe5\n', 'latin1')
    await expect(openText(bytes)).rejects.toMatchObject({ code: 'encoding-unknown' })
    expect(await read(bytes, { encoding: 'windows-1251' })).toMatchObject([{ values: { Name: 'Поле' } }])
    expect(await read(bytes, { encoding: 'windows-1252' })).toMatchObject([{ values: { Name: 'Ïîëå' } }])
  })

  test('Windows-1252 is guessed with a note, and enforced without', async () => {
    const bytes = Buffer.from('Schlag;Fläche\nSüdfeld;12,75\n', 'latin1')
    const guessed = await openText(bytes)
    expect((await rowsOf(guessed))[0]!.values).toEqual({ Schlag: 'Südfeld', Fläche: '12,75' })
    expect(guessed.found().map(({ code }) => code)).toEqual(['encoding-guessed'])
    const enforced = await openText(bytes, { encoding: 'windows-1252' })
    await rowsOf(enforced)
    expect(enforced.found()).toEqual([])
  })

  test('an enforced encoding that does not fit is doubted at the cell', async () => {
    const long = 'x'.repeat(5000)
    const rows = await read(Buffer.from(`id,name\n1,Top\n${long},S\xfcdfeld\n`, 'latin1'), { encoding: 'utf-8' })
    expect(rows[1]!.values.id).toBe(long)
    expect(codes(rows[0])).toEqual([])
    expect(rows[1]!.problems).toMatchObject([{ code: 'encoding-doubtful', column: 'name', at: { row: 3 } }])
  })
})

describe('all in one column', () => {
  test.each([
    ['lines in quotes', '"id,name"\n"1,A"\n"2,""B, b"""\n"3,C"\n"4,D"\n"5,E"\n', 'contain the comma equally often'],
    ['tildes', 'id~name\n1~A\n2~B\n', 'contain the "~" equally often'],
    ['a first line that names another delimiter', 'sep=;\nid,name\n1,A\n2,B\n', 'contain the comma equally often'],
    ['the separator of databases', 'id\x1fname\n1\x1fA\n', 'contain the character 31 equally often'],
  ])('by %s is reported', async (_, text, sentence) => {
    const table = await openText(text)
    await rowsOf(table)
    expect(table.found()).toMatchObject([{ code: 'file-inconsistent', severity: 'warning', at: { row: 1 } }])
    expect(table.found()[0]!.message).toContain(sentence)
  })

  test.each(['Paddock\nTop\nLow\n', 'Name: of all\nTop\nLow\n', 'Remark\n"wet, low"\n"dry, high"\n'])(
    'is all right in %j',
    async (text) => {
      const table = await openText(text)
      await rowsOf(table)
      expect(table.found()).toEqual([])
    },
  )
})

describe('a formula that is only a text in quotes', () => {
  test.each([
    ['as Excel is told to keep zeros', 'id,name\n="00123",A\n="0 ""b""",B\n'],
    ['in quotes of the file', 'id,name\n"=""00123""",A\n"=""0 """"b""""""",B\n'],
    ['in a file that has the names so too', '="id",="name"\n="00123",="A"\n="0 ""b""",="B"\n'],
  ])('%s is that text', async (_, text) => {
    expect((await read(text)).map(({ values }) => values)).toEqual([
      { id: '00123', name: 'A' },
      { id: '0 "b"', name: 'B' },
    ])
  })

  test('any other formula stays what it is', async () => {
    const rows = await read('id,note\n1,"=""a""&A1"\n2,="x"&"y"\n')
    expect(rows.map(({ values }) => values['note'])).toEqual(['="a"&A1', '="x"&"y"'])
  })
})

describe('the header', () => {
  test('empty and repeated names are replaced by unique ones, with notes', async () => {
    const table = await openText('id,name,name,,name (2)\n1,a,b,x,2\n')
    expect(table.columns!.map(({ name }) => name)).toEqual(['id', 'name', 'name (3)', 'column 4', 'name (2)'])
    await rowsOf(table)
    expect(table.found().map(({ code, column }) => [code, column])).toEqual([
      ['header-renamed', 'name (3)'],
      ['header-renamed', 'column 4'],
    ])
  })

  test('names that every object inherits are only columns', async () => {
    const [row] = await read('__proto__,constructor,toString\n1,2,3\n')
    expect(Object.keys(row!.values)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(row!.values)).toBe(Object.prototype)
    expect(Object.entries(row!.values)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
    ])
  })

  test('is where the option sets it, otherwise in the first row with text', async () => {
    expect(await read('Rimu Farm\nid,name\n1,Top\n', { header: 2 })).toMatchObject([
      { at: { row: 3 }, values: { id: '1' } },
    ])
    const table = await openText('\n,\nid,name\n1,Top\n')
    expect(decided(table, 'header')).toMatchObject({
      value: 3,
      evidence: expect.stringContaining('It is the first row with text'),
    })
  })

  test('white space in names is evened out', async () => {
    expect((await openText('" Paddock\nno ",b\n1,2\n')).columns![0]!.name).toBe('Paddock no')
  })

  test('a million equal names are refused at once', async () => {
    const text = `${'a,'.repeat(1_000_000)}a\n1\n`
    await expectQuick(5000, () => expect(openText(text)).rejects.toMatchObject({ code: 'file-too-large' }))
  })

  test.each([
    ['\n\n \n', {}, 'file-empty'],
    ['\ufeff', {}, 'file-empty'],
    ['id\n1\n', { header: 5 }, 'option-invalid'],
    ['id\n1\n', { header: 0 }, 'option-invalid'],
    ['id\n1\n', { delimiter: '::' }, 'option-invalid'],
    ['id\n1\n', { quote: '""' }, 'option-invalid'],
    ['id\n1\n', { quote: ';', delimiter: ';' }, 'option-invalid'],
    ['id\n1\n', { encoding: 'klingon' }, 'encoding-unknown'],
    ['id,"name\n1,Top\n', {}, 'file-damaged'],
  ])('%j with %j is refused: %s', async (text, options, code) => {
    await expect(openText(text, options)).rejects.toMatchObject({ name: 'WindrowError', code })
  })
})

describe('text of every kind', () => {
  test.each([
    ['CRLF', 'id,name\r\n1,Top\r\n2,Low\r\n'],
    ['lone CR', 'id,name\r1,Top\r2,Low\r'],
    ['all at once', 'id,name\r\n1,Top\n2,Low\r'],
    ['a mark of its end', 'id,name\n1,Top\n2,Low\n\x1a'],
    ['zeros in cells', 'id,name\n1,Top\0\0\n2,Low\n'],
    ['single quotes', "'id','name'\n'1','Top'\n'2','Low'\n"],
    ['spaces after quotes', '"id" ,"name"\n"1" ,"Top"\n"2" ,"Low"\n'],
  ])('%s', async (_, text) => {
    expect((await read(text)).map(({ values }) => values)).toEqual([
      { id: '1', name: 'Top' },
      { id: '2', name: 'Low' },
    ])
  })

  test.each(['"12"" pipe"', '"two\nlines"'])('single quotes around names are text beside the cell %j', async (cell) => {
    const rows = await read(`id,name,area\n1,'Top',3\n2,'Low',4\n3,'Mid',5\n4,${cell},6\n`)
    expect(rows.map(({ values }) => values['name'])).toEqual([
      "'Top'",
      "'Low'",
      "'Mid'",
      cell.slice(1, -1).replace('""', '"'),
    ])
    expect(rows.flatMap(codes)).toEqual([])
  })

  test('zeros that were left out are reported', async () => {
    const table = await openText('id,name\n1,Top\0\0\n')
    await rowsOf(table)
    expect(table.found()).toMatchObject([
      {
        code: 'encoding-doubtful',
        message: expect.stringMatching(/^Zero characters in the text were left out \(2\)\.$/),
      },
    ])
    expect(csv.recognise({ name: 'a.csv', head: Buffer.from('id,name\n1,Top\0\0\n') })).toBe(true)
    expect(csv.recognise({ name: 'a.csv', head: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 1, 2, 3]) })).toBe(false)
  })

  test('quotes written with a backslash are noticed', async () => {
    const table = await openText(String.raw`id,name,area
1,"The \"big\", wet one",3
2,"Low",4
`)
    expect(decided(table, 'escape')).toMatchObject({ value: 'backslash', others: [{ value: 'double' }] })
    expect((await rowsOf(table)).map(({ values }) => values.name)).toEqual(['The "big", wet one', 'Low'])
  })

  test('with quote: none a file keeps the quotes in its text', async () => {
    const rows = await read('id,name\n1,"Top\n2,12" pipe\n', { quote: 'none' })
    expect(rows.map(({ values }) => values.name)).toEqual(['"Top', '12" pipe'])
  })

  test('letters that were encoded twice are doubted at the cell, with what they were', async () => {
    const twice = Buffer.from(Buffer.from('Ōtāne', 'utf8').toString('latin1'), 'utf8')
    const rows = await read(Buffer.concat([Buffer.from('id,name\n1,Ängelholm Åsen\n2,'), twice, Buffer.from('\n')]))
    expect(rows.map(codes)).toEqual([[], ['encoding-doubtful']])
    expect(rows[1]!.problems![0]).toMatchObject({ column: 'name', message: expect.stringContaining('"Ōtāne"') })
  })
})

describe('rows gone wrong', () => {
  test('too many or too few cells are an error, blank ones too many are not', async () => {
    const rows = await read('id,name,area\n1,a\n2,b,3,extra\n3,c,4,,\n4,d,5\n')
    expect(rows.map(codes)).toEqual([['row-ragged'], ['row-ragged'], [], []])
    expect(rows[1]!.problems![0]).toMatchObject({
      value: 'extra',
      message: 'The row has 4 cells; the header has 3. Left over: "extra".',
    })
    expect(rows[2]!.values).toEqual({ id: '3', name: 'c', area: '4' })
  })

  test('an unclosed quote is found in its row, and the rows before it are read', async () => {
    const rows = await read('id,name,area\n1,Top,2\n2,"River flat,2\n3,Low,3\n4,End,4\n', { quote: '"' })
    expect(rows.map(({ at }) => at.row)).toEqual([2, 3])
    expect(codes(rows[0])).toEqual([])
    expect(rows[1]!.problems![0]).toMatchObject({ code: 'quote-unclosed', at: { row: 3 } })
    expect(rows[1]!.problems![0]!.message).toContain('3 line breaks')
  })

  test('an unclosed quote that looks like a note is not a footer', async () => {
    const rows = await read('id,name,area\n1,Top,2\n\n"exported from here on,,\n2,River flat,2\n3,Low,3\n', {
      quote: '"',
    })
    expect(codes(rows.at(-1))).toEqual(['quote-unclosed'])
  })

  test('titles, totals and notes around the table are no records, and each is accounted for', async () => {
    const table = await openText(
      'Rimu Farm paddocks\n\nNo;Name;Area\n1;Top;12,5\n2;Total;3\n3;Low;4,5\n\nTotal;;20\n\nExported from FarmSoft on 3/9/2026\n',
    )
    const rows = await rowsOf(table)
    expect(rows.filter((row) => codes(row).length === 0).map(({ at }) => at.row)).toEqual([4, 5, 6])
    const skipped = rows.filter((row) => codes(row).length > 0).toSorted((one, other) => one.at.row - other.at.row)
    expect(skipped.map((row) => [row.at.row, ...codes(row)])).toEqual([
      [7, 'row-blank'],
      [8, 'row-footer'],
      [9, 'row-blank'],
      [10, 'row-footer'],
    ])
    expect(table.found()).toMatchObject([{ code: 'rows-above-header', at: { row: 1 } }])
  })

  test.each([
    ['after spaces', 'id, name, area\n1, Top, 12\nid, name, area\n2, Low, 3\n'],
    ['in capitals', 'id,name,area\n1,Top,12\nID,NAME,AREA\n2,Low,3\n'],
    ['with a line break', 'id,name,"area\nha"\n1,Top,12\nid,name,"area\nha"\n2,Low,3\n'],
    ['with one of them twice', 'id,name,name\n1,Top,x\nid,name,name\n2,Low,y\n'],
    ['above a column without a name', 'id,name,,area\n1,Top,x,12\nid,name,,area\n2,Low,y,3\n'],
    ['of a file that was joined', 'id,name,area\n1,Top,12\n\ufeff"id",name,area\n2,Low,3\n'],
    ['as one of two lines', 'id,name,area\n,,(ha)\n1,Top,12\n2,Low,3\nid,name,area\n3,Mid,4\n'],
  ])('the column names once more, %s, are no record', async (_, text) => {
    const rows = await read(text)
    expect(rows.filter(({ problems }) => problems === undefined).map(({ values }) => values['name'])).not.toContain(
      'name',
    )
    expect(rows.flatMap(codes)).toEqual(['header-again'])
  })

  test('a file without column names loses no record', async () => {
    const table = await openText('1,Top,12.5\n2,Low,3\n')
    expect(await rowsOf(table)).toHaveLength(2)
    expect(table.columns!.map(({ name }) => name)).toEqual(['column 1', 'column 2', 'column 3'])
    expect(table.found()).toMatchObject([{ code: 'header-missing', hint: expect.stringContaining('header: none') }])
  })

  test('a value in a column without name and values is an error of its row', async () => {
    const rows = await read('id,name,area,\n1,Top,2,\n2,Low,3,\n3,Mid, flat,4\n4,End,5,\n')
    expect(rows.map(codes)).toEqual([[], [], ['row-ragged'], []])
  })

  test('an unclosed quote before very much text does not take it all into memory', async () => {
    const filler = `${'x'.repeat(1000)},y\n`.repeat(1000)
    const bytes = Buffer.from(`id,name\n1,"Top\n${filler.repeat(9)}`)
    const table = await openText(bytes)
    const rows = await rowsOf(table)
    expect(rows.map(codes)).toEqual([['quote-unclosed']])
    expect(JSON.stringify(rows).length).toBeLessThan(5000)
    expect(table.found()).toMatchObject([{ code: 'file-truncated', severity: 'error', at: { row: 2 } }])
  })

  test('a row without end is an error, and the rest is left', async () => {
    const table = await openText(`id\n1\n${','.repeat(5_000_000)}`)
    expect((await rowsOf(table)).map(codes)).toEqual([[], ['row-unreadable']])
    expect(table.found()).toMatchObject([{ code: 'file-truncated', at: { row: 3 } }])
  })

  test('a stray quote is an error of its row', async () => {
    const rows = await read('id,name\n1,"Ōtāne" flat"\n2,Top\n', { quote: '"' })
    expect(rows.map(codes)).toEqual([['row-unreadable'], []])
  })

  test('two stray quotes that take whole rows into a cell are an error of their row', async () => {
    const rows = await read('No,Name,Crop,Area\n1,"Top,Kale,2\n2,Low,Kale,3\n3,Creek",Kale,4\n4,Hill,Kale,5\n')
    expect(rows.map(codes)).toEqual([['row-unreadable'], []])
    expect(rows[0]!.problems![0]!.message).toBe(
      'The quotes in this row take in 2 rows below it and hide what is there.',
    )
    const atEnd = await read('No,Name,Crop,Area\n1,Hill,Kale,5\n2,"Top,Kale,2\n3,Creek",Kale,4')
    expect(atEnd.map(codes)).toEqual([[], ['row-unreadable']])
  })

  test('lines of a note are no rows, also with commas', async () => {
    const rows = await read('No,Name,Area,Note\n1,Top,2,"wet, cold\nand steep, stony, dry"\n2,Low,3,"a,b\nc,d"\n')
    expect(rows.map(codes)).toEqual([[], []])
  })

  test('a quote closed by a later one reports how many lines it took in', async () => {
    const rows = await read('id,name,area\n1,"River flat,2\n2,Low,3\n3,"Mid, x",5\n4,End,5\n')
    expect(rows.map(codes)).toEqual([['row-unreadable'], []])
    expect(rows[0]!.problems![0]!.message).toContain('2 lines below')
  })

  test('the delimiter is checked against the whole file', async () => {
    const good = Array.from({ length: 12_000 }, (_, id) => `${id};x${id};1,5`).join('\n')
    const other = Array.from({ length: 2000 }, (_, id) => `${id},x${id},15`).join('\n')
    const table = await openText(`id;name;area\n${good}\n${other}\n`)
    const rows = await rowsOf(table)
    expect(rows.filter((row) => codes(row).includes('row-ragged'))).toHaveLength(2000)
    expect(table.found()).toMatchObject([{ code: 'file-inconsistent' }])
  })
})

const polygon = shapeFromGeoJson({
  type: 'Polygon',
  coordinates: [
    [
      [175, -38],
      [176, -38],
      [176, -37],
      [175, -38],
    ],
  ],
}) as Shape

describe('writing CSV', () => {
  const columns = [{ name: 'id' }, { name: 'name' }]
  const write = async (rows: Parameters<typeof outTable>[0], options: FormatOptions = {}, name = 'out.csv') => {
    const target = memoryTarget(name)
    await csv.write!([outTable(rows, { columns })], target, options)
    return target.text()
  }

  test('has a mark, CRLF and quotes where they are needed', async () => {
    const text = await write([
      { values: { id: '007', name: 'a "b", c' } },
      { values: { id: null, name: 'two\nlines' } },
    ])
    expect(text).toBe('\ufeffid,name\r\n007,"a ""b"", c"\r\n,"two\nlines"\r\n')
  })

  test('the options and the file name decide byte order mark and delimiter', async () => {
    const rows = [{ values: { id: 'a;b', name: 'c\td' } }]
    expect(await write(rows, { bom: false, delimiter: ';' })).toBe('id;name\r\n"a;b";c\td\r\n')
    expect(await write(rows, { bom: false }, 'out.tsv')).toBe('id\tname\r\na;b\t"c\td"\r\n')
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['+64 21 000 000', "'+64 21 000 000"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-cmd', "'-cmd"],
    ['\t=1', "'\t=1"],
    ['-5', '-5'],
    ['+3.25', '+3.25'],
    ['-1,5e3', '"-1,5e3"'],
    ['Top = best', 'Top = best'],
  ])('the text %j is written as %j', async (name, expected) => {
    expect(await write([{ values: { id: '1', name } }], { bom: false })).toBe(`id,name\r\n1,${expected}\r\n`)
  })

  const changed =
    '007|1-3|3/4|MAR1|1 Mai|2E5|5 A|7:30|9429040562012|2026-10-01|1,5|1.50|1,234|+5|(5)|50 %|.5|1.5E-3|5 1/2'
  test.each(changed.split('|'))(
    'for Excel the text %j is written so that Excel keeps it, and read back as it was',
    async (name) => {
      const text = await write([{ values: { id: 'a', name } }], { bom: false, csv: 'excel' })
      expect(text).toBe(`id,name\r\na,"=""${name}"""\r\n`)
      expect((await read(text))[0]!.values['name']).toBe(name)
    },
  )

  test.each(['7', '0', '-5', 'Block 1', '5 % N', 'Top flat', 'Marsh 2', '12 ewes', '10 A 3'])(
    'for Excel the text %j needs no help',
    async (name) => {
      const text = await write([{ values: { id: 'a', name } }], { bom: false, csv: 'excel' })
      expect(text).toBe(`id,name\r\na,${name}\r\n`)
    },
  )

  test('numbers, truth and nested values are written plainly', async () => {
    const text = await write([{ values: { id: -1.5, name: true } }, { values: { id: 0, name: ['a', 1] } }], {
      bom: false,
    })
    expect(text).toBe('id,name\r\n-1.5,true\r\n0,"[""a"",1]"\r\n')
  })

  test('columns that the row does not have are blank, whatever objects inherit', async () => {
    const target = memoryTarget('out.csv')
    await csv.write!(
      [outTable([{ values: {} }], { columns: [{ name: 'constructor' }, { name: '__proto__' }] })],
      target,
      { bom: false },
    )
    expect(target.text()).toBe('constructor,__proto__\r\n,\r\n')
  })

  test('a boundary is written in a separate column', async () => {
    const rows = [
      { values: { boundary: 'x' }, shape: polygon },
      { values: { boundary: 'y' }, shape: null },
    ]
    const target = memoryTarget('out.csv')
    await csv.write!([outTable(rows, { columns: [{ name: 'boundary' }], hasGeometry: true })], target, { bom: false })
    expect(target.text()).toBe('boundary,boundary (2)\r\nx,"POLYGON ((175 -38, 176 -38, 176 -37, 175 -38))"\r\ny,\r\n')
  })

  test('coordinates that are not numbers are left out with a note', async () => {
    const shape = { ...polygon, coordinates: polygon.coordinates.map(() => Number.NaN) }
    const target = memoryTarget('out.csv')
    const { notes } = await csv.write!(
      [outTable([{ values: {}, shape }], { columns: [], hasGeometry: true })],
      target,
      {},
    )
    expect(notes).toHaveLength(1)
    expect(target.text()).not.toContain('NaN')
  })

  test('several tables, and other coordinate systems, are refused', async () => {
    const table = outTable([], { columns })
    await expect(csv.write!([table, table], memoryTarget('a.csv'), {})).rejects.toMatchObject({
      code: 'format-cannot-write',
    })
    const projected = outTable([], {
      columns,
      hasGeometry: true,
      crs: { from: '.prj', text: 'PROJCS["NZGD2000 / New Zealand Transverse Mercator 2000"]' },
    })
    await expect(csv.write!([projected], memoryTarget('a.csv'), {})).rejects.toMatchObject({
      code: 'format-cannot-write',
    })
  })

  test('what is written is read as it was', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ā', '"', ',', ';', '\n', ' ', '1', '=', '🐑') })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1 }),
        fc.constantFrom(',', ';', '\t'),
        async (cells, delimiter) => {
          const rows = cells.map(([id, name]) => ({ values: { id, name } }))
          const found = await read(await write(rows, { delimiter }), { delimiter })
          // Blank rows go ahead of one that looks like a note below the table, such as "== a".
          const back = found.toSorted((one, other) => one.at.row - other.at.row)
          const armed = (text: string): string => (text.startsWith('=') ? `'${text}` : text)
          expect(back.map(({ values }) => values)).toEqual(
            cells.map(([id, name]) => ({ id: armed(id), name: armed(name) })),
          )
        },
      ),
    )
  })
})
