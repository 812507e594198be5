/**
 * Plays the nights of a year, without waiting for them: a pipeline with a timetable, a file that drifts, a service with faults.
 * A failed run is tried again ten minutes later.
 */

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectTo } from '../../src/client/connection.ts'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { runImport } from '../../src/pipeline/import-run.ts'
import { prepareImport } from '../../src/pipeline/prepare/prepare.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { nextTime } from '../../src/schedule/due.ts'
import type { FaultRule } from '../../src/service/faults/faults.ts'
import { createService } from '../../src/service/create.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { chanceFrom } from '../seeded.ts'
import { csvOf, drift, holdingsCsv, holdingsPipeline, nightlyPipeline, startRows } from './drifting-file.ts'
import { compareWith, differences, isBalanced, plotsIn, type Differences } from './judge-night.ts'

export type YearOptions = {
  readonly seed: number
  readonly nights: number
  readonly rows: number
  /** The evening before the first night. */
  readonly from: Date
  readonly onNight?: (night: Night) => void
}

/** How large everything is after a night, and what the night took. */
export type Night = {
  readonly night: number
  readonly due: Date
  readonly runs: number
  readonly processorMs: number
  readonly folders: number
  readonly ledgerBytes: number
  readonly stateBytes: number
}

export type YearResult = Differences & {
  readonly nights: readonly Night[]
  /** The nights on which the clock differs from UTC by another time than the night before. */
  clockChanges: number
  unbalanced: number
  /** Nights that did not end with exit 0 after three hours. */
  stuck: number
}

const zone = 'Pacific/Auckland'
const base = 'http://127.0.0.1:8080'
const mostTries = 18
const minutesMs = 60_000

const faults: readonly FaultRule[] = [
  { fault: 'dropped', dataset: 'plots', recordShare: 0.02 },
  { fault: 'cut', on: 'publish', dataset: 'plots', share: 0.05 },
  { fault: 'failing', share: 0.02 },
  { fault: 'too-many', share: 0.05, retryAfterS: 1 },
]

/** Plays so many nights. */
export async function playYear({ seed, nights, rows, from, onNight }: YearOptions): Promise<YearResult> {
  const chance = chanceFrom(seed)
  const farm = await startClockedFarm(from)
  const faultless = { lost: 0, doubled: 0, leftOver: 0, wrong: 0, unbalanced: 0, stuck: 0 }
  const result: YearResult = { nights: [], clockChanges: 0, ...faultless }
  const played: Night[] = []
  try {
    const file = startRows(rows)
    let offset = farm.now().getTimezoneOffset()
    for (let night = 1; night <= nights; night += 1) {
      const due = nextTime({ cron: '30 2 * * *', zone }, farm.now())!
      farm.setClock(due)
      if (night > 1) drift(file, chance, 0.03)
      farm.write('nightly.csv', csvOf(file))
      const begun = process.cpuUsage()
      // A fault plan chooses the same records every time, so that each try needs its own.
      const reports = await farm.untilDone('nightly', nightlyPipeline, () =>
        farm.useFaults(faults, chance.whole(0, 1e6)),
      )
      const { user, system } = process.cpuUsage(begun)
      farm.useFaults([])
      for (const report of reports) if (!isBalanced(report)) result.unbalanced += 1
      if (reports.at(-1)!.exit !== 0) result.stuck += 1
      const found = compareWith(file, await farm.names())
      for (const kind of differences) result[kind] += found[kind]
      if (due.getTimezoneOffset() !== offset) result.clockChanges += 1
      offset = due.getTimezoneOffset()
      played.push({ night, due, runs: reports.length, processorMs: (user + system) / 1000, ...farm.sizes() })
      onNight?.(played.at(-1)!)
    }
  } finally {
    farm.close()
  }
  return { ...result, nights: played }
}

/** A farm whose clock is set by hand; whoever sleeps finds that the time has passed. */
async function startClockedFarm(from: Date) {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-year-'))
  let now = from.getTime()
  const clock = (): Date => new Date(now)
  const sleep = (ms: number): Promise<void> => Promise.resolve(void (now += ms))
  const options = { demo: true, clock, store: join(folder, 'service.db') } as const
  let service = createService(options)
  const connect = () => {
    const profile = { name: 'local', service: base, tokenUrl: `${base}/auth/realms/windrow`, ...demoCredentials }
    const fetch = (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit) =>
      service.fetch(new Request(input, init))
    return connectTo(profile, { fetch, clock, sleep, random: () => 0.5 })
  }
  const state = join(folder, '.windrow')
  const farm = {
    now: clock,
    setClock: (to: Date): void => void (now = to.getTime()),
    useFaults(rules: readonly FaultRule[], seed = 0): void {
      service.close()
      service = createService({ ...options, ...(rules.length === 0 ? {} : { faults: { seed, faults: [...rules] } }) })
    },
    write: (name: string, text: string): void => writeFileSync(join(folder, name), text),
    /** Runs a pipeline until it ends with exit 0, as a schedule would. */
    async untilDone(name: string, yaml: string, before = (): void => undefined): Promise<readonly Report[]> {
      const pipeline = parsePipeline(yaml, join(folder, `${name}.yaml`)) as ImportPipeline
      const reports: Report[] = []
      while (reports.length < mostTries && reports.at(-1)?.exit !== 0) {
        if (reports.length > 0) now += 10 * minutesMs
        before()
        const connection = { client: connect(), name: 'local' }
        const prepared = await prepareImport(pipeline, { clock, sleep })
        try {
          reports.push(
            await runImport(prepared, { state, connection, dryRun: false, clock, sleep, confirmWithinMs: 200 }),
          )
        } finally {
          await prepared[Symbol.asyncDispose]()
        }
        now += 1000
      }
      return reports
    },
    /** The names of the plots that the service has, by their keys. */
    names: () => plotsIn(connect(), 'name'),
    sizes() {
      return {
        folders: readdirSync(join(state, 'runs')).length,
        ledgerBytes: statSync(join(state, 'ledger.db')).size,
        stateBytes: bytesIn(state),
      }
    },
    close(): void {
      service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  farm.write('holdings.csv', holdingsCsv)
  await farm.untilDone('holdings', holdingsPipeline)
  return farm
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
