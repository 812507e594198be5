import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { cellsOf } from '../memory-table.ts'
import { bookBytes } from '../formats/xlsx/made-books.ts'
import {
  collection,
  keyOf,
  kowhai,
  paddock,
  pipeline,
  rimu,
  startFarm,
  table,
  type Farm,
  type Fetch,
  type RunOptions,
} from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const sown = '{ from: SOWN, date: d/M/yyyy, zone: Pacific/Auckland }'
const ofMap = {
  from: '{ file: map.geojson }',
  key: '<ID>',
  record: `{ name: <NAME>, totalArea: measured, crops: [{ name: <CROP>, establishmentDate: ${sown} }] }`,
}
const map = (more = ''): string => pipeline(ofMap, more)
const ofKowhai = pipeline({ ...ofMap, holding: `{ scheme: ${kowhai.scheme}, id: "${kowhai.id}" }` })
const importMap = (features: readonly object[] | string, more = '', how: RunOptions = {}): Promise<Report> =>
  farm.night(typeof features === 'string' ? features : collection(features), map(more), how)

const ofList = { from: '{ file: nightly.csv, delimiter: ";" }', record: '{ name: <Name>, crops: [{ name: <Crop> }] }' }
const nightly = (more = ''): string => pipeline(ofList, more)
const importList = (text: string | Uint8Array, more = '', how: RunOptions = {}): Promise<Report> =>
  farm.night(text, nightly(more), how)
const crops = (rows: string): string => table(`No|Name|Crop; ${rows}`, ';')

type Body = Readonly<Record<string, unknown>>

function writtenOut(item: Body): Body {
  const { totalArea, crops = [], meta } = item as { totalArea: Body; crops?: readonly Body[]; meta: Body }
  return {
    ...item,
    totalLength: null,
    links: [],
    additionalProperties: {},
    totalArea: { ...totalArea, resolution: null, additionalProperties: {} },
    crops: crops.map((crop) => ({ ...crop, variety: '', identifiers: [], harvestDate: null })),
    meta: { ...meta, modified: '2026-11-20T22:00:00.1234567+00:00', creator: null, additionalProperties: null },
  }
}

const plain = (ID: string, NAME: string, CROP = '', SOWN = ''): object => paddock(Number(ID), { ID, NAME, CROP, SOWN })
const three = [
  plain('001', 'Rāhui', 'Lucerne', '3/9/2026'),
  plain('002', 'Top flat', 'Ryegrass'),
  plain('003', 'Creek'),
] as const

/** What a report says under this code. */
const messagesOf = ({ problems }: Report, which: string): readonly string[] =>
  problems.filter(({ code }) => code === which).flatMap(({ first }) => first.map(({ message }) => message))
/** Publishes a body as another program would, which changed it at this time. */
async function publish(body: Body, modified = '2030-01-01T00:00:00Z', more: object = {}): Promise<void> {
  const { client } = farm.connect()
  const meta = { ...(body['meta'] as object), modified, ...more }
  await client.publish((await client.dataset('plots')).updates!, [JSON.stringify({ ...body, meta })])
}
const withCode = (code: string, more: object = {}): unknown => expect.objectContaining({ code, ...more })
const names = async (): Promise<readonly unknown[]> => [...(await farm.held('plots')).values()].map(({ name }) => name)
const namesPosted = (): readonly unknown[] => farm.posted().flatMap((bodies) => bodies.map(({ name }) => name))
const heldBy = async (id: string) => (await farm.held('plots')).get(keyOf('plots', rimu, id))

describe('a row that would create a record and is none', () => {
  const between = (rows: string): string => table(`No|Name|Crop|Area; 1|Top|Kale|3; ${rows}; 2|Low|Kale|4`, ';')
  const withArea = nightly().replace('<Name>,', '<Name>, totalArea: { from: Area, unit: ha },')

  test('is rejected, or skipped: a heading, and a total between the rows', async () => {
    expect(await farm.night(between('North block|||; Subtotal West|||7'), withArea)).toMatchObject({
      exit: 3,
      rows: { read: 4, ready: 2, rejected: 1, skipped: 1 },
      problems: expect.arrayContaining([
        withCode('row-without-record', { severity: 'error', count: 1 }),
        withCode('row-footer', { severity: 'note', count: 1 }),
      ]),
    })
  })

  test('is skipped where its id is a word for a total, wherever the column of the id lies', async () => {
    const yaml = withArea.replace(', crops: [{ name: <Crop> }]', '')
    const rows = table('Block|No|Name|Area; North|1|Top|3; North|Total||3', ';')
    expect(await farm.night(rows, yaml)).toMatchObject({ exit: 0, rows: { read: 2, ready: 1, skipped: 1 } })
  })

  test('does not include paddocks without a name, and records that are known', async () => {
    const first = await farm.night(between('3|||5; 4|Hill||; 5||Kale|'), withArea)
    expect(first).toMatchObject({ exit: 0, records: { created: 5 } })
    const second = await farm.night(between('3|||; 4|||; 5|||'), `${withArea}blank: keep`)
    expect(second).toMatchObject({ exit: 0, rows: { unchanged: 5 } })
  })
})

test('a file that was cut within its last line has a warning and deletes nothing; without a break every night it has none', async () => {
  const rows = Array.from({ length: 20 }, (_, at) => `P${at},Paddock ${at},Maize\n`).join('')
  const whole = `PADDOCK_ID,NAME,CROP\n${rows}`
  const record = '{ name: <NAME>, crops: [{ name: <CROP> }] }'
  const yaml = pipeline({ key: '<PADDOCK_ID>', record, gone: 'delete', rules: '{ deletes: stop above 5 % }' })
  const night = async (text: string): Promise<readonly unknown[]> => {
    const report = await farm.night(text, yaml)
    return [report.exit, report.gone.deleted, messagesOf(report, 'file-cut')]
  }
  const cut = whole.slice(0, whole.indexOf('P19,') - 3)
  expect(await night(whole)).toEqual([0, 0, []])
  expect(await night(cut)).toEqual([0, 0, [expect.stringMatching(/^The file does not end with a line break/)]])
  // The program that writes the file leaves the last break out from now on.
  expect(await night(whole.trimEnd())).toEqual([0, 0, []])
  expect(await night(cut)).toEqual([0, 1, []])
  // A rule that stops the run names the cut: a person who knows only the numbers may let it through.
  await night(whole)
  const half = whole.slice(0, whole.indexOf('P9,') - 3)
  const { exit, error } = await farm.night(half, yaml.replace('5 %', '100 %, fewer-rows: stop above 20 %'))
  expect(exit).toBe(6)
  expect(error!.message).toContain('It does not end with a line break and was perhaps copied only in part.')
})

