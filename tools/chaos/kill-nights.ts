/**
 * Kills runs of a nightly pipeline, at random moments and around every write of the stage and the ledger, with a service that
 * drops records, and rows that come, change and go between a kill and the next run. After each night the service must have what
 * the file has, and all books must balance.
 */

import { setTimeout as wait } from 'node:timers/promises'
import type { FaultRule } from '../../src/service/faults/faults.ts'
import { chanceFrom, type Chance } from '../seeded.ts'
import { csvOf, drift, farmId, nightlyPipeline, startRows, type Rows } from './drifting-file.ts'
import { compareWith, differences, isBalanced, type Differences } from './judge-night.ts'
import { startKillableFarm, type KillableFarm } from './killable-farm.ts'

/** Where a kill hit the run. */
export type KillPlace = 'starting' | 'staging' | 'resuming' | 'sending' | 'confirming'

export type KillResult = Differences & {
  readonly places: Record<KillPlace, number>
  /** The moments before and after a write at which a run was killed. */
  readonly writes: Set<number>
  /** How many such moments a night has. */
  moments: number
  nights: number
  /** Runs that had ended before the kill came. */
  escaped: number
  created: number
  updated: number
  deleted: number
  /** Records, deletions among them, that were accepted and dropped. */
  dropped: number
  /** Records that lost a field that the pipeline does not fill. */
  wiped: number
  unbalanced: number
  /** Nights that did not end with exit 0 however often they were run again. */
  stuck: number
}

export type KillOptions = {
  readonly kills: number
  readonly seed: number
  readonly rows: number
  readonly onNight?: (result: KillResult) => void
}

/** Plays nights until so many runs were killed. */
export async function playKillNights({ kills, seed, rows, onNight }: KillOptions): Promise<KillResult> {
  const chance = chanceFrom(seed)
  const places = { starting: 0, staging: 0, resuming: 0, sending: 0, confirming: 0 }
  const counts = { moments: 0, nights: 0, escaped: 0, created: 0, updated: 0, deleted: 0, dropped: 0 }
  const faults = { lost: 0, doubled: 0, leftOver: 0, wrong: 0, wiped: 0, unbalanced: 0, stuck: 0 }
  const result: KillResult = { places, writes: new Set(), ...counts, ...faults }
  const farm = await startKillableFarm()
  try {
    farm.write('nightly.yaml', nightlyPipeline)
    const file = startRows(rows)
    await survey(farm, file)
    farm.write('nightly.csv', csvOf(file))
    if ((await run(farm)) !== 0) throw new Error('The farm was not published.')
    drift(file, chance, 0.05)
    farm.write('nightly.csv', csvOf(file))
    result.moments = await farm.countWrites(...words)
    const checked = new Set(farm.runs())
    const tried = new Set<number>()
    let areas = await areasIn(farm)
    while (killsIn(result) < kills) {
      const kept = await playNight(farm, file, { chance, result, tried, most: kills - killsIn(result) })
      await judgeNight(farm, file, result)
      const left = await areasIn(farm)
      for (const key of areas) if (kept.has(key.split('/').at(-1)!) && !left.has(key)) result.wiped += 1
      areas = left
      countReports(farm, checked, result)
      result.nights += 1
      onNight?.(result)
    }
  } finally {
    await farm.close()
  }
  return result
}

/** Another pipeline published the areas, which the nightly one does not fill. */
async function survey(farm: KillableFarm, file: Rows): Promise<void> {
  const { scheme, id } = farmId
  farm.write('survey.csv', `ID,NAME,HA\n${[...file.keys()].map((row) => `${row},${row},12.5\n`).join('')}`)
  farm.write(
    'survey.yaml',
    `windrow: 1\nimport: plots\nfrom: { file: survey.csv }\nholding: { scheme: ${scheme}, id: "${id}" }\nkey: <ID>\n` +
      `record: { name: <NAME>, totalArea: { from: HA, unit: ha } }\nrules: { values-changed: allow }\n`,
  )
  if ((await farm.run('run', 'survey.yaml')) !== 0) throw new Error('The areas were not published.')
  // Otherwise its records would not be deleted.
  farm.remove('survey.yaml')
}

async function areasIn(farm: KillableFarm): Promise<ReadonlySet<string>> {
  const areas = await farm.held('totalArea')
  return new Set([...areas].filter(([, area]) => area !== undefined).map(([key]) => key))
}

/** How many runs were killed. */
export function killsIn({ places }: KillResult): number {
  return Object.values(places).reduce((sum, each) => sum + each, 0)
}

/** True when nothing was lost, doubled, left over, wrong or wiped, and all books balance. */
export function isSound({ lost, doubled, leftOver, wrong, wiped, unbalanced, stuck }: KillResult): boolean {
  return lost + doubled + leftOver + wrong + wiped + unbalanced + stuck === 0
}

type Night = {
  readonly chance: Chance
  readonly result: KillResult
  /** The moments of writes that were tried, whether or not the run came so far. */
  readonly tried: Set<number>
  readonly most: number
}

