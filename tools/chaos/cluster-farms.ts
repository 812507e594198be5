/** Plays a platform: many farms, a queue in PostgreSQL, and workers that are killed, or lose it, while they work. */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Report } from '../../src/pipeline/report/report.ts'
import { enqueue } from '../../src/cli/work.ts'
import { openScheduleMemory } from '../../src/schedule/memory.ts'
import { openQueue, prepareQueue, type Queued } from '../../src/schedule/queue.ts'
import { startPostgres, type Server } from '../../test/postgres.ts'
import { isBalanced } from './judge-night.ts'
import { startKillableFarm, type KillableFarm, type Started } from './killable-farm.ts'

export type ClusterResult = {
  readonly seconds: number
  readonly kills: number
  readonly runs: number
  readonly created: number
  readonly lost: number
  readonly doubled: number
  readonly misbooked: number
  readonly unbalanced: number
  readonly disordered: number
  /** What is still in the queue, although a worker had nothing more to do. */
  readonly left: readonly Pick<Queued, 'name' | 'tries' | 'state' | 'error'>[]
}

type Options = {
  readonly farms: number
  readonly rows: number
  readonly workers: number
  /** 0: none is killed. */
  readonly killEveryS: number
  /** The queue gives up on a run whose worker died ten times, as on a slow machine with a kill every second. */
  readonly mostKills?: number
  /** How often PostgreSQL is stopped and started again while they work. */
  readonly outages?: number
  /** One that runs already; without it, one that waits for the disk. */
  readonly server?: Server
}

const namesOf = (farms: number): readonly string[] =>
  Array.from({ length: farms }, (_, index) => `farm-${String(index).padStart(5, '0')}`)

/** Runs every farm twice. */
export async function playCluster({
  farms,
  rows,
  workers,
  killEveryS,
  mostKills = Infinity,
  outages = 0,
  server: running,
}: Options): Promise<ClusterResult> {
  const server = running ?? (await startPostgres({ isDurable: true }))
  let log = ''
  const platform = await startKillableFarm({ onLog: (text) => void (log = (log + text).slice(-10_000)) })
  const names = namesOf(farms)
  const store = ['--store', server.database()] as const
  const working = new Set<Started>()
  try {
    await writeFarms(platform, names, rows)
    await queueNights(store[1], names)
    const began = performance.now()
    const start = (): Started => platform.windrow('work', 'farms', '--until-empty', '--at-once', '1', ...store)
    for (let worker = 0; worker < workers; worker += 1) working.add(start())
    let kills = 0
    let killMs = performance.now() + killEveryS * 1000
    const checkAll = (): void => {
      for (const each of working) {
        if (each.child.exitCode !== null) working.delete(each)
        if (each.child.exitCode) throw new Error(`A worker ended with exit ${each.child.exitCode}.\n${log}`)
      }
    }
    const lost = new Set<string>()
    for (let outage = 0; outage < outages; outage += 1) {
      let busy: readonly string[] = []
      while (busy.length < working.size) {
        checkAll()
        await wait(20)
        busy = busyWorkers(store[1]).filter((worker) => !lost.has(worker))
      }
      for (const worker of busy) lost.add(worker)
      await server.halt()
      await wait(2000)
      await server.start()
    }
    while (working.size > 0) {
      checkAll()
      if (killEveryS > 0 && kills < mostKills && performance.now() > killMs && working.size > 0) {
        const [oldest] = working
        working.delete(oldest!)
        oldest!.child.kill('SIGKILL')
        await oldest!.ended
        kills += 1
        killMs += killEveryS * 1000
        working.add(start())
      }
      await wait(100)
    }
    const seconds = (performance.now() - began) / 1000
    using opened = openQueue(store[1])
    const left = opened.list().map(({ name, tries, state, error }) => ({ name, tries, state, error }))
    return { seconds, kills, left, ...(await judge(platform, names, rows)) }
  } finally {
    for (const { child } of working) child.kill('SIGKILL')
    await platform.close()
    if (running === undefined) await server.stop()
  }
}

