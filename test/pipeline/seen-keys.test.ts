import { expect, test } from 'vitest'
import { startSeenKeys } from '../../src/pipeline/stage/seen-keys.ts'

const keys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `plots/nz.example.farm-number/00412876/${index}`)

test('different keys are not taken for repeated ones', () => {
  const seen = startSeenKeys()
  for (const key of keys(300_000)) seen.note(key)
  expect(seen.mayRepeat).toBe(false)
})

test.each([0, 1, 2047, 2048, 99_999])('a key that comes again is noticed, wherever it came first (%i)', (first) => {
  const all = keys(100_000)
  const seen = startSeenKeys()
  for (const key of all) seen.note(key)
  seen.note(all[first]!)
  expect(seen.mayRepeat).toBe(true)
})
