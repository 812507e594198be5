import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Call } from '../../src/cli/options/command.ts'
import { settingsOf } from '../../src/cli/options/settings.ts'
import { WindrowError } from '../../src/core/error.ts'
import { startWorld } from './world.ts'

function callOf(options: Call['options']): Call {
  return {
    words: { file: ['a.csv'], what: ['plots'] },
    options,
    stdin: Readable.from([]),
    terminal: { out: new PassThrough(), err: new PassThrough() },
    env: {},
    platform: 'linux',
    folder: '/',
    clock: () => new Date(0),
    sleep: () => Promise.resolve(),
    fetch,
    random: () => 0,
    signal: new AbortController().signal,
  }
}

const importing = (options: Call['options']) => settingsOf(callOf(options), 'import')

test('short options and --set fill one object in the form of a pipeline', async () => {
  expect(
    await importing({
      to: 'holdings',
      key: ['A', 'B'],
      layer: '2',
      only: ['St.Status=Active', 'St.Status=New', 'Block=[1, "2, b"]'],
      set: ['geometry.repair=up to 2 %', 'from.header=3', 'from.delimiter=;', 'from.hidden=true', 'from.quote="'],
    }),
  ).toEqual({
    import: 'holdings',
    key: ['A', 'B'],
    from: { layer: '2', header: 3, delimiter: ';', hidden: true, quote: '"' },
    only: { 'St.Status': ['Active', 'New'], Block: [1, '2, b'] },
    geometry: { repair: 'up to 2 %' },
  })
  expect(await settingsOf(callOf({ holding: 'Rimu: 7 #2', crs: 'EPSG:2193' }), 'export')).toEqual({
    export: 'plots',
    only: { holding: 'Rimu: 7 #2' },
    to: { crs: 'EPSG:2193' },
  })
})

describe('a setting that no pipeline has is refused', () => {
  test.each([
    ['geometry.repare=1 %', 'Did you mean "repair"'],
    ['geometry.repair=much', 'not a limit for repairs'],
    ['from.header=0', 'such as 2-3'],
    ['dates=xx', 'xx'],
    ['from=csv', 'from'],
    ['from.file=b.csv', 'belongs in a pipeline file'],
    ['schedule.at=2', 'belongs in a pipeline file'],
    ['repair', 'KEY=VALUE'],
    ['holding.id=7', 'scheme'],
  ])('--set %s', async (set, why) => {
    const failure = await importing({ set: [set] }).catch((cause: unknown) => cause as WindrowError)
    expect(failure).toBeInstanceOf(WindrowError)
    expect([
      (failure as WindrowError).exit,
      `${(failure as WindrowError).message} ${(failure as WindrowError).hint}`,
    ]).toEqual([2, expect.stringContaining(why)])
  })
})

test('run takes a setting for one run, reports it, and names the key of a wrong one', async () => {
  const world = startWorld()
  try {
    await world.publishFarms()
    const words = ['run', 'pipelines/onboard-paddocks.yaml', '--dry-run', '--json', '--set']
    const { out } = await world.run([...words, 'record.name=Everywhere'])
    const { choices } = JSON.parse(out) as { readonly choices: readonly object[] }
    expect(choices).toContainEqual(
      expect.objectContaining({ setting: 'record.name', value: 'Everywhere', evidence: 'set for this run' }),
    )
    const { failure } = await world.run([...words, 'geometry.repare=1 %'])
    expect(failure?.message).toContain('geometry.repare  ')
    expect(failure?.message).toContain('Did you mean "repair"')
  } finally {
    world.close()
  }
})

test('run takes a setting of an export, and reports it', async () => {
  const world = startWorld()
  try {
    await world.publishFarms()
    writeFileSync(join(world.folder, 'farms.yaml'), 'windrow: 1\nexport: holdings\nto: { file: farms.csv }\n')
    const { out } = await world.run(['run', 'farms.yaml', '--set', 'to.columns=[Name]'])
    expect(out).toContain('Set for this run: to.columns: ["Name"]')
    expect(readFileSync(join(world.folder, 'farms.csv'), 'utf8')).toMatch(/^\uFEFF?Name\r?\n/)
  } finally {
    world.close()
  }
})