describe('boundaries of known records', () => {
  const five = ['1', '2', '3', '4', '5'].map(
    (ID, at) => paddock(at, { ID, NAME: `P${ID}`, CROP: 'Kale', SOWN: '' }) as { readonly geometry: object },
  )
  const redrawn = (geometryOf: (at: number) => unknown) =>
    five.map((each, at) => ({ ...each, geometry: geometryOf(at) }))
  beforeEach(async () => {
    expect((await importMap(five)).records.created).toBe(5)
  })

  test('that are all missing stop a run that would clear them, and a single one may', async () => {
    const lost = (which: (at: number) => boolean) => redrawn((at) => (which(at) ? null : five[at]!.geometry))
    const none = lost(() => true)
    const { exit, error } = await importMap(none, 'blank: clear')
    expect(exit).toBe(6)
    expect(error!.message).toContain(
      'All 5 rows of known records have nothing for the boundary, and 5 records would lose',
    )
    const without = lost((at) => at === 0)
    const one = await importMap(without, 'blank: clear')
    expect(one).toMatchObject({ exit: 0, records: { updated: 1 } })
    expect(one.problems[0]!.first[0]!.message).toContain('a known record loses the boundary it has')
  })
})

describe('running the same file again', () => {
  test('sends nothing', async () => {
    const first = await importMap(three)
    expect(first).toMatchObject({ exit: 0, rows: { read: 3, ready: 3 }, records: { created: 3 } })
    expect(first).toMatchObject({ accepted: 3, unseen: 0 })
    const second = await farm.run(map())
    expect(second).toMatchObject({ exit: 0, rows: { read: 3, unchanged: 3 }, records: { ready: 0, unchanged: 3 } })
    expect(farm.posted()).toEqual([])
  })

  test('sends nothing if the ledger was lost and the records are read from the service', async () => {
    await importMap(three)
    const again = await farm.run(map(), { state: join(farm.folder, 'another-state') })
    expect(again.rows).toMatchObject({ read: 3, unchanged: 3 })
    expect(farm.posted()).toEqual([])
  })

  test('sends nothing if the service writes every empty member and sets its own times', async () => {
    const writingOut: Fetch = async (input, init) => {
      const request = new Request(input, init)
      const response = await farm.direct(request)
      if (!request.url.includes('/changes')) return response
      const items = (await response.json()) as Body[]
      return Response.json(items.map((item) => ('meta' in item ? writtenOut(item) : item)))
    }
    expect(await importMap(three, '', { fetch: writingOut })).toMatchObject({ records: { created: 3 } })
    for (const state of ['.windrow', 'another-state', 'another-state']) {
      const again = await farm.run(map(), { fetch: writingOut, state: join(farm.folder, state) })
      expect(again.rows).toMatchObject({ read: 3, unchanged: 3 })
      expect(farm.posted()).toEqual([])
    }
  })

  test('sends only what changed, and keeps when it was created', async () => {
    await importMap(three)
    const before = await heldBy('002')
    const report = await importMap([three[0]!, plain('002', 'Top flat', 'Maize'), three[2]!])
    expect(report).toMatchObject({ rows: { ready: 1, unchanged: 2 }, records: { created: 0, updated: 1 } })
    expect(namesPosted()).toEqual(['Top flat'])
    const after = await heldBy('002')
    expect(after?.['meta']).toMatchObject({ created: (before!['meta'] as { created: string }).created })
  })
})

describe('a pipeline owns only what it maps', () => {
  beforeEach(async () => {
    await importMap(three)
  })

  test('a nightly file without boundaries leaves every boundary and area', async () => {
    const before = await farm.held('plots')
    const rows = crops('001|Rāhui north|Plantain; 002|Top flat|Ryegrass; 003|Creek|Kale')
    const report = await importList(rows, '', { name: 'nightly' })
    expect(report).toMatchObject({ exit: 0, rows: { read: 3, ready: 2, unchanged: 1 }, records: { updated: 2 } })
    const after = await farm.held('plots')
    expect(after.size).toBe(3)
    for (const [key, body] of after) {
      expect(body['spatialFeature']).toEqual(before.get(key)?.['spatialFeature'])
      expect(body['totalArea']).toEqual(before.get(key)?.['totalArea'])
    }
    expect(after.get(keyOf('plots', rimu, '001'))).toMatchObject({ name: 'Rāhui north', crops: [{ name: 'Plantain' }] })
  })

  test.each([
    ['', 3, 'Lucerne'],
    ['blank: keep', 0, 'Lucerne'],
    ['blank: clear', 0, undefined],
    ['rules: { would-lose-field: warn }', 0, 'Lucerne'],
    ['rules: { would-lose-field: allow }', 0, 'Lucerne'],
  ])('a blank cell with policy "%s" rejects, keeps or clears', async (policy, exit, crop) => {
    const report = await importList(crops('001|Rāhui|'), policy, { name: 'nightly' })
    expect(report.exit).toBe(exit)
    if (exit === 3) expect(report.problems[0]).toMatchObject({ code: 'would-lose-field', count: 1 })
    const held = (await heldBy('001'))?.['crops'] as { name: string }[] | undefined
    expect(held?.[0]?.name).toBe(crop)
  })

  test('a warning about rows stops the run where the pipeline says so, with its sentence once', async () => {
    const bare = three.map((each) => ({ ...each, geometry: null }))
    const report = await importMap(bare, 'rules: { row-without-boundary: stop }')
    expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
    expect(report.problems).toContainEqual(withCode('row-without-boundary', { severity: 'stop', count: 3 }))
    expect(report.error!.message.match(/has no boundary/g)).toHaveLength(1)
  })

  test('a missing boundary never erases an existing one', async () => {
    const report = await importMap([{ ...three[0], geometry: null }])
    expect(report).toMatchObject({ exit: 3, rows: { rejected: 1 } })
    expect((await heldBy('001'))?.['spatialFeature']).toBeTruthy()
  })

  test('changes by somebody else are carried over', async () => {
    const key = keyOf('plots', rimu, '001')
    const theirs = (await farm.held('plots')).get(key)!
    await publish({ ...theirs, totalLength: { measurement: 412, units: 'MTR' } })
    await importList(crops('001|Rāhui north|Lucerne'), '', { name: 'nightly' })
    const { name, totalLength } = (await farm.held('plots')).get(key)!
    expect({ name, totalLength }).toMatchObject({ name: 'Rāhui north', totalLength: { measurement: 412 } })
  })
})

