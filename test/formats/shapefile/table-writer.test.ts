import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Column, Value } from '../../../src/core/row.ts'
import { fullNames, shortNames } from '../../../src/formats/shapefile/field-names.ts'
import { made, readBack, table, writeTo } from './written.ts'
import { runs } from '../../runs.ts'

describe('cells', () => {
  test.each<[string, Column, readonly Value[], Partial<Column>]>([
    ['text', { name: 'A', type: 'text' }, ['Kōwhai', null, '0001', 'x'.repeat(254)], { type: 'text', width: 254 }],
    ['text keeps its declared width', { name: 'A', type: 'text', width: 40 }, ['Rimu'], { type: 'text', width: 40 }],
    ['text needs more bytes than letters', { name: 'A', type: 'text', width: 4 }, ['āēīō'], { type: 'text', width: 8 }],
    [
      'whole numbers',
      { name: 'A', type: 'integer' },
      [1, -20, null, 123_456_789_012_345],
      { type: 'integer', width: 15, decimals: 0 },
    ],
    [
      'whole numbers longer than sure',
      { name: 'A', type: 'integer', width: 20, decimals: 0 },
      ['123456789012345678', 5, '007'],
      { type: 'integer', width: 20 },
    ],
    ['decimals', { name: 'A', type: 'number' }, [2.16, 0.009372315625660122, -1], { type: 'number' }],
    [
      'declared decimals',
      { name: 'A', type: 'number', width: 12, decimals: 3 },
      [2.16, 215_229.266],
      { type: 'number', width: 12, decimals: 3 },
    ],
    [
      'more decimals than declared',
      { name: 'A', type: 'number', width: 5, decimals: 1 },
      [2.125, 99_999.5],
      { type: 'number', decimals: 3 },
    ],
    [
      'very large and very small',
      { name: 'A', type: 'number' },
      [1.5e300, -2.5e-300, 5e-324, 0.1, 1e21],
      { type: 'number' },
    ],
    ['truths', { name: 'A', type: 'boolean' }, [true, false, null], { type: 'boolean' }],
    ['dates', { name: 'A', type: 'date' }, ['2026-09-03', null], { type: 'date' }],
    ['numbers of no declared type', { name: 'A' }, [1, 2.5], { type: 'number', decimals: 1 }],
    ['truths of no declared type', { name: 'A' }, [true, null], { type: 'boolean' }],
    ['digits of no declared type stay text', { name: 'A' }, ['007', null], { type: 'text' }],
    ['nothing at all', { name: 'A' }, [null, undefined, null], { type: 'text', width: 1 }],
  ])('%s', async (_, column, values, expected) => {
    const back = await readBack(column, values)
    expect(back.values).toEqual(values.map((value) => value ?? null))
    expect(back.column).toMatchObject(expected)
    expect(back.notes).toEqual([])
  })

  test.each<[Column, readonly Value[], readonly Value[], RegExp]>([
    [{ name: 'AREA', type: 'number' }, [1.5, 'about 2'], ['1.5', 'about 2'], /"about 2" is no number/],
    [{ name: 'SOWN', type: 'date' }, ['2026-01-01', 'spring'], ['2026-01-01', 'spring'], /"spring" is no date/],
    [{ name: 'IRR', type: 'boolean' }, [true, 'partly'], ['true', 'partly'], /"partly" is no boolean/],
  ])('what does not fit %o makes the column text', async (column, values, expected, note) => {
    const back = await readBack(column, values)
    expect(back.values).toEqual(expected)
    expect(back.notes).toEqual([expect.stringMatching(note)])
  })

  test('lists and objects are written as JSON', async () => {
    const back = await readBack({ name: 'CROPS', type: 'json' }, [[{ name: 'Lucerne' }]])
    expect(back.values).toEqual(['[{"name":"Lucerne"}]'])
  })

  test('a column that a row does not have is blank, whatever it is called', async () => {
    const columns = [{ name: 'toString' }, { name: '__proto__' }]
    const { layers } = await made([table(columns, [{ values: {} }])])
    expect(Object.entries(layers[0]!.rows[0]!.values)).toEqual([
      ['toString', null],
      ['__proto__', null],
    ])
  })

  test('text that is not a number is blank', async () => {
    expect((await readBack({ name: 'A', type: 'number' }, [Number.NaN, Infinity, 1])).values).toEqual([null, null, 1])
  })

  test('text beyond 254 bytes is refused, or cut between letters when asked', async () => {
    const rows = [{ values: { NOTE: 'ā'.repeat(200) } }]
    await expect(writeTo([table([{ name: 'NOTE', type: 'text' }], rows)])).rejects.toMatchObject({
      code: 'format-cannot-write',
      message: expect.stringMatching(/"NOTE" of row 0 takes 400 bytes/),
    })
    const { layers, written } = await made([table([{ name: 'NOTE', type: 'text' }], rows)], { cut: true })
    expect(layers[0]!.rows[0]!.values.NOTE).toBe('ā'.repeat(127))
    expect(written.notes).toEqual([expect.stringContaining('"NOTE" that were cut to 254 bytes: 1.')])
  })

  test('any number comes back as the same number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), { minLength: 1 }),
        async (numbers) => {
          const back = await readBack({ name: 'A', type: 'number' }, numbers)
          expect(back.values.map(Number)).toEqual(numbers.map((value) => value + 0))
        },
      ),
      { numRuns: runs(30) },
    )
  })
})

