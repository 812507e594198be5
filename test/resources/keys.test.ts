import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resourceTypes } from '../../src/resources/index.ts'
import { dataPointKey, sourceIdOf } from '../../src/resources/keys.ts'
import { landCover, plot } from '../../src/resources/land.ts'
import { runs } from '../runs.ts'

const rimu = { scheme: 'nz.example.farm-number', id: '00412876' }
const parts = fc.record({
  type: fc.constantFrom(...resourceTypes),
  holding: fc.record({ scheme: anyText(), id: anyText() }),
  sourceId: anyText(),
})

/** Text of any code units, half surrogate pairs too, with many characters that could confuse a key. */
function anyText(): fc.Arbitrary<string> {
  const unit = fc.oneof(
    fc.constantFrom('/', '%', '%2F', '.', 'u', 'ā', ' ', '7', '0'),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  )
  return fc.array(unit, { maxLength: 4 }).map((units) => units.join(''))
}

describe('dataPointKey', () => {
  test.each([
    ['007', 'plots/nz.example.farm-number/00412876/007'],
    ['7/8', 'plots/nz.example.farm-number/00412876/7%2F8'],
    ['Rāhui & co', 'plots/nz.example.farm-number/00412876/R%C4%81hui%20%26%20co'],
    ['\uD83D', 'plots/nz.example.farm-number/00412876/%uD83D'],
  ])('of %j', (sourceId, key) => {
    expect(dataPointKey({ type: plot, holding: rimu, sourceId })).toBe(key)
  })
  test('two records share a key only when all parts are the same', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const isSame =
          one.type === other.type &&
          one.holding.scheme === other.holding.scheme &&
          one.holding.id === other.holding.id &&
          one.sourceId === other.sourceId
        expect(dataPointKey(one) === dataPointKey(other)).toBe(isSame)
        expect(dataPointKey(one)).toMatch(/^[^/]+\/[^/]*\/[^/]*\/[^/]*$/)
      }),
      { numRuns: runs(2000) },
    )
  })
})

describe('sourceIdOf', () => {
  test('contains holding and type', () => {
    expect(sourceIdOf({ type: plot, holding: rimu, sourceId: '7' })).toEqual({
      scheme: 'nz.example.farm-number.plots',
      id: '00412876/7',
    })
  })
  test('another scheme changes the scheme alone', () => {
    expect(sourceIdOf({ type: plot, holding: rimu, sourceId: '7/1', scheme: 'nz.example.rimu' })).toEqual({
      scheme: 'nz.example.rimu',
      id: '00412876/7%2F1',
    })
  })
  test('no two records share one', () => {
    const paddock7 = [
      { type: plot, holding: rimu, sourceId: '7' },
      { type: landCover, holding: rimu, sourceId: '7' },
      { type: plot, holding: { ...rimu, id: '00412877' }, sourceId: '7' },
      { type: plot, holding: { ...rimu, id: '00412876/7' }, sourceId: '' },
    ].map((each) => JSON.stringify(sourceIdOf(each)))
    expect(new Set(paddock7).size).toBe(4)
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        fc.pre(dataPointKey(one) !== dataPointKey(other))
        expect(sourceIdOf(one)).not.toEqual(sourceIdOf(other))
      }),
    )
  })
})
