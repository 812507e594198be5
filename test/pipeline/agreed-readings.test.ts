import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { cellsOf } from '../memory-table.ts'
import { collection, pipeline, startFarm, type Farm, type Fetch, type RunOptions } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const asAgreed = 'delimiter: ";", decimal: comma, encoding: utf-8, header: 1'
const usualCrop = '{ name: <Crop>, establishmentDate: { from: Sown, date: d/M/yyyy } }'
const readAs = (from: string, more = '', crop = usualCrop): string => {
  const record = `{ name: <Name>, totalArea: { from: Area, unit: ha }, crops: [${crop}] }`
  return pipeline({ from: `{ file: nightly.csv, ${from} }`, zone: 'Pacific/Auckland', record }, more)
}
const agreed = (more = '', crop = usualCrop): string => readAs(asAgreed, more, crop)
const night = (text: string | Uint8Array, yaml = agreed(), how: RunOptions = {}): Promise<Report> =>
  farm.night(text, yaml, how)

const sheet = (rows: readonly string[]): string => ['No;Name;Area;Crop;Sown', ...rows, ''].join('\n')
type Line = { readonly name?: string; readonly area?: string; readonly sown?: string }
const rowOf = ({ name = 'Rahui', area = '3,5', sown = '13/9/2026' }: Line, at: number): string =>
  `${at + 1};${name} ${at};${area};Kale;${sown}`
const table = (lines: readonly Line[]): string => sheet(lines.map(rowOf))
const sowings = (...days: readonly string[]): string => table(days.map((sown) => ({ sown })))
const areas = (...list: readonly (string | number)[]): string =>
  table(list.map((area) => ({ area: typeof area === 'string' ? area : String(area).replace('.', ',') })))
const withNames = (...names: readonly string[]): string => table(names.map((name) => ({ name })))

/** Expects that a run publishes so many records. */
async function publishes(run: Promise<Report>, records: object): Promise<Report> {
  const report = await run
  expect(report).toMatchObject({ exit: 0, records })
  return report
}

/** Expects that a run stops before it sends anything, with this sentence. */
async function stops(run: Promise<Report>, sentence: string): ReturnType<typeof stopped> {
  const said = await stopped(run)
  expect(said.message).toContain(sentence)
  return said
}

const found = ({ problems }: Report, which: string) => problems.find(({ code }) => code === which)

function doubtsIn({ problems }: Report): readonly string[] {
  return problems
    .filter(({ code }) => code === 'change-doubtful')
    .flatMap(({ first }) => first.map((each) => each.message))
}

async function stopped(run: Promise<Report>): Promise<{ readonly message: string; readonly hint: string }> {
  const { exit, outcome, error, records } = await run
  expect([exit, outcome, error?.code, records.created]).toEqual([6, 'stopped', 'rule-stopped', 0])
  expect(farm.posted()).toEqual([])
  return { message: error!.message, hint: error!.hint ?? '' }
}

test('a file in the format of the pipeline is imported', async () => {
  await publishes(night(table([{}, { name: 'Rāhui', sown: '3/9/2026' }, { area: '1.204,5', sown: '' }])), {
    created: 3,
  })
})

describe('ids', () => {
  const numbered = (ids: readonly string[]): string => sheet(ids.map((id) => `${id};Rahui ${id};3,5;Kale;13/9/2026`))

  test('lose invisible characters at their ends, and so do names, crops and words', async () => {
    farm.write('nightly.csv', numbered(['001', '002', '003']))
    const yaml = agreed('only: { Crop: Kale }')
    await publishes(farm.run(yaml), { created: 3 })
    const copied = numbered(['001', '002', '003'])
      .replaceAll(/^(\d+);/gm, '\u00a0\u200e$1\u200b;')
      .replaceAll('Rahui', '\ufeffRahui')
      .replaceAll('Kale', 'Kale\u200b')
    expect(await night(copied, yaml)).toMatchObject({ exit: 0, rows: { read: 3, unchanged: 3 } })
  })

  test('names and words with their marks apart, as some programs write them, are the same', async () => {
    const marked = (form: 'NFC' | 'NFD'): string =>
      numbered(['Mā1', 'Mā2', 'Mā3']).replaceAll('Rahui', 'Rāhui').replaceAll('Kale', 'Kūmara').normalize(form)
    const yaml = agreed('only: { Crop: Kūmara }', '{ name: { from: Crop, words: { Kūmara: Sweet potato } } }')
    await publishes(night(marked('NFC'), yaml), { created: 3 })
    expect(await night(marked('NFD'), yaml)).toMatchObject({ exit: 0, rows: { read: 3, unchanged: 3 } })
    expect(await farm.run(yaml.normalize('NFD'))).toMatchObject({ exit: 0, rows: { read: 3, unchanged: 3 } })
  })
})

test('a day in the place of a crop rejects its row', async () => {
  const cells = (...crops: readonly string[]): string =>
    sheet(crops.map((crop, at) => `a${at};Block ${at};3,5;${crop};13/9/2026`))
  await publishes(night(cells('Kale', 'Maize', 'Rape')), { created: 3 })
  const { rows, problems } = await night(
    cells('Kale', '2026-03-01', 'Oats'),
    agreed('rules: { rejected: stop above 50 % }'),
  )
  expect(rows).toMatchObject({ ready: 1, unchanged: 1, rejected: 1 })
  expect(problems.find(({ code }) => code === 'date-as-name')).toMatchObject({
    count: 1,
    first: [{ path: '/crops/0/name', message: expect.stringContaining('The name of the crop is a day or a time.') }],
  })
})

