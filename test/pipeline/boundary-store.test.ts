import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { gridOutlineOf } from '../../src/geometry/coverage/grid-outline.ts'
import { startBoundaryStore, type BoundaryStore } from '../../src/pipeline/stage/boundary-store.ts'

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
    const { coordinates, ends } = store.ringsOf(at)
    expect(ends).toEqual([vertices])
    const west = Math.round((350 + at / 100) * 1e7)
    const steps = [coordinates[0]! + 180, coordinates[1]! + 90, coordinates[2]! + 180].map((each) =>
      Math.round(each * 1e7),
    )
    expect(steps).toEqual([west, 53e7, west + 1])
    expect(store.areaM2(at)).toBe(at)
    expect(store.about(at)).toEqual({ row: at + 2, record: at + 1 })
    expect(Array.from(store.boxOf(at))).toEqual([west, 53e7, west + vertices - 1, 53e7 + 6])
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
  const [itsWest, , itsEast] = store.boxOf(0)
  expect(itsEast - itsWest).toBe(1004)
})
