import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import type { Row } from '../../src/core/row.ts'
import { shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import { fileTarget } from '../../src/core/sources/target.ts'
import { formatForTarget } from '../../src/formats/index.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { collection, paddock } from '../pipeline/farm.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

const holding = ['--holding', 'nz.example.farm-number:00412876']

type Drawn = { readonly id: string; readonly name: string; readonly at: number }

/** Writes paddocks as a zip of a shapefile. */
async function writeZip(name: string, paddocks: readonly Drawn[]): Promise<void> {
  const rows = paddocks.map(({ id, name: title, at }, row): Row => {
    const { geometry } = paddock(at, {}) as { readonly geometry: object }
    const shape = shapeFromGeoJson(geometry)
    if (typeof shape === 'string') throw new Error(shape)
    return { at: { source: name, row }, values: { ID: id, NAME: title }, shape }
  })
  const target = await fileTarget(join(world.folder, name))
  const columns = [{ name: 'ID' }, { name: 'NAME' }]
  const table = {
    name: 'paddocks',
    columns,
    hasGeometry: true,
    async *rows() {
      await Promise.resolve()
      yield rows
    },
  }
  await formatForTarget(name).write!([table], target, {})
  await target.commit()
}

/** All plots of the service through GET, without the time of their last change. */
async function plots(): Promise<ReadonlyMap<string, string>> {
  const profile = {
    name: 'local',
    service: world.env['WINDROW_SERVICE']!,
    tokenUrl: world.env['WINDROW_TOKEN_URL']!,
    ...demoCredentials,
  }
  const fetch: typeof globalThis.fetch = async (input, init) => world.fetch(new Request(input, init))
  const deps = { fetch, clock: () => new Date(), sleep: () => Promise.resolve(), random: () => 0.5 }
  const found = new Map<string, string>()
  for await (const page of connectTo(profile, deps).features('plots'))
    for (const feature of page) {
      const text = JSON.stringify(feature, (name, value: unknown) => (name === 'modified' ? undefined : value))
      found.set(String(feature['id']), text)
    }
  return found
}

test('a wrong zip imported into a farm of 300 plots and undone: the service is as before, byte for byte', async () => {
  const farm = Array.from({ length: 300 }, (_, at) => ({ id: `P${at}`, name: `Paddock ${at}`, at }))
  await writeZip('farm.zip', farm)
  expect(await world.run(['import', 'farm.zip', ...holding, '--key', 'ID'])).toMatchObject({ exit: 0 })
  const before = await plots()
  expect(before.size).toBe(300)

  const moved = farm.slice(20).map(({ id, at }) => ({ id, name: `Wrong ${at}`, at: at + 400 }))
  const added = Array.from({ length: 40 }, (_, at) => ({ id: `N${at}`, name: `New ${at}`, at: at + 800 }))
  await writeZip('wrong.zip', [...moved, ...added])
  expect(await world.run(['import', 'wrong.zip', ...holding, '--key', 'ID'])).toMatchObject({ exit: 6 })
  expect(await plots()).toEqual(before)
  const allowed = ['far', 'other-land', 'values-changed'].flatMap((rule) => ['--allow', rule])
  const wrong = await world.run(['import', 'wrong.zip', ...holding, '--key', 'ID', ...allowed])
  expect(wrong.out).toContain('40 created + 280 updated')
  expect((await plots()).size).toBe(340)

  const undone = await world.run(['undo', 'last', '--yes'])
  expect(undone).toMatchObject({ exit: 0 })
  expect(undone.out).toContain('280 to put back as before the run')
  expect(undone.out).toContain('320 to undo = 280 put back + 40 deleted + 0 restored + 0 failed')
  expect(await plots()).toEqual(before)

  // The farm's own import knows its records again.
  const again = await world.run(['import', 'farm.zip', ...holding, '--key', 'ID'])
  expect(again.out).toContain('300 read = 0 ready + 300 unchanged')
})

describe('before it undoes anything', () => {
  beforeEach(async () => {
    const names = (of: string) => [0, 1, 2].map((at) => paddock(at, { ID: `P${at}`, NAME: `${of} ${at}` }))
    writeFileSync(join(world.folder, 'farm.geojson'), collection(names('Right')))
    await world.run(['import', 'farm.geojson', ...holding, '--key', 'ID'])
    const wrong = [...names('Wrong').slice(1), paddock(7, { ID: 'P7', NAME: 'New' })]
    writeFileSync(join(world.folder, 'wrong.geojson'), collection(wrong))
    await world.run(['import', 'wrong.geojson', ...holding, '--key', 'ID'])
  })

  const names = async (): Promise<readonly string[]> =>
    [...(await plots()).values()].map((text) => /"name":"(\w+ ?\d?)"/.exec(text)![1]!).toSorted()
  const wrongNames = ['New', 'Right 0', 'Wrong 1', 'Wrong 2']

  test('shows a plan, and stops where nobody can be asked', async () => {
    const { exit, out, failure } = await world.run(['undo', 'last'])
    expect([exit, failure?.code]).toEqual([2, 'option-invalid'])
    expect(failure?.hint).toContain('--yes')
    expect(out).toMatch(/2 to put back as before the run\n {4}P1 {2}Wrong 1\n {4}P2 {2}Wrong 2\n/)
    expect(out).toMatch(/1 to delete, because the run created them\n {4}P7 {2}New\n/)
    expect(await names()).toEqual(wrongNames)
  })

  test.each([
    ['n', 'Nothing was changed.', wrongNames],
    ['', 'Nothing was changed.', wrongNames],
    ['y', 'Undone in', ['Right 0', 'Right 1', 'Right 2']],
  ])('asks in a terminal; the answer is "%s"', async (answer, words, left) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.end(`${answer}\n`)
    const { exit, out, err } = await world.run(['undo', 'last'], { stdin })
    expect(exit).toBe(0)
    expect(err).toContain('Undo these 3 changes? Type y or n: ')
    expect(out).toContain(words)
    expect(await names()).toEqual(left)
  })

  test('with --dry-run it only shows the plan, also as JSON', async () => {
    expect(await world.run(['undo', 'last', '--dry-run'])).toMatchObject({ exit: 0 })
    const { out } = await world.run(['undo', 'last', '--dry-run', '--json'])
    expect(JSON.parse(out)).toMatchObject({ windrow: 'undo', counts: { 'put-back': 2, delete: 1, restore: 0 } })
    expect(await names()).toEqual(wrongNames)
  })

  test('"last" is the last import even after its undo: the second time there is nothing to do', async () => {
    await world.run(['undo', 'last', '--yes'])
    const { exit, out } = await world.run(['undo', 'last', '--yes'])
    expect(exit).toBe(0)
    expect(out).toContain('Nothing to do: the run is undone already.')
    expect(await names()).toEqual(['Right 0', 'Right 1', 'Right 2'])
  })

  test('the undo names the command that takes it back', async () => {
    const { out } = await world.run(['undo', 'last', '--yes'])
    const back = /To take the undo back: windrow (undo \S+)/.exec(out)![1]!
    expect(await world.run([...back.split(' '), '--yes'])).toMatchObject({ exit: 0 })
    expect(await names()).toEqual(wrongNames)
  })

  test.each([
    ['undo', 'no-such-run', 'There is no run "no-such-run" in'],
    ['undo', '20', 'Several runs begin with "20"'],
    ['retry', 'last', 'There is no run with rejected rows in'],
    ['runs', 'no-such-run', 'There is no run "no-such-run" in'],
  ])('an unknown or unclear run is refused: %s %s', async (command, run, message) => {
    const { exit, failure } = await world.run([command, run])
    expect([exit, failure?.code]).toEqual([2, 'run-unknown'])
    expect(failure?.message).toContain(message)
  })
})