test('names and ids of which a spreadsheet made days are not published', async () => {
  const named = (rows: string, more = ''): Promise<Report> =>
    night(sheet(cellsOf(rows).map(([id, name]) => `${id};${name};3,5;Kale;13/9/2026`)), agreed(more))
  await publishes(named('a|1-3; b|02/04; c|3-24; 1-1|Top; 1-2|Low'), { created: 5 })
  const days = 'a|1-Mar; b|4-Feb; c|Mar-24; d|5-Mar; e|2026-03-05; f|7:00 PM'
  const report = await named(days, 'rules: { replaced: stop above 100 % }')
  expect(report.rows).toMatchObject({ ready: 1, rejected: 5 })
  expect(found(report, 'date-as-name')).toMatchObject({ count: 5 })
})

test('new names and ids of which a spreadsheet may have made days have a warning', async () => {
  const rows = ['1-Mar;Top', 'b;Mar-24', '1-MAR;Low', 'd;1-3'].map((row) => `${row};3,5;Kale;13/9/2026`)
  const report = await publishes(night(sheet(rows)), { created: 4 })
  expect(found(report, 'perhaps-date-as-name')).toMatchObject({
    severity: 'warning',
    count: 2,
    first: [
      { value: '1-Mar', message: 'A spreadsheet program may have made "1-Mar" of a text such as 1-3.' },
      { value: 'Mar-24', path: '/name' },
    ],
  })
  expect(await farm.run(agreed())).toMatchObject({ exit: 0, problems: [], rows: { unchanged: 4 } })
})

describe('names', () => {
  const named = (names: readonly string[]): string =>
    sheet(names.map((name, index) => `${index + 1};${name};3,5;Kale;13/9/2026`))
  const known = ['Front flat', 'Kānuka', 'Woolshed', 'Top', 'Creek']
  beforeEach(async () => {
    await publishes(night(named(known)), { created: 5 })
  })

  test('that moved to other ids stop the run, unless a warning is enough', async () => {
    const { hint } = await stops(
      night(named(['New', ...known.slice(0, 4)])),
      '4 of the 5 names that changed are those of other records until now (row 3: "Kānuka" would become "Front flat").',
    )
    expect(hint).toContain('--allow reading')
    const warned = await publishes(farm.run(agreed('rules: { reading: warn }')), { updated: 5 })
    expect(warned.problems.map(({ code }) => code)).toContain('file-inconsistent')
  })

  test('may all change, and two may be exchanged', async () => {
    await publishes(night(named(['Kānuka', 'Front flat', ...known.slice(2)])), { updated: 2 })
    await publishes(night(named(['KĀNUKA', 'Front', 'Hill', 'Gully', 'Yard'])), { updated: 5 })
  })
})

describe('the values of another column', () => {
  type Cells = readonly [no: string, name: string, area: string, crop: string]
  const cells = cellsOf('1|Front|3,5|Kale; 2|Top|4,1|Rape; 3|Creek|5,2|Kale; 4|Paddock 4|6,3|Oats')
  const rows = (change: (row: Cells) => Cells = (row) => row): string =>
    sheet(cells.map((row) => `${change(row as unknown as Cells).join(';')};13/9/2026`))
  beforeEach(async () => {
    await publishes(night(rows()), { created: 4 })
  })

  test.each<[string, (row: Cells) => Cells, string, string]>([
    ['crops as names', ([no, , area, crop]) => [no, crop, area, crop], '4 of the 4 names', 'Kale'],
    ['names for crops', ([no, name, area, crop]) => [no, crop, area, name], '4 of the 4 names', 'Kale'],
    ['ids as names', ([no, , area, crop]) => [no, no, area, crop], '3 of the 4 names', '1'],
    ['names as crops', ([no, name, area]) => [no, name, area, name], '4 of the 4 crops', 'Front'],
    ['areas as crops', ([no, name, area]) => [no, name, area, area], '4 of the 4 crops', '3,5'],
    ['dashes as crops', ([no, name, area]) => [no, name, area, '-'], '4 of the 4 crops', '-'],
    ['n/a as names', ([no, , area, crop]) => [no, 'n/a', area, crop], '4 of the 4 names', 'n/a'],
  ])('stop the run: %s', async (_, change, count, now) => {
    const { message } = await stops(
      night(rows(change)),
      `${count} that changed would become what belongs into another field, or no value (row 2: `,
    )
    expect(message).toContain(`would become "${now}"). Did the columns move, or lose their values?`)
  })

  test('may come to two of them, and crops may be numbers from the start', async () => {
    const two = rows(([no, name, area, crop]) => [no, Number(no) < 3 ? crop : name, area, crop])
    await publishes(night(two), { updated: 2 })
    for (const code of ['15', '16']) {
      const numbers = rows(([no, name, area]) => [no, name, area, `${code}${no}`])
      const yaml = agreed(code === '15' ? 'rules: { reading: warn }' : '')
      await publishes(night(numbers, yaml), { updated: 4 })
    }
  })
})

