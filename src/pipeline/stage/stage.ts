/**
 * Stages the rows of a table: normalises boundaries, maps, composes, checks, and compares with the ledger. Nothing here talks
 * to the service, and nothing may be sent before judge.ts has checked the whole stage.
 */

import { problem, hasError, type Problem } from '../../core/problem.ts'
import type { Place, Range, Row } from '../../core/row.ts'
import type { Boundary } from '../../geometry/boundary/boundaries.ts'
import { joinBoxes, type Measured } from '../../geometry/measure/measure.ts'
import { readBody } from '../../ledger/content.ts'
import type { Wanted } from '../../ledger/ledger-statements.ts'
import { isLive, type LedgerRecord } from '../../ledger/ledger.ts'
import type { RowDigest } from '../../ledger/source-rows.ts'
import { fold } from '../../mapping/fold.ts'
import { endOfKey, startOfKeys } from '../../resources/keys.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import { datasetOf, type ImportJob, type Looked, type Matching, type Passed, type StageContext } from './import-job.ts'
import { boundedBatches, clearedBy, draftRow, joined, type Draft, type Drafted } from './draft-row.ts'
import {
  checkProblems,
  cropProblems,
  lossProblems,
  named,
  newProblems,
  sowingProblems,
  tableNotes,
} from './row-findings.ts'
import { compose, identify, keptPlace, type Composed, type Identity } from './compose.ts'
import { keepDigest } from './same-rows.ts'
import { ownedFields, type OwnedFields } from './carry-over.ts'
import { noteLetters } from '../evidence/encoding-evidence.ts'
import { noteFarms } from '../evidence/farms-named.ts'
import { lostLettersIn } from '../evidence/lost-letters.ts'
import { noteChangedValues } from '../evidence/changed-values.ts'
import { noteStatedArea } from '../evidence/stated-area.ts'
import type { Settled } from './farm-outlines.ts'
import type { RecordAction, Stage } from './stage-store.ts'

/** What is counted while rows are staged, and the holdings that they belong to. */
export type Staged = { readonly passed: Passed; readonly holdings: readonly Identifier[] }

/** Reads the table, or a range of it, to its end into the stage. */
export async function stageRows(job: ImportJob, context: StageContext, range?: Range): Promise<Staged> {
  const passed = startPassed()
  const owned = ownedFields(job.mapping.owned)
  const [groups, holdings] = [new Map(), new Map()]
  const same: Staging['same'] = { start: '', rows: [], ends: [] }
  const staging: Staging = {
    job,
    context,
    passed,
    owned,
    groups,
    holdings,
    same,
    lastHolding: undefined,
    isAllNew: true,
  }
  const batches = context.stage.startBatches()
  const inOneGo = (work: () => void): void => batches.run(() => context.ledger.whileReading(work))
  try {
    const { signal, sameRows } = context
    const wantsOutlines = context.boundaries !== undefined
    const options = { partsMade: passed.partsMade, wantsOutlines, sameRows, range, signal }
    for await (const { rows, boundaries, looked } of boundedBatches(job, options)) {
      context.signal?.throwIfAborted()
      inOneGo(() => {
        staging.isAllNew &&= context.ledger.isEmpty()
        const drafts = rows.map((row, index) =>
          looked[index]?.same === undefined ? draftRow(row, boundaries[index], job, context.readings) : undefined,
        )
        if (!staging.isAllNew)
          context.ledger.foresee(datasetOf(job), () => drafts.flatMap((each) => wantedFor(each, job)))
        for (const [index, row] of rows.entries()) {
          passed.read += 1
          stageRow(row, boundaries[index], { looked: looked[index], draft: drafts[index] }, staging)
        }
        keepSame(staging)
        context.stage.remember('passed', passed)
      })
      context.onRows?.(passed.read)
    }
    inOneGo(() => {
      staging.isAllNew &&= context.ledger.isEmpty()
      for (const { drafts, places } of staging.groups.values())
        stageDraft({ ...drafts[0]!, mapped: fold(drafts.map(({ mapped }) => mapped)) }, places, staging)
    })
  } finally {
    batches.end()
  }
  return { passed, holdings: [...staging.holdings.values()] }
}

