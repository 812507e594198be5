import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { rimu, startFarm, type Farm, type Fetch } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const pipeline = (
  from: string,
  more = '',
  crop = '{ name: <Crop>, establishmentDate: { from: Sown, date: d/M/yyyy } }',
) =>
  `windrow: 1
import: plots
from: { file: nightly.csv, ${from} }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
zone: Pacific/Auckland
record: { name: <Name>, totalArea: { from: Area, unit: ha }, crops: [${crop}] }
${more}`

type Line = { readonly name?: string; readonly area?: string; readonly sown?: string }
const table = (lines: readonly Line[], separator = ';'): string =>
  [
    ['No', 'Name', 'Area', 'Crop', 'Sown'],
    ...lines.map(({ name = 'Rahui', area = '3,5', sown = '13/9/2026' }, index) => [
      `${index + 1}`,
      `${name} ${index}`,
      area,
      'Kale',
      sown,
    ]),
  ]
    .map((cells) => `${cells.join(separator)}\n`)
    .join('')

const asAgreed = 'delimiter: ";", decimal: comma, encoding: utf-8, header: 1'

async function stopped(run: Promise<Report>): Promise<{ readonly message: string; readonly hint: string }> {
  const { exit, outcome, error, records } = await run
  expect({ exit, outcome, code: error?.code, sent: records.created }).toEqual({
    exit: 6,
    outcome: 'stopped',
    code: 'guard-stopped',
    sent: 0,
  })
  expect(farm.posted()).toEqual([])
  return { message: error!.message, hint: error!.hint ?? '' }
}

test('a file in the format of the pipeline is imported', async () => {
  farm.write('nightly.csv', table([{}, { name: 'Rāhui', sown: '3/9/2026' }, { area: '1.204,5', sown: '' }]))
  expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 3 } })
})

describe('ids', () => {
  const numbered = (ids: readonly string[]): string =>
    `No;Name;Area;Crop;Sown\n${ids.map((id) => `${id};Rahui ${id};3,5;Kale;13/9/2026\n`).join('')}`

  test.each([
    ['without their zeros', ['1', '2', '3']],
    ['with decimals', ['001.0', '002.0', '003.0']],
    ['with blanks and invisible characters', ['0 01', '0\u200e02', '00\u200b3']],
    ['with the mark of a text, a # or a quote', ["'001", '#002', '003”']],
  ])('of known records stop the run when they come back %s, before everything is there twice', async (_, ids) => {
    farm.write('nightly.csv', numbered(['001', '002', '003']))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 3 } })
    farm.write('nightly.csv', numbered(ids))
    const report = await farm.run(pipeline(asAgreed))
    expect(report).toMatchObject({ exit: 6, error: { code: 'guard-stopped' }, records: { created: 0 } })
    expect(report.error!.message).toContain(
      `3 of 3 new records have ids of known records in another spelling (row 2: "${ids[0]}", known as "001")`,
    )
    const warned = await farm.run(pipeline(asAgreed, 'guard: { reading: warn, replaced: 100 % }'))
    expect(warned).toMatchObject({ exit: 0, records: { created: 3 } })
  })

  test('of a farm of which one is respelt reject its row: the farm would be there twice', async () => {
    const yaml = `windrow: 1\nimport: holdings\nfrom: { file: farms.csv }\nholding: { scheme: ${rimu.scheme}, id: <NO> }\nkey: <NO>\nrecord: { name: <NAME> }`
    farm.write('farms.csv', 'NO,NAME\n00412876,Rimu Farm\n00731190,Kowhai Farm\n00500001,Tawa\n')
    await farm.run(yaml, { name: 'farms' })
    farm.write('farms.csv', 'NO,NAME\n00412876,Rimu Farm\n731190,Kowhai Farm\n00500001,Tawa\n00500002,Matai\n')
    const report = await farm.run(yaml, { name: 'farms' })
    expect(report).toMatchObject({ exit: 3, rows: { rejected: 1 }, records: { created: 1 } })
    expect(report.problems[0]).toMatchObject({ code: 'id-respelt', first: [{ value: '731190', at: { row: 3 } }] })
    farm.write('farms.csv', 'NO,NAME\n412876,Rimu Farm\n731190,Kowhai Farm\n500001,Tawa\n')
    const { message } = await stopped(farm.run(yaml, { name: 'farms' }))
    expect(message).toContain('3 of 3 new records have ids of known records in another spelling')
  })

  test('lose invisible characters at their ends, and so do names, crops and words', async () => {
    farm.write('nightly.csv', numbered(['001', '002', '003']))
    const yaml = pipeline(asAgreed, 'only: { Crop: Kale }')
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { created: 3 } })
    const copied = numbered(['001', '002', '003'])
      .replaceAll(/^(\d+);/gm, '\u00a0\u200e$1\u200b;')
      .replaceAll('Rahui', '\ufeffRahui')
      .replaceAll('Kale', 'Kale\u200b')
    farm.write('nightly.csv', copied)
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, rows: { read: 3, unchanged: 3 } })
  })

  test('names and words with their marks apart, as some programs write them, are the same', async () => {
    const marked = (form: 'NFC' | 'NFD'): string =>
      numbered(['Mā1', 'Mā2', 'Mā3']).replaceAll('Rahui', 'Rāhui').replaceAll('Kale', 'Kūmara').normalize(form)
    const yaml = pipeline(
      asAgreed,
      'only: { Crop: Kūmara }',
      '{ name: { from: Crop, words: { Kūmara: Sweet potato } } }',
    )
    farm.write('nightly.csv', marked('NFC'))
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { created: 3 } })
    farm.write('nightly.csv', marked('NFD'))
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, rows: { read: 3, unchanged: 3 } })
    expect(await farm.run(yaml.normalize('NFD'))).toMatchObject({ exit: 0, rows: { read: 3, unchanged: 3 } })
  })

  test('of which one is respelt get a warning, and two spellings in one file are two records', async () => {
    farm.write('nightly.csv', numbered(['001', '002', '003']))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', numbered(['001', '2', '003', '3', '4']))
    const report = await farm.run(pipeline(asAgreed))
    expect(report).toMatchObject({ exit: 0, records: { created: 3 } })
    expect(report.problems.find(({ code }) => code === 'file-inconsistent')?.first).toMatchObject([
      { message: expect.stringContaining('1 of 3 new records has the id of a known record') as string, at: { row: 3 } },
    ])
  })

  test('of which one is respelt reject its row if it has the name of the known record', async () => {
    farm.write('nightly.csv', numbered(['001', '002', '003']))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', numbered(['001', '003', '4']) + numbered(['002']).split('\n')[1]!.replace('002', '2'))
    const report = await farm.run(pipeline(asAgreed))
    expect(report).toMatchObject({ exit: 3, records: { created: 1 }, rows: { rejected: 1 } })
    expect(report.problems.find(({ code }) => code === 'id-respelt')?.first).toMatchObject([
      { value: '2', at: { row: 5 }, hint: expect.stringContaining('Write "002" as before') as string },
    ])
    expect(report.problems.find(({ code }) => code === 'file-inconsistent')).toBeUndefined()
    const twice = await farm.run(pipeline(asAgreed, 'guard: { duplicates: allow }'))
    expect(twice).toMatchObject({ exit: 0, records: { created: 1 } })
  })

  test.each(['2', "'002", '#002', '„002“'])(
    'of which one is respelt (%s) stop the run if the known record would be deleted, with what it has',
    async (id) => {
      farm.write('nightly.csv', numbered(['001', '002', '003']))
      await farm.run(pipeline(asAgreed))
      farm.write('nightly.csv', numbered(['001', id, '003', '4', '5']))
      const { message } = await stopped(farm.run(pipeline(asAgreed, 'gone: delete')))
      expect(message).toContain(
        `1 of 3 new records has the id of a known record in another spelling (row 3: "${id}", known as "002")`,
      )
    },
  )
})

