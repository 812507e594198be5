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

  test('numbers that became identifiers are told once a column', () => {
    const record = { identifiers: [{ scheme: 'nz.example', id: '<ID>' }], name: '<N>' }
    expect(map(record, { ID: 7, N: 3 }, { key: '<ID>' }).numericIds).toEqual(['ID'])
    expect(map(record, { ID: '007', N: 3 }, { key: '<ID>' }).numericIds).toEqual([])
  })

  test('a number that has lost figures is no identifier', () => {
    const mapped = map({ name: 'x' }, { ID: 2 ** 60 }, { key: '<ID>' })
    expect(mapped.sourceId).toBeUndefined()
    expect(mapped.problems).toMatchObject([{ code: 'number-unclear', column: 'ID' }])
  })

  test.each(['9.82123E+14', '9,82E+14', '1E+05'])('%s, which a spreadsheet made of a long id, is none', (id) => {
    const mapped = map({ name: 'x' }, { ID: id }, { key: '<ID>' })
    expect(mapped.sourceId).toBeUndefined()
    expect(mapped.problems).toMatchObject([{ code: 'number-unclear', column: 'ID', value: id }])
  })

  test.each(['1E5', '12E+3', 'E+12', '3E+12a'])('%s is an id like others', (id) => {
    expect(map({ name: 'x' }, { ID: id }, { key: '<ID>' })).toMatchObject({ sourceId: id, problems: [] })
  })

  test('a word for nothing is a blank, which is told, and one that the pipeline knows is a word', () => {
    const record = { name: '<N>', crops: [{ name: '<C>' }] }
    const mapped = map(record, { ID: '1', N: 'NULL', C: '\\N' }, { key: '<ID>' })
    expect(mapped).toMatchObject({ blank: ['/name', '/crops/0/name'], wordedBlanks: ['N', 'C'], problems: [] })
    const known = map({ name: { from: 'N', words: { NULL: 'Null farm' } } }, { ID: '1', N: 'NULL' }, { key: '<ID>' })
    expect(known).toMatchObject({ record: { name: 'Null farm' }, wordedBlanks: [] })
    expect(map(record, { ID: 'NULL', N: 'a' }, { key: '<ID>' }).problems).toMatchObject([{ code: 'key-missing' }])
  })

  test('an error of a spreadsheet is no name', () => {
    const mapped = map({ name: '<N>' }, { ID: '1', N: '#REF!' }, { key: '<ID>' })
    expect(mapped.problems).toMatchObject([{ code: 'cell-error', column: 'N', value: '#REF!' }])
    expect(mapped.record).toEqual({})
  })

  test('the holding is what the pipeline says, or what the row says', () => {
    const inRow = { scheme: 'nz.example.farm-number', id: '<FARM>' }
    expect(map({ name: 'x' }, {}).holding).toEqual(holding)
    expect(map({ name: 'x' }, { FARM: '00731190' }, { holding: inRow }).holding).toEqual({ ...inRow, id: '00731190' })
    const none = map({ name: 'x' }, { FARM: '' }, { holding: inRow })
    expect(none.holding).toBeUndefined()
    expect(none.problems).toMatchObject([{ code: 'holding-missing', column: 'FARM' }])
  })
})

