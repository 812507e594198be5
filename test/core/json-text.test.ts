import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextBytes } from '../../src/core/digits.ts'
import { JsonWriter } from '../../src/core/json-text.ts'

type Body = Readonly<Record<string, unknown>>

function textsOf(records: readonly Body[]): readonly string[] {
  const [writer, out] = [new JsonWriter(), new TextBytes(16)]
  return records.map((record) => {
    writer.write(out, record)
    return Buffer.from(out.take()).toString()
  })
}

const asEngine = (records: readonly Body[]): readonly string[] => records.map((record) => JSON.stringify(record))

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', maxLength: 200 }))
const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.integer().map((hundredths) => hundredths / 100),
  fc.tuple(fc.integer(), fc.integer({ min: -30, max: 30 })).map(([figures, exponent]) => figures * 10 ** exponent),
)
const leaf = fc.oneof(
  text,
  fc.array(unit).map((units) => units.join('')),
  number,
  fc.boolean(),
  fc.constantFrom(null, undefined),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value')), tie('members')),
  members: fc.dictionary(fc.oneof(fc.constantFrom('name', '__proto__', 'toJSON', '7', '-1', ''), text), tie('value')),
}))
const record = fc.dictionary(fc.oneof(fc.constantFrom('name', 'crops', 'meta', '__proto__', '2'), text), value)

test('whatever records hold, they are written as JSON.stringify writes them', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      // Twice, because what has come before is remembered.
      const twice = [...records, ...records]
      expect(textsOf(twice)).toEqual(asEngine(twice))
    }),
  )
})

test.each([
  0,
  -0,
  1e-7,
  1e-6,
  0.000_001_5,
  0.1 + 0.2,
  36_353.08,
  99_999_999.999_999_9,
  100_000_000.123_456_7,
  123_456_789.123_456_78,
  599_999_999.000_000_1,
  1e21,
  -1e21,
  2 ** 53,
  5e-324,
  Number.MAX_VALUE,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('%d is written as JSON.stringify writes it', (each) => {
  const records = [{ each }, { each: -each }, { each: [each] }]
  expect(textsOf(records)).toEqual(asEngine(records))
})

test('each unit of UTF-16 is written as JSON.stringify writes it', () => {
  const records = Array.from({ length: 0x1_0000 }, (_, code) => ({ name: `a${String.fromCharCode(code)}b` }))
  expect(textsOf(records)).toEqual(asEngine(records))
})

test('what stays as it was, changes, or comes back is each time what the record says', () => {
  const records = [
    { name: 'Rāhui', crops: [{ name: 'Maize' }] },
    { name: 'Rāhui', crops: [{ name: 'Maize' }, { name: 'Oats' }] },
    { name: 'Rāhui', crops: [] },
    { name: 7, crops: {} },
    { name: 'Rāhui', crops: ['Maize', undefined, null] },
    { crops: [['Maize'], 'Maize'], name: 'Rāhui' },
    { crops: undefined, name: 'Rāhui' },
    { name: 'Rāhui', crops: [{ name: 'Maize' }] },
    {},
  ]
  const twice = records.flatMap((each) => [each, each, each])
  expect(textsOf(twice)).toEqual(asEngine(twice))
})

test('what says by itself what it is in JSON is asked', () => {
  const moment = new Date('2026-09-03T00:00:00Z')
  const silent = { toJSON: () => undefined }
  const records = [
    { moment, list: [moment, Object.create(silent)], silent: Object.create(silent), name: new Map([[1, 2]]) },
    Object.assign(Object.create(null), { name: Object.assign(Object.create(null), { moment }) }),
  ] as Body[]
  expect(textsOf(records)).toEqual(asEngine(records))
})

test("names that are not a record's own are left out", () => {
  const carried: Record<string, unknown> = { name: 'Rāhui' }
  // What a body that was read from elsewhere may hold under this name becomes the prototype.
  carried['__proto__'] = JSON.parse('{"geometry":null,"owner":{"id":7}}')
  const records = [carried, { name: 'Rāhui', nested: carried, list: [carried] }]
  expect(textsOf(records)).toEqual(asEngine(records))
})

test('records of any width and depth and of thousands of places are written', () => {
  const nested = (levels: number): Body => JSON.parse('{"in":['.repeat(levels) + ']}'.repeat(levels)) as Body

  const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`field ${index}`, { index, name: 'x' }]))
  const long = { list: Array.from({ length: 3000 }, (_, index) => [index]) }
  const records = [wide, long, nested(900), { name: 'Rāhui' }, wide, nested(12), long, { name: 'x'.repeat(10_000) }]
  expect(textsOf(records)).toEqual(asEngine(records))
})
