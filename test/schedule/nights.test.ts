import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Surroundings } from '../../src/cli/options/command.ts'
import { runArrived } from '../../src/cli/run.ts'
import { readPipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { startWorld, type Ran, type World } from '../cli/world.ts'

let world: World
let now: number
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
  rmSync(join(world.folder, 'pipelines/spraying-last-month.yaml'))
  now = at('02:00')
  writeFile('00:30')
})
afterEach(() => world.close())

/** A time of the night to 6 January 2027 in New Zealand. */
const at = (time: string, day = '2027-01-06'): number => Date.parse(`${day}T${time}:00+13:00`)
const yaml = (): string => join(world.folder, 'pipelines/nightly-paddocks.yaml')
const file = (): string => join(world.folder, 'samples/rimu-farm/nightly.csv')
const writtenAt = (path: string, ms: number): void => utimesSync(path, ms / 1000, ms / 1000)
const writeFile = (time: string): void => writtenAt(file(), at(time))
const change = (from: string | RegExp, to: string): void =>
  writeFileSync(yaml(), readFileSync(yaml(), 'utf8').replace(from, to))
const runFolders = (): readonly string[] =>
  readdirSync(join(world.folder, 'pipelines/.windrow/runs')).filter((name) => name.includes('nightly'))

/** The clock of the tests: who sleeps finds that the time has passed. */
const ofTonight = (fetch?: Surroundings['fetch']): Partial<Surroundings> => ({
  clock: () => new Date(now),
  sleep: (ms) => Promise.resolve(void (now += ms)),
  ...(fetch === undefined ? {} : { fetch }),
})
/** The service does not answer before this time. */
const downUntil =
  (time: string): Surroundings['fetch'] =>
  (input, init) =>
    now < at(time) ? Promise.reject(new TypeError('fetch failed')) : world.fetch(new Request(input, init))

/** Runs the schedule until this time, while `meanwhile` happens before each look. */
async function keep(
  until: string,
  more: Partial<Surroundings> = {},
  meanwhile = (): void => undefined,
  step = 300_000,
): Promise<Ran> {
  const stop = new AbortController()
  return world.run(['schedule', 'pipelines'], {
    ...ofTonight(),
    ...more,
    signal: stop.signal,
    sleep: (ms) => {
      now += ms
      // A schedule that has nothing to do looks every 30 seconds; most of these tests need fewer looks.
      if (ms === 30_000) now = Math.ceil(now / step) * step
      meanwhile()
      if (now >= at(until)) stop.abort()
      return Promise.resolve()
    },
  })
}
const once = async (time: string, more: Partial<Surroundings> = {}): Promise<Ran> => {
  now = at(time)
  return world.run(['schedule', 'pipelines', '--once'], { ...ofTonight(), ...more })
}

