import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row, Value, Values } from '../../src/core/row.ts'
import { checkMapping, compileMapping, type Mapped, type MappingSpec } from '../../src/mapping/compile.ts'
import { findResourceType } from '../../src/resources/index.ts'
import type { ResourceType } from '../../src/resources/resource-type.ts'
import { runs } from '../runs.ts'

function typeOf(word: string): ResourceType {
  const type = findResourceType(word)
  if (type === undefined) throw new Error(word)
  return type
}

const plots = typeOf('plots')
const holding = { scheme: 'nz.example.farm-number', id: '00412876' }

function rowOf(values: Values, row = 1): Row {
  return { at: { source: 'rimu.csv', row }, values }
}

function map(record: Readonly<Record<string, Value>>, values: Values, more: Partial<MappingSpec> = {}): Mapped {
  return compileMapping({ type: plots, holding, record, ...more }).apply(rowOf(values))
}

const zone = 'Pacific/Auckland'

describe('keys and identifiers', () => {
  const keyOf = (key: Value, values: Values): Mapped => map({ name: 'x' }, values, { key })

  test.each<[string, Value, Values, string]>([
    ['a column', '<ID>', { ID: ' 007 ' }, '007'],
    ['a number', '<ID>', { ID: 7 }, '7'],
    ['several columns', ['<A>', '<B>'], { A: '1', B: '2' }, '1/2'],
    ['slashes inside', ['<A>', '<B>'], { A: 'a/b', B: 'c' }, 'a%2Fb/c'],
    ['slashes elsewhere', ['<A>', '<B>'], { A: 'a', B: 'b/c' }, 'a/b%2Fc'],
    ['a template', { text: '<A>-<B>' }, { A: '1', B: '2' }, '1-2'],
  ])('%s', (_, key, values, expected) => {
    expect(keyOf(key, values)).toMatchObject({ sourceId: expected, problems: [] })
  })

  test.each<[string, Value, Values]>([
    ['blank', '<ID>', { ID: ' ' }],
    ['absent', '<ID>', {}],
    ['blank in a part', ['<A>', '<B>'], { A: '1', B: '' }],
  ])('a key that is %s is a problem of the row', (_, key, values) => {
    const mapped = keyOf(key, values)
    expect(mapped.sourceId).toBeUndefined()
    expect(mapped.problems).toMatchObject([{ code: 'key-missing', severity: 'error' }])
  })

  test('numbers that became identifiers are reported once a column', () => {
    const record = { identifiers: [{ scheme: 'nz.example', id: '<ID>' }], name: '<N>' }
    expect(map(record, { ID: 7, N: 3 }, { key: '<ID>' }).numericIds).toEqual(['ID'])
    expect(map(record, { ID: '007', N: 3 }, { key: '<ID>' }).numericIds).toEqual([])
  })

  test('a number that has lost digits is not an identifier', () => {
    const mapped = map({ name: 'x' }, { ID: 2 ** 60 }, { key: '<ID>' })
    expect(mapped.sourceId).toBeUndefined()
    expect(mapped.problems).toMatchObject([{ code: 'number-unclear', column: 'ID' }])
  })

  test.each(['9.82123E+14', '9,82E+14', '1E+05'])('%s, made by a spreadsheet from a long id, is not one', (id) => {
    const mapped = map({ name: 'x' }, { ID: id }, { key: '<ID>' })
    expect(mapped.sourceId).toBeUndefined()
    expect(mapped.problems).toMatchObject([{ code: 'number-unclear', column: 'ID', value: id }])
  })

  test('a day that a spreadsheet made of an id rejects its row, and is right in a key of several columns', () => {
    const row = { ID: '7', DAY: '2026-03-01' }
    expect(map({ name: 'x' }, row, { key: '<DAY>' }).problems).toMatchObject([{ code: 'date-as-id', column: 'DAY' }])
    expect(map({ name: 'x' }, row, { key: ['<ID>', '<DAY>'] }).problems).toEqual([])
  })

  test.each(['05:00:00', '5:00 AM', '5:00 am', '7:00:00 PM'])(
    '%s, a time that a spreadsheet made of an id such as 5 A, is not one',
    (id) => {
      expect(map({ name: 'x' }, { ID: id }, { key: '<ID>' }).problems).toMatchObject([{ code: 'date-as-id' }])
    },
  )

  test.each(['1E5', '12E+3', 'E+12', '3E+12a'])('%s is an ordinary id', (id) => {
    expect(map({ name: 'x' }, { ID: id }, { key: '<ID>' })).toMatchObject({ sourceId: id, problems: [] })
  })

  test('a word such as NULL is a blank and reported, unless the pipeline lists it', () => {
    const record = { name: '<N>', crops: [{ name: '<C>' }] }
    const mapped = map(record, { ID: '1', N: 'NULL', C: '\\N' }, { key: '<ID>' })
    expect(mapped).toMatchObject({ blank: ['/name', '/crops/0/name'], wordedBlanks: ['N', 'C'], problems: [] })
    const known = map({ name: { from: 'N', words: { NULL: 'Null farm' } } }, { ID: '1', N: 'NULL' }, { key: '<ID>' })
    expect(known).toMatchObject({ record: { name: 'Null farm' }, wordedBlanks: [] })
    expect(map(record, { ID: 'NULL', N: 'a' }, { key: '<ID>' }).problems).toMatchObject([{ code: 'key-missing' }])
  })

  test('a spreadsheet error is not a name', () => {
    const mapped = map({ name: '<N>' }, { ID: '1', N: '#REF!' }, { key: '<ID>' })
    expect(mapped.problems).toMatchObject([{ code: 'cell-error', column: 'N', value: '#REF!' }])
    expect(mapped.record).toEqual({})
  })

  test('the holding comes from the pipeline or the row', () => {
    const inRow = { scheme: 'nz.example.farm-number', id: '<FARM>' }
    expect(map({ name: 'x' }, {}).holding).toEqual(holding)
    expect(map({ name: 'x' }, { FARM: '00731190' }, { holding: inRow }).holding).toEqual({ ...inRow, id: '00731190' })
    const none = map({ name: 'x' }, { FARM: '' }, { holding: inRow })
    expect(none.holding).toBeUndefined()
    expect(none.problems).toMatchObject([{ code: 'holding-missing', column: 'FARM' }])
  })
})