describe('names as ids', () => {
  const named = (...names: readonly string[]): string =>
    `No;Name;Area;Crop;Sown\n${names.map((name) => `"${name}";"${name}";3,5;Kale;13/9/2026\n`).join('')}`
  const known = ['Kōwhai', 'Öd', 'Hof', 'Feld']
  const spoilt = [
    ['K?whai', 'in ASCII'],
    ['Kowhai', 'without macrons'],
    ['K&#333;whai', 'as in a web page'],
    ['KÅ\u008dwhai', 'encoded twice'],
  ] as const

  test.each(spoilt)('(%s) that come %s stop the run if the known record would be deleted', async (id) => {
    farm.write('nightly.csv', named(...known))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', named(id, 'Öd', 'Hof', 'Feld', 'New'))
    const { message } = await stopped(farm.run(pipeline(asAgreed, 'gone: delete')))
    expect(message).toContain(
      `1 of 2 new records has the id of a known record in another spelling (row 2: "${id}", known as "Kōwhai")`,
    )
  })

  test.each(spoilt)('(%s) that come %s reject their row: the record would be there twice', async (id) => {
    farm.write('nightly.csv', named(...known))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', named(id, 'Öd', 'Hof', 'Feld', 'New'))
    const { rows, records, problems } = await farm.run(pipeline(asAgreed))
    expect([rows.rejected, records.created]).toEqual([1, 1])
    expect(problems.find(({ code }) => code === 'id-respelt')?.first).toMatchObject([{ value: id, at: { row: 2 } }])
  })

  test.each([
    ['DOS', '™d'],
    ['Macintosh', '…d'],
  ])('of a program for %s stop the run, too', async (_, id) => {
    farm.write('nightly.csv', named(...known))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', named('Kōwhai', id, 'Hof', 'Feld'))
    const { message } = await stopped(farm.run(pipeline(asAgreed, 'gone: delete')))
    expect(message).toContain(`(row 3: "${id}", known as "Öd")`)
  })

  test('of another record are another record', async () => {
    farm.write('nightly.csv', named(...known, 'Kowhai'))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', named(...known, 'Kowhai', 'K?'))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({
      exit: 0,
      records: { created: 1 },
      rows: { rejected: 0 },
    })
  })
})

test('a day in the place of a crop rejects its row', async () => {
  const cells = (...crops: readonly string[]): string =>
    `No;Name;Area;Crop;Sown\n${crops.map((crop, at) => `a${at};Block ${at};3,5;${crop};13/9/2026\n`).join('')}`
  farm.write('nightly.csv', cells('Kale', 'Maize', 'Rape'))
  expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 3 } })
  farm.write('nightly.csv', cells('Kale', '2026-03-01', 'Oats'))
  const { rows, problems } = await farm.run(pipeline(asAgreed, 'guard: { rejected: 50 % }'))
  expect(rows).toMatchObject({ ready: 1, unchanged: 1, rejected: 1 })
  expect(problems.find(({ code }) => code === 'date-as-name')).toMatchObject({
    count: 1,
    first: [{ path: '/crops/0/name', message: expect.stringContaining('The name of the crop is a day or a time.') }],
  })
})

test('names and ids of which a spreadsheet made days are not published', async () => {
  const cells = (...list: readonly (readonly [id: string, name: string])[]): string =>
    `No;Name;Area;Crop;Sown\n${list.map(([id, name]) => `${id};${name};3,5;Kale;13/9/2026\n`).join('')}`
  farm.write('nightly.csv', cells(['a', '1-3'], ['b', '02/04'], ['c', '3-24'], ['1-1', 'Top'], ['1-2', 'Low']))
  expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 5 } })
  farm.write(
    'nightly.csv',
    cells(['a', '1-Mar'], ['b', '4-Feb'], ['c', 'Mar-24'], ['d', '5-Mar'], ['e', '2026-03-05'], ['f', '7:00 PM']),
  )
  const { rows, problems } = await farm.run(pipeline(asAgreed, 'guard: { replaced: 100 % }'))
  expect(rows).toMatchObject({ ready: 1, rejected: 5 })
  expect(problems.find(({ code }) => code === 'date-as-name')).toMatchObject({ count: 5 })
  farm.write('nightly.csv', cells(['1-Jan', 'Top'], ['2-Jan', 'Low']))
  const { message } = await stopped(farm.run(pipeline(asAgreed, 'guard: { replaced: 100 % }')))
  expect(message).toContain(
    '2 of 2 new records have ids of known records in another spelling (row 2: "1-Jan", known as',
  )
})

test('new names and ids of which a spreadsheet may have made days have a warning', async () => {
  const rows = ['1-Mar;Top;3,5;Kale', 'b;Mar-24;3,5;Kale', '1-MAR;Low;3,5;Kale', 'd;1-3;3,5;Kale']
  farm.write('nightly.csv', `No;Name;Area;Crop;Sown\n${rows.map((row) => `${row};13/9/2026\n`).join('')}`)
  const report = await farm.run(pipeline(asAgreed))
  expect(report).toMatchObject({ exit: 0, records: { created: 4 } })
  expect(report.problems.find(({ code }) => code === 'date-as-name')).toMatchObject({
    severity: 'warning',
    count: 2,
    first: [
      { value: '1-Mar', message: 'A spreadsheet program may have made "1-Mar" of a text such as 1-3.' },
      { value: 'Mar-24', path: '/name' },
    ],
  })
  expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, problems: [], rows: { unchanged: 4 } })
})