test.each([
  ['crops', '"crops":[', '"crops":[null,', 0],
  // The service would refuse it.
  ['identifiers', '"identifiers":[', '"identifiers":[null,', 3],
  ['the centroid', /"centroid":\{[^}]*\}/g, '"centroid":{"type":"Point","coordinates":null}', 0],
])('records with an empty entry in %s, as another program wrote them, are compared, too', async (_, from, to, exit) => {
  const byOthers: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const answer = await farm.direct(request)
    if (!new URL(request.url).pathname.endsWith('/plots/changes')) return answer
    const text = (await answer.text()).replaceAll(from, to).replaceAll(/"modified":"20\d\d/g, '"modified":"2099')
    return new Response(text, { status: answer.status, headers: answer.headers })
  }
  const map = (crop: string, west: number): string => {
    const ring = [[west, -37.8], [west + 0.001, -37.8], [west + 0.001, -37.799], [west, -37.8]] // oxfmt-ignore
    const geometry = { type: 'Polygon', coordinates: [ring] }
    const feature = { type: 'Feature', properties: { No: '1', Name: 'Rāhui', Crop: crop, Sown: '13/9/2026' }, geometry }
    return collection([feature])
  }
  const ofMap = (file: string): string =>
    readAs('').replace('nightly.csv, ', file).replace('{ from: Area, unit: ha }', 'measured')
  farm.write('night.geojson', map('Kale', 175.3))
  expect((await farm.run(ofMap('night.geojson'), { fetch: byOthers })).exit).toBe(0)
  farm.write('night.geojson', map('Oats', 175.3001))
  expect((await farm.run(ofMap('night.geojson'))).exit).toBe(exit)
  farm.write('other.geojson', map('Rye', 175.3).replace('"No":"1"', '"No":"A1"'))
  const other = await farm.run(`${ofMap('other.geojson')}match: name\n`, { name: 'other' })
  expect(other).toMatchObject({ exit, records: { created: 0, updated: exit === 0 ? 1 : 0 } })
})

describe('areas and dates of crops', () => {
  const areas = ['3,5', '4,1', '5,2', '5,2', '6,9', '7,3']
  const days = ['3/3/2026', '14/4/2026', '20/9/2026', '20/9/2026', '2/11/2026', '5/11/2026']
  const rows = (area: readonly string[], sown: readonly string[]): string =>
    table(area.map((each, at) => ({ area: each, sown: sown[at]! })))
  beforeEach(async () => {
    await publishes(night(rows(areas, days)), { created: 6 })
  })

  test.each([
    ['areas', 'sorted alone', rows(areas.toReversed(), days), '4 of the 4'],
    ['areas', 'a row lower', rows(['3,5', ...areas.slice(0, 5)], days), '3 of the 4'],
    ['dates of crops', 'sorted alone', rows(areas, days.toReversed()), '4 of the 4'],
    ['dates of crops', 'a row lower', rows(areas, ['3/3/2026', ...days.slice(0, 5)]), '3 of the 4'],
  ])('of other records stop the run: %s, %s', async (what, _, file, count) => {
    await stops(night(file), `${count} ${what} that changed are those of other records until now`)
  })

  test('may be exchanged between two records, and change otherwise', async () => {
    const exchanged = rows(['4,1', '3,5', ...areas.slice(2)], ['14/4/2026', '3/3/2026', ...days.slice(2)])
    await publishes(night(exchanged), { updated: 2 })
    const moved = days.toSpliced(0, 3, '4/3/2026', '16/4/2026', '1/9/2026')
    await publishes(night(rows(['3,6', '4,2', '5,1', '5,3', '6,9', '7,3'], moved)), { updated: 4 })
  })

  test('of other records stop the run, also where each area is larger by the same', async () => {
    expect(await night(rows(['1,1', '2,1', '3,1', '4,1', '5,1', '6,1'], days))).toMatchObject({ exit: 0 })
    const moved = rows(['1,1', '1,1', '2,1', '3,1', '4,1', '5,1'], days)
    await stops(night(moved), '4 of the 5 areas that changed are those')
  })

  test('that all move by a week are published, also where one week of sowing follows the other', async () => {
    for (const sown of [
      ['1/2/2026', '8/2/2026', '15/2/2026', '22/2/2026', '1/3/2026', '8/3/2026'],
      ['8/2/2026', '15/2/2026', '22/2/2026', '1/3/2026', '8/3/2026', '15/3/2026'],
    ])
      await publishes(night(rows(areas, sown)), { updated: 6 })
  })

  test('may come in another order within each record', async () => {
    const grown = ['Kale;d/3/2026', 'Oats;d/9/2026']
    const crops = (order: readonly number[]): string =>
      sheet(
        [1, 2, 3, 4, 5].flatMap((no) => order.map((at) => `p${no};Top ${no};3,5;${grown[at]!.replace('d', `${no}`)}`)),
      )
    const grouped = agreed('rows: group')
    expect(await night(crops([0, 1]), grouped, { name: 'grouped' })).toMatchObject({ exit: 0 })
    await publishes(night(crops([1, 0]), grouped, { name: 'grouped' }), { updated: 5 })
  })
})