describe('a night that fails because the service is down', () => {
  test('at 02:15 is tried every 10 minutes and heals at 02:45', async () => {
    const { exit, out } = await keep('03:30', { fetch: downUntil('02:45') })
    expect(exit).toBe(0)
    for (const time of ['02:25', '02:35', '02:45'])
      expect(out).toContain(
        `will be tried again at 2027-01-06 ${time} (Pacific/Auckland), at the latest at 2027-01-06 05:15`,
      )
    expect(out).not.toContain('will be tried again at 2027-01-06 02:55')
    expect(out).toMatch(/02:45 \(Pacific\/Auckland\) {2}nightly-paddocks {2}due 2027-01-06 02:15 .*, try 4/)
    expect(out).toContain('22 created')
    expect(out).toContain('ran well again; it had failed since 2027-01-06 02:15 (Pacific/Auckland)')
    expect(out.match(/, starting/g)).toHaveLength(4)
  })

  test('is given up after 3 hours, and the next night heals it', async () => {
    const { out } = await keep('06:00', { fetch: downUntil('08:00') })
    expect(out.match(/, starting/g)).toHaveLength(19)
    expect(out).toContain('failed (exit 4) and is not tried again; next run at 2027-01-07 02:15 (Pacific/Auckland)')
    now = at('02:14', '2027-01-07')
    const next = await once('02:16', { clock: () => new Date(at('02:16', '2027-01-07')) })
    expect(next).toMatchObject({ exit: 0, out: expect.stringContaining('it had failed since 2027-01-06 02:15') })
  })

  test('with --once and a timer is tried again at its time, and each call names it until it heals', async () => {
    const down = { fetch: downUntil('02:40') }
    expect((await once('02:10', down)).exit).toBe(0)
    expect(await once('02:15', down)).toMatchObject({
      exit: 4,
      out: expect.stringContaining('tried again at 2027-01-06 02:25'),
    })
    const between = await once('02:20', down)
    expect(between.exit).toBe(4)
    expect(between.out).toMatch(
      /nightly-paddocks {2}the run due 2027-01-06 02:15 \(Pacific\/Auckland\) failed \(exit 4\): .*fetch failed.* tried again at 2027-01-06 02:25/,
    )
    expect(between.out).not.toContain('starting')
    expect((await once('02:26', down)).exit).toBe(4)
    expect(await once('02:45', down)).toMatchObject({ exit: 0, out: expect.stringContaining('22 created') })
    expect((await once('02:55', down)).exit).toBe(0)
  })

  test('is not tried again where the pipeline says so, and is named until the next night', async () => {
    change('missed: once', 'retry: none, missed: once')
    await once('02:10')
    expect(await once('02:15', { fetch: downUntil('08:00') })).toMatchObject({ exit: 4 })
    const later = await once('02:45')
    expect(later.out).toContain('It is not tried again until it is due.')
    expect(later).toMatchObject({ exit: 4 })
  })

  test('is over when a person has run it well by hand, but not by a dry run', async () => {
    change('missed: once', 'retry: none, missed: once')
    await once('02:10')
    await once('02:15', { fetch: downUntil('08:00') })
    now = at('08:30')
    await world.run(['run', yaml(), '--dry-run'], ofTonight())
    expect((await once('08:35')).exit).toBe(4)
    expect((await world.run(['run', yaml()], ofTonight())).exit).toBe(0)
    expect(await once('08:40')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('ran well again; it had failed since 2027-01-06 02:15'),
    })
    const { out, exit } = await once('08:45')
    expect(exit).toBe(0)
    expect(out).not.toContain('ran well again')
  })

  test('is tried as often and as long as the pipeline says', async () => {
    change('missed: once', 'retry: { every: 20 min, for: 1 h }, missed: once')
    const { out } = await keep('06:00', { fetch: downUntil('08:00') })
    expect(out.match(/, starting/g)).toHaveLength(4)
  })
})

test('programs read each event as one line of JSON, without the report again', async () => {
  await once('02:10')
  now = at('02:15')
  const { out } = await world.run(['schedule', 'pipelines', '--once', '--json'], ofTonight(downUntil('08:00')))
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(events.findLast(({ kind }) => kind === 'retrying')).toMatchObject({
    name: 'nightly-paddocks',
    due: '2027-01-05T13:15:00.000Z',
    at: '2027-01-05T13:25:00.000Z',
    until: '2027-01-05T16:15:00.000Z',
    exit: 4,
    failure: { code: 'service-unreachable' },
  })
  expect(events.filter((event) => 'report' in event)).toEqual([])
})

describe('a file that is not ready', () => {
  test('is waited for until 06:00, and leaves one report', async () => {
    const content = readFileSync(file())
    rmSync(file())
    const { out } = await keep('05:00', {}, () => {
      if (now < at('04:40') || existsSync(file())) return
      writeFileSync(file(), content)
      writeFile('04:40')
    })
    expect(out).toContain(
      'will be tried again at 2027-01-06 02:25 (Pacific/Auckland), at the latest at 2027-01-06 06:00',
    )
    expect(out).toContain('22 created')
    expect(out).toContain('ran well again')
    expect(runFolders()).toHaveLength(2)
  })

  test('is given up at 06:00', async () => {
    rmSync(file())
    const { out } = await keep('08:00')
    expect(out).toContain('06:00 (Pacific/Auckland)  nightly-paddocks  failed (exit 2) and is not tried again')
    expect(out.match(/, starting/g)).toHaveLength(24)
  })

  test.each([
    ['that is empty', () => writeFileSync(file(), '')],
    ['that keeps growing', () => writtenAt(file(), now)],
  ])('%s is tried again', async (_, spoil) => {
    const content = readFileSync(file())
    const { out } = await keep('03:00', {}, () => {
      if (now < at('02:20')) {
        spoil()
        if (readFileSync(file()).length === 0) writeFile('01:00')
      } else if (now < at('02:25')) {
        writeFileSync(file(), content)
        writeFile('02:20')
      }
    })
    expect(out).toContain('will be tried again')
    expect(out).toContain('22 created')
  })

  test('is waited for as long as the pipeline says', async () => {
    change('missed: once', 'wait for file: 30 min, missed: once')
    rmSync(file())
    const { out } = await keep('08:00')
    expect(out.match(/, starting/g)).toHaveLength(4)
  })
})

