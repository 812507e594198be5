/**
 * Stages the rows of a table: normalises boundaries, maps, composes, checks, and compares with the ledger. Nothing here talks
 * to the service, and nothing may be sent before judge.ts has checked the whole stage.
 */

import { problem, type Problem } from '../../core/problem.ts'
import type { Place, Row } from '../../core/row.ts'
import type { Boundary } from '../../geometry/boundary/boundaries.ts'
import type { Wanted } from '../../ledger/ledger-statements.ts'
import type { RowDigest } from '../../ledger/source-rows.ts'
import { fold } from '../../mapping/fold.ts'
import { dataPointKey, endOfKey, startOfKeys } from '../../resources/keys.ts'
import { noteLetters } from '../../rules/letters.ts'
import { datasetOf, type ImportJob, type Looked } from './import-job.ts'
import { addMeasures, type RowTotals } from './row-totals.ts'
import { boundedBatches, draftRow, type Draft, type Drafted, type StageContext } from './draft-row.ts'
import { identify } from './compose.ts'
import { sameGeometry } from './same-value.ts'
import { noteHolding, reject, settleDraft, startStaging, type Staging } from './settle-row.ts'
import { noteStatedArea } from './stated-areas.ts'

/** Reads the table to its end into the stage. Returns what is counted meanwhile. */
export async function stageRows(job: ImportJob, context: StageContext): Promise<RowTotals> {
  const staging = startStaging(job, context)
  const { totals } = staging
  const batches = context.stage.startBatches()
  const inOneGo = (work: () => void): void => batches.run(() => context.ledger.whileReading(work))
  try {
    for await (const { rows, boundaries, looked } of boundedBatches(job, context, totals.partsMade)) {
      context.signal?.throwIfAborted()
      inOneGo(() => {
        staging.isAllNew &&= context.ledger.isEmpty()
        const drafts = rows.map((row, index) =>
          looked[index]?.same === undefined ? draftRow(row, boundaries[index], job, context.readings) : undefined,
        )
        if (!staging.isAllNew)
          context.ledger.foresee(datasetOf(job), () => drafts.flatMap((each) => wantedFor(each, job)))
        for (const [index, row] of rows.entries()) {
          totals.read += 1
          stageRow(row, boundaries[index], { looked: looked[index], draft: drafts[index] }, staging)
        }
        keepSame(staging)
        context.stage.remember('passed', totals)
      })
      context.onRows?.(totals.read)
    }
    inOneGo(() => {
      staging.isAllNew &&= context.ledger.isEmpty()
      for (const { drafts, places } of staging.groups.values()) stageDraft(joinDrafts(drafts), places, staging)
    })
  } finally {
    batches.end()
  }
  const { stage } = context
  stage.together(() => {
    stage.remember('last problem of a row', stage.lastProblem())
    stage.remember('passed', totals)
    stage.remember('holdings', [...staging.holdings.values()])
  })
  return totals
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
  const { job, context, totals } = staging
  const { stage } = context
  if (draft === undefined) return stageSame(row, looked?.same, staging)
  if (draft.kind === 'skipped') {
    for (const each of [draft.reason, ...draft.problems]) stage.addProblem(each)
    stage.addRow(row.at, 'skipped', null, draft.reason.code === 'row-filtered' ? keyOf(row, job) : null)
    return
  }
  if (draft.kind === 'unreadable') {
    // An unreadable row may belong to any record.
    totals.keyless += 1
    if (job.rows === 'group') {
      // Without it, the other rows of its group would make a record that lacks what only this row has.
      const mapped = { ...job.mapping.apply(row), problems: draft.problems }
      if (addToGroup({ row, mapped, boundary: undefined }, staging)) return
    }
    reject(staging, [row.at], null, draft.problems)
    return
  }
  const { shape } = row
  const { mapped } = draft
  if (context.letters !== undefined) noteLetters(context.letters, row, job.mapping.columns)
  if (shape) totals.kinds[shape.kind] = (totals.kinds[shape.kind] ?? 0) + 1
  if (boundary?.droppedDimensions === true) totals.dimensionsDropped += 1
  for (const column of mapped.numericIds) totals.numericIds[column] ??= row.at.row
  for (const column of mapped.wordedBlanks) (totals.wordedBlanks[column] ??= { first: row.at.row, rows: 0 }).rows += 1
  if (job.rows === 'group' && addToGroup(draft, staging)) return
  stageDraft(draft, [row.at], staging, looked?.digest)
}