describe('one value for all records', () => {
  const rows = (cells: string): string =>
    sheet(cellsOf(cells).map(([name, area], index) => `${index + 1};${name};${area};Kale;13/9/2026`))
  beforeEach(async () => {
    await publishes(night(rows('Front|3,5; Top|4,5; Creek|5,5; Hill|5,5')), { created: 4 })
  })

  test('in a column of names or areas stops the run', async () => {
    await stops(
      night(rows('Front|0,00; Top|0,00; Creek|0,00; Hill|0,00')),
      '4 of the 4 areas that changed would all become "0" (row 2: "3.5" until now).',
    )
    const { hint } = await stops(
      night(rows('Rimu Farm|3,5; Rimu Farm|4,5; Rimu Farm|5,5; Rimu Farm|5,5')),
      '4 of the 4 names that changed would all become "Rimu Farm" (row 2: "Front" until now). Does the column still have the names of the records?',
    )
    expect(hint).toContain('--allow reading')
  })

  test('may come to records that had one value before, and to a few', async () => {
    await publishes(night(rows('Front|0; Top|0; Creek|5,5; Hill|5,5')), { updated: 2 })
  })
})

describe('a column that came back empty', () => {
  const crops = (list: readonly string[]): string =>
    sheet(list.map((crop, index) => `${index + 1};Rahui ${index};3,5;${crop};`))
  const clearing = agreed('blank: clear')
  beforeEach(async () => {
    await publishes(night(crops(['Kale', 'Maize', 'Kale', '']), clearing), { created: 4 })
  })

  test('stops a run that would clear it in every record', async () => {
    await stops(
      night(crops(['', 'NULL', '', '']), clearing),
      'All 4 rows of known records have nothing for "Crop 1 name", and 3 records would lose',
    )
  })

  test('but for a few rows stops it, too', async () => {
    const ten = (kale: number): Promise<Report> =>
      night(crops(Array.from({ length: 10 }, (_, at) => (at < kale ? 'Kale' : ''))), clearing)
    await publishes(ten(10), { created: 6 })
    await stops(ten(2), '8 of the 10 rows of known records have nothing for "Crop 1 name", and 8 records would lose')
    await publishes(ten(3), { updated: 7 })
  })

  test('with all others of its row rejects the row', async () => {
    const report = await night(sheet(['1;Rahui 0;3,5;Kale;', '2;;;;', '3;;;Kale;', '4;Rahui 3;3,5;;']), clearing)
    expect(report).toMatchObject({ exit: 3, rows: { unchanged: 2, ready: 1, rejected: 1 } })
    expect(report.problems.find(({ severity }) => severity === 'error')).toMatchObject({
      code: 'row-without-record',
      first: [{ at: { row: 3 } }],
    })
  })

  test('is cleared by a pipeline that has no more of the record', async () => {
    const yaml = clearing.replace(/^record: .*$/m, 'record: { crops: [{ name: <Crop> }] }')
    await publishes(night(crops(['Kale', '', 'Kale', '']), yaml), { updated: 1 })
  })

  test('is not suspected while a quarter of the rows has a value, or where blank cells keep what is there', async () => {
    await publishes(night(crops(['', '', 'Kale', '']), clearing), { updated: 2 })
    const { rows } = await publishes(night(crops(['', '', '', '']), agreed('blank: keep')), {})
    expect(rows.unchanged).toBe(4)
  })
})

test('dates of a file that changed to ISO are read, because nothing else starts with the year', async () => {
  await publishes(night(sowings('2026-09-13', '2026-02-01')), { created: 2 })
})

describe('the encoding', () => {
  const latin = asAgreed.replace('utf-8', 'windows-1252')

  const utf8Now = withNames('Rāhui', 'Tūī', 'Creek')
  const inUtf8 = (severity: string) => ({
    code: 'other-encoding',
    severity,
    first: [
      {
        message: expect.stringContaining(
          'as windows-1252, but 2 of 2 cells with special letters are UTF-8: "RÄ\x81hui 0" in row 2 should be "Rāhui 0".',
        ) as string,
      },
    ],
  })

  test('that was Windows-1252 and is UTF-8 now stops the run', async () => {
    const { exit, error, problems } = await night(utf8Now, readAs(latin))
    expect([exit, error?.code]).toEqual([6, 'rule-stopped'])
    expect(error?.hint).toContain('encoding: utf-8')
    expect(found({ problems } as Report, 'other-encoding')).toMatchObject(inUtf8('stop'))
    expect(farm.posted()).toEqual([])
  })

  test('that was Windows-1252 and is UTF-8 now is reported where a warning is enough', async () => {
    const report = await publishes(night(utf8Now, readAs(latin, 'rules: { other-encoding: warn }')), { created: 3 })
    expect(found(report, 'other-encoding')).toMatchObject(inUtf8('warning'))
  })

  test('that was UTF-8 and is Windows-1252 now stops the run', async () => {
    const report = await night(Buffer.from(table([{ name: 'Größe' }, { name: 'Höhe' }, {}]), 'latin1'))
    expect(report).toMatchObject({ exit: 6, rows: { rejected: 2 } })
    expect(found(report, 'other-encoding')).toMatchObject({ severity: 'stop' })
    expect(farm.posted()).toEqual([])
  })

  test('of the pipeline is imported, also with letters that could look like others', async () => {
    await publishes(night(Buffer.from(withNames('Größe', 'Ã¤', 'Žluť'), 'latin1'), readAs(latin)), { created: 3 })
  })
})

