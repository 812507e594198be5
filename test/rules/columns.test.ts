import { describe, expect, test } from 'vitest'
import { problem, textOf } from '../../src/core/problem.ts'
import { readThrough } from '../../src/core/profile/profile-table.ts'
import { compileDatePattern, type DatePattern } from '../../src/core/values/date-pattern.ts'
import type { Choice, Value } from '../../src/core/row.ts'
import type { Shape } from '../../src/core/shape.ts'
import { columnsTaken, fieldChoices, recordOf } from '../../src/mapping/choice.ts'
import { headerWords } from '../../src/core/values/header-words.ts'
import { decideColumns, type Columns } from '../../src/rules/columns.ts'
import type { ColumnsRead } from '../../src/rules/field-columns.ts'
import { findResourceType } from '../../src/resources/index.ts'
import { cellsOf, memoryTable, square } from '../memory-table.ts'

const zone = 'Pacific/Auckland'

type Cells = readonly (readonly Value[])[]

async function decide(
  header: string | readonly string[],
  rows: string | Cells,
  more: { readonly type?: string; readonly shapes?: boolean; readonly options?: Partial<ColumnsRead> } = {},
) {
  const columns = typeof header === 'string' ? header.split('|') : header
  const cells = typeof rows === 'string' ? cellsOf(rows) : rows
  const shapes = more.shapes === true ? cells.map((_, index) => square(index, 0, 1)) : undefined
  const type = findResourceType(more.type ?? 'plots')!
  return seen(
    decideColumns({ type, profile: await profileTable(memoryTable(columns, cells, shapes)), ...more.options }),
  )
}

/** A choice with the one column that it takes. */
type Seen = Choice & { readonly column: string | undefined }

function seen({ choices, found, ...rest }: Columns) {
  const withColumn = (choice: Choice): Seen => {
    const columns = columnsTaken(choice.value)
    return { ...choice, column: columns.length === 1 ? columns[0] : undefined }
  }
  const one = (setting: string): Seen | undefined =>
    choices.filter((each) => each.setting === setting).map(withColumn)[0]
  return {
    ...rest,
    notes: found.map(textOf),
    key: one('key')!,
    holding: one('holding'),
    decimal: one('from.decimal'),
    fields: fieldChoices(choices).map(withColumn),
    undecided: choices.filter(({ setting, certainty }) => setting.startsWith('record.') && certainty === 'ask'),
    record: recordOf(choices),
  }
}

type View = ReturnType<typeof seen>

function fieldOf({ fields }: Pick<View, 'fields'>, field: string): Seen | undefined {
  return fields.find(({ setting }) => setting === `record.${field}`)
}

const rimu = {
  header: 'PADDOCK_ID|NAME|CROP|SOWN|AREA_HA',
  rows: '001|Rāhui|RG|3/9/2026|3.2; 002|Ōtāne flat|LUC|31/8/2026|4.75; 003|Rāhui|RG||12.5',
}

test('paddocks with boundaries', async () => {
  const suggestion = await decide(rimu.header, rimu.rows, { shapes: true, options: { zone } })
  expect(suggestion.key).toMatchObject({
    column: 'PADDOCK_ID',
    value: '<PADDOCK_ID>',
    evidence: '3 of 3 filled, all different',
    others: [],
    certainty: 'sure',
  })
  expect(suggestion.record).toEqual({
    name: '<NAME>',
    totalArea: 'measured',
    crops: [{ name: '<CROP>', establishmentDate: { from: 'SOWN', date: 'd/M/yyyy', zone } }],
  })
  expect(fieldOf(suggestion, 'crops.0.establishmentDate')?.evidence).toBe(
    'd/M/yyyy fits 2 of 2; M/d/yyyy fails on 1 of them, first 31/8/2026 in row 3',
  )
  expect(fieldOf(suggestion, 'totalArea')?.others).toEqual([{ value: { from: 'AREA_HA', unit: 'ha' }, evidence: '' }])
  expect(suggestion.decimal).toMatchObject({ value: 'point' })
  expect(suggestion.unused).toEqual([])
})

test('paddocks without a column of names have a note, with the column that may be it', async () => {
  expect((await decide('PDK_NO', '7; 9', { shapes: true })).notes).toEqual([
    'No column has names, so new plots would have none. If <PDK_NO> is what they are called, set  record.name: <PDK_NO>',
  ])
  expect((await decide('PDK_NO', '7; 9')).notes).toEqual([])
})

test('without boundaries the area comes from its column', async () => {
  expect((await decide(rimu.header, rimu.rows)).record).toMatchObject({
    totalArea: { from: 'AREA_HA', unit: 'ha' },
  })
})

test('boundaries may be in collections with a point for the label, as some maps have them', async () => {
  const point: Shape = { kind: 'Point', coordinates: Float64Array.of(0, 0), ends: [1], parts: [1] }
  const shapes = [0, 1].map((at): Shape => ({
    kind: 'GeometryCollection',
    coordinates: new Float64Array(),
    ends: [],
    parts: [],
    members: [point, square(at, 0, 1)],
  }))
  const cells = cellsOf('1|Top; 2|Low')
  const { record } = seen(
    decideColumns({
      type: findResourceType('plots')!,
      profile: await profileTable(memoryTable(['ID', 'NAME'], cells, shapes)),
    }),
  )
  expect(record).toEqual({ name: '<NAME>', totalArea: 'measured' })
})

