/**
 * Decides what becomes of a row, or of the rows of one record: finds the record, composes its body, checks it, and writes the outcome
 * into the stage.
 */

import { mayBeSpoilt } from '../../core/letters.ts'
import { hasError, type Problem } from '../../core/problem.ts'
import type { Place, Row } from '../../core/row.ts'
import { judgeBy, type RuledBy } from '../../core/rule.ts'
import { deletionHash, geometryOf, nameOf, readBody } from '../../ledger/content.ts'
import { isLive, type Ledger, type LedgerRecord } from '../../ledger/ledger.ts'
import type { RowDigest } from '../../ledger/source-rows.ts'
import type { Mapped } from '../../mapping/compile.ts'
import { entriesIn, type Group } from '../../resources/groups.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import { check } from '../../resources/validation.ts'
import type { NewText } from '../../rules/letters.ts'
import type { RowFacts } from '../../rules/rows.ts'
import { datasetOf, type ImportJob, type Matching } from './import-job.ts'
import { addMeasures, noteFarms, startTotals } from './row-totals.ts'
import { clearedBy, type Draft, type StageContext } from './draft-row.ts'
import { compose, identify, keptPlace, type Composed, type Identity } from './compose.ts'
import { keepDigest } from './same-rows.ts'
import { ownedFields } from './carry-over.ts'
import { addChanges, changedBoundary, changedFields, hasBoundaryIn, keptFields, type ChangedField } from './changes.ts'
import { noteStatedArea } from './stated-areas.ts'
import type { Settled } from './farm-outlines.ts'
import type { RecordAction } from './stage-store.ts'

/** What all rows of a run share while they are staged. */
export type Staging = ReturnType<typeof startStaging>
export function startStaging(job: ImportJob, context: StageContext) {
  return {
    job,
    context,
    totals: startTotals(),
    owned: ownedFields(job.mapping),
    groups: new Map<string, { drafts: Draft[]; places: Place[] }>(),
    holdings: new Map<string, Identifier>(),
    /** The rows of this batch that are the same as in the last file and of the last holding. */
    same: { start: '', rows: [] as number[], ends: [] as string[] },
    lastHolding: undefined as Identifier | undefined,
    /** True while the ledger is empty, so that no look-ups are needed. */
    isAllNew: true,
  }
}

/** Decides the outcome of a row, or of the rows of one record, and writes it into the stage. Returns what it became. */
export function settleDraft(
  draft: Draft,
  places: readonly Place[],
  staging: Staging,
  digest: RowDigest | undefined,
): { readonly key: string | null } & Partial<Settled> {
  const { mapped } = draft
  const record = findRecord(draft, staging)
  if (record === undefined) {
    staging.totals.keyless += places.length
    reject(staging, places, null, withRecordName(mapped))
    return { key: null }
  }
  const { key } = record.identity
  if (hasError(mapped.problems)) {
    reject(staging, places, key, withRecordName(mapped))
    return { key }
  }
  const composed = composeDraft(draft, record, staging)
  const { ofTexts, problems } = findingsOf(draft, { record, composed, at: places[0]! }, staging)
  if (hasError(problems)) {
    reject(staging, places, key, problems)
    return { key }
  }
  const action = keepDraft(draft, { record, composed, places, ofTexts, problems, digest }, staging)
  const hasFinding = problems.some(({ severity }) => severity !== 'note')
  return { key, body: composed.record, previous: record.previous, action, hasFinding }
}

