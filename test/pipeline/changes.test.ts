import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TextBytes } from '../../src/core/shapes/text-bytes.ts'
import { changesOf, type RecordUpdate } from '../../src/pipeline/report/changes.ts'
import type { KeptPipeline } from '../../src/pipeline/definition/kept-pipeline.ts'
import type { Body } from '../../src/ledger/content.ts'
import { addChanges, changesBetween } from '../../src/pipeline/stage/changes.ts'
import { openStage, type Stage } from '../../src/pipeline/stage/stage-store.ts'

let folder: string
let stage: Stage
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-changes-'))
  stage = openStage(folder)
  const kept: unknown = { type: { name: 'plotResource', plural: 'plots' }, mapping: {} }
  stage.remember('kept pipeline', kept as KeptPipeline)
})
afterEach(() => {
  stage.close()
  rmSync(folder, { recursive: true, force: true })
})

function update(before: object, after: object): RecordUpdate {
  const planned = {
    key: 'plots/s/1/P1',
    action: 'update',
    hash: 'h',
    base: 'b',
    modified: '2026-11-16T00:00:00Z',
  } as const
  const body = (out: TextBytes) => out.text(JSON.stringify(after))
  const number = stage.addRecord({ ...planned, sourceScheme: 's', sourceId: '1', body, before: JSON.stringify(before) })
  addChanges(stage, number, 2, changesBetween(before as Body, after as Body))
  return [...changesOf(stage, 'updated')].at(-1)!
}

type Ring = readonly (readonly number[])[]
const box = (west: number, east: number): Ring => [
  [west, -37.8],
  [east, -37.8],
  [east, -37.799],
  [west, -37.799],
  [west, -37.8],
]
const drawn = (...parts: readonly (readonly Ring[])[]): object => ({
  spatialFeature: { type: 'Feature', geometry: { type: 'MultiPolygon', coordinates: parts }, properties: {} },
})
const hole: Ring = [
  [175.3002, -37.7998],
  [175.3002, -37.7994],
  [175.3006, -37.7994],
  [175.3006, -37.7998],
  [175.3002, -37.7998],
]
const whole = drawn([box(175.3, 175.301)])

// A box of a thousandth of a degree is 88 m wide.
test.each([
  ['moved by half', drawn([box(175.3005, 175.3015)]), 1],
  ['moved beside itself', drawn([box(175.301, 175.302)]), 2],
  ['cut in two without losing land', drawn([box(175.3, 175.3004)], [box(175.3004, 175.301)]), 0],
  ['with a strip taken out of its middle', drawn([box(175.3, 175.3004)], [box(175.3005, 175.301)]), 0.1],
  ['with a hole', drawn([box(175.3, 175.301), hole]), 0.16],
])('a boundary %s counts the land in only one of both', (_, after, share) => {
  const { boundary, fields } = update(whole, after)
  expect(fields).toEqual([])
  expect(boundary!.movedM2! / boundary!.beforeM2!).toBeCloseTo(share, 3)
  expect(update(after, whole).boundary!.movedM2).toBeCloseTo(boundary!.movedM2!, 0)
})

test('a boundary without common land says how far it moved', () => {
  expect(update(whole, drawn([box(176.6, 176.601)])).boundary!.movedKm).toBeCloseTo(114.2, 0)
  expect(update(whole, drawn([box(175.3005, 175.3015)])).boundary).not.toHaveProperty('movedKm')
})

test('fields have the titles of an export; the service’s own members and empty values are no change', () => {
  const before = {
    id: '1',
    name: 'Top',
    totalArea: { measurement: 12_000, units: 'MTK' },
    crops: [{ name: 'Maize' }],
    identifiers: [{ scheme: 'nz.example.tag', id: '12' }],
    meta: { modified: '2026-01-01T00:00:00Z' },
    additionalProperties: {},
  }
  const after = {
    name: 'Top',
    totalArea: { measurement: 1.25, units: 'HAR' },
    crops: [{ name: 'Lucerne' }, { name: 'Oats' }],
    identifiers: [{ scheme: 'nz.example.tag', id: '13' }],
    meta: { modified: '2026-02-01T00:00:00Z' },
  }
  expect(update(before, after)).toEqual({
    kind: 'updated',
    key: 'plots/s/1/P1',
    id: 'P1',
    name: 'Top',
    fields: [
      { field: 'Total area (ha)', before: 1.2, after: 1.25 },
      { field: 'Crop 1 name', before: 'Maize', after: 'Lucerne' },
      { field: 'Crop 2 name', after: 'Oats' },
      { field: 'Identifier (nz.example.tag)', before: '12', after: '13' },
    ],
  })
})

test('the same area in another unit is shown as it is written', () => {
  const before = { totalArea: { measurement: 12_500, units: 'MTK' } }
  const after = { totalArea: { measurement: 1.25, units: 'HAR' } }
  expect(update(before, after).fields).toMatchObject([
    { field: 'Total area', before: JSON.stringify(before.totalArea) },
  ])
})

test('the same content, sent again, has no fields', () => {
  expect(update({ name: 'Top' }, { name: 'Top' })).toMatchObject({ fields: [], name: 'Top' })
})