const blocks = 'Dairy|P1; Dairy|P2; Support|P3; Support|P4'
const shapes = 'Top|1; Top|2; Hill|3; Hill|4'
test.each([
  ['Block_Name|Paddock_Na', 'Paddock_Na', 'the block with several', blocks],
  ['Block|Paddock', 'Paddock', 'the block with several', blocks],
  ['Block name|Paddock', 'Paddock', 'the block with several', blocks],
  ['Unit|Field', 'Field', 'the block with several', blocks],
  ['Land cover|Field', 'Field', 'the block with several', blocks],
  ['Title|Paddock', 'Paddock', 'the block with several', blocks],
  ['Paddock|Polygon', 'Paddock', 'its shapes', shapes],
  ['Paddock name|Feature', 'Paddock name', 'its shapes', shapes],
])('of %s the name is in %s, not in that of %s', async (header, name, _, rows) => {
  const suggestion = await decide(header, rows, { shapes: true })
  expect(fieldOf(suggestion, 'name')?.column).toBe(name)
})

test('words that stand for nothing do not leave out a column of areas or dates', async () => {
  const rows = '1|12,4|Wheat|1.5.2026; 2|-|Wheat|14.5.2026; 3|8,1|Pasture|-; 4|8,2|Pasture|n/a'
  const { record, decimal } = await decide('ID|Area ha|Crop|Sown', rows)
  expect(decimal?.value).toBe('comma')
  expect(record).toEqual({
    totalArea: { from: 'Area ha', words: { '-': '' }, unit: 'ha' },
    crops: [{ name: '<Crop>', establishmentDate: { from: 'Sown', words: { '-': '', 'n/a': '' }, date: 'd.M.yyyy' } }],
  })
})

test('a block that is named only in its first row is no name of paddocks', async () => {
  const suggestion = await decide('Block|Paddock|ha', 'Home|1|3.2; |2|3.2; |3|3.2; Away|1|3.2; |2|3.2; |3|3.2')
  expect(fieldOf(suggestion, 'name')?.column).toBe('Paddock')
})

test.each([
  ['Crop 24/25', 'Crop 25/26'],
  ['2024/25 Crop', '2025/26 Crop'],
])('of the seasons %s and %s the last has the crop', async (before, now) => {
  const suggestion = await decide(['Paddock ID', before, now], '1|Oats|Kale')
  expect(fieldOf(suggestion, 'crops.0.name')).toMatchObject({ column: now, certainty: 'check' })
})

test('a name such as NA or an emoji that one paddock has stays its name', async () => {
  const rows = 'P0|NA; P1|NB; P2|Nil; P3|🐄; P4|-; P5|n/a; P6|Unknown; P7|unknown; P8|Unknown'
  const suggestion = await decide('ID|Paddock', rows)
  expect(fieldOf(suggestion, 'name')?.value).toEqual({
    from: 'Paddock',
    words: { '-': '', 'n/a': '', Unknown: '' },
    otherwise: 'keep',
  })
})

test('words that stand for nothing, as people fill in their sheets, become no crop', async () => {
  const rows = 'P0|Wheat; P1|-; P2|n/a; P3|?; P4|Canola; P5|none; P6|Nashi'
  const suggestion = await decide('Paddock ID|Crop', rows)
  expect(fieldOf(suggestion, 'crops.0.name')).toMatchObject({
    value: { from: 'Crop', words: { '-': '', 'n/a': '', '?': '', none: '' }, otherwise: 'keep' },
    certainty: 'sure',
  })
})

test.each(['LAND_COVER', 'Unit'])('a column %s has no names of paddocks', async (header) => {
  const suggestion = await decide(['PARCEL_ID', header], '1013|Arable Land; 1026|Grassland', { shapes: true })
  expect(fieldOf(suggestion, 'name')).toBeUndefined()
  expect(suggestion.notes.join()).toContain('No column has names')
})

test('names that a spreadsheet made days are still the names, so that their rows are rejected', async () => {
  const rows = '1|2026-01-01; 2|2026-02-01'
  expect((await decide('ID|Name', rows)).record).toMatchObject({ name: '<Name>' })
  expect((await decide('ID|Cover', rows)).record).toEqual({})
})

test('a column of areas with too many other cells is left out with a note, as a column of dates is', async () => {
  const rows = '0|5.2|Block 0; 1|4.9|Block 1; 2|2026-05-04|Block 2'
  const { record, notes } = await decide('ID|Area ha|Irrigation area', rows)
  expect(record).not.toHaveProperty('totalArea')
  expect(notes).toEqual([
    '<Area ha> is left out: 1 of its 3 cells is not a number, such as "2026-05-04". Correct them to use it.',
  ])
})

test.each([
  ['Area (ha)', [12500, 125000], 'if areas such as 12500 ha are square metres, write  unit: m²'],
  ['Acres', ['1200', '7000'], 'if areas such as 1200 ac are square metres, write  unit: m²'],
  ['Area (ha)', [12500, 12.5], undefined],
  ['Area (m2)', [12500, 125000], undefined],
])('%s with %j: paddocks that are too large for the unit are a guess', async (header, areas, doubt) => {
  const cells = areas.map((area, at) => [`P${at}`, area])
  const area = fieldOf(await decide(['ID', header], cells), 'totalArea')
  expect(area?.certainty).toBe(doubt === undefined ? 'sure' : 'check')
  if (doubt !== undefined) expect(area?.evidence).toContain(doubt)
})

test.each([
  ['P0|-; P1|2.25; P2|none', '2 of its 3 cells are not numbers, such as "-"'],
  ['P0|“1.5”; P1|“2.25”', '2 of its 2 cells are not numbers, such as "“1.5”"'],
  ['P0|1.5; P1|2,25', '1 of its 2 cells is not a number, such as "2,25"'],
])('a column of areas is left out with a note where few of its cells are numbers: %s', async (rows, note) => {
  const { notes } = await decide('ID|Area ha', rows)
  expect(notes).toEqual([`<Area ha> is left out: ${note}. Correct them to use it.`])
})