/** The record that a row is of. Undefined without a key. */
function findRecord({ row, mapped, boundary }: Draft, staging: Staging) {
  const { job, context } = staging
  const { holding, sourceId, sources } = mapped
  if (sourceId === undefined || holding === undefined) return undefined
  const areaM2 = boundary?.measured?.areaM2 ?? 0
  const id =
    job.mapping.keyHasPlace && !staging.isAllNew
      ? keptPlace({ type: job.type, holding, sourceId, areaM2 }, context.ledger)
      : sourceId
  const given = identify(job, { holding, id, sources })
  noteHolding(staging, holding)
  const known = staging.isAllNew ? undefined : findKnown(job, context, given, sources)
  const identity = known === undefined ? given : identityIn(known, given, context.matching)
  if (known !== undefined) context.sameRows?.addOther(known.id)
  if (known === undefined) noteIdentifier(row, given, context.matching)
  const live = isLive(known) ? known : undefined
  const mayBeBack = known !== live && job.geometry === undefined
  const deleted = mayBeBack && isBack(known, mapped, context.ledger) ? known : undefined
  // A record that was found by its source id has another key than its row gives.
  const isMatched = identity.key !== given.key
  const former = live ?? deleted
  return { identity, isMatched, live, deleted, previous: former === undefined ? undefined : readBody(former.body) }
}

/**
 * Whether a pipeline deleted the record and its boundary because its row had left its file, and this is its row again, under its
 * name. What an undo deleted may be wrong, so a one-off import, and a pipeline whose only run was undone, do not count.
 */
function isBack(known: LedgerRecord | undefined, { record }: Mapped, ledger: Ledger): known is LedgerRecord {
  if (known?.hash !== deletionHash || known.pipeline === null) return false
  if (ledger.shared.fileOf(known.pipeline) === null || ledger.lastCount(known.pipeline) === undefined) return false
  const body = readBody(known.body)
  return geometryOf(body) !== undefined && (record['name'] === undefined || record['name'] === nameOf(body))
}

type FoundRecord = NonNullable<ReturnType<typeof findRecord>>

function composeDraft(
  draft: Draft,
  { identity, live, previous }: FoundRecord,
  { job, context, owned }: Staging,
): Composed {
  const { mapped, boundary } = draft
  return compose({
    type: job.type,
    identity,
    fields: mapped.record,
    boundary: job.geometry === undefined ? undefined : (boundary?.text ?? null),
    measured: boundary?.measured,
    previous,
    hash: live?.hash,
    owned,
    blank: job.blank,
    leftOut: mapped.leftOut,
    otherMoments: mapped.otherMoments,
    now: context.now,
  })
}

type ComposedRecord = { readonly record: FoundRecord; readonly composed: Composed }

/** What is found about a row once its body is known. */
function findingsOf(draft: Draft, { record, composed, at }: ComposedRecord & { readonly at: Place }, staging: Staging) {
  const { type, rules } = staging.job
  const ofTexts = textProblems(draft, { record, composed, at }, rules.texts)
  const problems = [
    draft.mapped.problems,
    ofTexts,
    check(type, composed.record).map((each) => ({ ...each, at })),
    judgeBy(rules.rows, factsOf(draft, { record, composed }, staging), at),
  ].flat()
  return { ofTexts, problems }
}

function factsOf(
  { row, mapped, boundary }: Draft,
  { record, composed }: ComposedRecord,
  { job, context }: Staging,
): RowFacts {
  const { identity, live, deleted, previous } = record
  const { type } = job
  const clears = job.blank === 'clear'
  const isMissing = job.geometry !== undefined && row.shape === null
  return {
    type,
    id: mapped.sourceId,
    key: identity.key,
    given: mapped.record,
    blank: mapped.blank,
    boundary: boundary?.text !== undefined ? 'given' : isMissing ? 'missing' : 'none in the file',
    // A pipeline without names may clear all that it has of a record.
    isAlone: live === undefined || (clears && mapped.blank.includes('/name')),
    record: composed.record,
    // A record that is back gets all that the file does not have.
    lost: deleted === undefined ? composed.lost : none,
    deletedBy: deleted?.pipeline ?? undefined,
    exported: job.mapping.isExport ? previous : undefined,
    clears,
    now: context.now,
  }
}

const none: readonly string[] = []

