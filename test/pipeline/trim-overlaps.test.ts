import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { collection, keyOf, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const lon = (x: number): number => Number((175.3 + x * 1e-5).toFixed(7))
const lat = (y: number): number => Number((-37.8 + y * 1e-5).toFixed(7))

function field(id: string, [west, south, east, north]: readonly [number, number, number, number]): object {
  const ring = [
    [lon(west), lat(south)],
    [lon(east), lat(south)],
    [lon(east), lat(north)],
    [lon(west), lat(north)],
    [lon(west), lat(south)],
  ]
  return { type: 'Feature', properties: { ID: id }, geometry: { type: 'Polygon', coordinates: [ring] } }
}

async function imported(fields: readonly object[], overlaps = 'up to 1 m'): Promise<Report> {
  farm.write('map.geojson', collection(fields))
  return farm.run(`windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <ID>, totalArea: measured }
geometry: { overlaps: ${overlaps} }`)
}

type Held = {
  readonly totalArea: { readonly measurement: number }
  readonly centroid: { readonly coordinates: readonly number[] }
  readonly spatialFeature: { readonly geometry: { readonly coordinates: readonly (readonly number[])[][] } }
}

async function held(id: string): Promise<Held> {
  return (await farm.held('plots')).get(keyOf('plots', rimu, id)) as unknown as Held
}

const eastOf = ({ spatialFeature }: Held): number =>
  Math.max(...spatialFeature.geometry.coordinates[0]!.map(([x]) => x!))

const small = field('small', [0, 0, 100, 100])
const large = field('large', [99, 0, 300, 100])

describe('overlaps up to a width', () => {
  test('are cut off the smaller boundary, with its area and centre, and both rows are reported', async () => {
    const report = await imported([small, large])
    expect(report).toMatchObject({ exit: 0, records: { created: 2 } })
    expect(report.coverage).toMatchObject({ trimmed: { count: 1 }, sliver: { count: 0 } })
    const [{ first, severity, code } = { first: [] }] = report.problems
    expect({ code, severity }).toEqual({ code: 'boundary-trimmed', severity: 'note' })
    expect(first).toMatchObject([{ at: { row: 0 }, with: [{ row: 1 }], value: 'small' }])
    expect(first[0]!.message).toMatch(
      /^A strip about 0\.9 m wide, 98 m² in all, was cut off, because "large" \(row 1\) has it too\.$/,
    )
    const [less, whole] = [await held('small'), await held('large')]
    expect(eastOf(less)).toBe(lon(99))
    expect(Math.min(...whole.spatialFeature.geometry.coordinates[0]!.map(([x]) => x!))).toBe(lon(99))
    expect(less.totalArea.measurement / whole.totalArea.measurement).toBeCloseTo(99 / 201, 6)
    expect(less.centroid.coordinates[0]).toBeCloseTo(lon(49.5), 7)
    expect(report.areaM2).toBeCloseTo(less.totalArea.measurement + whole.totalArea.measurement, 0)
  })

  test('are cut off the same way by the next run, which then has nothing to send', async () => {
    await imported([small, large])
    const again = await imported([large, small])
    expect(again).toMatchObject({ exit: 0, rows: { read: 2, unchanged: 2 }, records: { ready: 0, unchanged: 2 } })
    expect(farm.posted()).toEqual([])
  })

  test('are cut off a boundary that was published whole before', async () => {
    await imported([small, large], 'keep')
    expect(eastOf(await held('small'))).toBe(lon(100))
    const report = await imported([small, large])
    expect(report).toMatchObject({ exit: 0, rows: { ready: 1, unchanged: 1 }, records: { updated: 1 } })
    expect(eastOf(await held('small'))).toBe(lon(99))
    const undone = await imported([small, large], 'keep')
    expect(undone).toMatchObject({ records: { updated: 1 } })
    expect(eastOf(await held('small'))).toBe(lon(100))
  })

  test('that are wider are only reported', async () => {
    const report = await imported([small, field('large', [97, 0, 300, 100])])
    expect(report.coverage).toMatchObject({ trimmed: { count: 0 }, overlap: { count: 1 } })
    expect(eastOf(await held('small'))).toBe(lon(100))
  })

  test('with records that only the service has are only reported', async () => {
    await imported([large])
    const report = await imported([small])
    expect(report.coverage).toMatchObject({ trimmed: { count: 0 }, sliver: { count: 1 } })
    expect(eastOf(await held('small'))).toBe(lon(100))
  })

  test('of a middle field go to both neighbours', async () => {
    const report = await imported([field('west', [-200, 0, 1, 100]), small, large])
    expect(report.coverage).toMatchObject({ trimmed: { count: 2 } })
    const xs = (await held('small')).spatialFeature.geometry.coordinates[0]!.map(([x]) => x!)
    expect([Math.min(...xs), Math.max(...xs)]).toEqual([lon(1), lon(99)])
  })
})

test.each([
  ['1', 'is not a width. Write: up to 1 m, or keep.'],
  ['up to 50 m', '50 m is too wide'],
])('"%s" is refused with a sentence', async (overlaps, message) => {
  await expect(imported([small], overlaps)).rejects.toThrow(message)
})
