/** Runs that read from and write to places that many machines reach: web sites and stores that speak S3. */

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startStore, type Store } from '../core/s3-server.ts'
import { serveParts, startServer } from '../core/web-server.ts'
import { usualPatience } from '../../src/pipeline/definition/schedule-keys.ts'
import { nextTry } from '../../src/schedule/due.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const nightly = (): Buffer => readFileSync(join(world.folder, 'samples/rimu-farm/nightly.csv'))

/** Writes the nightly pipeline with another file, and settings under from or at the end. */
function pipelineOf(file: string, { from = '', more = '' } = {}): string {
  const path = join(world.folder, 'pipelines/far.yaml')
  const yaml = readFileSync(join(world.folder, 'pipelines/nightly-paddocks.yaml'), 'utf8')
  const written = `from: { file: "${file}", encoding: utf-8, delimiter: ";", decimal: comma${from} }`
  const rules = /^rules: .*$/m
  writeFileSync(path, yaml.replace(/^from: .*$/m, written).replace(rules, more === '' ? '$&' : more))
  return path
}

/** Why a run of this pipeline was stopped. */
async function errorOf(pipeline: string, how: Parameters<World['run']>[1]): Promise<unknown> {
  const { out } = await world.run(['run', pipeline, '--json'], how)
  return (JSON.parse(out) as { error: unknown }).error
}

/** Everything that windrow left behind, and what it printed. */
function traces(...runs: readonly Ran[]): string {
  const left = globSync('{state,pipelines/.windrow}/**/*', { cwd: world.folder, withFileTypes: true })
  const texts = left
    .filter((each) => each.isFile())
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
  const shown = runs.flatMap(({ out, err, failure }) => [out, err, `${failure?.message} ${failure?.hint}`])
  return [...left.map(({ name }) => name), ...texts, ...shown].join('\n')
}

const reportOf = ({ out }: Ran) => JSON.parse(out) as { rows: object; records: object; source: { name: string } }

