import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KnownTexts } from '../../../src/formats/shapefile/known-texts.ts'

const cell = fc.oneof(
  fc.integer({ min: 0, max: 400 }).map((number) => `crop ${number}`),
  fc.constantFrom('Lucerne', 'lucerne', 'Rāhui', 'Maize', 'x'.repeat(48), 'x'.repeat(49), 'x'.repeat(300)),
)

/** The text of a cell that lies somewhere in a row, and whether it had to be made. */
function lookUp(known: KnownTexts, text: string): { readonly found: string | undefined; readonly isMade: boolean } {
  const row = Buffer.from(`before ${text} behind`)
  let isMade = false
  const found = known.textOf(row, 7, row.length - 7, (bytes, from, to) => {
    isMade = true
    return bytes.toString('utf8', from, to)
  })
  return { found, isMade }
}

test('what is given is the text of these bytes, however many others came between', () => {
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 600 }), (cells) => {
      const known = new KnownTexts()
      for (const each of cells) expect(lookUp(known, each).found).toBe(each)
    }),
  )
})

test('a text that comes again is not made again', () => {
  const known = new KnownTexts()
  const made = ['Maize', 'Lucerne', 'Maize', 'Lucerne'].map((each) => lookUp(known, each).isMade)
  expect(made).toEqual([true, true, false, false])
})

test('bytes that make no text are looked at each time', () => {
  const known = new KnownTexts()
  let looked = 0
  const nothing = (): undefined => {
    looked += 1
  }
  for (let time = 0; time < 2; time += 1) expect(known.textOf(Buffer.from('?'), 0, 1, nothing)).toBeUndefined()
  expect(looked).toBe(2)
})

test('in a column of names that never come again none is looked for any more', () => {
  const known = new KnownTexts()
  for (let row = 0; row < 1000; row += 1) lookUp(known, `paddock ${row}`)
  const made = ['paddock 999', 'paddock 999'].map((each) => lookUp(known, each).isMade)
  expect(made).toEqual([true, true])
})