/** The totals of no rows. */
export function startPassed(): Passed {
  return {
    read: 0,
    areaM2: 0,
    kinds: {},
    bbox: undefined,
    newWithoutBoundary: 0,
    dimensionsDropped: 0,
    numericIds: {},
    wordedBlanks: {},
    farmsNamed: {},
    keyless: 0,
    partsMade: { rows: 0, parts: 0 },
  }
}

/** Notes what only all rows together show. */
export function endRows(job: ImportJob, stage: Stage, { passed, holdings }: Staged): void {
  stage.together(() => {
    stage.remember('last problem of a row', stage.lastProblem())
    for (const each of tableNotes(passed, job)) stage.addProblem(each)
    stage.remember('passed', passed)
    stage.remember('holdings', holdings)
  })
}

type Staging = {
  readonly job: ImportJob
  readonly context: StageContext
  readonly passed: Passed
  readonly owned: OwnedFields
  readonly groups: Map<string, { drafts: Draft[]; places: Place[] }>
  readonly holdings: Map<string, Identifier>
  /** The rows of this batch that are the same as in the last file and of the last holding. */
  readonly same: { start: string; readonly rows: number[]; readonly ends: string[] }
  lastHolding: Identifier | undefined
  /** True while the ledger is empty, so that no look-ups are needed. */
  isAllNew: boolean
}

/** A row before it is compared with the ledger; without a draft it is the same as in the last file. */
type Prepared = { readonly looked: Looked | undefined; readonly draft: Drafted | undefined }

/** What the ledger will be asked about a row. */
function wantedFor(draft: Drafted | undefined, job: ImportJob): readonly Wanted[] {
  if (draft?.kind !== 'draft') return []
  const { holding, sourceId: id, sources } = draft.mapped
  return holding === undefined || id === undefined ? [] : [identify(job, { holding, id, sources })]
}

function stageRow(row: Row, boundary: Boundary | undefined, { looked, draft }: Prepared, staging: Staging): void {
  const { job, context, passed } = staging
  const { stage } = context
  if (draft === undefined) return stageSame(row, looked?.same, staging)
  if (draft.kind === 'skipped') {
    stage.addProblem(draft.reason)
    stage.addRow(row.at, 'skipped', null, null)
    return
  }
  if (draft.kind === 'unreadable') {
    // An unreadable row may belong to any record.
    passed.keyless += 1
    reject(staging, [row.at], null, draft.problems)
    return
  }
  const { shape } = row
  const { mapped } = draft
  if (context.letters !== undefined) noteLetters(context.letters, row, job.mapping.columns)
  if (shape) passed.kinds[shape.kind] = (passed.kinds[shape.kind] ?? 0) + 1
  if (boundary?.droppedDimensions === true) passed.dimensionsDropped += 1
  for (const column of mapped.numericIds) passed.numericIds[column] ??= row.at.row
  for (const column of mapped.wordedBlanks) (passed.wordedBlanks[column] ??= { first: row.at.row, rows: 0 }).rows += 1
  if (job.rows === 'group' && mapped.sourceId !== undefined) {
    const group = staging.groups.get(mapped.sourceId) ?? { drafts: [], places: [] }
    group.drafts.push(draft)
    group.places.push(row.at)
    staging.groups.set(mapped.sourceId, group)
    return
  }
  stageDraft(draft, [row.at], staging, looked?.digest)
}

/** Stages a row whose record is still as this row made it. */
function stageSame(row: Row, before: Looked['same'], staging: Staging): void {
  const { job, context, passed, same } = staging
  const { sourceId: id = '', holding } = job.mapping.identify(row)
  if (staging.lastHolding !== holding || same.start === '') {
    noteHolding(staging, holding!)
    const start = startOfKeys({ type: job.type, holding: holding! })
    if (start !== same.start) keepSame(staging)
    same.start = start
  }
  same.rows.push(row.at.row)
  same.ends.push(endOfKey(id))
  if (row.shape) passed.kinds[row.shape.kind] = (passed.kinds[row.shape.kind] ?? 0) + 1
  for (const each of before?.findings ?? []) context.stage.addProblem(each)
  if (before?.land === undefined) return
  const [areaM2, ...bbox] = before.land
  addMeasures(passed, { areaM2, bbox })
  noteStatedArea(context.statedAreas, job.areas, { row, record: () => job.mapping.apply(row).record, areaM2 })
}