test('paddock 7 of two farms, and a land cover 7, are three records', async () => {
  const covers = map()
    .replace('import: plots', 'import: land-covers')
    .replace(/, crops:.*\n/, ' }\n')
  expect((await importMap([plain('7', 'Seven')])).records.created).toBe(1)
  expect((await farm.run(ofKowhai, { name: 'kowhai' })).records.created).toBe(1)
  expect((await farm.run(covers, { name: 'covers' })).records.created).toBe(1)
  expect([...(await farm.held('plots')).keys()].sort()).toEqual([
    keyOf('plots', rimu, '7'),
    keyOf('plots', kowhai, '7'),
  ])
  expect([...(await farm.held('land-covers')).keys()]).toEqual([keyOf('land-covers', rimu, '7')])
})

describe('wrong rows', () => {
  test('are in the report with place, column, value, code and hint, and in the rejects file; the others are published', async () => {
    const rows = `No|Name|Sown|Area
      001|Rāhui|31/02/2026|1,5 ha
      002|Top flat|3/9/2026|2,5 furlongs
      |Nameless|3/9/2026|1 ha
      004|Creek|3/9/2026|1 ha
      004|Creek again|3/9/2026|1 ha
      006|Good|3/9/2026|1,5 ha`
    const grass = '[{ name: Grass, establishmentDate: { from: Sown, date: d/M/yyyy } }]'
    const yaml = pipeline({
      from: '{ file: nightly.csv, delimiter: ";", decimal: comma }',
      zone: 'Pacific/Auckland',
      record: `{ name: <Name>, totalArea: <Area>, crops: ${grass} }`,
    })
    const report = await farm.night(table(rows, ';'), yaml)
    expect(report).toMatchObject({ exit: 3, rows: { read: 6, ready: 1, rejected: 5 }, records: { created: 1 } })
    const found = report.problems.filter(({ severity }) => severity === 'error').flatMap(({ first }) => first)
    const hint: unknown = expect.any(String)
    const row = (row: number): object => ({ source: 'nightly.csv', row })
    expect(found).toEqual(
      expect.arrayContaining([
        withCode('date-impossible', { at: row(2), column: 'Sown', value: '31/02/2026', hint }),
        withCode('unit-unknown', { column: 'Area', value: expect.stringContaining('furlongs'), hint }),
        withCode('key-missing', { at: row(4), column: 'No', hint }),
        withCode('key-repeated', { at: row(5), column: 'No', hint, value: '004', with: [row(6)] }),
        withCode('key-repeated', { at: row(6), with: [row(5)] }),
      ]),
    )
    const rejects = farm.read(report.files['rejected']!)
    for (const name of ['Rāhui', 'Top flat', 'Nameless', 'Creek', 'Creek again']) expect(rejects).toContain(name)
    expect(rejects).not.toContain('Good')
    expect(rejects).toContain('February 2026 has 28 days')
    expect(await names()).toEqual(['Good'])
  })

  test('hundreds of rows with one key are all rejected, each with some of the others and the number of the rest', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `001;Field ${at};Kale\n`)
    const report = await importList(`No;Name;Crop\n${lines.join('')}`, 'rules: { rejected: stop above 100 % }')
    expect(report).toMatchObject({ exit: 3, rows: { read: 300, rejected: 300 } })
    const { count, first } = report.problems.find(({ code }) => code === 'key-repeated')!
    expect(count).toBe(300)
    expect(first[0]!.with).toHaveLength(10)
    expect(first[0]!.message).toBe(
      'The key "001" is also in row 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 289 more, with other values.',
    )
  })

  test('the same row twice is skipped once', async () => {
    const report = await importList(crops('001|Rāhui|Kale; 002|Creek|; 001|Rāhui|Kale'))
    expect(report).toMatchObject({ exit: 0, rows: { read: 3, ready: 2, skipped: 1 }, records: { created: 2 } })
    expect(report.problems).toContainEqual(withCode('row-repeated', { count: 1 }))
  })

  test('a preview without a connection finds repeated rows as the real run does', async () => {
    const other = paddock(4, { ID: '003', NAME: 'Creek', CROP: '', SOWN: '' })
    const preview = await importMap([...three, three[0]!, other], '', { dryRun: true, connection: undefined })
    expect(preview).toMatchObject({ rows: { read: 5, ready: 2, skipped: 1, rejected: 2 } })
    const real = await farm.run(map())
    expect([real.rows, real.problems]).toEqual([preview.rows, preview.problems])
  })

  test('several rows of one record make one record when the pipeline groups', async () => {
    const report = await importList(crops('001|Rāhui|Kale; 001|Rāhui|Ryegrass; 002|Creek|Kale'), 'rows: group')
    expect(report).toMatchObject({ rows: { read: 3, ready: 3 }, records: { ready: 2, created: 2 } })
    expect((await heldBy('001'))?.['crops']).toEqual([{ name: 'Kale' }, { name: 'Ryegrass' }])
  })

  test('the boundary of a group may be in any of its rows, and is cleared only if it is in none', async () => {
    const [rahui] = three as unknown as [{ readonly properties: object }]
    const bare = { ...rahui, properties: { ...rahui.properties, CROP: 'Kale' }, geometry: null }
    const grouped = map('rows: group\nblank: clear\n')
    for (const rows of [
      [rahui, bare],
      [bare, rahui],
    ]) {
      // oxfmt-ignore
      const report = await farm.night(collection(rows), grouped)
      expect(report).toMatchObject({ exit: 0, rows: { read: 2, rejected: 0 }, problems: [] })
      const held = await heldBy('001')
      expect(held).toMatchObject({ spatialFeature: { geometry: { type: 'Polygon' } }, totalArea: { units: 'MTK' } })
    }
    await farm.night(collection([bare, { ...bare, properties: rahui.properties }]), grouped)
    expect(await heldBy('001')).not.toHaveProperty('spatialFeature')
  })

  test('a row that cannot be read rejects its whole group, so that the record loses nothing', async () => {
    const grouped = nightly('rows: group').replace('delimiter: ";"', 'delimiter: ";", geometry: WKT, crs: EPSG:4326')
    const wkt = 'POLYGON ((175 -38, 175.01 -38, 175.01 -38.01, 175 -38))'
    const lines = (second: string) => `No;Name;Crop;WKT\n1;Top;Kale;${wkt}\n1;Top;Oats;${second}\n2;Low;Rape;${wkt}\n`
    await farm.night(lines(wkt), grouped)
    const report = await farm.night(lines('POLYGON ((175 -38, oops'), grouped)
    expect(report).toMatchObject({ exit: 3, rows: { read: 3, unchanged: 1, rejected: 2 } })
    expect((await heldBy('1'))?.['crops']).toEqual([{ name: 'Kale' }, { name: 'Oats' }])
  })

  test('rows of one record with different boundaries are rejected, each naming the other', async () => {
    const row = (number: number, crop: string) => paddock(number, { ID: '001', NAME: 'Rāhui', CROP: crop, SOWN: '' })
    const withoutArea = map('rows: group\n').replace('totalArea: measured, ', '')
    const rows = collection([row(1, 'Kale'), row(1, 'Oats'), row(2, 'Rape'), three[1]])
    const report = await farm.night(rows, withoutArea)
    expect(report).toMatchObject({ exit: 3, rows: { read: 4, ready: 1, rejected: 3 }, records: { created: 1 } })
    const [disagrees] = report.problems.filter(({ code }) => code === 'group-disagrees')
    expect(disagrees!.first).toMatchObject([{ at: { row: 0 }, with: [{ row: 2 }], path: '/spatialFeature' }])
  })
})