describe('names', () => {
  const named = (names: readonly string[]): string =>
    `No;Name;Area;Crop;Sown\n${names.map((name, index) => `${index + 1};${name};3,5;Kale;13/9/2026\n`).join('')}`
  const known = ['Front flat', 'Kānuka', 'Woolshed', 'Top', 'Creek']
  beforeEach(async () => {
    farm.write('nightly.csv', named(known))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 5 } })
  })

  test('that moved to other ids stop the run, unless a warning is enough', async () => {
    farm.write('nightly.csv', named(['New', ...known.slice(0, 4)]))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain(
      '4 of the 5 names that changed are those of other records until now (row 3: "Kānuka" would become "Front flat").',
    )
    expect(hint).toContain('--allow reading')
    const warned = await farm.run(pipeline(asAgreed, 'guard: { reading: warn }'))
    expect(warned).toMatchObject({ exit: 0, records: { updated: 5 } })
    expect(warned.problems.map(({ code }) => code)).toContain('file-inconsistent')
  })

  test('may all change, and two may be exchanged', async () => {
    farm.write('nightly.csv', named(['Kānuka', 'Front flat', ...known.slice(2)]))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 2 } })
    farm.write('nightly.csv', named(['KĀNUKA', 'Front', 'Hill', 'Gully', 'Yard']))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 5 } })
  })
})

describe('the values of another column', () => {
  const cells = [
    ['1', 'Front', '3,5', 'Kale'],
    ['2', 'Top', '4,1', 'Rape'],
    ['3', 'Creek', '5,2', 'Kale'],
    ['4', 'Paddock 4', '6,3', 'Oats'],
  ]
  const rows = (change: (row: readonly string[]) => readonly string[] = (row) => row): string =>
    `No;Name;Area;Crop;Sown\n${cells.map((row) => `${change(row).join(';')};13/9/2026\n`).join('')}`
  beforeEach(async () => {
    farm.write('nightly.csv', rows())
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 4 } })
  })

  test.each([
    [
      'crops as names',
      ([no, , area, crop]: readonly string[]) => [no!, crop!, area!, crop!],
      '4 of the 4 names',
      'Kale',
    ],
    [
      'names and crops that changed places',
      ([no, name, area, crop]: readonly string[]) => [no!, crop!, area!, name!],
      '4 of the 4 names',
      'Kale',
    ],
    ['ids as names', ([no, , area, crop]: readonly string[]) => [no!, no!, area!, crop!], '3 of the 4 names', '1'],
    [
      'names as crops',
      ([no, name, area]: readonly string[]) => [no!, name!, area!, name!],
      '4 of the 4 crops',
      'Front',
    ],
    ['areas as crops', ([no, name, area]: readonly string[]) => [no!, name!, area!, area!], '4 of the 4 crops', '3,5'],
    ['dashes as crops', ([no, name, area]: readonly string[]) => [no!, name!, area!, '-'], '4 of the 4 crops', '-'],
    ['n/a as names', ([no, , area, crop]: readonly string[]) => [no!, 'n/a', area!, crop!], '4 of the 4 names', 'n/a'],
  ])('stop the run: %s', async (_, change, count, now) => {
    farm.write('nightly.csv', rows(change))
    const { message } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain(
      `${count} that changed would become what belongs into another field, or no value (row 2: `,
    )
    expect(message).toContain(`would become "${now}"). Did the columns move, or lose their values?`)
  })

  test('may come to two of them, and crops may be numbers from the start', async () => {
    farm.write(
      'nightly.csv',
      rows((row) => (Number(row[0]) < 3 ? [row[0]!, row[3]!, ...row.slice(2)] : row)),
    )
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 2 } })
    for (const [code, updated] of [
      ['15', 4],
      ['16', 4],
    ] as const) {
      farm.write(
        'nightly.csv',
        rows((row) => [...row.slice(0, 3), `${code}${row[0]!}`]),
      )
      const run = farm.run(pipeline(asAgreed, code === '15' ? 'guard: { reading: warn }' : ''))
      expect(await run).toMatchObject({ exit: 0, records: { updated } })
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
    const ring = [
      [0, 0],
      [0.001, 0],
      [0.001, 0.001],
      [0, 0],
    ].map(([x, y]) => [west + x!, y! - 37.8])
    const geometry = { type: 'Polygon', coordinates: [ring] }
    const feature = { type: 'Feature', properties: { No: '1', Name: 'Rāhui', Crop: crop, Sown: '13/9/2026' }, geometry }
    return JSON.stringify({ type: 'FeatureCollection', features: [feature] })
  }
  const ofMap = (file: string): string =>
    pipeline('').replace('nightly.csv, ', file).replace('{ from: Area, unit: ha }', 'measured')
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
    farm.write('nightly.csv', rows(areas, days))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 6 } })
  })

  test.each([
    ['areas', 'sorted alone', rows(areas.toReversed(), days), '4 of the 4'],
    ['areas', 'a row lower', rows(['3,5', ...areas.slice(0, 5)], days), '3 of the 4'],
    ['dates of crops', 'sorted alone', rows(areas, days.toReversed()), '4 of the 4'],
    ['dates of crops', 'a row lower', rows(areas, ['3/3/2026', ...days.slice(0, 5)]), '3 of the 4'],
  ])('of other records stop the run: %s, %s', async (what, _, file, count) => {
    farm.write('nightly.csv', file)
    expect((await stopped(farm.run(pipeline(asAgreed)))).message).toContain(
      `${count} ${what} that changed are those of other records until now`,
    )
  })

  test('may be exchanged between two records, and change otherwise', async () => {
    farm.write('nightly.csv', rows(['4,1', '3,5', ...areas.slice(2)], ['14/4/2026', '3/3/2026', ...days.slice(2)]))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 2 } })
    farm.write(
      'nightly.csv',
      rows(['3,6', '4,2', '5,1', '5,3', '6,9', '7,3'], days.toSpliced(0, 3, '4/3/2026', '16/4/2026', '1/9/2026')),
    )
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 4 } })
  })

  test('of other records stop the run, also where each area is larger by the same', async () => {
    farm.write('nightly.csv', rows(['1,1', '2,1', '3,1', '4,1', '5,1', '6,1'], days))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0 })
    farm.write('nightly.csv', rows(['1,1', '1,1', '2,1', '3,1', '4,1', '5,1'], days))
    expect((await stopped(farm.run(pipeline(asAgreed)))).message).toContain('4 of the 5 areas that changed are those')
  })

  test('that all move by a week are published, also where one week of sowing follows the other', async () => {
    const weekly = (first: number): string =>
      rows(
        areas,
        areas.map((_, at) => {
          const day = new Date(Date.UTC(2026, 1, first + 7 * at))
          return `${day.getUTCDate()}/${day.getUTCMonth() + 1}/2026`
        }),
      )
    for (const first of [1, 8]) {
      farm.write('nightly.csv', weekly(first))
      expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 6 } })
    }
  })

  test('may come in another order within each record', async () => {
    const crops = (order: readonly number[]): string =>
      `No;Name;Area;Crop;Sown\n${[1, 2, 3, 4, 5].flatMap((no) => order.map((at) => `p${no};Top ${no};3,5;${['Kale', 'Oats'][at]};${no}/${[3, 9][at]}/2026\n`)).join('')}`
    const grouped = pipeline(asAgreed, 'rows: group')
    farm.write('nightly.csv', crops([0, 1]))
    expect(await farm.run(grouped, { name: 'grouped' })).toMatchObject({ exit: 0 })
    farm.write('nightly.csv', crops([1, 0]))
    expect(await farm.run(grouped, { name: 'grouped' })).toMatchObject({ exit: 0, records: { updated: 5 } })
  })
})