/** Returns the ids that were in the file all the time. */
async function playNight(
  farm: KillableFarm,
  file: Rows,
  { chance, result, tried, most }: Night,
): Promise<ReadonlySet<string>> {
  const kept = new Set(file.keys())
  const change = (share: number): void => {
    drift(file, chance, share)
    for (const id of kept) if (!file.has(id)) kept.delete(id)
    farm.write('nightly.csv', csvOf(file))
  }
  change(0.05)
  const wanted = Math.min(most, chance.whole(1, 4))
  for (let kill = 0; kill < wanted; kill += 1) {
    await farm.useFaults(chance.whole(0, 1e6), faultsOf(chance))
    // Every second kill is at the next write that no run was killed at.
    const moment = (killsIn(result) + result.escaped) % 2 === 0 ? undefined : nextMoment(tried, result)
    const place = await runAndKill(farm, chance, moment)
    if (place === undefined) result.escaped += 1
    else result.places[place] += 1
    if (moment !== undefined && place !== undefined) result.writes.add(moment)
    if (chance.next() < 0.5) continue
    change(0.02)
  }
  await farm.useFaults(chance.whole(0, 1e6), faultsOf(chance))
  await run(farm)
  await farm.useFaults(0, [])
  // The first may finish what a killed run left, and the next take what changed since.
  for (let attempt = 1; (await run(farm)) !== 0; attempt += 1)
    if (attempt === 4) {
      result.stuck += 1
      break
    }
  return kept
}

/** The next moment at which no run was killed; where runs ended before they came so far, and once all were hit, they are tried again. */
function nextMoment(tried: Set<number>, { writes, moments }: KillResult): number {
  const all = Array.from({ length: moments }, (_, index) => index + 1)
  const missed = all.filter((moment) => !writes.has(moment))
  const wanted = missed.length > 0 ? missed : all
  let next = wanted.find((moment) => !tried.has(moment))
  if (next === undefined) {
    tried.clear()
    next = wanted[0]!
  }
  tried.add(next)
  return next
}

function faultsOf(chance: Chance): readonly FaultRule[] {
  const dropped: FaultRule = { fault: 'dropped', dataset: 'plots', recordShare: chance.between(0.01, 0.1) }
  const cut: FaultRule = { fault: 'cut', on: 'publish', dataset: 'plots', at: [chance.whole(1, 3)] }
  return [...(chance.next() < 0.8 ? [dropped] : []), ...(chance.next() < 0.3 ? [cut] : [])]
}

const words = ['run', 'nightly.yaml', '--confirm-within', '1'] as const

function run(farm: KillableFarm): Promise<number> {
  return farm.run(...words)
}

/** Starts a run and kills it, at a write if one is given. Says where that hit it; nothing where it had ended. */
async function runAndKill(farm: KillableFarm, chance: Chance, write?: number): Promise<KillPlace | undefined> {
  const runsBefore = farm.runs().length
  const aim =
    write !== undefined
      ? undefined
      : chance.pick<KillPlace>(['starting', 'staging', 'staging', 'sending', 'sending', 'sending', 'confirming'])
  const [post, moment] = [chance.whole(1, 2), chance.next()]
  const pauseMs = aim === 'starting' ? chance.between(20, 400) : chance.between(0, 250)
  let phase = 'start' as 'start' | 'stage' | 'send' | 'confirm'
  let posts = 0
  farm.killAtWrite(write)
  const started = farm.windrow(...words)
  farm.killAtWrite()
  const kill = (): boolean => started.child.kill('SIGKILL')
  farm.watch(async (request, answer) => {
    const { pathname } = new URL(request.url)
    // A run asks for its rights before it reads, and again before it sends.
    if (pathname.endsWith('/control') && phase === 'stage') phase = 'send'
    const isChanges = request.method === 'GET' && pathname.includes('/plots') && pathname.endsWith('/changes')
    if (isChanges && phase === 'start') phase = 'stage'
    if (isChanges && phase === 'send') phase = 'confirm'
    if (isChanges && phase === 'stage' && aim === 'staging') setTimeout(kill, pauseMs)
    // A run with little to send never comes to its second list.
    if (phase === 'confirm' && (aim === 'confirming' || aim === 'sending')) kill()
    if (request.method !== 'POST' || !pathname.endsWith('/resources')) return answer(request)
    posts += 1
    if (aim !== 'sending' || posts !== post) return answer(request)
    // Before the service has the list, when it has worked on it, or when the answer is on its way.
    if (moment < 0.25) kill()
    const answered = await answer(request)
    if (moment < 0.75) kill()
    else setTimeout(kill, 5)
    await wait(20)
    return answered
  })
  if (aim === 'starting') setTimeout(kill, pauseMs)
  const exit = await started.ended
  farm.watch()
  if (exit !== null) return undefined
  if (phase === 'send') return 'sending'
  if (phase === 'confirm') return 'confirming'
  if (farm.runs().length > runsBefore) return 'staging'
  return phase === 'start' ? 'starting' : 'resuming'
}

async function judgeNight(farm: KillableFarm, file: Rows, result: KillResult): Promise<void> {
  const found = compareWith(file, await farm.held())
  for (const kind of differences) result[kind] += found[kind]
}

function countReports(farm: KillableFarm, checked: Set<string>, result: KillResult): void {
  for (const name of farm.runs()) {
    const report = checked.has(name) ? undefined : farm.report(name)
    if (report === undefined) continue
    checked.add(name)
    result.created += report.records.created
    result.updated += report.records.updated
    result.deleted += report.gone.deleted
    result.dropped += report.unseen
    if (!isBalanced(report)) result.unbalanced += 1
  }
}
