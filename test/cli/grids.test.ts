import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ntv2, type GridDrawn } from '../geometry/ntv2.ts'
import { startWorld, type World } from './world.ts'

let world: World

beforeEach(() => {
  world = startWorld()
  const outline = (x: number, y: number): object => ({
    type: 'Polygon',
    coordinates: [
      [
        [x, y],
        [x + 300, y],
        [x + 300, y + 300],
        [x, y + 300],
        [x, y],
      ],
    ],
  })
  const paddock = (number: string, name: string, geometry: object): object => ({
    type: 'Feature',
    properties: { No: number, Name: name },
    geometry,
  })
  const file = {
    type: 'FeatureCollection',
    crs: { type: 'name', properties: { name: 'EPSG:27200' } },
    features: [
      paddock('P1', 'Top', outline(2700000, 6400000)),
      paddock('P2', 'Low', outline(2701000, 6400000)),
      paddock('P3', 'Far away', outline(2200000, 5500000)),
    ],
  }
  writeFileSync(join(world.folder, 'old.geojson'), JSON.stringify(file))
  mkdirSync(join(world.folder, 'grids'))
  const waikato: GridDrawn = { name: 'WAIKATO', extent: [174, -39, 177, -36], stepDegrees: 1, shift: () => [6, 0.5] }
  writeFileSync(
    join(world.folder, 'grids/nzgd2kgrid0005.gsb'),
    ntv2([waikato], { isLittle: true, semiMajorM: 6378388 }),
  )
})
afterEach(() => world.close())

const farm = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']
const byGrid = 'the grid nzgd2kgrid0005.gsb (0.2 m to NZGD2000)'

test('inspect names the grid and uses it for the extent', async () => {
  const seen = async (...more: readonly string[]) => {
    const { out } = await world.run(['inspect', 'old.geojson', '--json', ...more])
    return (JSON.parse(out) as { layers: [{ lonLat: number[]; crs: { transformation: string } }] }).layers[0]
  }
  const [plain, gridded] = [await seen(), await seen('--set', 'from.grids=grids')]
  expect(plain.crs.transformation).toBe('EPSG:1564 NZGD49 to WGS 84 (2)')
  expect(gridded.crs).toMatchObject({ transformation: byGrid, accuracyM: 1 })
})

test('import names the grid and each row that it does not cover', async () => {
  await world.publishFarms()
  const { exit, out } = await world.run(['import', 'old.geojson', '--set', 'from.grids=grids', ...farm, '--dry-run'])
  expect(exit).toBe(0)
  expect(out).toContain(`to WGS 84 by ${byGrid}, good to 1 m`)
  expect(out).toContain(
    'The boundary lies outside the area of the grid nzgd2kgrid0005.gsb. It was shifted by EPSG:1564 NZGD49 to WGS 84 (2) (good to 4 m) instead. (feature 2)',
  )
})

test('init writes the folder relative to the pipeline, and a run uses it', async () => {
  mkdirSync(join(world.folder, 'night'))
  await world.run(['init', 'old.geojson', '--set', 'from.grids=grids', ...farm, '-o', 'night/old.yaml'])
  expect(readFileSync(join(world.folder, 'night/old.yaml'), 'utf8')).toContain('\n  grids: ../grids\n')
  const { out } = await world.run(['run', 'night/old.yaml', '--dry-run'])
  expect(out).toContain(`to WGS 84 by ${byGrid}`)
})

test('a missing folder and a damaged grid stop the run with exit 2', async () => {
  const words = ['import', 'old.geojson', ...farm, '--dry-run']
  const { failure: absent } = await world.run([...words, '--set', 'from.grids=gridz'])
  expect(absent).toMatchObject({ exit: 2, message: expect.stringContaining('There is no folder of grids') })
  const path = join(world.folder, 'grids/nzgd2kgrid0005.gsb')
  writeFileSync(path, readFileSync(path).subarray(0, 400))
  const { failure: damaged } = await world.run([...words, '--set', 'from.grids=grids'])
  expect(damaged).toMatchObject({
    exit: 2,
    message: 'old.geojson: The grid "nzgd2kgrid0005.gsb" cannot be read: it ends within a grid.',
  })
})