describe('the columns', () => {
  test('with a second one of the name that the pipeline reads stop the run, unless it is expected', async () => {
    farm.write('nightly.csv', 'Name;No;Name;Area;Crop;Sown\nRimu Farm;1;Front;3,5;Kale;13/9/2026\n')
    const expecting = (more: string): string =>
      agreed(`columns: { expect: [No, Name, Area, Crop, Sown${more}], new: ignore }`)
    await expect(farm.run(expecting(''))).rejects.toMatchObject({
      exit: 6,
      message: expect.stringContaining('has a second column "Name", so it is unclear which one the pipeline means'),
      hint: expect.stringContaining('add "Name (2)" under "columns: expect"'),
    })
    await publishes(farm.run(expecting(', Name (2)')), { created: 1 })
    const message: unknown = expect.stringContaining('has a second column "Name"')
    await expect(farm.run(agreed())).rejects.toMatchObject({ exit: 6, message })
    const some = await farm.run(agreed('columns: { expect: [Name (2)] }'))
    expect(some).toMatchObject({ exit: 0, rows: { unchanged: 1 }, problems: [{ code: 'header-renamed' }] })
  })

  test('with the name of a text that stands without brackets stop the run', async () => {
    farm.write('nightly.csv', table([{}]))
    const bare = agreed().replace('name: <Crop>', 'name: Crop')
    await expect(farm.run(bare)).rejects.toMatchObject({
      code: 'pipeline-invalid',
      exit: 2,
      message: expect.stringContaining('writes the text "Crop" into every record'),
      hint: expect.stringContaining('write <Crop>. If the text is meant, write { text: Crop }'),
    })
    const meant = bare.replace('name: Crop', 'name: { text: Crop }')
    await publishes(farm.run(meant), { created: 1 })
  })

  test.each([
    ['another separator', table([{}]).replaceAll(';', ','), 'delimiter: ","'],
    ['titles above them', `Rimu farm;;;;\n;;;;\n${table([{}, {}, {}])}`, 'header: 3'],
  ])('with %s', async (_, text, change) => {
    await expect(night(text)).rejects.toMatchObject({
      code: 'column-missing',
      exit: 6,
      message: expect.stringContaining(`with  ${change}  it has all columns of the pipeline.`),
      hint: expect.stringContaining(`write  ${change}  under "from"`),
    })
  })

  test('with names in another encoding', async () => {
    const yaml = readAs(asAgreed.replace('utf-8', 'windows-1252')).replace('<Name>', '<Fläche>')
    const hint: unknown = expect.stringContaining('encoding: "utf-8"')
    const run = night(table([{}]).replace('Name', 'Fläche'), yaml)
    await expect(run).rejects.toMatchObject({ code: 'column-missing', hint })
  })
})

describe('a changed decimal separator where each number can be read either way', () => {
  test('stops the run, because the areas would be a thousand times what they were', async () => {
    await night(areas('1,250', '3,125', '12,5'))
    const { message, hint } = await stops(
      night(areas('1.250', '3.125', '12.500')),
      '3 of the 3 areas that changed would become a thousand times as large',
    )
    expect(message).toContain('row 2: 1.25 ha would become 1250 ha')
    expect(hint).toContain('decimal: point')
  })

  test('is not suspected because of one area, which is published with a warning', async () => {
    await night(areas('1.250', '3,125', '12,5'))
    const report = await publishes(night(areas('1,250', '3,125', '12,5')), { updated: 1 })
    expect(doubtsIn(report)).toEqual([
      'The area of this record was 1250 ha until now and becomes 1.25 ha. Was a decimal separator lost or mistyped?',
    ])
    expect(doubtsIn(await night(areas('1,3', '6,250', '2,5')))).toEqual([])
  })
})