describe('what trying again would not help', () => {
  test.each<[string, number, () => Partial<Surroundings>]>([
    ['a wrong password', 5, () => ({ env: { ...world.env, WINDROW_PASSWORD: 'wrong' } })],
    ['a damaged file', 2, () => (writeFileSync(file(), '"'), writeFile('01:00'), {})],
    ['a rule', 6, () => (writeFileSync(file(), 'a;b\n1;2\n'), writeFile('01:00'), {})],
  ])('%s ends the night with exit %d', async (_, exit, spoil) => {
    const more = spoil()
    await once('02:10', more)
    const { out, ...ran } = await once('02:15', more)
    expect(ran.exit).toBe(exit)
    expect(out).toContain(`failed (exit ${exit}) and is not tried again`)
    expect((await once('02:30', more)).out).not.toContain('starting')
  })
})

describe('a file that is old', () => {
  test('stops a night: by default after twice the time between two runs', async () => {
    await once('02:10')
    writtenAt(file(), at('00:30', '2027-01-03'))
    const stale = await once('02:15')
    expect(stale.exit).toBe(6)
    expect(`${stale.out}${stale.err}`).toContain('"nightly.csv" was last written 3 days ago; the limit is 48 h.')
    expect(stale.out).toContain('= 0 created')
  })

  test('stops every run where the pipeline says how old it may be, unless it is let through once', async () => {
    change('fewer-rows:', 'older: stop above 36 h, fewer-rows:')
    writtenAt(file(), at('00:30', '2027-01-03'))
    const run = (...more: readonly string[]): Promise<Ran> =>
      world.run(['run', 'pipelines/nightly-paddocks.yaml', ...more], ofTonight())
    const stopped = await run()
    expect(stopped.exit).toBe(6)
    expect(stopped.out).toContain('was last written 3 days ago; the limit is 36 h.')
    const { exit, out } = await run('--allow', 'older')
    expect(exit).toBe(0)
    expect(out).toContain('This run was let through with --allow older.')
    expect((await run()).exit).toBe(6)
  })
})

describe('a running schedule', () => {
  test('notices new, changed and removed pipelines, timetable included', async () => {
    const text = readFileSync(yaml(), 'utf8')
    const second = join(world.folder, 'pipelines/second.yaml')
    const { out } = await keep(
      '03:32',
      {},
      () => {
        if (now > at('02:04') && now < at('02:05')) change('02:15', '02:40')
        if (now > at('02:10') && now < at('02:11')) writeFileSync(second, text.replace('02:15', '03:20'))
        if (now > at('03:30')) rmSync(second, { force: true })
      },
      30_000,
    )
    expect(out).toMatch(/02:0\d \(Pacific\/Auckland\) {2}nightly-paddocks {2}next run at 2027-01-06 02:40/)
    expect(out).toContain('nightly-paddocks  due 2027-01-06 02:40 (Pacific/Auckland), starting')
    expect(out).not.toContain('due 2027-01-06 02:15')
    expect(out).toContain('second  due 2027-01-06 03:20 (Pacific/Auckland), starting')
    expect(out).toContain('second  is no longer scheduled')
  })
})

