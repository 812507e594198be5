/** Writes shapefiles and reads back what was written. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Column, Row, Value, Values } from '../../../src/core/row.ts'
import { shapeFromGeoJson, type Geometry } from '../../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../../src/core/shape.ts'
import { fileSource, readAll } from '../../../src/core/sources/source.ts'
import { fileTarget } from '../../../src/core/sources/target.ts'
import { membersOfZip } from '../../../src/core/sources/zip.ts'
import type { FormatOptions, OutTable, Written } from '../../../src/formats/format.ts'
import { shapefile } from '../../../src/formats/shapefile.ts'
import { collect, type Collected } from './collected.ts'
import type { Ring } from './made-files.ts'

export let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-shapefile-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

export type Made = {
  readonly written: Written
  readonly members: Readonly<Record<string, Uint8Array>>
  readonly layers: readonly Collected[]
}

export function table(
  columns: readonly Column[],
  rows: readonly { values: Values; shape?: Shape | null }[],
  more: Partial<OutTable> = {},
): OutTable {
  const all: readonly Row[] = rows.map((row, index) => ({ at: { source: 'test', row: index }, ...row }))
  return {
    name: 'paddocks',
    columns,
    hasGeometry: rows.some((row) => row.shape !== undefined),
    async *rows() {
      for (let at = 0; at < all.length; at += 3) yield all.slice(at, at + 3)
    },
    ...more,
  }
}

export async function writeTo(
  tables: readonly OutTable[],
  options: FormatOptions = {},
  name = 'out.zip',
): Promise<Written & { readonly path: string }> {
  files += 1
  const target = await fileTarget(join(folder, String(files), name))
  try {
    const written = await shapefile.write!(tables, target, options)
    return { ...written, ...(await target.commit()) }
  } catch (error) {
    await target.abandon()
    throw error
  }
}

export async function made(tables: readonly OutTable[], options: FormatOptions = {}): Promise<Made> {
  const written = await writeTo(tables, options)
  const source = await fileSource(written.path)
  const files = await membersOfZip(source)
  const members = Object.fromEntries(
    await Promise.all(files.map(async (member) => [member.name, await readAll(member.source, 1e8)] as const)),
  )
  return { written, members, layers: await collect(source) }
}

export function shapeOf(geometry: Geometry): Shape {
  const shape = shapeFromGeoJson(geometry)
  if (typeof shape === 'string') throw new Error(shape)
  return shape
}

export const polygon = (...rings: readonly Ring[]): Shape => shapeOf({ type: 'Polygon', coordinates: rings })

export async function readBack(
  column: Column,
  values: readonly Value[],
): Promise<{ values: Value[]; column: Column; notes: readonly string[] }> {
  const { layers, written } = await made([
    table(
      [column],
      values.map((value) => ({ values: { [column.name]: value } })),
    ),
  ])
  const [layer] = layers
  return {
    values: layer!.rows.map((row) => row.values[column.name]),
    column: layer!.table.columns![0]!,
    notes: written.notes,
  }
}
