import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { geoJsonOf, paddocksOf, zipOf, type Paddock } from '../../bench/data.ts'

const paddocks = [...paddocksOf({ count: 4000 })]
const share = (wanted: (paddock: Paddock) => boolean): number => paddocks.filter(wanted).length / paddocks.length
const vertices = ({ parts }: Paddock): number => parts.flat(2).length

describe('seeded paddocks', () => {
  test('are the same each time', () => {
    expect([...paddocksOf({ count: 4000 })]).toEqual(paddocks)
    expect([...paddocksOf({ count: 4000, bowTies: true })]).not.toEqual(paddocks)
  })

  test('have the documented kinds', () => {
    expect(share(({ parts }) => parts.some((rings) => rings.length > 1))).toBeCloseTo(0.05, 1.9)
    expect(share(({ parts }) => parts.length > 1)).toBeCloseTo(0.03, 1.9)
    const single = paddocks.filter(({ parts }) => parts.flat().length === 1).map(vertices)
    expect(Math.min(...single)).toBe(5)
    expect(Math.max(...single)).toBe(60)
    const mean = paddocks.reduce((sum, paddock) => sum + vertices(paddock), 0) / paddocks.length
    expect(mean).toBeGreaterThan(25)
    expect(mean).toBeLessThan(27)
  })

  test('one in a hundred crosses itself when asked for', () => {
    const crossing = [...paddocksOf({ count: 4000, bowTies: true })].filter(({ parts }) => {
      const [a, b, c, d] = parts[0]![0]!
      return parts.flat(2).length === 5 && a![0] === d![0] && b![0] === c![0]
    })
    expect(crossing.length / 4000).toBeCloseTo(0.01, 1.9)
  })

  test('wind their shells clockwise and their holes counterclockwise', () => {
    for (const { parts } of paddocks)
      for (const rings of parts)
        for (const [index, ring] of rings.entries()) {
          let doubled = 0
          for (let at = 1; at < ring.length; at += 1)
            doubled += (ring[at]![0] - ring[at - 1]![0]) * (ring[at]![1] + ring[at - 1]![1] - 2 * ring[0]![1])
          expect(Math.sign(doubled)).toBe(index === 0 ? 1 : -1)
        }
  })

  test('contain macrons and numbers that start with zeros', () => {
    expect(paddocks[0]!.cells[0]).toBe('0000001')
    expect(paddocks.some(({ cells }) => cells[1]!.startsWith('Rāhui'))).toBe(true)
  })
})

describe('files of them', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'windrow-data-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('are made once', async () => {
    const farm = { count: 50 }
    const zip = await zipOf(folder, farm)
    const made = statSync(zip).mtimeMs
    expect(await zipOf(folder, farm)).toBe(zip)
    expect(statSync(zip).mtimeMs).toBe(made)
    const collection = JSON.parse(readFileSync(await geoJsonOf(folder, farm), 'utf8')) as {
      readonly features: readonly { readonly geometry: { readonly type: string; readonly coordinates: unknown } }[]
    }
    expect(collection.features).toHaveLength(50)
    const [lon, lat] = (collection.features[0]!.geometry.coordinates as number[][][]).flat(3)
    expect(lon).toBeGreaterThan(166)
    expect(lon).toBeLessThan(179)
    expect(lat).toBeGreaterThan(-48)
    expect(lat).toBeLessThan(-34)
  })
})
