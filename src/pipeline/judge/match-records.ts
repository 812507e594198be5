/**
 * Matches new rows with records that the service has under other keys, by the pipeline's `match`. Only pairs without a doubt are
 * matched; rows in doubt are rejected, never created.
 */

import { settingText } from '../../core/setting-text.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { MatchPolicy } from '../definition/amounts.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { ImportJob } from '../stage/import-job.ts'
import { placeOf, type Stage } from '../stage/stage-store.ts'
import type { Judging } from '../settle/judging.ts'
import { haveSameName, inWords, newAndHeld, type HeldRecord, type NewAndHeld, type NewRecord } from './new-and-held.ts'
import { findSharedLand, matesOf, percent, samePaddock, type Mate, type SharedLand } from './shared-land.ts'

/** The records found, by the keys of the new rows, with a note for each; and how many rows are in doubt. */
export type Matched = Awaited<ReturnType<typeof matchRecords>>

/** Starts with the matches of earlier runs. */
export function startMatching(job: ImportJob, policy: MatchPolicy | undefined, ledger: Ledger) {
  const column = policy?.by === 'identifier' ? policy.column : undefined
  return { keys: new Map(ledger.matches(matchScope(job))), column, values: new Map<string, string>() }
}

/** Whose matches a run uses: two programs may give the same id to different paddocks, so each source has its own. */
export function matchScope({ sourceScheme, name }: Pick<ImportJob, 'sourceScheme' | 'name'>): string {
  return sourceScheme ?? name
}

/** A match found means that the rows must be staged again with it; only without one are the rows in doubt rejected. */
export async function matchRecords(judging: Judging, policy: MatchPolicy) {
  const { stage, source, signal, boundaries } = judging
  const none = { found: new Map<string, string>(), notes: [] as readonly Problem[] }
  const both = newAndHeld(judging)
  if (both === undefined) return { ...none, unclear: 0 }
  const isOnLand = boundaries !== undefined && policy.by !== 'identifier'
  const land = isOnLand ? await findSharedLand(stage, boundaries, signal) : undefined
  const { matches, doubts } = decide(both, candidatesBy(policy, both, { land, values: judging.matching.values }))
  if (matches.length === 0) {
    rejectAll(judging, doubts)
    return { ...none, unclear: doubts.length }
  }
  const notes = matches.map(([record, held]) => {
    const share = matesOf(record, both, land).find((each) => each.held === held)?.share
    const message = `This row is the record ${inWords(held)} of the service, by ${evidenceOf(policy, share)}.`
    return problem('record-matched', placeOf(record, source), { value: record.name, message })
  })
  return { found: new Map(matches.map(([record, held]) => [record.key, held.key])), notes, unclear: 0 }
}

/** Empties the stage of all rows, and of the problems after this one, to stage the file again. */
export function startOver(stage: Stage, afterProblem: number, notes: readonly Problem[]): void {
  stage.together(() => {
    for (const table of ['rows', 'records', 'changes', 'same_rows', 'digests', 'owners'])
      stage.change(`DELETE FROM ${table}`)
    stage.change('DELETE FROM problems WHERE id > ?', afterProblem)
    for (const each of notes) stage.addProblem(each)
  })
}

function evidenceOf(policy: MatchPolicy, share: number | undefined): string {
  if (policy.by === 'identifier') return `the identifier in "${policy.column}"`
  const overlap = share === undefined ? '' : ` (overlap ${percent(share)})`
  return policy.by === 'name' ? `its name${overlap}` : `its boundary${overlap}`
}

/** `certain`: the same by the policy. `doubtful`: on the same land only in part, or without a share of the same name elsewhere. */
type Candidates = { readonly certain: readonly HeldRecord[]; readonly doubtful: readonly Mate[] }

// Two are enough to be in doubt, and a file may have ten thousand rows of one name.
const mostNamed = 2

