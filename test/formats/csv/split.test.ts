import fc from 'fast-check'
import Papa from 'papaparse'
import { setFlagsFromString } from 'node:v8'
import { describe, expect, onTestFinished, test } from 'vitest'
import { splitRecords, type Dialect } from '../../../src/formats/csv/split.ts'
import { expectQuick } from '../../processor-time.ts'
import { runs } from '../../runs.ts'

const comma: Dialect = { delimiter: ',', quote: '"' }

const split = (text: string, dialect = comma, isLast = true) => {
  const { cells, faults, end } = splitRecords(text, dialect, isLast)
  return { cells, faults: [...faults], end }
}

describe('records and cells', () => {
  test.each([
    [
      'plain lines',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no line feed at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['blank lines and cells', '\n,\n', [[''], ['', '']]],
    [
      'separators and line feeds in quotes',
      '"a,b","c\nd"\n1,2',
      [
        ['a,b', 'c\nd'],
        ['1', '2'],
      ],
    ],
    ['doubled quotes', '"say ""hi""",""""', [['say "hi"', '"']]],
    ['an empty quoted cell', '"",x', [['', 'x']]],
    ['a quote inside a cell without', '12" pipe,x', [['12" pipe', 'x']]],
    [
      'spaces before an opening quote',
      'a, "b, c" ,"d"\n  "e",f, "g ""h"""',
      [
        ['a', 'b, c', 'd'],
        ['e', 'f', 'g "h"'],
      ],
    ],
    [
      'a space before a quote that is none',
      'a, "b" c,d\n1, "2\n3, 5"',
      [
        ['a', ' "b" c', 'd'],
        ['1', ' "2'],
        ['3', ' 5"'],
      ],
    ],
    ['spaces after a closing quote', '"a"  ,b', [['a', 'b']]],
    [
      'a quoted cell last in a line',
      'a,"b"\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a separator at the end', 'a,"b",\n', [['a', 'b', '']]],
  ])('%s', (_, text, cells) => {
    expect(split(text)).toEqual({ cells, faults: [], end: text.length })
  })

  test('an unclosed quote takes in the rest, and is reported', () => {
    expect(split('a,b\n1,"x\n2,y')).toMatchObject({
      cells: [
        ['a', 'b'],
        ['1', 'x\n2,y'],
      ],
      faults: [[1, 'unclosed']],
    })
  })

  test('a quote in the middle of a quoted cell is reported', () => {
    expect(split('"a"b",c\nd,e')).toMatchObject({
      cells: [
        ['a"b', 'c'],
        ['d', 'e'],
      ],
      faults: [[0, 'stray']],
    })
  })

  test('a row with a stray quote and one that is never closed is unclosed', () => {
    expect(split('"a "b" c","d\ne,f')).toMatchObject({ cells: [['a "b" c', 'd\ne,f']], faults: [[0, 'unclosed']] })
  })

  test('a stray quote beside one behind a backslash stays where it is', () => {
    const { cells, faults } = split('"a" \\" b, "c"\nd,e', { ...comma, escape: '\\' })
    expect(cells).toEqual([['a" " b, "c'], ['d', 'e']])
    expect(faults).toEqual([[0, 'stray']])
  })

  test.each([
    ['single quotes', "'a,b',12' x,'it''s'", { delimiter: ',', quote: "'" }, ['a,b', "12' x", "it's"]],
    ['no quotes', '"a,b"', { delimiter: ',', quote: '' }, ['"a', 'b"']],
    ['backslashes', String.raw`"a \"b\" \\",c`, { ...comma, escape: '\\' }, ['a "b" \\', 'c']],
    ['a backslash that escapes nothing', String.raw`"C:\new\"",c`, { ...comma, escape: '\\' }, ['C:\\new"', 'c']],
    ['a space between cells', '"a b" c', { delimiter: ' ', quote: '"' }, ['a b', 'c']],
  ])('%s', (_, text, dialect, cells) => {
    expect(split(text, dialect)).toMatchObject({ cells: [cells], faults: [] })
  })
})

const written = fc.string({ unit: fc.constantFrom('a', 'ā', '"', ',', '\n', ' ', '1', '🐑'), maxLength: 40 })

test('many spaces in a cell take no time, also in a process that has run for long', async () => {
  // After many large expressions V8 no longer skips what cannot match. No other test has this delimiter: its expression is new.
  setFlagsFromString('--no-regexp-optimization')
  onTestFinished(() => setFlagsFromString('--regexp-optimization'))
  const text = `a~b\n1~Top${' '.repeat(2_000)}x\n`.repeat(200)
  await expectQuick(1000, () => splitRecords(text, { delimiter: '~', quote: '"' }, true))
})

test('what papaparse finds without fault is found as well', () => {
  fc.assert(
    fc.property(written, (text) => {
      const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', newline: '\n' })
      // Spaces before a quote make it a part of the text there.
      fc.pre(!errors.some(({ type }) => type === 'Quotes') && !/(?:^|[,\n]) +"/.test(text))
      // A line feed at the end closes the last record; papaparse sees one more.
      const theirs = text === '' || text.endsWith('\n') ? data.slice(0, -1) : data
      expect(split(text)).toMatchObject({ cells: theirs, faults: [] })
    }),
    { numRuns: runs(500) },
  )
})

test('a text cut anywhere continues where it was left', () => {
  fc.assert(
    fc.property(written, fc.nat(40), (text, at) => {
      const first = splitRecords(text.slice(0, at), comma, false)
      const rest = splitRecords(text.slice(first.end), comma, true)
      expect([...first.cells, ...rest.cells]).toEqual(split(text).cells)
    }),
    { numRuns: runs(500) },
  )
})
