import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.run(['run', 'pipelines/holdings.yaml'])
})
afterEach(() => world.close())

const write = (name: string, text: string): void => writeFileSync(join(world.folder, name), text)

type Corner = readonly number[]

const feature = (id: string, corners: readonly Corner[], more: object = {}): object => ({
  type: 'Feature',
  properties: { ID: id, NAME: `Paddock ${id}`, ...more },
  geometry: { type: 'Polygon', coordinates: [[...corners, corners[0]]] },
})

// A boundary that crosses itself, and one with heights.
const map = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    feature('K7', [
      [175.3, -37.8],
      [175.302, -37.798],
      [175.302, -37.8],
      [175.3, -37.7995],
    ]),
    feature('K8', [
      [175.31, -37.8, 40],
      [175.312, -37.8, 40],
      [175.312, -37.798, 40],
      [175.31, -37.798, 40],
    ]),
  ],
})

type Reported = {
  readonly problems: readonly { readonly code: string; readonly first: readonly { readonly hint?: string }[] }[]
}

async function hints(words: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { out } = await world.run([...words, '--dry-run', '--json'])
  const { problems } = JSON.parse(out) as Reported
  return Object.fromEntries(problems.map(({ code, first }) => [code, first[0]?.hint ?? '']))
}

describe('a hint about a setting', () => {
  beforeEach(() => {
    write('map.geojson', map)
    write(
      'map.yaml',
      'windrow: 1\nimport: plots\nfrom: { file: map.geojson }\nholding: { scheme: nz.example.farm-number, id: "00412876" }\nkey: <ID>\nrecord: { name: <NAME> }\n',
    )
  })

  test('names the key, to a person who imports and to one who runs a pipeline', async () => {
    const importing = ['import', 'map.geojson', '--key', 'ID', '--holding', 'nz.example.farm-number:00412876']
    for (const words of [importing, ['run', 'map.yaml']]) {
      const found = await hints(words)
      expect(found['boundary-crosses-itself']).toMatch(/ {2}geometry\.repair: up to \d+ %$/)
      expect(found['dimensions-dropped']).toBe('To keep heights:  geometry.heights: keep')
      expect(Object.values(found).join(' ')).not.toContain('--')
    }
  })

  test('about dates names the key for all, and the column', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, index) => `${index},Paddock ${index},Oats,2026-04-${(index % 28) + 1}\n`,
    )
    write('plots.csv', `No,Name,Crop,Sown\n${rows.join('')}99,Hill,Oats,spring\n`)
    const found = await hints([
      'import',
      'plots.csv',
      '--to',
      'plots',
      '--key',
      'No',
      '--dates',
      'yyyy-M-d',
      '--holding',
      'nz.example.farm-number:00412876',
    ])
    expect(found['date-unclear']).toMatch(/ {2}dates: d\/M\/yyyy  or for this column/)
    write(
      'plots.yaml',
      'windrow: 1\nimport: plots\nfrom: { file: plots.csv }\nholding: { scheme: nz.example.farm-number, id: "00412876" }\nkey: <No>\nrecord: { name: <Name>, crops: [{ name: Oats, establishmentDate: { from: Sown, date: yyyy-M-d, zone: UTC } }] }\n',
    )
    expect((await hints(['run', 'plots.yaml']))['date-unclear']).toMatch(/\{ from: Sown, date: d\/M\/yyyy \}$/)
  })
})

test('a farm that the service does not delete has no row to correct', async () => {
  expect((await world.run(['run', 'pipelines/nightly-paddocks.yaml'])).exit).toBe(0)
  const pipeline = readFileSync(join(world.folder, 'pipelines/holdings.yaml'), 'utf8')
  write('pipelines/holdings.yaml', `${pipeline}gone: delete\n`)
  const farms = readFileSync(join(world.folder, 'samples/rimu-farm/holdings.csv'), 'utf8')
  write('samples/rimu-farm/holdings.csv', farms.replace(/^00412876[^\n]*\n/m, ''))
  const { exit, out } = await world.run(['run', 'pipelines/holdings.yaml'])
  expect(exit).toBe(3)
  expect(out).toContain('The service refused to delete this record: The holding still has plots (22).')
  expect(out).not.toMatch(/row -1|Correct the row/)
})

test('of several overlaps, the report has one that names both records', async () => {
  const square = (id: string, west: number): object =>
    feature(id, [
      [west, -37.8],
      [west + 0.002, -37.8],
      [west + 0.002, -37.798],
      [west, -37.798],
    ])
  const features = [square('K1', 175.3), square('K2', 175.301), square('K3', 175.3025)]
  write('map.geojson', JSON.stringify({ type: 'FeatureCollection', features }))
  const words = ['import', 'map.geojson', '--key', 'ID', '--holding', 'nz.example.farm-number:00412876', '--dry-run']
  expect((await world.run(words)).out).toMatch(
    /warning {2}2 × Two boundaries overlap\. First: The boundary overlaps that of "Paddock K1" \(K1, row 0\): 1\.96 ha, 50\.0 % of it, count twice\. \(feature 1\)/,
  )
})
