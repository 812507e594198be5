/** Decides what becomes of new records that may be known ones: matches them, rejects or warns of them, or stops the run. */

import { WindrowError } from '../../core/error.ts'
import { judge } from '../../core/rule.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { readBody } from '../../ledger/content.ts'
import { startOf } from '../../resources/keys.ts'
import { identifierText, type Identifier } from '../../resources/resource-type.ts'
import { sourceIds } from '../../resources/spellings.ts'
import {
  certainOf,
  duplicates,
  idRespelt,
  matchOf,
  matchUnclear,
  recordMatched,
  recordRepeated,
  recordsRenumbered,
  renumberedIn,
  versions,
  type MatchFacts,
} from '../../rules/identity.ts'
import type { MatchPolicy } from '../definition/amounts.ts'
import { unlessSlow } from '../export/find-holding.ts'
import { datasetOf, type ImportJob } from '../stage/import-job.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import { wholeFile } from '../stage/stage-store.ts'
import { candidatesIn, candidatesToMatch, newAndKnown, type NewAndKnown, type Numbered } from './candidates.ts'
import { farmNamesIfShown, find, findInRecord, type Judging } from './judging.ts'
import { findSharedLand, type SharedLand } from './shared-land.ts'

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

/**
 * Matches new rows with records that the service has under other keys. A match found means that the rows must be staged again with it;
 * only without one are the rows in doubt rejected.
 */
export async function matchRecords(judging: Judging, match: MatchPolicy) {
  const { stage, source, signal, boundaries, policy } = judging
  const isOnLand = boundaries !== undefined && match.by !== 'identifier'
  const records = newAndKnown(judging)
  const land = records && isOnLand ? await findSharedLand(stage, boundaries, signal) : undefined
  const all = records === undefined ? [] : candidatesToMatch(judging, records, land)
  const facts = matchFacts(all, match)
  const matches = facts.flatMap((each) => {
    const match = matchOf(each)
    return match === undefined ? [] : [[each.record.key, match.known.key] as const]
  })
  const place = wholeFile(source)
  const notes = matches.length === 0 ? [] : facts.flatMap((each) => judge([recordMatched], each, { policy, place }))
  let unclear = 0
  if (matches.length === 0)
    stage.together(() => {
      for (const each of facts)
        if (findInRecord(judging, [matchUnclear], { facts: each, record: each.record.number })) unclear += 1
    })
  return { found: new Map(matches), notes, unclear }
}

function matchFacts(
  all: readonly Numbered[],
  match: MatchPolicy,
): readonly (MatchFacts & { readonly record: Numbered })[] {
  const rowsOf = new Map<string, number[]>()
  for (const record of all)
    for (const { known } of certainOf(record, match.by)) {
      const rows = rowsOf.get(known.key) ?? []
      rows.push(record.at.row)
      rowsOf.set(known.key, rows)
    }
  const taken = new Set<string>()
  const facts = all.map((record) => {
    const [first] = certainOf(record, match.by)
    return { record, match, rows: first === undefined ? [] : rowsOf.get(first.known.key)!, taken }
  })
  for (const each of facts) {
    const found = matchOf(each)
    if (found !== undefined) taken.add(found.known.key)
  }
  return facts
}

type Night = {
  readonly records: NewAndKnown | undefined
  readonly land: SharedLand | undefined
  /** True for a dry run that is refused for another reason. */
  readonly isRefused: boolean
  /** Gives the keys that the last file lacked already; undefined for a retry. */
  readonly goneBefore: (() => ReadonlySet<string>) | undefined
}

