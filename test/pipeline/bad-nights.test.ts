import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { runImport } from '../../src/pipeline/import-run.ts'
import { prepareImport } from '../../src/pipeline/prepare/prepare.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { createService, type Service } from '../../src/service/create.ts'
import type { FaultRule } from '../../src/service/faults/faults.ts'
import { serve, type Served } from '../../src/service/serve.ts'
import { keyOf, rimu } from './farm.ts'

// Three batches.
const recordsPerBatch = 100
const paddocks = 2 * recordsPerBatch + 20

let folder: string
let service: Service
let served: Served

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-night-'))
})
afterEach(async () => {
  await served.close()
  service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a service with these faults in the dataset plots, or in the ones of `dataset` and `on`. */
async function startNight(faults: readonly FaultRule[]): Promise<void> {
  service = createService({ demo: true, faults: { seed: 1, faults: [...faults] } })
  served = await serve(service, { graceMs: 200 })
  writeFileSync(join(folder, 'farm.csv'), `NO,NAME\n${rimu.id},Rimu Farm\n`)
  const rows = Array.from({ length: paddocks }, (_, index) => `P${index},Paddock ${index}`)
  writeFileSync(join(folder, 'paddocks.csv'), `ID,NAME\n${rows.join('\n')}\n`)
  const { records } = await run(
    'farm',
    `windrow: 1\nimport: holdings\nfrom: { file: farm.csv }\nholding: { scheme: ${rimu.scheme}, id: <NO> }\nrecord: { name: <NAME> }`,
  )
  expect(records.created).toBe(1)
}

function connect() {
  const profile = { name: 'local', service: served.url, tokenUrl: served.authUrl, ...demoCredentials }
  // Waits as long as the service asks for would make these tests slow; that they are asked for is tested with the client.
  const sleep = (ms: number): Promise<void> => wait(Math.min(ms, 20))
  return connectTo(profile, { fetch: globalThis.fetch, clock: () => new Date(), sleep, random: () => 0.5 })
}

async function run(name: string, yaml: string, confirmWithinMs = 10_000): Promise<Report> {
  const pipeline = parsePipeline(yaml, join(folder, `${name}.yaml`)) as ImportPipeline
  const clock = (): Date => new Date()
  const sleep = (ms: number): Promise<void> => wait(ms)
  const client = connect()
  const report = await runImport(await prepareImport(pipeline, { clock, sleep }), {
    state: join(folder, '.windrow'),
    connection: { client, name: 'local' },
    dryRun: false,
    clock,
    sleep,
    confirmWithinMs,
    recordsPerBatch,
  })
  assertBalanced(report)
  return report
}

function importPaddocks(confirmWithinMs?: number): Promise<Report> {
  return run(
    'paddocks',
    `windrow: 1\nimport: plots\nfrom: { file: paddocks.csv }\nholding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }\nkey: <ID>\nrecord: { name: <NAME> }`,
    confirmWithinMs,
  )
}

/** The keys of all plots that the service has, each as often as it has it. */
async function keysHeld(): Promise<readonly string[]> {
  const client = connect()
  const keys: string[] = []
  for await (const page of client.changes(await client.dataset('plots')))
    keys.push(...page.items.map((item) => String(item['dataPointKey'])))
  return keys.toSorted()
}

const keys = Array.from({ length: paddocks }, (_, index) => keyOf('plots', rimu, `P${index}`)).toSorted()

async function expectAllStoredOnce(): Promise<void> {
  expect(await keysHeld()).toEqual(keys)
}

const onPublish = { on: 'publish', dataset: 'plots' } as const

describe('one run copes with', () => {
  test.each<readonly [string, readonly FaultRule[]]>([
    ['a token that is lost in the middle', [{ fault: 'sign-in-lost', ...onPublish, at: [2] }]],
    ['lists that are too large', [{ fault: 'too-large', items: 40, dataset: 'plots' }]],
    ['being asked to wait', [{ fault: 'too-many', ...onPublish, at: [1, 2, 4], retryAfterS: 1 }]],
    ['a service that is away for a while', [{ fault: 'unavailable', ...onPublish, at: [2, 3, 4] }]],
    ['a service that is away when asked what it has', [{ fault: 'unavailable', on: 'changes', at: [1, 3] }]],
    ['answers that come late', [{ fault: 'slow', ...onPublish, ms: 100 }]],
    ['connections cut after the work was done', [{ fault: 'cut', ...onPublish, every: 2 }]],
    ['results out of order', [{ fault: 'results-shuffled', dataset: 'plots' }]],
    ['records that are stored later', [{ fault: 'delayed', dataset: 'plots', ms: 300 }]],
    [
      'a night on which everything happens',
      [
        { fault: 'sign-in-lost', share: 0.1 },
        { fault: 'too-many', share: 0.1 },
        { fault: 'unavailable', share: 0.1 },
        { fault: 'cut', share: 0.1 },
        { fault: 'slow', share: 0.2, ms: 20 },
        { fault: 'results-shuffled', share: 0.5 },
        { fault: 'delayed', dataset: 'plots', ms: 50 },
      ],
    ],
  ])('%s', async (_, faults) => {
    await startNight(faults)
    const report = await importPaddocks()
    expect(report).toMatchObject({
      outcome: 'done',
      exit: 0,
      unseen: 0,
      records: { ready: paddocks, created: paddocks, refused: 0, unsent: 0 },
    })
    await expectAllStoredOnce()
  })
})

describe('the next run puts right', () => {
  test.each<readonly [string, readonly FaultRule[], object]>([
    [
      'a service that fails',
      [{ fault: 'failing', ...onPublish, at: [2] }],
      { outcome: 'stopped', exit: 4, error: { code: 'service-failing' } },
    ],
    [
      'a service that stays away',
      // Each of the three batches is tried eight times, and the next night's first one a few times.
      [{ fault: 'unavailable', ...onPublish, most: 27 }],
      { outcome: 'stopped', exit: 4, error: { code: 'service-failing' }, records: { created: 0, unsent: paddocks } },
    ],
    [
      'a sign-in that fails while a token is lost',
      [
        { fault: 'sign-in-lost', ...onPublish, at: [2] },
        { fault: 'failing', on: 'sign-in', at: [3] },
      ],
      { outcome: 'stopped', exit: 4, error: { code: 'service-failing' } },
    ],
    [
      'results that are missing',
      [{ fault: 'results-short', dataset: 'plots', most: 3 }],
      { outcome: 'stopped', exit: 4, error: { code: 'service-confused' }, records: { unsent: 3 } },
    ],
    [
      'records that were accepted and dropped',
      [{ fault: 'dropped', keys: [keys[0]!, keys[58]!], most: 2 }],
      { outcome: 'done', exit: 3, unseen: 2, records: { created: paddocks, unsent: 0 } },
    ],
  ])('%s', async (_, faults, expected) => {
    await startNight(faults)
    // What was dropped is not waited for.
    expect(await importPaddocks(0)).toMatchObject(expected)
    const second = await importPaddocks()
    expect(second).toMatchObject({ outcome: 'done', exit: 0, unseen: 0 })
    await expectAllStoredOnce()
    expect((await importPaddocks()).records).toMatchObject({ ready: 0 })
  })
})

test('a batch refused for one bad record is halved until it is found; the others are stored', async () => {
  await startNight([{ fault: 'bad-record', keys: [keys[30]!] }])
  const report = await importPaddocks()
  expect(report).toMatchObject({
    outcome: 'done',
    exit: 3,
    records: { ready: paddocks, created: paddocks - 1, refused: 1, unsent: 0 },
  })
  expect(report.problems.map(({ code, count }) => [code, count])).toEqual([
    ['refused', 1],
    ['boundary-absent', 1],
  ])
  expect(await keysHeld()).toEqual(keys.filter((key) => key !== keys[30]))
})