test('names are read although a program made one of them TRUE or put them in typographic quotes, with a note', async () => {
  const { record, notes } = await decide('ID|Name', [['1', 'Top'], ['2', true], ['3', 7]]) // oxfmt-ignore
  expect(record).toEqual({ name: '<Name>' })
  expect(notes).toEqual([
    '<Name> has 1 cell with TRUE or FALSE instead of a text, read as "true" or "false". Please check.',
  ])
  expect((await decide('ID|Name', '1|“Top”; 2|„Low“')).notes).toEqual([
    '<Name> has its texts in quotes, such as “Top”, which become part of them. A program wrote them twice, or typographic ones: export the file again, or write " in it.',
  ])
  expect((await decide('ID|Name', '1|"Top"; 2|"Low"')).notes).toEqual([
    '<Name> has its texts in quotes, such as "Top", which become part of them. A program wrote them twice, or typographic ones: export the file again, or write " in it.',
  ])
  expect((await decide('ID|Pasture', [['1', true], ['2', false]])).record).toEqual({}) // oxfmt-ignore
})

test('days and moments of a workbook are read in one column', async () => {
  const rows = '1|Oats|2026-03-31; 2|Oats|2026-04-02T10:30:00'
  const { record } = await decide('ID|Crop|Sown', rows, { options: { zone } })
  expect(record).toEqual({ crops: [{ name: '<Crop>', establishmentDate: { from: 'Sown', zone } }] })
})

test.each([
  ['d. MMM yyyy', '1. Mrz 2026', '31. Dez. 2025'],
  ['d MMM yyyy', '13 févr. 2026', '1 août 2026'],
  ['d-MMM-yyyy', '1-ene-2026', '31-dic-2025'],
  ['d MMM yyyy', '1 mrt 2026', '6 mei 2026'],
  ['yyyy年M月d日', '2026年2月13日', '2025年12月31日'],
])('dates are read as %s: %s', async (date, ...days) => {
  const cells = days.map((day, at) => [`${at}`, 'Oats', day])
  const { record } = await decide('ID|Crop|Sown', cells, { options: { zone } })
  expect(record).toEqual({ crops: [{ name: '<Crop>', establishmentDate: { from: 'Sown', date, zone } }] })
})

test.each(['Sown (dd/mm/yyyy)', 'Sown d/m/yy', 'Sown (yyyy-mm-dd)', 'Aussaat TT.MM.JJJJ'])(
  'a header may say how its dates are written: %s',
  async (header) => {
    const { record } = await decide(['ID', 'Crop', header], '1|Oats|2026-03-31', { options: { zone } })
    expect(record).toMatchObject({ crops: [{ establishmentDate: { from: header } }] })
  },
)

describe('keys', () => {
  const numbers = [['3', 4], ['5', 6]] // oxfmt-ignore
  test.each<[string, string, string | Cells, string | undefined, boolean]>([
    ['the id of the paddock before its name', 'Name|Paddock no', 'a|1; b|2', 'Paddock no', true],
    ['an id before a row number', 'OBJECTID|Code', '1|x; 2|y', 'Code', true],
    ['a row number rather than nothing, as a guess', 'OBJECTID|X', '1|x; 2|x', 'OBJECTID', false],
    ['a name rather than a column of no name, as a guess', 'NAME|REMARK', 'a|x; b|y', 'NAME', false],
    ['ids that count the rows from 0, as a guess', 'id|NAME', '0|a; 1|a', 'id', false],
    ['ids that are the row numbers of another column, as a guess', 'id|OBJECTID', '17|17; 4|4', 'id', false],
    ['names rather than the 0 of a file with one row, as a guess', 'Id|NAME', '0|a', 'NAME', false],
    ['an id of its own in a file with one row', 'Id|NAME', '7|a', 'Id', true],
    ['no date', 'Sown', '3/9/2026; 4/9/2026', undefined, false],
    ['no measured number', 'AREA', '3.25; 4.75', undefined, false],
    ['no area without decimals, as text or number', 'Area|Size (ha)', numbers, undefined, false],
    ['names of areas', 'Area', 'North; South', 'Area', false],
    ['numbers of areas', 'Area no', '3; 5', 'Area no', true],
    ['no column with a blank', 'ID', '1; ', undefined, false],
    ['no column with a repeat', 'ID', '1; 1', undefined, false],
  ])('%s', async (...[, columns, cells, column, certain]) => {
    const { key } = await decide(columns, cells)
    expect(key).toMatchObject({ column, certainty: certain ? 'sure' : 'ask' })
    if (key.value === undefined) expect(key.evidence).toContain('could not recognise')
  })

  test('a ranch calls its paddocks pastures', async () => {
    const { key } = await decide('Pasture|Head', 'North Forty|12; Creek|10')
    expect(key?.column).toBe('Pasture')
  })

  test('without a key, the evidence names the nearest column, and what to do if there is none', async () => {
    const { key } = await decide('ID|NAME', '1|a; 1|b; 2|')
    expect(key.evidence).toBe(
      'No column is filled in and different in every row, so there is no key: windrow could not recognise these records next time. The nearest is <ID>: 3 of 3 filled, 2 of 3 different. Name several columns that are different together, or add a column with a number for each row. Every later import must use the same key, or records are published twice.',
    )
  })
})