/** Judges the new records that are in the service already, in another spelling, for another farm, or twice in the file. */
export async function judgeIdentity(judging: Judging, night: Night): Promise<void> {
  const { job, stage } = judging
  const candidates = candidatesIn(judging, night)
  const ofNight = {
    keyHasPlace: job.mapping.keyHasPlace,
    hasBoundaries: job.geometry !== undefined,
    farms: await farmsIn(candidates, judging),
    plural: job.type.plural,
  }
  const before = { ...ofNight, records: candidates, created: stage.countNew(), copies: undefined }
  const areRenumbered = !night.isRefused && find(judging, [recordsRenumbered], before).length > 0
  const renumbered = new Set(areRenumbered ? renumberedIn(before).map(({ record }) => record) : [])
  const left = candidates.filter((each) => !renumbered.has(each)).filter((each) => !isRejected(judging, each))
  stage.together(() => {
    for (const each of left) find(judging, [recordRepeated], each)
  })
  if (night.isRefused) return
  const created = stage.countNew()
  const copies = night.land?.copies(created)
  find(judging, [duplicates, versions], { ...ofNight, records: left, created, copies })
}

function isRejected(judging: Judging, record: Numbered): boolean {
  return findInRecord(judging, [idRespelt], { facts: record, record: record.number })
}

/** The names of the farms of new records and of those elsewhere that they may be, by what their keys begin with. */
async function farmsIn(records: readonly Numbered[], judging: Judging): Promise<ReadonlyMap<string, string>> {
  const { stage, ledger } = judging
  const farms = new Map<string, string>()
  const elsewhere = records.flatMap((record) =>
    record.candidates.flatMap(({ isOwn, known }) => (isOwn ? [] : [{ record, known }])),
  )
  if (elsewhere.length === 0) return farms
  const nameOf = await farmNamesIfShown(judging)
  const asked = new Set<string>()
  const addFarm = (key: string, body: () => string | undefined): void => {
    const start = startOf(key)
    if (asked.has(start)) return
    asked.add(start)
    const name = nameOf?.(readBody(body() ?? '{}'))
    if (name !== undefined) farms.set(start, name)
  }
  for (const { record, known } of elsewhere) {
    addFarm(record.key, () => stage.bodyOf(record.number))
    addFarm(known.key, () => ledger.find(known.key)?.body)
  }
  return farms
}

/** One page is enough: a feed that lags or was lost hides the whole farm. */
const limit = 1000

/**
 * Stops the run for a farm that seems to have no records yet, where the features of the service show those that this run
 * would create without a boundary. Asks only then, and passes a service that does not answer. The next run reads the feed from
 * its start.
 */
export async function refuseUnseen(
  { job: { type }, stage, ledger, client, signal }: Judging,
  { newWithoutBoundary }: RowTotals,
): Promise<void> {
  const { plural } = type
  const [holding, ...others] = stage.recall('holdings') ?? []
  if (client === undefined || newWithoutBoundary === 0 || holding === undefined || others.length > 0) return
  if (plural !== 'plots' && plural !== 'land-covers') return
  const shown = await unlessSlow(signal, async (patience) => {
    const ids = (await client.control(patience)).find(({ identifiers }) =>
      identifiers.some((each) => identifierText(each) === identifierText(holding)),
    )
    if (ids?.holdingId === undefined) return undefined
    for await (const page of client.features(plural, { holdingId: ids.holdingId, limit }, patience)) return page
    return undefined
  })
  const bounded = (shown ?? []).filter(({ geometry }) =>
    (geometry as { type?: string } | null)?.type?.endsWith('Polygon'),
  )
  if (bounded.length === 0) return
  const created = new Set(
    stage
      .query<Identifier>(`SELECT source_scheme AS scheme, source_id AS id FROM records WHERE action = 'create'`)
      .map(identifierText),
  )
  const count = bounded.filter(({ properties }) =>
    sourceIds((properties['agriculture'] as { meta?: unknown } | undefined)?.meta).some((each) =>
      created.has(identifierText(each)),
    ),
  ).length
  if (count === 0) return
  ledger.readAnew(datasetOf({ type }))
  throw new WindrowError(
    'service-confused',
    `The service has ${count} of these ${plural} with a boundary, but does not show them in its feed of changes. This run would take their boundaries away. Nothing was sent.`,
    {
      hint: 'Run it again later: it then reads the whole feed. If it lasts, report it to the operator of the service.',
    },
  )
}