function keepSame({ context, same }: Staging): void {
  if (same.rows.length > 0) context.stage.addSameRows(same)
  same.rows.length = 0
  same.ends.length = 0
  same.start = ''
}

function stageDraft(draft: Draft, places: readonly Place[], staging: Staging, digest?: RowDigest): void {
  const settled = settleDraft(draft, places, staging, digest)
  const { picture } = staging.job
  if (picture?.isFull() === false)
    picture.add(draft.row, { body: draft.mapped.record, areaM2: draft.boundary?.measured?.areaM2, ...settled })
}

/** Decides the outcome of a row, or of the rows of one record, and writes it into the stage. Returns what it became. */
function settleDraft(
  draft: Draft,
  places: readonly Place[],
  staging: Staging,
  digest: RowDigest | undefined,
): { readonly key: string | null } & Partial<Settled> {
  const { job, context, passed } = staging
  const { mapped } = draft
  const at = places[0]!
  if (mapped.sourceId === undefined || mapped.holding === undefined) {
    passed.keyless += places.length
    reject(staging, places, null, named(mapped))
    return { key: null }
  }
  const { holding, sourceId, sources } = mapped
  const areaM2 = draft.boundary?.measured?.areaM2 ?? 0
  const id =
    job.mapping.keyHasPlace && !staging.isAllNew
      ? keptPlace({ type: job.type, holding, sourceId, areaM2 }, context.ledger)
      : sourceId
  const given = identify(job, { holding, id, sources })
  noteHolding(staging, mapped.holding)
  const known = staging.isAllNew ? undefined : findKnown(job, context, given, mapped.sources)
  const identity = known === undefined ? given : identityIn(known, given, context.matching)
  if (known !== undefined) context.sameRows?.addOther(known.id)
  if (known === undefined) noteIdentifier(draft.row, given, context.matching)
  if (hasError(mapped.problems)) {
    reject(staging, places, identity.key, named(mapped))
    return { key: identity.key }
  }
  const live = isLive(known) ? known : undefined
  const previous = live === undefined ? undefined : readBody(live.body)
  const composed = compose({
    type: job.type,
    identity,
    fields: mapped.record,
    boundary: draft.hasShape ? (draft.boundary?.text ?? null) : undefined,
    measured: draft.boundary?.measured,
    previous,
    hash: live?.hash,
    owned: staging.owned,
    blank: job.blank,
    isExport: job.mapping.isExport,
    otherMoments: mapped.otherMoments,
    now: context.now,
  })
  const lostLetters = lostLettersIn(mapped.record, {
    previous,
    written: composed.text(),
    at,
    reported: draft.row.problems,
  })
  const problems = joined([
    // A pipeline without names may clear all that it has of a record.
    live === undefined || (job.blank === 'clear' && mapped.blank.includes('/name'))
      ? newProblems(draft, at, job.type)
      : mapped.problems,
    lostLetters,
    lossProblems(composed, at, job),
    checkProblems(job.type, composed, at),
    cropProblems(composed, at),
    // An export has what the service has.
    job.mapping.isExport ? [] : sowingProblems(mapped, at, context.now),
  ])
  if (hasError(problems)) {
    reject(staging, places, identity.key, problems)
    return { key: identity.key }
  }
  if (previous !== undefined)
    noteChangedValues(context.changedValues, {
      before: previous,
      now: mapped.record,
      at,
      blank: job.blank === 'clear' ? clearedBy(draft) : [],
      middle: draft.boundary?.measured?.centroid,
      boundary: draft.boundary?.text,
      isMatched: identity.key !== given.key,
    })
  const action = planAction(composed, live)
  if (action === 'create' && !draft.hasShape) passed.newWithoutBoundary += 1
  if (action !== 'unchanged' && job.farmColumns !== undefined)
    noteFarms(passed.farmsNamed, draft.row, job.farmColumns(draft.row))
  // A record that was found by its source id has another key than its row gives.
  const isItself =
    lostLetters.length + mapped.numericIds.length + mapped.wordedBlanks.length === 0 && identity.key === given.key
  const record = addReady(staging, { places, identity, composed, action, known: live })
  const { outline, measured, droppedDimensions } = draft.boundary ?? {}
  if (digest !== undefined && isItself && droppedDimensions !== true)
    keepDigest(context.stage, record, {
      digest,
      land: measured && [measured.areaM2, ...measured.bbox],
      findings: problems,
    })
  if (outline !== undefined)
    context.boundaries?.add({ outline, about: { row: at.row, record }, areaM2: measured?.areaM2 ?? 0 })
  for (const each of problems) context.stage.addProblem(each)
  if (measured !== undefined) addMeasures(passed, measured)
  // A stated area of a whole row is wrong for a part of it.
  if (draft.row.part === undefined)
    noteStatedArea(context.statedAreas, job.areas, { row: draft.row, record: () => mapped.record, areaM2 })
  return { key: identity.key, body: composed.record, previous, isUpdate: action === 'update' }
}

