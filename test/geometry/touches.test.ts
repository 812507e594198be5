import { expect, test } from 'vitest'
import { startTouches } from '../../src/geometry/validity/touches.ts'

test('two rings that touch at one point cut nothing off, at a second point they do', () => {
  const touches = startTouches()
  expect(touches(0, 1, 'here')).toBe(false)
  expect(touches(1, 0, 'here')).toBe(false)
  expect(touches(0, 1, 'there')).toBe(true)
})

test('a chain of rings cuts off as soon as it closes', () => {
  const touches = startTouches()
  expect(touches(1, 2, 'a')).toBe(false)
  expect(touches(2, 3, 'b')).toBe(false)
  expect(touches(3, 4, 'c')).toBe(false)
  expect(touches(4, 1, 'd')).toBe(true)
})

test('several rings at one place are a star, not a circle', () => {
  const touches = startTouches()
  expect(touches(1, 2, 'a')).toBe(false)
  expect(touches(2, 3, 'a')).toBe(false)
  expect(touches(3, 1, 'a')).toBe(false)
})
