import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  fileName,
  findKilledRuns,
  findUnfinishedRun,
  listRuns,
  lockPipeline,
  ownFileName,
  readRuns,
  startRunFolder,
} from '../../src/pipeline/report/run-folder.ts'
import { pruneRuns, type RunLimits } from '../../src/pipeline/report/prune-runs.ts'
import { openStage } from '../../src/pipeline/stage/stage-store.ts'

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'windrow-runs-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const at = new Date(2026, 10, 20, 14, 12)

type Left = {
  readonly complete?: boolean
  readonly finished?: boolean
  readonly dry?: boolean
  readonly sent?: boolean
  readonly undoes?: string
  readonly delivered?: boolean
  readonly number?: number
  readonly at?: Date
}

function leaveRun(name: string, facts: Left, renamed?: string): string {
  const started = facts.at ?? at
  const { id, folder } = startRunFolder(state, name, started)
  const stage = openStage(folder)
  stage.remember('pipeline', name)
  stage.remember('started', started.toISOString())
  stage.remember('dry-run', facts.dry === true)
  if (facts.sent === true) stage.addReceipts([{ record: 1, state: 'accepted' }])
  if (facts.delivered === true) stage.remember('delivered', 5)
  if (facts.number !== undefined) stage.remember('number', facts.number)
  if (facts.undoes !== undefined) stage.remember('undoes', facts.undoes)
  if (facts.complete === true) stage.complete()
  if (facts.finished === true) stage.remember('finished', true)
  stage.close()
  if (renamed === undefined) return id
  renameSync(folder, join(state, 'runs', renamed))
  return renamed
}

const damage = (id: string, name = 'stage.db'): void => writeFileSync(join(state, 'runs', id, name), 'x'.repeat(9000))
const kept = (): readonly string[] => readdirSync(join(state, 'runs'))
const prune = (how: { justEnded?: string; limits?: RunLimits; now?: Date } = {}): void =>
  pruneRuns(state, { now: new Date(2027, 0, 2), ...how })
const mine = { name: 'nightly', account: undefined }

test('a run is named by its time with the year and its pipeline, and two in one minute get different names', () => {
  expect(startRunFolder(state, 'onboard', at).id).toBe('2026-11-20-1412-onboard')
  expect(startRunFolder(state, 'onboard', at).id).toBe('2026-11-20-1412-onboard-2')
})

describe('the order of runs', () => {
  const december = new Date(2026, 11, 31, 23, 50)
  const january = new Date(2027, 0, 1, 2, 15)

  test('is that of their recorded starts, not of their folder names', () => {
    const ids = [
      leaveRun('nightly', { at: december }, '1231-2350-nightly'),
      leaveRun('nightly', { at: new Date(december.getTime() + 1000) }, '1231-2350-nightly-2'),
      leaveRun('nightly', { at: new Date(december.getTime() + 2000) }, '1231-2350-nightly-10'),
      leaveRun('nightly', { at: january }, '0101-0215-nightly'),
      leaveRun('nightly', { at: new Date(2027, 0, 2, 2, 15) }),
    ]
    expect(readRuns(state).runs.map(({ id }) => id)).toEqual(ids)
  })

  test('is that of their numbers, whatever the clock showed', () => {
    const ahead = leaveRun('nightly', { number: 7, at: new Date(2036, 0, 1) })
    const now = leaveRun('nightly', { number: 8, at: january })
    const before = leaveRun('nightly', { at: december })
    expect(readRuns(state).runs.map(({ id }) => id)).toEqual([before, ahead, now])
  })

  test('decides which unfinished run is continued', () => {
    leaveRun('nightly', { complete: true, at: december }, '1231-2350-nightly')
    const newest = leaveRun('nightly', { complete: true, at: january }, '0101-0215-nightly')
    expect(findUnfinishedRun(readRuns(state).runs, mine)?.id).toBe(newest)
  })

  test('decides what is pruned, but never the run that just ended, even if the clock was set back', () => {
    for (let day = 1; day <= 61; day += 1)
      leaveRun('nightly', { complete: true, finished: true, at: new Date(2026, 9, day, 2, 15) })
    const newest = leaveRun('nightly', { complete: true, finished: true, at: january }, '0101-0215-nightly')
    const early = leaveRun('nightly', { complete: true, finished: true, at: new Date(1970, 0, 2) })
    prune({ justEnded: early })
    expect(kept()).toEqual(expect.arrayContaining([newest, early]))
    expect(kept()).not.toContain('2026-10-01-0215-nightly')
  })
})

