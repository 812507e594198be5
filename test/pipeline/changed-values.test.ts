import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { collection, kowhai, paddock, pipeline, rimu, startFarm, table, type Farm, type RunOptions } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const crop = '{ name: <Crop>, establishmentDate: <Sown> }'
const record = `{ name: <Name>, totalArea: { from: Area, unit: ha }, crops: [${crop}] }`
const importing = (more = '', lines: Readonly<Record<string, string>> = {}): string =>
  pipeline({ zone: 'Pacific/Auckland', record, ...lines }, more)
const night = (rows: string, yaml = importing(), how: RunOptions = {}): Promise<Report> =>
  farm.night(table(`No|Name|Area|Crop|Sown; ${rows}`), yaml, how)
const four =
  '1|Top|3.5|Kale|2026-03-04; 2|Low|4.1|Oats|2026-03-09; 3|Creek|5.2|Kale|2026-04-02; 4|Hill|6.3|Rape|2026-04-20'
const renamed = four.replace('Top', 'Terrace').replace('Low', 'Flat').replace('Hill', 'Ridge')

/** What the report says under the code of a rule. */
const said = ({ problems }: Report, rule: string): readonly string[] =>
  problems.flatMap(({ code, first }) => (code === rule ? first.map(({ message }) => message) : []))
const codes = ({ problems }: Report, severity: string): readonly string[] =>
  problems.flatMap((each) => (each.severity === severity ? [each.code] : []))
const isStopped = { exit: 6, error: { code: 'rule-stopped' }, records: { updated: 0 } }

test('a spring of re-sowing is published with a note', async () => {
  await night(four)
  const report = await night(four.replaceAll(/Kale|Oats|Rape/g, 'Barley').replaceAll('2026', '2027'))
  expect(report).toMatchObject({ exit: 0, records: { updated: 4 } })
  expect(said(report, 'crops-resown')).toEqual([
    '4 of the 4 known records in the file have a crop with a later day of sowing (row 2: "Kale of 2026-03-04" would become "Barley of 2027-03-04"; row 3: "Oats of 2026-03-09" would become "Barley of 2027-03-09"; row 4: "Kale of 2026-04-02" would become "Barley of 2027-04-02").',
  ])
})

test('crops that change places, and harvests before a later sowing, are no re-sowing', async () => {
  const harvested = importing('', { record: record.replace('<Sown> }', '<Sown>, harvestDate: <Area> }') })
  const dated = four.replaceAll(/\d\.\d/g, '2026-12-01')
  const ofDays = harvested.replace('totalArea: { from: Area, unit: ha }, ', '')
  await night(dated, ofDays)
  const exchanged = dated.replaceAll(/2026-12-01\|(\w+)\|(2026-0.-..)/g, '$2|$1|2026-12-01')
  expect(await night(exchanged, ofDays)).toMatchObject(isStopped)
})

test('a first night over the records of another pipeline is stopped where all names change', async () => {
  await night(four)
  const others = importing('', { record: '{ name: <Name> }' })
  const report = await night(four.replaceAll(/\|[A-Z]\w+\|(?=\d)/g, '|Block|'), others, { name: 'others' })
  expect(report).toMatchObject(isStopped)
  expect(said(report, 'values-changed')).toEqual([
    '4 of the 4 known records in the file would get another value for "Name" (row 2: "Top" would become "Block"; row 3: "Low" would become "Block"; row 4: "Creek" would become "Block").',
  ])
})

