import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberKindOf, numberKinds, readNumber } from '../../../src/core/values/number-text.ts'
import { runs } from '../../runs.ts'

function slowly(text: string): number {
  const [point, comma] = [readNumber(text, 'point'), readNumber(text, 'comma')]
  if (point === undefined) return comma === undefined ? numberKinds.none : numberKinds.comma
  if (comma === undefined) return numberKinds.point
  return point === comma ? numberKinds.either : numberKinds.both
}

const numberish = fc
  .array(
    fc.constantFrom(
      ...Array.from({ length: 10 }, (_, figure) => String(figure)),
      '000',
      '.',
      ',',
      '+',
      '-',
      'e',
      'E',
      "'",
      '\u00a0',
      '\u202f',
      '\u2019',
      '\u2212',
      'x',
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((pieces) => pieces.join('').trim())

test('a text is the kind of number that reading it with each mark makes of it', () => {
  fc.assert(
    fc.property(numberish, (text) => {
      expect(numberKindOf(text)).toBe(slowly(text))
    }),
    { numRuns: runs(5000) },
  )
})

test.each([
  '1.5',
  '1,5',
  '7',
  '1,204',
  '1.204,5',
  '1,204.5',
  '0.000',
  '-0,000',
  '12.',
  '.5',
  '1 204',
  '2026-09-03',
  '9'.repeat(400),
])('%s', (text) => expect(numberKindOf(text)).toBe(slowly(text)))
