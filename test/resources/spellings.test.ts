import { describe, expect, test } from 'vitest'
import { findResourceType } from '../../src/resources/index.ts'
import { readSpelling, sourceIds } from '../../src/resources/spellings.ts'
import { goodBodies } from './fixtures/bodies.ts'

describe('readSpelling', () => {
  test.each<[string, object, object]>([
    ['plot', { '@self': '/p/1' }, { self: '/p/1' }],
    ['work-record', { self: '/w/1' }, { '@self': '/w/1' }],
    ['medicine', { '@self': '/m/1' }, { self: '/m/1' }],
    ['breed', { naem: 'Lowfield Short', x: 1 }, { name: 'Lowfield Short', x: 1 }],
    ['breed', { name: null, naem: 'Lowfield Short' }, { name: 'Lowfield Short' }],
    ['breed', { identifiers: [{ scheme: 'ICAR3', id: 'A' }] }, { identifiers: [{ schema: 'ICAR3', id: 'A' }] }],
    [
      'land-cover',
      { speciesPresent: [{ classification: [{}] }, {}] },
      { speciesPresent: [{ classfication: [{}] }, {}] },
    ],
    ['plot', { identifiers: [{ schema: 'a', id: '1' }] }, { identifiers: [{ scheme: 'a', id: '1' }] }],
    [
      'plot',
      { meta: { sourceId: { schema: 'a', id: '1' }, x: 1 } },
      { meta: { sourceId: { scheme: 'a', id: '1' }, x: 1 } },
    ],
    ['plot', { meta: { sourceId: [{ schema: 'a', id: '1' }] } }, { meta: { sourceId: [{ scheme: 'a', id: '1' }] } }],
    ['plot', { crops: [{ identifiers: [{ schema: 'a' }] }] }, { crops: [{ identifiers: [{ scheme: 'a' }] }] }],
    ['plot', { resourceType: '/core/plot' }, { resourceType: 'plotResource' }],
    ['work-record', { resourceType: 'WorkRecordResource' }, { resourceType: 'workRecordResource' }],
  ])('%s %j', (word, body, expected) => {
    const before = structuredClone(body)
    expect(readSpelling(findResourceType(word)!, body)).toEqual(expected)
    expect(body).toEqual(before)
  })
  test.each<[string, object]>([
    ['breed', { name: 'A', naem: 'B' }],
    ['plot', { classification: 'x', naem: 'y', resourceType: 'tractor' }],
    ['land-cover', { speciesPresent: 'Rimu', identifiers: null, meta: 7 }],
    ...Object.entries(goodBodies),
  ])('%s stays the very same object where there is nothing to do', (word, body) => {
    expect(readSpelling(findResourceType(word)!, body)).toBe(body)
  })
  test('a member called __proto__ is an ordinary member', () => {
    const body = JSON.parse('{"__proto__": {"x": 1}, "naem": "A"}') as object
    const read = readSpelling(findResourceType('breed')!, body)
    expect(Object.keys(read)).toEqual(['__proto__', 'name'])
    expect((read as { x?: unknown }).x).toBeUndefined()
  })
})

test.each([
  [{ sourceId: { scheme: 'a', id: '1', more: true } }, [{ scheme: 'a', id: '1' }]],
  [
    {
      sourceId: [
        { scheme: 'a', id: '1' },
        { schema: 'b', id: '2' },
      ],
    },
    [
      { scheme: 'a', id: '1' },
      { scheme: 'b', id: '2' },
    ],
  ],
  [{ sourceId: [{ scheme: 'a' }, null, 7, { scheme: 'a', id: 7 }] }, []],
  [{ sourceId: null }, []],
  [{}, []],
  [null, []],
  [undefined, []],
  ['meta', []],
])('sourceIds of %j', (meta, expected) => {
  expect(sourceIds(meta)).toEqual(expected)
})