describe('a farm of four', () => {
  beforeEach(async () => {
    await night(four)
  })

  test('may have one edit', async () => {
    expect(await night(four.replace('Top', 'Terrace'))).toMatchObject({
      exit: 0,
      records: { updated: 1 },
      problems: [],
    })
  })

  test('is stopped with three, unless the pipeline allows it or wants a warning', async () => {
    const report = await night(renamed)
    expect(report).toMatchObject(isStopped)
    expect(codes(report, 'stop')).toEqual(['values-changed'])
    const warned = await night(renamed, importing('rules: { values-changed: warn }'))
    expect(warned).toMatchObject({ exit: 0, records: { updated: 3 } })
    expect(codes(warned, 'warning')).toEqual(['values-changed'])
    const allowed = await night(four, importing('rules: { values-changed: allow }'))
    expect(allowed).toMatchObject({ exit: 0, records: { updated: 3 }, problems: [] })
  })

  test('is told first that the pipeline was changed', async () => {
    const report = await night(four, importing('', { record: record.replace('<Name>', '<No>') }))
    expect(said(report, 'values-changed')[0]).toContain('The pipeline was changed since its last run. 4 of the 4')
  })

  test('in another zone and unit has no other value', async () => {
    const other = importing('', { zone: 'Europe/London', record: record.replace('unit: ha', 'unit: ac') })
    const inAcres = four.replaceAll(/\d\.\d/g, (area) => (Number(area) * 2.471_05).toFixed(2))
    expect(await night(inAcres, other)).toMatchObject({ exit: 0, records: { updated: 4 }, problems: [] })
  })
})

test('crops in another order within each record have no other values', async () => {
  const grown = ['|3.5|Kale|2026-03-04', '|3.5|Oats|2026-09-10']
  const crops = (order: readonly number[]): string =>
    ['1|Top', '2|Low', '3|Creek'].flatMap((row) => order.map((at) => `${row}${grown[at]!}`)).join('; ')
  await night(crops([0, 1]), importing('rows: group'))
  const report = await night(crops([1, 0]), importing('rows: group'))
  expect(report).toMatchObject({ exit: 0, records: { updated: 3 }, problems: [] })
})

test('a farm in a file of several is judged by itself', async () => {
  const yaml = importing('', { holding: `{ scheme: ${rimu.scheme}, id: <Farm> }`, record: '{ name: <Name> }' })
  const large = Array.from({ length: 40 }, (_, at) => `${rimu.id}|${at}|Block ${at}`).join('; ')
  const small = (names: string): string =>
    names
      .split(' ')
      .map((name, at) => `${kowhai.id}|${at}|${name}`)
      .join('; ')
  const send = (names: string): Promise<Report> => farm.night(table(`Farm|No|Name; ${large}; ${small(names)}`), yaml)
  await send('Top Low Creek Hill')
  const report = await send('Gully Ridge Strip Hill')
  expect(report).toMatchObject(isStopped)
  expect(said(report, 'values-changed')[0]).toContain(
    `3 of the 4 known records of ${kowhai.scheme}:${kowhai.id} in the`,
  )
  expect(await send('Gully Ridge Creek Hill')).toMatchObject({ exit: 0, records: { updated: 2 } })
})

describe('a column that came back empty', () => {
  const blank = four.replaceAll(/Kale|Oats|Rape/g, '')
  const cropOnly = (more: string): string =>
    importing(more, { record: record.replace(', establishmentDate: <Sown>', '') })

  test('gives a warning that night and the next, where the records keep their values', async () => {
    await night(four, cropOnly('blank: keep'))
    for (const _ of ['that night', 'the next']) {
      const report = await night(blank, cropOnly('blank: keep'))
      expect(report).toMatchObject({ exit: 0, rows: { unchanged: 4 } })
      expect(said(report, 'column-blank')).toEqual([
        'All 4 rows of known records have nothing for "Crop 1 name", and 4 records keep what they have there. Did a column come back empty?',
      ])
    }
    expect(await night(four, cropOnly('blank: keep'))).toMatchObject({ exit: 0, problems: [] })
  })

  test('stops that night and the next, where the records would lose their values', async () => {
    await night(four, cropOnly('blank: clear'))
    for (const _ of ['that night', 'the next']) {
      const report = await night(blank, cropOnly('blank: clear'))
      expect(report).toMatchObject(isStopped)
      expect(codes(report, 'stop')).toEqual(['column-cleared'])
    }
    const allowed = await night(blank, cropOnly('blank: clear\nrules: { column-cleared: allow }'))
    expect(allowed).toMatchObject({ exit: 0, records: { updated: 4 } })
  })

  test('is judged with the rows that are as before', async () => {
    const ten = (kale: number, all: number): string =>
      Array.from({ length: 10 }, (_, at) => `${at}|Top ${at}|3.5|${at < kale ? 'Kale' : ''}|`)
        .slice(0, all)
        .join('; ')
    const clearing = cropOnly('blank: clear')
    await night(ten(6, 10), clearing)
    const report = await night(ten(0, 10), clearing)
    expect(said(report, 'column-cleared')).toEqual([
      'All 10 rows of known records have nothing for "Crop 1 name", and 6 records would lose what they have there. Did a column come back empty?',
    ])
    expect(await night(ten(3, 10), clearing)).toMatchObject({ exit: 0, records: { updated: 3 } })
  })
})