describe('one value for all records', () => {
  const rows = (cells: readonly (readonly [name: string, area: string])[]): string =>
    `No;Name;Area;Crop;Sown\n${cells.map(([name, area], index) => `${index + 1};${name};${area};Kale;13/9/2026\n`).join('')}`
  beforeEach(async () => {
    farm.write(
      'nightly.csv',
      rows([
        ['Front', '3,5'],
        ['Top', '4,5'],
        ['Creek', '5,5'],
        ['Hill', '5,5'],
      ]),
    )
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 4 } })
  })

  test('in a column of names or areas stops the run', async () => {
    farm.write('nightly.csv', rows(['Front', 'Top', 'Creek', 'Hill'].map((name) => [name, '0,00'])))
    expect((await stopped(farm.run(pipeline(asAgreed)))).message).toContain(
      '4 of the 4 areas that changed would all become "0" (row 2: "3.5" until now).',
    )
    farm.write('nightly.csv', rows(['3,5', '4,5', '5,5', '5,5'].map((area) => ['Rimu Farm', area])))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain(
      '4 of the 4 names that changed would all become "Rimu Farm" (row 2: "Front" until now). Does the column still have the names of the records?',
    )
    expect(hint).toContain('--allow reading')
  })

  test('may come to records that had one value before, and to a few', async () => {
    farm.write(
      'nightly.csv',
      rows([
        ['Front', '0'],
        ['Top', '0'],
        ['Creek', '5,5'],
        ['Hill', '5,5'],
      ]),
    )
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 2 } })
  })
})

describe('a column that came back empty', () => {
  const crops = (list: readonly string[]): string =>
    `No;Name;Area;Crop;Sown\n${list.map((crop, index) => `${index + 1};Rahui ${index};3,5;${crop};\n`).join('')}`
  const clearing = pipeline(asAgreed, 'blank: clear')
  beforeEach(async () => {
    farm.write('nightly.csv', crops(['Kale', 'Maize', 'Kale', '']))
    expect(await farm.run(clearing)).toMatchObject({ exit: 0, records: { created: 4 } })
  })

  test('stops a run that would clear it in every record', async () => {
    farm.write('nightly.csv', crops(['', 'NULL', '', '']))
    const { message } = await stopped(farm.run(clearing))
    expect(message).toContain('All 4 rows of known records have nothing for "Crop 1 name", and 3 records would lose')
  })

  test('but for a few rows stops it, too', async () => {
    const fields = (crop: (index: number) => string): string => crops(Array.from({ length: 10 }, (_, at) => crop(at)))
    farm.write(
      'nightly.csv',
      fields(() => 'Kale'),
    )
    expect(await farm.run(clearing)).toMatchObject({ exit: 0, records: { created: 6 } })
    farm.write(
      'nightly.csv',
      fields((index) => (index < 2 ? 'Kale' : '')),
    )
    const { message } = await stopped(farm.run(clearing))
    expect(message).toContain(
      '8 of the 10 rows of known records have nothing for "Crop 1 name", and 8 records would lose',
    )
    farm.write(
      'nightly.csv',
      fields((index) => (index < 3 ? 'Kale' : '')),
    )
    expect(await farm.run(clearing)).toMatchObject({ exit: 0, records: { updated: 7 } })
  })

  test('with all others of its row rejects the row', async () => {
    farm.write('nightly.csv', `No;Name;Area;Crop;Sown\n1;Rahui 0;3,5;Kale;\n2;;;;\n3;;;Kale;\n4;Rahui 3;3,5;;\n`)
    const report = await farm.run(clearing)
    expect(report).toMatchObject({ exit: 3, rows: { unchanged: 2, ready: 1, rejected: 1 } })
    expect(report.problems.find(({ severity }) => severity === 'error')).toMatchObject({
      code: 'row-without-record',
      first: [{ at: { row: 3 } }],
    })
  })

  test('is cleared by a pipeline that has no more of the record', async () => {
    const yaml = clearing.replace(/^record: .*$/m, 'record: { crops: [{ name: <Crop> }] }')
    farm.write('nightly.csv', crops(['Kale', '', 'Kale', '']))
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { updated: 1 } })
  })

  test('is not suspected while a quarter of the rows has a value, or where blank cells keep what is there', async () => {
    farm.write('nightly.csv', crops(['', '', 'Kale', '']))
    expect(await farm.run(clearing)).toMatchObject({ exit: 0, records: { updated: 2 } })
    farm.write('nightly.csv', crops(['', '', '', '']))
    expect(await farm.run(pipeline(asAgreed, 'blank: keep'))).toMatchObject({ exit: 0, rows: { unchanged: 4 } })
  })
})

describe('day and month', () => {
  test('exchanged in the whole file stop the run, though most dates can be read either way', async () => {
    farm.write(
      'nightly.csv',
      table([{ sown: '9/3/2026' }, { sown: '9/4/2026' }, { sown: '9/13/2026' }, { sown: '10/5/2026' }]),
    )
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain('The pipeline reads "Sown" as day/month/year (d/M/yyyy)')
    expect(message).toContain(
      '1 date in this file can only be read as month/day/year (M/d/yyyy) (first "9/13/2026" in row 4), and none only as in the pipeline. 3 could be either.',
    )
    expect(hint).toContain('{ from: Sown, date: M/d/yyyy }')
    expect(hint).toContain('guard: { reading: warn }')
  })

  test('exchanged in one cell among good dates reject only its row', async () => {
    farm.write('nightly.csv', table([{}, {}, { sown: '9/13/2026' }]))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({
      exit: 3,
      rows: { ready: 2, rejected: 1 },
      problems: [{ code: 'date-impossible', count: 1 }, { code: 'boundary-absent' }],
    })
  })

  test('of a file that changed to another pattern stop the run, too', async () => {
    farm.write('nightly.csv', table([{ sown: '13.9.2026' }, { sown: '1.2.2026' }]))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain('2 dates in this file can only be read as day.month.year (d.M.yyyy)')
    expect(hint).toContain('date: d.M.yyyy')
  })

  test('of a file that changed to ISO are read, because nothing else starts with the year', async () => {
    farm.write('nightly.csv', table([{ sown: '2026-09-13' }, { sown: '2026-02-01' }]))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 2 } })
  })

  test('stop the run if the pipeline has no pattern, which means ISO', async () => {
    farm.write('nightly.csv', table([{ sown: '13/9/2026' }, { sown: '2026-02-01' }, { sown: '14/9/2026' }]))
    const { message } = await stopped(farm.run(pipeline(asAgreed, '', '{ name: <Crop>, establishmentDate: <Sown> }')))
    expect(message).toContain('year-month-day (yyyy-MM-dd)')
    expect(message).toContain('first "13/9/2026" in row 2), and 1 only as in the pipeline.')
  })
})

