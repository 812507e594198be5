import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resourceTypes } from '../../src/resources/index.ts'
import { after } from './fixtures/flat-rows.ts'
import { runs } from '../runs.ts'

test('nothing is lost: every value of every body is in its rows', () => {
  const token = fc.integer({ min: 1000, max: 9999 }).map((number) => `token${number}`)
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      token,
      fc.dictionary(name(), tie('any'), { maxKeys: 4 }),
      fc.array(tie('any'), { maxLength: 8 }),
    ),
  })).any
  const body = fc.dictionary(name(), value, { maxKeys: 8 })
  const layout = fc.constantFrom('flat' as const, 'linked' as const)
  fc.assert(
    fc.property(
      fc.constantFrom(...resourceTypes),
      fc.array(body, { minLength: 1, maxLength: 4 }),
      layout,
      (type, bodies, chosen) => {
        const flat = after(type, bodies, { layout: chosen })
        for (const each of bodies) {
          const shown = JSON.stringify(flat.rows(each))
          for (const [found] of JSON.stringify(withoutBoundary(each)).matchAll(/token\d+/g))
            expect(shown).toContain(found)
        }
      },
    ),
    { numRuns: runs(400) },
  )
})

/** Names of members, mostly real ones, so that values come where something else is expected. */
function name(): fc.Arbitrary<string> {
  const known = [
    'name',
    'id',
    'meta',
    'sourceId',
    'scheme',
    'identifiers',
    'crops',
    'totalArea',
    'measurement',
    'units',
    'centroid',
  ]
  const jobs = [
    'loggedOperations',
    'products',
    'components',
    'product',
    'environment',
    'holding',
    'feature',
    'resourceType',
    'Other',
    'x',
  ]
  return fc.constantFrom(...known, ...jobs)
}

function withoutBoundary(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([member]) => member !== 'spatialFeature'))
}
