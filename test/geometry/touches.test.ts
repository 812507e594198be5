import { expect, test } from 'vitest'
import { startTouches } from '../../src/geometry/validity/validity.ts'

test('two rings cut land off when they touch at a second point', () => {
  const touches = startTouches()
  expect(touches(0, 1, 'here')).toBe(false)
  expect(touches(1, 0, 'here')).toBe(false)
  expect(touches(0, 1, 'there')).toBe(true)
})

test('a chain of rings cuts land off when it closes', () => {
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