/** Seconds for every farm twice: by one worker with the queue, and by one `windrow run` without it, on the same store. */
export async function measureQueue({
  farms,
  rows,
}: Pick<Options, 'farms' | 'rows'>): Promise<{ queued: number; direct: number }> {
  const names = namesOf(farms)
  const measured = { queued: 0, direct: 0 }
  for (const way of ['direct', 'queued'] as const) {
    const server = await startPostgres({ isDurable: true })
    const platform = await startKillableFarm({ isQuiet: true })
    const store = ['--store', server.database()] as const
    try {
      await writeFarms(platform, names, rows)
      const files = [0, 1].flatMap(() => names.map((name) => `farms/${name}/paddocks.yaml`))
      if (way === 'queued') await queueNights(store[1], names)
      const began = performance.now()
      const words = way === 'direct' ? ['run', ...files] : ['work', 'farms', '--until-empty', '--at-once', '1']
      const exit = await platform.windrow(...words, ...store).ended
      if (exit !== 0) throw new Error(`windrow ${words[0]} ended with exit ${exit}.`)
      measured[way] = (performance.now() - began) / 1000
    } finally {
      await platform.close()
      await server.stop()
    }
  }
  return measured
}

/** Queues two runs of every farm, as the timetable does for two nights. */
async function queueNights(store: string, names: readonly string[]): Promise<void> {
  await prepareQueue(store)
  using memory = openScheduleMemory(store)
  using queue = openQueue(store)
  for (const due of [new Date(Date.now() - 1), new Date()])
    for (const farm of names) {
      const run = { name: `${farm}/paddocks`, farm, tenant: farm, file: `${farm}/paddocks.yaml`, due, by: 'timetable' }
      if (!enqueue(run, memory, queue)) throw new Error(`${farm} was not queued.`)
    }
}

/** The workers that have a run now, or had one when they lost the queue. */
function busyWorkers(store: string): readonly string[] {
  using queue = openQueue(store)
  return queue.list().flatMap(({ worker }) => worker ?? [])
}

async function writeFarms(platform: KillableFarm, names: readonly string[], rows: number): Promise<void> {
  platform.write('holdings.csv', `FARM_NO,NAME\n${names.map((name) => `${name},The ${name}\n`).join('')}`)
  if ((await platform.run('run', 'holdings.yaml', '--allow', 'fewer-rows')) !== 0)
    throw new Error('The holdings were not published.')
  for (const name of names) {
    mkdirSync(join(platform.folder, 'farms', name), { recursive: true })
    const list = Array.from({ length: rows }, (_, row) => `P${row},Paddock ${row} of ${name}\n`)
    platform.write(`farms/${name}/paddocks.csv`, `ID,NAME\n${list.join('')}`)
    platform.write(
      `farms/${name}/paddocks.yaml`,
      `windrow: 1\nimport: plots\nfrom: { file: paddocks.csv }\nholding: { scheme: nz.example.farm-number, id: ${name} }\n` +
        `key: <ID>\nrecord: { name: <NAME> }\n`,
    )
  }
}

async function judge(platform: KillableFarm, names: readonly string[], rows: number) {
  const found = { runs: 0, created: 0, lost: 0, doubled: 0, misbooked: 0, unbalanced: 0, disordered: 0 }
  const held = await platform.held()
  const times = new Map<string, number>()
  for (const name of held.values()) times.set(name, (times.get(name) ?? 0) + 1)
  for (const name of names) {
    for (let row = 0; row < rows; row += 1) {
      const seen = times.get(`Paddock ${row} of ${name}`) ?? 0
      if (seen === 0) found.lost += 1
      else found.doubled += seen - 1
    }
    const reports = reportsOf(join(platform.folder, 'farms', name))
    let [created, endedBefore] = [0, '']
    for (const report of reports) {
      found.runs += 1
      created += report.records.created
      if (!isBalanced(report)) found.unbalanced += 1
      if (report.started < endedBefore) found.disordered += 1
      endedBefore = report.ended
    }
    found.created += created
    found.misbooked += Math.abs(created - rows)
  }
  return found
}

/** The reports of a farm, in the order of their starts. */
function reportsOf(folder: string): readonly Report[] {
  const runs = join(folder, '.windrow', 'runs')
  return readdirSync(runs)
    .map((run) => JSON.parse(readFileSync(join(runs, run, 'report.json'), 'utf8')) as Report)
    .toSorted((one, other) => (one.started < other.started ? -1 : 1))
}
