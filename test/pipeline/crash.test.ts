import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordsPerBatch } from '../../src/client/streaming.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { isSound, killsIn, playKillNights } from '../../tools/chaos/kill-nights.ts'
import { farmId } from '../../tools/chaos/drifting-file.ts'
import { startKillableFarm, type KillableFarm } from '../../tools/chaos/killable-farm.ts'
import { chanceFrom } from '../../tools/seeded.ts'
import { runs, share } from '../runs.ts'
import { collection, paddock } from './farm.ts'

// Each test starts several processes, and on a busy machine each takes seconds.
const patience = { timeout: 300_000 }

// So that a run can be stopped between two.
const batches = 3
const paddocks = (batches - 1) * recordsPerBatch + 1

let farm: KillableFarm
/** Called after the service has worked on a publish and before it answers. */
let afterPost: (posts: number) => Promise<void>
/** Called when the feed of changes is asked for, before there is an answer. */
let beforeFeed: () => Promise<void>
let posted: number

beforeEach(async () => {
  farm = await startKillableFarm()
  afterPost = () => Promise.resolve()
  beforeFeed = () => Promise.resolve()
  posted = 0
  farm.watch(async (request, answer) => {
    if (new URL(request.url).pathname.endsWith('/changes')) await beforeFeed()
    const isPost = request.method === 'POST' && request.url.endsWith('/resources')
    const answered = await answer(request)
    if (isPost) await afterPost((posted += 1))
    return answered
  })
  writeList('Paddock', every)
  writePipeline('paddocks.csv')
}, patience.timeout)
afterEach(() => farm.close())

const every = Array.from({ length: paddocks }, (_, id) => id)

function writeList(name: string, ids: readonly number[]): void {
  farm.write('paddocks.csv', `ID,NAME\n${ids.map((id) => `P${id},${name} ${id}\n`).join('')}`)
}

function writePipeline(file: string, more = ''): void {
  farm.write(
    'paddocks.yaml',
    `windrow: 1\nimport: plots\nfrom: { file: ${file} }\nholding: { scheme: ${farmId.scheme}, id: "${farmId.id}" }\nkey: <ID>\nrecord: { name: <NAME>${more} }\nrules: { values-changed: allow }\n`,
  )
}

function lastReport(): Report {
  const names = farm.runs().filter((each) => each.endsWith('paddocks'))
  expect(names).toHaveLength(1)
  return farm.report(names[0]!)!
}

async function plotsHeld(): Promise<number> {
  return (await farm.held()).size
}

