import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { collection, paddock, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
  farm.write('map.geojson', collection(paddocks('Rāhui')))
})
afterEach(() => farm.close())

const paddocks = (name: string, count = 3) =>
  Array.from({ length: count }, (_, index) => paddock(index, { ID: `P${index}`, NAME: `${name} ${index}` }))

const map = `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME> }
rules: { values-changed: allow }`

const runs = (): string => join(farm.folder, '.windrow', 'runs')
const folderOf = (report: Report): string => join(runs(), report.run)
const reportIn = (id: string): Report => JSON.parse(readFileSync(join(runs(), id, 'report.json'), 'utf8')) as Report

test('runs late on 31 December and early on 1 January both keep their reports beside 60 older runs', async () => {
  const at = (...parts: [number, number, number, number, number]) => ({ clock: () => new Date(...parts) })
  const first = await farm.run(map, at(2026, 10, 1, 2, 15))
  for (let day = 0; day < 60; day += 1) {
    const copy = join(runs(), `12${String(1 + (day >> 1)).padStart(2, '0')}-0${day % 2}15-paddocks`)
    cpSync(folderOf(first), copy, { recursive: true })
    const database = new DatabaseSync(join(copy, 'stage.db'))
    const started = new Date(2026, 11, 1 + (day >> 1), day % 2, 15).toISOString()
    database.prepare(`UPDATE facts SET value = ? WHERE name = 'started'`).run(JSON.stringify(started))
    database.close()
  }
  for (const [time, name] of [
    [at(2026, 11, 31, 23, 50), 'before'],
    [at(2027, 0, 1, 2, 15), 'after'],
  ] as const) {
    farm.write('map.geojson', collection(paddocks(name)))
    const report = await farm.run(map, time)
    expect(report).toMatchObject({ exit: 0, records: { updated: 3 } })
    for (const file of ['report.json', 'report.html']) expect(existsSync(join(folderOf(report), file))).toBe(true)
  }
  const left = readdirSync(runs())
  expect(left.filter((id) => /^20\d\d-(12-31|01-01)/.test(id))).toEqual([
    '2026-12-31-2350-paddocks',
    '2027-01-01-0215-paddocks',
  ])
  expect(left.filter((id) => id.endsWith('paddocks'))).toHaveLength(30)
  // The last good run of the holdings is kept, too.
  expect(left.some((id) => id.endsWith('holdings'))).toBe(true)
  expect(left).not.toContain('1201-0015-paddocks')
})

describe('an earlier run that cannot be read', () => {
  test('is named in the report and stops nothing, not even when it is damaged while sending', async () => {
    const first = await farm.run(map)
    farm.write('map.geojson', collection(paddocks('North')))
    const second = await farm.run(map, {
      onProgress: (phase) => phase === 'sent' && writeFileSync(join(folderOf(first), 'stage.db'), 'x'.repeat(9000)),
    })
    expect(second).toMatchObject({ exit: 0, records: { updated: 3 } })
    for (const dryRun of [false, true]) {
      const next = await farm.run(map, { dryRun })
      expect(next.exit).toBe(0)
      expect(next.problems).toMatchObject([
        { code: 'run-unreadable', severity: 'warning', count: 1, first: [{ value: first.run }] },
      ])
    }
  })

  test('is skipped if it is the one to continue: the file is staged again', async () => {
    const broken = await farm.run(map, { fetch: failingPosts() })
    farm.leaveAsKilled(broken)
    const bodies = join(folderOf(broken), 'ready.ndjson')
    writeFileSync(bodies, readFileSync(bodies).subarray(0, 40))
    const next = await farm.run(map)
    expect(next).toMatchObject({ outcome: 'done', exit: 0, records: { created: 3 } })
    expect(next.run).not.toBe(broken.run)
    expect(next.problems.map(({ code }) => code)).toEqual(['run-unreadable'])
  })
})

function failingPosts() {
  return async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    return request.method === 'POST' && request.url.endsWith('/resources')
      ? new Response('', { status: 500 })
      : farm.direct(request)
  }
}