/** What is found about the texts that a row changes: names, and all others where one has letters that may be spoilt. */
function textProblems(
  { row, mapped: { record: fields, sourceId } }: Draft,
  { record: { previous = nothing }, composed, at }: ComposedRecord & { readonly at: Place },
  rules: RuledBy<NewText>,
): readonly Problem[] {
  const found: Problem[] = []
  const add = (path: string | undefined, now: unknown, before?: unknown): void => {
    if (typeof now !== 'string' || now === before) return
    const isReported = row.problems?.some(({ code, value }) => code === 'encoding-doubtful' && value === now) === true
    const text = { path, now, before: typeof before === 'string' ? before : undefined, isReported }
    found.push(...judgeBy(rules, text, at))
  }
  if (previous === nothing) add(undefined, sourceId)
  const written = composed.text()
  const mayReplace = previous !== nothing && /[^\x00-\x7f]/.test(written)
  if (mayReplace || written.includes('?') || written.includes('&') || mayBeSpoilt(written)) {
    eachText(fields, previous, '', add)
    return found
  }
  add('/name', fields['name'], previous['name'])
  const cropsBefore = entriesIn(previous, 'crops')
  for (const [index, { name }] of entriesIn(fields, 'crops').entries())
    add(`/crops/${index}/name`, name, cropsBefore[index]?.['name'])
  return found
}

const nothing: Group = {}

function eachText(
  now: unknown,
  before: unknown,
  path: string,
  add: (path: string, now: string, before: unknown) => void,
): void {
  if (typeof now === 'string') add(path, now, before)
  else if (typeof now === 'object' && now !== null)
    for (const [name, value] of Object.entries(now))
      eachText(value, (before as Group | null | undefined)?.[name], `${path}/${name}`, add)
}

/** Adds the record's name to problems without a cell, such as those of boundaries, so that a person can find the record. */
function withRecordName({ problems, record }: Mapped): readonly Problem[] {
  const name = record['name']
  if (typeof name !== 'string') return problems
  return problems.map((each) =>
    each.column === undefined && each.value === undefined ? { ...each, value: name } : each,
  )
}

type Sound = ComposedRecord & {
  readonly places: readonly Place[]
  readonly ofTexts: readonly Problem[]
  readonly problems: readonly Problem[]
  readonly digest: RowDigest | undefined
}

/** Writes a row without errors into the stage, and notes of it what is judged once all rows are read. */
function keepDraft(draft: Draft, sound: Sound, staging: Staging): RecordAction {
  const { record, composed, places, ofTexts, problems, digest } = sound
  const { job, context, totals } = staging
  const { row, mapped, boundary } = draft
  const { deleted, isMatched } = record
  const at = places[0]!
  const action = planAction(composed, record.live)
  if (action === 'create' && job.geometry === undefined && deleted === undefined) totals.newWithoutBoundary += 1
  if (action !== 'unchanged' && job.farmColumns !== undefined) noteFarms(totals.farmsNamed, row, job.farmColumns(row))
  const number = addReady(staging, sound, action)
  const { outline, measured, droppedDimensions } = boundary ?? {}
  const changes = changesBy(draft, { record, composed, action }, job)
  addChanges(context.stage, number, at.row, changes)
  // What a row keeps is counted each night.
  const keeps = changes.some(({ kind }) => kind === 'kept')
  const isItself =
    ofTexts.length + mapped.numericIds.length + mapped.wordedBlanks.length === 0 && !isMatched && !deleted && !keeps
  if (digest !== undefined && isItself && droppedDimensions !== true)
    keepDigest(context.stage, number, {
      digest,
      land: measured && [measured.areaM2, ...measured.bbox],
      findings: problems,
    })
  const areaM2 = measured?.areaM2 ?? 0
  if (outline !== undefined) context.boundaries?.add({ outline, about: { row: at.row, record: number }, areaM2 })
  for (const each of problems) context.stage.addProblem(each)
  if (measured !== undefined) addMeasures(totals, measured)
  // A stated area of a whole row is wrong for a part of it.
  if (row.part === undefined)
    noteStatedArea(context.statedAreas, job.areas, { row, record: () => mapped.record, areaM2 })
  return action
}