describe('names', () => {
  test.each<[readonly string[], readonly string[]]>([
    [
      ['NAME', 'Paddock ID', 'AREA_HA'],
      ['NAME', 'Paddock ID', 'AREA_HA'],
    ],
    [
      ['establishmentDate', 'establishmentDateEnd', 'establishm'],
      ['establis_1', 'establis_2', 'establishm'],
    ],
    [
      ['Hectāres of it', 'Hectāre'],
      ['Hectāres', 'Hectāre'],
    ],
    [
      ['name', 'NAME'],
      ['name', 'NAME_1'],
    ],
    [
      ['', 'a\nb', ' x '],
      ['column', 'a_b', 'x'],
    ],
    [
      ['ā'.repeat(6), 'ā'.repeat(7)],
      ['ā'.repeat(5), 'āāāā_1'],
    ],
    [
      Array.from({ length: 12 }, (_, index) => `very long name ${index}`),
      [
        'very long',
        ...Array.from({ length: 11 }, (_, index) => (index < 9 ? `very lon_${index + 1}` : `very lo_${index + 1}`)),
      ],
    ],
    [
      ['Start (Pacific/Auckland)', 'End (Pacific/Auckland)'],
      ['START', 'END'],
    ],
  ])('%j', (names, expected) => {
    expect(shortNames(names)).toEqual(expected)
  })

  test('the columns of own exports have names from a table', () => {
    const names = {
      Name: 'Name',
      'Total area (ha)': 'TOTAL_HA',
      'Total length (m)': 'LENGTH_M',
      'Crop 1 name': 'CROP',
      'Crop 1 establishment date (Pacific/Auckland)': 'SOWN',
      'Crop 2 name': 'CROP_2',
      'Crop 2 harvest date (Pacific/Auckland)': 'HARVESTE_2',
      'Crop 1 identifier (org.example.gps)': 'CROP_ID',
      'Crop 1 identifier (org.example.crop)': 'CROP_ID_1',
      'Identifier (nz.example.farm-number)': 'IDENT',
      'Identifier 2 (nz.example.farm-number)': 'IDENT_2',
      'Modified (Pacific/Auckland)': 'MODIFIED',
      'Source id (nz.example.farm-number.plots)': 'Source id',
      'Crop rotation plan': 'Crop rotat',
    }
    expect(shortNames(Object.keys(names))).toEqual(Object.values(names))
  })

  test('moments that all begin a day in the zone of their column become days, others keep their times', async () => {
    const column = { name: 'Crop 1 establishment date (Pacific/Auckland)', type: 'date-time', zone: 'Pacific/Auckland' } as const // oxfmt-ignore
    const [midnight, early] = ['2026-04-05T00:00:00+13:00', '2026-04-05T02:30:00+13:00']
    expect(await readBack(column, [midnight, null])).toMatchObject({
      values: ['2026-04-05', null],
      column: { name: column.name, type: 'date' },
    })
    expect((await readBack(column, [midnight, early])).values).toEqual([midnight, early])
    const moments = await readBack({ name: 'Start', type: 'date-time' }, [midnight])
    expect(moments).toMatchObject({ values: [midnight], column: { type: 'text' } })
    expect(moments.notes).toEqual(['A shapefile stores days without a time, so these columns are text: Start.'])
  })

  test('short names are unique and take ten bytes at most', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 40 }), (names) => {
        const short = shortNames(names)
        expect(new Set(short.map((name) => name.toLowerCase())).size).toBe(names.length)
        for (const name of short) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(10)
      }),
    )
  })

  test('a list of the full names is packed when one was changed', async () => {
    const columns = [{ name: 'establishmentDate' }, { name: '=cmd()|dangerous, "name"' }, { name: 'OK' }]
    const { members, layers, written } = await made([
      table(columns, [{ values: { establishmentDate: 'a', '=cmd()|dangerous, "name"': 'b', OK: 'c' } }]),
    ])
    expect(Buffer.from(members['names.csv']!).toString()).toBe(
      '\uFEFFfile,column,full name\r\npaddocks,establishm,establishmentDate\r\npaddocks,\'=cmd()|dan,"\'=cmd()|dangerous, ""name"""\r\n',
    )
    // Reading them again gives the full names.
    expect(layers[0]!.rows[0]!.values).toEqual({ establishmentDate: 'a', '=cmd()|dangerous, "name"': 'b', OK: 'c' })
    expect(written.notes).toEqual([expect.stringContaining('names.csv')])
  })

  test('the list of full names is for its own layer; a renamed layer may have the only list', () => {
    const list = '\uFEFFfile,column,full name\r\nPlots,Total area,Total area (ha)\r\n'
    expect(fullNames(list, 'plots', ['Name', 'Total area'])).toEqual(['Name', 'Total area (ha)'])
    expect(fullNames(list, 'Plots edited', ['Name', 'Total area'])).toEqual(['Name', 'Total area (ha)'])
    expect(fullNames(list, 'Fences', ['Name', 'Length'])).toEqual(['Name', 'Length'])
    expect(fullNames('file;column\r\nPlots;Name', 'Plots', ['Name'])).toEqual(['Name'])
    const two = `${list}Fences,Length,Total length (m)\r\n`
    expect(fullNames(two, 'Plots edited', ['Total area'])).toEqual(['Total area'])
  })

  test('no list without need', async () => {
    const { members } = await made([table([{ name: 'OK' }], [{ values: { OK: 'c' } }])])
    expect(Object.keys(members)).toEqual(['paddocks.dbf', 'paddocks.cpg'])
  })
})