describe('the decimal separator', () => {
  test('exchanged in the whole file stops the run, though 1.234 would be a number', async () => {
    farm.write('nightly.csv', table([{ area: '1.234' }, { area: '3.5' }, { area: '12' }]))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain('The pipeline reads "Area" with a decimal comma')
    expect(message).toContain(
      '1 number in this file can only be read with a decimal point (first "3.5" in row 3), and none only as in the pipeline. 2 could be either.',
    )
    expect(hint).toContain('decimal: point  under "from"')
  })

  test('exchanged in one cell rejects only its row', async () => {
    farm.write('nightly.csv', table([{}, {}, { area: '3.5' }]))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({
      exit: 3,
      rows: { ready: 2, rejected: 1 },
      problems: [{ code: 'number-unclear', count: 1 }, { code: 'boundary-absent' }],
    })
  })

  test('is compared with numbers that have units, too', async () => {
    farm.write('nightly.csv', table([{ area: '3.5 ha' }, { area: '4.25 ha' }]))
    const words = pipeline(asAgreed).replace('{ from: Area, unit: ha }', '<Area>')
    expect((await stopped(farm.run(words))).message).toContain(
      '2 numbers in this file can only be read with a decimal point',
    )
  })
})

describe('the encoding', () => {
  const latin = asAgreed.replace('utf-8', 'windows-1252')

  test('that was Windows-1252 and is UTF-8 now stops the run', async () => {
    farm.write('nightly.csv', table([{ name: 'Rāhui' }, { name: 'Tūī' }, { name: 'Creek' }]))
    const { message, hint } = await stopped(farm.run(pipeline(latin)))
    expect(message).toContain('as windows-1252, but 2 of 2 cells with special letters are UTF-8')
    expect(message).toContain('should be "Rāhui 0"')
    expect(hint).toContain('encoding: utf-8')
  })

  test('that was UTF-8 and is Windows-1252 now stops the run', async () => {
    farm.write('nightly.csv', Buffer.from(table([{ name: 'Größe' }, { name: 'Höhe' }, {}]), 'latin1'))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain('as utf-8, but 2 of 2 cells with special letters are in another encoding')
    expect(hint).toContain('encoding: windows-1252')
  })

  test('of the pipeline is imported, also with letters that could look like others', async () => {
    farm.write('nightly.csv', Buffer.from(table([{ name: 'Größe' }, { name: 'Ã¤' }, { name: 'Žluť' }]), 'latin1'))
    expect(await farm.run(pipeline(latin))).toMatchObject({ exit: 0, records: { created: 3 } })
  })
})

describe('the columns', () => {
  test('with a second one of the name that the pipeline reads stop the run, unless it is expected', async () => {
    farm.write('nightly.csv', 'Name;No;Name;Area;Crop;Sown\nRimu Farm;1;Front;3,5;Kale;13/9/2026\n')
    const expecting = (more: string): string =>
      pipeline(asAgreed, `columns: { expect: [No, Name, Area, Crop, Sown${more}], new: ignore }`)
    await expect(farm.run(expecting(''))).rejects.toMatchObject({
      exit: 6,
      message: expect.stringContaining('has a second column "Name", so it is unclear which one the pipeline means'),
      hint: expect.stringContaining('add "Name (2)" under "columns: expect"'),
    })
    expect(await farm.run(expecting(', Name (2)'))).toMatchObject({ exit: 0, records: { created: 1 } })
    await expect(farm.run(pipeline(asAgreed))).rejects.toMatchObject({
      exit: 6,
      message: expect.stringContaining('has a second column "Name"'),
    })
    const some = pipeline(asAgreed, 'columns: { expect: [Name (2)] }')
    expect(await farm.run(some)).toMatchObject({
      exit: 0,
      rows: { unchanged: 1 },
      problems: [{ code: 'header-renamed' }],
    })
  })

  test('with the name of a text that stands without brackets stop the run', async () => {
    farm.write('nightly.csv', table([{}]))
    const bare = pipeline(asAgreed).replace('name: <Crop>', 'name: Crop')
    await expect(farm.run(bare)).rejects.toMatchObject({
      code: 'pipeline-invalid',
      exit: 2,
      message: expect.stringContaining('writes the text "Crop" into every record'),
      hint: expect.stringContaining('write <Crop>. If the text is meant, write { text: Crop }'),
    })
    const meant = bare.replace('name: Crop', 'name: { text: Crop }')
    expect(await farm.run(meant)).toMatchObject({ exit: 0, records: { created: 1 } })
  })

  test.each([
    ['another separator', table([{}]).replaceAll(';', ','), 'delimiter: ","'],
    ['titles above them', `Rimu farm;;;;\n;;;;\n${table([{}, {}, {}])}`, 'header: 3'],
  ])('with %s', async (_, text, change) => {
    farm.write('nightly.csv', text)
    const failure = farm.run(pipeline(asAgreed))
    await expect(failure).rejects.toMatchObject({
      code: 'column-missing',
      exit: 6,
      message: expect.stringContaining(`with  ${change}  it has all columns of the pipeline.`),
      hint: expect.stringContaining(`write  ${change}  under "from"`),
    })
  })

  test('with names in another encoding', async () => {
    farm.write('nightly.csv', table([{}]).replace('Name', 'Fläche'))
    const yaml = pipeline(asAgreed.replace('utf-8', 'windows-1252')).replace('<Name>', '<Fläche>')
    await expect(farm.run(yaml)).rejects.toMatchObject({
      code: 'column-missing',
      hint: expect.stringContaining('encoding: "utf-8"'),
    })
  })
})

test('a pipeline may ask for warnings only', async () => {
  farm.write('nightly.csv', table([{ sown: '9/3/2026' }, { sown: '9/13/2026' }]))
  expect(await farm.run(pipeline(asAgreed, 'guard: { reading: warn }'))).toMatchObject({
    exit: 3,
    records: { created: 1 },
    problems: expect.arrayContaining([
      expect.objectContaining({ code: 'file-inconsistent', severity: 'warning', count: 1 }),
    ]),
  })
})

test('several contradictions are reported at once', async () => {
  farm.write('nightly.csv', table([{ sown: '9/13/2026', area: '3.5' }]))
  const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
  expect(message).toMatch(/"Area".*"Sown"/s)
  expect(hint).toMatch(/decimal: point.*date: M\/d\/yyyy/s)
})

