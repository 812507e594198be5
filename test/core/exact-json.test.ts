import { expect, test } from 'vitest'
import { parseExactly } from '../../src/core/values/exact-json.ts'

test.each([
  ['a long id', '{"nait":982123456789012345}', { nait: '982123456789012345' }],
  ['one below nought', '[ -982123456789012345]', ['-982123456789012345']],
  ['one that a number holds', '{"nait":9007199254740991}', { nait: 9_007_199_254_740_991 }],
  ['an amount with many decimals', '{"ha":1.2345678901234567}', { ha: 1.234_567_890_123_456_7 }],
  ['a power of ten', '{"n":1e20, "id":982123456789012345}', { n: 1e20, id: '982123456789012345' }],
  ['what was rounded before', '[982123456789012400]', [982_123_456_789_012_400]],
  ['figures in a text', '{"a":": 982123456789012345 "}', { a: ': 982123456789012345 ' }],
])('reads %s', (_, text, value) => {
  expect(parseExactly(text)).toEqual(value)
})

test('a member called __proto__ is only a member', () => {
  const parsed = parseExactly('{"__proto__":{"a":1},"id":982123456789012345}') as object
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  expect(Object.keys(parsed)).toEqual(['__proto__', 'id'])
})
