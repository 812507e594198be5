import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpanChunk } from '../../../src/formats/csv/spans.ts'
import { splitRecords, type Dialect } from '../../../src/formats/csv/split.ts'
import { runs } from '../../runs.ts'

const dialects: readonly Dialect[] = [
  { delimiter: ',', quote: '"' },
  { delimiter: ';', quote: "'" },
  { delimiter: '\t', quote: '' },
  { delimiter: ' ', quote: '"' },
]

function found(chunk: SpanChunk, text: string, isLast: boolean) {
  const end = chunk.fill(text, isLast)
  const records = Array.from({ length: chunk.count }, (_, index) => chunk.record(index))
  const faults = records.flatMap(({ fault }, index) => (fault === undefined ? [] : [[index, fault]]))
  return { cells: records.map(({ cells }) => cells), faults, end }
}

function split(text: string, dialect: Dialect, isLast: boolean) {
  const { cells, faults, end } = splitRecords(text, dialect, isLast)
  return { cells, faults: [...faults], end }
}

const pieces = fc
  .array(
    fc.constantFrom(
      'a',
      'Ō',
      '1.5',
      '"',
      '""',
      "'",
      "''",
      ',',
      ';',
      '\t',
      ' ',
      '  ',
      '\n',
      '\n',
      '"a, b"',
      "'x;y'",
      '"c\nd"',
    ),
    { maxLength: 40 },
  )
  .map((each) => each.join(''))

describe.each(dialects)('cells between "$delimiter" and in $quote', (dialect) => {
  test('are those that splitting makes, also in a chunk that was used before', () => {
    const chunk = new SpanChunk(dialect)
    fc.assert(
      fc.property(pieces, fc.boolean(), (text, isLast) => {
        expect(found(chunk, text, isLast)).toEqual(split(text, dialect, isLast))
      }),
      { numRuns: runs(3000) },
    )
  })

  test('are found in texts of any length, and of any number of records', () => {
    const { delimiter, quote } = dialect
    const record = [`${quote}say ${quote}${quote}hi${quote}${quote}${quote}`, 'Tūī', '', '12'].join(delimiter)
    const text = `${record}\n`.repeat(5000)
    expect(found(new SpanChunk(dialect), text, false)).toEqual(split(text, dialect, false))
  })
})

test('a cell without its doubled quotes stands in units as well', () => {
  const chunk = new SpanChunk(dialects[0]!)
  chunk.fill('1,"gate ""Ōtāne"" left open",x\n', false)
  expect(chunk.cellsIn(0)).toBe(3)
  const [from, to] = [chunk.bounds[2]!, chunk.bounds[3]!]
  expect(String.fromCharCode(...chunk.units.subarray(from, to))).toBe('gate "Ōtāne" left open')
})
