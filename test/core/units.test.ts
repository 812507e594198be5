import { expect, test } from 'vitest'
import { isBlankBetween, isSpaceUnit, textBetween } from '../../src/core/units.ts'

const unitsOf = (text: string): Uint16Array =>
  Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))

test('white space is what trim takes away', () => {
  const units = Array.from({ length: 1 << 16 }, (_, unit) => unit)
  expect(units.filter(isSpaceUnit)).toEqual(units.filter((unit) => String.fromCharCode(unit).trim() === ''))
})

test.each(['', ' ', '\u00a0\t', ' x', 'Ō'])('"%s" is blank or not', (text) =>
  expect(isBlankBetween(unitsOf(text), 0, text.length)).toBe(text.trim() === ''),
)

test.each(['', 'Ōtāne 😀', 'Tūī, '.repeat(700)])('units are the text they were', (text) => {
  const units = unitsOf(`before${text}behind`)
  expect(textBetween(units, 6, 6 + text.length)).toBe(text)
  expect(textBetween(units.subarray(3), 3, 3 + text.length)).toBe(text)
})