describe('when old runs are pruned', () => {
  const ended = { complete: true, finished: true }
  const early = (day: number): Date => new Date(2026, 0, day)

  test('the last 30 that sent something, 30 that did not and 10 dry runs stay for each pipeline', () => {
    const leave = (count: number, name: string, facts: Left): readonly string[] =>
      Array.from({ length: count }, (_, day) => leaveRun(name, { ...ended, ...facts, at: early(day) }))
    const of = (name: string) => [
      leave(32, name, { sent: true }).slice(-30),
      leave(40, name, {}).slice(-30),
      leave(40, name, { dry: true }).slice(-10),
    ]
    const wanted = [...of('nightly'), ...of('onboard')].flat()
    prune()
    expect(kept().toSorted()).toEqual(wanted.toSorted())
  })

  test('the last good run of each pipeline is kept, and the last that shows which records are its own', () => {
    const report = (id: string, exit: number): string => {
      const content = { windrow: 'report', started: at.toISOString(), pipeline: 'yearly', exit }
      writeFileSync(join(state, 'runs', id, 'report.json'), JSON.stringify(content))
      return id
    }
    const [good, delivered, failed] = [0, 3, 4].map((exit, day) =>
      report(leaveRun('yearly', { ...ended, at: early(day + 1), delivered: exit === 3 }), exit),
    )
    for (let run = 0; run < 61; run += 1) leaveRun('yearly', ended)
    prune()
    expect([good, delivered, failed].map((id) => kept().includes(id!))).toEqual([true, true, false])
  })

  test('the last export of each file is kept until it is old, because the file may be replaced only then', () => {
    const leaveExport = (path: string, started: Date): string => {
      const { id, folder } = startRunFolder(state, 'export-work-records', started)
      const report = { windrow: 'report', kind: 'export', started: started.toISOString(), exit: 0, file: { path } }
      writeFileSync(join(folder, 'report.json'), JSON.stringify(report))
      return id
    }
    const [old, before, last] = [new Date(2025, 0, 1), early(1), early(2)].map((day, at) =>
      leaveExport(at === 0 ? 'old.xlsx' : 'january.xlsx', day),
    )
    for (let run = 1; run <= 61; run += 1) leaveExport('other.xlsx', early(2 + run))
    prune()
    expect([old, before, last].map((id) => kept().includes(id!))).toEqual([false, false, true])
  })

  test('runs older than 400 days go, however few there are, and damaged ones as well', () => {
    const [old, young] = [early(1), early(60)].map((day) => leaveRun('nightly', { ...ended, at: day }))
    const damaged = leaveRun('another', ended)
    damage(damaged)
    utimesSync(join(state, 'runs', damaged), early(1), early(1))
    prune({ now: new Date(2027, 1, 10) })
    expect([old, damaged, young].map((id) => kept().includes(id!))).toEqual([false, false, true])
  })

  test('the oldest go until the others take no more than 2 GB, but not those that can be undone', () => {
    const runs = [1, 2, 3, 4].map((day) => leaveRun('nightly', { ...ended, at: early(day), sent: day === 1 }))
    for (const id of runs) writeFileSync(join(state, 'runs', id, 'ready.ndjson'), 'x'.repeat(1 << 20))
    prune({ limits: { sent: 30, unsent: 30, dry: 10, days: 400, bytes: 2.5 * (1 << 20) } })
    expect(runs.map((id) => kept().includes(id))).toEqual([true, false, true, true])
  })

  test('a run is kept until its undo has ended', () => {
    const first = leaveRun('nightly', { ...ended, at: early(1) })
    const second = leaveRun('nightly', { ...ended, at: early(2) })
    leaveRun('undo-nightly', { complete: true, undoes: first })
    leaveRun('undo-nightly', { ...ended, undoes: second })
    for (let run = 0; run < 61; run += 1) leaveRun('nightly', ended)
    prune()
    expect([first, second].map((id) => kept().includes(id))).toEqual([true, false])
  })
})

describe('a run that cannot be read', () => {
  test('is named and skipped, and is not pruned', () => {
    const damaged = leaveRun('another', { complete: true, finished: true, at: new Date(2026, 0, 1) })
    damage(damaged)
    const open = leaveRun('nightly', { complete: true })
    for (let run = 0; run < 61; run += 1) leaveRun('onboard', { complete: true, finished: true })
    const { runs, unreadable } = readRuns(state)
    expect(unreadable).toEqual([{ id: damaged, reason: 'file is not a database' }])
    expect(findUnfinishedRun(runs, mine)?.id).toBe(open)
    prune()
    expect(kept()).toEqual(expect.arrayContaining([damaged, open]))
    expect(kept()).toHaveLength(32)
  })
})

