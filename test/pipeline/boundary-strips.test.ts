import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { gridOutlineOf, turnSteps } from '../../src/geometry/coverage/boundary-grid.ts'
import { findMeetings, type Meeting } from '../../src/geometry/coverage/coverage.ts'
import { areaOf } from '../../src/geometry/measure/measure.ts'
import { windRings } from '../../src/geometry/measure/rings.ts'
import { boxIn, startBoundaryStore, type BoundaryStore } from '../../src/pipeline/stage/boundary-store.ts'
import {
  cutStrips,
  meetingsOf,
  meetingsOfStrip,
  stripFile,
  stripsOf,
} from '../../src/pipeline/stage/boundary-strips.ts'
import { chanceFrom } from '../../tools/seeded.ts'
import { boundariesOf } from '../geometry/drawing.ts'

const columnDegrees = 65_536 / 1e7

/** A rectangle by its western and southern edge and its size, in degrees; across 180 degrees it has two parts. */
function rectangle(west: number, south: number, width: number, height: number): Shape {
  const part = (from: number, to: number): number[] => [
    from,
    south,
    to,
    south,
    to,
    south + height,
    from,
    south + height,
    from,
    south,
  ]
  const east = west + width
  const rings = east > 180 ? [part(west, 180), part(-180, east - 360)] : [part(west, east)]
  return {
    kind: rings.length > 1 ? 'MultiPolygon' : 'Polygon',
    coordinates: Float64Array.from(rings.flat()),
    ends: rings.map((_, at) => (at + 1) * 5),
    parts: rings.map((_, at) => at + 1),
  }
}

function storeOf(folder: string, shapes: readonly Shape[], own = shapes.length): BoundaryStore {
  const store = startBoundaryStore(folder)
  for (const [at, each] of shapes.entries()) {
    const shape = windRings(each)
    const about = at < own ? { row: at, record: at + 1 } : { key: `plot/${at}` }
    store.add({ outline: gridOutlineOf(shape)!, about, areaM2: areaOf(shape) })
  }
  return store
}

const sorted = (meetings: readonly Meeting[]): readonly string[] =>
  meetings.map((each) => JSON.stringify(each)).toSorted()

function inFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-strips-'))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test.each([
  ['in the middle', 175.3],
  ['across 180 degrees', 179.97],
])('boundaries %s meet the same in strips as all at once', (_, corner) => {
  const { next: random } = chanceFrom(7)
  const shapes = Array.from({ length: 300 }, () => {
    const west = corner + random() * 0.06
    const [width, height] = random() < 0.05 ? [0.03, 0.0002] : [0.002 + random() * 0.003, 0.002]
    return rectangle(west > 180 ? west - 360 : west, -37 - random() * 0.02, width, height)
  })
  // Copies, fences that touch, and others that begin exactly where a strip begins.
  shapes.push(...shapes.slice(10, 20), ...shapes.slice(10, 15))
  const edge = Math.ceil((corner + 180) / columnDegrees) * columnDegrees - 180
  shapes.push(rectangle(edge - 0.003, -37.1, 0.003, 0.01), rectangle(edge, -37.1, 0.003, 0.01))
  shapes.push(rectangle(edge - 0.003, -37.2, 0.003 + 1e-5, 0.01), rectangle(edge, -37.2, 0.003, 0.01))
  const all = [...findMeetings({ ...boundariesOf(shapes), own: 250 })].flat()
  expect(all.filter(({ copies }) => copies !== undefined).length).toBeGreaterThan(5)
  inFolder((folder) => {
    const store = storeOf(folder, shapes, 250)
    const [first, last] = [0, Math.floor(turnSteps / 65_536)]
    const begins = [first, ...Array.from({ length: 9 }, (_, at) => Math.floor((corner + 180) / columnDegrees) + at)]
    const columns = [...new Set(begins.filter((each) => each <= last))]
    const strips = columns.map((each, at) => ({
      from: each * 65_536,
      until: (columns[at + 1] ?? Infinity) * 65_536,
    }))
    cutStrips(store, strips, { folder })
    const found = strips.map((strip, number) =>
      [...meetingsOfStrip(stripFile(folder, number), { strip, own: 250 })].flat(),
    )
    expect(found.filter((each) => each.length > 0).length).toBeGreaterThan(3)
    expect(sorted(found.flat())).toEqual(sorted(all))
    store.close()
  })
})

test('two that begin at 180 degrees meet', () =>
  inFolder((folder) => {
    const store = storeOf(
      folder,
      [180, 180].map((west, at) => ({
        kind: 'Polygon',
        coordinates: Float64Array.of(west, -37, 180.001 + at / 1e4, -37, 180.001, -36.999, west, -36.999, west, -37),
        ends: [5],
        parts: [1],
      })),
    )
    expect([...store.records.each()].map((each) => boxIn(each)[0])).toEqual([turnSteps, turnSteps])
    expect([...meetingsOf(store, { folder })].flat()).toHaveLength(1)
    store.close()
  }))

test('many boundaries are cut into strips, and those that are out meet nothing', () =>
  inFolder((folder) => {
    // A grid of small fields, each of which overlaps its eastern neighbour.
    const [wide, tall, most] = [80, 70, 2000]
    const store = startBoundaryStore(folder)
    for (let at = 0; at < wide * tall; at += 1) {
      // Not in the order of their places, as in a file sorted by name.
      const place = (at * 7919) % (wide * tall)
      const shape = rectangle(175 + (place % wide) * 0.001, -37 - Math.floor(place / wide) * 0.001, 0.00101, 0.0009)
      store.add({ outline: gridOutlineOf(windRings(shape))!, about: { row: at, record: at + 1 }, areaM2: 8000 })
    }
    expect(stripsOf(store, most).length).toBe(4)
    const isOut = (boundary: number): boolean => (boundary * 7919) % wide === 40
    const found = [...meetingsOf(store, { isOut, folder }, most)].flat()
    expect(found.length).toBe((wide - 3) * tall)
    expect(readdirSync(folder)).toEqual(['boundaries.bin'])
    store.close()
  }))

test('all meetings of copies of one boundary share one list of them', () =>
  inFolder((folder) => {
    const copy = rectangle(175.3, -37, 0.002, 0.002)
    const store = storeOf(folder, [rectangle(175.4, -37, 0.002, 0.002), ...Array.from({ length: 5 }, () => copy)])
    const lists = [...meetingsOf(store, { folder, isOut: (boundary) => boundary === 0 })]
      .flat()
      .map(({ copies }) => copies)
    expect(new Set(lists).size).toBe(1)
    expect(lists[0]?.toSorted()).toEqual([1, 2, 3, 4, 5])
    store.close()
  }))
