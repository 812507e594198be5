import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkTimes, nextTry, dueTimes, longestGapMs, nextTime, type Missed } from '../../src/schedule/due.ts'
import { fileError } from '../../src/core/sources/source.ts'
import { targetError } from '../../src/core/sources/target.ts'
import { usualPatience } from '../../src/pipeline/definition/schedule-keys.ts'
import type { RunReport } from '../../src/pipeline/report/export-report.ts'
import type { ScheduleEvent } from '../../src/schedule/events.ts'
import { keepSchedule, runDue, type Entry } from '../../src/schedule/keeper.ts'
import { openScheduleMemory, type ScheduleMemory } from '../../src/schedule/memory.ts'
import { processorMs } from '../processor-time.ts'

const nightly = (missed: Missed) => ({ cron: '15 2 * * *', zone: 'Pacific/Auckland', missed })
const at = (text: string) => new Date(text)

describe('due times', () => {
  const threeNightsAgo = at('2026-11-17T02:15:00+13:00')
  const now = at('2026-11-20T08:00:00+13:00')
  test.each([
    ['once' as const, ['2026-11-19T13:15:00.000Z']],
    ['skip' as const, []],
    ['all' as const, ['2026-11-17T13:15:00.000Z', '2026-11-18T13:15:00.000Z', '2026-11-19T13:15:00.000Z']],
  ])('after three missed nights with missed: %s', (missed, expected) => {
    expect(dueTimes(nightly(missed), threeNightsAgo, now).map((time) => time.toISOString())).toEqual(expected)
  })

  test('in the present minute are not missed', () => {
    expect(dueTimes(nightly('skip'), threeNightsAgo, at('2026-11-20T02:15:20+13:00'))).toHaveLength(1)
  })

  test.each(['once', 'skip'] as const)('are those of now after months without a run, with missed: %s', (missed) => {
    const often = { cron: '*/5 * * * *', zone: 'Pacific/Auckland', missed }
    const times = dueTimes(often, at('2026-03-01T00:00:00+13:00'), at('2026-11-20T08:00:30+13:00'))
    expect(times).toEqual([at('2026-11-20T08:00:00+13:00')])
  })

  test('at this very moment have come', () => {
    const due = at('2026-11-20T02:15:00+13:00')
    expect(dueTimes(nightly('once'), threeNightsAgo, due)).toEqual([due])
    expect(dueTimes(nightly('once'), due, due)).toEqual([])
  })

  test('are looked for quickly while nothing is due, also where every missed one counts', async () => {
    const [last, soon] = [at('2026-11-20T02:15:00+13:00'), at('2026-11-20T02:15:30+13:00')]
    const lookMs = (missed: Missed) =>
      processorMs(() => {
        for (let count = 0; count < 200; count += 1) dueTimes(nightly(missed), last, soon)
      })
    const onceMs = await lookMs('once')
    expect(await lookMs('all')).toBeLessThan(4 * onceMs)
  })

  test('in the hour that daylight saving skips come once, afterwards', () => {
    const gap = { cron: '30 2 * * *', zone: 'Pacific/Auckland', missed: 'all' as const }
    const times = dueTimes(gap, at('2026-09-26T03:00:00+12:00'), at('2026-09-28T00:00:00+13:00'))
    expect(times).toHaveLength(1)
    expect(nextTime(gap, times[0]!)!.getTime() - times[0]!.getTime()).toBeGreaterThan(22 * 3_600_000)
  })

  test('an invalid expression gets an error that shows a valid one', () => {
    expect(() => nextTime({ ...nightly('once'), cron: 'every night' }, now)).toThrow(
      expect.objectContaining({
        code: 'pipeline-invalid',
        hint: expect.stringContaining('Five fields') as string,
      }) as Error,
    )
  })

  test.each(['0 3 30 2 *', '0 3 31 4,6 *'])('that never come are refused: %s', (cron) => {
    expect(() => checkTimes({ cron, zone: 'Pacific/Auckland' })).toThrow('is never due: there is no such day.')
    expect(() => checkTimes({ cron: '0 3 29 2 *', zone: 'Pacific/Auckland' })).not.toThrow()
  })
})

