import { describe, expect, test } from 'vitest'
import type { Row, Value, Values } from '../../src/core/row.ts'
import { compileMapping, type Mapped, type MappingSpec } from '../../src/mapping/compile.ts'
import { findResourceType } from '../../src/resources/index.ts'
import type { ResourceType } from '../../src/resources/resource-type.ts'

function typeOf(word: string): ResourceType {
  const type = findResourceType(word)
  if (type === undefined) throw new Error(word)
  return type
}

const plots = typeOf('plots')
const holding = { scheme: 'nz.example.farm-number', id: '00412876' }
const measured = { areaM2: 32_000.1234567, perimeterM: 712.345678, centroid: [175.3, -37.7] as const }

function rowOf(values: Values, row = 1): Row {
  return { at: { source: 'rimu.csv', row }, values }
}

function map(record: Readonly<Record<string, Value>>, values: Values, more: Partial<MappingSpec> = {}): Mapped {
  return compileMapping({ type: plots, holding, record, ...more }).apply(rowOf(values), measured)
}

const zone = 'Pacific/Auckland'
const date = (spec: object): Readonly<Record<string, Value>> => ({
  crops: [{ establishmentDate: { from: 'X', ...spec } }],
})
const area = (measurement: Value, units: string): Readonly<Record<string, Value>> => ({
  totalArea: { measurement, units },
})
const dated = (text: string): object => ({ crops: [{ establishmentDate: text }] })

