import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createService } from '../src/service/create.ts'
import type { LoadFile } from '../src/service/routes/crop-records.ts'
import { drawPaddocks, lonLatOf } from '../tools/rimu-farm.ts'
import { makeSamples } from '../tools/samples.ts'
import { root } from './imports.ts'

const folder = join(root, 'samples/rimu-farm')
const samples = makeSamples()
const text = (name: string): string => readFileSync(join(folder, name), 'utf8')

describe('the samples', () => {
  test('in the folder are exactly those that the tool makes', () => {
    expect(readdirSync(folder).toSorted()).toEqual([...samples.keys()].toSorted())
  })

  test.each([...samples.keys()])('%s has exactly the bytes that the tool makes', (name) => {
    expect(readFileSync(join(folder, name)).equals(samples.get(name)!)).toBe(true)
  })

  test('are each described in the README', () => {
    const readme = readFileSync(join(root, 'samples/README.md'), 'utf8')
    for (const name of samples.keys()) expect(readme).toContain(`| \`${name}\` |`)
  })
})

describe('the paddocks', () => {
  const paddocks = drawPaddocks()

  test('are 24, numbered once each, with the two faults at ids 6 and 11', () => {
    expect(new Set(paddocks.map(({ id }) => id)).size).toBe(24)
    expect(paddocks[6]).toMatchObject({ id: '006', name: 'Ōtāne flat', areaHa: '3.20' })
    expect(paddocks[11]).toMatchObject({ id: '012', sown: '31/02/2026' })
    expect(paddocks.find(({ name }) => name === 'Rāhui')).toMatchObject({ id: '007', crop: 'LUC', sown: '3/9/2026' })
  })

  test('are closed, and wound as shapefiles require', () => {
    for (const { id, rings } of paddocks)
      for (const [index, ring] of rings.entries()) {
        expect(ring.at(-1), id).toEqual(ring[0])
        if (id !== '006') expect(Math.sign(areaOf(ring)), id).toBe(index === 0 ? -1 : 1)
      }
  })

  test('share their fences: each inner edge is drawn twice, once each way', () => {
    const edges = paddocks
      .filter(({ id }) => id !== '006')
      .flatMap(({ rings }) => rings[0]!.slice(1).map((to, index) => [rings[0]![index]!, to] as const))
    const drawn = new Set(edges.map(([from, to]) => `${from.join()} ${to.join()}`))
    const shared = edges.filter(([from, to]) => drawn.has(`${to.join()} ${from.join()}`))
    expect(drawn.size).toBe(edges.length)
    expect(shared.length / edges.length).toBeGreaterThan(0.7)
  })

  test('the boundary of 006 crosses itself where the README shows, with 0.41 of 3.20 ha on the far side', () => {
    const ring = paddocks[6]!.rings[0]!
    const [, north, farSouth, farNorth, south] = ring
    const crossing = crossingOf(north!, farSouth!, farNorth!, south!)
    const [lon, lat] = lonLatOf(crossing)
    expect(lon).toBeCloseTo(175.31264, 6)
    expect(lat).toBeCloseTo(-37.78911, 6)
    const far = areaOf([crossing, farSouth!, farNorth!, crossing])
    const near = areaOf([ring[0]!, north!, crossing, south!, ring[5]!, ring[0]!])
    expect(Math.abs(far) / 10_000).toBeCloseTo(0.41, 3)
    expect(Math.abs(near) / 10_000).toBeCloseTo(2.79, 3)
  })
})

describe('the nightly file', () => {
  const lines = text('nightly.csv').trimEnd().split('\r\n')

  test('contains the 22 good paddocks, with the zeros of their numbers', () => {
    const numbers = lines.slice(1).map((line) => line.split(';')[0])
    expect(numbers).toHaveLength(22)
    expect(numbers).not.toContain('006')
    expect(numbers).not.toContain('012')
    expect(numbers[0]).toBe('001')
  })

  test('has the columns that its pipeline expects', () => {
    const pipeline = parse(readFileSync(join(root, 'pipelines/nightly-paddocks.yaml'), 'utf8')) as {
      readonly columns: { readonly expect: readonly string[] }
    }
    expect(lines[0]!.split(';')).toEqual(pipeline.columns.expect)
  })
})

describe('the work records', () => {
  const { workRecords } = JSON.parse(text('work-records.json')) as {
    readonly workRecords: readonly { readonly operation: string; readonly phenomenonStartTime: string }[]
  }
  const month = (zone: string) => (record: { readonly phenomenonStartTime: string }) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit' }).format(
      new Date(record.phenomenonStartTime),
    )

  test('are twelve, and two spraying jobs change month with the zone', () => {
    expect(workRecords).toHaveLength(12)
    const spraying = workRecords.filter(({ operation }) => operation === 'CropProtection')
    const moved = spraying.filter((record) => month('UTC')(record) !== month('Pacific/Auckland')(record))
    expect(moved.map(month('Pacific/Auckland'))).toEqual(['2026-10', '2026-11'])
  })
})

test('every pipeline reads an existing sample', () => {
  const names = readdirSync(join(root, 'pipelines')).filter((name) => name.endsWith('.yaml'))
  expect(names.length).toBeGreaterThan(4)
  for (const name of names) {
    const pipeline = parse(readFileSync(join(root, 'pipelines', name), 'utf8')) as { from?: { file: string } }
    if (pipeline.from === undefined) continue
    expect(samples.has(pipeline.from.file.replace('../samples/rimu-farm/', '')), name).toBe(true)
  }
})

type Point = readonly [number, number]

/** Signed area by the shoelace, relative to the first point; negative for a clockwise ring. */
function areaOf(ring: readonly Point[]): number {
  const [originX, originY] = ring[0]!
  let sum = 0
  for (let index = 1; index < ring.length; index += 1) {
    const [fromX, fromY] = ring[index - 1]!
    const [toX, toY] = ring[index]!
    sum += (fromX - originX) * (toY - originY) - (toX - originX) * (fromY - originY)
  }
  return sum / 2
}

function crossingOf(a: Point, b: Point, c: Point, d: Point): Point {
  const denominator = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
  const share = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / denominator
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}

describe('the other crop records', () => {
  test('are all accepted by the service', () => {
    const service = createService()
    const summary = service.load(JSON.parse(text('crop-records.json')) as LoadFile)
    expect(Object.fromEntries(Object.entries(summary).map(([list, { stored }]) => [list, stored]))).toEqual({
      workRecords: 0,
      pastureCoverEvents: 10,
      loadReceivals: 2,
      sampleAnalyses: 2,
      samplePlans: 1,
    })
    for (const { refused } of Object.values(summary)) expect(refused).toEqual([])
    service.close()
  })
})