describe('records that are gone from the file', () => {
  const twenty = (from: number) =>
    `No;Name;Crop\n${Array.from({ length: 20 }, (_, index) => `${index + from};Paddock ${index + from};Kale`).join('\n')}\n`

  test('are kept unless the pipeline says delete', async () => {
    await importList(twenty(1))
    expect(await importList(twenty(3))).toMatchObject({ exit: 0, gone: { gone: 2, deleted: 0, kept: 2 } })
    expect((await farm.held('plots')).size).toBe(22)
    const deleting = await farm.run(nightly('gone: delete\nrules: { deletes: stop above 10 % }'))
    expect(deleting).toMatchObject({ exit: 0, gone: { gone: 2, deleted: 2, kept: 0 } })
    expect((await farm.held('plots')).size).toBe(20)
    expect(await farm.run(nightly('gone: delete'))).toMatchObject({ rows: { unchanged: 20 }, gone: { gone: 0 } })
  })

  test('too many of them stop the run before anything is sent', async () => {
    await importList(twenty(1))
    const report = await importList(crops('1|Changed|Kale'), 'gone: delete')
    expect(report).toMatchObject({ exit: 6, outcome: 'stopped', error: { code: 'rule-stopped' } })
    expect(report.gone).toMatchObject({ gone: 19, deleted: 0 })
    expect(farm.posted()).toEqual([])
    assertBalanced(report)
    const withLimit = (limit: number): string => nightly(`gone: delete\nrules: { deletes: stop above ${limit} % }`)
    expect(await farm.run(withLimit(94))).toMatchObject({ exit: 6 })
    expect(await farm.run(withLimit(95))).toMatchObject({ exit: 0, gone: { deleted: 19 } })
  })

  test('are not deleted while a row has no key', async () => {
    await importList(twenty(1))
    const report = await importList(twenty(2).replace('\n5;', '\n;'), 'gone: delete')
    expect(report).toMatchObject({ exit: 3, gone: { gone: 2, deleted: 0, kept: 2 } })
    expect(messagesOf(report, 'gone-from-source')[0]).toContain('it may be the row without a readable key')
  })
})

