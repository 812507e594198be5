/** Compares the result of a file with a list of acceptable outcomes in words, of which any one is enough. */

import { isBlank } from '../../src/core/row.ts'
import type { Case } from './case.ts'
import { failuresOf, type Judgement } from './judgement.ts'
import { reportsOf } from './judge-refusal.ts'
import { judgeAreas } from './judge-truth.ts'
import type { Observation, Seen } from './observe.ts'

/** Checks that one of the outcomes happened. `judgeRest` is called for outcomes that only say that the file is read. */
export function judgeOutcomes(
  judgement: Judgement,
  each: Case,
  observation: Observation,
  judgeRest: (judgement: Judgement) => void,
): void {
  const tries = each.acceptableOutcomes.map((outcome) => ({
    outcome,
    failures: failuresOf((inner) => judgeOutcome(inner, { outcome, each, observation, judgeRest })),
  }))
  const met = tries.find(({ failures }) => failures.length === 0)
  judgement.check(
    met !== undefined,
    tries.map(({ outcome, failures }) => `not "${outcome}": ${failures[0]!}`).join('; '),
  )
  if (met !== undefined) judgement.remark(`Outcome: ${met.outcome}`)
}

type Try = {
  readonly outcome: string
  readonly each: Case
  readonly observation: Observation
  readonly judgeRest: (judgement: Judgement) => void
}

function judgeOutcome(judgement: Judgement, attempt: Try): void {
  const { outcome, observation } = attempt
  const reported = reportsOf(observation)
  if (/^(refused|error)\b/i.test(outcome)) {
    judgement.check(
      reported.some(({ isRefusing }) => isRefusing),
      'nothing was refused',
    )
    return
  }
  judgement.check(observation.refusal === undefined, `it was refused: ${observation.refusal?.message ?? ''}`)
  if (observation.refusal !== undefined) return
  if (/\bwarning\b|\bnoted?\b/i.test(outcome)) judgement.check(reported.length > 0, 'nothing was reported')
  const isSettled = judgeFeatures(judgement, attempt)
  if (!isSettled) attempt.judgeRest(judgement)
}

/** Checks the counts, kinds and areas of an outcome; false when the oracle has nothing else to check. */
function judgeFeatures(judgement: Judgement, { outcome, each, observation }: Try): boolean {
  const seen = observation.layers.flatMap((layer) => layer.seen)
  const demands = [
    countDemand(outcome, seen),
    nullDemand(outcome, observation),
    kindDemand(outcome, seen),
    vertexDemand(outcome, seen),
    ...areaDemands(outcome, each, seen),
  ].filter((demand) => demand !== undefined)
  for (const [isMet, otherwise] of demands) judgement.check(isMet, otherwise)
  const count = /\b(\d+) features?\b/.exec(outcome)?.[1]
  const agrees = each.truth.areaHa === undefined && Number(count) === each.oracle.features
  return demands.length > 0 && !agrees
}

type Demand = readonly [isMet: boolean, otherwise: string]

const numerals: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4 }

function numberIn(text: string): number {
  return numerals[text.toLowerCase()] ?? Number(text)
}

function countDemand(outcome: string, seen: readonly Seen[]): Demand | undefined {
  const count = /\b(\d+) (?:features?|rows?|records?)\b/i.exec(outcome)?.[1]
  return count === undefined ? undefined : [seen.length === Number(count), `${seen.length} rows`]
}

function nullDemand(outcome: string, { layers }: Observation): Demand | undefined {
  const blanks = layers.flatMap((layer) => layer.seen.map(({ isBlank: blank }) => blank))
  if (/\bwithout attributes\b/i.test(outcome)) return [blanks.every(Boolean), 'there are attributes']
  const count = /\blast (\d+) with null attributes\b/i.exec(outcome)?.[1]
  if (count === undefined) return undefined
  const last = layers.at(-1)?.last
  const isLastBlank = last !== undefined && Object.values(last.values).every(isBlank)
  return [isLastBlank && blanks.filter(Boolean).length === Number(count), 'the attributes are not null there']
}

function kindDemand(outcome: string, seen: readonly Seen[]): Demand | undefined {
  const kind = /\b(MultiPolygon|Polygon) of \w+\b/.exec(outcome)?.[1]
  if (kind === undefined) return undefined
  return [seen.some(({ tidyKind }) => tidyKind === kind), `none would be published as a ${kind}`]
}

function vertexDemand(outcome: string, seen: readonly Seen[]): Demand | undefined {
  const count = /\b(\w+) vertices\b/.exec(outcome)?.[1]
  if (count === undefined) return undefined
  const vertices = seen.reduce((sum, each) => sum + each.vertices, 0)
  return [vertices === numberIn(count), `${vertices} vertices`]
}

/** An area by its name in the truth, else the truth's own, which every outcome must keep. */
function areaDemands(outcome: string, { truth }: Case, seen: readonly Seen[]): readonly Demand[] {
  const named = Object.keys(truth).find((name) => name !== 'areaHa' && outcome.includes(name))
  const expected = named === undefined ? truth.areaHa : truth[named]
  const list = (Array.isArray(expected) ? expected : [expected]).filter((each) => typeof each === 'number')
  if (list.length === 0) return []
  const failures = failuresOf((judgement) => judgeAreas(judgement, seen, list))
  return failures.length === 0 ? [[true, '']] : failures.map((failure) => [false, failure] as const)
}