describe('dates', () => {
  const unclear = '1|Oats|5/5/2026; 2|Oats|3/9/2026'

  test('a column with ambiguous day and month is left out, with both readings', async () => {
    const suggestion = await decide('ID|Crop|Sown', unclear, { options: { zone } })
    expect(suggestion.record).toEqual({ crops: [{ name: '<Crop>' }] })
    expect(suggestion.undecided).toMatchObject([
      {
        setting: 'record.crops.0.establishmentDate',
        evidence: '3/9/2026 is 3 September or 9 March',
        others: [
          { value: { from: 'Sown', date: 'd/M/yyyy', zone }, evidence: '3/9/2026 is 3 September' },
          { value: { from: 'Sown', date: 'M/d/yyyy', zone }, evidence: '3/9/2026 is 9 March' },
        ],
        question: 'Which comes first in the dates of "Sown", day or month?',
      },
    ])
  })

  test('the example of an ambiguous column is a date that the readings differ on', async () => {
    const same = ['1/1/2026', '2/2/2026', '3/3/2026', '4/4/2026', '5/5/2026', '6/6/2026', '3/9/2026']
    const rows = same.map((sown, index) => `${index}|Oats|${sown}`).join('; ')
    const { undecided } = await decide('ID|Crop|Sown', rows, { options: { zone } })
    expect(undecided).toMatchObject([{ evidence: '3/9/2026 is 3 September or 9 March' }])
  })

  test.each([
    ['2026-03-09', {}],
    ['2026/03/09', { date: 'yyyy/M/d' }],
    ['9.3.2026', { date: 'd.M.yyyy' }],
    ['2026/03/09 00:00:00+13', { date: 'yyyy/MM/dd HH:mm:ssX' }],
  ])('of an export, written anew as %s, are read', async (day, pattern) => {
    const sown = 'Crop 1 establishment date (Pacific/Auckland)'
    const columns = ['Source id (nz.example.farm-number.plots)', 'Name', 'Crop 1 name', sown]
    const { record } = await decide(columns, [['00412876/7', 'Top', 'Oats', day]])
    expect(record).toMatchObject({ crops: [{ establishmentDate: { from: sown, zone, ...pattern } }] })
    const [crop] = record['crops'] as readonly [{ readonly establishmentDate: object }]
    expect('date' in crop.establishmentDate).toBe('date' in pattern)
  })

  test.each([
    ['2026/03/09 10:30:00+13', { from: 'Sown', date: 'yyyy/MM/dd HH:mm:ssX' }],
    ['2026-03-09T10:30:00+13:00', '<Sown>'],
    ['2026-03-09 10:30:00.250+13', '<Sown>'],
  ])('with their offset, as in %s, need no zone', async (sown, establishmentDate) => {
    const { record } = await decide('ID|Crop|Sown', `1|Oats|${sown}`, { options: { zone } })
    expect(record).toEqual({ crops: [{ name: '<Crop>', establishmentDate }] })
  })

  test.each([
    ['2026-03-09 00:00:00.000', '2026-03-10 00:00:00.000', { date: 'yyyy-MM-dd HH:mm:ss.S' }],
    ['2026-03-09 10:30:00.250', '2026-03-10 10:30:00', {}],
  ])('of databases, as in %s and %s, are read', async (one, other, date) => {
    const rows = `1|Oats|${one}; 2|Oats|${other}`
    const { record } = await decide('ID|Crop|Sown', rows, { options: { zone } })
    expect(record).toEqual({ crops: [{ name: '<Crop>', establishmentDate: { from: 'Sown', ...date, zone } }] })
  })

  test.each([
    ['2026-03-13T00:00:00Z', 'America/Chicago', "yyyy-MM-dd'T'HH:mm:ss'Z'"],
    ['2026-03-13T00:00:00.000Z', 'America/Chicago', "yyyy-MM-dd'T'HH:mm:ss.S'Z'"],
    ['2026-03-13T00:00:00+00:00', 'America/Bogota', "yyyy-MM-dd'T'HH:mm:ss'+00:00'"],
    ['2026-03-13 00:00:00+00', 'America/Bogota', "yyyy-MM-dd HH:mm:ss'+00'"],
  ])('%s is the day before in %s, and has a note with the pattern of the day', async (sown, west, pattern) => {
    const rows = `1|Oats|${sown}; 2|Oats|${sown.replace('13', '14')}`
    const { notes } = await decide('ID|Crop|Sown', rows, { options: { zone: west } })
    expect(notes).toEqual([
      `The dates of <Sown> are midnight in universal time, which in ${west} is on the day before. If they are days, set the zone and  dates: ${pattern}`,
    ])
    const options = { zone: west, dates: compileDatePattern(pattern) as DatePattern }
    const { record, notes: none } = await decide('ID|Crop|Sown', rows, { options })
    expect(record).toMatchObject({ crops: [{ establishmentDate: { from: 'Sown', date: pattern, zone: west } }] })
    expect(none).toEqual([])
  })

  test.each([
    ['2026-03-13T00:00:00Z', 'Pacific/Auckland'],
    ['2026-03-13T06:00:00Z', 'America/Chicago'],
    ['2026-03-13T00:00:00-06:00', 'America/Chicago'],
  ])('%s is the same day in %s', async (sown, west) => {
    const { notes } = await decide('ID|Crop|Sown', `1|Oats|${sown}`, { options: { zone: west } })
    expect(notes).toEqual([])
  })

  test('a column of short years that may be first is left out, with both readings', async () => {
    const rows = '0|Oats|26/02/13; 1|Oats|26/03/01; 2|Oats|25/12/31'
    const suggestion = await decide('ID|Crop|Sown', rows, { options: { zone } })
    expect(suggestion.record).toEqual({ crops: [{ name: '<Crop>' }] })
    expect(suggestion.undecided).toMatchObject([
      {
        evidence: '26/02/13 is 26 February 2013 or 13 February 2026',
        others: [{ value: { date: 'd/M/yy' } }, { value: { date: 'yy/M/d' } }],
      },
    ])
    const dates = compileDatePattern('yy/M/d') as DatePattern
    const { record } = await decide('ID|Crop|Sown', rows, { options: { zone, dates } })
    expect(record).toMatchObject({ crops: [{ establishmentDate: { date: 'yy/M/d' } }] })
  })

  test('a column of one day in many years, as orchards are planted, has no year in front', async () => {
    const rows = '0|Apples|7/1/05; 1|Apples|7/1/12; 2|Apples|7/1/23'
    const { undecided } = await decide('ID|Crop|Sown', rows, { options: { zone } })
    expect(undecided).toMatchObject([{ others: [{ value: { date: 'd/M/yy' } }, { value: { date: 'M/d/yy' } }] }])
  })

  test.each([
    ['d.M.yy', '0|Oats|26.02.25; 1|Oats|26.03.26; 2|Oats|25.12.26'],
    ['d/M/yy', '0|Oats|13/02/04; 1|Oats|14/02/26'],
    ['yyyy.M.d', '0|Oats|2026.02.13; 1|Oats|2026.3.1'],
  ])('%s is read without a doubt', async (date, rows) => {
    const { record } = await decide('ID|Crop|Sown', rows)
    expect(record).toMatchObject({ crops: [{ establishmentDate: { date } }] })
  })

  test.each([
    ['M/d/yyyy', '3/9/2026', 'M/d/yyyy'],
    ['d/M/yyyy', '3/9/2026 7:30', 'd/M/yyyy H:mm'],
    ['yyyy.MM.dd', '2026.09.03', 'yyyy.MM.dd'],
  ])('dates are read as %s when a person chooses so and they fit', async (chosen, sown, date) => {
    const dates = compileDatePattern(chosen) as DatePattern
    const { record, undecided, notes } = await decide('ID|Crop|Sown', `1|Oats|${sown}`, { options: { dates } })
    const crops = [{ name: '<Crop>', establishmentDate: { from: 'Sown', date } }]
    expect({ record, undecided, notes }).toEqual({ record: { crops }, undecided: [], notes: [] })
  })

  test('a chosen date format is not forced on other columns', async () => {
    const dates = compileDatePattern('M/d/yyyy') as DatePattern
    const row = '1|Oats|2026-09-13|13.9.2026'
    const { record, notes } = await decide('ID|Crop|Sown|Harvested', row, { options: { dates } })
    expect(record).toMatchObject({
      crops: [{ establishmentDate: { date: 'yyyy-MM-dd' }, harvestDate: { date: 'd.M.yyyy' } }],
    })
    expect(notes).toEqual([])
  })

  test('one value can show that the month comes first', async () => {
    const suggestion = await decide('ID|Crop|Sown', '1|Oats|3/9/2026; 2|Oats|4/13/2026')
    const value = { from: 'Sown', date: 'M/d/yyyy' }
    expect(fieldOf(suggestion, 'crops.0.establishmentDate')).toMatchObject({ value, certainty: 'sure' })
  })

  test('instants need neither pattern nor zone', async () => {
    const suggestion = await decide('ID|Modified', '1|2026-09-03T01:02:03Z', { options: { zone } })
    expect(suggestion.record).toEqual({ meta: { modified: '<Modified>' } })
  })

  test.each([
    ['Modified (Pacific/Auckland)', '2026-09-03T01:02:03', 'Pacific/Auckland'],
    ['Modified (UTC)', '2026-09-03T01:02:03', 'UTC'],
    ['Modified (est)', '2026-09-03T01:02:03', undefined],
  ])('%s names its zone in its header, as windrow writes it', async (header, text, named) => {
    const { record } = await decide(['ID', header], [['1', text]], { options: { zone } })
    const spec = { from: header, date: "yyyy-MM-dd'T'HH:mm:ss", zone: named }
    expect(record).toEqual(named === undefined ? {} : { meta: { modified: spec } })
  })

  test('a column without dates is not a date, whatever its header', async () => {
    expect((await decide('ID|Sown', '1|early spring')).record).toEqual({})
  })
})

