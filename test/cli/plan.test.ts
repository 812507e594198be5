import fs, { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { changesSchema } from '../../src/pipeline/report/changes-schema.ts'
import { checkAgainst } from '../../src/resources/validation.ts'
import { collection, paddock } from '../pipeline/farm.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

const rimu = 'nz.example.farm-number:00412876'
const write = (name: string, text: string): void => writeFileSync(join(world.folder, name), text)
const nowhere = () => ({
  env: { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: join(world.folder, 's') },
})
const pipeline = (more = ''): string =>
  `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <ID>
record:
  name: <NAME>
  crops: [{ name: <CROP>, variety: <VARIETY>, establishmentDate: { from: SOWN, date: yyyy-MM-dd, zone: Pacific/Auckland } }]
blank: clear
gone: delete
rules: { deletes: stop above 50 % }
${more}`

type Paddock = { readonly NAME?: string; readonly CROP?: string; readonly VARIETY?: string; readonly SOWN?: string }
const sown = '2026-04-05'
const feature = (
  number: number,
  { NAME = `Paddock ${number}`, CROP = 'Maize', VARIETY = 'Pioneer 9127', SOWN = sown }: Paddock,
) => paddock(number, { ID: `P${number}`, NAME, CROP, VARIETY, SOWN })

/** The same paddock, a fifth wider. */
function wider(made: object): object {
  const text = JSON.stringify(made)
  const east = Math.max(...[...text.matchAll(/\[(17\d\.\d+),/g)].map(([, x]) => Number(x)))
  return JSON.parse(text.replaceAll(`[${east},`, `[${Number((east + 0.0002).toFixed(7))},`)) as object
}

const before = (): string => collection([1, 2, 3, 4, 5, 6].map((number) => feature(number, {})))
/** Two new, three changed, one unchanged, one gone (5), one that cannot be read. */
const after = (): string =>
  collection([
    wider(feature(1, {})),
    feature(2, { CROP: 'Lucerne' }),
    feature(3, { VARIETY: '' }),
    feature(4, {}),
    feature(6, { SOWN: '31.02.2026' }),
    feature(7, { NAME: 'Kererū' }),
    feature(8, { NAME: 'Top of the hill behind the old woolshed' }),
  ])

async function farmBefore(): Promise<void> {
  write('map.geojson', before())
  write('paddocks.yaml', pipeline())
  expect(await world.run(['run', 'paddocks.yaml'])).toMatchObject({ exit: 0 })
  write('map.geojson', after())
}

const wide = (columns: number) => {
  const written = { out: '', err: '' }
  const terminal = {
    out: { write: (text: string) => (written.out += text), columns },
    err: { write: (text: string) => (written.err += text), columns },
  }
  return { written, terminal }
}

/** Every plot of the service by its key. */
async function plots(): Promise<ReadonlyMap<string, Plot>> {
  const { out } = await world.run(['service', 'changes', 'plots', '--json'])
  const items = out.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { items: Plot[] }).items))
  return new Map(items.map((each) => [each.dataPointKey, each]))
}
type Plot = {
  readonly dataPointKey: string
  readonly name?: string
  readonly identifiers?: readonly object[]
  readonly meta: { readonly isDeleted?: boolean; readonly modified: string }
}

const keyOf = (id: string): string => `plots/nz.example.farm-number/00412876/${id}`

/** Publishes a plot as another program would, with a later time of change. */
async function changeElsewhere(id: string, name: string, more: object = {}): Promise<void> {
  const held = await plots()
  const known = held.get(keyOf(id))
  const modified = new Date(Date.now() + 60_000).toISOString()
  const body = {
    resourceType: 'plotResource',
    dataPointKey: keyOf(id),
    identifiers: held.get(keyOf('P1'))!.identifiers,
    ...known,
    name,
    meta: {
      sourceId: { scheme: 'nz.example.farm-number.plots', id: `00412876/${id}` },
      ...known?.meta,
      modified,
      ...more,
    },
  }
  write('elsewhere.json', JSON.stringify([body]))
  const sent = await world.run(['service', 'publish', 'plots', 'elsewhere.json'])
  if (sent.exit !== 0) throw sent.failure ?? new Error(sent.out + sent.err)
}

/** Expects that the last run cannot be applied, and why. */
async function expectUnusable(words: string): Promise<void> {
  const { exit, failure } = await world.run(['apply', lastRun()])
  expect(exit).toBe(2)
  expect(failure).toMatchObject({ code: 'plan-unusable', message: expect.stringContaining(words) as string })
}

