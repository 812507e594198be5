import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

const run = (...more: readonly string[]): Promise<Ran> => world.run(['run', 'pipelines/nightly-paddocks.yaml', ...more])
const edit = (path: string, how: (text: string) => string): void =>
  writeFileSync(join(world.folder, path), how(readFileSync(join(world.folder, path), 'utf8')))
const rows = (how: (lines: readonly string[]) => readonly string[]): void =>
  edit('samples/rimu-farm/nightly.csv', (text) => {
    const [header, ...lines] = text.trimEnd().split(/\r?\n/)
    return `${[header, ...how(lines)].join('\n')}\n`
  })
const setting = (from: string, to: string): void =>
  edit('pipelines/nightly-paddocks.yaml', (text) => text.replace(from, to))
/** The line with other keys, as if the key column had changed. */
const rekeyed = (lines: readonly string[]): readonly string[] => lines.map((line) => `9${line}`)

describe('run --allow', () => {
  test.each<[rule: string, reason: string, spoil: () => void]>([
    ['fewer-rows', '12 fewer than the 22 known before', () => rows((lines) => lines.slice(0, 10))],
    [
      'deletes',
      '3 of 22 records are gone from the file and would be deleted',
      () => {
        setting('gone: keep', 'gone: delete')
        rows((lines) => lines.slice(3))
      },
    ],
    [
      'rejected',
      '22 rows are rejected',
      () => {
        setting('rules: {', 'rules: { other-reading: allow,')
        rows((lines) => lines.map((line) => line.replace(/\d{4}-\d\d-\d\d/, 'soon')))
      },
    ],
    [
      'replaced',
      '22 of the 22 known ones are missing',
      () => (setting('rules: {', 'rules: { duplicates: allow,'), rows(rekeyed)),
    ],
    [
      'values-changed',
      '22 of the 22 known',
      () => rows((lines) => lines.map((line, at) => line.replace(/;[^;]*;[^;]*;/, `;Block ${at};Barley;`))),
    ],
    [
      'other-reading',
      'The pipeline reads',
      () => {
        setting('rejected: stop above 2 %', 'rejected: allow')
        rows((lines) => lines.map((line) => line.replace(/(\d{4})-(\d\d)-(\d\d)/, '$3/$2/$1')))
      },
    ],
  ])('%s lets one run through, and the report names it', async (rule, reason, spoil) => {
    expect((await run()).exit).toBe(0)
    spoil()
    const stopped = await run()
    expect(stopped.exit).toBe(6)
    expect(stopped.out).toContain(reason)
    const allowed = await run('--allow', rule, '--json')
    expect([0, 3]).toContain(allowed.exit)
    const { problems } = JSON.parse(allowed.out) as {
      problems: { code: string; first: { message: string }[] }[]
    }
    const named = problems.filter(({ code }) => code === rule).flatMap(({ first }) => first)
    expect(named.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(new RegExp(`${reason}.*This run was let through with --allow ${rule}\\.$`)),
    )
  })

  test('lets a plan through, too, which is then applied', async () => {
    await run()
    rows((lines) => lines.slice(0, 10).map((line, at) => (at < 4 ? line.replace('Ryegrass', 'Lucerne') : line)))
    const allowed = await world.run(['plan', 'pipelines/nightly-paddocks.yaml', '--allow', 'fewer-rows'])
    expect(allowed.exit).toBe(0)
    expect(allowed.out).toContain('This run was let through with --allow fewer-rows.')
    const applied = await world.run(['apply', 'last', '--state', 'pipelines/.windrow'])
    expect(applied).toMatchObject({ exit: 0, out: expect.stringMatching(/[1-9] updated/) as string })
  })

  test('leaves the other rules on, and the pipeline as it is; the hint proposes to apply the run first', async () => {
    await run()
    const before = readFileSync(join(world.folder, 'pipelines/nightly-paddocks.yaml'), 'utf8')
    rows((lines) => lines.slice(0, 10))
    const other = await run('--allow', 'rejected')
    expect(other).toMatchObject({ exit: 6 })
    expect(other.out).toMatch(/Look at it: {2}windrow plan \S+.*send exactly this once: {2}windrow apply/)
    expect(other.out).not.toContain('--allow')
    expect((await run('--allow', 'fewer-rows', '--allow', 'rejected')).exit).toBe(0)
    expect(readFileSync(join(world.folder, 'pipelines/nightly-paddocks.yaml'), 'utf8')).toBe(before)
  })

  test('names the nearest rule when it does not know one, and is not for exports', async () => {
    expect((await run('--allow', 'fewer rows')).failure).toMatchObject({
      exit: 2,
      hint: 'Did you mean: --allow fewer-rows',
    })
    const exported = await world.run(['run', 'pipelines/spraying-last-month.yaml', '--allow', 'deletes'])
    expect(exported.failure).toMatchObject({ code: 'option-invalid' })
  })

  test('is not needed after a person applied the run: a smaller file is usual from then on', async () => {
    await run()
    rows((lines) => lines.slice(0, 15))
    const stopped = await run()
    expect(stopped.exit).toBe(6)
    const [, id] = /windrow plan (\S+)/.exec(stopped.out)!
    expect((await world.run(['apply', id!, '--state', 'pipelines/.windrow'])).exit).toBe(0)
    rows((lines) => lines.slice(0, 14))
    expect((await run()).exit).toBe(0)
  })

  test('a quarter of the farm that was sold is deleted by apply, and the next night is good', async () => {
    await run()
    setting('gone: keep', 'gone: delete')
    setting('rules: { deletes: stop above 5 % or 10, ', 'rules: { ')
    rows((lines) => lines.slice(6))
    const stopped = await run()
    expect(stopped).toMatchObject({ exit: 6, out: expect.stringContaining('6 of 22 records are gone') as string })
    const [, id] = /windrow plan (\S+)/.exec(stopped.out)!
    const applied = await world.run(['apply', id!, '--state', 'pipelines/.windrow'])
    expect(applied).toMatchObject({ exit: 0, out: expect.stringContaining('= 6 deleted + 0 kept') as string })
    expect(applied.out).toContain('A person accepted this with windrow apply.')
    expect((await run()).exit).toBe(0)
  })

  test('a file that shrinks by a tenth each night is found, because nobody accepted it', async () => {
    await run()
    const exits: number[] = []
    for (const left of [20, 18, 16]) {
      rows((lines) => lines.slice(0, left))
      exits.push((await run()).exit)
    }
    expect(exits).toEqual([0, 0, 6])
  })
})

