/** The ids that the service gave its records are never a key; ids that a farm program gave in the same form are. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

const holding = 'nz.example.farm-number:00412876'
let world: World
let ids: readonly string[]

beforeAll(async () => {
  world = startWorld()
  await world.publishFarms()
  await world.run(['import', 'samples/rimu-farm/Rimu paddocks FINAL v3.zip', '--holding', holding])
  await world.run(['export', 'plots', '-o', 'plots.geojson'])
  const { features } = JSON.parse(readFileSync(join(world.folder, 'plots.geojson'), 'utf8')) as {
    features: { id: string; properties: { Name: string } }[]
  }
  ids = features.map(({ id }) => id)
  const rows = features.map(({ id, properties }) => `${id},${properties.Name}`)
  writeFileSync(join(world.folder, 'ids.csv'), ['Id,Name', ...rows].join('\n'))
  writeFileSync(join(world.folder, 'ids.yaml'), pipeline('ids.csv', '<Id>', `{ Id: ${ids[0]}, Name: A }`))
})
afterAll(() => world.close())

function pipeline(file: string, key: string, row: string): string {
  return `windrow: 1
import: plots
from: { file: ${file} }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: ${key}
record: { name: <Name> }
examples: [{ row: ${row}, gives: {} }]
`
}

const withoutService = { HOME: '/nowhere', XDG_STATE_HOME: '/nowhere' }
const why = '<Id> contains ids that the service gave'

describe('the ids of the service as the key are refused', () => {
  test.each([
    ['import', ['import', 'ids.csv', '--to', 'plots', '--key', 'Id', '--holding', holding]],
    ['a dry run', ['import', 'ids.csv', '--to', 'plots', '--key', 'Id', '--holding', holding, '--dry-run']],
    ['init', ['init', 'ids.csv', '--to', 'plots', '--key', 'Id', '--holding', holding, '-o', 'never.yaml']],
    ['run', ['run', 'ids.yaml']],
    ['a dry run of a pipeline', ['run', 'ids.yaml', '--dry-run']],
    ['check', ['check', 'ids.yaml']],
  ])('by %s, with and without a service', async (_, words) => {
    for (const env of [
      world.env,
      { ...withoutService, HOME: world.folder, XDG_STATE_HOME: join(world.folder, 'no') },
    ]) {
      if (env !== world.env && words[0] === 'run' && !words.includes('--dry-run')) continue
      if (env !== world.env && words[0] === 'import' && !words.includes('--dry-run')) continue
      const { exit, out, err, failure } = await world.run(words, { env })
      const printed = [out, err, failure?.message, failure?.hint].join('\n')
      expect(exit, printed).toBe(2)
      expect(printed).toContain(why)
      expect(printed).toContain('publish every record a second time')
      expect(printed).toContain('your own')
    }
  })

  test('and never proposed', async () => {
    const imported = await world.run(['import', 'ids.csv', '--to', 'plots', '--holding', holding, '--dry-run'])
    expect(imported.exit).toBe(2)
    expect(imported.out).not.toContain('key                        <Id>')
    expect([imported.failure?.message, imported.out].join('\n')).toContain('<Id> contains ids that the service gave')
    const init = await world.run(['init', 'ids.csv', '--to', 'plots', '--holding', holding, '-o', 'proposed.yaml'])
    expect(init.out).not.toContain('key: <Id>')
  })

  test('so are whole source ids, with the key to write instead', async () => {
    await world.run(['export', 'plots', '-o', 'plots.csv'])
    const column = '<Source id (nz.example.farm-number.plots)>'
    writeFileSync(join(world.folder, 'source.yaml'), pipeline('plots.csv', column, '{ Name: A }'))
    for (const words of [
      ['check', 'source.yaml'],
      ['run', 'source.yaml', '--dry-run'],
      ['run', 'source.yaml'],
    ]) {
      const { exit, failure } = await world.run(words)
      expect(exit).toBe(2)
      const printed = [failure?.message, failure?.hint, JSON.stringify(failure?.data)].join('\n')
      expect(printed).toContain("contains the service's source ids")
      expect(printed).toContain('key: { source id:')
    }
  })
})

describe('the ids of a farm program are a key', () => {
  const own = ['6f1e1f0a-3c7b-4a39-9a53-1d9f0f3f7a01', '0d3a8f52-93c6-4a6d-b0a7-55a0e1f1c2b9']
  test.each([
    ['in a column with another name', 'Field ID', true],
    ['in a column called Id, which the service does not know', 'Id', true],
  ])('%s', async (_, header) => {
    const rows = own.map((id, index) => `${id},New ${index}`)
    writeFileSync(join(world.folder, 'own.csv'), [`${header},Field`, ...rows].join('\n'))
    const { exit, out, failure } = await world.run([
      'import',
      'own.csv',
      '--to',
      'plots',
      '--holding',
      holding,
      '--dry-run',
    ])
    expect(exit, failure?.message).toBe(0)
    expect(out).toContain(`<${header}>   2 of 2 filled, all different`)
    expect(out).toContain('2 would be created')
  })
})