/** Adds a row to those of its record, which are staged at the end. Returns false for a row without a key. */
function addToGroup(draft: Draft, { groups }: Staging): boolean {
  const { sourceId } = draft.mapped
  if (sourceId === undefined) return false
  const group = groups.get(sourceId) ?? { drafts: [], places: [] }
  group.drafts.push(draft)
  group.places.push(draft.row.at)
  groups.set(sourceId, group)
  return true
}

/** The key of a row that is skipped, so that the report can say that its record is not missing from the file. */
function keyOf(row: Row, { mapping, type }: ImportJob): string | null {
  const { sourceId, holding } = mapping.identify(row)
  return sourceId === undefined || holding === undefined ? null : dataPointKey({ type, holding, sourceId })
}

/** Stages a row whose record is still as this row made it. */
function stageSame(row: Row, before: Looked['same'], staging: Staging): void {
  const { job, context, totals, same } = staging
  const { sourceId: id = '', holding } = job.mapping.identify(row)
  if (staging.lastHolding !== holding || same.start === '') {
    noteHolding(staging, holding!)
    const start = startOfKeys({ type: job.type, holding: holding! })
    if (start !== same.start) keepSame(staging)
    same.start = start
  }
  same.rows.push(row.at.row)
  same.ends.push(endOfKey(id))
  if (row.shape) totals.kinds[row.shape.kind] = (totals.kinds[row.shape.kind] ?? 0) + 1
  for (const each of before?.findings ?? []) context.stage.addProblem(each)
  if (before?.land === undefined) return
  const [areaM2, ...bbox] = before.land
  addMeasures(totals, { areaM2, bbox })
  noteStatedArea(context.statedAreas, job.areas, { row, record: () => job.mapping.apply(row).record, areaM2 })
}

function keepSame({ context, same }: Staging): void {
  if (same.rows.length > 0) context.stage.addSameRows(same)
  same.rows.length = 0
  same.ends.length = 0
  same.start = ''
}

/** Joins the rows of one record into the first. Their boundaries must agree; a row without one has that of the others. */
function joinDrafts(drafts: readonly Draft[]): Draft {
  const [first] = drafts as [Draft]
  const mapped = fold(drafts.map((each) => each.mapped))
  const [placed, ...others] = drafts.filter(({ boundary }) => boundary?.text !== undefined)
  if (placed === undefined) return { ...first, mapped }
  const shape = placed.row.shape!
  const found = mapped.problems.filter(({ code }) => code !== 'geometry-missing')
  const other = others.find(({ boundary }) => !isSameBoundary(boundary!.text!, placed.boundary!.text!))
  const problems = other === undefined ? found : [...found, boundariesDisagree(placed, other)]
  return { ...first, row: { ...first.row, shape }, boundary: placed.boundary, mapped: { ...mapped, problems } }
}

function isSameBoundary(one: Uint8Array, other: Uint8Array): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.equals(right) || sameGeometry(JSON.parse(left.toString()), JSON.parse(right.toString()))
}

function boundariesDisagree(one: Draft, other: Draft): Problem {
  return problem('group-disagrees', one.row.at, {
    path: '/spatialFeature',
    with: [other.row.at],
    message: 'Rows with the same key disagree about the boundary: each has another one.',
    hint: 'Correct the rows so that they agree, or give them different keys.',
  })
}

function stageDraft(draft: Draft, places: readonly Place[], staging: Staging, digest?: RowDigest): void {
  const settled = settleDraft(draft, places, staging, digest)
  const areaM2 = draft.boundary?.measured?.areaM2
  staging.job.picture?.add(draft.row, { body: draft.mapped.record, areaM2, ...settled })
}
