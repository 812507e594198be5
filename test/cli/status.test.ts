import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PipelineStatus } from '../../src/schedule/status.ts'
import { startWorld, type World } from './world.ts'

let world: World
let now: Date
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
  mkdirSync(join(world.folder, 'nights'))
  write('paddocks.yaml', pipeline)
  write('farm.csv', 'No,Name\n1,One\n2,Two\n')
  now = new Date()
})
afterEach(() => world.close())

const pipeline = `windrow: 1
import: plots
from: { file: farm.csv }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <No>
record: { name: <Name> }
schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }
`
const write = (name: string, text: string): void => writeFileSync(join(world.folder, 'nights', name), text)
const hours = (count: number): void => void (now = new Date(now.getTime() + count * 3_600_000))
const windrow = (...words: readonly string[]) => world.run(words, { clock: () => now })

async function status(): Promise<{ exit: number; isWell: boolean; paddocks: PipelineStatus | undefined }> {
  const { exit, out } = await windrow('status', 'nights', '--json')
  const { isWell, pipelines } = JSON.parse(out) as { isWell: boolean; pipelines: readonly PipelineStatus[] }
  return { exit, isWell, paddocks: pipelines.find((each) => each.pipeline === 'paddocks') }
}

test('status is not well before the first run, well after it, and not well after a failed one', async () => {
  expect(await status()).toMatchObject({
    exit: 3,
    paddocks: { isWell: false, why: expect.stringMatching(/never run/) },
  })
  expect((await windrow('run', 'nights/paddocks.yaml')).exit).toBe(0)
  const good = await status()
  expect(good).toMatchObject({
    exit: 0,
    isWell: true,
    paddocks: { isWell: true, records: 2, file: { name: 'farm.csv' } },
  })
  expect(good.paddocks!.lastRun).toEqual(good.paddocks!.lastGoodRun)
  expect(new Date(good.paddocks!.nextRun!) > now).toBe(true)
  hours(1)
  write('farm.csv', '')
  await windrow('run', 'nights/paddocks.yaml')
  const { exit, paddocks } = await status()
  expect({ exit, why: paddocks!.why }).toEqual({
    exit: 3,
    why: 'The last run failed (exit 2). "farm.csv" is empty. Export it again, and look at it first.',
  })
  expect(paddocks!.lastGoodRun).toEqual(good.paddocks!.lastGoodRun)
})

test('status is not well when a night has passed without a run', async () => {
  await windrow('run', 'nights/paddocks.yaml')
  hours(26)
  expect(await status()).toMatchObject({ exit: 3, paddocks: { why: expect.stringMatching(/did not run/) } })
})

test('a later night that is good and finds no new file ends a failure', async () => {
  const names = ['Road', 'Hill', 'Creek', 'Top']
  const file = (day: number, row: (name: string, at: number) => string): void => {
    mkdirSync(join(world.folder, 'nights/inbox'), { recursive: true })
    write(`inbox/farm-2026-11-0${day}.csv`, `No,Name\n${names.map(row).join('')}`)
    utimesSync(join(world.folder, `nights/inbox/farm-2026-11-0${day}.csv`), now, now)
    hours(1)
  }
  const inbox = pipeline
    .replace('farm.csv', 'inbox, pattern: "farm-*.csv", then: move to done')
    .replace('file:', 'folder:')
  write('paddocks.yaml', inbox)
  await windrow('schedule', 'nights', '--once')
  file(1, (name, at) => `${at},${name}\n`)
  expect((await windrow('run', 'nights/paddocks.yaml')).exit).toBe(0)
  file(2, (_, at) => `${at},${names[(at + 1) % 4]}\n`)
  hours(24)
  expect((await windrow('schedule', 'nights', '--once')).exit).toBe(6)
  expect(await status()).toMatchObject({ exit: 3, paddocks: { why: expect.stringContaining('failed (exit 6)') } })
  rmSync(join(world.folder, 'nights/inbox'), { recursive: true })
  file(3, (name, at) => `${at},${name}\n`)
  hours(24)
  expect((await windrow('schedule', 'nights', '--once')).exit).toBe(0)
  expect(await status()).toMatchObject({ exit: 0, paddocks: { isWell: true } })
})

