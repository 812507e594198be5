import { describe, expect, test } from 'vitest'
import { carryOver, ownedFields } from '../../src/pipeline/stage/carry-over.ts'

const owning = (...owned: readonly string[]) => ownedFields({ owned: [...owned], isExport: false, schemes: new Map() })
const owned = owning(
  '/name',
  '/crops/0/name',
  '/crops/0/establishmentDate',
  '/identifiers/0/scheme',
  '/identifiers/0/id',
)
const previous = {
  name: 'Rāhui',
  totalArea: { measurement: 18500, units: 'MTK', resolution: 1 },
  crops: [{ name: 'Ryegrass', variety: 'Trojan', establishmentDate: '2026-03-01T00:00:00+13:00' }],
  identifiers: [
    { scheme: 'farm', id: '1' },
    { scheme: 'council', id: 'VAL-9' },
  ],
}

describe('a pipeline owns only what it maps', () => {
  test('unmapped fields are carried over', () => {
    expect(carryOver({ name: 'Rāhui north' }, previous, { owned: owning('/name'), blank: undefined })).toEqual({
      record: { ...previous, name: 'Rāhui north' },
      lost: [],
    })
  })

  test('a mapped identifier replaces only that of its scheme', () => {
    const { record } = carryOver({ identifiers: [{ scheme: 'farm', id: '2' }] }, previous, { owned, blank: 'keep' })
    expect(record['identifiers']).toEqual([
      { scheme: 'farm', id: '2' },
      { scheme: 'council', id: 'VAL-9' },
    ])
  })

  test('the same crop keeps its unmapped fields; another crop does not inherit them', () => {
    const same = carryOver({ crops: [{ name: 'Ryegrass', establishmentDate: '2026-02-28T11:00:00Z' }] }, previous, {
      owned,
      blank: undefined,
    })
    expect(same.record['crops']).toEqual([
      { name: 'Ryegrass', establishmentDate: '2026-02-28T11:00:00Z', variety: 'Trojan' },
    ])
    const other = carryOver({ crops: [{ name: 'Lucerne' }] }, previous, { owned, blank: undefined })
    expect(other.record['crops']).toEqual([{ name: 'Lucerne' }])
  })

  test('a new measurement does not inherit the resolution of the old one', () => {
    const { record } = carryOver({ totalArea: { measurement: 2, units: 'HAR' } }, previous, {
      owned: owning('/totalArea'),
      blank: undefined,
    })
    expect(record['totalArea']).toEqual({ measurement: 2, units: 'HAR' })
  })
})

describe('a blank cell where the record has a value', () => {
  test.each([
    ['keep' as const, [], { ...previous.crops[0], establishmentDate: '2026-10-10T00:00:00+13:00' }],
    [undefined, ['/crops/*/name'], { ...previous.crops[0], establishmentDate: '2026-10-10T00:00:00+13:00' }],
    ['clear' as const, [], { establishmentDate: '2026-10-10T00:00:00+13:00' }],
  ])('the name of a crop whose date changed follows the policy %s', (blank, lost, crop) => {
    const row = { ...previous, crops: [{ establishmentDate: '2026-10-10T00:00:00+13:00' }] }
    const carried = carryOver(row, previous, { owned, blank })
    expect(carried.lost).toEqual(lost)
    expect(carried.record['crops']).toEqual([crop])
  })

  test.each([
    ['undefined' as const, undefined, ['/name'], 'Rāhui'],
    ['keep' as const, 'keep' as const, [], 'Rāhui'],
    ['clear' as const, 'clear' as const, [], undefined],
  ])('with policy %s', (_, blank, lost, name) => {
    const carried = carryOver({ crops: previous.crops }, previous, {
      owned: owning('/name', '/crops/0/name'),
      blank,
    })
    expect(carried.lost).toEqual(lost)
    expect(carried.record['name']).toBe(name)
  })

  test('inside a crop that is still the same crop', () => {
    const row = { name: 'Rāhui', crops: [{ name: 'Ryegrass' }], identifiers: previous.identifiers }
    expect(carryOver(row, previous, { owned, blank: undefined }).lost).toEqual(['/crops/*/establishmentDate'])
    expect(carryOver(row, previous, { owned, blank: 'clear' }).record['crops']).toEqual([
      { name: 'Ryegrass', variety: 'Trojan' },
    ])
  })

  test('nothing is lost if the record had nothing', () => {
    expect(carryOver({}, { name: '' }, { owned, blank: undefined }).lost).toEqual([])
  })
})
