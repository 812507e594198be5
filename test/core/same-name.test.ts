import { expect, test } from 'vitest'
import { plainId, plainName } from '../../src/core/values/same-name.ts'

test.each([
  ['Kānuka', 'KANUKA', true],
  ['Kānuka'.normalize('NFD'), 'Kānuka', true],
  ['P 1', 'p1', true],
  [' Round  Up ', 'Roundup', true],
  ['1  1', '1 1', true],
  ['1 1', '11', false],
  ['Top', 'Top 2', false],
])('the names "%s" and "%s" are the same: %s', (one, other, expected) => {
  expect(plainName(one) === plainName(other)).toBe(expected)
})

test.each([
  ['001', '1', true],
  ['1.0', '1', true],
  ["'005", '5', true],
  ['0 01', '1', true],
  ['0\u200e02', '#2', true],
  ['a/03', 'A–3', true],
  ['10', '1', false],
  ['1.5', '1', false],
])('the ids "%s" and "%s" are the same: %s', (one, other, expected) => {
  expect(plainId(one) === plainId(other)).toBe(expected)
})
