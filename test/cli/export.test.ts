/** Exports what is awkward: texts with odd characters, and records that come and go while they are read. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileSource } from '../../src/core/sources/source.ts'
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
  const options = ['--to', 'plots', ...holding, '--key', 'id']
  const { exit, err } = await world.run(['import', 'plots.geojson', ...options])
  expect(exit, err).toBe(0)
}

async function valuesIn(path: string): Promise<readonly unknown[]> {
  const { tables, close } = await openFile(await fileSource(join(world.folder, path)))
  const values: unknown[] = []
  for await (const batch of tables[0]!.batches()) for (const row of batch) values.push(...Object.values(row.values))
  await close()
  return values
}

describe('a record that is deleted while 1,500 are exported', () => {
  test.each([
    ['with the links of the service', (body: string) => body],
    ['with links that have offsets', (body: string) => body.replace(/after=[\d.]+/, 'offset=1000')],
  ])('leaves no other out, %s', async (_, changed) => {
    await publishPlots(Array.from({ length: 1_500 }, (_each, index) => `Plot ${index}`))
    const deletion = {
      resourceType: 'plotResource',
      dataPointKey: 'plots/nz.example.farm-number/00412876/P3',
      meta: { modified: '2026-11-20T00:00:00Z', isDeleted: true, sourceId: { scheme: 'nz.example.paddock', id: 'P3' } },
    }
    writeFileSync(join(world.folder, 'deletion.json'), JSON.stringify([deletion]))
    let pages = 0
    const fetch = async (input: Request): Promise<Response> => {
      const answer = await world.fetch(new Request(input))
      if (!input.url.includes('/plots/items')) return answer
      const body = changed(await answer.text())
      pages += 1
      if (pages === 1) {
        const { exit, out, err } = await world.run(['service', 'publish', 'plots', 'deletion.json'])
        expect(exit, out + err).toBe(0)
      }
      return new Response(body, answer)
    }
    const { exit, out } = await world.run(['export', 'plots', '-o', 'plots.csv'], {
      fetch: fetch as typeof globalThis.fetch,
    })
    expect(exit, out).toBe(0)
    const written = new Set(await valuesIn('plots.csv'))
    const missing = Array.from({ length: 1_500 }, (_each, index) => `Plot ${index}`).filter(
      (name) => !written.has(name),
    )
    expect(missing).toEqual([])
  })
})

test.each(['export', 'service changes'])(
  'features written by %s have the id of their record, once',
  async (command) => {
    await publishPlots(['Creek flat', 'Top paddock'])
    expect(await world.run([...command.split(' '), 'plots', '-o', 'written.geojson'])).toMatchObject({ exit: 0 })
    const { features } = JSON.parse(readFileSync(join(world.folder, 'written.geojson'), 'utf8')) as {
      readonly features: readonly { readonly id?: string; readonly properties: { readonly Id: string } }[]
    }
    expect(features).toHaveLength(2)
    for (const { id, properties } of features) expect(id).toBe(properties.Id)
    // It makes no second column when the file is read.
    const values = await valuesIn('written.geojson')
    for (const { id } of features) expect(values.filter((value) => value === id)).toHaveLength(1)
  },
)

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
    const out = `written.${ending}`
    const { exit, err } = await world.run([...command.split(' '), 'plots', '-o', out])
    expect(exit, err).toBe(0)
    expect(await valuesIn(out)).toEqual(expect.arrayContaining(names))
  })
})