describe('boundaries', () => {
  const mapped = pipeline({ from: '{ file: map.geojson }', record: '{ name: <Name>, totalArea: measured }' })
  const map = (names: string, moved = 0): string =>
    collection(names.split(' ').map((Name, at) => paddock(at + moved, { No: String(at), Name })))

  test('that move by a few decimals, with the areas measured from them, are published', async () => {
    await farm.night(map('Top Low Creek Hill'), mapped)
    const rounded = map('Top Low Creek Hill').replaceAll('-37.799', '-37.799003')
    expect(await farm.night(rounded, mapped)).toMatchObject({ exit: 0, records: { updated: 4 }, problems: [] })
  })

  test('and names that a record gets from the next one, as ids that count rows do, are stopped by their cause', async () => {
    await farm.night(map('A B C D E F G H'), mapped)
    const numbered = JSON.parse(map('A B C D E F G H')) as { features: { properties: { No: string } }[] }
    numbered.features.splice(5, 1)
    for (const [at, { properties }] of numbered.features.entries()) properties.No = String(at)
    const report = await farm.night(JSON.stringify(numbered), mapped)
    expect(report).toMatchObject(isStopped)
    expect(codes(report, 'stop')).toEqual(['ids-moved'])
    expect(said(report, 'ids-moved')[0]).toContain('1 of the 2 names, with their boundaries, that changed are those of')
  })

  test('of records that are matched under other ids may come with other names that night, and not the next', async () => {
    await farm.night(map('Top Low Creek Hill Gate'), mapped)
    const matching = mapped.replace('<No>', '<Id>').replace('map.geojson', 'others.geojson')
    const others = (names: string): string => map(names).replaceAll('"No":"', '"Id":"X')
    const send = (names: string): Promise<Report> =>
      farm.night(others(names), `${matching}match: boundary\n`, { name: 'others' })
    expect(await send('Terrace Flat Gully Ridge')).toMatchObject({ exit: 0, records: { created: 0, updated: 4 } })
    // A file that is staged twice, because a row of it was matched.
    expect(await send('Terrace Flat Gully Hill Drive')).toMatchObject({ exit: 0, records: { created: 0, updated: 2 } })
    expect(await send('Top Low Creek Hill Drive')).toMatchObject(isStopped)
  })

  test('on other land are stopped, be it one', async () => {
    await farm.night(map('1'), mapped)
    const report = await farm.night(map('1', 40), mapped)
    expect(report).toMatchObject(isStopped)
    expect(codes(report, 'stop')).toEqual(['other-land'])
    expect(await farm.night(map('1', 40), `${mapped}rules: { other-land: allow }\n`)).toMatchObject({ exit: 0 })
  })
})

test('areas in another unit are stopped by their cause, unless the pipeline allows it', async () => {
  await night(four)
  const inSquareMetres = four.replaceAll(/(\d)\.(\d)/g, '$1$2000')
  const report = await night(inSquareMetres)
  expect(report).toMatchObject(isStopped)
  expect(codes(report, 'stop')).toEqual(['amounts-resized'])
  expect(report.error!.hint).toContain('unit as the file has it now')
  const allowing = importing('rules: { amounts-resized: allow, values-changed: allow }')
  expect(await night(inSquareMetres, allowing)).toMatchObject({ exit: 0, records: { updated: 4 } })
})

test('an area that leaps is published with a warning', async () => {
  await night(four)
  const report = await night(four.replace('3.5', '35'))
  expect(report).toMatchObject({ exit: 0, records: { updated: 1 } })
  expect(said(report, 'area-leap')).toEqual([
    'The area of this record was 3.5 ha until now and becomes 35 ha. Was a decimal separator lost or mistyped?',
  ])
})