describe('a pipeline that waits for another', () => {
  const holdings = (): string => join(world.folder, 'pipelines/holdings.yaml')
  beforeEach(() => {
    const farms = join(world.folder, 'samples/rimu-farm/holdings.csv')
    writtenAt(farms, at('00:30'))
    writeFileSync(
      holdings(),
      `${readFileSync(holdings(), 'utf8')}\nschedule: { cron: "0 2 * * *", zone: Pacific/Auckland, retry: { for: 1 h } }\n`,
    )
    change('schedule:', 'after: holdings\nschedule:')
    now = at('01:30')
  })

  test('runs after its good run, even if that is late', async () => {
    const { out } = await keep('03:30', { fetch: downUntil('02:28') })
    const lines = out.split('\n')
    const found = (text: string): number => lines.findIndex((line) => line.includes(text))
    expect(out).toContain('nightly-paddocks  due 2027-01-06 02:15 (Pacific/Auckland), waits for "holdings"')
    expect(found('holdings  finished with exit 0')).toBeGreaterThan(0)
    expect(found('nightly-paddocks  due 2027-01-06 02:15 (Pacific/Auckland), starting')).toBeGreaterThan(
      found('holdings  finished with exit 0'),
    )
    expect(out.match(/nightly-paddocks {2}due .*starting/g)).toHaveLength(1)
    expect(out).toContain('22 created')
  })

  test('is not run if the other one fails for good', async () => {
    const { out } = await keep('04:00', { fetch: downUntil('08:00') })
    expect(out).not.toMatch(/nightly-paddocks {2}due .*starting/)
    expect(out).toContain('nightly-paddocks  failed (exit 6) and is not tried again')
    expect((await once('04:10')).out).toContain(
      '"nightly-paddocks" was not run, because the last run of "holdings" failed',
    )
  })

  test('is refused by check if they wait for each other, or the other one is missing', async () => {
    const check = () => world.run(['check', 'pipelines/nightly-paddocks.yaml'])
    expect((await check()).exit).toBe(0)
    writeFileSync(
      holdings(),
      readFileSync(holdings(), 'utf8').replace('schedule:', 'after: nightly-paddocks\nschedule:'),
    )
    const { failure } = await check()
    expect(failure!.message).toContain(
      'These pipelines wait for each other (after), so none could ever run: "nightly-paddocks" waits for "holdings", which waits for "nightly-paddocks".',
    )
    rmSync(holdings())
    expect((await check()).failure!.message).toContain('waits for "holdings" (after), but no pipeline of this name')
    const { exit, err } = await once('02:10')
    expect(exit).toBe(2)
    expect(err).toContain('waits for "holdings"')
  })
})