describe('a changed decimal separator where each number can be read either way', () => {
  const areas = (...list: readonly string[]) => table(list.map((area) => ({ area })))

  test('stops the run, because the areas would be a thousand times what they were', async () => {
    farm.write('nightly.csv', areas('1,250', '3,125', '12,5'))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', areas('1.250', '3.125', '12.500'))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toContain('3 of the 3 areas that changed would become a thousand times as large')
    expect(message).toContain('row 2: 1.25 ha would become 1250 ha')
    expect(hint).toContain('decimal: point')
  })

  test('is not suspected because of one area, which is published with a warning', async () => {
    farm.write('nightly.csv', areas('1.250', '3,125', '12,5'))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', areas('1,250', '3,125', '12,5'))
    const report = await farm.run(pipeline(asAgreed))
    expect(report).toMatchObject({ exit: 0, records: { updated: 1 } })
    expect(doubtsIn(report)).toEqual([
      'The area of this record was 1250 ha until now and becomes 1.25 ha. Was a decimal separator lost or mistyped?',
    ])
    farm.write('nightly.csv', areas('1,3', '6,250', '2,5'))
    expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([])
  })
})

describe('another unit of area than before', () => {
  const areas = (...list: readonly number[]) => table(list.map((area) => ({ area: String(area).replace('.', ',') })))
  const hectares = [1.25, 3.5, 12.75, 0.62, 40]

  test.each([
    [
      'square metres',
      10_000,
      /5 of the 5 areas that changed would become 10000 times as large \(row 2: 1.25 ha would become 12500 ha\)/,
    ],
    ['acres', 2.4710538, /5 of the 5 areas that changed would become 2.471 times as large/],
    ['ares', 100, /5 of the 5 areas that changed would become 100 times as large/],
    ['one decimal less', 10, /5 of the 5 areas that changed would become 10 times as large/],
  ])('stops the run: %s', async (_, factor, sentence) => {
    farm.write('nightly.csv', areas(...hectares))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', areas(...hectares.map((area) => Math.round(area * factor * 100) / 100)))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toMatch(sentence)
    expect(hint).toContain('unit: as the file has it now')
  })

  test('stops the run where the pipeline has another unit, and not where both changed', async () => {
    farm.write('nightly.csv', areas(...hectares))
    await farm.run(pipeline(asAgreed))
    const inAcres = pipeline(asAgreed).replace('unit: ha', 'unit: ac')
    expect((await stopped(farm.run(inAcres))).message).toContain(
      '5 of the 5 areas that changed would become 2.471 times as small (row 2: 1.25 ha would become 0.505',
    )
    farm.write('nightly.csv', areas(...hectares.map((area) => Math.round(area * 247.105) / 100)))
    expect(await farm.run(inAcres)).toMatchObject({ exit: 0, records: { updated: 5 } })
  })

  test.each([
    [
      'kilometres',
      0.001,
      '5 of the 5 amounts of "Total length" that changed would become a thousand times as small (row 2: 1230 m would',
    ],
    ['feet', 3.28084, '5 of the 5 amounts of "Total length" that changed would become 3.281 times as large'],
  ])('of lengths stops the run, too: %s', async (_, factor, sentence) => {
    const lengths = [1230, 857, 2004, 1111, 640]
    const ofLengths = pipeline(asAgreed).replace(
      'totalArea: { from: Area, unit: ha }',
      'totalLength: { from: Area, unit: m }',
    )
    farm.write('nightly.csv', areas(...lengths))
    await farm.run(ofLengths)
    farm.write('nightly.csv', areas(...lengths.map((length) => Math.round(length * factor * 100) / 100)))
    expect((await stopped(farm.run(ofLengths))).message).toContain(sentence)
  })

  test('of amounts in other fields stops the run, too', async () => {
    const cover = 'additionalProperties: { constructor: { from: Area, unit: kg, number: { decimal: comma } } }'
    const ofCover = pipeline(asAgreed).replace('totalArea: { from: Area, unit: ha }', cover)
    farm.write('nightly.csv', areas(1400, 1623, 980, 2111))
    await farm.run(ofCover)
    farm.write('nightly.csv', areas(1500, 1623, 1010, 2111))
    expect(await farm.run(ofCover)).toMatchObject({ exit: 0, records: { updated: 2 } })
    farm.write('nightly.csv', areas(1.5, 1.62, 1.01, 2.11))
    const { exit, error } = await farm.run(ofCover)
    expect({ exit, code: error?.code }).toEqual({ exit: 6, code: 'guard-stopped' })
    expect(error!.message).toContain(
      '4 of the 4 amounts of "Constructor" that changed would become a thousand times as small',
    )
  })

  test('is not suspected where most areas changed otherwise', async () => {
    farm.write('nightly.csv', areas(...hectares))
    await farm.run(pipeline(asAgreed))
    farm.write('nightly.csv', areas(12.5, 3.5, 12.75, 6.2, 40))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 2 } })
    farm.write('nightly.csv', areas(3.09, 8.65, 11.5, 0.7, 41))
    const report = await farm.run(pipeline(asAgreed))
    expect(report).toMatchObject({ exit: 0, records: { updated: 5 } })
    expect(doubtsIn(report)).toEqual([
      '3 of the 5 areas that changed differ by more than a fifth (row 2: 12.5 ha until now, 3.09 ha in the file). Are the boundaries or areas those of the same paddocks?',
    ])
    farm.write('nightly.csv', areas(3.2, 8.5, 11.9, 0.75, 55))
    expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([])
  })
})

function doubtsIn({ problems }: Report): readonly string[] {
  return problems
    .filter(({ code }) => code === 'change-doubtful')
    .flatMap(({ first }) => first.map((each) => each.message))
}

describe('crops that are those of other paddocks until now', () => {
  const grown = (crops: readonly string[], sown: (index: number) => string = () => '13/9/2026'): string =>
    `No;Name;Area;Crop;Sown\n${crops.map((crop, index) => `${index};Rahui ${index};3,5;${crop};${sown(index)}\n`).join('')}`
  const crops = ['Kale', 'Barley', 'Oats', 'Kale', 'Barley', 'Oats']
  beforeEach(async () => {
    farm.write('nightly.csv', grown(crops))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 6 } })
  })

  test('are published with a warning', async () => {
    farm.write('nightly.csv', grown(crops.toReversed()))
    const report = await farm.run(pipeline(asAgreed))
    expect(report).toMatchObject({ exit: 0, records: { updated: 4 } })
    expect(doubtsIn(report)).toEqual([
      '4 of the 4 crops that changed are those of other records until now (row 2). Did the ids or a column move to other rows?',
    ])
    // The next night has nothing new to say.
    expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([])
  })

  test('are a rotation where they were sown on other days, and a correction where they are few', async () => {
    farm.write(
      'nightly.csv',
      grown(crops.toReversed(), (index) => `${index + 1}/10/2026`),
    )
    expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([])
    farm.write(
      'nightly.csv',
      grown(crops.toReversed().toSpliced(0, 2, 'Kale', 'Oats'), (index) => `${index + 1}/10/2026`),
    )
    expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([])
  })
})

test('crops that all become one, without another day of sowing, are published with a warning', async () => {
  farm.write('nightly.csv', table([{}, {}, {}, {}]).replace('Kale', 'Oats').replace('Kale', 'Barley'))
  await farm.run(pipeline(asAgreed))
  farm.write('nightly.csv', table([{}, {}, {}, {}]).replaceAll('Kale', 'Grass'))
  expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([
    '4 of the 4 crops that changed would all become "Grass" (row 2: "Oats" until now). Does the column still have the crops of the records?',
  ])
})

