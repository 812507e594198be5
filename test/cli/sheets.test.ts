/** Exports work records as an office files and prints them, and looks at the files with other programs where they are present. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Values } from '../../src/core/row.ts'
import { bufferSource, fileSource, readAll } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { columnLetters } from '../../src/formats/spreadsheet/spreadsheet-sheet.ts'
import { openFile } from '../../src/formats/index.ts'
import { xlsx } from '../../src/formats/xlsx.ts'
import { writeRecords } from '../../src/pipeline/export-run.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { hasProgram, pythonWith, runOffice } from '../other-programs.ts'
import { readableTypes } from '../../src/resources/index.ts'
import type { LoadFile } from '../../src/service/routes/crop-records.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterAll(() => world.close())

const october = '--from 2026-10-01 --until 2026-10-31 --zone Pacific/Auckland'.split(' ')
const spraying = [...october, '--only', 'operation=CropProtection']

async function exported(file: string, ...words: readonly string[]): Promise<Ran> {
  const ran = await world.run(['export', 'work-records', ...words, '-o', file])
  expect(ran.exit, String(ran.failure?.message)).toBe(0)
  return ran
}

async function rowsOf(file: string, table = 0): Promise<readonly Values[]> {
  const { tables, close } = await openFile(await fileSource(join(world.folder, file)))
  const rows: Values[] = []
  for await (const batch of tables[table]!.batches()) rows.push(...batch.map(({ values }) => values))
  await close()
  return rows
}

async function part(file: string, name: string): Promise<string> {
  const members = await membersOfZip(bufferSource(file, readFileSync(join(world.folder, file))))
  return Buffer.from(await readAll(members.find((each) => each.name === name)!.source, 1e7)).toString()
}

function sum(rows: readonly Values[], column: string): number {
  return Number(rows.reduce((all, row) => all + Number(row[column] ?? 0), 0).toPrecision(12))
}

describe('the diary', () => {
  test.each(['xlsx', 'csv'])('has a row for each application, and its areas add up: .%s', async (ending) => {
    await exported(`spraying.${ending}`, ...spraying)
    const rows = await rowsOf(`spraying.${ending}`)
    expect(rows).toHaveLength(7)
    expect(sum(rows, 'Area treated (ha)')).toBe(34.47)
    expect(rows[0]).toMatchObject({
      Date: '2026-10-01',
      Farm: 'Rimu Farm',
      Paddock: 'Rāhui',
      Operation: 'Crop protection',
      Product: 'Herbicide (Puriri Crop Care) 100\u00a0%; Adjuvant (Southern Leaf) 0.1\u00a0%',
      Registration: 'P9001; P9020',
      Rate: '2.5 L/ha',
      Unit: 'L',
      Operator: 'Hēmi Example',
    })
    expect(Object.keys(rows[0]!)).toContain('Start (Pacific/Auckland)')
  })

  test.each(['xlsx', 'csv'])('and the flat table have the same sum of areas: .%s', async (ending) => {
    await exported(`flat.${ending}`, ...spraying, '--set', 'to.layout=flat')
    const rows = await rowsOf(`flat.${ending}`)
    expect(rows).toHaveLength(9)
    expect(sum(rows, 'Worked area (ha)')).toBe(34.47)
  })

  test('is in the order of its days, whatever farm they were on', async () => {
    await exported('days.csv', ...october)
    const rows = await rowsOf('days.csv')
    const days = rows.map((row) => row['Date'] as string)
    expect(days).toEqual(days.toSorted())
    expect(rows.map(({ Farm }) => Farm).indexOf('Kōwhai Station')).toBe(3)
  })

  test('has no empty columns on a sheet, unless asked', async () => {
    await exported('short.xlsx', ...october)
    await exported('all.xlsx', ...october, '--set', 'to.allColumns=true')
    const [short, all] = [await rowsOf('short.xlsx'), await rowsOf('all.xlsx')]
    expect(Object.keys(all[0]!).filter((name) => !(name in short[0]!))).toEqual(['Crop', 'Weather'])
  })

  test('comes with totals per product and per paddock', async () => {
    await exported('totals.xlsx', ...spraying)
    const xml = await part('totals.xlsx', 'xl/worksheets/sheet2.xml')
    const rows = [...xml.matchAll(/<row [^>]*>(.*?)<\/row>/g)].map(([, cells]) =>
      [...cells!.matchAll(/<(?:t|v)(?: [^>]*)?>(.*?)<\/(?:t|v)>/g)].map(([, text]) => text),
    )
    expect(rows).toContainEqual([
      'Product',
      'Herbicide (Puriri Crop Care)',
      'P9001',
      'Complete',
      '2',
      '10.3',
      '25.75',
      'L',
    ])
    // The share of the adjuvant is not one of the mix, so its amount is not known.
    expect(rows).toContainEqual(['Product', 'Adjuvant (Southern Leaf)', 'P9020', 'Complete', '2', '10.3'])
    expect(rows).toContainEqual(['Paddock', 'Tūī', 'Rimu Farm', 'Complete', '1', '5.2'])
    expect(rows).toContainEqual(['Paddock', "O'Neill's", 'Rimu Farm', 'Cancelled', '1', '5'])
    expect(rows).toContainEqual(['All jobs', 'Complete', '5', '29.47'])
  })

  test('says where it comes from', async () => {
    await exported('about.xlsx', ...spraying, '--holding', 'Rimu Farm')
    const about = await part('about.xlsx', 'xl/worksheets/sheet3.xml')
    for (const text of [
      'windrow ',
      'http://127.0.0.1:8080',
      'Pacific/Auckland',
      '2026-10-01 to 2026-10-31',
      'Rimu Farm',
    ])
      expect(about).toContain(text)
    expect(about).toContain('Only: operations</t></is></c><c r="B')
    expect(about).toMatch(/Records read<.*?<t>12</)
    expect(about).toMatch(/Records written<.*?<t>5</)
  })

  test('is one layer for whoever reads it', async () => {
    const ran = await exported('layers.xlsx', ...october)
    expect(ran.out).toContain('Diary: 8 rows\n')
    const { layers } = JSON.parse((await world.run(['inspect', 'layers.xlsx', '--json'])).out) as {
      layers: { name: string }[]
    }
    expect(layers.map(({ name }) => name)).toEqual(['Diary'])
  })
})

describe('a job near the end of a month', () => {
  // Rāhui was sprayed in the morning of 1 October in New Zealand, Pōhutukawa in the morning of 1 November.
  test.each([
    ['Pacific/Auckland', '2026-10', ['Rāhui', '2026-10-01', '08:40'], 'Pōhutukawa'],
    ['Pacific/Auckland', '2026-11', ['Pōhutukawa', '2026-11-01', '07:10'], 'Rāhui'],
    ['UTC', '2026-09', ['Rāhui', '2026-09-30', '19:40'], 'Pōhutukawa'],
    ['UTC', '2026-10', ['Pōhutukawa', '2026-10-31', '18:10'], 'Rāhui'],
  ])('is in the month that the zone %s has: %s', async (zone, month, [paddock, day, start], other) => {
    const last = month === '2026-10' ? '31' : '30'
    await exported('month.xlsx', '--force', '--from', `${month}-01`, '--until', `${month}-${last}`, '--zone', zone)
    const rows = (await rowsOf('month.xlsx')).filter((row) => row['Operation'] === 'Crop protection')
    const [row] = rows.filter((each) => each['Paddock'] === paddock)
    expect(row).toMatchObject({ Date: day })
    expect(row![`Start (${zone})`]).toMatch(new RegExp(`^${start}`))
    expect(rows.map((each) => each['Paddock'])).not.toContain(other)
  })
})

describe('every other type', () => {
  beforeAll(async () => {
    const rimu = ['--holding', 'nz.example.farm-number:00412876']
    await world.run(['import', 'samples/rimu-farm/rimu-paddocks.geojson', ...rimu, '--zone', 'Pacific/Auckland'])
    await world.run(['import', 'samples/rimu-farm/land-covers.geojson', '--to', 'land-covers', ...rimu])
    world.load(JSON.parse(readFileSync(join(world.folder, 'samples/rimu-farm/crop-records.json'), 'utf8')) as LoadFile)
  })

  const types = readableTypes.filter((type) => type !== 'work-records')
  test.each(types)('prints %s without the ids and links in the last columns, and says so', async (type) => {
    const { failure } = await world.run(['export', type, '-o', `${type}.xlsx`, '--zone', 'Pacific/Auckland'])
    expect(failure).toBeUndefined()
    const names = Object.keys((await rowsOf(`${type}.xlsx`))[0]!)
    const [, letters] = /Print_Area" localSheetId="0">[^<]*!\$A\$1:\$([A-Z]+)\$/.exec(
      await part(`${type}.xlsx`, 'xl/workbook.xml'),
    )!
    const printed = names.findIndex((_, at) => columnLetters(at) === letters) + 1
    const ids =
      /^(?:Id|Self|Link \d.*|Source id.*|(?:.* )?[Ii]dentifier .*|Modified .*|Created .*|Deleted|Data point key|Device id)$/
    expect(names.slice(0, printed).filter((name) => ids.test(name))).toEqual([])
    expect(names.slice(printed).filter((name) => !ids.test(name))).toEqual([])
    expect(names.length).toBeGreaterThan(printed)
    expect(await part(`${type}.xlsx`, 'xl/worksheets/sheet2.xml')).toContain('but not on paper.')
  })

  test('shows sowing dates as days, also in CSV for Excel', async () => {
    const plots = [
      'export',
      'plots',
      '--zone',
      'Pacific/Auckland',
      '--set',
      'to.columns=[Crop 1 establishment date, Modified]',
    ]
    await world.run([...plots, '-o', 'days.xlsx'])
    const xml = await part('days.xlsx', 'xl/worksheets/sheet1.xml')
    const [, sown, modified] = /<c r="A2" s="(\d+)"><v>\d+<\/v><\/c><c r="B2" s="(\d+)"/.exec(xml)!
    const styles = await part('days.xlsx', 'xl/styles.xml')
    const formats = [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)]
    const cells = [...styles.slice(styles.indexOf('<cellXfs')).matchAll(/<xf numFmtId="(\d+)"/g)]
    const formatOf = (style: string): unknown => formats.find(([, id]) => id === cells[Number(style)]![1])?.[2]
    expect([sown!, modified!].map(formatOf)).toEqual(['yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm'])
    const { out } = await world.run([...plots, '-o', '-', '--set', 'to.csv=excel'])
    expect(out.split('\r\n')[1]).toMatch(/^2026-\d\d-\d\d,2026-\d\d-\d\d \d\d:\d\d/)
  })

  test('prints ids where a person chooses them', async () => {
    await world.run(['export', 'plots', '-o', 'ids.xlsx', '--set', 'to.columns=[Name, Id]'])
    expect(await part('ids.xlsx', 'xl/workbook.xml')).not.toContain('Print_Area')
  })

  test('says from which service and account what changed comes', async () => {
    const { failure } = await world.run([
      'export',
      'plots',
      '-o',
      'changed.xlsx',
      '--only',
      'changed=since last export',
    ])
    expect(failure).toBeUndefined()
    const about = await part('changed.xlsx', 'xl/worksheets/sheet2.xml')
    expect(about).toContain('http://127.0.0.1:8080')
    expect(about).toContain('>Account<')
    expect(about).toContain('changed or was deleted since the last export')
    expect(await part('changed.xlsx', 'xl/workbook.xml')).not.toContain('Print_Area')
  })
})

describe('linked sheets', () => {
  test('begin with what a person looks for, end with ids, and lead to each other', async () => {
    await exported('linked.xlsx', ...october, '--set', 'to.layout=linked')
    const operations = await rowsOf('linked.xlsx', 1)
    expect(Object.keys(operations[0]!).slice(0, 5)).toEqual(['Day', 'Farm', 'Paddock', 'Work record', 'Products'])
    expect(Object.keys(operations[0]!).slice(-2)).toEqual(['Work record id', 'Operation id'])
    const products = await rowsOf('linked.xlsx', 2)
    const xml = await part('linked.xlsx', 'xl/worksheets/sheet3.xml')
    const targets = [...xml.matchAll(/HYPERLINK\(&quot;#'Operations'!A(\d+)&quot;/g)].map(([, row]) => Number(row))
    expect(targets).toHaveLength(products.length)
    for (const [index, { 'Operation id': id }] of products.entries())
      expect(operations[targets[index]! - 2]!['Operation id']).toBe(id)
    const toProducts = [
      ...(await part('linked.xlsx', 'xl/worksheets/sheet2.xml')).matchAll(
        /<c r="E(\d+)"[^>]*><f>HYPERLINK\(&quot;#'Products'!A(\d+)/g,
      ),
    ]
    expect(toProducts.length).toBeGreaterThan(3)
    for (const [, row, target] of toProducts)
      expect(products[Number(target) - 2]!['Operation id']).toBe(operations[Number(row) - 2]!['Operation id'])
  })
})

test('linked sheets have the same link for a record without any id', async () => {
  const job = (name: string) => ({ name, loggedOperations: [{ operation: name, products: [{ components: [] }] }] })
  const records = [{ name: 'Alone' }, job('Mowing'), job('Baling')].map((body) => ({ body }))
  const pages = async function* () {
    yield { records, passes: () => true }
  }
  const path = join(world.folder, 'no-ids.xlsx')
  const how = { type: workRecord, layout: 'linked', zone: 'UTC', units: {}, sort: 'Name' } as const
  await writeRecords({ ...how, path, format: xlsx, formatOptions: {} }, pages(), { now: new Date() })
  const linked = async (sheet: number) => (await rowsOf('no-ids.xlsx', sheet)).map((row) => row['Work record id'])
  expect(await linked(0)).toEqual(['record 1', 'record 2', 'record 3'])
  expect(await linked(1)).toEqual(['record 2', 'record 3'])
  expect(await linked(2)).toEqual(['record 2', 'record 3'])
})

describe('CSV', () => {
  test('for Excel has local times, decimal commas and semicolons where the locale has them', async () => {
    await exported('excel.csv', ...october, '--set', 'to.csv=excel', '--set', 'to.locale=de-DE')
    const [header, first] = readFileSync(join(world.folder, 'excel.csv'), 'utf8').split('\r\n')
    expect(header).toMatch(/^\ufeffDate;Start \(Pacific\/Auckland\);End;/)
    expect(first).toContain('2026-10-01;2026-10-01 08:40;2026-10-01 10:05;')
    expect(first).toContain(';2,5 L/ha;12,75;L;5,1;')
    await exported('english.csv', ...october, '--set', 'to.csv=excel', '--set', 'to.locale=en-NZ')
    expect(readFileSync(join(world.folder, 'english.csv'), 'utf8')).toContain(',2.5 L/ha,12.75,L,5.1,')
  })

  test('for Excel reads back as what plain CSV says', async () => {
    await world.run([
      'import',
      'samples/rimu-farm/rimu-paddocks.geojson',
      '--holding',
      'nz.example.farm-number:00412876',
    ])
    for (const words of [['--set', 'to.csv=excel', '--set', 'to.locale=de-DE'], ['--set', 'to.csv=excel'], []]) {
      await world.run(['export', 'plots', '-o', 'plots.csv', '--zone', 'Pacific/Auckland', ...words])
      const { out, failure } = await world.run(['import', 'plots.csv', '--zone', 'Pacific/Auckland', '--json'])
      expect(failure).toBeUndefined()
      expect(JSON.parse(out)).toMatchObject({ rows: { ready: 0, rejected: 0 }, records: { created: 0, updated: 0 } })
    }
  })

  test.each([
    [['--set', 'to.csv=excel', '--set', 'to.locale=deutsch!'], 'x.csv', '"deutsch!" is not a locale.'],
    [['--set', 'to.csv=excel', '--set', 'to.locale=german'], 'x.csv', '"german" is not a locale.'],
    [['--set', 'to.csv=excel', '--set', 'to.locale=zz-ZZ'], 'x.csv', '"zz-ZZ" is not a locale.'],
    [['--set', 'to.locale=de-DE'], 'x.csv', 'A locale decides nothing in plain CSV.'],
    [['--set', 'to.csv=excel'], 'x.xlsx', 'to.csv works for '],
  ])('%j to %s is refused', async (words, file, message) => {
    const { exit, failure } = await world.run(['export', 'work-records', ...words, '-o', file])
    expect([exit, failure?.message]).toEqual([2, expect.stringContaining(message)])
  })
})

const python = pythonWith('openpyxl')

describe.skipIf(python === undefined)('openpyxl (skipped where it is missing)', () => {
  const script = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
out = {}
for sheet in book.worksheets:
    rows = list(sheet.iter_rows(min_row=2))
    out[sheet.title] = {
        'rows': len(rows), 'header': [c.value for c in sheet[1]],
        'types': [type(c.value).__name__ for c in rows[0]], 'formats': [c.number_format for c in rows[0]],
        'orientation': sheet.page_setup.orientation, 'paper': sheet.page_setup.paperSize,
        'fit': [sheet.sheet_properties.pageSetUpPr.fitToPage, sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight],
        'titles': sheet.print_title_rows, 'panes': sheet.freeze_panes, 'filter': sheet.auto_filter.ref,
        'footer': [sheet.oddFooter.left.text, sheet.oddFooter.center.text, sheet.oddFooter.right.text],
        'links': sum(1 for row in rows for c in row if str(c.value).startswith('=HYPERLINK(')),
        'sums': {h.value: sum(r[i].value for r in rows if isinstance(r[i].value, (int, float))) for i, h in enumerate(sheet[1])},
    }
print(json.dumps(out))
`
  type Seen = Record<string, Record<string, unknown>>
  const seen = (file: string): Seen =>
    JSON.parse(execFileSync(python!, ['-c', script, join(world.folder, file)], { encoding: 'utf8' })) as Seen

  test('reads the types, dates, panes and print settings of the diary', async () => {
    await exported('seen.xlsx', ...spraying)
    const { Diary: diary, Totals: totals, About: about } = seen('seen.xlsx')
    expect(diary).toMatchObject({
      rows: 7,
      orientation: 'landscape',
      fit: [true, 1, 0],
      titles: '$1:$1',
      panes: 'F2',
      filter: 'A1:Q8',
      footer: ['&A', 'Page &P of &N', '&D'],
    })
    expect((diary!['types'] as string[]).slice(0, 4)).toEqual(['datetime', 'datetime', 'datetime', 'str'])
    const area = (diary!['header'] as string[]).indexOf('Area treated (ha)')
    expect((diary!['types'] as string[])[area]).toBe('float')
    expect((diary!['formats'] as string[])[area]).toBe('#,##0.00\\ ')
    expect((diary!['sums'] as Record<string, number>)['Area treated (ha)']).toBeCloseTo(34.47, 9)
    for (const sheet of [totals, about]) expect(sheet).toMatchObject({ orientation: 'landscape', titles: '$1:$1' })
  })

  test('finds the links of linked sheets', async () => {
    await exported('links.xlsx', ...october, '--set', 'to.layout=linked')
    const { 'Work records': records, Operations: operations, Products: products } = seen('links.xlsx')
    expect([records, operations, products].map((sheet) => [sheet!['rows'], sheet!['links']])).toEqual([
      [7, 6],
      [7, 13],
      [8, 8],
    ])
  })
})

const office = hasProgram('soffice') && hasProgram('pdfinfo')

test.skipIf(!office)(
  'LibreOffice prints the diary of a month on one landscape page (skipped where soffice or pdfinfo is missing)',
  async () => {
    await exported('page.xlsx', ...october)
    runOffice(world.folder, '--convert-to', 'pdf', '--outdir', world.folder, join(world.folder, 'page.xlsx'))
    const info = execFileSync('pdfinfo', [join(world.folder, 'page.pdf')], { encoding: 'utf8' })
    // The diary, the totals and where it comes from.
    expect(info).toMatch(/Pages: +3\n/)
    expect(info).toMatch(/Page size: +84\d(?:\.\d+)? x 59\d/)
  },
  120_000,
)
