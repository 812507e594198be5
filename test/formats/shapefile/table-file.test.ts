import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Value } from '../../../src/core/row.ts'
import { bufferSource } from '../../../src/core/sources/source.ts'
import { textReader } from '../../../src/formats/shapefile/encoding.ts'
import { columnOf, openRows, rowsToRead, tryText, type TableRow } from '../../../src/formats/shapefile/table-file.ts'
import { readTableHeader } from '../../../src/formats/shapefile/table-header.ts'
import { dbfBytes, namesTable, type MadeField, type MadeTable } from './made-files.ts'

type ReadRow = 'deleted' | TableRow

async function readRows(bytes: Uint8Array): Promise<ReadRow[]> {
  const source = bufferSource('paddocks.dbf', bytes)
  const reader = await openRows(source, await readTableHeader(source), textReader('utf-8'))
  const rows: ReadRow[] = []
  for (let read = await reader.next(3); read.length > 0; read = await reader.next(3)) rows.push(...read)
  return rows
}

async function readOne(field: Omit<MadeField, 'name'>, cell: string | Uint8Array): Promise<ReadRow & object> {
  const rows = await readRows(dbfBytes({ fields: [{ name: 'A', ...field }], rows: [{ cells: [cell] }] }))
  return rows[0] as ReadRow & object
}

function bytesOf(fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(8)
  fill(bytes)
  return bytes
}

describe('cells', () => {
  const text = { letter: 'C', width: 12 }
  const whole = { letter: 'N', width: 20 }
  const decimal = { letter: 'N', width: 25, decimals: 15 }
  const float = { letter: 'F', width: 24, decimals: 0 }
  const date = { letter: 'D', width: 8 }
  const truth = { letter: 'L', width: 1 }

  test.each<[string, Omit<MadeField, 'name'>, string | Uint8Array, Value]>([
    ['text', text, 'Top Flat', 'Top Flat'],
    ['text with macrons', text, 'Kōwhai', 'Kōwhai'],
    ['an id with zeros', text, '0001', '0001'],
    ['spaces before text stay', text, '  a', '  a'],
    ['blank text', text, '', null],
    ['text ended by NUL', text, 'Rimu\0old text', 'Rimu'],
    ['spaces before NUL', text, 'Rimu  \0', 'Rimu'],
    ['only NUL', text, Buffer.alloc(12), null],
    ['a full cell', text, 'abcdefghijkl', 'abcdefghijkl'],
    ['a whole number', whole, '                  42', 42],
    ['a negative number', whole, '-7', -7],
    ['15 digits', whole, '123456789012345', 123_456_789_012_345],
    ['18 digits stay text', whole, '123456789012345678', '123456789012345678'],
    ['zeros before digits stay text', whole, '007', '007'],
    ['zero', whole, '0', 0],
    ['decimals in a whole column', whole, '12.50', 12.5],
    ['no number', whole, '', null],
    ['asterisks', whole, '********************', null],
    ['NULs', whole, Buffer.alloc(20), null],
    ['decimals', decimal, '0.009372315625660122', 0.009372315625660122],
    ['few decimals', decimal, '2.16', 2.16],
    ['a point alone behind digits', decimal, '2.', 2],
    ['a point before digits', decimal, '.5', 0.5],
    ['leading zeros of decimals', decimal, '000.25', 0.25],
    ['an exponent', float, '1.5e+003', 1500],
    ['a D exponent', float, '1.5D2', 150],
    ['a plus', float, '+3', 3],
    ['the most negative number', float, '-1.79769313486231e+308', null],
    ['nan', float, 'nan', null],
    ['a date', date, '20260903', '2026-09-03'],
    ['an impossible date is not judged here', date, '20260231', '2026-02-31'],
    ['no date', date, '', null],
    ['a date of zeros', date, '00000000', null],
    ['marks without a date', date, '  /  /  ', null],
    ['a date of NULs', date, Buffer.alloc(8), null],
    ['T', truth, 'T', true],
    ['y', truth, 'y', true],
    ['F', truth, 'F', false],
    ['n', truth, 'n', false],
    ['?', truth, '?', null],
    ['blank truth', truth, '', null],
    ['a FoxPro integer', { letter: 'I', width: 4 }, Buffer.of(0xfe, 0xff, 0xff, 0xff), -2],
    ['a FoxPro double', { letter: 'B', width: 8 }, bytesOf((b) => b.writeDoubleLE(2.5)), 2.5],
    ['an O double', { letter: 'O', width: 8 }, bytesOf((b) => b.writeDoubleLE(-2.5)), -2.5],
    ['money', { letter: 'Y', width: 8 }, bytesOf((b) => b.writeBigInt64LE(12_345_600n)), 1234.56],
    [
      'a FoxPro time',
      { letter: 'T', width: 8 },
      bytesOf((b) => {
        b.writeInt32LE(2_461_287)
        b.writeInt32LE(3_600_000, 4)
      }),
      '2026-09-03T01:00:00',
    ],
    ['no FoxPro time', { letter: '@', width: 8 }, Buffer.alloc(8), null],
    ['a written time', { letter: 'T', width: 14 }, '20260903013000', '2026-09-03T01:30:00'],
    ['a column of no width', { letter: 'L', width: 0 }, '', null],
    ['a memo is not invented', { letter: 'M', width: 10 }, '         1', null],
  ])('%s', async (_, field, cell, expected) => {
    const { cells, odd } = await readOne(field, cell)
    expect(cells).toEqual([expected])
    expect(odd).toEqual([])
  })

  test.each<[string, Omit<MadeField, 'name'>, string | Uint8Array, string | null]>([
    ['a decimal comma', decimal, '1,5', '1,5'],
    ['text among numbers', whole, 'n/a', 'n/a'],
    ['a lone point', whole, '.', '.'],
    ['a date in words', date, '3.9.2026', '3.9.2026'],
    ['a date of a year alone', date, '2026', '2026'],
    ['a truth that is none', truth, 'x', 'x'],
    [
      'a time beyond its day',
      { letter: 'T', width: 8 },
      bytesOf((b) => {
        b.writeInt32LE(2_461_287)
        b.writeInt32LE(90_000_000, 4)
      }),
      null,
    ],
  ])('%s does not fit and is not lost', async (_, field, cell, value) => {
    const { cells, odd } = await readOne(field, cell)
    expect(cells).toEqual([value])
    expect(odd).toMatchObject([{ index: 0, value }])
  })

  test('a number reads as JavaScript reads its digits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ noNaN: true, min: -1e300, max: 1e300 }),
        fc.integer({ min: 1, max: 15 }),
        async (value, decimals) => {
          const digits = value.toFixed(decimals)
          fc.pre(digits.length <= 60)
          const { cells } = await readOne({ letter: 'N', width: 60, decimals: 1 }, digits)
          expect(cells[0]).toBe(Number(digits) + 0)
        },
      ),
    )
  })
})