test('classes of land covers are compared as crops are', async () => {
  const yaml = pipeline(asAgreed)
    .replace('import: plots', 'import: land-covers')
    .replace(/crops: .*\]/, 'landCoverClass: { primary: <Crop> }')
  const classes = (list: readonly string[]): string =>
    `No;Name;Area;Crop;Sown\n${list.map((each, index) => `${index};Bush ${index};3,5;${each};\n`).join('')}`
  farm.write('nightly.csv', classes(['Forest', 'Scrub', 'Wetland', 'Forest']))
  await farm.run(yaml)
  farm.write('nightly.csv', classes(['Scrub', 'Wetland', 'Forest', 'Forest']))
  expect(doubtsIn(await farm.run(yaml))).toEqual([
    '3 of the 3 classes of land that changed are those of other records until now (row 2). Did the ids or a column move to other rows?',
  ])
  farm.write('nightly.csv', classes(['Bush 0', 'Bush 1', 'Bush 2', 'Forest']))
  expect((await stopped(farm.run(yaml))).message).toContain(
    '3 of the 3 classes of land that changed would become what belongs',
  )
})

describe('names that a program made', () => {
  const names = ['Woolshed flat', 'Kānuka terrace', 'Airstrip north', 'Airstrip south', 'Swamp', 'Bull paddock']
  const rows = (list: readonly string[]): string =>
    `No;Name;Area;Crop;Sown\n${list.map((name, at) => `00${at + 1};${name};3,5;Kale;13/9/2026\n`).join('')}`
  beforeEach(async () => {
    farm.write('nightly.csv', rows(names))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 6 } })
  })

  test('of ids without their zeros stop the run', async () => {
    farm.write('nightly.csv', rows(names.map((_, at) => String(at + 1))))
    expect((await stopped(farm.run(pipeline(asAgreed)))).message).toContain(
      '6 of the 6 names that changed would become what belongs into another field, or no value (row 2: "Woolshed flat" would become "1")',
    )
  })

  test('may be shortened by whole words, by a letter each, or by the same end', async () => {
    for (const list of [names.map((name) => name.split(' ')[0] + (name.endsWith('south') ? ' 2' : '')), names]) {
      farm.write('nightly.csv', rows(list))
      expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([])
    }
    farm.write('nightly.csv', rows(names.map((name, at) => (at > 2 ? name.slice(0, -1) : name))))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 3 } })
    const fields = ['Nordfeld', 'Westfeld', 'Bergfeld', 'Moorfeld', 'Langfeld', 'Hoffeld']
    const hills = ['Longhills', 'Deepfords', 'Westholms', 'Eastcotes', 'Highgates', 'Lowfields']
    for (const list of [
      fields,
      fields.map((name) => name.replace('feld', '')),
      hills,
      hills.map((name) => name.slice(0, -1)),
    ]) {
      farm.write('nightly.csv', rows(list))
      expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 6 } })
    }
  })

  test.each([
    ['Paddock 1', names.map((_, at) => `Paddock ${at + 1}`)],
    ['North', names.map((_, at) => ['North', 'South'][at % 2]!)],
    ['3,5', names.map((_, at) => `3,${at + 5}`)],
  ])('of few words are published with a warning: %s', async (first, list) => {
    farm.write('nightly.csv', rows(list))
    expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([
      `6 records get names that many share, or that differ in numbers only (row 2: "Woolshed flat" until now, "${first}" in the file). Does the column still have the names, or was it filled down?`,
    ])
    farm.write('nightly.csv', rows(list.map((name) => `${name}9`)))
    expect(doubtsIn(await farm.run(pipeline(asAgreed)))).toEqual([])
  })

  test('for less than half of the farm are no reason to warn', async () => {
    farm.write('nightly.csv', rows([...names.slice(0, 3), 'Dairy 1', 'Dairy 2', 'Dairy 3']))
    const report = await farm.run(pipeline(asAgreed))
    expect([report.records.updated, doubtsIn(report)]).toEqual([3, []])
  })
})