describe('areas', () => {
  test.each([
    ['Area (ha)', { from: 'Area (ha)', unit: 'ha' }],
    ['AREA_M2', { from: 'AREA_M2', unit: 'm²' }],
    ['Acres', { from: 'Acres', unit: 'ac' }],
    ['EffectiveAreaHa', { from: 'EffectiveAreaHa', unit: 'ha' }],
    ['Area sq m', { from: 'Area sq m', unit: 'm²' }],
  ])('%s', async (header, spec) => {
    expect((await decide(['ID', header], '1|3.2')).record).toEqual({ totalArea: spec })
  })

  test('without a unit in the header nothing is guessed, and a note is added', async () => {
    const { record, notes } = await decide('ID|Area', '1|3.2')
    expect(record).toEqual({})
    expect(notes).toEqual([
      '<Area> looks like an area, but has no unit. If it is hectares, set  record.totalArea: { from: Area, unit: ha }',
    ])
  })
})

test('an export without its source ids says so: its lists are not read', async () => {
  const columns = ['Name', 'Total area (ha)', 'Crop 1 name', 'Crop 1 establishment date (UTC)']
  const { notes } = await decide(columns, 'Rāhui|3.2|Kale|2026-09-03T00:00:00Z')
  expect(notes).toContainEqual(
    expect.stringMatching(
      /^Not read: <Crop 1 name>, <Crop 1 establishment date \(UTC\)>\. .* without its column "Source id"/,
    ),
  )
})

