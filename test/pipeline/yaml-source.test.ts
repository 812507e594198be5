import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readYaml } from '../../src/pipeline/definition/yaml-source.ts'
import { yamlComment, yamlInline } from '../../src/core/values/yaml-text.ts'
import { runs } from '../runs.ts'
import { expectQuick } from '../processor-time.ts'

describe('values', () => {
  test.each<[string, unknown]>([
    ['id: 007', { id: '007' }],
    ['id: "00412876"', { id: '00412876' }],
    ['area: 3.20', { area: '3.20' }],
    ['area: 3.2', { area: 3.2 }],
    ['big: 12345678901234567890', { big: '12345678901234567890' }],
    ['sown: 3/9/2026', { sown: '3/9/2026' }],
    ['sown: 2026-09-03', { sown: '2026-09-03' }],
    ['a: yes', { a: 'yes' }],
    ['a: true', { a: true }],
    ['a:', { a: null }],
    ['a: 0x1F', { a: '0x1F' }],
    ['7: a', { '7': 'a' }],
    ['007: a', { '007': 'a' }],
    ['a: { b: [<C d>, EPSG:2193] }', { a: { b: ['<C d>', 'EPSG:2193'] } }],
    ['a: &x [1]\nb: *x', { a: [1], b: [1] }],
    ['\uFEFFa: 1', { a: 1 }],
  ])('%j', (text, expected) => {
    const { value, faults } = readYaml(text)
    expect(faults).toEqual([])
    expect(value).toEqual(expected)
  })

  test('a name that means something to JavaScript is only a name', () => {
    const { value } = readYaml('__proto__: { polluted: 1 }\nconstructor: 2')
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('mistakes are reported at their place', () => {
  test.each([
    ['a: 1\n\tb: 2', 2, 1, 'indented with a tab'],
    ['a: 1\nb: 2\na: 3', 3, 1, '"a" appears twice.'],
    ['a: {b: 1, b: 2}', 1, 11, '"b" appears twice.'],
    ['a: "..\\samples"', 1, 7, 'A backslash in double quotes'],
    ['a: 1\n---\nb: 2', 2, 1, 'more than one document'],
    ['a: *nowhere', 1, 4, 'refers to itself or to nothing'],
    ['a: &x [*x]', 1, 8, 'refers to itself or to nothing'],
    ['a: @b', 1, 4, 'cannot begin with this character'],
    ['? [a]\n: b', 1, 3, 'The name before the colon is missing'],
    ['a: "open', 1, 9, 'is missing'],
    ['a: !other b', 1, 4, 'not YAML'],
  ])('%j at %d:%d', (text, line, column, part) => {
    const [fault] = readYaml(text).faults
    expect(fault).toMatchObject({ line, column })
    expect(`${fault?.message}`).toContain(part)
  })

  test('values and names are found by pointer, and a missing one by what is around it', () => {
    const source = readYaml('a:\n  - b: xyz\n    c/d: 1\n')
    expect(source.locate('/a/0/b', 'value')).toEqual({ line: 2, column: 8, text: 'xyz' })
    expect(source.locate('/a/0/b', 'name')).toEqual({ line: 2, column: 5, text: 'b' })
    expect(source.locate('/a/0/c~1d', 'value')).toEqual({ line: 3, column: 10, text: '1' })
    expect(source.locate('/a/0/b/c/d', 'value')).toMatchObject({ line: 2, column: 5 })
    expect(source.locate('/nowhere', 'name')).toMatchObject({ line: 1, column: 1 })
  })
})

describe('hostile files take a moment at most', () => {
  const laughs = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 12; level++)
    laughs.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`)
  test.each([
    ['a billion laughs', laughs.join('\n'), 'counting repetitions'],
    ['deep brackets', '['.repeat(100_000), 'nested'],
    ['deep dashes', '- '.repeat(50_000), 'nested'],
    ['deep maps', Array.from({ length: 60 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'), 'nested'],
    ['a very long file', 'a: '.padEnd(300_000, 'x'), 'characters'],
    ['very many names', Array.from({ length: 30_000 }, (_, index) => `n${index}: 1`).join('\n'), 'characters'],
    ['many names', Array.from({ length: 21_000 }, (_, index) => `${index.toString(36)}: 1`).join('\n'), 'values'],
  ])('%s', async (_, text, part) => {
    await expectQuick(10_000, () => {
      const { faults } = readYaml(text)
      expect(faults.map(({ message }) => message).join()).toContain(part)
    })
  })

  test('no text throws', () => {
    const pieces = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '-',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '#',
      '&a',
      '*a',
      '!t',
      '|',
      '>',
      '?',
      '\t',
      '%',
      '<<',
      '0',
      ',',
      '~',
    )
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: pieces, maxLength: 40 }), fc.string({ unit: 'binary' })), (text) => {
        const { faults } = readYaml(text)
        expect(faults.every(({ line, column, message }) => line >= 1 && column >= 1 && message.length > 0)).toBe(true)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('writing', () => {
  test.each([
    ['Rimu Farm', 'Rimu Farm'],
    ['<PADDOCK_ID>', '<PADDOCK_ID>'],
    ['../samples/Rimu paddocks FINAL v3.zip', '../samples/Rimu paddocks FINAL v3.zip'],
    ['EPSG:2193', 'EPSG:2193'],
    ['3/9/2026', '3/9/2026'],
    ['Ōtāne flat', 'Ōtāne flat'],
    ['007', '"007"'],
    ['2026-09-03', '"2026-09-03"'],
    ['yes', '"yes"'],
    ['', '""'],
    ['a: b', '"a: b"'],
    ['a #b', '"a #b"'],
    [' a', '" a"'],
    ['a, b', '"a, b"'],
  ])('%j is %s', (value, expected) => {
    expect(yamlInline(value)).toBe(expected)
  })

  test('written values are read back, with any comment after them', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ maxLength: 30 }),
      fc.integer(),
      fc.boolean(),
    )
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 10 }), leaf, { maxKeys: 4, noNullPrototype: true }),
    )
    fc.assert(
      fc.property(value, fc.string({ unit: 'binary' }), (written, comment) => {
        const { value: read, faults } = readYaml(`a: ${yamlInline(written)} ${yamlComment(comment)}\nb: 1\n`)
        expect(faults).toEqual([])
        expect(read).toEqual({ a: written, b: 1 })
      }),
      { numRuns: runs(1000) },
    )
  })
})