describe('the header', () => {
  const read = (table: Partial<MadeTable>): Promise<ReadRow[]> => readRows(namesTable(['Rimu', 'Kōwhai'], table))

  test('its length is trusted over the number of columns', async () => {
    expect(await read({ extraHeaderBytes: 263, version: 0x30 })).toMatchObject([
      { cells: ['Rimu'] },
      { cells: ['Kōwhai'] },
    ])
  })

  test.each([
    ['a count that is too large', { declaredRows: 9 }, 2],
    ['a count that is too small', { declaredRows: 1 }, 1],
    ['no count', { declaredRows: 0 }, 2],
  ])('%s', async (_, table, count) => {
    expect(await read(table)).toHaveLength(count)
  })

  test('a count that is too large does not read the filling behind the last row', async () => {
    const filled = Buffer.concat([namesTable(['Rimu'], { declaredRows: 9 }), Buffer.alloc(200)])
    expect(await readRows(filled)).toMatchObject([{ cells: ['Rimu'] }])
  })

  test('rows marked as deleted are recognised', async () => {
    const rows = await read({ rows: [{ cells: ['a'] }, { cells: ['b'], deleted: true }, { cells: ['c'] }] })
    expect(rows).toMatchObject([{ cells: ['a'] }, 'deleted', { cells: ['c'] }])
  })

  test('widths and decimals are kept, also of text wider than a byte can say', async () => {
    const source = bufferSource(
      'a.dbf',
      dbfBytes({
        fields: [
          { name: 'NOTE', letter: 'C', width: 300 },
          { name: 'AREA', letter: 'N', width: 12, decimals: 3 },
          { name: 'SOWN', letter: 'D', width: 8 },
        ],
        rows: [{ cells: ['x'.repeat(300), '       2.160', '20260101'] }],
      }),
    )
    const { fields } = await readTableHeader(source)
    expect(fields.map((field) => columnOf(field.name.toString(), field))).toEqual([
      { name: 'NOTE', type: 'text', width: 300 },
      { name: 'AREA', type: 'number', width: 12, decimals: 3 },
      { name: 'SOWN', type: 'date' },
    ])
    expect(await readRows(await source.read(0, source.size))).toMatchObject([
      { cells: ['x'.repeat(300), 2.16, '2026-01-01'] },
    ])
  })

  test('decimals of a text column are no width where the row is too short for them', async () => {
    const bytes = namesTable(['Rimu'])
    bytes[32 + 17] = 4
    expect(await readRows(bytes)).toMatchObject([{ cells: ['Rimu'] }])
  })

  const good = namesTable(['Rimu'])
  const changed = (at: number, ...bytes: number[]): Uint8Array => {
    const copy = good.slice()
    copy.set(bytes, at)
    return copy
  }
  test.each([
    ['nothing', new Uint8Array(0), 'file-empty'],
    ['half a header', good.subarray(0, 20), 'file-damaged'],
    ['dBASE 7', changed(0, 0x04), 'file-unreadable'],
    ['a header longer than the file', changed(8, 0xff, 0xff), 'file-damaged'],
    ['rows of no length', changed(10, 0, 0), 'file-damaged'],
    ['columns wider than the row, and no rows where they should be', changed(4, 9, 0, 0, 0, 65, 0, 5), 'file-damaged'],
  ])('%s is refused', async (_, bytes, code) => {
    await expect(readTableHeader(bufferSource('a.dbf', bytes))).rejects.toMatchObject({ code })
  })

  test.each([
    ['a header that is one byte shorter than it says', 8, 66],
    ['a header that is one byte longer than it says', 8, 64],
    ['FoxPro’s header with the length of a common one', 8, 65],
    ['rows that are one byte wider than it says', 10, 20],
    ['rows that are narrower than it says', 10, 24],
  ])('%s: the rows are found by their marks', async (name, at, value) => {
    const bytes = Buffer.from(
      namesTable(['Rimu', 'Kōwhai', 'Tawa'], name.startsWith('FoxPro') ? { extraHeaderBytes: 263 } : {}),
    )
    bytes.writeUInt16LE(value, at)
    expect(await readTableHeader(bufferSource('a.dbf', bytes))).toMatchObject({ isRepaired: true })
    expect(await readRows(bytes)).toMatchObject([{ cells: ['Rimu'] }, { cells: ['Kōwhai'] }, { cells: ['Tawa'] }])
  })

  test('empty marks are no reason to repair', async () => {
    const bytes = Buffer.from(namesTable(['Rimu', 'Kōwhai']))
    bytes[65] = 0
    bytes[65 + 21] = 0
    expect(await readRows(bytes)).toMatchObject([{ cells: ['Rimu'] }, { cells: ['Kōwhai'] }])
  })

  test('what is left of a table that was cut is counted', async () => {
    const header = await readTableHeader(
      bufferSource('a.dbf', namesTable(['a', 'b', 'c']).subarray(0, 65 + 21 * 2 + 5)),
    )
    expect(header).toMatchObject({ declaredRows: 3, presentRows: 2 })
    expect(rowsToRead(header)).toBe(2)
  })
})

