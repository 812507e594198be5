import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World

const farm = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']

beforeEach(async () => {
  world = startWorld()
  const outline = (x: number, y: number, side: number): string =>
    `"POLYGON((${x} ${y},${x + side} ${y},${x + side} ${y + side},${x} ${y + side},${x} ${y}))"`
  writeFileSync(join(world.folder, 'farm.csv'), `No,Name,WKT\n1,House,${outline(175.3, -37.8, 0.001)}\n`)
  writeFileSync(
    join(world.folder, 'paddocks.csv'),
    `No,Name,WKT\n7,Top,${outline(1802500, 5813500, 300)}\n8,Low,${outline(1803000, 5813500, 300)}\n`,
  )
  const holdings = ['--to', 'holdings', '--holding', 'nz.example.farm-number:<Farm>', '--key', 'Farm']
  writeFileSync(join(world.folder, 'farms.csv'), 'Farm,Name\n00412876,Rimu Farm\n')
  const farms = await world.run(['import', 'farms.csv', ...holdings, '--state', 'first'])
  expect(farms.out + farms.err).toContain('1 created')
  const { exit } = await world.run(['import', 'farm.csv', '--crs', 'EPSG:4326', ...farm, '--state', 'first'])
  expect(exit).toBe(0)
})
afterEach(() => world.close())

const later = ['import', 'paddocks.csv', ...farm, '--state', 'second', '--dry-run']

test('a file without a coordinate system is compared with the place of the farm in the service, when nothing was sent from here', async () => {
  const { failure } = await world.run(later)
  expect(failure?.code).toBe('choices-missing')
  expect(failure?.message).toMatch(
    /NZTM2000 would put them near 175\.\d+, -37\.8\d?, \d+(?:\.\d+)? k?m from .*00412876 in the service/,
  )
})

test('an import continues where the service does not answer about the farm', async () => {
  const answer = (request: Request): Promise<Response> =>
    request.url.includes('/ogc/')
      ? Promise.resolve(new Response('{"title":"out of order"}', { status: 500 }))
      : Promise.resolve(world.fetch(request))
  const { failure } = await world.run(later, { fetch: (input, init) => answer(new Request(input, init)) })
  expect(failure?.code).toBe('choices-missing')
  expect(failure?.message).not.toContain('in the service')
})

test('the service is not asked where --crs names the coordinate system', async () => {
  const asked: string[] = []
  const { exit } = await world.run([...later, '--crs', 'EPSG:2193'], {
    fetch: (input, init) => {
      const request = new Request(input, init)
      asked.push(new URL(request.url).pathname)
      return Promise.resolve(world.fetch(request))
    },
  })
  expect(exit).toBe(0)
  expect(asked.filter((path) => path.includes('/ogc/'))).toEqual([])
})

test('a list of farms without --holding is answered with its own column', async () => {
  writeFileSync(join(world.folder, 'farms.csv'), 'Betriebsnummer,Name\n00412876,Rimu Farm\n')
  const { failure } = await world.run(['import', 'farms.csv', '--to', 'holdings'])
  expect(failure).toMatchObject({
    exit: 2,
    message: expect.stringContaining('nz.example.farm-number:<Betriebsnummer>'),
  })
})
