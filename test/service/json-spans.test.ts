import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { elementSpans, memberSpans, textWithout, type Span } from '../../src/service/store/json-spans.ts'

const textAt = (bytes: Uint8Array, { start, end }: Span): string => Buffer.from(bytes.subarray(start, end)).toString()

describe('positions in a JSON text', () => {
  test('the spans of any list of objects are its elements and their members', () => {
    const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
    fc.assert(
      fc.property(fc.array(object), fc.constantFrom(undefined, 1, '\t'), (list, layout) => {
        const bytes = Buffer.from(JSON.stringify(list, undefined, layout))
        const parsed = JSON.parse(bytes.toString()) as object[]
        const spans = elementSpans(bytes, { deepest: 1000, most: 1000 }) as readonly Span[]
        if (parsed.length === 0) return
        expect(spans.map((span) => JSON.parse(textAt(bytes, span)) as unknown)).toEqual(parsed)
        for (const [index, span] of spans.entries()) {
          const members = memberSpans(bytes, span)
          const again = members.map(({ name, value, end }) => [name, JSON.parse(textAt(bytes, { start: value, end }))])
          expect(Object.fromEntries(again)).toEqual({ ...parsed[index] })
        }
      }),
    )
  })

  test('removing members leaves the others as they were written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'ā', '"', 'id'), fc.jsonValue()),
        fc.subarray(['a', 'b', 'c', 'ā', '"', 'id']),
        (object, names) => {
          const bytes = Buffer.from(JSON.stringify(object))
          const rest = textWithout(bytes, memberSpans(bytes, { start: 0, end: bytes.length }), new Set(names))
          const expected = Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
          expect(JSON.parse(`{${Buffer.from(rest).toString()}}`)).toEqual(JSON.parse(JSON.stringify(expected)))
        },
      ),
    )
  })

  test.each([
    ['a name with an escape', '{"\\u0069d":1}', 'id'],
    ['a name in another script', '{"ingoa Māori":1}', 'ingoa Māori'],
    ['a quote in a name', '{"a\\"b":"}"}', 'a"b'],
  ])('%s is read', (_, text, name) => {
    const bytes = Buffer.from(text)
    expect(memberSpans(bytes, { start: 0, end: bytes.length }).map((member) => member.name)).toEqual([name])
  })

  test('nesting that is too deep is reported before the text is parsed', () => {
    expect(elementSpans(Buffer.from('['.repeat(100_000)), { deepest: 64, most: 9 })).toBe('too deep')
    expect(elementSpans(Buffer.from('[[["[[[[[["]]]'), { deepest: 3, most: 9 })).toHaveLength(1)
  })

  test.each([
    ['[1,2]', 2],
    ['[1,2,3]', 'too many'],
    ['["1,2,3",[4,5,6]]', 2],
  ])('%s against a limit of two elements gives %s', (text, expected) => {
    const spans = elementSpans(Buffer.from(text), { deepest: 9, most: 2 })
    expect(typeof spans === 'string' ? spans : spans.length).toBe(expected)
  })

  test('bytes that are not JSON never cause an error', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void elementSpans(bytes, { deepest: 5, most: 5 })))
  })
})