describe('boundaries far from the farm', () => {
  const paddocks = (lon: number, prefix: string): string =>
    JSON.stringify({
      type: 'FeatureCollection',
      features: [0, 1, 2].map((each) => {
        const [west, south] = [lon + each / 100, -37.8]
        const ring = [
          [west, south],
          [west + 0.001, south],
          [west + 0.001, south + 0.001],
          [west, south + 0.001],
          [west, south],
        ]
        const geometry = { type: 'Polygon', coordinates: [ring] }
        return { type: 'Feature', properties: { ID: `${prefix}${each}`, Name: `Top ${prefix}${each}` }, geometry }
      }),
    })
  const write = (name: string, text: string): void => writeFileSync(join(world.folder, name), text)
  const farm = ['--holding', 'nz.example.farm-number:00412876', '--key', 'ID', '--zone', 'Pacific/Auckland']

  test('are imported only with --allow far, by import and plan', async () => {
    write('home.geojson', paddocks(175.3, 'A'))
    write('away.geojson', paddocks(176.6, 'B'))
    expect((await world.run(['import', 'home.geojson', ...farm])).exit).toBe(0)
    for (const command of ['plan', 'import']) {
      const stopped = await world.run([command, 'away.geojson', ...farm])
      expect(stopped.exit).toBe(6)
      expect(`${stopped.out}${stopped.err}`).toContain('Is this the right farm?')
      expect((await world.run([command, 'away.geojson', ...farm, '--allow', 'far'])).exit).toBe(0)
    }
  })

  test.each([[[]], [['--state', 'other']]])('have a warning if they are its first ones (%j)', async (state) => {
    write('away.geojson', paddocks(176.6, 'B'))
    const { exit, out, err } = await world.run(['import', 'away.geojson', ...farm, ...state])
    expect(exit).toBe(0)
    expect(`${out}${err}`).toMatch(
      /warning .*3 of 3 boundaries lie 114 km or more from .*holding 00412876.*: at -37\.80, 176\.60, not at -37\.79, 175\.31\. Is this the right farm\?/,
    )
  })

  test('are let through once with run --allow far, and the report names it', async () => {
    write('paddocks.geojson', paddocks(175.3, 'A'))
    const yaml = `windrow: 1
import: plots
from: { file: paddocks.geojson }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <ID>
record: { name: <Name> }
`
    write('away.yaml', yaml)
    expect((await world.run(['run', 'away.yaml'])).exit).toBe(0)
    write('paddocks.geojson', paddocks(176.6, 'A'))
    expect((await world.run(['run', 'away.yaml'])).exit).toBe(6)
    const { exit, out } = await world.run(['run', 'away.yaml', '--allow', 'far'])
    expect(exit).toBe(0)
    expect(out).toContain('This run was let through with --allow far.')
  })
})