function noteHolding(staging: Staging, holding: Identifier): void {
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
  const matched = matching?.keys.get(key)
  const known = matched === undefined ? undefined : ledger.find(matched)
  const bySource = ({ scheme, id }: Identifier) => ledger.findBySource(datasetOf({ type }), scheme, id)
  return known ?? ledger.find(key) ?? sources.map(bySource).find((each) => each !== undefined)
}

/** A matched record keeps its source id too, because its own source still finds it by that. */
function identityIn(known: LedgerRecord, given: Identity, matching: Matching | undefined): Identity {
  const { key, sourceScheme: scheme, sourceId: id } = known
  const keepsSource = matching?.keys.get(given.key) === key && scheme !== null && id !== null
  return { ...given, key, ...(keepsSource ? { source: { scheme, id } } : {}) }
}

function noteIdentifier({ values }: Row, { key }: Identity, matching: Matching | undefined): void {
  const value = matching?.column === undefined ? undefined : values[matching.column]
  const id = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  if (id !== '') matching!.values.set(key, id)
}

/** A record that was accepted but never seen, or sent without an answer, is sent again even if its content is the same. */
function planAction(composed: Composed, known: LedgerRecord | undefined): RecordAction {
  if (known === undefined || known.state === 'missing') return 'create'
  return known.state === 'confirmed' && known.hash === composed.hash() && !known.inDoubt ? 'unchanged' : 'update'
}

type Ready = {
  readonly places: readonly Place[]
  readonly identity: Identity
  readonly composed: Composed
  readonly action: RecordAction
  readonly known: LedgerRecord | undefined
}

function addReady({ context, job }: Staging, ready: Ready): number {
  const { identity, composed, action, known } = ready
  // An export has the records of other pipelines, which stay theirs.
  if (known !== undefined && known.pipeline !== job.name)
    context.stage.addOwner(identity.key, known.pipeline, job.mapping.isExport ? known.pipeline : job.name)
  const isSent = action !== 'unchanged'
  const record = context.stage.addRecord({
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
  for (const at of ready.places) context.stage.addRow(at, isSent ? 'ready' : 'unchanged', record, identity.key)
  if (known?.state === 'accepted' && known.hash === composed.hash())
    context.stage.addProblem(
      problem('not-seen', ready.places[0]!, {
        message: 'The service accepted this record in an earlier run but does not show it; it is sent again.',
      }),
    )
  return record
}

function reject(
  { context }: Staging,
  places: readonly Place[],
  key: string | null,
  problems: readonly Problem[],
): void {
  for (const at of places) context.stage.addRow(at, 'rejected', null, key)
  for (const each of problems) context.stage.addProblem(each)
}

function addMeasures(passed: Passed, { areaM2, bbox }: Pick<Measured, 'areaM2' | 'bbox'>): void {
  passed.areaM2 += areaM2
  passed.bbox = passed.bbox === undefined ? bbox : joinBoxes(passed.bbox, bbox)
}
