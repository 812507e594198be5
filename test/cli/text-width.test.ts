import { describe, expect, test } from 'vitest'
import { cutTo, padEnd, widthOf } from '../../src/cli/screen/text-width.ts'

describe('the width of text', () => {
  test.each([
    ['Rahui', 5],
    ['Rāhui', 5],
    ['Ra\u0304hui', 5],
    ['牧場', 4],
    ['한국', 4],
    ['🐑 flat', 7],
    ['👩‍🌾', 2],
    ['नि', 1],
    ['', 0],
  ])('%s takes %i cells', (text, width) => expect(widthOf(text)).toBe(width))

  test('is used for padding', () => {
    expect(padEnd('牧場', 6)).toBe('牧場  ')
    expect(padEnd('Ra\u0304hui', 6)).toBe('Ra\u0304hui ')
  })

  test.each([
    ['Rāhui', 5, 'Rāhui'],
    ['Rāhui', 4, 'Rāh…'],
    ['牧場の北', 5, '牧場…'],
    ['牧場の北', 6, '牧場…'],
    ['Ra\u0304hui', 3, 'Ra\u0304…'],
    ['abc', 0, ''],
  ])('%s cut to %i is %s', (text, width, cut) => {
    expect(cutTo(text, width)).toBe(cut)
    expect(widthOf(cut)).toBeLessThanOrEqual(width)
  })
})
