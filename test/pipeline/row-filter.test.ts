import { expect, test } from 'vitest'
import type { Value, Values } from '../../src/core/row.ts'
import { rowFilterOf, takerOf } from '../../src/pipeline/definition/row-filter.ts'

test.each<[Readonly<Record<string, Value>>, Values, boolean]>([
  [{}, { STATUS: 'x' }, true],
  [{ STATUS: 'Active' }, { STATUS: ' Active ' }, true],
  [{ STATUS: 'Active' }, { STATUS: 'active' }, false],
  [{ STATUS: ['Active', 'New'] }, { STATUS: 'New' }, true],
  [{ STATUS: ['Active', 'New'] }, { STATUS: 'Old' }, false],
  [{ STATUS: 7 }, { STATUS: '7' }, true],
  [{ STATUS: true }, { STATUS: true }, true],
  [{ STATUS: '' }, { STATUS: null }, true],
  [{ STATUS: 'Active' }, {}, false],
  [{ toString: 'x' }, {}, false],
  [{ A: '1', B: '2' }, { A: '1', B: '3' }, false],
])('%j takes %j: %s', (only, values, expected) => {
  expect(takerOf(rowFilterOf(only))({ at: { source: 'a.csv', row: 1 }, values })).toBe(expected)
})
