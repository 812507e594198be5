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

const found = ({ problems }: Report, which: string) => problems.find(({ code }) => code === which)

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

describe('a blank cell', () => {
  const crops = (list: readonly string[]): string =>
    sheet(list.map((crop, index) => `${index + 1};Rahui ${index};3,5;${crop};`))
  const clearing = agreed('blank: clear')
  beforeEach(async () => {
    await publishes(night(crops(['Kale', 'Maize', 'Kale', '']), clearing), { created: 4 })
  })

  test('and all others of its row reject the row', async () => {
    const report = await night(sheet(['1;Rahui 0;3,5;Kale;', '2;;;;', '3;;;Kale;', '4;Rahui 3;3,5;;']), clearing)
    expect(report).toMatchObject({ exit: 3, rows: { unchanged: 2, ready: 1, rejected: 1 } })
    expect(report.problems.find(({ severity }) => severity === 'error')).toMatchObject({
      code: 'row-without-record',
      first: [{ at: { row: 3 } }],
    })
  })

  test('clears what a pipeline has no more of', async () => {
    const yaml = clearing.replace(/^record: .*$/m, 'record: { crops: [{ name: <Crop> }] }')
    await publishes(night(crops(['Kale', '', 'Kale', '']), yaml), { updated: 1 })
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
      hint: expect.stringContaining(`set  from.${change}`) as string,
    })
  })

  test('with names in another encoding', async () => {
    const yaml = readAs(asAgreed.replace('utf-8', 'windows-1252')).replace('<Name>', '<Fläche>')
    const hint: unknown = expect.stringContaining('encoding: utf-8')
    const run = night(table([{}]).replace('Name', 'Fläche'), yaml)
    await expect(run).rejects.toMatchObject({ code: 'column-missing', hint })
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
