/** Exports what is awkward: texts with odd characters, and records that come and go while they are read. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileSource } from '../../src/core/source.ts'
import { openFile } from '../../src/formats/index.ts'
import { square } from '../service/hill-farm.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const holding = ['--holding', 'nz.example.farm-number:00412876']

async function publishPlots(names: readonly string[]): Promise<void> {
  await world.run('import samples/rimu-farm/holdings.csv --to holdings --holding nz.example.farm-number'.split(' '))
  const features = names.map((name, index) => ({
    ...square(175.3 + index / 100, -37.8),
    properties: { id: `P${index}`, name },
  }))
  writeFileSync(join(world.folder, 'plots.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
  const { exit, err } = await world.run(['import', 'plots.geojson', '--to', 'plots', ...holding, '--key', 'id'])
  expect(exit, err).toBe(0)
}

async function valuesIn(path: string): Promise<readonly unknown[]> {
  const { tables, close } = await openFile(await fileSource(join(world.folder, path)))
  const values: unknown[] = []
  for await (const batch of tables[0]!.batches()) for (const row of batch) values.push(...Object.values(row.values))
  await close()
  return values
}

describe('names with the line and paragraph separators of Unicode', () => {
  const names = ['Creek\u2028flat', 'Top\u2029paddock', 'Plain']

  test.each([
    ['export', 'xlsx'],
    ['export', 'csv'],
    ['export', 'geojson'],
    ['export', 'zip'],
    ['service changes', 'xlsx'],
    ['service changes', 'csv'],
    ['service changes', 'geojson'],
    ['service changes', 'zip'],
  ])('are written by %s to .%s as they are', async (command, ending) => {
    await publishPlots(names)
    const out = `plots.${ending}`
    const { exit, err } = await world.run([...command.split(' '), 'plots', '-o', out])
    expect(exit, err).toBe(0)
    expect(await valuesIn(out)).toEqual(expect.arrayContaining(names))
  })
})
