import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../../src/core/error.ts'
import type { Value } from '../../../src/core/row.ts'
import { fileSource } from '../../../src/core/source.ts'
import { signedArea } from '../../../src/formats/shapefile/rings.ts'
import { collect, type Collected } from './collected.ts'

/** Files that programs in the field have written, with what another reader makes of them; kept outside the project. */
const folder = fileURLToPath(new URL('../../../../shared/cases/', import.meta.url))

type Case = {
  readonly id: string
  readonly file: string
  readonly format: string
  readonly oracle: {
    readonly features?: number
    readonly fieldCount?: number
    readonly geometryTypes?: Readonly<Record<string, number>>
    readonly firstAttributes?: Readonly<Record<string, Value>>
    readonly totalPlanarAreaNativeUnits?: number
    readonly invalidCount?: number
    readonly bboxNative?: readonly number[]
    readonly hasZ?: boolean
    readonly hasM?: boolean
    readonly crs?: object | null
  }
}

const cases: readonly Case[] = existsSync(folder)
  ? (JSON.parse(readFileSync(`${folder}cases.json`, 'utf8')) as Case[]).filter((each) =>
      ['shapefile', 'shapefile-zip', 'dbf'].includes(each.format),
    )
  : []

const refused: Readonly<Record<string, string>> = {
  'sjs-badzip': 'file-damaged',
  'gen-zip-traversal': 'archive-unsafe',
}
/** Cases where a file is told to be wrong; what is expected instead of the other reader's answer. */
const mended: Readonly<Record<string, { rows: number; found: string[] }>> = {
  'gen-truncated-shp': { rows: 3, found: ['file-truncated'] },
  'gen-dbf-shorter': { rows: 6, found: ['file-inconsistent'] },
  'gdal-multipatch': { rows: 1, found: [] },
}

async function read(file: string): Promise<Collected> {
  const all = await collect(await fileSource(folder + file))
  expect(all).toHaveLength(1)
  return all[0]!
}

/** The other reader writes truths as T and F and dates with slashes. */
function asThere(value: Value): Value {
  if (typeof value === 'boolean') return value ? 'T' : 'F'
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value.replaceAll('-', '/') : value
}

function counts({ rows }: Collected): Record<string, number> {
  const kinds: Record<string, number> = {}
  for (const { shape } of rows) kinds[shape?.kind ?? 'null'] = (kinds[shape?.kind ?? 'null'] ?? 0) + 1
  return kinds
}

/** Shells less holes, in the units of the file. */
function area({ rows }: Collected): number {
  let sum = 0
  for (const { shape } of rows) {
    if (shape?.kind !== 'Polygon' && shape?.kind !== 'MultiPolygon') continue
    const shells = new Set([0, ...shape.parts])
    for (const [ring, end] of shape.ends.entries()) {
      const size = Math.abs(signedArea(shape.coordinates, shape.ends[ring - 1] ?? 0, end))
      sum += shells.has(ring) ? size : -size
    }
  }
  return sum
}

function box({ rows }: Collected): number[] {
  const edges = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { shape } of rows)
    for (const [index, value] of (shape?.coordinates ?? new Float64Array()).entries()) {
      edges[index % 2] = Math.min(edges[index % 2]!, value)
      edges[2 + (index % 2)] = Math.max(edges[2 + (index % 2)]!, value)
    }
  return edges
}

describe.skipIf(cases.length === 0)('files from the field', () => {
  test('there are as many as there were', () => {
    expect(cases.length).toBeGreaterThanOrEqual(49)
  })

  test.each(cases.filter(({ id }) => id in refused))('$id is refused', async ({ id, file }) => {
    const error = await read(file).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(WindrowError)
    expect(error).toMatchObject({ code: refused[id] })
  })

  test.each(cases.filter(({ id }) => id in mended))('$id is read as far as it goes', async ({ id, file }) => {
    const layer = await read(file)
    expect(layer.rows).toHaveLength(mended[id]!.rows)
    expect(layer.found.filter((each) => each.severity === 'error').map((each) => each.code)).toEqual(mended[id]!.found)
    if (id === 'gdal-multipatch') expect(layer.rows[0]!.problems).toMatchObject([{ code: 'geometry-wrong-type' }])
    if (id === 'gen-dbf-shorter') expect(layer.rows.map((row) => row.problems?.length ?? 0)).toEqual([0, 0, 0, 0, 1, 1])
  })

  test.each(cases.filter(({ id }) => !(id in refused) && !(id in mended)))('$id', async ({ id, file, oracle }) => {
    const layer = await read(file)
    expect(layer.rows).toHaveLength(oracle.features!)
    expect(counts(layer)).toEqual(oracle.geometryTypes)
    expect(layer.table.columns).toHaveLength(oracle.fieldCount!)
    const first = layer.rows[0]!.values
    const values = Object.keys(oracle.firstAttributes!).map((name) => [name, asThere(first[name])])
    expect(Object.fromEntries(values)).toEqual(oracle.firstAttributes)
    const saysCrs = oracle.crs !== null && oracle.crs !== undefined && id !== 'gen-no-prj-nztm'
    expect(layer.table.crs !== undefined).toBe(saysCrs)
    expect(layer.rows.some((row) => row.shape?.z !== undefined)).toBe(oracle.hasZ === true)
    expect(layer.found.filter((each) => each.severity === 'error')).toEqual([])
    if (oracle.totalPlanarAreaNativeUnits !== undefined && oracle.invalidCount === undefined)
      expect(Math.abs(area(layer) - oracle.totalPlanarAreaNativeUnits)).toBeLessThan(1e-6 + area(layer) * 1e-6)
    for (const [index, edge] of (oracle.bboxNative ?? []).entries()) expect(box(layer)[index]).toBeCloseTo(edge, 3)
  })
})