/** What a row changes in a known record. */
function changesBy(
  draft: Draft,
  { record, composed, action }: ComposedRecord & { readonly action: RecordAction },
  job: ImportJob,
): readonly ChangedField[] {
  const { live, previous } = record
  if (live === undefined || previous === undefined) return []
  const kept = job.blank === 'keep' ? keptFields(clearedBy(draft, job), previous, composed.record) : []
  // A record may be sent again with the content that it has.
  if (action !== 'update' || composed.hash() === live.hash) return kept
  const had = hasBoundaryIn(previous)
  const fields = changedFields(previous, composed.record, had || composed.hasBoundary)
  const isMoved = composed.hasBoundary ? !composed.keepsBoundary : had
  const boundary = isMoved ? [changedBoundary(previous, draft.boundary?.measured)] : []
  return [...fields, ...boundary, ...kept.filter(({ field }) => !fields.some((each) => each.field === field))]
}

export function noteHolding(staging: Staging, holding: Identifier): void {
  if (staging.lastHolding === holding) return
  staging.lastHolding = holding
  staging.holdings.set(JSON.stringify([holding.scheme, holding.id]), holding)
}

function findKnown(
  { type }: ImportJob,
  { ledger, matching }: Pick<StageContext, 'ledger' | 'matching'>,
  { key, source }: Identity,
  sources: readonly Identifier[] = [source],
): LedgerRecord | undefined {
  const matched = matching.keys.get(key)
  const known = matched === undefined ? undefined : ledger.find(matched)
  const bySource = ({ scheme, id }: Identifier) => ledger.findBySource(datasetOf({ type }), scheme, id)
  return known ?? ledger.find(key) ?? sources.map(bySource).find((each) => each !== undefined)
}

/** A matched record keeps its source id too, because its own source still finds it by that. */
function identityIn(known: LedgerRecord, given: Identity, matching: Matching): Identity {
  const { key, sourceScheme: scheme, sourceId: id } = known
  const keepsSource = matching.keys.get(given.key) === key && scheme !== null && id !== null
  return { ...given, key, ...(keepsSource ? { source: { scheme, id } } : {}) }
}

function noteIdentifier({ values }: Row, { key }: Identity, matching: Matching): void {
  const value = matching.column === undefined ? undefined : values[matching.column]
  const id = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  if (id !== '') matching.values.set(key, id)
}

/** A record that was accepted but never seen, or sent without an answer, is sent again even if its content is the same. */
function planAction(composed: Composed, known: LedgerRecord | undefined): RecordAction {
  if (known === undefined || known.state === 'missing') return 'create'
  return known.state === 'confirmed' && known.hash === composed.hash() && !known.inDoubt ? 'unchanged' : 'update'
}

function addReady({ context, job }: Staging, { record, composed, places }: Sound, action: RecordAction): number {
  const { identity, live: known } = record
  // An export has the records of other pipelines, which stay theirs.
  if (known !== undefined && known.pipeline !== job.name)
    context.stage.addOwner(identity.key, known.pipeline, job.mapping.isExport ? known.pipeline : job.name)
  const isSent = action !== 'unchanged'
  const number = context.stage.addRecord({
    key: identity.key,
    action,
    hash: known === undefined && context.isPreview ? '' : composed.hash(),
    base: known?.hash ?? null,
    sourceScheme: identity.source.scheme,
    sourceId: identity.source.id,
    modified: composed.modified,
    body: isSent ? composed.write : undefined,
    before: isSent ? known?.body : undefined,
  })
  for (const at of places) context.stage.addRow(at, isSent ? 'ready' : 'unchanged', number, identity.key)
  if (known?.state === 'accepted' && known.hash === composed.hash())
    context.stage.report('not-seen', places[0]!, {
      message: 'The service accepted this record in an earlier run but does not show it; it is sent again.',
    })
  return number
}

/** Rejects rows for these reasons. */
export function reject(
  { context }: Staging,
  places: readonly Place[],
  key: string | null,
  problems: readonly Problem[],
): void {
  for (const at of places) context.stage.addRow(at, 'rejected', null, key)
  for (const each of problems) context.stage.addProblem(each)
}