describe('the days of one of two columns', () => {
  const yaml = pipeline(
    asAgreed,
    '',
    '{ name: <Crop>, establishmentDate: { from: Sown, date: d/M/yyyy }, harvestDate: { from: Harvest, date: d/M/yyyy } }',
  )
  const sown = ['3/4/2021', '14/4/2021', '9/5/2021', '20/9/2021', '2/11/2021']
  const harvest = ['3/12/2021', '14/12/2021', '9/1/2022', '20/2/2022', '2/3/2022']
  const rows = (sown: readonly string[], harvest: readonly string[]): string =>
    `No;Name;Area;Crop;Sown;Harvest\n${sown.map((day, at) => `${at};Top ${at};3,5;Kale;${day};${harvest[at]!}\n`).join('')}`
  const nextDay = (day: string): string => day.replace(/^\d+/, (number) => String(Number(number) + 1))
  beforeEach(async () => {
    farm.write('nightly.csv', rows(sown, harvest))
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { created: 5 } })
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
      rows(
        sown.map((day) => day.replace(/^(\d)\/(\d+)/, '$2/$1')),
        harvest,
      ),
      `3 of the 3 dates of crops that changed would have day and month in each other's place (row 2).`,
    ],
  ])('stop the run: %s', async (_, file, sentence) => {
    farm.write('nightly.csv', file)
    expect((await stopped(farm.run(yaml))).message).toContain(sentence)
  })

  const none = harvest.map(() => '')
  const planned = (list: readonly string[]): readonly string[] =>
    list.map((day) => day.replace(/\d+$/, String(new Date().getFullYear() + 1)))
  test.each([
    ['another crop is sown when the last one was harvested', rows(harvest, none).replaceAll('Kale', 'Oats')],
    ['the same crop is sown when the last one was harvested', rows(harvest, none)],
    [
      'another crop is sown everywhere on one day',
      rows(['1/9/2022', '1/9/2022', '1/9/2022', '1/9/2022', '1/9/2022'], none).replaceAll('Kale', 'Oats'),
    ],
    ['the same crop is sown on two days', rows(['1/9/2022', '1/9/2022', '1/9/2022', '1/9/2022', '2/9/2022'], none)],
  ])('are published where %s', async (_, next) => {
    farm.write('nightly.csv', next)
    const report = await farm.run(`${yaml}blank: keep\n`)
    expect([report.exit, report.records.updated, doubtsIn(report)]).toEqual([0, 5, []])
  })

  test("are published where a few of them, with day and month in each other's place, are corrected", async () => {
    const [days, none] = [['3/4', '4/5', '5/6', '6/7', '7/8', '8/9', '9/10', '10/11'], Array<string>(8).fill('')]
    const typed = (wrong: number): readonly string[] =>
      days.map((day, at) => `${at < wrong ? day.split('/').reverse().join('/') : day}/2021`)
    farm.write('nightly.csv', rows(typed(3), none))
    await farm.run(yaml)
    farm.write('nightly.csv', rows(typed(0), none))
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { updated: 3 } })
  })

  test('are published where rain moves a plan of harvests by a day', async () => {
    farm.write('nightly.csv', rows(sown, planned(harvest)))
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { updated: 5 } })
    farm.write('nightly.csv', rows(sown, planned(harvest.map(nextDay))))
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { updated: 5 } })
  })

  test('are published where a crop is mature when it is harvested', async () => {
    const mature = yaml.replace('harvestDate:', 'maturityDate: { from: Mature, date: d/M/yyyy }, harvestDate:')
    const withMature = (days: readonly string[]): string =>
      rows(sown, harvest)
        .replace('Harvest', 'Harvest;Mature')
        .replaceAll(/(\d+);(Top.*)/g, (_, at: string, row: string) => `${at};${row};${days[Number(at)]!}`)
    farm.write('nightly.csv', withMature(harvest.map((day) => day.replace(/^\d+/, '28'))))
    expect(await farm.run(mature)).toMatchObject({ exit: 0, records: { updated: 5 } })
    farm.write('nightly.csv', withMature(harvest))
    expect(await farm.run(mature)).toMatchObject({ exit: 0, records: { updated: 5 } })
  })

  test('are published with a warning where they become the same day', async () => {
    const today = sown.map(() => '27/11/2021')
    farm.write('nightly.csv', rows(today, harvest))
    expect(doubtsIn(await farm.run(yaml))).toEqual([
      'All 5 dates of crops that changed become the same day (row 2). Is it the day of the crop, or that of the file?',
    ])
    farm.write('nightly.csv', rows(sown, [...harvest.slice(0, 3), '1/3/2022', '1/3/2022']))
    await farm.run(yaml)
    farm.write(
      'nightly.csv',
      rows(['1/6/2021', '1/6/2021', ...sown.slice(2)], [...harvest.slice(0, 3), '1/3/2022', '1/3/2022']),
    )
    expect(doubtsIn(await farm.run(yaml))).toEqual([])
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
    farm.write('nightly.csv', sown(0))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { created: 5 } })
  })

  test.each([
    [1462, /5 of the 5 dates of crops would all become 1462 days later \(row 2\)\. .* 1904/],
    [-1462, /would all become 1462 days earlier/],
    [-1, /would all become a day earlier \(row 2\)\. Did a program write them in another time zone\?/],
  ])('as programs move them stop the run (%i)', async (by, sentence) => {
    farm.write('nightly.csv', sown(by))
    const { message, hint } = await stopped(farm.run(pipeline(asAgreed)))
    expect(message).toMatch(sentence)
    expect(hint).toContain('--allow reading')
  })

  test('by a century are rejected, and so many stop the run', async () => {
    farm.write('nightly.csv', sown(-36_525))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 6, rows: { rejected: 5 } })
  })

  test('to the evening before stop the run, as programs write them in another time zone', async () => {
    const timed = (text: string): string => text.replaceAll(/\/2026$/gm, '/2026 11:00')
    const yaml = pipeline(asAgreed).replace('date: d/M/yyyy', 'date: d/M/yyyy H:mm')
    farm.write('nightly.csv', timed(sown(-1)))
    expect((await stopped(farm.run(yaml))).message).toContain(
      '5 of the 5 dates of crops would all become 13 hours earlier (row 2). Did a program write them in another time zone?',
    )
  })

  test.each([
    [365, 'later'],
    [-365, 'earlier'],
  ])('a year away are published with a warning (%i)', async (by, direction) => {
    farm.write('nightly.csv', sown(by))
    const report = await farm.run(pipeline(asAgreed))
    expect(report).toMatchObject({ exit: 0, records: { updated: 5 } })
    expect(doubtsIn(report)).toEqual([
      `5 of the 5 dates of crops would all become a year ${direction} (row 2). Were they sown again, or did only the year change?`,
    ])
  })

  test('in another time zone, on the same days, are published', async () => {
    const yaml = pipeline(asAgreed).replace('zone: Pacific/Auckland', 'zone: Europe/London')
    expect(await farm.run(yaml)).toMatchObject({ exit: 0, records: { updated: 5 } })
  })

  test('as people move them are published: by a week, a few of them, one day for all', async () => {
    for (const list of [sown(7), sown(6, days.slice(0, 1)) + sown(7).split('\n').slice(2).join('\n')]) {
      farm.write('nightly.csv', list)
      expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0 })
    }
    farm.write('nightly.csv', sown(8, days.slice(0, 1)) + sown(7).split('\n').slice(2).join('\n'))
    expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 1 } })
    const same = days.map(() => '3/3/2026')
    for (const by of [0, 1]) {
      farm.write('nightly.csv', sown(by, same))
      expect(await farm.run(pipeline(asAgreed))).toMatchObject({ exit: 0, records: { updated: 5 } })
    }
  })
})

describe('the thousands separator of a column', () => {
  const agreed = (number: string): string =>
    pipeline('delimiter: ";", decimal: point, encoding: utf-8, header: 1').replace(
      'unit: ha }',
      `unit: ha, number: { ${number} } }`,
    )

  test('makes a cell with one a problem, if the pipeline has none', async () => {
    farm.write('nightly.csv', table([{ area: '3.5' }, { area: '12.25' }, { area: '1,204' }]))
    const { exit, records, problems } = await farm.run(agreed('thousands: none'))
    expect({ exit, created: records.created }).toEqual({ exit: 3, created: 2 })
    expect(problems).toMatchObject([
      { code: 'number-unclear', count: 1, first: [{ value: '1,204', at: { row: 4 } }] },
      { code: 'boundary-absent' },
    ])
  })

  test('stops the run if no cell fits the pipeline', async () => {
    farm.write('nightly.csv', table([{ area: '3,204.5' }, { area: '1,204' }]))
    const { message, hint } = await stopped(farm.run(agreed('thousands: none')))
    expect(message).toContain(
      '2 numbers in this file can only be read with another thousands separator (first "3,204.5" in row 2)',
    )
    expect(hint).toContain('{ from: Area, number: { decimal: point } }')
  })

  test('of the pipeline is read, and decides the decimal separator of the column too', async () => {
    farm.write('nightly.csv', table([{ area: '1.204,5' }, { area: '2.110' }]))
    expect(await farm.run(agreed('thousands: point'))).toMatchObject({ exit: 0, records: { created: 2 } })
    expect(farm.posted().flat()).toMatchObject([
      { totalArea: { measurement: 1204.5 } },
      { totalArea: { measurement: 2110 } },
    ])
  })

  test('cannot be the decimal separator', async () => {
    farm.write('nightly.csv', table([{}]))
    await expect(farm.run(agreed('decimal: comma, thousands: comma'))).rejects.toMatchObject({
      code: 'pipeline-invalid',
    })
  })
})
