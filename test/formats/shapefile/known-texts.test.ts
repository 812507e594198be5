import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KnownTexts } from '../../../src/formats/shapefile/known-texts.ts'

const cell = fc.oneof(
  fc.integer({ min: 0, max: 400 }).map((number) => `crop ${number}`),
  fc.constantFrom('Lucerne', 'lucerne', 'Rāhui', 'Maize', 'x'.repeat(48), 'x'.repeat(49), 'x'.repeat(300)),
)

/** What is found of a cell that lies somewhere in a row, and is kept where it is not found. */
function findOrKeep(known: KnownTexts, text: string): string | undefined {
  const row = Buffer.from(`before ${text} behind`)
  const [from, to] = [7, row.length - 7]
  const found = known.find(row, from, to)
  if (found === undefined) known.keep(row, from, to, text)
  return found
}

test('what is found is the text of these bytes, however many others came between', () => {
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 600 }), (cells) => {
      const known = new KnownTexts()
      for (const each of cells) expect([each, undefined]).toContain(findOrKeep(known, each))
    }),
  )
})

test('a text that comes again is found', () => {
  const known = new KnownTexts()
  expect(['Maize', 'Lucerne', 'Maize', 'Lucerne'].map((each) => findOrKeep(known, each))).toEqual([
    undefined,
    undefined,
    'Maize',
    'Lucerne',
  ])
})

test('in a column of names that never come again none is looked for any more', () => {
  const known = new KnownTexts()
  for (let row = 0; row < 1000; row += 1) findOrKeep(known, `paddock ${row}`)
  expect(findOrKeep(known, 'paddock 999')).toBeUndefined()
  expect(findOrKeep(known, 'paddock 999')).toBeUndefined()
})
