/** Exports work records with where the work was done: the machine's track, the outline, or a point in the middle. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { geojson } from '../../src/formats/geojson.ts'
import { writeRecords } from '../../src/pipeline/export-run.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { rimu, square } from './hard-records.ts'
import { startWorld, type World } from './world.ts'

const track = [
  [175.31, -37.79],
  [175.312, -37.79],
]
const feature = (geometry: object) => ({ type: 'Feature', geometry, properties: {} })
const holding = { identifier: rimu, name: 'Rimu Farm', contentType: 'holding' }
const jobs = [
  {
    id: '6f3c7f3e-0001-4000-8000-000000000001',
    name: 'Spray',
    operation: 'CropProtection',
    status: 'Complete',
    loggedOperations: [
      {
        loggedGeometry: feature({ type: 'LineString', coordinates: track }),
        summaryGeometry: feature({ type: 'Polygon', coordinates: [square(175.31, -37.791, 0.002)] }),
        products: [{ components: [{ product: { name: 'Roundup' } }, { product: { name: 'Pulse' } }] }],
      },
      { summaryGeometry: feature({ type: 'Polygon', coordinates: [square(175.32, -37.8, 0.002)] }) },
      { remark: 'by hand' },
    ],
  },
  { id: '6f3c7f3e-0001-4000-8000-000000000002', name: 'Planned', operation: 'Seeding', status: 'Planned' },
]

let world: World
beforeAll(async () => {
  world = startWorld()
  await world.publishFarms()
  world.load({ workRecords: jobs.map((job) => ({ ...job, holding })) })
})
afterAll(() => world.close())

type Feature = {
  readonly id?: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null
}

async function features(...words: string[]): Promise<readonly Feature[]> {
  const { failure } = await world.run(['export', 'work-records', '-o', 'jobs.geojson', '--force', ...words])
  expect(failure, failure?.message).toBeUndefined()
  const all = (JSON.parse(readFileSync(join(world.folder, 'jobs.geojson'), 'utf8')) as { features: Feature[] }).features
  return all.filter(({ properties }) => jobs.some(({ id }) => properties['Id'] === id))
}

test('--geometry logged puts the track of its operation on each row, else the outline, else nothing', async () => {
  const found = await features('--set', 'to.geometry=logged')
  const kinds = found.map(({ geometry }) => geometry?.type ?? 'none').toSorted((one, other) => one.localeCompare(other))
  expect(kinds).toEqual(['LineString', 'LineString', 'none', 'none', 'Polygon'])
  expect(found.find(({ geometry }) => geometry?.type === 'LineString')?.geometry?.coordinates).toEqual(track)
  expect(found.map(({ id }) => id)).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(Object.keys(found[0]!.properties).filter((name) => /geo/i.test(name))).toEqual([])
})

test('a place that cannot be read is named, once for its operation', async () => {
  const torn = { loggedGeometry: feature({ type: 'LineString', coordinates: [[175]] }), products: [{}, {}] }
  const body = { ...jobs[0]!, loggedOperations: [...jobs[0]!.loggedOperations!, torn] }
  const pages = async function* () {
    yield { records: [{ body }], passes: () => true }
  }
  const job = { type: workRecord, zone: 'UTC', units: {}, layout: 'flat', geometry: 'logged' } as const
  const path = join(world.folder, 'torn.geojson')
  const { notes } = await writeRecords({ ...job, path, format: geojson, formatOptions: {} }, pages(), {
    now: new Date(),
  })
  expect(notes).toEqual(['1 place from the service could not be read as GeoJSON and was left out.'])
})

test('--geometry point puts the middle of it there', async () => {
  const points = (await features('--set', 'to.geometry=point')).flatMap(({ geometry }) => geometry ?? [])
  expect(points.map(({ type }) => type)).toEqual(['Point', 'Point', 'Point'])
  const [lon, lat] = points[0]!.coordinates as [number, number]
  expect(lon).toBeCloseTo(175.311, 6)
  expect(lat).toBeCloseTo(-37.79, 6)
})

test('without it, or with none, rows have no geometry, and the track is text', async () => {
  for (const words of [[], ['--set', 'to.geometry=none']]) {
    const [first] = await features(...words)
    expect(first!.geometry).toBeNull()
    expect(first!.properties['Logged geometry (GeoJSON)']).toContain('LineString')
  }
})

test.each([
  ['jobs.gpkg', [], true],
  ['jobs.gpkg', ['--set', 'to.geometry=logged'], false],
  ['jobs.gpkg', ['--only', 'operation=Seeding'], false],
  ['jobs.csv', [], false],
  ['jobs.xlsx', [], false],
])('a map without the places that there are says how to get them: %s %j', async (file, words, isSaid) => {
  const { out, failure } = await world.run(['export', 'work-records', '-o', file, '--force', ...words])
  expect(failure, failure?.message).toBeUndefined()
  expect(out.includes('set  to.geometry: logged')).toBe(isSaid)
})

test.each([
  [['--set', 'to.geometry=logged', '--only', 'operation=Seeding'], true],
  [['--set', 'to.geometry=logged'], false],
  [['--only', 'operation=Seeding'], false],
])('a map for which no record has a place says that it is empty: %j', async (words, isSaid) => {
  const { out } = await world.run(['export', 'work-records', '-o', 'seeding.gpkg', '--force', ...words])
  expect(out.includes('None of these records says where the work was done, so the map is empty.')).toBe(isSaid)
})

test('a CSV has it as text, and a shapefile in metres has one layer for each kind', async () => {
  const { failure } = await world.run(['export', 'work-records', '-o', 'jobs.csv', '--set', 'to.geometry=logged'])
  expect(failure).toBeUndefined()
  expect(readFileSync(join(world.folder, 'jobs.csv'), 'utf8')).toContain('"LINESTRING (175.31 -37.79, 175.312 -37.79)"')
  const zipped = await world.run([
    'export',
    'work-records',
    '-o',
    'jobs.zip',
    '--set',
    'to.geometry=logged',
    '--crs',
    'EPSG:2193',
  ])
  expect(zipped.out).toContain('"Work records" contains polygons and lines; a shapefile can only have one kind')
})

test.each([
  [
    ['plots', '-o', 'no.gpkg'],
    'Only work records need a choice of geometry: other records have their boundary or none.',
  ],
  [['work-records', '-o', 'no.xlsx'], 'A workbook has no place for geometry.'],
  [
    ['work-records', '-o', 'no.csv', '--set', 'to.layout=diary'],
    'Work records have geometry in the flat layout only, not in diary.',
  ],
])('%j has no choice of geometry', async (words, message) => {
  const { failure } = await world.run(['export', ...words, '--set', 'to.geometry=logged'])
  expect(failure?.message).toBe(message)
  expect(existsSync(join(world.folder, words[2]!))).toBe(false)
})