describe('the decimal mark', () => {
  test.each([
    ['P0|12,5; P1|1.204,5', 'comma'],
    ['P0|12.5; P1|1,204.5', 'point'],
    ['P0|12; P1|7', undefined],
  ])('of %s: %s', async (rows, expected) => {
    const { decimal } = await decide('ID|Area ha', rows)
    expect(decimal?.value).toBe(expected)
  })

  test('is not guessed where both readings fit equally', async () => {
    const { decimal } = await decide('ID|Area ha', 'P1|1,204')
    expect(decimal).toMatchObject({
      value: undefined,
      certainty: 'ask',
      question: expect.stringContaining('comma or point'),
    })
  })
})

test('land covers have classes and species, holdings their own number', async () => {
  const cover = await decide('COVER_ID|Class|Species', '1|Forest|Rimu', { type: 'land-covers' })
  expect(cover.record).toEqual({ landCoverClass: { primary: '<Class>' }, speciesPresent: [{ name: '<Species>' }] })
  const list = await decide('No|Land cover', 'C1|Forest', { type: 'land-covers' })
  expect(list.record).toEqual({ landCoverClass: { primary: '<Land cover>' } })
  const named = await decide('Land cover|Class', 'Top bush|Forest', { type: 'land-covers' })
  expect(named.record).toEqual({ name: '<Land cover>', landCoverClass: { primary: '<Class>' } })
  const farms = await decide('FARM_NO|FarmName', '00412876|Rimu Farm', { type: 'holdings' })
  expect(farms.key).toMatchObject({ setting: 'key', column: 'FARM_NO' })
  expect(farms.holding).toMatchObject({ column: 'FARM_NO' })
  expect(farms.record).toEqual({ name: '<FarmName>' })
})

test.each([
  ['Name|farm', 'Rimu Farm|00412876', 'farm'],
  ['Farm name|Number', 'Rimu Farm|00412876', 'Number'],
  ['Farm name|Area ha', 'Rimu Farm|412.6', undefined],
])('of %s, a name is never proposed as the official number of a farm', async (header, row, key) => {
  expect((await decide(header, row, { type: 'holdings' })).key?.column).toBe(key)
})

test('a key with the place has the column of names, where another has the word for paddocks', async () => {
  const { key } = await decide('pdk|pdk_name', '1|Tūī; 1|Tūī; |Pā', { shapes: true })
  expect(key.others).toContainEqual(expect.objectContaining({ value: ['<pdk_name>', { place: 'measured' }] }))
})

test('columns that cannot be written as <Column> are skipped, and unused ones listed', async () => {
  const suggestion = await decide('ID|name <b>|Remark', '1|x|y')
  expect(suggestion.record).toEqual({})
  expect(suggestion.unused).toEqual(['Remark'])
})

test.each([
  ['PADDOCK_ID', 'paddock id'],
  ['PaddockId', 'paddock id'],
  ['  Paddock-no. ', 'paddock no'],
  ['Área (m²)', 'area m2'],
  ['Paddock_Na', 'paddock name'],
  ['PADDOCKNAM', 'paddockname'],
  ['FIELD_NUMB', 'field number'],
  ['Sowing_dat', 'sowing date'],
  ['Perceelsna', 'perceelsname'],
  ['Oppervlakt', 'oppervlakte'],
  ['Paddock_Name', 'paddock name'],
  ['Banana', 'banana'],
])('the words of %s', (header, words) => {
  expect(headerWords(header)).toBe(words)
})

test('a column with the other decimal mark gets its own option', async () => {
  const rows = '1|1850,5|3.25|3,5; 2|1918,5|4.75|4,5'
  const { decimal, record } = await decide('ID|Cover|Area (ha)|Rain', rows)
  expect(decimal?.value).toBe('comma')
  expect(record['totalArea']).toEqual({ from: 'Area (ha)', unit: 'ha', number: { decimal: 'point' } })
})

test.each([
  ['0|3,20 ha; 1|14,5 ha; 2|8 ha', 'comma'],
  ['0|3,20 ha; 1|14.5 ha; 2|8 ha', undefined],
  ['0|1,204 ha; 1|8 ha', undefined],
])('the decimal separator before a unit, of %s', async (rows, value) => {
  const { decimal } = await decide('Perceel|Oppervlakte', rows)
  expect(decimal?.value).toBe(value)
})

test('units in the cells replace one in the header', async () => {
  expect(fieldOf(await decide('ID|Area', '0|3.2 ha; 1|4 ha; 2|5 ac'), 'totalArea')).toMatchObject({
    value: '<Area>',
    evidence: expect.stringContaining('units in the cells: ha, ac'),
  })
  expect(fieldOf(await decide('ID|Area', '0|3.2 ha; 1|4 ha; 2|5 sheep'), 'totalArea')).toBeUndefined()
})