function candidatesBy(
  policy: MatchPolicy,
  both: NewAndHeld,
  { land, values }: { readonly land: SharedLand | undefined; readonly values: ReadonlyMap<string, string> },
): (record: NewRecord) => Candidates {
  switch (policy.by) {
    case 'boundary':
      return (record) => {
        const mates = matesOf(record, both, land)
        const certain = mates.filter(({ share }) => share >= samePaddock).map(({ held }) => held)
        return { certain, doubtful: mates.filter(({ share }) => share < samePaddock) }
      }
    case 'name':
      return (record) => {
        const { bare, bounded } = both.namesakesOf(record)
        const mates = matesOf(record, both, land)
          .map((each) => each.held)
          .filter((each) => haveSameName(each, record))
        const certain = [...bare.slice(0, mostNamed), ...(record.hasBoundary ? mates : bounded.slice(0, mostNamed))]
        return { certain, doubtful: bounded.slice(0, mostNamed).map((each) => ({ held: each })) }
      }
    case 'identifier': {
      const byId = new Map<string, HeldRecord[]>()
      const place = (holding: string, id: string): string => `${holding}${id.trim()}`
      for (const each of both.held.values())
        for (const id of each.identifiers) {
          const its = byId.get(place(each.holding, id)) ?? []
          if (its.length < mostNamed) byId.set(place(each.holding, id), [...its, each])
        }
      return ({ key, holding }) => {
        const value = values.get(key)
        return { certain: (value === undefined ? undefined : byId.get(place(holding, value))) ?? [], doubtful: [] }
      }
    }
  }
}

type Doubt = ReturnType<typeof decide>['doubts'][number]

function decide({ fresh }: NewAndHeld, candidatesOf: (record: NewRecord) => Candidates) {
  const all = [...fresh.values()].map((record) => ({ record, ...candidatesOf(record) }))
  const wanted = Map.groupBy(
    all.flatMap(({ record, certain }) => certain.map((held) => ({ record, held }))),
    ({ held }) => held,
  )
  const matches = all.flatMap(({ record, certain: [only, ...others] }) =>
    only !== undefined && others.length === 0 && !only.isInFile && wanted.get(only)!.length === 1
      ? [[record, only] as const]
      : [],
  )
  const matched = new Set(matches.map(([record]) => record))
  const taken = new Set(matches.map(([, held]) => held))
  const doubts = all.flatMap(({ record, certain, doubtful }) => {
    if (matched.has(record)) return []
    const why = certain.length > 0 ? whyUnclear(certain, wanted) : whyDoubtful(doubtful, taken)
    return why === undefined ? [] : [{ record, message: why }]
  })
  return { matches, doubts }
}

function whyUnclear(
  certain: readonly HeldRecord[],
  wanted: ReadonlyMap<HeldRecord, readonly { readonly record: NewRecord }[]>,
): string {
  const [only, ...others] = certain
  if (others.length > 0) return `This row could be ${certain.slice(0, 3).map(inWords).join(' or ')}.`
  if (only!.isInFile) return `This row could be ${inWords(only!)}, which is in the file already under its own key.`
  const rows = wanted.get(only!)!
  const few = rows.slice(0, 5).map(({ record }) => record.row)
  const more = rows.length > few.length ? ` and ${rows.length - few.length} more` : ''
  return `The rows ${few.join(', ')}${more} could all be ${inWords(only!)}.`
}

/** Undefined if each of them is another row of the file. */
function whyDoubtful(doubtful: readonly Mate[], taken: ReadonlySet<HeldRecord>): string | undefined {
  const left = doubtful.filter(({ held }) => !held.isInFile && !taken.has(held)).slice(0, 3)
  if (left.length === 0) return undefined
  if (left[0]!.share === undefined)
    return `This row has the name of ${left.map(({ held }) => inWords(held)).join(' and ')}, but lies elsewhere.`
  const mates = left.map(({ held, share }) => `${inWords(held)}, overlap ${percent(share ?? 0)}`)
  return `This row shares land with ${mates.join(', and with ')}: was the paddock split, merged or redrawn?`
}

function rejectAll({ stage, source, job: { settingsIn } }: Judging, doubts: readonly Doubt[]): void {
  stage.together(() => {
    for (const { record, message } of doubts)
      stage.reject(
        record.id,
        problem('match-unclear', placeOf(record, source), {
          value: record.name,
          message,
          hint: `Match by a column with ids that the service knows:  ${settingText(settingsIn, 'match: <COLUMN>=identifier', '--match COLUMN=identifier')}. If it is a new record, run it again without ${settingText(settingsIn, '"match"', '--match')}: the rows that were matched stay matched.`,
        }),
      )
  })
}