test.each<[string, MadeTable, string]>([
  ['ASCII', { fields: [{ name: 'N', letter: 'C', width: 9 }], rows: [{ cells: ['Rimu'] }] }, 'ascii'],
  [
    'UTF-8',
    { fields: [{ name: 'N', letter: 'C', width: 9 }], rows: [{ cells: ['Rimu'] }, { cells: ['Kōwhai'] }] },
    'utf-8',
  ],
  ['UTF-8 cut by the width', { fields: [{ name: 'N', letter: 'C', width: 2 }], rows: [{ cells: ['Kō'] }] }, 'utf-8'],
  ['UTF-8 in a name', { fields: [{ name: 'Hectāres', letter: 'C', width: 2 }], rows: [] }, 'utf-8'],
  [
    'something else',
    { fields: [{ name: 'N', letter: 'C', width: 9 }], rows: [{ cells: ['Près'] }], encoding: 'latin1' },
    'windows',
  ],
  [
    'binary numbers are no text',
    { fields: [{ name: 'N', letter: 'I', width: 4 }], rows: [{ cells: [Buffer.of(0xe8, 1, 1, 1)] }] },
    'ascii',
  ],
])('a trial of the whole table: %s', async (_, table, verdict) => {
  const source = bufferSource('a.dbf', dbfBytes(table))
  expect(await tryText(source, await readTableHeader(source))).toBe(verdict)
})