describe('all mistakes in the mapping are found before any row', () => {
  test.each<[string, Partial<MappingSpec>, string, string]>([
    ['a misspelt field', { record: { nmae: '<N>' } }, '/record/nmae', 'did you mean name?'],
    [
      'a misspelt field inside',
      { record: { crops: [{ varietty: '<N>' }] } },
      '/record/crops/0/varietty',
      'did you mean variety?',
    ],
    ['a list without brackets', { record: { crops: { name: '<N>' } } }, '/record/crops', 'takes a list'],
    ['a list for one value', { record: { name: ['<N>'] } }, '/record/name', 'not a list'],
    ['one text for a list', { record: { crops: 'Oats' } }, '/record/crops', 'takes a list'],
    ['a field of windrow', { record: { dataPointKey: '<N>' } }, '/record/dataPointKey', 'A pipeline cannot set'],
    ['the geometry', { record: { spatialFeature: '<N>' } }, '/record/spatialFeature', 'A pipeline cannot set'],
    ['the source id', { record: { meta: { sourceId: '<N>' } } }, '/record/meta/sourceId', 'A pipeline cannot set'],
    ['an unknown unit', { record: { totalArea: { from: 'A', unit: 'hectars' } } }, '/record/totalArea', 'not a unit'],
    [
      'a unit of another kind',
      { record: { totalArea: { from: 'A', unit: 'kg' } } },
      '/record/totalArea',
      'a unit of mass',
    ],
    [
      'a date without a zone',
      { record: { meta: { modified: { from: 'A', date: 'd/M/yyyy' } } } },
      '/record/meta/modified',
      'add a time zone',
    ],
    [
      'no such zone',
      { record: { meta: { modified: { from: 'A', date: 'd/M/yyyy', zone: 'Aukland' } } } },
      '/record/meta/modified',
      'not a time zone',
    ],
    [
      'minutes for months',
      { record: { meta: { modified: { from: 'A', date: 'dd/mm/yyyy', zone: 'UTC' } } } },
      '/record/meta/modified',
      'dd/MM/yyyy',
    ],
    [
      'a date pattern for a number',
      { record: { totalArea: { from: 'A', date: 'd/M/yyyy' } } },
      '/record/totalArea/date',
      'has no effect here',
    ],
    ['a misspelt option', { record: { name: { from: 'A', wrods: {} } } }, '/record/name/wrods', 'not an option'],
    ['two sources', { record: { name: { from: 'A', text: '<B>' } } }, '/record/name', 'do not go together'],
    ['columns without join', { record: { name: { from: ['A', 'B'] } } }, '/record/name', 'need "join"'],
    ['split for one text', { record: { name: { from: 'A', split: ';' } } }, '/record/name/split', 'makes a list'],
    [
      'split for entries without a name',
      { record: { identifiers: { from: 'A', split: ';' } } },
      '/record/identifiers',
      'not one text',
    ],
    ['a column inside text', { record: { name: 'Paddock <N>' } }, '/record/name', 'inside other text'],
    ['nothing', { record: { name: null } }, '/record/name', 'The value is missing'],
    [
      'a constant that does not fit',
      { record: { activities: [{ isPrimary: 'maybe' }] } },
      '/record/activities/0/isPrimary',
      'does not fit a field',
    ],
    [
      'a word that does not fit',
      { record: { activities: [{ isPrimary: { from: 'A', words: { x: 'maybe' } } }] } },
      '/record/activities/0/isPrimary/words/x',
      'does not fit a field',
    ],
    [
      'an identifier without a scheme',
      { record: { identifiers: [{ id: '<A>' }] } },
      '/record/identifiers/0',
      'scheme is missing here',
    ],
    ['from misspelt', { record: { name: { form: 'A' } } }, '/record/name', 'not several fields'],
    [
      'a zone without a date',
      { record: { name: { from: 'A', zone: 'UTC' } } },
      '/record/name/zone',
      'has no effect here',
    ],
    [
      'a decimal mark for text',
      { record: { name: { from: 'A', number: { decimal: 'comma' } } } },
      '/record/name/number',
      'has no effect here',
    ],
    [
      'otherwise without words',
      { record: { name: { from: 'A', otherwise: 'keep' } } },
      '/record/name/otherwise',
      'has no effect here',
    ],
    ['a unit for text', { record: { name: { from: 'A', unit: 'ha' } } }, '/record/name/unit', 'has no effect here'],
    ['a key without a column', { key: 'PADDOCK' }, '/key', 'reads no column'],
    ['a key of nothing', { key: [] }, '/key', 'names no column'],
    ['an empty holding', { holding: { scheme: 'x', id: ' ' } }, '/holding', 'needs a scheme and an id'],
  ])('%s', (_, spec, path, part) => {
    const faults = checkMapping({ type: plots, holding, record: {}, ...spec })
    expect(faults.map((fault) => fault.path)).toContain(path)
    const { message, hint = '' } = faults.find((fault) => fault.path === path)!
    expect(`${message} ${hint}`).toContain(part)
  })

  test('all are reported at once, and nothing is compiled', () => {
    const spec = { type: plots, holding, record: { nmae: '<N>', crops: 'Oats' }, key: 'X' }
    expect(checkMapping(spec)).toHaveLength(3)
    expect(() => compileMapping(spec)).toThrow(expect.objectContaining({ code: 'pipeline-invalid' }))
  })
})