describe('the value of a leaf', () => {
  test.each<[string, Readonly<Record<string, Value>>, Values, object]>([
    ['a cell', { name: '<NAME>' }, { NAME: ' Ōtāne flat ' }, { name: 'Ōtāne flat' }],
    ['a constant', { name: 'Rimu' }, {}, { name: 'Rimu' }],
    ['a number as text, shortest', { name: '<N>' }, { N: 0.1 }, { name: '0.1' }],
    ['a nested value', { name: '<a.b[0].c>' }, { a: { b: [{ c: 'x' }] } }, { name: 'x' }],
    ['a column that has the name of a path', { name: '<a.b>' }, { 'a.b': 'own', a: { b: 'nested' } }, { name: 'own' }],
    ['a column named like a method', { name: '<constructor>' }, { constructor: 'x' } as Values, { name: 'x' }],
    ['an absent column named like a method', { name: '<toString>' }, {}, {}],
    ['nothing through a prototype', { name: '<a.constructor.name>' }, { a: { b: 1 } }, {}],
    ['words', { name: { from: 'X', words: { RG: 'Ryegrass' } } }, { X: 'RG' }, { name: 'Ryegrass' }],
    ['words in another case', { name: { from: 'X', words: { RG: 'Ryegrass' } } }, { X: 'rg ' }, { name: 'Ryegrass' }],
    ['words for a number', { name: { from: 'X', words: { '7': 'Seven' } } }, { X: 7 }, { name: 'Seven' }],
    [
      'other words kept',
      { name: { from: 'X', words: { RG: 'a' }, otherwise: 'keep' } },
      { X: 'Oats' },
      { name: 'Oats' },
    ],
    ['other words left out', { name: { from: 'X', words: { RG: 'a' }, otherwise: 'blank' } }, { X: 'Oats' }, {}],
    ['a word for nothing', { name: { from: 'X', words: { '-': null } } }, { X: '-' }, {}],
    ['a date', date({ date: 'd/M/yyyy', zone }), { X: '3/9/2026' }, dated('2026-09-03T00:00:00+12:00')],
    ['a date in summer', date({ date: 'd/M/yyyy', zone }), { X: '3/1/2026' }, dated('2026-01-03T00:00:00+13:00')],
    [
      'an ISO date beside a pattern',
      date({ date: 'd/M/yyyy', zone }),
      { X: '2026-09-03' },
      dated('2026-09-03T00:00:00+12:00'),
    ],
    ['an ISO date without a pattern', date({ zone }), { X: '2026-09-03' }, dated('2026-09-03T00:00:00+12:00')],
    [
      'an instant unchanged',
      date({}),
      { X: '2026-09-03T01:02:03.1234567+00:00' },
      dated('2026-09-03T01:02:03.1234567+00:00'),
    ],
    ['an instant with a blank', date({}), { X: '2026-09-03 01:02Z' }, dated('2026-09-03T01:02:00Z')],
    [
      'a date of digits',
      date({ date: 'yyyyMMdd', zone: 'UTC' }),
      { X: 20_260_903 },
      dated('2026-09-03T00:00:00+00:00'),
    ],
    [
      'the start of a day without a midnight',
      date({ date: 'd/M/yyyy', zone: 'America/Sao_Paulo' }),
      { X: '4/11/2018' },
      dated('2018-11-04T01:00:00-02:00'),
    ],
    ['a measured area', { totalArea: 'measured' }, {}, area(32_000.12, 'MTK')],
    ['a measured length', { totalLength: 'measured' }, {}, { totalLength: { measurement: 712.35, units: 'MTR' } }],
    ['an area with its unit', { totalArea: { from: 'A', unit: 'ha' } }, { A: '3.2' }, area(3.2, 'HAR')],
    ['a unit in the cell', { totalArea: '<A>' }, { A: '3.2 ha' }, area(3.2, 'HAR')],
    [
      'a unit in the cell before the unit of the column',
      { totalArea: { from: 'A', unit: 'ha' } },
      { A: '7.9 acres' },
      area(7.9, 'ACR'),
    ],
    ['a measure written out', area('<A>', 'HAR'), { A: 3 }, area(3, 'HAR')],
    [
      'a decimal comma of the leaf',
      { totalArea: { from: 'A', unit: 'ha', number: { decimal: 'comma' } } },
      { A: '1.204,5' },
      area(1204.5, 'HAR'),
    ],
    [
      'yes',
      { activities: [{ name: 'x', isPrimary: '<P>' }] },
      { P: 'Yes' },
      { activities: [{ name: 'x', isPrimary: true }] },
    ],
    ['no as a number', { activities: [{ isPrimary: '<P>' }] }, { P: 0 }, { activities: [{ isPrimary: false }] }],
    [
      'a truth by words',
      { activities: [{ isPrimary: { from: 'P', words: { Cropped: 'yes', Grazed: 'no' } } }] },
      { P: 'Grazed' },
      { activities: [{ isPrimary: false }] },
    ],
    [
      'a list by splitting',
      { crops: { from: 'C', split: ';' } },
      { C: 'Oats; Peas;;' },
      { crops: [{ name: 'Oats' }, { name: 'Peas' }] },
    ],
    [
      'a split list with words',
      { crops: { from: 'C', split: ';', words: { O: 'Oats' }, otherwise: 'keep' } },
      { C: 'O;Peas' },
      { crops: [{ name: 'Oats' }, { name: 'Peas' }] },
    ],
    [
      'a list of the file',
      { crops: { from: 'C', split: ';' } },
      { C: ['Oats', 'Peas'] },
      { crops: [{ name: 'Oats' }, { name: 'Peas' }] },
    ],
    ['a list of records of the file', { crops: '<C>' }, { C: [{ name: 'Oats' }] }, { crops: [{ name: 'Oats' }] }],
    ['a joined list', { name: { from: 'T', join: ', ' } }, { T: ['a', 'b'] }, { name: 'a, b' }],
    ['joined columns', { name: { from: ['A', 'B'], join: ' ' } }, { A: 'Top', B: 'flat' }, { name: 'Top flat' }],
    ['joined columns, one blank', { name: { from: ['A', 'B'], join: ' ' } }, { A: '', B: 'flat' }, { name: 'flat' }],
    ['the first that is filled', { name: { first: ['<A>', '<B>'] } }, { A: ' ', B: 'flat' }, { name: 'flat' }],
    [
      'the first, with a constant at the end',
      { name: { first: ['<A>', 'unnamed'] } },
      { A: null },
      { name: 'unnamed' },
    ],
    [
      'the first, with options for all',
      { crops: [{ establishmentDate: { first: ['<A>', '<B>'], date: 'd/M/yyyy', zone } }] },
      { A: '', B: '3/9/2026' },
      dated('2026-09-03T00:00:00+12:00'),
    ],
    [
      'the first, with its own options',
      { name: { first: [{ from: 'A', words: { '-': null } }, '<B>'] } },
      { A: '-', B: 'x' },
      { name: 'x' },
    ],
    ['a template', { name: { text: '<FARM>-<NO>' } }, { FARM: 'Rimu', NO: 7 }, { name: 'Rimu-7' }],
    [
      'an open field',
      { additionalProperties: { slope: '<S>', tags: '<T>' } },
      { S: 12.5, T: ['a'] },
      { additionalProperties: { slope: 12.5, tags: ['a'] } },
    ],
    [
      'a split list in an open field',
      { additionalProperties: { tags: { from: 'T', split: ',' } } },
      { T: 'a, b' },
      { additionalProperties: { tags: ['a', 'b'] } },
    ],
    [
      'a list among joined columns',
      { name: { from: ['A', 'B'], join: ' ' } },
      { A: ['x', 'y'], B: 'z' },
      { name: 'x y z' },
    ],
    [
      'a date in an open field',
      { additionalProperties: { day: { from: 'S', date: 'd/M/yyyy' } } },
      { S: '3/9/2026' },
      { additionalProperties: { day: '2026-09-03' } },
    ],
    [
      'a change of the record',
      { meta: { modified: '<M>' } },
      { M: '2026-09-03T00:00:00Z' },
      { meta: { modified: '2026-09-03T00:00:00Z' } },
    ],
    ['a column of a leaf map in brackets', { name: { from: '<X>', words: { a: 'b' } } }, { X: 'a' }, { name: 'b' }],
  ])('%s', (_, record, values, expected) => {
    const mapped = map(record, values)
    expect(mapped.problems).toEqual([])
    expect(mapped.record).toEqual(expected)
  })

  test('an entry without a filled cell is left out, with its constants', () => {
    const record = {
      identifiers: [{ scheme: 'nz.example', id: '<X>' }],
      crops: [{ name: '<C>', variety: '<V>' }, { name: 'Clover' }],
    }
    const mapped = map(record, { X: '', C: null, V: '  ' })
    expect(mapped.record).toEqual({ crops: [{ name: 'Clover' }] })
    expect(mapped.blank).toEqual(['/identifiers/0/id', '/crops/0/name', '/crops/0/variety'])
  })

  test('a missing column is not a blank cell', () => {
    expect(map({ name: '<GONE>' }, { OTHER: 'x' }).blank).toEqual([])
    expect(map({ name: '<NAME>' }, { NAME: '' }).blank).toEqual(['/name'])
  })

  test('the decimal mark of the file applies to a unit in an open field, and not to its bare cells', () => {
    const record = { additionalProperties: { cover: { from: 'A', unit: 'kg' }, note: '<A>' } }
    expect(map(record, { A: '1.250' }, { decimal: 'comma' }).record).toMatchObject({
      additionalProperties: { cover: { measurement: 1250, units: 'KGM' }, note: '1.250' },
    })
  })

  test('decimal mark and zone of the file apply where a leaf has none', () => {
    const record = { ...date({ date: 'd/M/yyyy' }), totalArea: { from: 'A', unit: 'ha' } }
    const mapped = map(record, { X: '3/9/2026', A: '12,5' }, { decimal: 'comma', zone })
    expect(mapped.record).toEqual({
      ...dated('2026-09-03T00:00:00+12:00'),
      totalArea: { measurement: 12.5, units: 'HAR' },
    })
  })

  test('a day in a text field stays a day, unless the leaf names a zone', () => {
    const day = { from: 'X', date: 'd/M/yyyy' }
    const record = { name: day, additionalProperties: { start: { ...day, zone } } }
    expect(map(record, { X: '3/9/2026' }, { zone: 'UTC' }).record).toEqual({
      name: '2026-09-03',
      additionalProperties: { start: '2026-09-03T00:00:00+12:00' },
    })
  })

  test('without a shape nothing is measured, and nothing is blank', () => {
    const mapping = compileMapping({ type: plots, holding, record: { totalArea: 'measured' } })
    expect(mapping.apply(rowOf({}))).toMatchObject({ record: {}, blank: [], problems: [] })
  })
})

