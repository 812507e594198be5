import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordsPerBatch } from '../../src/client/streaming.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report.ts'
import { demoCredentials } from '../../src/service/accounts.ts'
import { createService, type Service } from '../../src/service/create.ts'
import { serve, type Served } from '../../src/service/serve.ts'
import { root } from '../imports.ts'
import { collection, paddock, rimu } from './farm.ts'

// Four batches, so that a run can be stopped between two.
const paddocks = 3 * recordsPerBatch + 100

let folder: string
let service: Service
let served: Served
/** Called after the service has worked on a publish and before it answers. */
let afterPost: (posts: number) => Promise<void>
/** Called when the feed of changes is asked for, before there is an answer. */
let beforeFeed: () => Promise<void>
let posted: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-crash-'))
  service = createService({ demo: true })
  afterPost = () => Promise.resolve()
  beforeFeed = () => Promise.resolve()
  posted = 0
  const watched: Service = {
    ...service,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith('/changes')) await beforeFeed()
      const isPost = request.method === 'POST' && request.url.endsWith('/resources')
      const answer = await service.fetch(request)
      if (isPost) await afterPost((posted += 1))
      return answer
    },
  }
  served = await serve(watched, { graceMs: 200 })
  writeFileSync(join(folder, 'holdings.csv'), `FARM_NO,NAME\n${rimu.id},Rimu Farm\n`)
  writeFileSync(
    join(folder, 'map.geojson'),
    collection(
      Array.from({ length: paddocks }, (_, index) =>
        paddock(index % 90, { ID: `P${index}`, NAME: `Paddock ${index}` }),
      ),
    ),
  )
  const holding = `holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }`
  writeFileSync(
    join(folder, 'holdings.yaml'),
    `windrow: 1\nimport: holdings\nfrom: { file: holdings.csv }\nholding: { scheme: ${rimu.scheme}, id: <FARM_NO> }\nrecord: { name: <NAME> }\n`,
  )
  writeFileSync(
    join(folder, 'paddocks.yaml'),
    `windrow: 1\nimport: plots\nfrom: { file: map.geojson }\n${holding}\nkey: <ID>\nrecord: { name: <NAME>, totalArea: measured }\n`,
  )
  expect(await windrow('run', 'holdings.yaml').ended).toBe(0)
  posted = 0
})
afterEach(async () => {
  await served.close()
  service.close()
  rmSync(folder, { recursive: true, force: true })
})

function windrow(...words: readonly string[]): { child: ChildProcess; ended: Promise<number | null> } {
  const { clientId, clientSecret, username, password } = demoCredentials
  const child = spawn(process.execPath, [join(root, 'bin/windrow.js'), ...words], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      WINDROW_SERVICE: served.url,
      WINDROW_TOKEN_URL: served.authUrl,
      WINDROW_CLIENT_ID: clientId,
      WINDROW_CLIENT_SECRET: clientSecret,
      WINDROW_USERNAME: username,
      WINDROW_PASSWORD: password,
    },
  })
  return { child, ended: new Promise((resolve) => child.on('close', resolve)) }
}

function lastReport(): Report {
  const runs = join(folder, '.windrow', 'runs')
  const name = readdirSync(runs).filter((each) => each.endsWith('paddocks'))
  expect(name).toHaveLength(1)
  return JSON.parse(readFileSync(join(runs, name[0]!, 'report.json'), 'utf8')) as Report
}

async function plotsHeld(): Promise<number> {
  const login = await fetch(`${served.authUrl}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: demoCredentials.clientId,
      client_secret: demoCredentials.clientSecret,
      username: demoCredentials.username,
      password: demoCredentials.password,
    }),
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  const answer = await fetch(`${served.url}/ogc/collections/plots/items?limit=1`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  return ((await answer.json()) as { numberMatched: number }).numberMatched
}

test('killed between batches, the next run makes the service equal the truth, and the books balance', async () => {
  const first = windrow('run', 'paddocks.yaml')
  afterPost = async (posts) => {
    // The second batch is stored, but its answer never arrives.
    if (posts === 2) first.child.kill('SIGKILL')
    if (posts >= 2) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(await first.ended).not.toBe(0)
  const between = await plotsHeld()
  expect(between).toBeGreaterThan(0)
  afterPost = () => Promise.resolve()

  expect(await windrow('run', 'paddocks.yaml').ended).toBe(0)
  expect(await plotsHeld()).toBe(paddocks)
  const report = lastReport()
  expect(report).toMatchObject({
    outcome: 'done',
    rows: { read: paddocks, ready: paddocks },
    records: { ready: paddocks, created: paddocks, unsent: 0 },
    unseen: 0,
  })
  assertBalanced(report)

  posted = 0
  expect(await windrow('run', 'paddocks.yaml').ended).toBe(0)
  expect(posted).toBe(0)
})

test('stopped with Ctrl-C, it says so with its exit status and leaves a run that goes on', async () => {
  const first = windrow('run', 'paddocks.yaml')
  afterPost = async (posts) => {
    if (posts === 1) first.child.kill('SIGINT')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  // Windows ends a process instead of signalling it.
  expect(await first.ended).toBe(process.platform === 'win32' ? null : 130)
  if (process.platform !== 'win32') {
    expect(lastReport()).toMatchObject({ outcome: 'interrupted', exit: 130, error: { code: 'interrupted' } })
    assertBalanced(lastReport())
  }
  afterPost = () => Promise.resolve()
  expect(await windrow('run', 'paddocks.yaml').ended).toBe(0)
  expect(await plotsHeld()).toBe(paddocks)
})

test('killed before its stage is complete, it is closed with a report by the next run', async () => {
  const first = windrow('run', 'paddocks.yaml')
  beforeFeed = async () => {
    first.child.kill('SIGKILL')
    await first.ended
  }
  expect(await first.ended).not.toBe(0)
  beforeFeed = () => Promise.resolve()
  expect(await windrow('run', 'paddocks.yaml').ended).toBe(0)
  const runs = join(folder, '.windrow', 'runs')
  const reports = readdirSync(runs)
    .filter((each) => each.includes('paddocks'))
    .map((each) => JSON.parse(readFileSync(join(runs, each, 'report.json'), 'utf8')) as Report)
  expect(reports.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'interrupted'])
  expect(await plotsHeld()).toBe(paddocks)
})