const parsed = ({ out }: Ran): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>
const lastRun = (): string => {
  const runs = readdirSync(join(world.folder, '.windrow/runs')).sort((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  )
  return runs.at(-1)!
}
const lastReport = (): unknown =>
  JSON.parse(readFileSync(join(world.folder, '.windrow/runs', lastRun(), 'report.json'), 'utf8'))

describe('a plan', () => {
  beforeEach(farmBefore)

  test('shows each difference in a table of the terminal’s width, and sends nothing', async () => {
    const held = await plots()
    const { written, terminal } = wide(80)
    expect(await world.run(['plan', 'paddocks.yaml'], { terminal })).toMatchObject({ exit: 3, failure: undefined })
    const lines = written.out.split('\n')
    const table = lines.slice(
      lines.findIndex((line) => line.includes('to create')),
      lines.findIndex((line) => line.includes('needs you')),
    )
    expect(table.join('\n').trim()).toBe(
      `2 to create
    P7  Kererū
    P8  Top of the hill behind the old woolshed

  3 to update
    P1  Paddock 1  Boundary        1\u202f955 m² moved (0.98 ha → 1.17 ha)
    P2  Paddock 2  Crop 1          Maize → Lucerne
    P3  Paddock 3  Crop 1 variety  Pioneer 9127 → cleared

  1 to delete
    P5  Paddock 5

  1 unchanged`,
    )
    expect(written.out).toContain('records   5 ready = 2 would be created + 3 would be updated')
    expect(written.out).toContain(`To send exactly this: windrow apply ${lastRun()}`)
    expect(lines.filter((line) => /^ {4}P/.test(line) && line.length > 80)).toEqual([])
    expect(await plots()).toEqual(held)
  })

  test('as JSON matches its schema, with the titles of an export and square metres', async () => {
    const ran = await world.run(['plan', 'paddocks.yaml', '--json'])
    const plan = parsed(ran)
    expect(checkAgainst(changesSchema, plan)).toEqual([])
    const key = keyOf
    expect(plan).toMatchObject({
      windrow: 'changes',
      version: 1,
      outcome: 'dry-run',
      exit: 3,
      counts: { created: 2, updated: 3, deleted: 1, kept: 0, rejected: 1, unchanged: 1 },
      changes: [
        { kind: 'created', key: key('P7'), id: 'P7', name: 'Kererū' },
        { kind: 'created', id: 'P8' },
        { kind: 'updated', id: 'P1', fields: [] },
        { kind: 'updated', id: 'P2', fields: [{ field: 'Crop 1 name', before: 'Maize', after: 'Lucerne' }] },
        { kind: 'updated', id: 'P3', fields: [{ field: 'Crop 1 variety', before: 'Pioneer 9127' }] },
        { kind: 'deleted', id: 'P5', name: 'Paddock 5' },
        { kind: 'rejected', row: 4, id: 'P6', code: 'date-unclear' },
        { kind: 'unchanged', id: 'P4' },
      ],
    })
    const [, , { boundary }] = plan['changes'] as [unknown, unknown, { boundary: Record<string, number> }]
    // A fifth of the paddock is added, and nothing is lost.
    expect(boundary['movedM2']).toBeCloseTo(boundary['afterM2']! - boundary['beforeM2']!, 0)
    expect(boundary['movedM2']! / boundary['beforeM2']!).toBeCloseTo(0.2, 2)
  })

  test('shows a filled blank, a new and a removed boundary, and the first 20 of each kind', async () => {
    const many = Array.from({ length: 30 }, (_, index) => feature(100 + index, {}))
    const rest = [3, 4, 5, 6].map((number) => feature(number, {}))
    const { geometry: _, ...bare } = feature(2, {}) as { geometry: object }
    write('map.geojson', collection([feature(1, { VARIETY: '' }), { ...bare, geometry: null }, ...rest, ...many]))
    await world.run(['run', 'paddocks.yaml'])
    write(
      'map.geojson',
      collection([{ ...feature(1, {}), geometry: null }, feature(2, {}), ...rest, ...many.map((each) => wider(each))]),
    )
    const { out } = await world.run(['plan', 'paddocks.yaml'])
    expect(out).toContain('Crop 1 variety  blank → Pioneer 9127')
    expect(out).toMatch(/P1 +Paddock 1 +Boundary +9.775 m² → removed/)
    expect(out).toMatch(/P2 +Paddock 2 +Boundary +blank → 9.775 m²/)
    expect(out).toContain('    and 12 more (see the page)')
    expect(out).not.toContain('P119')
  })

  test('cannot be made of an export, or applied when it came from standard input', async () => {
    write('out.yaml', 'windrow: 1\nexport: plots\nto: { file: plots.csv }\n')
    expect((await world.run(['plan', 'out.yaml'])).failure?.message).toContain('"out.yaml" is an export')
    const words = ['plan', '-', '--to', 'plots', '--set', 'from.format=csv', '--holding', rimu, '--key', 'No']
    const { out } = await world.run(words, { typed: 'No,Name\n901,Top\n902,Low\n' })
    expect(out).toContain('This plan cannot be applied: standard input cannot be read again.')
    expect(readFileSync(join(world.folder, '.windrow/runs', lastRun(), 'report.html'), 'utf8')).not.toContain('apply')
  })

  test('says where there is nothing to send, unless it takes records over', async () => {
    await world.run(['run', 'paddocks.yaml'])
    const { out } = await world.run(['plan', 'paddocks.yaml'])
    expect(out).toMatch(/\nThere is nothing to send\.\n$/)
    expect(lastReport()).not.toHaveProperty('apply')
    const taking = await world.run(['plan', 'paddocks.yaml', '--take-over'])
    expect(taking.out).toContain(`To send exactly this: windrow apply ${lastRun()}`)
  })

  test('refuses options that would have no effect', async () => {
    for (const [words, message] of [
      [['paddocks.yaml', '--key', 'ID'], '--key is for files, not for a pipeline.'],
      [['map.geojson', '--take-over'], '--take-over is for pipelines, not for a file.'],
    ] as const)
      expect((await world.run(['plan', ...words])).failure).toMatchObject({ code: 'option-invalid', message })
  })
})

describe('apply', () => {
  beforeEach(farmBefore)

  test('sends exactly the plan, as a real run with a report in the same folder; a second time it sends nothing', async () => {
    await world.run(['plan', 'paddocks.yaml'])
    const id = lastRun()
    const applied = await world.run(['apply', 'last', '--json'])
    const counts = {
      exit: 3,
      run: id,
      outcome: 'done',
      rows: { read: 7, ready: 5, unchanged: 1, rejected: 1, skipped: 0 },
      records: { ready: 5, created: 2, updated: 3, refused: 0, unsent: 0, unchanged: 1 },
      gone: { gone: 1, deleted: 1, kept: 0 },
      accepted: 6,
      unseen: 0,
    }
    expect(applied.exit).toBe(3)
    expect(parsed(applied)).toMatchObject(counts)
    expect(lastReport()).toMatchObject({ ...counts, applied: expect.any(String) as string })
    const held = await plots()
    expect(held.get(keyOf('P2'))).toMatchObject({ crops: [{ name: 'Lucerne' }] })
    expect(held.get(keyOf('P5'))?.meta.isDeleted).toBe(true)

    const again = await world.run(['apply', id])
    expect(again).toMatchObject({ exit: 0, out: expect.stringContaining('Nothing was sent again.') as string })
    expect(again.out).toMatch(/was applied at \d{4}-\d\d-\d\d \d\d:\d\d \(.+\)/)
    expect(await plots()).toEqual(held)
    write('map.geojson', after().replace('31.02.2026', sown))
    expect(parsed(await world.run(['run', 'paddocks.yaml', '--json']))).toMatchObject({
      exit: 0,
      rows: { unchanged: 7 },
      records: { ready: 0, unchanged: 7 },
    })
  })

  test.each([
    ['the file', () => write('map.geojson', before()), 'the file "map.geojson" has changed'],
    [
      'the file’s name',
      () => write('paddocks.yaml', pipeline().replace('map.geojson', 'other.geojson')),
      'the pipeline "paddocks.yaml" has changed',
    ],
    [
      'the pipeline',
      () => write('paddocks.yaml', pipeline('only: { ID: [P1] }')),
      'the pipeline "paddocks.yaml" has changed',
    ],
    ['the file’s place', () => rmSync(join(world.folder, 'map.geojson')), 'the file "map.geojson" is no longer there'],
    [
      'the pipeline’s place',
      () => rmSync(join(world.folder, 'paddocks.yaml')),
      'the pipeline "paddocks.yaml" is no longer there',
    ],
    [
      'a record to update',
      () => changeElsewhere('P2', 'Hill'),
      '1 record has changed in the service: "P2" was changed',
    ],
    [
      'an unchanged record',
      () => changeElsewhere('P4', 'Hill'),
      '1 record has changed in the service: "P4" was changed',
    ],
    [
      'a record to delete',
      () => changeElsewhere('P5', 'Hill'),
      '1 record has changed in the service: "P5" was changed',
    ],
    [
      'whose a record to delete is',
      async () => void (await world.run(['ledger', 'forget', 'paddocks', '--record', 'P5', '--yes'])),
      '1 record has changed in the service: "P5" is no longer the record of this pipeline',
    ],
    [
      'a deleted record',
      () => changeElsewhere('P1', 'Hill', { isDeleted: true }),
      '1 record has changed in the service: "P1" was deleted',
    ],
    [
      'a record that is there now',
      () => changeElsewhere('P7', 'Hill'),
      '1 record has changed in the service: "P7" now exists',
    ],
  ])('stops where somebody has changed %s', async (_, change, words) => {
    await world.run(['plan', 'paddocks.yaml'])
    await Promise.resolve(change())
    const held = await plots()
    const { exit, failure } = await world.run(['apply', 'last'])
    expect(exit).toBe(6)
    expect(failure).toMatchObject({ code: 'plan-outdated', message: expect.stringContaining(words) as string })
    expect(failure!.message).toContain('Nothing was sent.')
    expect(await plots()).toEqual(held)
    expect(lastReport()).toMatchObject({ outcome: 'dry-run' })
  })

  test('stops where another run of the pipeline has added a record', async () => {
    await world.run(['plan', 'paddocks.yaml'])
    write('map.geojson', collection([...JSON.parse(before()).features, feature(9, {})] as object[]))
    await world.run(['run', 'paddocks.yaml'])
    write('map.geojson', after())
    expect((await world.run(['apply', 'last'])).failure).toMatchObject({ code: 'plan-outdated' })
  })

  test('continues a plan that was interrupted while it was sent, and doubles nothing', async () => {
    await world.run(['plan', 'paddocks.yaml'])
    const id = lastRun()
    let isLost = true
    const lossy: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      const isPost = request.method === 'POST' && request.url.endsWith('/resources')
      const answer = await world.fetch(request)
      // The service stores the batch, but its answer is lost.
      if (isPost && isLost) throw new TypeError('fetch failed')
      return answer
    }
    const first = await world.run(['apply', 'last', '--json'], { fetch: lossy })
    expect(first.exit).toBe(4)
    expect(parsed(first)).toMatchObject({ run: id, outcome: 'stopped', records: { unsent: 5 } })
    isLost = false
    const second = parsed(await world.run(['apply', 'last', '--json']))
    expect(second).toMatchObject({ run: id, outcome: 'done', exit: 3, records: { created: 2, updated: 3, unsent: 0 } })
    expect([...(await plots()).values()].filter(({ meta }) => meta.isDeleted !== true)).toHaveLength(7)
    expect(await world.run(['apply', id])).toMatchObject({ exit: 0 })
  })

  test('that was stopped keeps its report when the pipeline runs again, and is then not applied again', async () => {
    await world.run(['plan', 'paddocks.yaml'])
    const id = lastRun()
    const down: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      return request.method === 'POST' && request.url.endsWith('/resources')
        ? Promise.reject(new TypeError('fetch failed'))
        : world.fetch(request)
    }
    expect(await world.run(['apply', 'last'], { fetch: down })).toMatchObject({ exit: 4 })
    const next = parsed(await world.run(['run', 'paddocks.yaml', '--json']))
    expect(next).toMatchObject({ outcome: 'done', records: { created: 2, updated: 3 }, gone: { deleted: 1 } })
    expect(await world.run(['apply', id])).toMatchObject({ exit: 0 })
    const kept = parsed(await world.run(['runs', id, '--json']))
    expect(kept).toMatchObject({ outcome: 'stopped', exit: 4, error: { code: 'service-unreachable' } })
  })

  test('of which a part was sent before the file changed says so', async () => {
    await world.run(['plan', 'paddocks.yaml'])
    const down: typeof fetch = async (input, init) => {
      const answer = await world.fetch(new Request(input, init))
      if (new URL(answer.url || String(input instanceof Request ? input.url : input)).pathname.endsWith('/resources'))
        throw new TypeError('fetch failed')
      return answer
    }
    expect(await world.run(['apply', 'last'], { fetch: down })).toMatchObject({ exit: 4 })
    write('map.geojson', before())
    expect((await world.run(['apply', 'last'])).failure).toMatchObject({
      code: 'plan-outdated',
      message: expect.stringContaining('A part of it was sent before; nothing more was sent.') as string,
    })
  })

  test('sends a plan that a rule stopped: a person saw it', async () => {
    write('map.geojson', collection([feature(1, { CROP: 'Lucerne' })]))
    const plan = await world.run(['plan', 'paddocks.yaml'])
    expect(plan.exit).toBe(6)
    expect(plan.out).toMatch(/1 to update\n +P1 +Paddock 1 +Crop 1 +Maize → Lucerne/)
    expect(plan.out).toMatch(/5 to delete\n +P2 +Paddock 2/)
    expect(plan.out).toContain('5 of 6 records are gone from the file')
    expect(await world.run(['apply', 'last'])).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/5 deleted/) as string,
    })
  })

  test('sends a run that a rule stopped, which plan shows again, once', async () => {
    write('map.geojson', collection([feature(1, { CROP: 'Lucerne' })]))
    const stopped = await world.run(['run', 'paddocks.yaml'])
    expect(stopped.exit).toBe(6)
    const [, id] = /windrow plan (\S+)/.exec(stopped.out)!
    expect(stopped.out).toContain(`send exactly this once:  windrow apply ${id}`)
    const shown = await world.run(['plan', id!])
    expect(shown).toMatchObject({ exit: 6, out: expect.stringMatching(/5 to delete\n +P2 +Paddock 2/) as string })
    const applied = await world.run(['apply', id!])
    expect(applied).toMatchObject({
      exit: 0,
      out: expect.stringContaining('accepted this with windrow apply') as string,
    })
    expect(applied.out).toMatch(/5 deleted/)
    expect((await world.run(['apply', id!])).out).toContain('Nothing was sent again.')
    expect(await world.run(['run', 'paddocks.yaml'])).toMatchObject({ exit: 0 })
  })

  test('refuses a plan that was made without a connection', async () => {
    const { out } = await world.run(['plan', 'paddocks.yaml'], nowhere())
    expect(out).toContain('This plan cannot be applied: no service is connected.')
    await expectUnusable('it was made without a connection to the service')
  })

  test('refuses a plan without a key, a run that was no plan, and one that is not there', async () => {
    write('plots.csv', 'Name,Crop\nTop,Kale\nTop,Rape\n')
    const plan = await world.run(['plan', 'plots.csv', '--holding', rimu])
    expect(plan).toMatchObject({ exit: 2, out: expect.stringContaining('This plan cannot be applied') as string })
    expect((await world.run(['apply', 'last'])).failure).toMatchObject({
      code: 'plan-unusable',
      message: expect.stringContaining('key: Which column is the id') as string,
    })
    expect((await world.run(['apply', lastRun()])).failure).toMatchObject({
      code: 'plan-unusable',
      message: expect.stringContaining('it is no plan') as string,
    })
    expect((await world.run(['apply', 'no-such-run'])).failure).toMatchObject({ code: 'run-unknown' })
  })

  test('checks the rights again, and leaves the plan as it is', async () => {
    await world.run(['plan', 'paddocks.yaml'])
    const held = await plots()
    const without: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      return new URL(request.url).pathname.endsWith('/control')
        ? Promise.resolve(Response.json([]))
        : world.fetch(request)
    }
    expect(await world.run(['apply', 'last'], { fetch: without })).toMatchObject({
      exit: 5,
      failure: { code: 'rights-missing' },
    })
    expect(await plots()).toEqual(held)
    expect(await world.run(['apply', 'last'])).toMatchObject({ exit: 3 })
  })

  test('refuses a plan of another account', async () => {
    await world.run(['plan', 'paddocks.yaml'])
    const env = { ...world.env, WINDROW_SERVICE: 'http://127.0.0.1:8081' }
    const { failure } = await world.run(['apply', 'last'], { env })
    expect(failure).toMatchObject({
      code: 'plan-unusable',
      message: expect.stringContaining('another service') as string,
    })
  })
})

