import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { gridOutlineOf } from '../../src/geometry/coverage/boundary-grid.ts'
import {
  boxIn,
  numberIn,
  ringsIn,
  startBoundaryStore,
  type BoundaryStore,
} from '../../src/pipeline/stage/boundary-store.ts'

let folder: string
let store: BoundaryStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-store-'))
  store = startBoundaryStore(folder)
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function ring(west: number, vertices: number): Shape {
  const coordinates = new Float64Array(2 * vertices)
  for (let at = 0; at < vertices; at += 1) {
    coordinates[2 * at] = west + at * 1e-7
    coordinates[2 * at + 1] = -37 + (at % 7) * 1e-7
  }
  return { kind: 'Polygon', coordinates, ends: [vertices], parts: [1] }
}

/** The box of a stored boundary, and its words: the number of rings, their ends, and its vertices. */
function stored(number: number): { readonly box: readonly number[]; readonly words: Uint32Array } {
  for (const record of store.records.each()) {
    if (numberIn(record) !== number) continue
    const { words, at } = ringsIn(record)
    return { box: [...boxIn(record)], words: words.slice(at) }
  }
  throw new Error(`no boundary ${number}`)
}

test('returns what was added, from memory or from the file, which is deleted on close', () => {
  const vertices = 30_000
  for (let at = 0; at < 100; at += 1)
    store.add({
      outline: gridOutlineOf(ring(170 + at / 100, vertices))!,
      about: { row: at + 2, record: at + 1 },
      areaM2: at,
    })
  expect(existsSync(join(folder, 'boundaries.bin'))).toBe(true)
  for (const at of [0, 99, 40, 0, 17]) {
    const { box, words } = stored(at)
    const west = Math.round((350 + at / 100) * 1e7)
    expect([...words.subarray(0, 5)]).toEqual([1, vertices, west, 53e7, west + 1])
    expect(store.areaM2(at)).toBe(at)
    expect(store.about(at)).toEqual({ row: at + 2, record: at + 1 })
    expect(box).toEqual([west, 53e7, west + vertices - 1, 53e7 + 6])
  }
  store.close()
  expect(existsSync(join(folder, 'boundaries.bin'))).toBe(false)
})

test('a small farm needs no file', () => {
  store.add({ outline: gridOutlineOf(ring(175, 26))!, about: { row: 2, record: 1 }, areaM2: 1 })
  expect(existsSync(join(folder, 'boundaries.bin'))).toBe(false)
  expect(store.count).toBe(1)
})

test('a field that is cut at 180 degrees lies in one place', () => {
  const [east, west] = [ring(179.9999, 5), ring(-180, 5)]
  const shape: Shape = {
    kind: 'MultiPolygon',
    coordinates: Float64Array.of(...east.coordinates, ...west.coordinates),
    ends: [5, 10],
    parts: [1, 2],
  }
  store.add({ outline: gridOutlineOf(shape)!, about: { row: 2, record: 1 }, areaM2: 1 })
  const [itsWest, , itsEast] = stored(0).box
  expect(itsEast! - itsWest!).toBe(1004)
})
