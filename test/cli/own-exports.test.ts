/** Exports every type of record in every format and imports the file again: each row must find its record, unchanged. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bufferSource, readAll } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { publishedTypes, readableTypes } from '../../src/resources/index.ts'
import { share } from '../runs.ts'
import { counts, endings, farmScheme, held, kowhai, records, rimu, square, worldWith } from './hard-records.ts'
import type { World } from './world.ts'

const types = publishedTypes
  .map(({ plural }) => plural)
  .filter((each) => (readableTypes as readonly string[]).includes(each))
const matrix = types.flatMap((type) => endings.map((ending) => [type, ending] as const))
const zones = ['Pacific/Auckland', 'America/Chicago', 'UTC']
const matrixInZones = share(
  matrix.flatMap((each) => zones.map((zone) => [...each, zone] as const)),
  1,
  ([type, ending]) => `${type}.${ending}`,
)

describe('an export that was edited in another program', () => {
  let world: World
  beforeAll(async () => {
    world = await worldWith(records)
  })
  afterAll(() => world.close())
  const edit = async (ending: string, change: (text: string) => string) => {
    const file = join(world.folder, `edited.${ending}`)
    await world.run(['export', 'plots', '-o', `edited.${ending}`, '--force'])
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    return world.run(['plan', `edited.${ending}`])
  }
  const named = records['plots']!.map(({ name }) => name).find((name) =>
    /^[A-Z][a-z ]+$/.test(`${String(name)}`),
  ) as string

  test.each([
    ['Google Earth, which changes the name of the placemark alone', (text: string) => text],
    [
      'QGIS, which leaves the column out',
      (text: string) => text.replaceAll(/<Simple(Data|Field) name="Name"[^]*?>[^<]*(<\/SimpleData>)?/g, ''),
    ],
  ])('has its new name from %s', async (_, change) => {
    const { out } = await edit('kml', (text) =>
      change(text).replace(`<name>${named}</name>`, '<name>Renamed here</name>'),
    )
    expect(out).toMatch(new RegExp(`Renamed here +Name +${named} → Renamed here`))
    expect(out).toContain('1 to update')
  })

  test('lists a column that was renamed as not used', async () => {
    const { out } = await edit('csv', (text) => text.replace('Name,', 'Paddock,').replace(named, 'Renamed here'))
    expect(out).toMatch(/not used: Paddock/)
    expect(out).not.toContain('to update')
  })
})

describe('an export that is imported again changes nothing:', () => {
  let world: World
  beforeAll(async () => {
    world = await worldWith(records)
  })
  // Every run looks through the runs before it.
  afterEach(() => {
    for (const state of ['.windrow', 'state/windrow'])
      rmSync(join(world.folder, state, 'runs'), { recursive: true, force: true })
  })
  afterAll(() => world.close())

  test('the formats and types are all there', () => {
    expect(types).toEqual(['holdings', 'plots', 'land-covers'])
    expect(endings.toSorted()).toEqual(['csv', 'geojson', 'gpkg', 'kml', 'xlsx', 'zip'])
  })

  test.each(matrixInZones)('%s as .%s, written in the zone %s', async (type, ending, zone) => {
    const before = await held(world, type)
    expect(before.size).toBe(records[type]!.length)
    const file = `${type}-${zone.replace('/', '-')}.${ending}`
    const unit = zone === 'America/Chicago' ? ['--set', 'units.area=acres'] : []
    const exported = await world.run(['export', type, '-o', file, '--zone', zone, ...unit])
    expect(exported.failure).toBeUndefined()
    const report = await counts(world, ['import', file, '--zone', 'Europe/London'])
    expect(report, JSON.stringify(report)).toMatchObject({
      rows: { ready: 0, rejected: 0, unchanged: records[type]!.length },
      records: { created: 0, updated: 0 },
    })
    expect(await held(world, type)).toEqual(before)
  })

  const initialised = [...share(matrix, 1, ([, ending]) => ending), ...share(matrix, 1, ([type]) => type)]
  test.each([...new Set(initialised)])('a pipeline that init wrote for %s as .%s', async (type, ending) => {
    const before = await held(world, type)
    await world.run(['export', type, '-o', `${type}.${ending}`, '--zone', 'Pacific/Auckland'])
    const pipeline = `${type}-${ending}.yaml`
    const written = await world.run(['init', `${type}.${ending}`, '-o', pipeline])
    expect(written.failure).toBeUndefined()
    expect(written.out).toContain(`import: ${type}`)
    expect(written.out).not.toContain('please')
    const checked = await world.run(['check', pipeline])
    expect(checked.exit, checked.out + String(checked.failure?.message)).toBe(0)
    const report = await counts(world, ['run', pipeline])
    expect(report, written.out).toMatchObject({
      rows: { ready: 0, rejected: 0, unchanged: records[type]!.length },
      records: { created: 0, updated: 0 },
    })
    expect(await held(world, type)).toEqual(before)
  })

  test('also of lines and points, each kind in its own layer of a shapefile', async () => {
    const shapes = [
      { type: 'Polygon', coordinates: [square(175.3, -37.8, 0.002)] },
      { type: 'LineString', coordinates: square(175.31, -37.8, 0.001).slice(0, 3) },
      { type: 'MultiLineString', coordinates: [square(175.32, -37.8, 0.001).slice(0, 2)] },
      { type: 'Point', coordinates: [175.33, -37.8] },
      { type: 'MultiPoint', coordinates: square(175.34, -37.8, 0.001).slice(0, 2) },
    ]
    const mixed = await worldWith({
      'land-covers': shapes.map((geometry, index) => ({
        ...records['land-covers']![2]!,
        name: geometry.type,
        dataPointKey: `land-covers/${farmScheme}/${rimu.id}/${index}`,
        meta: {
          modified: '2026-10-01T00:00:00Z',
          sourceId: { scheme: `${farmScheme}.land-covers`, id: `${rimu.id}/${index}` },
        },
        spatialFeature: { type: 'Feature', geometry, properties: {} },
      })),
    })
    try {
      for (const ending of endings) {
        const file = `land.${ending}`
        await mixed.run(['export', 'land-covers', '-o', file])
        const { layers } = JSON.parse((await mixed.run(['inspect', file, '--json'])).out) as {
          layers: { name: string }[]
        }
        expect(layers).toHaveLength(ending === 'zip' ? 3 : 1)
        let unchanged = 0
        for (const { name } of layers) {
          const report = await counts(mixed, ['import', file, '--layer', name])
          expect(report).toMatchObject({ rows: { ready: 0, rejected: 0 } })
          unchanged += report.rows['unchanged']!
        }
        expect(unchanged).toBe(shapes.length)
      }
    } finally {
      mixed.close()
    }
  })

  test('of a shapefile that a mapping program saved under a new name, once the full names lie beside it', async () => {
    await world.run(['export', 'plots', '-o', 'plots.zip'])
    const members = await membersOfZip(bufferSource('plots.zip', readFileSync(join(world.folder, 'plots.zip'))))
    mkdirSync(join(world.folder, 'saved'), { recursive: true })
    const save = async (name: string, as: string): Promise<void> => {
      const { source } = members.find((each) => each.name === name)!
      writeFileSync(join(world.folder, 'saved', as), await readAll(source, 1e6))
    }
    for (const end of ['shp', 'shx', 'dbf', 'prj', 'cpg']) await save(`Plots.${end}`, `edited.${end}`)
    const bare = await world.run(['import', 'saved/edited.shp', '--holding', `${farmScheme}:${rimu.id}`])
    expect(bare.failure).toMatchObject({
      code: 'choices-missing',
      message: expect.stringContaining('names.csv') as string,
    })
    await save('names.csv', 'names.csv')
    const report = await counts(world, ['import', 'saved/edited.shp'])
    expect(report).toMatchObject({ rows: { ready: 0, rejected: 0, unchanged: records['plots']!.length } })
  })

  test('of records that only another program has published, whose farm the account knows', async () => {
    const foreign = await worldWith({
      plots: records['plots']!.map((body, index) => ({
        ...body,
        dataPointKey: `mapper ${index}`,
        meta: { ...(body['meta'] as object), sourceId: { scheme: 'com.example.mapper', id: `farm/${index}/7` } },
      })),
    })
    try {
      const before = await held(foreign, 'plots')
      for (const ending of endings) {
        await foreign.run(['export', 'plots', '-o', `plots.${ending}`])
        const report = await counts(foreign, ['import', `plots.${ending}`])
        expect(report).toMatchObject({ rows: { ready: 0, rejected: 0, unchanged: before.size } })
      }
      expect(await held(foreign, 'plots')).toEqual(before)
    } finally {
      foreign.close()
    }
  })

  test('unless it says another type or farm', async () => {
    await world.run(['export', 'holdings', '-o', 'farms.xlsx'])
    const type = await world.run(['import', 'farms.xlsx', '--to', 'plots', '--dry-run'])
    expect(type.failure?.message).toBe('"farms.xlsx" is an export of holdings, not of plots.')
    await world.run(['export', 'plots', '-o', 'two-farms.csv'])
    const farm = await world.run(['import', 'two-farms.csv', '--holding', `${farmScheme}:${rimu.id}`, '--dry-run'])
    expect(farm.failure?.message).toContain('The records cannot move to nz.example.farm-number:00412876.')
    expect(farm.failure?.hint).toBe('Leave out the holding.')
    await world.run(['export', 'plots', '--holding', 'Kōwhai Station', '-o', 'one-farm.csv'])
    expect(
      (await world.run(['import', 'one-farm.csv', '--holding', `${farmScheme}:${kowhai.id}`, '--dry-run'])).exit,
    ).toBe(0)
  })

  test('and says what to do where a spreadsheet program dropped the zeros of the farm number', async () => {
    await world.run(['export', 'plots', '-o', 'zeros.csv', '--holding', rimu.id])
    const file = join(world.folder, 'zeros.csv')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`,${rimu.id},`, ',412876,'))
    for (const more of [['--holding', `${farmScheme}:${rimu.id}`], []]) {
      const { failure, out } = await world.run(['import', 'zeros.csv', ...more])
      expect(failure?.hint ?? out).toContain('read that column as text there, or edit an .xlsx export.')
    }
  })

  test.each([
    ['unchanged', (text: string) => text, { ready: 0 }],
    ['edited', (text: string) => text.replace('\nTwo,', '\nDeux,'), { ready: 1 }],
  ])('%s records stay with the pipeline that published them', async (_, edit, rows) => {
    const own = await worldWith({})
    try {
      const csv = 'NO,NAME\n1,One\n2,Two\n'
      writeFileSync(join(own.folder, 'mine.csv'), csv)
      const yaml = `windrow: 1
import: plots
from: { file: mine.csv }
holding: { scheme: ${farmScheme}, id: "${kowhai.id}" }
key: <NO>
record: { name: <NAME> }
gone: delete
rules: { deletes: stop above 5 }
`
      writeFileSync(join(own.folder, 'mine.yaml'), yaml)
      const state = ['--state', 'state-of-mine']
      await counts(own, ['run', 'mine.yaml', ...state])
      const again = join(own.folder, 'again.csv')
      await own.run(['export', 'plots', '-o', 'again.csv'])
      writeFileSync(again, edit(readFileSync(again, 'utf8')))
      expect(await counts(own, ['import', 'again.csv', ...state])).toMatchObject({ rows })
      writeFileSync(join(own.folder, 'mine.csv'), csv.replace('2,Two\n', ''))
      expect(await counts(own, ['run', 'mine.yaml', ...state])).toMatchObject({ gone: { deleted: 1, kept: 0 } })
    } finally {
      own.close()
    }
  })
})
