import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { root } from '../imports.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
  writeFileSync(
    join(world.folder, 'north.orc'),
    'ORCHARD 1\nTop;12;175.10 -38.10, 175.10 -38.09, 175.11 -38.10, 175.10 -38.10\nFlat;9;175.2 -38.1,175.2 -38,175.3 -38,175.2 -38.1\n',
  )
})
afterEach(() => world.close())

const module = ['--format-module', join(root, 'test/fixtures/formats/orchard.js')]
const holding = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']

describe('--format-module', () => {
  test('lets inspect, init, check, run and import read a format of your own', async () => {
    await world.publishFarms()
    const before = await world.run(['inspect', 'north.orc'])
    expect(before.failure?.code).toBe('format-unknown')
    const inspected = await world.run(['inspect', 'north.orc', ...module])
    expect(inspected.out).toContain('Orchard plan (.orc)')
    const made = await world.run(['init', 'north.orc', ...module, ...holding, '-o', 'north.yaml'])
    expect(made.failure).toBeUndefined()
    const path = join(world.folder, 'north.yaml')
    writeFileSync(path, readFileSync(path, 'utf8').replace('file: north.orc', 'file: north.orc\n  rowWidth: 6'))
    expect((await world.run(['check', 'north.yaml'])).failure?.code).toBe('pipeline-invalid')
    expect((await world.run(['check', 'north.yaml', ...module])).exit).toBe(0)
    const ran = await world.run(['run', 'north.yaml', ...module, '--dry-run'])
    expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining('2 read = 2 ready')])
    const imported = await world.run(['import', 'north.orc', ...module, ...holding, '--key', 'name', '--dry-run'])
    expect([imported.exit, imported.out]).toEqual([0, expect.stringContaining('2 read = 2 ready')])
  })

  test('accepts a default export, and its format can also write', async () => {
    const source = `export default {
      name: 'lines', title: 'Lines', extensions: ['.lines'],
      options: { type: 'object', properties: {}, additionalProperties: false },
      recognise: () => false,
      async write(tables, target) {
        let rows = 0
        for await (const batch of tables[0].rows())
          for (const { values } of batch) { await target.write(values.name + '\\n'); rows += 1 }
        return { path: target.path, bytes: target.position, rows: { [tables[0].name]: rows }, notes: [] }
      },
    }`
    writeFileSync(join(world.folder, 'lines.mjs'), source)
    writeFileSync(
      join(world.folder, 'out.yaml'),
      'windrow: 1\nexport: plots\nto: { file: plots.lines, empty: allow }\n',
    )
    expect((await world.run(['run', 'out.yaml'])).failure?.code).toBe('format-cannot-write')
    expect((await world.run(['run', 'out.yaml', '--format-module', 'lines.mjs'])).failure).toBeUndefined()
  })

  test.each([
    ['does not exist', undefined, 'file-missing', 'was not found'],
    ['cannot be loaded', 'export const = 1', 'format-failed', 'cannot be loaded'],
    ['throws', 'throw new Error("boom")', 'format-failed', 'cannot be loaded. Error: boom'],
    ['exports nothing', 'export const other = 1', 'format-failed', 'exports no format'],
    ['exports something else', 'export const format = { name: "x" }', 'format-failed', 'it lacks title'],
  ])('that %s is reported by its name', async (name, text, code, said) => {
    const file = `${name.replaceAll(' ', '-')}.mjs`
    if (text !== undefined) writeFileSync(join(world.folder, file), text)
    const { failure, exit } = await world.run(['inspect', 'north.orc', '--format-module', file])
    expect([failure?.code, exit, failure?.message]).toEqual([code, 2, expect.stringContaining(said)])
    expect(failure?.message).toContain(file)
  })
})
