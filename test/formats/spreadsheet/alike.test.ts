import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as XLSX from 'xlsx'
import { openFile } from '../../../src/formats/index.ts'
import { only, rowsOf, sourceOf } from '../fixtures.ts'
import { runs } from '../../runs.ts'

/** A cell as the library writes it, and what it means in windrow. */
type Cell = { readonly cell: XLSX.CellObject; readonly value: unknown }

const letters = ['a', 'Z', '0', ' ', 'é', 'Ō', '東', '🌱', '&', '<', '>', '"', "'", '_', 'x', 'D', '\t', '-']

const texts = fc
  .string({ unit: fc.constantFrom(...letters), maxLength: 12 })
  .filter((text) => text.trim() === text && !/_x[0-9A-F]{4}_/i.test(text))
const decimals = fc.integer({ min: -1e12, max: 1e12 }).map((whole) => whole / 1000)
const days = fc.integer({ min: 61, max: 80_000 })

function isoDay(serial: number): string {
  return new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000).toISOString().slice(0, 10)
}

const cells: fc.Arbitrary<Cell> = fc.oneof(
  texts.map((v) => ({ cell: { t: 's' as const, v }, value: v === '' ? null : v })),
  decimals.map((v) => ({ cell: { t: 'n' as const, v }, value: v })),
  fc.boolean().map((v) => ({ cell: { t: 'b' as const, v }, value: v })),
  days.map((v) => ({ cell: { t: 'n' as const, v, z: 'yyyy-mm-dd' }, value: isoDay(v) })),
  fc.nat(99_999).map((v) => ({ cell: { t: 'n' as const, v, z: '00000' }, value: String(v).padStart(5, '0') })),
  fc.constant({ cell: { t: 'z' as const }, value: null }),
)

const grids = fc.array(fc.tuple(cells, cells, cells), { minLength: 1, maxLength: 8 })

function bookOf(rows: readonly (readonly Cell[])[], bookType: XLSX.BookType, bookSST: boolean): Uint8Array {
  const sheet: XLSX.WorkSheet = { '!ref': `A1:D${rows.length + 1}` }
  for (const [column, name] of ['key', 'one', 'two', 'three'].entries())
    sheet[XLSX.utils.encode_cell({ r: 0, c: column })] = { t: 's', v: name }
  for (const [index, row] of rows.entries()) {
    sheet[`A${index + 2}`] = { t: 's', v: `row ${index}` }
    for (const [column, { cell }] of row.entries())
      if (cell.t !== 'z') sheet[XLSX.utils.encode_cell({ r: index + 1, c: column + 1 })] = { ...cell }
  }
  const book = XLSX.utils.book_new()
  XLSX.utils.book_append_sheet(book, sheet, 'Paddocks')
  return new Uint8Array(XLSX.write(book, { type: 'array', bookType, bookSST, compression: true }) as ArrayBuffer)
}

async function valuesOf(name: string, bytes: Uint8Array): Promise<readonly unknown[]> {
  const { tables } = await openFile(sourceOf(name, bytes), { options: { header: 1 } })
  const rows = await rowsOf(only(tables))
  return rows.map(({ values }) => ['one', 'two', 'three'].map((column) => values[column] ?? null))
}

describe('any cells', () => {
  test.each([
    ['paddocks.xlsx', 'xlsx', true],
    ['paddocks.xlsx', 'xlsx', false],
    ['paddocks.xlsb', 'xlsb', true],
    ['paddocks.xls', 'biff8', true],
  ] as const)(
    'in a %s that the library wrote (%s, shared texts: %s) mean what they meant',
    async (name, type, shared) => {
      await fc.assert(
        fc.asyncProperty(grids, async (rows) => {
          const expected = rows.map((row) => row.map(({ value }) => value))
          expect(await valuesOf(name, bookOf(rows, type, shared))).toEqual(expected)
        }),
        { numRuns: runs(type === 'xlsx' ? 100 : 20) },
      )
    },
  )
})