describe('a run that was killed while staging', () => {
  test('is closed with a report by the next run of its pipeline, and only of its pipeline', async () => {
    const killed = await farm.run(map)
    farm.leaveAsKilled(killed, 'complete')
    const covers = map.replace('import: plots', 'import: land-covers')
    await farm.run(covers, { name: 'covers' })
    expect(existsSync(join(folderOf(killed), 'report.json'))).toBe(false)

    expect(await farm.run(map)).toMatchObject({ outcome: 'done', exit: 0 })
    const report = reportIn(killed.run)
    expect(report).toMatchObject({
      outcome: 'interrupted',
      started: killed.started,
      error: { code: 'interrupted', message: expect.stringContaining('Nothing was sent') as string },
      rows: { read: 3 },
    })
    assertBalanced(report)
    expect(existsSync(join(folderOf(killed), 'report.html'))).toBe(true)
    // It is closed once.
    const { ended } = report
    await farm.run(map)
    expect(reportIn(killed.run).ended).toBe(ended)
  })

  test('before its last bodies reached their file, is closed with a report without them', async () => {
    await farm.run(map)
    farm.write('map.geojson', collection(paddocks('North')))
    const killed = await farm.run(map)
    farm.leaveAsKilled(killed, 'complete')
    const bodies = join(folderOf(killed), 'ready.ndjson')
    writeFileSync(bodies, readFileSync(bodies).subarray(0, -5))

    expect(await farm.run(map)).toMatchObject({ outcome: 'done', exit: 0 })
    expect(reportIn(killed.run)).toMatchObject({ outcome: 'interrupted' })
    expect(existsSync(join(folderOf(killed), 'report.html'))).toBe(true)
  })

  test('at its very start, with an empty folder, gets a report as well', async () => {
    mkdirSync(join(runs(), '2026-11-20-1412-paddocks'), { recursive: true })
    await farm.run(map)
    expect(reportIn('2026-11-20-1412-paddocks')).toMatchObject({ outcome: 'interrupted', rows: { read: 0 } })
  })

  test('as a dry run is never continued by a real one', async () => {
    const dry = await farm.run(map, { dryRun: true })
    farm.leaveAsKilled(dry)
    const real = await farm.run(map)
    expect(real.run).not.toBe(dry.run)
    expect(real).toMatchObject({ outcome: 'done', records: { created: 3 } })
    const { outcome, ended } = reportIn(dry.run)
    expect(outcome).toBe('interrupted')
    // It is closed once, and so can be pruned.
    await farm.run(map)
    expect(reportIn(dry.run).ended).toBe(ended)
  })
})

describe('a report that cannot be written', () => {
  test.each([
    ['report.html', ['report']],
    ['report.json', ['page']],
  ])('%s: the run says so, and its exit is not that of a run that sent nothing', async (name, written) => {
    const report = await farm.run(map, {
      onProgress(phase) {
        const [id] = readdirSync(runs()).filter((each) => each.endsWith('paddocks'))
        if (phase === 'sent') mkdirSync(join(runs(), id!, name))
      },
    })
    expect(report).toMatchObject({ exit: 3, error: { code: 'target-unwritable' }, records: { created: 3, unsent: 0 } })
    expect(Object.keys(report.files)).toEqual(expect.arrayContaining(written))
    expect(Object.keys(report.files)).toHaveLength(written.length + 1)
    rmSync(join(folderOf(report), name), { recursive: true })
    // Only a run without report.json still gets one.
    const lacksReport = name === 'report.json'
    expect(await farm.run(map)).toMatchObject({ exit: 0, records: { created: lacksReport ? 3 : 0 } })
    expect(reportIn(report.run)).toMatchObject(lacksReport ? { exit: 0, outcome: 'done' } : { exit: 3 })
  })
})

test('a stage that is damaged after sending: no report is possible, and the exit is not that of a run that sent nothing', async () => {
  const broken = farm.run(map, {
    onProgress(phase) {
      if (phase !== 'sent') return
      const [id] = readdirSync(runs()).filter((each) => each.endsWith('paddocks'))
      const path = join(runs(), id!, 'stage.db')
      // A change by another process makes the run read the file again.
      const database = new DatabaseSync(path)
      database.exec(`INSERT INTO facts (name, value) VALUES ('more', '1'); PRAGMA wal_checkpoint(TRUNCATE)`)
      database.close()
      writeFileSync(path, 'x'.repeat(9000))
    },
  })
  await expect(broken).rejects.toMatchObject({
    code: 'run-unreported',
    exit: 3,
    message: expect.stringMatching(/^Records were sent, but the run "[^"]+-paddocks" has no report: /) as string,
  })
  // The next run compares the file with the service, and sends nothing twice.
  expect(await farm.run(map)).toMatchObject({ exit: 0, rows: { unchanged: 3 }, records: { ready: 0 } })
  expect(farm.posted()).toEqual([])
})