describe('a file on a web site', () => {
  const inside = ', private addresses: allow'

  /** Serves what `content` is at the time, last written then, to those who know the key. */
  async function site(content: { bytes: Uint8Array; written?: string }) {
    let sent = 0
    const server = await startServer((request: IncomingMessage, response: ServerResponse) => {
      if (request.headers['x-api-key'] !== 'opensesame') return void response.writeHead(403).end()
      const said = content.written === undefined ? {} : { 'last-modified': content.written }
      const end = response.end.bind(response)
      response.end = ((body?: Uint8Array) => {
        sent += body?.length ?? 0
        return end(body)
      }) as typeof response.end
      return serveParts(request, response, content.bytes, said)
    })
    const env = { ...world.env, WINDROW_WEB_SECRETS: `${server.url}/ X-Api-Key: opensesame` }
    return { ...server, env, sent: () => sent, file: `${server.url}/paddocks.csv?id=geheim` }
  }

  test('is downloaded again only if it has changed, and no secret is left anywhere', async () => {
    await world.publishFarms()
    const content = { bytes: nightly() }
    const { file, env, sent } = await site(content)
    const words = ['run', pipelineOf(file, { from: inside }), '--json']
    const first = await world.run(words, { env })
    expect(reportOf(first)).toMatchObject({ rows: { read: 22, ready: 22 }, records: { created: 22 } })
    const second = await world.run(words, { env })
    expect(reportOf(second)).toMatchObject({ rows: { read: 22, unchanged: 22 } })
    expect(sent()).toBe(content.bytes.length)
    const planned = await world.run(['plan', ...words.slice(1)], { env })
    content.bytes = Buffer.from(String(content.bytes).replace('Front flat', 'Front hill'))
    const late = await world.run(['apply', 'last', '--state', 'pipelines/.windrow'], { env })
    expect([late.exit, late.failure?.code]).toEqual([6, 'plan-outdated'])
    const third = await world.run(words, { env })
    expect(reportOf(third)).toMatchObject({ rows: { ready: 1, unchanged: 21 }, records: { updated: 1 } })
    const looked = [await world.run(['inspect', file, '--set', 'from.private addresses=allow'], { env })]
    const before = sent()
    looked.push(await world.run(['inspect', file, '--set', 'from.private addresses=allow'], { env }))
    expect(sent()).toBe(before)
    expect(traces(first, second, planned, late, third, ...looked)).not.toMatch(/opensesame|geheim/)
  })

  test('without its key, or missing, is a failure that a schedule knows', async () => {
    const { file, url, env } = await site({ bytes: nightly() })
    const forbidden = await world.run(['run', pipelineOf(file, { from: inside })])
    expect([forbidden.exit, forbidden.failure?.code]).toEqual([2, 'file-unreadable'])
    const { url: empty } = await startServer((_, response) => response.writeHead(404).end())
    const missing = await world.run(['run', pipelineOf(`${empty}/a.csv`, { from: inside })], { env })
    expect([missing.exit, missing.failure?.code]).toEqual([2, 'file-missing'])
    const { url: busy } = await startServer((_, response) => response.writeHead(503).end())
    const failing = await world.run(['run', pipelineOf(`${busy}/a.csv`, { from: inside })], { env })
    expect([failing.exit, failing.failure?.code]).toEqual([4, 'address-unreachable'])
    const now = new Date('2026-11-20T02:15:00Z')
    const again = [forbidden, missing, failing].map(({ exit, failure }) =>
      nextTry({ exit, failure }, usualPatience, { first: now, began: now, now, zone: 'UTC' })?.at.toISOString(),
    )
    expect(again).toEqual([undefined, '2026-11-20T02:25:00.000Z', '2026-11-20T02:25:00.000Z'])
    const plain = await world.run(['inspect', url.replace('127.0.0.1', 'farms.example')], { env })
    expect(plain.failure).toMatchObject({ code: 'address-refused', message: expect.stringContaining('plain http') })
  })

  test('that is replaced while it is read stops the run, and nothing is sent', async () => {
    await world.publishFarms()
    const head = String(nightly()).split('\n')[0]!
    const filling = ' '.repeat(1_600)
    const rows = Array.from({ length: 1_500 }, (_, row) => `${row};Paddock ${row}${filling};Grass;2026-11-10;1,0;1500`)
    const content = { bytes: Buffer.from([head, ...rows].join('\n')) }
    const { file, env, asked } = await site(content)
    const changed = Buffer.from(content.bytes).fill('7', 2_000_000, 2_000_002)
    const path = pipelineOf(file, { from: inside })
    const running = world.run(['run', path, '--json'], { env })
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    content.bytes = changed
    const { exit, out: report } = await running
    expect([exit, JSON.parse(report)]).toMatchObject([
      2,
      { error: { code: 'source-changed' }, records: { created: 0 } },
    ])
    const { out } = await world.run([
      'export',
      'plots',
      '-o',
      '-',
      '--set',
      'to.empty=allow',
      '--set',
      'to.columns=[Name]',
    ])
    expect(out).not.toContain('Paddock 1')
  })

  test('that is still being written is waited for, and an old one stops', async () => {
    await world.publishFarms()
    let now = Date.parse('2026-11-20T02:15:00Z')
    const content = { bytes: nightly(), written: new Date(Date.now() - 30_000).toUTCString() }
    const { file, env } = await site(content)
    const timed = {
      env,
      clock: () => new Date(now),
      sleep: (ms: number) => {
        now += ms
        content.written = new Date(Date.parse(content.written) - ms).toUTCString()
        return Promise.resolve()
      },
    }
    const waited = await world.run(
      ['run', pipelineOf(file, { from: `${inside}, settled: 10 min` }), '--dry-run'],
      timed,
    )
    expect([waited.exit, waited.err]).toEqual([0, expect.stringContaining('"paddocks.csv" was changed just now')])
    expect(now).toBeGreaterThanOrEqual(Date.parse('2026-11-20T02:24:29Z'))
    const guarded = pipelineOf(file, { from: inside, more: 'rules: { older: stop above 36 h }' })
    expect((await world.run(['run', guarded, '--dry-run'], timed)).exit).toBe(0)
    content.written = new Date(Date.now() - 37 * 3600_000).toUTCString()
    const old = await errorOf(guarded, timed)
    expect(old).toMatchObject({
      code: 'rule-stopped',
      message: expect.stringContaining('"paddocks.csv" was last written 37 h ago; the limit is 36 h.') as string,
    })
    expect((await world.run(['run', guarded, '--allow', 'older', '--dry-run'], timed)).exit).toBe(0)
  })

  test('whose age is unknown cannot be judged by it', async () => {
    await world.publishFarms()
    const { file, env } = await site({ bytes: nightly() })
    const guarded = pipelineOf(file, { from: inside, more: 'rules: { older: stop above 36 h }' })
    const settled = pipelineOf
    expect(await errorOf(guarded, { env })).toMatchObject({
      code: 'rule-stopped',
      message: expect.stringContaining('does not say when it was last written'),
    })
    const waiting = await world.run(['run', settled(file, { from: `${inside}, settled: 1 min` })], { env })
    expect(waiting.failure).toMatchObject({ code: 'option-invalid', hint: expect.stringContaining('Remove "settled"') })
  })
})

