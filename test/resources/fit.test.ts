import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportSchema, importSchema } from '../../src/pipeline/definition-schema.ts'
import { codeLists } from '../../src/resources/code-lists.ts'
import { fitOf } from '../../src/resources/fit.ts'
import { resourceTypes } from '../../src/resources/index.ts'
import { textFormats } from '../../src/resources/text-formats.ts'
import { units } from '../../src/resources/units.ts'

const unlike = {
  type: 'object',
  additionalProperties: { type: ['integer', 'null', 'array'], maxItems: 2, items: { enum: ['a', 7, true] } },
  properties: {
    word: { type: 'string', pattern: '^[a-z]+$', minLength: 1 },
    count: { type: ['integer', 'string'], minimum: -2, maximum: 3 },
    fixed: { const: 1 },
    few: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'number' } },
    chosen: { type: 'string', enum: ['x', ''] },
    '__proto__ of it': { type: 'boolean', title: 'A name with blanks and "quotes"' },
  },
  required: ['count'],
} as const

const schemas: readonly (readonly [string, object])[] = [
  ...resourceTypes.map(({ plural, schema }) => [plural, schema as object] as const),
  ['pipelines that import', importSchema],
  ['pipelines that export', exportSchema],
  ['words that those do not use', unlike],
]

const ajv = new Ajv2020({ strictTypes: false, strictTuples: false, allowUnionTypes: true, logger: false })
for (const { name, holds } of textFormats) ajv.addFormat(name, { type: 'string', validate: holds })

type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

const texts = [
  '',
  'word',
  'x'.repeat(300),
  '\u{1F33E}',
  '\ud83c',
  'none',
  '7-9',
  '2026-11-19T20:15:00Z',
  '2026-02-30T00:00:00Z',
  ...units.map(({ code }) => code),
  ...codeLists.flatMap(({ values }) => values.slice(0, 2)),
]
const oddMembers = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'additionalProperties', '0']
const numbers = [0, -0, 1, -1, 2.5, 7, 1e300, Number.NaN, Number.POSITIVE_INFINITY]
const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...texts, ...numbers, true, false, null, undefined),
  fc.constantFrom([], {}, [null], [1, 'a', true], { id: 1 }).map((value) => structuredClone(value)),
)

/** Values that are what the schema asks for, and now and then, at any depth, are not. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const listed = schema.const === undefined ? schema.enum : [schema.const]
  const kinds = [schema.type ?? []].flat().map((type) => ofType(type, schema))
  const right = listed === undefined ? kinds : [fc.constantFrom(...listed)]
  return fc.oneof(
    { weight: 1, arbitrary: anything },
    ...[...right, ...(right.length === 0 ? [anything] : [])].map((arbitrary) => ({ weight: 60, arbitrary })),
  )
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  if (type === 'string') return fc.constantFrom(...texts.filter((each) => isOfForm(each, schema)))
  if (type === 'number' || type === 'integer') return fc.oneof(fc.integer({ min: -3, max: 4 }), fc.double({ max: 1e6 }))
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return fc.array(near(schema.items ?? {}), { minLength: 1, maxLength: 3 })
  if (type !== 'object') return fc.constant(null)
  const { properties = {}, required = [] } = schema
  const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, near(member)]))
  const requiredKeys = required.filter((name) => name in members)
  const known = fc.oneof(
    { weight: 9, arbitrary: fc.record(members, { requiredKeys }) },
    { weight: 1, arbitrary: fc.record(members, { requiredKeys: [] }) },
  )
  const none: Readonly<Record<string, unknown>> = {}
  const other = fc.oneof(
    { weight: 20, arbitrary: fc.constant(none) },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...oddMembers), anything, { maxKeys: 2 }) },
  )
  return fc.tuple(known, other).map(([one, more]) => ({ ...one, ...more }))
}

function isOfForm(text: string, { format, minLength = 0, pattern = '' }: Schema): boolean {
  const holds = textFormats.find(({ name }) => name === format)?.holds ?? (() => true)
  return text.length >= minLength && new RegExp(pattern, 'u').test(text) && holds(text)
}

describe('a value fits where ajv finds nothing wrong with it', () => {
  test.each(schemas)('%s', (_, schema) => {
    const [fits, isValid] = [fitOf(schema), ajv.compile(schema)]
    const seen = { good: 0, bad: 0 }
    fc.assert(
      fc.property(near(schema as Schema), (value) => {
        const expected = isValid(value)
        seen[expected ? 'good' : 'bad'] += 1
        expect(fits?.(value)).toBe(expected)
      }),
      { numRuns: 600 },
    )
    // Else the two would agree on one answer alone.
    expect(seen.good).toBeGreaterThan(20)
    expect(seen.bad).toBeGreaterThan(20)
  })
})

test.each([
  ['a word that is not known', { type: 'object', patternProperties: {} }],
  ['one deep inside', { type: 'array', items: { type: 'object', properties: { a: { oneOf: [{ type: 'null' }] } } } }],
  ['members of a schema with one', { type: 'object', additionalProperties: { $ref: '#' } }],
  ['a format that is not known', { type: 'string', format: 'uri' }],
  ['a length in characters', { type: 'string', minLength: 2 }],
  ['an object to be equal to', { enum: [{}] }],
  ['a limit for any kind of value', { minimum: 3 }],
])('%s is left to ajv', (_, schema) => {
  expect(fitOf(schema)).toBeUndefined()
})

test('what is only remarked says nothing about a value', () => {
  const fits = fitOf({ title: 'Anything', description: 'At all.' })
  expect([undefined, null, 7, '', [], {}].map((value) => fits?.(value))).toEqual(Array(6).fill(true))
})