test('a plan of a file is applied with the decisions that it showed', async () => {
  write('us.csv', 'Field ID,Name,Crop,Planted\nA1,North,Oats,4/5/2026\nA2,South,Oats,5/6/2026\n')
  const words = ['us.csv', '--holding', rimu, '--key', 'Field ID', '--zone', 'Pacific/Auckland', '--dates', 'M/d/yyyy']
  const plan = await world.run(['plan', ...words])
  expect(plan).toMatchObject({ exit: 0, out: expect.stringContaining('2 to create') as string })
  const [, command] = /To send exactly this: windrow (.*)/.exec(plan.out)!
  expect(parsed(await world.run([...command!.split(' '), '--json']))).toMatchObject({
    exit: 0,
    outcome: 'done',
    records: { created: 2 },
    unseen: 0,
  })
  const south = [...(await plots()).values()].find(({ name }) => name === 'South')
  expect(JSON.stringify(south)).toContain('2026-05-06')
  write('us.csv', 'Field ID,Name\n')
  expect(await world.run(['apply', 'last'])).toMatchObject({ exit: 0 })
})

test('"apply last" is the last plan, not a dry run after it', async () => {
  write('map.geojson', before())
  write('paddocks.yaml', pipeline())
  await world.run(['run', 'paddocks.yaml', '--dry-run'])
  expect((await world.run(['apply', 'last'])).failure).toMatchObject({
    code: 'run-unknown',
    message: expect.stringMatching(/only dry runs. To send the last one: {2}windrow apply \d/) as string,
  })
  await world.run(['plan', 'paddocks.yaml'])
  const id = lastRun()
  await world.run(['run', 'paddocks.yaml', '--dry-run'])
  expect(lastRun()).not.toBe(id)
  expect(parsed(await world.run(['apply', 'last', '--json']))).toMatchObject({ run: id, records: { created: 6 } })
})