describe('wrong cells are problems of the row', () => {
  test.each<[string, Readonly<Record<string, Value>>, Values, object]>([
    [
      'an impossible date',
      date({ date: 'd/M/yyyy', zone }),
      { X: '31/02/2026' },
      {
        code: 'date-impossible',
        value: '31/02/2026',
        path: '/crops/0/establishmentDate',
        message: 'February 2026 has 28 days. Expected day/month/year.',
        hint: 'Correct the cell, or leave it empty.',
      },
    ],
    [
      'a date of another form',
      date({ date: 'd/M/yyyy', zone }),
      { X: '3.9.2026' },
      { code: 'date-unclear', hint: 'Correct the cell, or leave it empty.' },
    ],
    ['day and month exchanged', date({ date: 'yyyy-dd-MM', zone }), { X: '2026-03-31' }, { code: 'date-impossible' }],
    [
      'a date without a zone',
      date({}),
      { X: '2026-09-03' },
      { code: 'date-unclear', message: 'This date has no time zone.' },
    ],
    [
      'a time in the gap',
      date({ date: 'd/M/yyyy H:mm', zone }),
      { X: '27/9/2026 2:30' },
      { code: 'date-impossible', severity: 'error' },
    ],
    ...['-4', '-4 ha', '−0,5'].map((X): [string, Readonly<Record<string, Value>>, Values, object] => [
      `the area ${X}`,
      { totalArea: { from: 'X', unit: 'ha', number: { decimal: 'comma' } } },
      { X },
      { code: 'number-negative', severity: 'error' },
    ]),
    ...['1899-12-30', '1900-01-01', '9999-12-31', '0202-03-12', '1026-03-12', '2206-03-12', '0001-01-01T00:00:00Z'].map(
      (X): [string, Readonly<Record<string, Value>>, Values, object] => [
        `the day ${X}`,
        date({ date: 'yyyy-MM-dd', zone }),
        { X },
        { code: X.includes('T') ? 'date-unclear' : 'date-unlikely', severity: 'error', value: X },
      ],
    ),
    [
      'a day of the year 5',
      date({ date: 'yyyy-MM-dd', zone }),
      { X: '0005-07-19' },
      { code: 'date-unlikely', message: 'The year 5 cannot be right.' },
    ],
    ['a moment for nothing', date({ zone }), { X: '0001-01-01T00:00:00Z' }, { code: 'date-unlikely' }],
    [
      'a number in m² that may have thousands',
      { totalArea: { from: 'X', unit: 'm²' } },
      { X: '12.345' },
      { code: 'number-unclear', message: 'Is the point a decimal separator or between thousands?' },
    ],
    ['no number', { totalArea: { from: 'X', unit: 'ha' } }, { X: 'three' }, { code: 'number-unclear' }],
    [
      'an ambiguous mark',
      { totalArea: { from: 'X', unit: 'ha' } },
      { X: '1,204' },
      { code: 'number-unclear', hint: expect.stringContaining('from.decimal: comma') as string },
    ],
    [
      'a number without a unit',
      { totalArea: '<X>' },
      { X: '3.2' },
      { code: 'unit-unknown', message: 'The number has no unit.' },
    ],
    ['a unit of another kind', { totalArea: '<X>' }, { X: '3.2 kg' }, { code: 'unit-unknown' }],
    ['neither yes nor no', { activities: [{ isPrimary: '<X>' }] }, { X: 'perhaps' }, { code: 'truth-unclear' }],
    [
      'an unknown word',
      { name: { from: 'X', words: { Ryegrass: 'RG' } } },
      { X: 'Ryegras' },
      {
        code: 'word-unknown',
        message: 'The pipeline does not list this word. The nearest is "Ryegrass".',
      },
    ],
    [
      'a nested value among joined columns',
      { name: { from: ['X', 'Y'], join: ' ' } },
      { X: { a: 1 }, Y: 'b' },
      { column: 'X + Y', code: 'value-not-fitting-column' },
    ],
    [
      'a nested value in a template',
      { name: { text: '<X>-<Y>' } },
      { X: { a: 1 }, Y: 'b' },
      { column: 'X + Y', code: 'value-not-fitting-column' },
    ],
    ['a list for one text', { name: '<X>' }, { X: ['a', 'b'] }, { code: 'value-not-fitting-column' }],
    ['a text for a list', { crops: '<X>' }, { X: 'Oats' }, { code: 'value-not-fitting-column' }],
  ])('%s', (_, record, values, expected) => {
    const { problems, record: made } = map(record, values)
    expect(problems).toMatchObject([{ column: 'X', at: { source: 'rimu.csv', row: 1 }, ...expected }])
    expect(made).toEqual({})
  })

  test('a time that comes twice is taken once, with a note', () => {
    const mapped = map(date({ date: 'd/M/yyyy H:mm', zone }), { X: '5/4/2026 2:30' })
    expect(mapped.record).toEqual(dated('2026-04-05T02:30:00+13:00'))
    expect(mapped.problems).toMatchObject([{ code: 'date-twice', severity: 'note' }])
  })

  test('a wrong alternative is reported, not skipped', () => {
    const spec = { crops: [{ establishmentDate: { first: ['<X>', '<Y>'], date: 'd/M/yyyy', zone } }] }
    expect(map(spec, { X: '31/02/2026', Y: '3/9/2026' }).problems).toMatchObject([{ code: 'date-impossible' }])
  })
})
