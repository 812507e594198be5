/** Plays a platform: many farms, a queue in PostgreSQL, and workers that are killed, or lose it, while they work. */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Report } from '../../src/pipeline/report/report.ts'
import { openQueue, type Queued } from '../../src/workers/queue.ts'
import { startPostgres, type Server } from '../../test/postgres.ts'
import { isBalanced } from './judge-night.ts'
import { startKillableFarm, type KillableFarm, type Started } from './killable-farm.ts'

export type ClusterResult = {
  readonly seconds: number
  readonly kills: number
  readonly stops: number
  /** The last words of the workers that ended by themselves, and not because the queue was empty. */
  readonly fallen: readonly string[]
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
  readonly mostKills?: number
  /** How often PostgreSQL is stopped, and started again after two seconds, while all workers are busy. */
  readonly mostStops?: number
  /** One that runs already; without it, one that waits for the disk. */
  readonly server?: Server
}

const namesOf = (farms: number): readonly string[] =>
  Array.from({ length: farms }, (_, index) => `farm-${String(index).padStart(5, '0')}`)

/** Runs every farm twice, one night after the other. */
export async function playCluster({
  farms,
  rows,
  workers,
  killEveryS,
  mostKills = killEveryS > 0 ? Infinity : 0,
  mostStops = 0,
  server: running,
}: Options): Promise<ClusterResult> {
  const server = running ?? (await startPostgres({ isDurable: true }))
  const platform = await startKillableFarm({ onLog: () => undefined })
  const names = namesOf(farms)
  const store = server.database()
  const working = new Set<Started>()
  const start = (): void => void working.add(platform.windrow(...workWords, '--store', store))
  let [kills, stops] = [0, 0]
  const fallen: string[] = []
  // A stop counts only where each worker loses a run.
  const lost = new Set<string>()
  try {
    await writeFarms(platform, names, rows)
    const began = performance.now()
    let killMs = performance.now() + killEveryS * 1000
    for (let night = 0; night < 2; night += 1) {
      await queueNight(platform, store)
      for (let worker = 0; worker < workers; worker += 1) start()
      while (working.size > 0) {
        for (const each of working) {
          if (each.child.exitCode === null && each.child.signalCode === null) continue
          working.delete(each)
          const exit = await each.ended
          if (exit === 0) continue
          fallen.push(`exit ${exit}: ${each.lastWords()}`)
          start()
        }
        if (kills < mostKills && performance.now() > killMs && working.size > 0) {
          const [oldest] = working
          working.delete(oldest!)
          oldest!.child.kill('SIGKILL')
          await oldest!.ended
          kills += 1
          killMs = performance.now() + killEveryS * 1000
          start()
        }
        if (stops < mostStops) {
          const busy = (await listQueue(store)).flatMap(({ worker }) => worker ?? []).filter((each) => !lost.has(each))
          if (busy.length >= workers) {
            for (const worker of busy) lost.add(worker)
            await server.halt()
            await wait(2000)
            await server.start()
            stops += 1
          }
        }
        await wait(50)
      }
    }
    const seconds = (performance.now() - began) / 1000
    const left = (await listQueue(store)).map(({ name, tries, state, error }) => ({ name, tries, state, error }))
    return { seconds, kills, stops, fallen, left, ...(await judge(platform, names, rows)) }
  } finally {
    for (const { child } of working) child.kill('SIGKILL')
    await platform.close()
    if (running === undefined) await server.stop()
  }
}

const workWords = ['work', 'farms', '--until-empty', '--at-once', '1'] as const

async function queueNight(platform: KillableFarm, store: string): Promise<void> {
  if ((await platform.run('cluster', 'run', 'farms', '--store', store)) !== 0) throw new Error('Nothing was queued.')
}

async function listQueue(store: string): Promise<readonly Queued[]> {
  await using queue = await openQueue(store)
  return await queue.list()
}

/** Seconds for every farm twice: by a worker with the queue, and by `windrow run` without it, on the same store. */
export async function measureQueue({
  farms,
  rows,
}: Pick<Options, 'farms' | 'rows'>): Promise<{ queued: number; direct: number }> {
  const names = namesOf(farms)
  const measured = { queued: 0, direct: 0 }
  for (const way of ['direct', 'queued'] as const) {
    const server = await startPostgres({ isDurable: true })
    const platform = await startKillableFarm({ onLog: () => undefined })
    const store = server.database()
    try {
      await writeFarms(platform, names, rows)
      const files = names.map((name) => `farms/${name}/paddocks.yaml`)
      const words = way === 'direct' ? ['run', ...files] : workWords
      const began = performance.now()
      for (let night = 0; night < 2; night += 1) {
        if (way === 'queued') await queueNight(platform, store)
        const exit = await platform.windrow(...words, '--store', store).ended
        if (exit !== 0) throw new Error(`windrow ${words[0]} ended with exit ${exit}.`)
      }
      measured[way] = (performance.now() - began) / 1000
    } finally {
      await platform.close()
      await server.stop()
    }
  }
  return measured
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