describe('mistakes in the mapping are all found before any row', () => {
  test.each<[string, Partial<MappingSpec>, string, string]>([
    ['a misspelt field', { record: { nmae: '<N>' } }, '/record/nmae', 'did you mean name?'],
    [
      'a misspelt field inside',
      { record: { crops: [{ varietty: '<N>' }] } },
      '/record/crops/0/varietty',
      'did you mean variety?',
    ],
    ['a list without brackets', { record: { crops: { name: '<N>' } } }, '/record/crops', 'takes a list'],
    ['a list that is none', { record: { name: ['<N>'] } }, '/record/name', 'not a list'],
    ['one text for a list', { record: { crops: 'Oats' } }, '/record/crops', 'takes a list'],
    ['a field of windrow', { record: { dataPointKey: '<N>' } }, '/record/dataPointKey', 'not for a pipeline'],
    ['the geometry', { record: { spatialFeature: '<N>' } }, '/record/spatialFeature', 'not for a pipeline'],
    ['the source id', { record: { meta: { sourceId: '<N>' } } }, '/record/meta/sourceId', 'not for a pipeline'],
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
      'a zone must be named',
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
      'a date for a name is a date, for a number it is none',
      { record: { totalArea: { from: 'A', date: 'd/M/yyyy' } } },
      '/record/totalArea',
      'no use here',
    ],
    ['a misspelt option', { record: { name: { from: 'A', wrods: {} } } }, '/record/name/wrods', 'not known'],
    ['two sources', { record: { name: { from: 'A', text: '<B>' } } }, '/record/name', 'do not go together'],
    ['columns without join', { record: { name: { from: ['A', 'B'] } } }, '/record/name', 'need "join"'],
    ['split for one text', { record: { name: { from: 'A', split: ';' } } }, '/record/name/split', 'makes a list'],
    [
      'split for entries without a name',
      { record: { identifiers: { from: 'A', split: ';' } } },
      '/record/identifiers',
      'not enough',
    ],
    ['a column inside text', { record: { name: 'Paddock <N>' } }, '/record/name', 'inside other text'],
    ['nothing', { record: { name: null } }, '/record/name', 'Nothing stands here'],
    [
      'a constant that does not fit',
      { record: { activities: [{ isPrimary: 'maybe' }] } },
      '/record/activities/0/isPrimary',
      'no value',
    ],
    [
      'a word that does not fit',
      { record: { activities: [{ isPrimary: { from: 'A', words: { x: 'maybe' } } }] } },
      '/record/activities/0/isPrimary/words/x',
      'no value',
    ],
    [
      'an identifier without a scheme',
      { record: { identifiers: [{ id: '<A>' }] } },
      '/record/identifiers/0',
      'scheme must be said',
    ],
    ['from misspelt', { record: { name: { form: 'A' } } }, '/record/name', 'not fields of its own'],
    ['a zone without a date', { record: { name: { from: 'A', zone: 'UTC' } } }, '/record/name/zone', 'no use here'],
    [
      'a decimal mark for text',
      { record: { name: { from: 'A', number: { decimal: 'comma' } } } },
      '/record/name/number',
      'no use here',
    ],
    [
      'otherwise without words',
      { record: { name: { from: 'A', otherwise: 'keep' } } },
      '/record/name/otherwise',
      'no use here',
    ],
    ['a unit for text', { record: { name: { from: 'A', unit: 'ha' } } }, '/record/name', 'no use here'],
    ['a key without a column', { key: 'PADDOCK' }, '/key', 'reads no column'],
    ['a key of nothing', { key: [] }, '/key', 'names no column'],
    ['an empty holding', { holding: { scheme: 'x', id: ' ' } }, '/holding', 'needs a scheme and an id'],
  ])('%s', (_, spec, path, part) => {
    const faults = checkMapping({ type: plots, holding, record: {}, ...spec })
    expect(faults.map((fault) => fault.path)).toContain(path)
    const { message, hint = '' } = faults.find((fault) => fault.path === path)!
    expect(`${message} ${hint}`).toContain(part)
  })

  test('all are told at once, and nothing is compiled', () => {
    const spec = { type: plots, holding, record: { nmae: '<N>', crops: 'Oats' }, key: 'X' }
    expect(checkMapping(spec)).toHaveLength(3)
    expect(() => compileMapping(spec)).toThrow(expect.objectContaining({ code: 'pipeline-invalid' }))
  })
})

test('a mapping says what it reads and what it owns', () => {
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

test('no row makes it throw, and whatever comes out holds no leftovers', () => {
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
