import fc from 'fast-check'
import { expect, test } from 'vitest'
import { xlsx } from '../../../src/formats/xlsx.ts'
import { decidedBy, memoryTarget, only, outTable, rowsOf, sourceOf } from '../fixtures.ts'
import { runs } from '../../runs.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(' ', '\n', '\r', '\t', '\u0085', '\u00a0', '_', 'x', '0', 'D', '&'),
  ),
})
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }).map((each) => Number(each.toPrecision(12))),
  fc.maxSafeInteger(),
)
const day = fc
  .date({ min: new Date('1900-03-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((each) => each.toISOString().slice(0, 10))
const row = fc.record({ key: fc.constant('P1'), text, number, day, truth: fc.boolean() })

test('what is written is what is read', async () => {
  const columns = [
    { name: 'key', type: 'text' as const },
    { name: 'text', type: 'text' as const },
    { name: 'number', type: 'number' as const },
    { name: 'day', type: 'date' as const },
    { name: 'truth', type: 'boolean' as const },
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const target = memoryTarget('out.xlsx')
      await xlsx.write!(
        [
          outTable(
            rows.map((values) => ({ values })),
            { columns },
          ),
        ],
        target,
        {},
      )
      const read = await rowsOf(only(await decidedBy(xlsx, sourceOf('out.xlsx', target.bytes()), { header: 1 })))
      const plain = ({ text: own, number: value, ...rest }: (typeof rows)[number]): unknown => ({
        ...rest,
        text: own === '' ? null : own,
        // Beyond 15 digits a number is written as text, so that none is lost.
        number: Math.abs(value) >= 1e15 && Number.isInteger(value) ? String(value) : value + 0,
      })
      expect(read.map(({ values }) => values)).toEqual(rows.map(plain))
    }),
    { numRuns: runs(60) },
  )
})