test('status shows the age of the file of an export whose name has the day', async () => {
  write(
    'paddocks.yaml',
    'windrow: 1\nexport: holdings\nto: { file: "farms {day}.csv" }\nschedule: { cron: "15 2 * * *", zone: Pacific/Auckland }\n',
  )
  expect((await windrow('run', 'nights/paddocks.yaml')).exit).toBe(0)
  hours(26)
  expect((await status()).paddocks!.file).toMatchObject({
    name: expect.stringMatching(/^farms \d{4}-\d\d-\d\d\.csv$/),
    ageSeconds: expect.any(Number),
  })
})

test('a dry run does not make a pipeline well', async () => {
  await windrow('run', 'nights/paddocks.yaml', '--dry-run')
  expect((await status()).exit).toBe(3)
})

test('status shows a pipeline that cannot be read, and fits a terminal of 100 columns', async () => {
  await windrow('run', 'nights/paddocks.yaml')
  write('broken.yaml', 'import: [')
  const { exit, out } = await windrow('status', 'nights')
  expect(exit).toBe(3)
  expect(out).toMatch(/^Pipeline +Last run +Last good run +Next run +File age +Records$/m)
  expect(out).toMatch(
    /^broken.yaml +- +- .*\n +The file cannot be used. .* broken.yaml:\d+:\d+ .* windrow check nights.broken.yaml shows all of it.$/m,
  )
  expect(out).toMatch(/^paddocks +\d{4}-\d\d-\d\d \d\d:\d\d .* 2$/m)
  for (const line of out.split('\n').filter((each) => !each.startsWith('    '))) expect(line.length).toBeLessThan(100)
})

test('notify.yaml beside the pipelines is no pipeline', async () => {
  await windrow('run', 'nights/paddocks.yaml')
  write('notify.yaml', 'windrow: 1\nnotify: Rimu office\nwebhook: { address: "https://hooks.example/windrow" }\n')
  expect((await status()).exit).toBe(0)
})

test('status is not well while a mistake in notify.yaml keeps all messages back', async () => {
  await windrow('run', 'nights/paddocks.yaml')
  write('notify.yaml', 'windrow: 1\nnotify: Rimu office\nmail: { to: [office@rimu.example] }\n')
  expect(await status()).toMatchObject({ exit: 3, isWell: false, paddocks: { isWell: true } })
  expect((await windrow('status', 'nights')).out).toMatch(
    /^notify.yaml .*\n +The file cannot be used. .*notify.yaml:3:1 +"mail" is unknown. windrow check nights.notify.yaml shows all of it.$/m,
  )
})

test('status does not count a dry run that a guard stopped', async () => {
  write(
    'farm.csv',
    Array.from({ length: 9 }, (_, at) => `${at},Paddock ${at}\n`)
      .join('')
      .replace(/^/, 'No,Name\n'),
  )
  write('paddocks.yaml', `${pipeline}rules: { fewer-rows: stop above 20 % }\n`)
  expect((await windrow('run', 'nights/paddocks.yaml')).exit).toBe(0)
  write('farm.csv', 'No,Name\n1,Paddock 1\n')
  hours(1)
  expect((await windrow('run', 'nights/paddocks.yaml', '--dry-run')).exit).toBe(6)
  expect(await status()).toMatchObject({ exit: 0, paddocks: { isWell: true } })
  expect((await windrow('runs', '--state', 'nights/.windrow')).out).toContain('1 dry run or plan not shown')
  expect((await windrow('runs', '--state', 'nights/.windrow', '--all')).out).toContain('dry run stopped, exit 6')
})

test('what macOS and editors leave beside a pipeline is not taken for one', async () => {
  for (const name of ['._paddocks.yaml', '.#paddocks.yaml']) write(name, '\u0000\u0005\u0016\u0007')
  expect((await windrow('run', 'nights/paddocks.yaml')).exit).toBe(0)
  expect(await status()).toMatchObject({ exit: 0, isWell: true })
  const { err } = await windrow('schedule', 'nights', '--once')
  expect(err).not.toContain('#paddocks')
})

test('a folder without pipelines is named, and one whose pipelines have no schedule shows how to add one', async () => {
  write('paddocks.yaml', pipeline.replace(/^schedule: .*\n/m, ''))
  expect((await windrow('status', 'nights')).failure!.message).toMatch(/^No pipeline in ".*nights" has a schedule\.$/)
  mkdirSync(join(world.folder, 'empty'))
  expect((await windrow('status', 'empty')).failure).toMatchObject({
    message: `There is no pipeline in "${join(world.folder, 'empty')}".`,
    hint: 'Name the folder in which the pipeline files (.yaml) lie.',
  })
})