describe('another unit of area than before', () => {
  const hectares = [1.25, 3.5, 12.75, 0.62, 40]
  const times = (list: readonly number[], factor: number): string =>
    areas(...list.map((each) => Math.round(each * factor * 100) / 100))

  test.each([
    ['square metres', 10_000, '10000 times as large (row 2: 1.25 ha would become 12500 ha)'],
    ['acres', 2.4710538, '2.471 times as large'],
    ['ares', 100, '100 times as large'],
    ['one decimal less', 10, '10 times as large'],
  ])('stops the run: %s', async (_, factor, sentence) => {
    await night(areas(...hectares))
    const { hint } = await stops(
      night(times(hectares, factor)),
      `5 of the 5 areas that changed would become ${sentence}`,
    )
    expect(hint).toContain('unit: as the file has it now')
  })

  test('stops the run where the pipeline has another unit, and not where both changed', async () => {
    await night(areas(...hectares))
    const inAcres = agreed().replace('unit: ha', 'unit: ac')
    await stops(
      farm.run(inAcres),
      '5 of the 5 areas that changed would become 2.471 times as small (row 2: 1.25 ha would become 0.505',
    )
    await publishes(night(times(hectares, 2.471_05), inAcres), { updated: 5 })
  })

  test.each([
    ['kilometres', 0.001, 'a thousand times as small (row 2: 1230 m would'],
    ['feet', 3.28084, '3.281 times as large'],
  ])('of lengths stops the run, too: %s', async (_, factor, sentence) => {
    const lengths = [1230, 857, 2004, 1111, 640]
    const ofLengths = agreed().replace('totalArea: { from: Area, unit: ha }', 'totalLength: { from: Area, unit: m }')
    await night(areas(...lengths), ofLengths)
    const changed = '5 of the 5 amounts of "Total length" that changed would become'
    await stops(night(times(lengths, factor), ofLengths), `${changed} ${sentence}`)
  })

  test('of amounts in other fields stops the run, too', async () => {
    const cover = 'additionalProperties: { constructor: { from: Area, unit: kg, number: { decimal: comma } } }'
    const ofCover = agreed().replace('totalArea: { from: Area, unit: ha }', cover)
    await night(areas(1400, 1623, 980, 2111), ofCover)
    await publishes(night(areas(1500, 1623, 1010, 2111), ofCover), { updated: 2 })
    const { exit, error } = await night(areas(1.5, 1.62, 1.01, 2.11), ofCover)
    expect({ exit, code: error?.code }).toEqual({ exit: 6, code: 'rule-stopped' })
    expect(error!.message).toContain(
      '4 of the 4 amounts of "Constructor" that changed would become a thousand times as small',
    )
  })

  test('is not suspected where most areas changed otherwise', async () => {
    await night(areas(...hectares))
    await publishes(night(areas(12.5, 3.5, 12.75, 6.2, 40)), { updated: 2 })
    const report = await publishes(night(areas(3.09, 8.65, 11.5, 0.7, 41)), { updated: 5 })
    expect(doubtsIn(report)).toEqual([
      '3 of the 5 areas that changed differ by more than a fifth (row 2: 12.5 ha until now, 3.09 ha in the file). Are the boundaries or areas those of the same paddocks?',
    ])
    expect(doubtsIn(await night(areas(3.2, 8.5, 11.9, 0.75, 55)))).toEqual([])
  })
})

describe('crops that are those of other paddocks until now', () => {
  const grown = (crops: readonly string[], sown: (index: number) => string = () => '13/9/2026'): string =>
    sheet(crops.map((crop, index) => `${index};Rahui ${index};3,5;${crop};${sown(index)}`))
  const crops = ['Kale', 'Barley', 'Oats', 'Kale', 'Barley', 'Oats']
  beforeEach(async () => {
    await publishes(night(grown(crops)), { created: 6 })
  })

  test('are published with a warning', async () => {
    const report = await publishes(night(grown(crops.toReversed())), { updated: 4 })
    expect(doubtsIn(report)).toEqual([
      '4 of the 4 crops that changed are those of other records until now (row 2). Did the ids or a column move to other rows?',
    ])
    // The next night has nothing new to say.
    expect(doubtsIn(await farm.run(agreed()))).toEqual([])
  })

  test('are a rotation where they were sown on other days, and a correction where they are few', async () => {
    const sown = (index: number): string => `${index + 1}/10/2026`
    expect(doubtsIn(await night(grown(crops.toReversed(), sown)))).toEqual([])
    const corrected = crops.toReversed().toSpliced(0, 2, 'Kale', 'Oats')
    expect(doubtsIn(await night(grown(corrected, sown)))).toEqual([])
  })
})

test('crops that all become one, without another day of sowing, are published with a warning', async () => {
  await night(table([{}, {}, {}, {}]).replace('Kale', 'Oats').replace('Kale', 'Barley'))
  expect(doubtsIn(await night(table([{}, {}, {}, {}]).replaceAll('Kale', 'Grass')))).toEqual([
    '4 of the 4 crops that changed would all become "Grass" (row 2: "Oats" until now). Does the column still have the crops of the records?',
  ])
})

test('classes of land covers are compared as crops are', async () => {
  const yaml = agreed()
    .replace('import: plots', 'import: land-covers')
    .replace(/crops: .*\]/, 'landCoverClass: { primary: <Crop> }')
  const classes = (list: readonly string[]): string =>
    sheet(list.map((each, index) => `${index};Bush ${index};3,5;${each};`))
  await night(classes(['Forest', 'Scrub', 'Wetland', 'Forest']), yaml)
  expect(doubtsIn(await night(classes(['Scrub', 'Wetland', 'Forest', 'Forest']), yaml))).toEqual([
    '3 of the 3 classes of land that changed are those of other records until now (row 2). Did the ids or a column move to other rows?',
  ])
  await stops(
    night(classes(['Bush 0', 'Bush 1', 'Bush 2', 'Forest']), yaml),
    '3 of the 3 classes of land that changed would become what belongs',
  )
})