describe('a file in a store', () => {
  let store: Store
  let env: Readonly<Record<string, string>>
  beforeEach(async () => {
    store = await startStore()
    env = { ...world.env, ...store.env }
  })

  test('is read by a pipeline that init writes, planned and applied', async () => {
    await world.publishFarms()
    store.put('farms/rimu/nightly.csv', nightly())
    const made = await world.run(
      [
        'init',
        's3://farms/rimu/nightly.csv',
        '--holding',
        'nz.example.farm-number:00412876',
        '-o',
        'pipelines/s3.yaml',
      ],
      { env },
    )
    expect(readFileSync(join(world.folder, 'pipelines/s3.yaml'), 'utf8')).toContain('s3://farms/rimu/nightly.csv')
    const path = pipelineOf('s3://farms/rimu/nightly.csv')
    const planned = await world.run(['plan', path], { env })
    expect([planned.exit, planned.failure]).toEqual([0, undefined])
    const applied = await world.run(['apply', 'last', '--state', 'pipelines/.windrow', '--json'], { env })
    expect(reportOf(applied)).toMatchObject({
      records: { created: 22 },
      source: { name: expect.stringContaining('nightly.csv') },
    })
    const again = await world.run(['run', path, '--json'], { env })
    expect(reportOf(again)).toMatchObject({ rows: { unchanged: 22 } })
    const missing = await world.run(['run', pipelineOf('s3://farms/rimu/other.csv')], { env })
    expect([missing.exit, missing.failure?.code]).toEqual([2, 'file-missing'])
    const once = ['s3://farms/rimu/nightly.csv', '--holding', 'nz.example.farm-number:00412876', '--key', 'Paddock no']
    const drawn = await world.run(['plan', ...once, '--zone', 'Pacific/Auckland', '--set', 'blank=keep'], { env })
    expect([drawn.failure, drawn.exit]).toEqual([undefined, 0])
    const sent = await world.run(['apply', 'last'], { env })
    expect([sent.failure, sent.exit]).toEqual([undefined, 0])
    expect(traces(made, planned, applied, again, missing, drawn, sent)).not.toContain(env['AWS_SECRET_ACCESS_KEY'])
  })

  test('is replaced by an export only if windrow wrote it', async () => {
    await world.publishFarms()
    const address = 's3://farms/out/farms.csv'
    const words = ['export', 'holdings', '-o', address, '--json']
    const first = await world.run(words, { env })
    expect(JSON.parse(first.out)).toMatchObject({ path: address })
    expect(store.files.get('farms/out/farms.csv')!.bytes.toString()).toContain('Rimu')
    expect((await world.run(words, { env })).exit).toBe(0)
    store.put('farms/out/farms.csv', Buffer.from('edited'))
    const refused = await world.run(words, { env })
    expect([refused.exit, refused.failure?.message]).toEqual([2, `"${address}" was changed after windrow wrote it.`])
    expect(store.files.get('farms/out/farms.csv')!.bytes.toString()).toBe('edited')
    expect((await world.run([...words, '--force'], { env })).exit).toBe(0)
    store.put('farms/out/theirs.csv', Buffer.from('theirs'))
    const theirs = await world.run(['export', 'holdings', '-o', 's3://farms/out/theirs.csv'], { env })
    expect(theirs.failure?.message).toContain('windrow did not write it')
    expect(traces(first, refused, theirs)).not.toContain(env['AWS_SECRET_ACCESS_KEY'])
  })

  test('is written by a pipeline, in every kind of file, with the day in its name', async () => {
    await world.publishFarms()
    for (const ending of ['xlsx', 'gpkg', 'zip', 'csv.gz']) {
      const path = join(world.folder, 'pipelines/farms-out.yaml')
      writeFileSync(
        path,
        `windrow: 1\nexport: holdings\nzone: UTC\nto: { file: "s3://farms/{year}/farms.${ending}" }\n`,
      )
      const { exit, err, failure } = await world.run(['run', path], { env, clock: () => new Date() })
      expect([exit, err, failure]).toEqual([0, '', undefined])
      const local = await world.run(
        ['inspect', `s3://farms/${new Date().getUTCFullYear()}/farms.${ending}`, '--json'],
        { env },
      )
      if (ending !== 'csv.gz') expect((JSON.parse(local.out) as { layers: object[] }).layers.length).toBeGreaterThan(0)
    }
    expect(store.files.size).toBe(4)
  })

  test('that is refused keeps the place in the list of changes', async () => {
    await world.publishFarms()
    const words = [
      'export',
      'holdings',
      '--only',
      'changed=since last export',
      '-o',
      's3://farms/changes.csv',
      '--json',
    ]
    const failing = await startStore(({ method }, response) => {
      if (method === 'PUT') response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
      return method === 'PUT'
    })
    const refused = await world.run(words, { env: { ...world.env, ...failing.env } })
    expect([refused.exit, refused.failure?.code, failing.files.size]).toEqual([2, 'target-unwritable', 0])
    const written = await world.run(words, { env })
    expect(JSON.parse(written.out)).toMatchObject({ records: { written: 2 } })
  })
})

test.each([
  ['to: { file: "https://farms.example/a.csv" }', 'cannot write to a web address'],
  ['to: { file: "s3://farms" }', 'names a bucket and a file'],
])('check refuses %s', async (to, message) => {
  const path = join(world.folder, 'pipelines/wrong.yaml')
  writeFileSync(path, `windrow: 1\nexport: holdings\n${to}\n`)
  expect((await world.run(['check', path])).failure?.message).toContain(message)
  const typed = await world.run(['export', 'holdings', '-o', 'https://farms.example/a.csv'])
  expect(typed.failure?.message).toContain('windrow cannot write to a web address.')
})
