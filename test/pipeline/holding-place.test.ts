import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { placeOfHolding } from '../../src/pipeline/prepare/holding-place.ts'

let state: string

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'windrow-place-'))
  const ledger = openLedger(join(state, 'ledger.db'), 'me')
  const accepted = [
    ['7', 175.3, -37.8],
    ['7', 175.4, -37.9],
    ['7', 175.5, -38],
    ['70', 10, 50],
  ] as const
  ledger.accept(
    'paddocks',
    accepted.map(([holding, lon, lat], index) => ({
      key: `plots/farm/${holding}/${index}`,
      dataset: 'plots',
      sourceScheme: 'farm.plots',
      sourceId: `${holding}/${index}`,
      body: JSON.stringify({ spatialFeature: { geometry: { type: 'Polygon', coordinates: [[[lon, lat]]] } } }),
      hash: String(index),
      modified: '2026-01-01T00:00:00Z',
      deleted: false,
    })),
  )
  ledger[Symbol.dispose]()
})

afterEach(() => rmSync(state, { recursive: true }))

function placeOf(id: string, folder = state) {
  const pipeline = { mapping: { holding: { scheme: 'farm', id } } } as unknown as Pick<ImportPipeline, 'mapping'>
  return placeOfHolding(pipeline, { state: folder, account: 'me' })
}

test('a farm lies in the middle of its published records, not of those of a farm whose id begins alike', () => {
  expect(placeOf('7')).toEqual({ lon: 175.4, lat: -37.9, name: 'the records of holding 7' })
})

test('the place is unknown for a farm without records, for several farms, and without a ledger', () => {
  expect(placeOf('8')).toBeUndefined()
  expect(placeOf('<Farm>')).toBeUndefined()
  expect(placeOf('7', join(state, 'elsewhere'))).toBeUndefined()
})
