import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import type { Row } from '../../src/core/row.ts'
import { fileSource } from '../../src/core/source.ts'
import { openFile } from '../../src/formats/index.ts'
import { rowsOf } from './fixtures.ts'

/** Files of the wild with what is known of them; they lie beside the project and are not part of it. */
const folder = join(import.meta.dirname, '../../../shared/cases')

type Case = {
  readonly id: string
  readonly file: string
  readonly format: string
  readonly expectedError?: string
  readonly oracle: {
    readonly features?: number
    readonly recordsIncludingHeader?: number
    readonly header?: readonly string[]
    readonly firstRow?: readonly string[]
    readonly lastRow?: readonly string[]
    readonly delimiter?: string
    readonly encoding?: string
    readonly firstAttributes?: { readonly [column: string]: unknown } | null
    readonly geometryTypes?: { readonly [type: string]: number }
    readonly crs?: { readonly epsg: number }
    readonly sheets?: readonly { readonly name: string; readonly state: string; readonly maxRow: number }[]
  }
}

function casesOf(...kinds: string[]): readonly Case[] {
  if (!existsSync(folder)) return []
  const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as readonly Case[]
  return cases.filter(({ format }) => kinds.includes(format))
}

async function readCase({ file }: Case) {
  const { format, tables } = await openFile(await fileSource(join(folder, file)))
  const rows: Row[][] = []
  for (const table of tables) rows.push(await rowsOf(table))
  return { format: format.name, tables, rows }
}

describe.skipIf(!existsSync(folder))('files of the wild', () => {
  test('there are some of each kind', () => {
    for (const kind of ['csv', 'geojson', 'ods', 'xls', 'xlsb']) expect(casesOf(kind).length).toBeGreaterThan(0)
  })

  test.each(casesOf('csv'))('$id', async (each) => {
    const { oracle } = each
    const { format, tables, rows } = await readCase(each)
    const [table] = tables
    expect(format).toBe('csv')
    expect(rows[0]!.length).toBe(oracle.recordsIncludingHeader! - 1)
    expect(table!.decisions.find(({ option }) => option === 'delimiter')?.value).toBe(oracle.delimiter)
    expect(table!.columns).toHaveLength(oracle.header!.length)
    // Long cells are shortened where they are described.
    const short = (text: unknown): unknown =>
      typeof text === 'string' ? text.replaceAll('\r\n', '\n').slice(0, 100) : text
    const cells = (row: Row): readonly unknown[] => table!.columns!.map(({ name }) => short(row.values[name]))
    const [first] = rows[0]!
    const last = rows[0]!.at(-1)!
    if (first!.problems === undefined) expect(cells(first!)).toEqual(oracle.firstRow!.map(short))
    if (last.problems === undefined) expect(cells(last)).toEqual(oracle.lastRow!.map(short))
    if (each.expectedError?.startsWith('UNCLOSED'))
      expect(rows[0]!.at(-1)!.problems).toMatchObject([{ code: 'quote-unclosed' }])
  })

  test.each(casesOf('geojson'))('$id', async (each) => {
    const { oracle } = each
    if (each.expectedError === 'INVALID_JSON') {
      const read = await readCase(each).catch((error: unknown) => error)
      const problems =
        read instanceof WindrowError ? [read] : (read as Awaited<ReturnType<typeof readCase>>).rows[0]![0]!.problems
      expect(problems).toHaveLength(1)
      return
    }
    const { format, tables, rows } = await readCase(each)
    expect(format).toBe('geojson')
    expect(rows[0]).toHaveLength(oracle.features!)
    expect(rows[0]!.flatMap(({ problems }) => problems ?? [])).toEqual([])
    expect(tables[0]!.found()).toEqual([])
    const withoutShape = Object.entries(oracle.geometryTypes ?? {}).find(([type]) => type === 'null')?.[1] ?? 0
    if (oracle.geometryTypes !== undefined)
      expect(rows[0]!.filter(({ shape }) => shape === null)).toHaveLength(withoutShape)
    if (oracle.crs !== undefined && oracle.crs.epsg !== 4326 && oracle.crs.epsg !== 4979)
      expect(tables[0]!.crs?.text).toContain(String(oracle.crs.epsg))
    for (const [column, value] of Object.entries(oracle.firstAttributes ?? {}))
      if (typeof value === 'number' || value === null) expect(rows[0]![0]!.values[column] ?? null).toBe(value)
  })

  test.each(casesOf('ods', 'xls', 'xlsb'))('$id', async (each) => {
    const { tables, rows } = await readCase(each)
    const visible = each.oracle.sheets!.filter(({ state }) => state === 'visible')
    expect(tables.map(({ name }) => name)).toEqual(visible.map(({ name }) => name))
    expect(rows.map((read) => read.at(-1)?.at.row)).toEqual(visible.map(({ maxRow }) => maxRow))
    expect(
      rows
        .flat()
        .flatMap(({ problems }) => problems ?? [])
        .filter(({ severity }) => severity === 'error'),
    ).toEqual([])
  })

  test('a workbook with a password says so', async () => {
    const [protectedBook] = casesOf('xlsx').filter(({ id }) => id === 'poi-password')
    await expect(readCase(protectedBook!)).rejects.toMatchObject({
      code: 'file-unreadable',
      message: expect.stringContaining('password'),
    })
  })
})