describe('the scheduler', () => {
  let folder: string
  let memory: ScheduleMemory
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windrow-schedule-'))
    memory = openScheduleMemory(folder)
  })
  afterEach(() => {
    memory[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const keeping = (now: () => Date, events: ScheduleEvent[], signal = new AbortController().signal) => ({
    memory,
    clock: now,
    sleep: () => Promise.resolve(),
    signal,
    onEvent: (event: ScheduleEvent) => void events.push(event),
  })
  const entry = (name: string, exit: number, ran: string[]): Entry => ({
    name,
    timetable: nightly('once'),
    timeoutMs: undefined,
    patience: usualPatience,
    after: [],
    ranWell: () => undefined,
    run: ({ due }) => {
      ran.push(`${name} ${due.toISOString()}`)
      return Promise.resolve({ exit })
    },
  })

  test('names only the pipeline that comes first where none is due', async () => {
    const events: ScheduleEvent[] = []
    const early = { ...entry('early', 0, []), timetable: { ...nightly('once'), cron: '10 2 * * *' } }
    const noon = at('2026-11-20T12:00:00+13:00')
    await runDue(
      [entry('late', 0, []), early],
      keeping(() => noon, events),
    )
    expect(events).toEqual([{ kind: 'waiting', name: 'early', due: at('2026-11-21T02:10:00+13:00') }])
  })

  test('runs a pipeline again that it ran while the clock was a year ahead', async () => {
    const ran: string[] = []
    let now = '2027-11-20T03:00:00+13:00'
    const night = keeping(() => new Date(now), [])
    await runDue([entry('a', 0, ran)], night)
    now = '2027-11-21T03:00:00+13:00'
    await runDue([entry('a', 0, ran)], night)
    expect(ran).toEqual(['a 2027-11-20T13:15:00.000Z'])
    now = '2026-11-20T03:00:00+13:00'
    await runDue([entry('a', 0, ran)], night)
    now = '2026-11-21T02:20:00+13:00'
    await runDue([entry('a', 0, ran)], night)
    expect(ran.slice(1)).toEqual(['a 2026-11-20T13:15:00.000Z'])
  })

  test('counts from the first time it sees a pipeline, runs what is due once, and returns the worst exit status', async () => {
    const ran: string[] = []
    const entries = [entry('paddocks', 0, ran), entry('holdings', 3, ran)]
    expect(
      await runDue(
        entries,
        keeping(() => at('2026-11-19T12:00:00+13:00'), []),
      ),
    ).toBe(0)
    expect(ran).toEqual([])
    expect(
      await runDue(
        entries,
        keeping(() => at('2026-11-20T12:00:00+13:00'), []),
      ),
    ).toBe(3)
    expect(
      await runDue(
        entries,
        keeping(() => at('2026-11-20T12:01:00+13:00'), []),
      ),
    ).toBe(0)
    expect(ran).toEqual(['paddocks 2026-11-19T13:15:00.000Z', 'holdings 2026-11-19T13:15:00.000Z'])
  })

  test('leaves a time to the scheduler that claimed it first', async () => {
    using other = openScheduleMemory(folder)
    const due = at('2026-11-20T02:15:00+13:00')
    memory.claim('paddocks', at('2026-11-19T12:00:00+13:00'))
    expect(other.claim('paddocks', due)).toBe(true)
    expect(memory.claim('paddocks', due)).toBe(false)
  })

  test('waits where the disk is full, and runs what was due as soon as there is room', async () => {
    const stop = new AbortController()
    const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
    const events: ScheduleEvent[] = []
    const ran: string[] = []
    memory.claim('paddocks', at('2026-11-19T12:00:00+13:00'))
    let isFull = true
    const filling: ScheduleMemory = {
      ...memory,
      claim(name, due, lease) {
        if (!isFull) return memory.claim(name, due, lease)
        isFull = false
        throw full
      },
    }
    const stopping: Entry = {
      ...entry('paddocks', 0, ran),
      run: ({ due }) => (stop.abort(), ran.push(due.toISOString()), Promise.resolve({ exit: 0 })),
    }
    const now = () => at('2026-11-20T12:00:00+13:00')
    await keepSchedule(() => Promise.resolve([stopping]), { ...keeping(now, events, stop.signal), memory: filling })
    expect(ran).toEqual(['2026-11-19T13:15:00.000Z'])
    expect(events.map(({ kind }) => kind)).toEqual(['waiting', 'hindered', 'started', 'ended'])
  })

  test('continues until it is stopped', async () => {
    const stop = new AbortController()
    const ran: string[] = []
    let minutes = 0
    const now = () => new Date(at('2026-11-20T02:00:00+13:00').getTime() + (minutes += 4) * 60_000)
    const stopping: Entry = {
      ...entry('paddocks', 0, ran),
      run: () => (stop.abort(), ran.push('ran'), Promise.resolve({ exit: 0 })),
    }
    await keepSchedule(() => Promise.resolve([stopping]), keeping(now, [], stop.signal))
    expect(ran).toEqual(['ran'])
  })

  describe('that ends during a run', () => {
    const first = at('2026-11-19T12:00:00+13:00')
    const night = (minute: number) => at(`2026-11-20T02:${minute}:00+13:00`)
    const ranAt = async (now: Date, run: Entry['run']): Promise<readonly string[]> => {
      const events: ScheduleEvent[] = []
      await runDue(
        [{ ...entry('paddocks', 0, []), run }],
        keeping(() => now, events),
      ).catch(() => undefined)
      return events.map(({ kind }) => kind)
    }
    const good: Entry['run'] = () => Promise.resolve({ exit: 0 })

    test('is followed by one that runs it again after 10 minutes, when the first is taken for dead', async () => {
      memory.claim('paddocks', first)
      const killed: Entry['run'] = () => Promise.reject(new Error('killed'))
      expect(await ranAt(night(15), killed)).toEqual(['started'])
      expect(await ranAt(night(24), good)).toEqual(['waiting'])
      expect(await ranAt(night(25), good)).toEqual(['started', 'ended'])
      expect(await ranAt(night(45), good)).toEqual(['waiting'])
    })

    test('because it was stopped is followed by one that runs it again at once', async () => {
      memory.claim('paddocks', first)
      const stop = new AbortController()
      const stopped: Entry = {
        ...entry('paddocks', 0, []),
        run: () => (stop.abort(), Promise.resolve({ exit: 130 })),
      }
      const events: ScheduleEvent[] = []
      expect(
        await runDue(
          [stopped],
          keeping(() => night(15), events, stop.signal),
        ),
      ).toBe(130)
      expect(events.map(({ kind }) => kind)).toEqual(['started', 'ended'])
      expect(await ranAt(night(16), good)).toEqual(['started', 'ended'])
    })
  })

  test('looks again later where a person runs the pipeline at that time', async () => {
    memory.claim('paddocks', at('2026-11-19T12:00:00+13:00'))
    const events: ScheduleEvent[] = []
    const busy: Entry = {
      ...entry('paddocks', 0, []),
      run: () => Promise.resolve({ exit: 6, failure: { code: 'run-busy', message: 'Another process runs it.' } }),
    }
    const now = at('2026-11-20T02:15:00+13:00')
    expect(
      await runDue(
        [busy],
        keeping(() => now, events),
      ),
    ).toBe(0)
    expect(events.map(({ kind }) => kind).slice(0, 2)).toEqual(['started', 'taken'])
    const later = at('2026-11-20T02:25:00+13:00')
    const ran: string[] = []
    await runDue(
      [entry('paddocks', 0, ran)],
      keeping(() => later, []),
    )
    expect(ran).toHaveLength(1)
  })

  test('gives each try to one of two schedulers', () => {
    using other = openScheduleMemory(folder)
    const [due, lease] = [at('2026-11-20T02:15:00+13:00'), at('2026-11-20T02:35:00+13:00')]
    memory.claim('paddocks', due, at('2026-11-20T02:25:00+13:00'))
    const seen = memory.night('paddocks')!
    expect(other.night('paddocks')).toEqual(seen)
    expect(other.takeTry('paddocks', seen, lease)).toBe(true)
    expect(memory.takeTry('paddocks', seen, lease)).toBe(false)
  })

  test('reports a try, its failure, the next try and the healing, each with what is known', async () => {
    memory.claim('paddocks', at('2026-11-19T12:00:00+13:00'))
    const endings = [
      { exit: 4, failure: { code: 'service-unreachable', message: 'No answer.' } },
      { exit: 5, failure: { code: 'sign-in-refused', message: 'Wrong password.' } },
      { exit: 3 },
    ]
    const failing: Entry = { ...entry('paddocks', 0, []), run: () => Promise.resolve(endings.shift()!) }
    const events: ScheduleEvent[] = []
    for (const time of ['2026-11-20T02:15:00', '2026-11-20T02:25:00', '2026-11-21T02:15:00'])
      await runDue(
        [failing],
        keeping(() => at(`${time}+13:00`), events),
      )
    const due = at('2026-11-20T02:15:00+13:00')
    expect(events.filter(({ kind }) => ['retrying', 'gave-up', 'healed'].includes(kind))).toMatchObject([
      { kind: 'retrying', due, tries: 1, exit: 4, at: at('2026-11-20T02:25:00+13:00') },
      { kind: 'gave-up', due, tries: 2, exit: 5, next: at('2026-11-21T02:15:00+13:00') },
      { kind: 'healed', since: due, tries: 1, exit: 3, due: at('2026-11-21T02:15:00+13:00') },
    ])
  })

  test('a run that failed after it had sent something has failed, though its exit status is that of rejected rows', async () => {
    memory.claim('holdings', at('2026-11-19T12:00:00+13:00'))
    memory.claim('paddocks', at('2026-11-19T12:00:00+13:00'))
    const failure = { code: 'disk-failed', message: 'The disk failed.' }
    const [ran, events]: [string[], ScheduleEvent[]] = [[], []]
    const failing: Entry = { ...entry('holdings', 0, []), run: () => Promise.resolve({ exit: 3, failure }) }
    const night = keeping(() => at('2026-11-20T02:15:30+13:00'), events)
    expect(await runDue([failing, { ...entry('paddocks', 0, ran), after: ['holdings'] }], night)).toBe(6)
    expect(ran).toEqual([])
    expect(events.filter(({ kind }) => kind === 'gave-up')).toMatchObject([
      { name: 'holdings', exit: 3, failure },
      { name: 'paddocks', failure: { code: 'after-failed' } },
    ])
    const well = { exit: 0, report: { run: '1', started: '2026-11-20T07:00:00Z' } as RunReport }
    const asked: Date[] = []
    const byHand: Entry = { ...failing, ranWell: (since) => (asked.push(since), well) }
    events.length = 0
    await runDue([byHand], { ...night, clock: () => at('2026-11-20T08:00:00+13:00') })
    expect(asked).toEqual([at('2026-11-20T02:15:30+13:00')])
    expect(events[0]).toMatchObject({ kind: 'healed', name: 'holdings', ...well })
    expect(memory.night('holdings')).toMatchObject({ exit: 0, next: undefined, failingSince: undefined })
  })

  test('returns the exit status of a failed run until it is repaired, whatever else ran well', async () => {
    memory.claim('paddocks', at('2026-11-19T12:00:00+13:00'))
    const now = at('2026-11-20T12:00:00+13:00')
    expect(
      await runDue(
        [entry('paddocks', 5, [])],
        keeping(() => now, []),
      ),
    ).toBe(5)
    const events: ScheduleEvent[] = []
    expect(
      await runDue(
        [entry('paddocks', 5, []), entry('holdings', 0, [])],
        keeping(() => now, events),
      ),
    ).toBe(5)
    expect(events).toContainEqual(expect.objectContaining({ kind: 'failing', name: 'paddocks', exit: 5 }))
  })
})

test('the longest time between two runs is the same all year', () => {
  const gap = (cron: string) =>
    longestGapMs({ cron, zone: 'Pacific/Auckland' }, at('2026-03-01T00:00:00Z'))! / 3_600_000
  expect(gap('15 2 * * *')).toBe(24)
  expect(gap('15 2 * * 1-5')).toBe(72)
  expect(gap('*/10 * * * *')).toBeCloseTo(1 / 6)
})

describe('what is tried again', () => {
  const [first, now] = [at('2026-11-20T02:15:00+13:00'), at('2026-11-20T02:15:30+13:00')]
  const next = (exit: number, code: string, patience = usualPatience) =>
    nextTry({ exit, failure: { code, message: '' } }, patience, { first, began: first, now, zone: 'Pacific/Auckland' })
  const [every10, at5, at6] = ['02:25', '05:15', '06:00'].map((time) => at(`2026-11-20T${time}:00+13:00`))

  test.each([
    ['a service that does not answer', 4, 'service-unreachable', at5],
    ['an address that does not answer', 4, 'address-unreachable', at5],
    ['a run that took too long', 130, 'interrupted', at5],
    ['a full disk', 2, 'disk-full', at5],
    ['a disk that became full while it sent', 3, 'disk-full', at5],
    ['an export whose file is open in Excel', 2, targetError('a.xlsx', { code: 'EBUSY' }).code, at5],
    ['a missing file', 2, 'file-missing', at6],
    ['an empty file', 2, 'file-empty', at6],
    ['a file that changed while it was read, or still grows', 2, 'source-changed', at6],
    ['a file in use', 2, fileError('a.csv', { code: 'EBUSY' }).code, at6],
  ])('%s', (_, exit, code, until) => {
    expect(next(exit, code)).toEqual({ at: every10, until })
  })

  test.each([
    [1, 'bug'],
    [2, 'file-damaged'],
    [2, 'pipeline-invalid'],
    [5, 'sign-in-refused'],
    [6, 'rule-stopped'],
    [6, 'after-failed'],
  ])('but not exit %d, %s', (exit, code) => {
    expect(next(exit, code)).toBeUndefined()
  })

  test('for a file and for a service each as long as the pipeline says', () => {
    expect(next(4, 'service-failing', { ...usualPatience, forMs: undefined })).toBeUndefined()
    expect(next(2, 'file-missing', { ...usualPatience, waitForFile: undefined })).toBeUndefined()
    const soon = next(2, 'file-missing', { ...usualPatience, waitForFile: { ms: 300_000 } })
    expect(soon?.at).toEqual(at('2026-11-20T02:20:00+13:00'))
  })
})