describe('a run that was killed before there was anything to send', () => {
  test.each<readonly [string, Left, boolean]>([
    ['while staging', {}, true],
    ['a dry run, however far it came', { complete: true, dry: true }, true],
    ['not one that can be continued', { complete: true }, false],
    ['not one that ended', { finished: true }, false],
  ])('is found: %s', (_, facts, isFound) => {
    const id = leaveRun('nightly', facts)
    const { runs } = readRuns(state)
    expect(findKilledRuns(runs, 'nightly').map((run) => run.id)).toEqual(isFound ? [id] : [])
    expect(findKilledRuns(runs, 'another')).toEqual([])
    if (facts.dry === true) expect(findUnfinishedRun(runs, mine)).toBeUndefined()
  })

  test('is known by its name if it recorded nothing', () => {
    const ids = [1, 2].map(() => startRunFolder(state, 'nightly', at).id)
    mkdirSync(join(state, 'runs', '1231-2350-nightly'))
    const found = findKilledRuns(readRuns(state).runs, 'nightly').map(({ id }) => id)
    expect(found.toSorted()).toEqual(['1231-2350-nightly', ...ids])
    expect(findKilledRuns(readRuns(state).runs, 'night')).toEqual([])
  })
})

test.each([
  ['Rimu paddocks FINAL v3', 'Rimu-paddocks-FINAL-v3'],
  ['plots/<FARM>:1', 'plots-FARM-1'],
  ['Ōtāne', 'Ōtāne'],
  ['../..', 'run'],
  [`${'x'.repeat(59)}.2026`, 'x'.repeat(59)],
])('the name %s is safe as %s', (name, safe) => {
  expect(fileName(name)).toBe(safe)
})

describe('an unfinished run', () => {
  test.each([
    ['a stage that was not complete', {}, false],
    ['a complete stage', { complete: true }, true],
    ['a finished run', { complete: true, finished: true }, false],
  ])('%s', (_, facts, isFound) => {
    const id = leaveRun('nightly', facts)
    const { runs } = readRuns(state)
    expect(findUnfinishedRun(runs, mine)?.id).toBe(isFound ? id : undefined)
    expect(findUnfinishedRun(runs, { name: 'another', account: undefined })).toBeUndefined()
    expect(findUnfinishedRun(runs, { name: 'nightly', account: 'kim' })).toBeUndefined()
  })

  test('is kept when old runs are pruned', () => {
    const open = leaveRun('nightly', { complete: true })
    const done = Array.from({ length: 62 }, () => leaveRun('onboard', { complete: true, finished: true }))
    prune()
    expect(existsSync(join(state, 'runs', open))).toBe(true)
    expect(done.filter((id) => existsSync(join(state, 'runs', id)))).toHaveLength(30)
  })
})

test('runs with a report are listed by their start, and an unreadable report is named', () => {
  for (const started of ['2026-11-20T02:00:00Z', '2026-11-19T02:00:00Z']) {
    const { folder } = startRunFolder(state, 'nightly', at)
    writeFileSync(join(folder, 'report.json'), JSON.stringify({ windrow: 'report', started }))
  }
  startRunFolder(state, 'nightly', at)
  const cut = startRunFolder(state, 'cut', at)
  writeFileSync(join(cut.folder, 'report.json'), '{"windrow":"rep')
  const { runs, unreadable } = listRuns(state)
  expect(runs.map(({ report }) => report.started)).toEqual(['2026-11-19T02:00:00Z', '2026-11-20T02:00:00Z'])
  expect(unreadable.map(({ id }) => id)).toEqual([cut.id])
})

test('a state folder that cannot be made is refused with a sentence', () => {
  writeFileSync(join(state, 'file'), '')
  for (const wrong of ['file', 'file/below'])
    expect(() => lockPipeline({ state: join(state, wrong) }, 'nightly')).toThrow(
      expect.objectContaining({ name: 'WindrowError', exit: 2 }) as Error,
    )
})

test('a pipeline is run by one process at a time, others are free', () => {
  const lock = lockPipeline({ state }, 'nightly')
  expect(() => lockPipeline({ state }, 'nightly')).toThrow(
    expect.objectContaining({ code: 'run-busy', exit: 6 }) as Error,
  )
  lockPipeline({ state }, 'onboard').release()
  lock.release()
  lockPipeline({ state }, 'nightly').release()
})

test('each name has a file of its own, also where the case or what a file name lacks is all the difference', () => {
  expect(['nightly-paddocks', 'rāhui'].map(ownFileName)).toEqual(['nightly-paddocks', 'rāhui'])
  expect(ownFileName('Nightly')).toBe('Nightly-ab6b5a4d')
  const long = 'x'.repeat(80)
  const names = ['nightly', 'Nightly', 'NIGHTLY', 'nightly!', 'nightly?', `${long} north`, `${long} south`]
  expect(new Set(names.map((name) => ownFileName(name).toLowerCase())).size).toBe(names.length)
})