describe('a folder where files arrive', () => {
  const inbox = (name = ''): string => join(world.folder, 'pipelines/inbox', name)
  const done = (): readonly string[] => {
    const folder = join(world.folder, 'pipelines/done')
    return existsSync(folder) ? readdirSync(folder).toSorted() : []
  }
  const arrive = (name: string, ms = now - 60_000, edit = (text: string): string => text): void => {
    writeFileSync(inbox(name), edit(readFileSync(file(), 'utf8')))
    writtenAt(inbox(name), ms)
  }
  const run = (...more: readonly string[]): Promise<Ran> =>
    world.run(['run', 'pipelines/nightly-paddocks.yaml', ...more], ofTonight())
  const rename = (name: string) => (text: string) => text.replace('Front flat', name)
  beforeEach(() => {
    mkdirSync(inbox())
    change('file: ../samples/rimu-farm/nightly.csv', 'folder: inbox, pattern: "paddocks-*.csv", then: move to done')
    change(', settled: 5 s', '')
  })

  test('the newest is read once and moved, and older ones are passed over', async () => {
    arrive('paddocks-1.csv', now - 7_200_000, rename('Old name'))
    arrive('paddocks-2.csv', now - 3_600_000)
    arrive('other.csv')
    const { exit, out, err } = await run()
    expect(exit).toBe(0)
    expect(out).toContain('22 created')
    expect(err).toContain('"paddocks-1.csv" is older than "paddocks-2.csv" and is not read.')
    expect(done()).toEqual(['paddocks-1.csv', 'paddocks-2.csv'])
    expect(readdirSync(inbox())).toEqual(['other.csv'])
    expect((await run()).failure).toMatchObject({ code: 'file-missing' })
  })

  test('accents may be written apart, as macOS does', async () => {
    change('paddocks-*.csv', 'r\u0101hui-*.csv')
    arrive('ra\u0304hui-1.csv')
    expect((await run()).out).toContain('22 created')
    expect(done()).toEqual(['ra\u0304hui-1.csv'])
  })

  test('the day in a name may come first where points divide it', async () => {
    arrive('paddocks-01.12.2026.csv', now - 7_200_000)
    expect((await run()).exit).toBe(0)
    arrive('paddocks-30.11.2026.csv', now - 3_600_000, rename('Old name'))
    expect((await run()).err).toContain('"paddocks-30.11.2026.csv" is older than "paddocks-01.12.2026.csv"')
  })

  test.each([
    ['paddocks-9.1.2027.csv', 'paddocks-10.1.2027.csv'],
    ['paddocks-31.12.2026.csv', 'paddocks-1.1.2027.csv'],
    ['paddocks-2027-1-9.csv', 'paddocks-2027-1-10.csv'],
    ['paddocks-2026_12_31.csv', 'paddocks-2027_1_1.csv'],
    ['paddocks-24.11.2026_9.15.csv', 'paddocks-25.11.2026_9.15.csv'],
  ])('days in names may have one digit: %s is older than %s', async (older, newer) => {
    arrive(newer, now - 3_600_000)
    arrive(older, now - 60_000, rename('Old name'))
    expect((await run()).err).toContain(`"${older}" is older than "${newer}" and is not read.`)
  })

  test('the newest is the one with the latest day in its name, also if an older one arrives late', async () => {
    arrive('paddocks-2026-11-25.csv', now - 7_200_000)
    arrive('paddocks-20261124.csv', now - 3_600_000, rename('Old name'))
    expect((await run()).err).toContain(
      '"paddocks-20261124.csv" is older than "paddocks-2026-11-25.csv" and is not read.',
    )
    arrive('paddocks-2026-11-23.csv', now - 60_000, rename('Older name'))
    expect((await run()).err).toContain('"paddocks-2026-11-23.csv" is older than "paddocks-2026-11-25.csv"')
    arrive('paddocks-2026-11-26.csv', now - 60_000, rename('New name'))
    expect((await run()).out).toContain('1 updated')
  })

  test('all are read in the order they were written, and one that fails stops those after it', async () => {
    change('then: move to done', 'then: move to done, take: all in order')
    arrive('paddocks-b.csv', now - 7_200_000)
    arrive('paddocks-a.csv', now - 3_600_000, rename('New name'))
    arrive('paddocks-c.csv', now - 1_800_000, () => 'wrong;columns\n1;2\n')
    arrive('paddocks-d.csv', now - 900_000, rename('Later name'))
    const { failure, out } = await run()
    expect(out).toMatch(/22 created[\s\S]*1 updated/)
    expect(failure).toMatchObject({ exit: 6 })
    expect(done()).toEqual(['paddocks-a.csv', 'paddocks-b.csv'])
    expect(readdirSync(inbox()).toSorted()).toEqual(['paddocks-c.csv', 'paddocks-d.csv'])
  })

  test('a file whose run failed after it had sent something stays, for the next run to continue', async () => {
    arrive('paddocks-1.csv')
    const pipeline = (await readPipeline(yaml())) as ImportPipeline
    const arriving = { watch: pipeline.from.watch!, state: join(world.folder, 'pipelines/.windrow'), isDry: false }
    const silent = { write: () => true }
    const surroundings = {
      ...ofTonight(),
      terminal: { out: silent, err: silent },
      folder: world.folder,
      signal: new AbortController().signal,
    } as unknown as Surroundings
    const ended = (isGood: boolean) => ({
      ...arriving,
      runFile: () => Promise.resolve({ exit: 3, isGood }),
    })
    expect(await runArrived(pipeline, ended(false), surroundings)).toBe(3)
    expect([readdirSync(inbox()), done()]).toEqual([['paddocks-1.csv'], []])
    expect(await runArrived(pipeline, ended(true), surroundings)).toBe(3)
    expect([readdirSync(inbox()), done()]).toEqual([[], ['paddocks-1.csv']])
  })

  test('a file that cannot be moved, or arrives again under another name, is not read again', async () => {
    writeFileSync(join(world.folder, 'pipelines/done'), 'a file in the way')
    arrive('paddocks-1.csv')
    const first = await run()
    expect(first.exit).toBe(0)
    expect(first.err).toContain('"paddocks-1.csv" cannot be moved')
    expect((await run()).failure).toMatchObject({ code: 'file-missing' })
    now += 3_600_000
    copyFileSync(inbox('paddocks-1.csv'), inbox('paddocks-2.csv'))
    writtenAt(inbox('paddocks-2.csv'), now - 60_000)
    const again = await run()
    expect(again.exit).toBe(0)
    expect(again.out).not.toContain('unchanged')
    expect(again.err).toContain('"paddocks-2.csv" has the same content as "paddocks-1.csv" and is not read.')
  })

  test('what was true before is read again if something else was read since', async () => {
    arrive('paddocks-1.csv')
    await run()
    now += 86_400_000
    arrive('paddocks-2.csv', now - 60_000, rename('New name'))
    expect((await run()).out).toContain('1 updated')
    now += 86_400_000
    arrive('paddocks-3.csv')
    expect((await run()).out).toContain('1 updated')
  })

  test('a file that still grows is waited for, and unfinished names are left alone', async () => {
    arrive('paddocks-1.csv.part')
    arrive('paddocks-2.csv', now - 1000)
    const { exit, err } = await run()
    expect(exit).toBe(0)
    expect(err).toContain('"paddocks-2.csv" was changed just now; waiting until it is unchanged for 10 s.')
    expect(readdirSync(inbox())).toEqual(['paddocks-1.csv.part'])
  })

  test('a file with a date in the future is read once nobody writes it, and the files after it, too', async () => {
    arrive('paddocks-1.csv', now + 30 * 86_400_000)
    const first = await run()
    expect([first.exit, first.out]).toEqual([0, expect.stringContaining('22 created')])
    expect(first.err).toContain('"paddocks-1.csv" has a date in the future; waiting until it is unchanged for 10 s.')
    now += 86_400_000
    arrive('paddocks-2.csv', now - 60_000, rename('New name'))
    expect((await run()).out).toContain('1 updated')
    expect(done()).toEqual(['paddocks-1.csv', 'paddocks-2.csv'])
  })

  test('a dry run reads the file and leaves it', async () => {
    arrive('paddocks-1.csv')
    expect((await run('--dry-run')).exit).toBe(0)
    expect(readdirSync(inbox())).toEqual(['paddocks-1.csv'])
  })

  test('without a new file the night waits until 06:00, or ends well with empty: allow', async () => {
    const { out } = await keep('04:00', {}, () => {
      if (now > at('03:00') && done().length === 0) arrive('paddocks-1.csv')
    })
    expect(out).toContain('will be tried again at 2027-01-06 02:25')
    expect(out).toContain('22 created')
    change('then: move', 'empty: allow, then: move')
    expect(await run()).toMatchObject({ exit: 0, err: expect.stringContaining('Nothing to do.') })
  })
})