test(
  'killed between batches, the next run makes the service equal the truth, and the books balance',
  patience,
  async () => {
    // With boundaries, whose areas are measured on a second thread.
    farm.write('map.geojson', collection(every.map((id) => paddock(id, { ID: `P${id}`, NAME: `Paddock ${id}` }))))
    writePipeline('map.geojson', ', totalArea: measured')
    const first = farm.windrow('run', 'paddocks.yaml')
    afterPost = async (posts) => {
      // The second batch is stored, but its answer never arrives.
      if (posts === 2) first.child.kill('SIGKILL')
      if (posts >= 2) await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(await first.ended).not.toBe(0)
    const between = await plotsHeld()
    expect(between).toBeGreaterThan(0)
    afterPost = () => Promise.resolve()

    expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
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
    expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
    expect(posted).toBe(0)
  },
)

test('stopped with Ctrl-C, it ends with exit status 130, and the next run sends the rest', patience, async () => {
  const first = farm.windrow('run', 'paddocks.yaml')
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
  expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
  expect(await plotsHeld()).toBe(paddocks)
})

test('killed while a plan is applied, the same command continues it and doubles nothing', patience, async () => {
  expect(await farm.run('plan', 'paddocks.yaml')).toBe(0)
  expect(posted).toBe(0)
  const first = farm.windrow('apply', 'last', '--state', '.windrow')
  afterPost = async (posts) => {
    if (posts === 2) first.child.kill('SIGKILL')
    if (posts >= 2) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(await first.ended).not.toBe(0)
  const between = await plotsHeld()
  expect(between).toBeGreaterThan(0)
  afterPost = () => Promise.resolve()

  expect(await farm.run('apply', 'last', '--state', '.windrow')).toBe(0)
  expect(await plotsHeld()).toBe(paddocks)
  expect(lastReport()).toMatchObject({
    outcome: 'done',
    records: { ready: paddocks, created: paddocks, unsent: 0 },
    unseen: 0,
  })
  assertBalanced(lastReport())

  posted = 0
  expect(await farm.run('apply', 'last', '--state', '.windrow')).toBe(0)
  expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
  expect(posted).toBe(0)
})

test('killed before its stage is complete, it is closed with a report by the next run', patience, async () => {
  const first = farm.windrow('run', 'paddocks.yaml')
  beforeFeed = async () => {
    first.child.kill('SIGKILL')
    await first.ended
  }
  expect(await first.ended).not.toBe(0)
  beforeFeed = () => Promise.resolve()
  expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
  const runs = farm.runs().filter((each) => each.includes('paddocks'))
  expect(new Set(runs.map((each) => farm.report(each)?.outcome))).toEqual(new Set(['done', 'interrupted']))
  expect(runs).toHaveLength(2)
  expect(await plotsHeld()).toBe(paddocks)
})

test(
  'killed at random moments and around writes, with a service that drops records and deletions, each night ends with what the file has',
  patience,
  async () => {
    const kills = runs(40)
    const result = await playKillNights({ kills, seed: 11, rows: 200 })
    expect(result).toMatchObject({ lost: 0, doubled: 0, leftOver: 0, wrong: 0, wiped: 0, unbalanced: 0, stuck: 0 })
    expect(isSound(result)).toBe(true)
    expect(killsIn(result)).toBe(kills)
    expect(result.writes.size).toBeGreaterThan(0)
  },
)

/** While planning, while staging, with one batch sent, and with all: before anything is sent, and after. */
const undoKills = share([0, 1, 2, 3], 1, (kill) => kill < 2)

test(
  'an undo that is killed at any place, once or several times, and typed again puts back what was there before',
  patience,
  async () => {
    expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
    const before = await farm.held()
    writeList('Wrong', [...every.slice(50), ...every.slice(0, 50).map((id) => id + paddocks)])
    expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
    expect(await farm.held()).not.toEqual(before)
    const wrong = farm.runs().findLast((each) => !each.includes('undo') && each.includes('paddocks'))!
    const words = ['undo', wrong, '--yes', '--confirm-within', '1'] as const

    const chance = chanceFrom(7)
    for (const kill of undoKills) {
      const started = farm.windrow(...words)
      const isStored = chance.next() < 0.5
      let asked = 0
      posted = 0
      farm.watch(async (request, answer) => {
        const { pathname } = new URL(request.url)
        const isFeed = request.method === 'GET' && pathname.endsWith('/changes')
        const isPost = request.method === 'POST' && pathname.endsWith('/resources')
        if (isFeed && (asked += 1) === kill + 1 && kill < 2) started.child.kill('SIGKILL')
        if (!isPost) return answer(request)
        posted += 1
        if (kill === 2 && posted > 1) return new Promise(() => undefined)
        const answered = kill === 2 && !isStored ? undefined : await answer(request)
        if (kill === 2 || posted === batches) started.child.kill('SIGKILL')
        return answered ?? new Promise(() => undefined)
      })
      expect(await started.ended).toBe(null)
    }
    farm.watch()
    expect(await farm.run(...words)).toBe(0)
    expect(await farm.held()).toEqual(before)
    const reports = farm.runs().flatMap((each) => farm.report(each) ?? [])
    for (const report of reports) assertBalanced(report)
    expect(reports.filter(({ undoes }) => undoes === wrong).at(-1)).toMatchObject({ outcome: 'done', exit: 0 })
    // Nothing is left to continue, neither for the undo nor for the pipeline.
    expect(await farm.run(...words)).toBe(0)
    writeList('Paddock', every)
    expect(await farm.run('run', 'paddocks.yaml')).toBe(0)
    expect(await farm.held()).toEqual(before)
  },
)