test('"apply last" is the plan that was made last, also after the clock was set back', async () => {
  write('map.geojson', before())
  write('paddocks.yaml', pipeline())
  const ahead = { clock: () => new Date(Date.now() + 365 * 86_400_000) }
  await world.run(['plan', 'paddocks.yaml'], ahead)
  await world.run(['plan', 'paddocks.yaml'])
  const { run } = parsed(await world.run(['apply', 'last', '--json']))
  expect(run).toContain(String(new Date().getFullYear()))
})

test('"apply last" suggests no dry run that cannot be applied', async () => {
  write('rows.csv', 'Name,Crop\nNorth,Oats\nNorth,Rye\n')
  expect(await world.run(['import', 'rows.csv', '--to', 'plots', '--holding', rimu, '--dry-run'])).toMatchObject({
    exit: 2,
  })
  expect((await world.run(['apply', 'last'])).failure).toMatchObject({ message: 'There is no plan yet.' })
})

test('a dry run without a service names what it could not check, also in its report', async () => {
  write('map.geojson', before())
  write('paddocks.yaml', pipeline())
  const words = ['run', 'paddocks.yaml', '--dry-run']
  const { out } = await world.run(words, nowhere())
  expect(out).toContain('Not checked, because no service is connected: whether you may publish plots for')
  expect(out).toContain('duplicates')
  const { unchecked } = parsed(await world.run([...words, '--json'], nowhere()))
  expect(unchecked).toHaveLength(4)
  expect(parsed(await world.run([...words, '--json']))).not.toHaveProperty('unchecked')
})

test('a plan is applied while the rows that it rejected are open in Excel', async () => {
  write('farm.csv', 'ID,NAME,SOWN\n1,North,2026-05-01\n2,South,2026-02-31\n3,,2026-05-02\n')
  const farm = ['--to', 'plots', '--holding', rimu, '--key', 'ID']
  expect((await world.run(['plan', 'farm.csv', ...farm])).exit).toBe(3)
  const { renameSync } = fs
  const busy = (from: string, to: string): void => {
    if (to.endsWith('rejected.csv')) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY', syscall: 'rename' })
    renameSync(from, to)
  }
  Object.assign(fs, { renameSync: busy })
  syncBuiltinESMExports()
  const applied = await world.run(['apply', 'last']).finally(() => {
    Object.assign(fs, { renameSync })
    syncBuiltinESMExports()
  })
  expect([applied.exit, applied.out]).toEqual([3, expect.stringMatching(/rejected-2\.csv[^]*Done in .* rejected/)])
  expect((await world.run(['retry', 'last', '--dry-run'])).out).toContain('rejected-2.csv')
})