test('pipelines of one schedule share the pause that a service asks for', async () => {
  const farms = join(world.folder, 'pipelines/holdings.yaml')
  writtenAt(join(world.folder, 'samples/rimu-farm/holdings.csv'), at('00:30'))
  writeFileSync(
    farms,
    `${readFileSync(farms, 'utf8')}\nschedule: { every: day, at: "02:15", zone: Pacific/Auckland }\n`,
  )
  let asked = 0
  const limited: Surroundings['fetch'] = (input, init) => {
    if (now >= at('02:44')) return world.fetch(new Request(input, init))
    asked += 1
    return Promise.resolve(new Response('', { status: 429, headers: { 'Retry-After': '1740' } }))
  }
  const { exit, out } = await keep('03:10', { fetch: limited })
  expect(exit).toBe(0)
  expect(asked).toBe(1)
  expect(out.match(/ran well again/g)).toHaveLength(2)
})

test('a failed night is not healed by a run from a time when the clock was ahead', async () => {
  await once('02:00')
  now = at('02:20', '2028-01-07')
  writtenAt(file(), now - 7_200_000)
  expect((await world.run(['schedule', 'pipelines', '--once'], ofTonight())).exit).toBe(0)
  await once('02:10')
  rmSync(file())
  change('missed: once', 'wait for file: none, missed: once')
  expect((await once('02:20')).exit).toBe(2)
  const later = await once('04:00')
  expect(later).toMatchObject({ exit: 2, out: expect.not.stringContaining('ran well again') })
  const status = await world.run(['status', 'pipelines'], ofTonight())
  expect(status).toMatchObject({ exit: 3, out: expect.stringContaining('The last run failed (exit 2).') })
})

describe('an export of days in words', () => {
  const daily = (schedule: string): void =>
    writeFileSync(
      join(world.folder, 'pipelines/diary.yaml'),
      `windrow: 1
export: work-records
only: { day: yesterday }
zone: Pacific/Auckland
to: { file: "diary {day}.csv", empty: allow }
schedule: { ${schedule}, zone: Pacific/Auckland }
`,
    )
  const diaries = (): readonly string[] =>
    readdirSync(join(world.folder, 'pipelines')).filter((name) => name.endsWith('.csv'))

  test('that was missed for three nights writes the days of each of them', async () => {
    daily('every: day, at: "02:15"')
    await once('02:00')
    now = at('02:20', '2027-01-09')
    await world.run(['schedule', 'pipelines', '--once'], ofTonight())
    expect(diaries()).toEqual(['05', '06', '07', '08'].map((day) => `diary 2027-01-${day}.csv`))
  })

  test('that runs after midnight writes the day that it was due for', async () => {
    daily('every: day, at: "23:50", missed: once')
    await once('23:00')
    now = at('00:10', '2027-01-07')
    await world.run(['schedule', 'pipelines', '--once'], ofTonight())
    expect(diaries()).toEqual(['diary 2027-01-05.csv'])
  })
})