describe('headers of other languages', () => {
  test.each([
    [['Schlag-Nr.', 'Schlagname', 'Fläche (ha)', 'Fruchtart', 'Aussaat'], '1.9.2026'],
    [['N° parcelle', 'Nom de la parcelle', 'Surface (ha)', 'Culture', 'Date de semis'], '13/09/2026'],
    [['Perceelnummer', 'Perceelnaam', 'Oppervlakte (ha)', 'Gewas', 'Zaaidatum'], '13-9-2026'],
    [['Perceelnr', 'Perceelsnaam', 'Oppervlakte (ha)', 'Gewas', 'Zaaidatum'], '13-9-2026'],
    [['Código parcela', 'Nombre de la parcela', 'Superficie (ha)', 'Cultivo', 'Fecha de siembra'], '13/09/2026'],
    [['Codice appezzamento', "Nome dell'appezzamento", 'Superficie (ha)', 'Coltura', 'Data di semina'], '13/09/2026'],
    [['Código do talhão', 'Nome do talhão', 'Superficie (ha)', 'Cultura', 'Data de plantio'], '13/09/2026'],
  ])('%j', async (headers, sown) => {
    const [key, name, area, crop, date] = headers
    const { key: chosen, record } = await decide(headers, [['01', 'A', '12,5', 'Gras', sown]])
    expect(chosen).toMatchObject({ column: key, certainty: 'sure' })
    expect(record).toEqual({
      name: `<${name}>`,
      totalArea: { from: area, unit: 'ha' },
      crops: [{ name: `<${crop}>`, establishmentDate: { from: date, date: expect.any(String) } }],
    })
  })
})

test.each([
  ['Muddy Boots', ['Field Code', 'Field Name', 'Crop', 'Drill Date'], '001,Home,Wheat,13/10/2025'],
  ['Seeding in Canada', ['Field No', 'Field', 'Crop', 'Seeded'], '001,Home,Wheat,13/5/2026'],
  ['ProductionWise', ['Paddock no', 'Paddock Name', 'Current Crop', 'Sow Date'], '001,Home,Wheat,13/5/2026'],
  ['365FarmNet', ['Schlagnummer', 'Schlagbezeichnung', 'Kultur', 'Aussaat am'], '1,Hinten,Winterweizen,13.10.2025'],
  ['Mes Parcelles', ['Numéro parcelle', 'Nom parcelle', 'Culture', 'Date semis'], '1,Le Bois,Blé,13/10/2025'],
  ['Geofolia', ['N° parcelle', 'Parcelle culturale', 'Culture', 'Semis'], '1-1,Le Bois,Blé,13/10/2025'],
  ['Agrarmonitor', ['Nr. Schlag', 'Schlag', 'Nutzung'], '1-1,Hinten,Grünland'],
  ['fields of German states', ['SCHLAGNR', 'SCHLAGBEZ', 'KULTURART'], '1,Hinten,Winterweizen'],
  ['fields of Austria', ['FS_KENNUNG', 'FS_NAME', 'CROP_NAME'], '4120,Hinten,Weizen'],
  ['Mijn Percelen', ['SECTORID', 'NAAM', 'CROPTYPENA'], '20260,Achter,Tarwe'],
  ['fields of Denmark', ['Marknr', 'Marknavn', 'Afgroede'], '1-0,Bag,Hvede'],
  ['a Danish list', ['Marknr.', 'Marknavn', 'Afgrøde', 'Sådato'], '1-0,Bag,Hvede,13-09-2025'],
  ['fields of Czechia', ['ID_DPB', 'NAZEV', 'PLODINA'], '8800,U lesa,Pšenice'],
  ['fields of Poland', ['Nr działki', 'NAZWA', 'UPRAWA'], '12,Pole,Pszenica'],
  ['fields of Portugal', ['N_PARCELA', 'NOME', 'CULTURA'], '163,Courela,Trigo'],
  ['Télépac', ['NUM_PARCEL', 'NOM_PARCEL', 'LIB_CULT'], '12,Le Bois,Blé tendre'],
  ['fields of Scotland', ['FIELD_ID', 'FIELD_NAME', 'CROP_DESC', 'CROP_CODE'], '12,Home,Spring Barley,SB'],
  ['parcels of Ireland', ['LPIS_ID', 'PARCEL_LAB', 'CROP'], 'A11,1A,Pasture'],
  ['parcels of New Zealand', ['id', 'appellatio'], '6700,Lot 1 DP 41000'],
])('the columns of %s are found', async (_, headers, row) => {
  const cells = row.split(',')
  const { key, fields } = await decide(headers, [cells])
  const found = fields
    .filter(({ setting }) => /\.(?:name|establishmentDate)$/.test(setting))
    .map(({ column }) => column)
  expect(key?.column).toBe(headers[0])
  expect(found).toEqual(headers.slice(1, 4).filter((header) => header !== 'CROP_CODE'))
})

test.each([
  ['SEG_NUM|LOTPLAN', 'LOTPLAN'],
  ['OBJECTID|Paddock_Nu', 'Paddock_Nu'],
  ['Obj__Id|Field', 'Field'],
])('of %s the key is %s', async (header, column) => {
  expect((await decide(header, '1|1; 2|2')).key?.column).toBe(column)
})

test('a crop column of codes is mapped as it is, to be checked', async () => {
  const suggestion = await decide('Schlagnr|Kultur', [['01', 115], ['02', 411]]) // oxfmt-ignore
  expect(fieldOf(suggestion, 'crops.0.name')).toMatchObject({
    value: '<Kultur>',
    certainty: 'check',
    evidence: expect.stringContaining('codes such as 115, 411 are published as they are; words: says what each means'),
  })
  expect(suggestion.notes).toEqual([])
  const withNothing = await decide('Paddock ID|Crop', 'P0|RG; P1|PLN; P2|-')
  expect(fieldOf(withNothing, 'crops.0.name')?.evidence).toContain('codes such as RG, PLN are')
})