describe('rows that cannot be read', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1};Paddock ${index + 1};Kale`)
  const file = (lines: readonly string[]) => `No;Name;Crop\n${lines.join('\n')}\n`

  test('a quote that swallows the rows below stops the run: they are not gone, only unread', async () => {
    await importList(file(rows(40)))
    const report = await importList(file(rows(40).with(34, '35;"Paddock 35')), 'gone: delete')
    expect(report).toMatchObject({ exit: 2, outcome: 'stopped', error: { code: 'file-damaged' } })
    expect(farm.posted()).toEqual([])
    expect((await farm.held('plots')).size).toBe(40)
  })

  test('a row with too few cells may belong to any record, so nothing is deleted that night', async () => {
    await importList(file(rows(40)))
    const report = await importList(file(rows(39).with(4, '5;Paddock 5')), 'gone: delete')
    expect(report).toMatchObject({ exit: 3, rows: { rejected: 1 }, gone: { gone: 2, deleted: 0, kept: 2 } })
    expect((await farm.held('plots')).size).toBe(40)
  })

  test('NULL is a blank, reported once per column, and a spreadsheet error rejects its row', async () => {
    const report = await importList(crops('001|Rāhui|NULL; 002|Top flat|NULL; 003|Creek|#N/A'))
    expect(report.rows).toMatchObject({ read: 3, ready: 2, rejected: 1 })
    expect(report.problems.map(({ code, first: [first] }) => [code, first?.at.row, first?.message])).toEqual([
      ['cell-error', 4, 'The cell shows #N/A instead of a value.'],
      ['boundary-absent', -1, '2 new plots have no boundary.'],
      [
        'blank-in-words',
        2,
        'The column "Crop" has NULL or a similar word in 2 rows, as databases write for an empty cell; it was read as blank.',
      ],
    ])
  })

  test('a spreadsheet error in the column of only: rejects its row, and its record is not gone', async () => {
    await importList(crops('1|Top|Kale; 2|Low|Kale; 3|Creek|Kale'))
    const report = await importList(crops('1|Top|Kale; 2|Low|Kale; 3|Creek|#N/A'), 'only: { Crop: Kale }\ngone: delete')
    expect(report).toMatchObject({ exit: 3, rows: { unchanged: 2, rejected: 1 }, gone: { deleted: 0 } })
    expect((await farm.held('plots')).size).toBe(3)
  })

  test('a row with a cell too many is rejected before only:, and its record is not gone', async () => {
    const lines = (third: string): string => file(['1;Top;Kale', '2;Low;Kale', third])
    await importList(lines('3;Creek;Kale'))
    const report = await importList(lines('3;Creek; lower;Kale'), 'only: { Crop: Kale }\ngone: delete')
    expect(report).toMatchObject({ exit: 3, rows: { unchanged: 2, rejected: 1 }, gone: { deleted: 0 } })
  })

  test.each([
    [
      'rejects its row, and its record is not gone',
      '',
      { exit: 3, rows: { unchanged: 2, rejected: 1 }, gone: { deleted: 0 } },
    ],
    [
      'leaves it out where a warning is enough',
      '\nrules: { word-spoilt: warn }',
      { exit: 0, rows: { unchanged: 2, skipped: 1 }, gone: { deleted: 1 } },
    ],
  ])('a word of only: with spoilt letters %s', async (_, more, expected) => {
    await importList(crops('1|Top|Kale; 2|Low|Kale; 3|Creek|Grünland'))
    const report = await importList(
      crops('1|Top|Kale; 2|Low|Kale; 3|Creek|Gr?nland'),
      `only: { Crop: [Kale, Grünland] }\ngone: delete${more}`,
    )
    expect(report).toMatchObject(expected)
    expect(report.problems).toContainEqual(withCode('word-spoilt', { severity: more === '' ? 'error' : 'warning' }))
  })

  describe('in a workbook', () => {
    const cell = (column: string, row: number, content: string): string =>
      content.startsWith('<') ? `<c r="${column}${row}"${content.slice(2)}` : textCell(column, row, content)
    const textCell = (column: string, row: number, text: string): string =>
      `<c r="${column}${row}" t="inlineStr"><is><t>${text}</t></is></c>`
    /** A sheet of names, crops and tonnes. */
    const importBook = (lines: string, more = '', tail = ''): Promise<Report> => {
      const rows = cellsOf(`No|Name|Crop|Tonnes; ${lines}`).map((cells, index) => {
        const row = cells.map((each, at) => cell('ABCD'[at]!, index + 1, each))
        return `<row r="${index + 1}">${row.join('')}</row>`
      })
      const yaml = nightly(more).replace('nightly.csv, delimiter: ";"', 'nightly.xlsx')
      return farm.night(bookBytes({ rows: rows.join(''), tail }), yaml)
    }
    const error = '<c t="e"><v>#N/A</v></c>'
    const formula = '<c><f>A1*2</f></c>'

    test('an error in a column that is not used is a warning', async () => {
      const report = await importBook(`1|Top|Kale|${error}; 2|${error}|Kale|7`)
      expect(report).toMatchObject({ exit: 3, rows: { ready: 1, rejected: 1 } })
    })

    test('a formula without a result does not clear what the record has', async () => {
      const first = await importBook(`1|Top|Kale|3; 2|Low|Kale|${formula}`, 'blank: clear')
      expect(first).toMatchObject({ exit: 0, records: { created: 2 } })
      const report = await importBook(`1|Top|${formula}|3; 2|Low||3`, 'blank: clear')
      expect(report).toMatchObject({ exit: 3, rows: { ready: 1, rejected: 1 }, records: { updated: 1 } })
      expect(report.problems).toContainEqual(withCode('formula-not-calculated', { severity: 'error' }))
    })

    test('merged cells stop a run that would clear what the records have', async () => {
      const first = await importBook('1|P0|Kale|3; 2|P1|Kale|3; 3|P2|Oats|3', 'blank: clear')
      expect(first).toMatchObject({ exit: 0, records: { created: 3 } })
      const merged = '<mergeCells><mergeCell ref="C2:C3"/></mergeCells>'
      const { exit, error } = await importBook('1|P0|Kale|3; 2|P1||3; 3|P2|Oats|3', 'blank: clear', merged)
      expect(exit).toBe(6)
      expect(error!.message).toMatch(/by the rule column-cleared\. The cells C2:C3 are merged.* 1 record would lose/)
    })
  })

  test('a total below the table is not a record', async () => {
    const report = await importList(file([...rows(3), 'Total;;']))
    expect(report).toMatchObject({ exit: 0, rows: { read: 4, ready: 3, skipped: 1 } })
  })

  test('a boundary that is not a ring is reported, and the map is still drawn', async () => {
    const [west, south] = [175.3, -37.8]
    const spike = [[west, south], [west + 0.001, south], [west, south], [west, south]] // oxfmt-ignore
    const open = [[west, south], [west + 0.001, south], [west + 0.001, south + 0.001]] // oxfmt-ignore
    const feature = (ID: string, ring: readonly (readonly number[])[]) => ({
      type: 'Feature',
      properties: { ID, NAME: ID },
      geometry: { type: 'Polygon', coordinates: [ring] },
    })
    const report = await importMap([feature('spike', spike), feature('open', open), three[0]!])
    expect(report).toMatchObject({ exit: 3, rows: { read: 3, ready: 2, rejected: 1 } })
    expect(report.problems.map(({ code }) => code)).toContain('boundary-open')
  })

  test.each([
    ['utf-8', 'K\xf6whai', 'encoding: windows-1252'],
    // "Süd" as "CSV (MS-DOS)".
    ['windows-1252', 'S\x81d', 'CSV UTF-8'],
  ])('a name that lost letters to the wrong encoding %s is not published', async (encoding, name, hint) => {
    const yaml = nightly().replace('delimiter: ";"', `delimiter: ";", encoding: ${encoding}`)
    const report = await farm.night(Buffer.from(crops(`001|${name}|Kale; 002|Creek|Kale`), 'latin1'), yaml)
    expect(report).toMatchObject({ exit: 3, rows: { ready: 1, rejected: 1 } })
    expect(report.problems[0]).toMatchObject({
      code: 'letters-lost',
      severity: 'error',
      first: [{ column: 'Name', at: { row: 2 }, hint: expect.stringContaining(hint) as string }],
    })
    expect(report.problems.map(({ code }) => code)).not.toContain('encoding-doubtful')
    expect(await names()).toEqual(['Creek'])
  })

  describe('a name whose letters were lost before the file was made', () => {
    const lost = (report: Awaited<ReturnType<Farm['run']>>) =>
      report.problems
        .filter(({ code }) => code.startsWith('letters-'))
        .map(({ code, severity, count }) => [code, severity, count])
    const spoiltNight = async (more: string): Promise<Report> => {
      await importList(crops('001|Kānuka|Kale; 002|Creek|Rēwarewa'))
      return importList(crops('001|K?nuka|Rape; 002|Creek|R?warewa'), more)
    }

    test('does not replace a good one', async () => {
      const report = await spoiltNight('rules: { rejected: stop above 100 % }')
      expect(report).toMatchObject({ exit: 3, rows: { read: 2, rejected: 2 } })
      expect(lost(report)).toEqual([['letters-spoilt', 'error', 2]])
      expect(report.problems[0]!.first[0]).toMatchObject({ at: { row: 2 }, path: '/name', value: 'K?nuka' })
      expect(await names()).toEqual(['Kānuka', 'Creek'])
    })

    test('replaces a good one where a warning is enough', async () => {
      const report = await spoiltNight('rules: { letters-spoilt: warn }')
      expect(report).toMatchObject({ exit: 0, records: { updated: 2 } })
      expect(lost(report)).toEqual([['letters-spoilt', 'warning', 2]])
      expect(await names()).toEqual(['K?nuka', 'Creek'])
    })

    test('is published with a warning if no better one is known, and not doubted again', async () => {
      const report = await importList(crops('001|P?hutukawa|Kale; 002|Why? Because|Kale'))
      expect(report).toMatchObject({ exit: 0, records: { created: 2 } })
      expect(lost(report)).toEqual([['letters-doubtful', 'warning', 1]])
      expect(lost(await farm.run(nightly()))).toEqual([])
    })
  })

  test.each([
    ['a null', null],
    ['an empty polygon', { type: 'Polygon', coordinates: [] }],
    ['a polygon of an empty ring', { type: 'Polygon', coordinates: [[]] }],
    ['an empty multi polygon', { type: 'MultiPolygon', coordinates: [] }],
    ['an empty collection', { type: 'GeometryCollection', geometries: [] }],
  ])('a row with %s as its boundary among others gets a warning', async (_, geometry) => {
    const report = await importMap([three[0]!, { ...three[1], geometry }])
    expect(report).toMatchObject({ exit: 0, records: { created: 2 } })
    expect(report.problems).toContainEqual(withCode('row-without-boundary', { severity: 'warning', count: 1 }))
  })

  test('an empty polygon does not take the boundary away from its record, not even with blank: clear', async () => {
    await importMap(three, 'blank: clear')
    const before = await farm.held('plots')
    const emptied = { ...three[2], geometry: { type: 'Polygon', coordinates: [] } }
    expect(await importMap([three[0], three[1], emptied], 'blank: clear')).toMatchObject({
      exit: 3,
      rows: { rejected: 1 },
    })
    expect(await farm.held('plots')).toEqual(before)
  })
})

describe('nothing is sent', () => {
  test('from a truncated file', async () => {
    const report = await importMap(collection(three).slice(0, -40))
    expect(report).toMatchObject({ exit: 2, outcome: 'stopped' })
    expect(farm.posted()).toEqual([])
    expect((await farm.held('plots')).size).toBe(0)
  })

  test.each([
    ['its rows', crops('001|Rāhui|Kale; |Creek|Kale'), 'rules: { rejected: stop above 10 % }', 'rule-stopped'],
    ['its holding', crops('001|Rāhui|Kale'), 'holding: { scheme: no.such, id: "1" }', 'rights-missing'],
  ])('without the name of the file when %s stop the run', async (_, text, more, code) => {
    const yaml = more.startsWith('holding') ? nightly().replace(/^holding:.*$/m, more) : nightly(more)
    const { error } = await farm.night(text, yaml)
    expect(error).toMatchObject({ code, message: expect.stringContaining('nightly.csv') as string })
  })

  test('when more rows are rejected than the rule allows', async () => {
    const report = await importList(crops('001|Rāhui|Kale; |Creek|Kale'), 'rules: { rejected: stop above 10 % }')
    expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' }, records: { ready: 1, unsent: 1 } })
    expect(farm.posted()).toEqual([])
  })

  test('when all rows are rejected, unless the pipeline allows that, with the reason of the first', async () => {
    const report = await importList(crops('|Creek|Kale; |Hill|Kale'))
    expect(report).toMatchObject({ exit: 6, rows: { read: 2, rejected: 2 } })
    expect(report.error!.message).toMatch(
      /2 of 2 rows are rejected \(first row 2, No: .+\); the limit is 99 % or 1\. Nothing was sent\.$/,
    )
    expect(await farm.run(nightly('rules: { rejected: stop above 100 % }'))).toMatchObject({ exit: 3 })
    const one = await importList(crops('001|Rāhui|Kale; |Creek|Kale; |Hill|Kale'))
    expect(one).toMatchObject({ exit: 3, records: { created: 1 } })
  })

  test('to a holding that the account may not write', async () => {
    const report = await farm.night(crops('001|Rāhui|Kale'), nightly().replace(rimu.id, '99999999'))
    expect(report).toMatchObject({ exit: 5, error: { code: 'rights-missing' } })
    expect(farm.posted()).toEqual([])
  })

  test('in a dry run, whose counts are those of the real run', async () => {
    const dry = await importMap(three, '', { dryRun: true })
    expect(dry).toMatchObject({ outcome: 'dry-run', exit: 0 })
    expect(farm.posted()).toEqual([])
    const bodies = farm.read(dry.files['bodies']!).trim().split('\n')
    const read = bodies.map((line) => (JSON.parse(line) as { name: string }).name)
    expect(read).toEqual(['Rāhui', 'Top flat', 'Creek'])
    const real = await farm.run(map())
    expect([real.rows, real.records]).toEqual([dry.rows, dry.records])
  })

  test('without a key, which only a dry run may lack', async () => {
    await expect(importMap(three, '', { keyless: true })).rejects.toMatchObject({ code: 'key-missing' })
    const dry = await farm.run(map(), { keyless: true, dryRun: true })
    expect(dry).toMatchObject({ rows: { ready: 3 } })
    expect(dry.problems).toContainEqual(withCode('key-stand-in', { count: 3 }))
  })
})

describe('a service that misbehaves', () => {
  const onPost =
    (answer: (request: Request) => Promise<Response>): Fetch =>
    async (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'POST' && request.url.endsWith('/resources')) return answer(request)
      return farm.direct(request)
    }
  const failing = onPost(() => Promise.resolve(new Response('', { status: 503 })))
  const withItems = async ({ url, method, headers, body }: Request, change: (items: object[]) => object[]) => {
    const items = (await new Response(body).json()) as object[]
    return farm.direct(new Request(url, { method, headers, body: JSON.stringify(change(items)) }))
  }
  type Result = { readonly index: number; readonly successful: boolean }
  beforeEach(() => {
    farm.write('map.geojson', collection(three))
  })

  test('accepts an item and drops it: reported, and sent again by the next run', async () => {
    const dropping = onPost(async (request) => {
      const answer = await withItems(request, (items) => items.slice(1))
      const results = ((await answer.json()) as Result[]).map((each) => ({ ...each, index: each.index + 1 }))
      return Response.json([{ index: 0, successful: true }, ...results])
    })
    const first = await farm.run(map(), { fetch: dropping })
    expect(first).toMatchObject({ exit: 3, records: { created: 3 }, accepted: 3, unseen: 1 })
    expect(first.problems).toContainEqual(withCode('not-seen', { count: 1 }))
    expect((await farm.held('plots')).size).toBe(2)
    const second = await farm.run(map())
    expect(second).toMatchObject({ rows: { ready: 1, unchanged: 2 }, unseen: 0 })
    expect(farm.posted().flat()).toHaveLength(1)
    expect((await farm.held('plots')).size).toBe(3)
  })

  test('refuses one item: the others are accepted, and the row is in the rejects file', async () => {
    const refusing = onPost(async (request) => {
      const results = (await (await farm.direct(request)).json()) as Result[]
      return Response.json(results.with(1, { index: 1, successful: false, error: 'Not on a Sunday' } as Result))
    })
    const report = await farm.run(map(), { fetch: refusing })
    expect(report).toMatchObject({ exit: 3, records: { ready: 3, created: 2, refused: 1 } })
    expect(report.problems[0]).toMatchObject({
      code: 'refused',
      first: [{ at: { row: 1 }, message: expect.stringContaining('Not on a Sunday') as string }],
    })
    expect(farm.read(report.files['rejected']!)).toContain('Top flat')
  })

  test('gives no result for an item: it is unsent, never accepted, and sent by the next run', async () => {
    const silent = onPost((request) => withItems(request, (items) => items.slice(0, 2)))
    const report = await farm.run(map(), { fetch: silent })
    expect(report).toMatchObject({ exit: 4, outcome: 'stopped', records: { ready: 3, created: 2, unsent: 1 } })
    expect(report.error?.message).toMatch(/gave no answer for 1 record\.$/)
    assertBalanced(report)
    expect(await farm.run(map())).toMatchObject({ exit: 0, records: { created: 1, unchanged: 2 } })
    expect(namesPosted()).toEqual(['Creek'])
  })

  test('answers for an item that was not sent: the run stops and says so', async () => {
    const foreign = onPost(() => Promise.resolve(Response.json([{ index: 7, successful: true }])))
    const report = await farm.run(map(), { fetch: foreign })
    expect(report).toMatchObject({ outcome: 'stopped', error: { code: 'service-confused' }, records: { unsent: 3 } })
  })

  test('refuses whole batches for one item: only that item is refused', async () => {
    const strict = onPost(async (request) => {
      const text = await request.clone().text()
      if (!text.includes('Top flat')) return farm.direct(request)
      return Response.json({ title: 'Bad Request', status: 400, detail: 'The name is too flat' }, { status: 400 })
    })
    const report = await farm.run(map(), { fetch: strict })
    expect(report).toMatchObject({ exit: 3, records: { created: 2, refused: 1 } })
    expect(report.problems[0]?.first[0]?.message).toContain('The name is too flat')
  })

  test('goes away, and the run is killed before its report: the next run continues it with the same bytes', async () => {
    const bodies: string[] = []
    const failing = onPost(async (request) => {
      bodies.push(await request.text())
      return new Response('', { status: 503 })
    })
    const killed = await farm.run(map(), { fetch: failing })
    expect(killed).toMatchObject({ exit: 4, outcome: 'stopped', records: { ready: 3, unsent: 3 } })
    farm.leaveAsKilled(killed)
    const recording = onPost(async (request) => {
      bodies.push(await request.clone().text())
      return farm.direct(request)
    })
    const continued = await farm.run(map(), { fetch: recording })
    expect(continued).toMatchObject({ run: killed.run, exit: 0, records: { created: 3 } })
    expect(new Set(bodies).size).toBe(1)
  })

  test.each([
    [403, 5, 'rights-missing'],
    [503, 4, 'service-failing'],
  ])('answers %i: no later run changes the report of the one that it stopped', async (status, exit, code) => {
    const failing = onPost(() => Promise.resolve(new Response('', { status })))
    const stopped = await farm.run(map(), { fetch: failing })
    expect(stopped).toMatchObject({ outcome: 'stopped', exit, error: { code }, records: { ready: 3, unsent: 3 } })
    const kept = (): readonly string[] => [stopped.files['report']!, stopped.files['page']!].map(farm.read)
    const before = kept()
    expect(await importMap(three.slice(0, 2), '', { fetch: failing })).toMatchObject({ exit, rows: { read: 2 } })
    const next = await importMap(three)
    expect(next).toMatchObject({ outcome: 'done', exit: 0, records: { created: 3 } })
    expect(next.run).not.toBe(stopped.run)
    expect(kept()).toEqual(before)
  })

  test('goes away, and the file or the pipeline changes before the next run: a killed run is closed, and a new one starts', async () => {
    const broken = await farm.run(map(), { fetch: failing })
    farm.leaveAsKilled(broken)
    const anew = await importMap(three.slice(0, 2), '', { fetch: failing })
    expect(anew).toMatchObject({ exit: 4, rows: { read: 2 } })
    const old = JSON.parse(farm.read(broken.files['report']!)) as typeof broken
    expect(old).toMatchObject({ outcome: 'interrupted', records: { ready: 3, unsent: 3 } })
    assertBalanced(old)
    farm.leaveAsKilled(anew)
    expect(await farm.run(ofKowhai)).toMatchObject({ exit: 0, records: { created: 2 } })
    expect([...(await farm.held('plots')).keys()].sort()).toEqual([
      keyOf('plots', kowhai, '001'),
      keyOf('plots', kowhai, '002'),
    ])
  })

  test.each([
    ['', {}],
    ['', { isLarge: true }],
    ['match: name', {}],
  ])(
    'goes away, and somebody changes a record before the next run: it has what the file says (%s, %o)',
    async (match, how) => {
      const file = (second: string, third: string) => crops(`001|Rāhui|Kale; 002|${second}|Kale; 003|${third}|Kale`)
      await importList(file('Creek', 'Swamp'), match, how)
      const killed = await importList(file('Creek', 'Long acre'), match, { ...how, fetch: failing })
      expect(killed).toMatchObject({ exit: 4, records: { unsent: 1 } })
      farm.leaveAsKilled(killed)
      const others = nightly().replace('nightly.csv', 'other.csv')
      const other = await farm.night(file('Elsewhere', 'Swamp'), others, { state: join(farm.folder, 'other') })
      expect(other).toMatchObject({ records: { updated: 1 } })
      expect(await farm.run(nightly(match), how)).toMatchObject({ exit: 0, records: { updated: 1 } })
      const held = await names()
      expect(held).toHaveLength(3)
      expect(new Set(held)).toEqual(new Set(['Rāhui', 'Creek', 'Long acre']))
      expect(await farm.run(nightly(match), how)).toMatchObject({ exit: 0, records: { ready: 0 } })
    },
  )

  test('goes away while a deleted record is created again: the next run continues with it', async () => {
    await importList(crops('001|Rāhui|Kale; 002|Creek|Kale'))
    expect(await importList(crops('001|Rāhui|Kale'), 'gone: delete')).toMatchObject({ gone: { deleted: 1 } })
    const killed = await importList(crops('001|Rāhui|Kale; 002|Creek|Kale'), 'gone: delete', { fetch: failing })
    expect(killed).toMatchObject({ exit: 4, records: { unsent: 1 } })
    farm.leaveAsKilled(killed)
    const continued = await farm.run(nightly('gone: delete'))
    expect(continued).toMatchObject({ exit: 0, records: { ready: 1, created: 1, unsent: 0 } })
    expect((await farm.held('plots')).size).toBe(2)
  })

  test.each([400, 410])(
    'no longer knows the place in its feed (%i): the feed is read again from its start',
    async (status) => {
      await farm.run(map())
      const asked: (string | null)[] = []
      const refusal = (detail: string) => Response.json({ title: 'Bad Request', status, detail }, { status })
      const forgetful: Fetch = async (input, init) => {
        const request = new Request(input, init)
        const { pathname, searchParams } = new URL(request.url)
        if (!pathname.endsWith('/plots/changes')) return farm.direct(request)
        asked.push(searchParams.get('since'))
        return asked.length === 1 ? refusal('unknown token') : farm.direct(request)
      }
      const report = await farm.run(map(), { fetch: forgetful })
      expect(report).toMatchObject({ exit: 0, rows: { unchanged: 3 }, records: { created: 0 } })
      expect(asked[0]).not.toBeNull()
      expect(asked[1]).toBeNull()
      const always: Fetch = async (input, init) => {
        const request = new Request(input, init)
        return request.url.includes('/plots/changes') ? refusal('no such thing') : farm.direct(request)
      }
      expect(await farm.run(map(), { fetch: always })).toMatchObject({ exit: 5, outcome: 'stopped' })
    },
  )

  test('a record that somebody changed after staging is not overwritten', async () => {
    await farm.run(map())
    farm.leaveAsKilled(await importMap([plain('001', 'Ours', 'Lucerne', '3/9/2026')], '', { fetch: failing }))
    const key = keyOf('plots', rimu, '001')
    const theirs = (await farm.held('plots')).get(key)!
    await publish({ ...theirs, name: 'Theirs' })
    const resumed = await farm.run(map())
    expect(resumed).toMatchObject({ exit: 3, records: { updated: 0, unsent: 1 } })
    expect(resumed.problems).toContainEqual(withCode('changed-meanwhile'))
    expect((await farm.held('plots')).get(key)?.name).toBe('Theirs')
  })
})

test('a mapped time of change is sent unchanged; otherwise it is the time when the content was first staged', async () => {
  const changed = (time: string): string => table(`No|Name|Crop|Changed; 001|Rāhui|Kale|${time}`, ';')
  const mapped = nightly().replace('record: { name: <Name>,', 'record: { name: <Name>, meta: { modified: <Changed> },')
  await farm.night(changed('2026-11-19T20:15:00.1234567+00:00'), mapped)
  const meta = (await heldBy('001'))?.['meta'] as { modified: string }
  expect(meta.modified).toBe('2026-11-19T20:15:00.1234567+00:00')
  expect((await farm.night(changed('2026-11-20T20:15:00+00:00'), mapped)).rows).toMatchObject({ unchanged: 1 })
})

test('a record that the service has under another key is updated there, not published a second time', async () => {
  await importMap([three[0]!])
  const [key, body] = [...(await farm.held('plots'))][0]!
  await publish(body, '2030-01-01T00:00:00Z', { isDeleted: true })
  await publish({ ...body, dataPointKey: 'older-key', name: 'Older' }, '2030-01-02T00:00:00Z')
  const report = await farm.run(map(), { state: join(farm.folder, 'fresh-state') })
  expect(report).toMatchObject({ records: { created: 0, updated: 1 } })
  const held = await farm.held('plots')
  expect(held.get('older-key')).toMatchObject({ name: 'Rāhui' })
  expect(held.has(key)).toBe(false)
})

test('every run leaves a report, and no file that others may read', async () => {
  const report = await importMap(three)
  expect(existsSync(report.files['report']!)).toBe(true)
  expect(JSON.parse(farm.read(report.files['report']!))).toEqual(report)
  if (process.platform === 'win32') return
  const { statSync } = await import('node:fs')
  const folder = join(farm.folder, '.windrow', 'runs', report.run)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0)
})

test('a boundary that differs only by rounding, and the area measured on it, are unchanged', async () => {
  const record = '{ name: <name>, totalArea: measured, totalLength: measured }'
  const yaml = pipeline({ from: '{ file: rounded.geojson }', key: '<id>', record })
  const shifted = (by: number): Promise<Report> => {
    const feature = paddock(1, { id: '1', name: 'One' }) as { geometry: { coordinates: number[][][] } }
    feature.geometry.coordinates[0]![1]![0]! += by
    return farm.night(collection([feature]), yaml)
  }
  expect((await shifted(0)).records).toMatchObject({ created: 1 })
  const before = await farm.held('plots')
  expect((await shifted(1e-7)).records).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
  expect(await farm.held('plots')).toEqual(before)
  expect((await shifted(3e-7)).records).toMatchObject({ updated: 1 })
})
