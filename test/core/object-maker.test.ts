import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keptName, objectMaker } from '../../src/core/values/object-maker.ts'

const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', '7', '', 'a"b', '\\', '\u2028', '${x}'), fc.string())

test('objects have the values under their names, in their order, whatever the names', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 90 }), fc.infiniteStream(fc.anything()), (names, stream) => {
      const values = [...stream.take(names.length)]
      const make = objectMaker(names)
      const expected = Object.fromEntries(names.map((each, index) => [each, values[index]]))
      for (const made of [make(values), make(values)]) {
        expect(Object.entries(made)).toEqual(Object.entries(expected))
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
      }
    }),
  )
})

test.each([3, 70])('each of %d values comes from the place that is said', (count) => {
  const names = Array.from({ length: count }, (_, index) => `column ${index}`)
  const values = names.map((_, index) => index)
  const make = objectMaker<number>(names, values.toReversed())
  expect(Object.values(make(values))).toEqual(values.toReversed())
})

test('a name as the engine keeps it is the same name', () => {
  fc.assert(
    fc.property(name, (each) => {
      expect(keptName(each)).toBe(each)
    }),
  )
})