describe('names that a program made', () => {
  const names = ['Woolshed flat', 'Kānuka terrace', 'Airstrip north', 'Airstrip south', 'Swamp', 'Bull paddock']
  const rows = (list: readonly string[]): string =>
    sheet(list.map((name, at) => `00${at + 1};${name};3,5;Kale;13/9/2026`))
  beforeEach(async () => {
    await publishes(night(rows(names)), { created: 6 })
  })

  test('of ids without their zeros stop the run', async () => {
    await stops(
      night(rows(names.map((_, at) => String(at + 1)))),
      '6 of the 6 names that changed would become what belongs into another field, or no value (row 2: "Woolshed flat" would become "1")',
    )
  })

  test('may be shortened by whole words, by a letter each, or by the same end', async () => {
    for (const list of [names.map((name) => name.split(' ')[0] + (name.endsWith('south') ? ' 2' : '')), names])
      expect(doubtsIn(await night(rows(list)))).toEqual([])
    await publishes(night(rows(names.map((name, at) => (at > 2 ? name.slice(0, -1) : name)))), { updated: 3 })
    const fields = ['Nordfeld', 'Westfeld', 'Bergfeld', 'Moorfeld', 'Langfeld', 'Hoffeld']
    const hills = ['Longhills', 'Deepfords', 'Westholms', 'Eastcotes', 'Highgates', 'Lowfields']
    const [bare, short] = [fields.map((name) => name.replace('feld', '')), hills.map((name) => name.slice(0, -1))]
    for (const list of [fields, bare, hills, short]) await publishes(night(rows(list)), { updated: 6 })
  })

  test.each([
    ['Paddock 1', names.map((_, at) => `Paddock ${at + 1}`)],
    ['North', names.map((_, at) => ['North', 'South'][at % 2]!)],
    ['3,5', names.map((_, at) => `3,${at + 5}`)],
  ])('of few words are published with a warning: %s', async (first, list) => {
    expect(doubtsIn(await night(rows(list)))).toEqual([
      `6 records get names that many share, or that differ in numbers only (row 2: "Woolshed flat" until now, "${first}" in the file). Does the column still have the names, or was it filled down?`,
    ])
    expect(doubtsIn(await night(rows(list.map((name) => `${name}9`))))).toEqual([])
  })

  test('for less than half of the farm are no reason to warn', async () => {
    const report = await night(rows([...names.slice(0, 3), 'Dairy 1', 'Dairy 2', 'Dairy 3']))
    expect([report.records.updated, doubtsIn(report)]).toEqual([3, []])
  })
})

describe('the days of one of two columns', () => {
  const yaml = agreed('', `${usualCrop.slice(0, -2)}, harvestDate: { from: Harvest, date: d/M/yyyy } }`)
  const sown = ['3/4/2021', '14/4/2021', '9/5/2021', '20/9/2021', '2/11/2021']
  const harvest = ['3/12/2021', '14/12/2021', '9/1/2022', '20/2/2022', '2/3/2022']
  const rows = (sown: readonly string[], harvest: readonly string[]): string =>
    sheet(sown.map((day, at) => `${at};Top ${at};3,5;Kale;${day};${harvest[at]!}`)).replace('Sown', 'Sown;Harvest')
  const nextDay = (day: string): string => day.replace(/^\d+/, (number) => String(Number(number) + 1))
  const exchanged = sown.map((day) => day.replace(/^(\d)\/(\d+)/, '$2/$1'))
  beforeEach(async () => {
    await publishes(night(rows(sown, harvest), yaml), { created: 5 })
  })

  test.each([
    [
      'moved by a day',
      rows(sown, harvest.map(nextDay)),
      '5 of the 5 dates of crops would all become a day later (row 2).',
    ],
    [
      'changed places with those of the other',
      rows(harvest, sown),
      '10 of the 10 dates of crops that changed would become what belongs into another field, or no value (row 2: "2021-04-03" would become "2021-12-03").',
    ],
    [
      'read by a program of another country',
      rows(exchanged, harvest),
      `3 of the 3 dates of crops that changed would have day and month in each other's place (row 2).`,
    ],
  ])('stop the run: %s', async (_, file, sentence) => {
    await stops(night(file, yaml), sentence)
  })

  const none = harvest.map(() => '')
  const oneDay = harvest.map(() => '1/9/2022')
  const planned = (list: readonly string[]): readonly string[] =>
    list.map((day) => day.replace(/\d+$/, String(new Date().getFullYear() + 1)))
  test.each([
    ['another crop is sown when the last one was harvested', rows(harvest, none).replaceAll('Kale', 'Oats')],
    ['the same crop is sown when the last one was harvested', rows(harvest, none)],
    ['another crop is sown everywhere on one day', rows(oneDay, none).replaceAll('Kale', 'Oats')],
    ['the same crop is sown on two days', rows(oneDay.with(4, '2/9/2022'), none)],
  ])('are published where %s', async (_, next) => {
    const report = await night(next, `${yaml}blank: keep\n`)
    expect([report.exit, report.records.updated, doubtsIn(report)]).toEqual([0, 5, []])
  })

  test("are published where a few of them, with day and month in each other's place, are corrected", async () => {
    const [days, none] = [['3/4', '4/5', '5/6', '6/7', '7/8', '8/9', '9/10', '10/11'], Array<string>(8).fill('')]
    const typed = (wrong: number): readonly string[] =>
      days.map((day, at) => `${at < wrong ? day.split('/').reverse().join('/') : day}/2021`)
    await night(rows(typed(3), none), yaml)
    await publishes(night(rows(typed(0), none), yaml), { updated: 3 })
  })

  test('are published where rain moves a plan of harvests by a day', async () => {
    await publishes(night(rows(sown, planned(harvest)), yaml), { updated: 5 })
    await publishes(night(rows(sown, planned(harvest.map(nextDay))), yaml), { updated: 5 })
  })

  test('are published where a crop is mature when it is harvested', async () => {
    const mature = yaml.replace('harvestDate:', 'maturityDate: { from: Mature, date: d/M/yyyy }, harvestDate:')
    const withMature = (days: readonly string[]): string =>
      rows(sown, harvest)
        .replace('Harvest', 'Harvest;Mature')
        .replaceAll(/(\d+);(Top.*)/g, (_, at: string, row: string) => `${at};${row};${days[Number(at)]!}`)
    await publishes(night(withMature(harvest.map((day) => day.replace(/^\d+/, '28'))), mature), { updated: 5 })
    await publishes(night(withMature(harvest), mature), { updated: 5 })
  })

  test('are published with a warning where they become the same day', async () => {
    const today = sown.map(() => '27/11/2021')
    expect(doubtsIn(await night(rows(today, harvest), yaml))).toEqual([
      'All 5 dates of crops that changed become the same day (row 2). Is it the day of the crop, or that of the file?',
    ])
    const two = [...harvest.slice(0, 3), '1/3/2022', '1/3/2022']
    await night(rows(sown, two), yaml)
    expect(doubtsIn(await night(rows(['1/6/2021', '1/6/2021', ...sown.slice(2)], two), yaml))).toEqual([])
  })
})

