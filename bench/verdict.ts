/** Runs and judges a contest: both sides in turn, medians, one verdict. */

import { rmSync } from 'node:fs'
import { mostGrowth, type Contest, type Side } from './contest.ts'
import { measure, type Measured } from './measure.ts'

/**
 * One line of `--json`. Seconds are medians; a missing measurement is null. `wholeJob` is ours from start to exit where the
 * contest is about a part of the job; `growth` is our peak divided by that on a tenth of the data.
 */
export type Outcome = {
  readonly bench: string
  readonly name: string
  readonly ours: number | null
  readonly peer: number | null
  readonly wholeJob: number | null
  readonly peerName: string
  readonly peerVersion: string | null
  readonly ratio: number | null
  readonly goal: number
  readonly verdict: 'met' | 'short' | 'missing'
  readonly peakMB: number | null
  readonly peerPeakMB: number | null
  readonly goalMB: number | null
  readonly growth: number | null
}

/** Runs one contest. Throws when the two sides did not do the same work. */
export async function judge(bench: string, contest: Contest, rounds: number): Promise<Outcome> {
  const ours: Measured[] = []
  const peers: Measured[] = []
  const tenths: Measured[] = []
  // In turn, so that a machine that slows down slows both.
  for (let round = 0; round < Math.min(rounds, contest.rounds ?? rounds); round += 1) {
    if (contest.ours.version !== undefined) ours.push(await afresh(contest.ours))
    if (contest.peer.version !== undefined) peers.push(await afresh(contest.peer))
    if (contest.tenth !== undefined) tenths.push(await afresh(contest.tenth))
  }
  if (ours.length > 0 && peers.length > 0) {
    const difference = await contest.difference()
    if (difference !== undefined)
      throw new Error(`${contest.name}: the two sides did not do the same work. ${difference}`)
  }
  return outcomeOf(bench, contest, { ours: summary(ours), peer: summary(peers), tenth: summary(tenths) })
}

function afresh({ command, writes = [] }: Side): Promise<Measured> {
  for (const path of writes) rmSync(path, { force: true })
  return measure(command)
}

type Summary = { readonly seconds: number | null; readonly wholeSeconds: number | null; readonly peakMB: number | null }

type Sides = { readonly ours: Summary; readonly peer: Summary; readonly tenth: Summary }

function outcomeOf(bench: string, contest: Contest, { ours, peer, tenth }: Sides): Outcome {
  const ratio = ours.seconds === null || peer.seconds === null ? null : peer.seconds / ours.seconds
  const { goalShare = Infinity } = contest
  const allowedMB = Math.min(contest.goalMB ?? Infinity, peer.peakMB === null ? Infinity : peer.peakMB * goalShare)
  const growth = ours.peakMB === null || tenth.peakMB === null ? null : ours.peakMB / tenth.peakMB
  const tooMuch = (ours.peakMB !== null && ours.peakMB > allowedMB) || (growth !== null && growth > mostGrowth)
  return {
    bench,
    name: contest.name,
    ours: rounded(ours.seconds, 3),
    peer: rounded(peer.seconds, 3),
    wholeJob: rounded(ours.wholeSeconds, 3),
    peerName: contest.peerName,
    peerVersion: contest.peer.version ?? null,
    ratio: rounded(ratio, 2),
    goal: contest.goal,
    verdict: ratio === null ? 'missing' : ratio >= contest.goal && !tooMuch ? 'met' : 'short',
    peakMB: rounded(ours.peakMB, 0),
    peerPeakMB: rounded(peer.peakMB, 0),
    goalMB: allowedMB === Infinity ? null : rounded(allowedMB, 0),
    growth: rounded(growth, 2),
  }
}

function summary(runs: readonly Measured[]): Summary {
  const peaks = runs.map(({ peakMB }) => peakMB).filter((peakMB) => peakMB !== undefined)
  return {
    seconds: median(runs.map(({ seconds }) => seconds)),
    wholeSeconds: median(runs.flatMap(({ wholeSeconds }) => wholeSeconds ?? [])),
    peakMB: peaks.length === 0 ? null : Math.max(...peaks),
  }
}

/** The median. */
export function median(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

function rounded(number: number | null, digits: number): number | null {
  return number === null ? null : Number(number.toFixed(digits))
}
