import { expect, test } from 'vitest'
import { once } from '../../src/core/once.ts'

test('makes nothing before it is asked, and one thing however often it is', () => {
  let made = 0
  const thing = once(() => ({ number: ++made }))
  expect(made).toBe(0)
  expect(thing()).toBe(thing())
  expect(made).toBe(1)
})

test('keeps nothing at all, too', () => {
  let asked = 0
  const thing = once(() => {
    asked += 1
  })
  thing()
  thing()
  expect(asked).toBe(1)
})

test('tries again after a failure', () => {
  let asked = 0
  const thing = once(() => {
    asked += 1
    if (asked === 1) throw new Error('not yet')
    return 'made'
  })
  expect(thing).toThrow('not yet')
  expect(thing()).toBe('made')
})