test.each([
  ['0|03/04/2026; 1|2026-04-05; 2|13/04/2026; 3|5 April 2026', '"2026-04-05" in row 3'],
  ['0|03/04/2026; 1|46125; 2|soon; 3|n/a', '"46125" in row 3'],
  ['0|12/3/2026; 1|31/02/2026; 2|21/9/2026', '"31/02/2026" in row 3'],
])('a column of dates with too many other cells is left out with a note: %s', async (rows, first) => {
  const { notes } = await decide('ID|Sown', rows)
  expect(notes).toEqual([
    `<Sown> is left out: too many of its cells are not dates in one format that windrow can read, such as ${first}. Correct them to use it.`,
  ])
})

test.each([
  ['SHEET_ID|PARCEL_ID|Name', ['<PARCEL_ID>', '<SHEET_ID>']],
  ['Gemarkung|Flur|Flurstück|Name', ['<Flurstück>', '<Gemarkung>', '<Flur>']],
  ['POLIGONO|PARCELA|NOMBRE', ['<PARCELA>', '<POLIGONO>']],
])('of %s, the key is the parcel with its sheet of the map', async (header, spec) => {
  const headers = header.split('|')
  const cells = ['0123', '0456', '1013'].map((no) => [...headers.slice(0, -2).map(() => 'SK1234'), no, `Top ${no}`])
  const { key, unused } = await decide(header, cells)
  expect(key).toMatchObject({ value: spec, certainty: 'sure' })
  expect(unused).toEqual([])
  const [parcels, alone] = [cells.map((row) => row.slice(-2)), headers.slice(-2)]
  expect((await decide(alone, parcels)).key).toMatchObject({ column: alone[0] })
})

test('in a file with several farms, a number of each farm is a better key than names that differ by chance', async () => {
  const rows = '00412876|1|Creek; 00412876|2|Hill; 00412876|3|Top; 00999999|1|Flat'
  const { key } = await decide('Farm No|Paddock no|Name', rows)
  expect(key).toMatchObject({ column: 'Paddock no', certainty: 'ask' })
  // Two farms and one block cannot tell four rows apart.
  const blocks = '00412876|Creek|A; 00412876|Hill|A; 00412876|Top|A; 00999999|Flat|A'
  expect((await decide('Farm No|Name|Block no', blocks)).key).toMatchObject({ column: 'Name' })
})

test('the number of a parcel and its sheet keep their order in a key where a number comes twice', async () => {
  const rows = 'NY1230|0567|2.5; NY1231|1567|2.5; NY1232|0567|2.5'
  const { key } = await decide('SHEET_ID|PARCEL_ID|Area ha', rows)
  expect(key).toMatchObject({ value: ['<PARCEL_ID>', '<SHEET_ID>'] })
})

test('the key of a parcel has its sheet also where a row cannot be read', async () => {
  const table = memoryTable(['Sheet', 'Parcel'], [['NY1', '0567']])
  const at = { source: table.name, row: 3 }
  const unreadable = { at, values: {}, problems: [problem('row-unreadable', at, { message: '' })] }
  async function* batches() {
    yield* table.batches()
    yield [unreadable]
  }
  const { key } = seen(
    decideColumns({ type: findResourceType('plots')!, profile: await profileTable({ ...table, batches }) }),
  )
  expect(key).toMatchObject({ value: ['<Parcel>', '<Sheet>'] })
})

test.each([
  ['names', '1|Top; 1|Low; 1|Far'],
  ['numbers that count the rows', '1|0; 1|1; 1|2'],
])('parcels that have %s are no key with their sheet', async (_, rows) => {
  const { key } = await decide('Sheet|Parcel', rows)
  expect(key).toMatchObject({ value: '<Parcel>', certainty: 'ask' })
})

test('in a file with several farms, a number that each farm uses is proposed as the key, as a guess', async () => {
  const { key } = await decide('Farm No|Paddock|Area ha', '00412876|1|2.5; 00412876|2|3.5; 00999999|1|4.5')
  expect(key).toMatchObject({ column: 'Paddock', certainty: 'ask' })
  expect(key?.evidence).toContain('2 of 3 different, together with <Farm No>')
  expect((await decide('Paddock|Area ha', '1|2.5; 2|3.5; 1|4.5')).key.value).toBe(undefined)
})

describe('thousands', () => {
  const suggested = async (...areas: readonly string[]): Promise<Seen | undefined> => {
    const cells = areas.map((area, index) => [`P${index}`, area, '7.25'])
    return fieldOf(await decide('No|Area ha|Yield', cells), 'totalArea')
  }

  test('a column that shows its mark gets it, and ambiguous numbers are counted', async () => {
    const choice = await suggested('1,204', '2,110', '12.75')
    expect(choice?.value).toEqual({ from: 'Area ha', unit: 'ha', number: { thousands: 'comma' } })
    expect(choice).toMatchObject({
      certainty: 'sure',
      evidence: expect.stringContaining('2 numbers are like "1,204", 1204 here and 1.204 with a decimal comma'),
    })
  })

  test('a column without proof is a guess', async () => {
    expect(await suggested('1,204', '2,110')).toMatchObject({
      certainty: 'check',
      value: { number: { thousands: 'comma' } },
    })
  })

  test('decimals of three digits mean no mark between thousands', async () => {
    expect(await suggested('1.204', '12.75')).toMatchObject({
      certainty: 'sure',
      value: { number: { thousands: 'none' } },
    })
  })

  test('no option where nothing is ambiguous', async () => {
    expect((await suggested('12.5', '1204'))?.value).toEqual({ from: 'Area ha', unit: 'ha' })
  })

  test('no option for thousands with two marks', async () => {
    expect((await suggested('1,204', '12.75', '1 250'))?.value).toEqual({ from: 'Area ha', unit: 'ha' })
  })
})

async function profileTable(...given: Parameters<typeof readThrough>) {
  return (await readThrough(...given)).profile
}
