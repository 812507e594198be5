/** Decides what becomes of new records that may be known ones: matches them, rejects or warns of them, or stops the run. */

import { WindrowError } from '../../core/error.ts'
import { judge } from '../../core/rule.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { readBody } from '../../ledger/content.ts'
import { identifierText, type Identifier } from '../../resources/resource-type.ts'
import { sourceIds } from '../../resources/spellings.ts'
import {
  certainOf,
  duplicates,
  idRespelt,
  matchUnclear,
  recordMatched,
  recordRepeated,
  recordsRenumbered,
  renumberedIn,
  versions,
  type NightFacts,
} from '../../rules/identity.ts'
import type { MatchPolicy } from '../definition/amounts.ts'
import { unlessSlow } from '../export/find-holding.ts'
import { datasetOf, type ImportJob } from '../stage/import-job.ts'
import type { RowTotals } from '../stage/row-totals.ts'
import { wholeFile } from '../stage/stage-store.ts'
import { candidatesIn, newAndKnown, type Compared } from './candidates.ts'
import { farmNamesIfShown, find, findAndReject, type Judging } from './judging.ts'
import { findSharedLand } from './shared-land.ts'

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
  const { job, stage, source, signal, boundaries } = judging
  const { policy } = job
  const records = newAndKnown(judging)
  const isOnLand = records !== undefined && match.by !== 'identifier'
  const land = isOnLand && boundaries ? await findSharedLand(stage, boundaries, signal) : undefined
  const all = records === undefined ? [] : candidatesIn(judging, { records, land })
  const claims = Map.groupBy(
    all.flatMap((record) => certainOf(record, match.by).map(({ known }) => ({ key: known.key, row: record.at.row }))),
    ({ key }) => key,
  )
  const facts = all.map((record) => {
    const [first] = certainOf(record, match.by)
    return { record, match, rows: claims.get(first?.known.key ?? '') ?? [] }
  })
  const matched = facts.flatMap((each) => recordMatched.find(each) ?? [])
  const found = new Map(matched.map(({ facts: { record }, candidate }) => [record.key, candidate.known.key]))
  const place = wholeFile(source)
  if (found.size > 0)
    return { found, notes: facts.flatMap((each) => judge([recordMatched], each, { policy, place })), unclear: 0 }
  const reject = () => facts.filter((each) => findAndReject(judging, [matchUnclear], each, { record: each.record.id }))
  return { found, notes: [], unclear: stage.together(reject).length }
}

type Night = Compared & {
  /** True for a dry run that is refused for another reason. */
  readonly isRefused: boolean
}

/** Judges the new records that are in the service already, in another spelling, for another farm, or twice in the file. */
export async function judgeIdentity(judging: Judging, night: Night): Promise<void> {
  const { job, stage, ledger } = judging
  const all = candidatesIn(judging, night)
  const areElsewhere = all.some(({ candidates }) => candidates.some(({ isOwn }) => !isOwn))
  const nameOf = areElsewhere ? await farmNamesIfShown(judging) : undefined
  const facts: NightFacts = {
    records: all,
    created: stage.countNew(),
    keyHasPlace: job.mapping.keyHasPlace,
    hasBoundaries: job.geometry !== undefined,
    farmOf: (record) =>
      nameOf?.(readBody(('id' in record ? stage.bodyOf(record.id) : ledger.find(record.key)?.body) ?? '{}')),
    copies: undefined,
    plural: job.type.plural,
  }
  const areRenumbered = !night.isRefused && find(judging, [recordsRenumbered], facts).length > 0
  const renumbered = new Set(areRenumbered ? renumberedIn(facts).map(({ record }) => record) : [])
  const records = stage.together(() =>
    all.filter((each) => {
      if (renumbered.has(each) || findAndReject(judging, [idRespelt], each, { record: each.id })) return false
      find(judging, [recordRepeated], each)
      return true
    }),
  )
  if (night.isRefused) return
  const created = stage.countNew()
  find(judging, [duplicates, versions], { ...facts, records, created, copies: night.land?.copies(created) })
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
  const created = new Set(
    stage
      .query<Identifier>(`SELECT source_scheme AS scheme, source_id AS id FROM records WHERE action = 'create'`)
      .map(identifierText),
  )
  const count = (shown ?? []).filter(({ geometry, properties }) => {
    const { meta } = (properties['agriculture'] ?? {}) as { readonly meta?: unknown }
    const isNew = sourceIds(meta).some((each) => created.has(identifierText(each)))
    return isNew && (geometry as { readonly type?: string } | null)?.type?.endsWith('Polygon')
  }).length
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
