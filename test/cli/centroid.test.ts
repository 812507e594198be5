import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const file = (text: string): void => writeFileSync(join(world.folder, 'farms.csv'), text)
const importFarms = async (...more: readonly string[]) => {
  const words = ['import', 'farms.csv', '--to', 'holdings', '--holding', 'nz.example.farm-number', '--key', 'FARM_NO']
  return world.run([...words, ...more])
}
const exported = async (): Promise<string> => {
  const { err } = await world.run(['export', 'holdings', '-o', 'out.csv'])
  expect(err).toBe('')
  return readFileSync(join(world.folder, 'out.csv'), 'utf8')
}

test('longitude and latitude columns of farms become centroids; a moved farm is an update, the same one is not', async () => {
  const rows = ['FARM_NO,NAME,LON,LAT', '1,Rimu,175.3062,-37.7919', '2,Kowhai,,']
  file(rows.join('\n'))
  const first = await importFarms()
  expect(first.out).toContain('{ type: Point, coordinates: [<LON>, <LAT>] }')
  expect([first.exit, first.err]).toEqual([0, ''])
  expect(first.out).toContain('2 created')
  expect((await importFarms()).out).toContain('2 unchanged')
  file(rows.join('\n').replace('175.3062', '175.4'))
  expect((await importFarms()).out).toMatch(/1 unchanged[^]*1 updated/)
  expect(await exported()).toMatch(/,Longitude,Latitude,[^]*\nRimu,,,175\.4,-37\.7919,1,[^]*\nKowhai,,,,,2,/)
})

test('a pipeline of init reads them, and decimal commas', async () => {
  file('FARM_NO;NAME;LON;LAT\n1;Rimu;175,3062;-37,7919\n')
  await world.run(['init', 'farms.csv', '--to', 'holdings', '--holding', 'nz.example.farm-number'])
  const ran = await world.run(['run', 'farms.yaml', '--dry-run', '--out', 'bodies.ndjson'])
  expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining('1 ready')])
  const body = JSON.parse(readFileSync(join(world.folder, 'bodies.ndjson'), 'utf8').split('\n')[0]!) as object
  expect(body).toMatchObject({ centroid: { type: 'Point', coordinates: [175.3062, -37.7919] } })
})

test('columns in metres, and those that are no plain numbers, are left out as before', async () => {
  for (const rows of ['EASTING,NORTHING\n1800000,5815000', 'LON,LAT\n"175°18\'22""E","37°47\'31""S"']) {
    file(rows.replace('\n', ',FARM_NO,NAME\n').concat(',1,Rimu\n'))
    const { out } = await importFarms('--dry-run')
    expect(out).not.toContain('centroid')
    expect(out).toContain('1 would be created')
  }
})

test("columns with each other's names are read as what they contain, with a warning", async () => {
  file('FARM_NO,NAME,LAT,LON\n1,Rimu,175.3062,-37.7919\n2,Kea,175.4,-37.9\n')
  const { out } = await importFarms()
  expect(out).toContain('{ type: Point, coordinates: [<LAT>, <LON>] }')
  expect(out).toMatch(
    /warning +Latitude and longitude are exchanged: <LAT> contains 175.3062, which cannot be a latitude/,
  )
})
