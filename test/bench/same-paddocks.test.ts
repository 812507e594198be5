import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { paddocksOf } from '../../bench/data.ts'
import { differenceOfPaddocks } from '../../bench/same-paddocks.ts'
import { lonLatOf } from '../../tools/rimu-farm.ts'

// The hundredth paddock is the first whose area is compared with the geodesic one.
const count = 100
const areaOfHundredthM2 = 10_000

type Rings = [number, number][][]
const boundaries = [...paddocksOf({ count, bowTies: true })].map(({ parts }) =>
  parts.map((rings) => rings.map((ring) => ring.map(lonLatOf).toReversed() as Rings[number])),
)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-same-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const idOf = (index: number): string => String(index + 1).padStart(7, '0')
const geometryOf = (polygons: readonly Rings[]): object => ({ type: 'MultiPolygon', coordinates: polygons })

function compare(change: {
  readonly features?: (polygons: Rings[], index: number) => object | null
  /** The peer's centroid of all paddocks; ours is 175.3, -37.8. */
  readonly centroid?: readonly [x: number, y: number]
  readonly areaM2?: number
  readonly left?: number
}): Promise<string | undefined> {
  const areaM2 = change.areaM2 ?? 1
  const records = boundaries.map((polygons, index) => ({
    dataPointKey: `plots/nz.example.farm-number/00412876/${idOf(index)}`,
    totalArea: { measurement: areaM2 },
    centroid: { coordinates: [175.3, -37.8] },
    spatialFeature: { geometry: geometryOf(polygons) },
  }))
  const features = boundaries.slice(0, change.left ?? count).map((polygons, index) => ({
    properties: { PADDOCK_ID: idOf(index), x: change.centroid?.[0], y: change.centroid?.[1] },
    geometry: change.features === undefined ? geometryOf(polygons) : change.features(polygons, index),
  }))
  const write = (name: string, lines: readonly object[]): string => {
    writeFileSync(join(folder, name), lines.map((line) => JSON.stringify(line)).join('\n'))
    return join(folder, name)
  }
  const files = { records: write('records', records), features: write('features', features) }
  return differenceOfPaddocks({ count, ...files, repaired: 1 })
}

/** The area that the comparison expects, from its message about a wrong one. */
async function rightArea(): Promise<number> {
  return Number(/its area is ([\d.]+) m²/.exec((await compare({ areaM2: areaOfHundredthM2 })) ?? '')?.[1])
}

describe('two conversions of the same paddocks', () => {
  test('are the same work when rings start elsewhere and run the other way', async () => {
    const turned = (ring: Rings[number]): Rings[number] => {
      const open = ring.slice(1).toReversed()
      return [...open.slice(2), ...open.slice(0, 2), open[2]!]
    }
    const features = (polygons: Rings[]): object => geometryOf(polygons.map((rings) => rings.map(turned)))
    expect(await compare({ features, areaM2: await rightArea() })).toBeUndefined()
  })

  test('may differ where a boundary was repaired, but not elsewhere', async () => {
    const without =
      (most: number) =>
      (polygons: Rings[], index: number): object | null =>
        index < most ? null : geometryOf(polygons)
    const areaM2 = await rightArea()
    expect(await compare({ features: without(1), areaM2 })).toBeUndefined()
    expect(await compare({ features: without(2), areaM2 })).toBe('2 boundaries differ; only 1 were repaired.')
  })

  test('differ when coordinates are off, areas wrong or paddocks missing', async () => {
    const moved = (polygons: Rings[]): object =>
      geometryOf(polygons.map((rings) => rings.map((ring) => ring.map(([lon, lat]) => [lon + 3e-7, lat]))))
    const areaM2 = await rightArea()
    expect(await compare({ features: moved, areaM2 })).toBe(`${count} boundaries differ; only 1 were repaired.`)
    expect(await compare({ areaM2: areaM2 * 1.000_002 })).toMatch(/^Paddock 0000100: its area is/)
    expect(await compare({ areaM2, left: count - 1 })).toBe(`One of them ends after ${count - 1} paddocks.`)
  })

  test('differ when the centroids are elsewhere, or in metres', async () => {
    const areaM2 = await rightArea()
    expect(await compare({ areaM2, centroid: [175.300_000_9, -37.8] })).toBeUndefined()
    expect(await compare({ areaM2, centroid: [175.300_001_2, -37.8] })).toBe(
      'Paddock 0000001: its centroid is 175.3000012, -37.8, ours is 175.3, -37.8.',
    )
    expect(await compare({ areaM2, centroid: [1_802_421, 5_814_000] })).toMatch(/its centroid is 1802421/)
  })
})