describe('days that all moved by the same', () => {
  const days = ['3/3/2026', '14/4/2026', '20/9/2026', '20/9/2026', '2/11/2026']
  const sown = (by: number, list: readonly string[] = days): string =>
    table(
      list.map((each) => {
        const [day, month, year] = each.split('/').map(Number)
        const moved = new Date(Date.UTC(year!, month! - 1, day! + by))
        return { sown: `${moved.getUTCDate()}/${moved.getUTCMonth() + 1}/${moved.getUTCFullYear()}` }
      }),
    )
  beforeEach(async () => {
    await publishes(night(sown(0)), { created: 5 })
  })

  test.each([
    [1462, /5 of the 5 dates of crops would all become 1462 days later \(row 2\)\. .* 1904/],
    [-1462, /would all become 1462 days earlier/],
    [-1, /would all become a day earlier \(row 2\)\. Did a program write them in another time zone\?/],
  ])('as programs move them stop the run (%i)', async (by, sentence) => {
    const { message, hint } = await stopped(night(sown(by)))
    expect(message).toMatch(sentence)
    expect(hint).toContain('--allow reading')
  })

  test('by a century are rejected, and so many stop the run', async () => {
    expect(await night(sown(-36_525))).toMatchObject({ exit: 6, rows: { rejected: 5 } })
  })

  test('to the evening before stop the run, as programs write them in another time zone', async () => {
    const timed = (text: string): string => text.replaceAll(/\/2026$/gm, '/2026 11:00')
    const yaml = agreed().replace('date: d/M/yyyy', 'date: d/M/yyyy H:mm')
    await stops(
      night(timed(sown(-1)), yaml),
      '5 of the 5 dates of crops would all become 13 hours earlier (row 2). Did a program write them in another time zone?',
    )
  })

  test.each([
    [365, 'later'],
    [-365, 'earlier'],
  ])('a year away are published with a warning (%i)', async (by, direction) => {
    const report = await publishes(night(sown(by)), { updated: 5 })
    expect(doubtsIn(report)).toEqual([
      `5 of the 5 dates of crops would all become a year ${direction} (row 2). Were they sown again, or did only the year change?`,
    ])
  })

  test('in another time zone, on the same days, are published', async () => {
    const yaml = agreed().replace('zone: Pacific/Auckland', 'zone: Europe/London')
    await publishes(farm.run(yaml), { updated: 5 })
  })

  test('as people move them are published: by a week, a few of them, one day for all', async () => {
    const firstMoved = (by: number): string => sown(by, days.slice(0, 1)) + sown(7).split('\n').slice(2).join('\n')
    for (const list of [sown(7), firstMoved(6)]) expect(await night(list)).toMatchObject({ exit: 0 })
    await publishes(night(firstMoved(8)), { updated: 1 })
    const same = days.map(() => '3/3/2026')
    for (const by of [0, 1]) await publishes(night(sown(by, same)), { updated: 5 })
  })
})

describe('the thousands separator of a column', () => {
  const agreed = (number: string): string =>
    readAs('delimiter: ";", decimal: point, encoding: utf-8, header: 1').replace(
      'unit: ha }',
      `unit: ha, number: { ${number} } }`,
    )

  test('makes a cell with one a problem, if the pipeline has none', async () => {
    const { exit, records, problems } = await night(areas('3.5', '12.25', '1,204'), agreed('thousands: none'))
    expect({ exit, created: records.created }).toEqual({ exit: 3, created: 2 })
    expect(problems).toMatchObject([
      { code: 'number-unclear', count: 1, first: [{ value: '1,204', at: { row: 4 } }] },
      { code: 'boundary-absent' },
    ])
  })

  test('of the pipeline is read, and decides the decimal separator of the column too', async () => {
    await publishes(night(areas('1.204,5', '2.110'), agreed('thousands: point')), { created: 2 })
    expect(farm.posted().flat()).toMatchObject([
      { totalArea: { measurement: 1204.5 } },
      { totalArea: { measurement: 2110 } },
    ])
  })

  test('cannot be the decimal separator', async () => {
    await expect(night(table([{}]), agreed('decimal: comma, thousands: comma'))).rejects.toMatchObject({
      code: 'pipeline-invalid',
    })
  })
})