test('a mapping lists the columns it reads and the fields it owns', () => {
  const record = {
    name: { first: ['<NAME>', { text: '<FARM> <NO>' }] },
    crops: [{ name: '<CROP>', variety: { from: ['V1', 'V2'], join: ' ' } }],
  }
  const mapping = compileMapping({
    type: plots,
    holding: { scheme: 'x', id: '<HOLDING>' },
    key: ['<A>', '<B>'],
    record,
  })
  expect([...mapping.columns].toSorted()).toEqual(['A', 'B', 'CROP', 'FARM', 'HOLDING', 'NAME', 'NO', 'V1', 'V2'])
  expect([...mapping.owned].toSorted()).toEqual(['/crops', '/crops/0/name', '/crops/0/variety', '/name'])
})

const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('', '3/9/2026', '31/02/2026', '2026-09-27', '3.2 ha', '1.204,5', 'yes', 'RG', null, undefined),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
  ),
})).value

test('no row makes it throw, and no internal value is left in a record', () => {
  const mapping = compileMapping({
    type: plots,
    holding: { scheme: 'nz.example', id: '<A>' },
    key: ['<A>', { text: '<B>-<C>' }],
    decimal: 'comma',
    zone,
    record: {
      name: { from: 'A', words: { RG: 'Ryegrass' }, otherwise: 'keep' },
      totalArea: { first: [{ from: 'B', unit: 'ha' }, '<C>'] },
      identifiers: [{ scheme: 'nz.example', id: '<B>' }],
      crops: [{ name: { from: ['A', 'C'], join: '+' }, establishmentDate: { from: 'C', date: 'd/M/yyyy H:mm' } }],
      historicCrops: { from: 'A', split: ';' },
      activities: [{ name: '<A.b[0].c>', isPrimary: '<C>' }],
      additionalProperties: {
        raw: '<A>',
        day: { from: 'B', date: 'yyyyMMdd' },
        words: { from: 'C', words: { x: 1 }, otherwise: 'stop' },
      },
    },
  })
  fc.assert(
    fc.property(fc.record({ A: value, B: value, C: value }, { requiredKeys: [] }), (values) => {
      const { record, sourceId, blank, problems } = mapping.apply(rowOf(values))
      expect(() => JSON.stringify(record)).not.toThrow()
      expect(sourceId).not.toBe('')
      expect(blank.every((pointer) => mapping.owned.includes(pointer))).toBe(true)
      expect(problems.every(({ message }) => message.length > 10)).toBe(true)
      const { name } = record
      expect(name === undefined || (typeof name === 'string' && name !== '')).toBe(true)
    }),
    { numRuns: runs(500) },
  )
})
