import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nztmPrj, shapefileZip } from '../../tools/shapefile-zip.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const farm = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']
const corner = [1_800_000, 5_815_000] as const
const polygon = [[[0, 0], [0, 100], [100, 100], [100, 0], [0, 0]].map(([x, y]) => [corner[0] + x!, corner[1] + y!] as const)] // oxfmt-ignore

function writeZip(prj: string): void {
  const fields = [
    { name: 'ID', width: 4 },
    { name: 'NAME', width: 8 },
  ]
  const records = [{ polygon, cells: ['007', 'Hill'] }]
  writeFileSync(join(world.folder, 'farm.zip'), shapefileZip({ name: 'farm', prj, fields, records }))
}

const yaml = (): string => readFileSync(join(world.folder, 'farm.yaml'), 'utf8')
const places = async (): Promise<unknown> => {
  await world.run(['run', 'farm.yaml', '--dry-run', '--out', 'bodies.ndjson'])
  const [body] = readFileSync(join(world.folder, 'bodies.ndjson'), 'utf8').split('\n')
  return (JSON.parse(body!) as { centroid?: unknown }).centroid
}

describe('a coordinate system in the .prj without an EPSG code', () => {
  const own = nztmPrj.replace('173.0', '175.0').replace(/^PROJCS\["[^"]*"/, 'PROJCS["Survey of 1998"')

  test('is left in the file by init, and a run reads it there', async () => {
    writeZip(own)
    await world.run(['init', 'farm.zip', '--to', 'plots', ...farm])
    expect(yaml()).toContain('# crs: "Survey of 1998" has no EPSG code; it is described by the .prj of the file\n')
    expect(await places()).toEqual(expect.objectContaining({ type: 'Point' }))
  })

  test('is written by init where --crs names it, and must then match the file', async () => {
    writeZip(own)
    await world.run(['init', 'farm.zip', '--to', 'plots', ...farm, '--crs', own])
    expect(await places()).toEqual(expect.objectContaining({ type: 'Point' }))
    writeZip(own.replace('175.0', '176.0'))
    const { failure } = await world.run(['run', 'farm.yaml', '--dry-run'])
    expect(failure).toMatchObject({ code: 'crs-differs' })
  })
})

test('a coordinate system used outside its area is doubted by inspect, init and run', async () => {
  writeZip('EPSG:27200')
  const doubt = /No boundary lies where New Zealand Map Grid .* NZTM2000 would put them near 175\.27, -37\.79\./
  expect((await world.run(['inspect', 'farm.zip'])).out).toMatch(doubt)
  await world.run(['init', 'farm.zip', '--to', 'plots', ...farm])
  expect(yaml()).toMatch(doubt)
  expect((await world.run(['run', 'farm.yaml', '--dry-run'])).out).toMatch(doubt)
})

test('a coordinate system that can have none of the coordinates is doubted, with the system that fits them', async () => {
  const [x, y] = [2_712_634, 6_375_437]
  const mapGrid = [[[0, 0], [0, 100], [100, 100], [100, 0], [0, 0]].map(([dx, dy]) => [x + dx!, y + dy!] as const)] // oxfmt-ignore
  const fields = [{ name: 'ID', width: 4 }]
  const records = [{ polygon: mapGrid, cells: ['007'] }]
  writeFileSync(join(world.folder, 'farm.zip'), shapefileZip({ name: 'farm', prj: nztmPrj, fields, records }))
  const doubt =
    'The first boundaries are not in NZTM2000 (EPSG:2193, by the .prj): their coordinates run from 2712634, 6375437 to 2712734, 6375537, far outside.'
  const place = 'New Zealand Map Grid would put them near 175.30, -37.80'
  const { out } = await world.run(['inspect', 'farm.zip'])
  expect(out).toContain(`${doubt} ${place}.`)
  const ran = await world.run([
    'import',
    'farm.zip',
    '--to',
    'plots',
    ...farm,
    '--key',
    'ID',
    '--dry-run',
    '--connection',
    'none',
  ])
  expect(ran.exit).toBe(3)
  expect(ran.out).toContain(`${doubt} ${place}`)
})

describe('one boundary in the wrong place', () => {
  const ring = (lon: number, lat: number) => [[0, 0], [0, 1], [1, 1], [1, 0], [0, 0]].map(([x, y]) => [lon + x! / 1000, lat + y! / 1000]) // oxfmt-ignore
  const write = (rings: readonly (readonly number[][])[]): void => {
    const features = rings.map((each, at) => ({
      type: 'Feature',
      properties: { id: `A${at}`, name: `Hill ${at}` },
      geometry: { type: 'Polygon', coordinates: [each] },
    }))
    writeFileSync(join(world.folder, 'farm.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
  }

  test.each([
    ['a typing error', ring(1753, -37.79)],
    ['metres', ring(1_802_522, 5_814_977)],
    ['latitude first', ring(-37.79, 175.3)],
  ])('by %s is the fault of its row for init and inspect, as it is for a run', async (_, stray) => {
    write([ring(175.3, -37.79), stray, ring(175.31, -37.79)])
    expect((await world.run(['init', 'farm.geojson', '--to', 'plots', ...farm])).exit).toBe(0)
    expect(yaml()).toContain('crs: EPSG:4326 ')
    const { out } = await world.run(['inspect', 'farm.geojson'])
    expect(out).toContain(
      'Some coordinates are not longitudes and latitudes. An import rejects their rows and names them.',
    )
    const { out: ran } = await world.run(['run', 'farm.yaml', '--dry-run', '--allow', 'rejected'])
    expect(ran).toContain('2 ready + 0 unchanged + 1 rejected')
  })

  test('like all others is not: init writes that the axes are exchanged, and a run exchanges them', async () => {
    write([ring(-37.79, 175.3), ring(-37.79, 175.31)])
    expect((await world.run(['init', 'farm.geojson', '--to', 'plots', ...farm])).exit).toBe(0)
    expect(yaml()).toMatch(/^ {2}axes: exchanged +# please check: latitude comes before longitude: no row lies /m)
    expect((await world.run(['run', 'farm.yaml', '--dry-run'])).out).toContain('2 ready')
    writeFileSync(join(world.folder, 'farm.yaml'), yaml().replace(/^ {2}axes: .*\n/m, ''))
    const { out } = await world.run(['run', 'farm.yaml', '--dry-run'])
    expect(out).toContain('2 rejected')
    expect(out).toContain('If it is so in every row, set from.axes: exchanged.')
  })
})
