/**
 * Hides the way of a row into the stage: read, boundary normalised, mapped, composed, checked, planned against the ledger.
 * Nothing here talks to the service, and nothing staged may be sent before judge.ts has seen the whole.
 */

import { problem, hasError, type Problem, type ProblemCode } from '../core/problem.ts'
import { isBlank, type Place, type Row, type Table } from '../core/row.ts'
import type { Normalised } from '../geometry/normalise.ts'
import type { Body } from '../ledger/content.ts'
import { isLive, type Ledger, type LedgerRecord } from '../ledger/ledger.ts'
import type { Mapped, Mapping } from '../mapping/compile.ts'
import { fold } from '../mapping/fold.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import { check } from '../resources/validation.ts'
import { ownedFields, type BlankPolicy, type OwnedFields } from './carry-over.ts'
import type { Picture } from './picture.ts'
import { compose, identify, type Composed, type Identity } from './compose.ts'
import type { RecordAction, Stage } from './stage-store.ts'

/** All that a stage needs to know about one import. */
export type ImportJob = {
  readonly name: string
  readonly type: ResourceType
  readonly table: Table
  readonly mapping: Mapping
  readonly normalise: ((shape: NonNullable<Row['shape']>, at: Place) => Normalised) | undefined
  readonly keep: ((row: Row) => boolean) | undefined
  readonly rows: 'one' | 'group'
  readonly sourceScheme: string | undefined
  readonly blank: BlankPolicy
  /** The column, or columns, that the key comes from, for messages. */
  readonly keyColumn: string
  /** True when a row number stands in for the key: good for looking, never for publishing. */
  readonly keyIsStandIn: boolean
  readonly picture: Picture | undefined
}

export type StageContext = {
  readonly stage: Stage
  readonly ledger: Ledger
  readonly now: string
  readonly signal?: AbortSignal | undefined
  readonly onRows?: ((rows: number) => void) | undefined
}

/** What the rows added up to while they passed, each counted where it happened. */
export type Passed = {
  read: number
  areaM2: number
  readonly kinds: Record<string, number>
  bbox: [number, number, number, number] | undefined
  dimensionsDropped: number
  /** The columns whose numbers became identifiers, each with the first row of it. */
  readonly numericIds: Record<string, number>
  keyless: number
}

type Draft = {
  readonly row: Row
  readonly mapped: Mapped
  readonly normalised: Normalised | undefined
  readonly hasShape: boolean
}

/** Reads the table to its end into the stage. */
export async function stageRows(job: ImportJob, context: StageContext): Promise<Passed> {
  const passed: Passed = {
    read: 0,
    areaM2: 0,
    kinds: {},
    bbox: undefined,
    dimensionsDropped: 0,
    numericIds: {},
    keyless: 0,
  }
  const owned = ownedFields(job.mapping.owned)
  const staging: Staging = { job, context, passed, owned, groups: new Map(), holdings: new Map() }
  const inOneGo = (work: () => void): void => context.stage.together(() => context.ledger.whileReading(work))
  for await (const batch of job.table.batches(context.signal)) {
    context.signal?.throwIfAborted()
    inOneGo(() => {
      for (const row of batch) {
        passed.read += 1
        stageRow(row, staging)
      }
      context.stage.remember('passed', passed)
    })
    context.onRows?.(passed.read)
  }
  inOneGo(() => {
    for (const { drafts, places } of staging.groups.values()) stageGroup(drafts, places, staging)
    for (const each of tableNotes(passed, job.table.name)) context.stage.addProblem(each)
    context.stage.remember('passed', passed)
    context.stage.remember('holdings', [...staging.holdings.values()])
  })
  return passed
}

/** What would be noise on every row is said once for the table. */
function tableNotes(passed: Passed, source: string): readonly Problem[] {
  const at: Place = { source, row: -1 }
  const notes = Object.entries(passed.numericIds).map(([column, row]) =>
    problem(
      'id-from-number',
      { source, row },
      {
        column,
        message: `The column "${column}" holds numbers that became identifiers; zeros in front, if there were any, are lost.`,
        hint: 'If the identifiers begin with zeros, format the column as text in the file.',
      },
    ),
  )
  if (passed.dimensionsDropped === 0) return notes
  const message = `The heights or measures of ${passed.dimensionsDropped} boundaries were left out.`
  return [
    ...notes,
    problem('dimensions-dropped', at, { message, hint: 'To keep heights:  geometry: { heights: keep }' }),
  ]
}

type Staging = {
  readonly job: ImportJob
  readonly context: StageContext
  readonly passed: Passed
  readonly owned: OwnedFields
  readonly groups: Map<string, { drafts: Draft[]; places: Place[] }>
  readonly holdings: Map<string, Identifier>
}

const skipReasons: readonly ProblemCode[] = ['row-blank', 'row-footer', 'row-filtered']

function stageRow(row: Row, staging: Staging): void {
  const { job, context, passed } = staging
  const { stage } = context
  const skipped = row.problems?.find((each) => skipReasons.includes(each.code))
  if (skipped !== undefined || job.keep?.(row) === false) {
    stage.addProblem(skipped ?? problem('row-filtered', row.at, { message: 'The pipeline leaves this row out.' }))
    stage.addRow(row.at, 'skipped', null, null)
    return
  }
  if (hasError(row.problems)) {
    // What could not be read may be any record.
    passed.keyless += 1
    reject(staging, [row.at], null, row.problems ?? [])
    return
  }
  const { shape } = row
  if (isTotal(row)) {
    stage.addProblem(problem('row-footer', row.at, { message: 'The row is a total, not a record.' }))
    stage.addRow(row.at, 'skipped', null, null)
    return
  }
  const normalised = shape && job.normalise ? job.normalise(shape, row.at) : undefined
  const mapped = standIn(job.mapping.apply(row, normalised?.measured), row, job)
  if (shape) passed.kinds[shape.kind] = (passed.kinds[shape.kind] ?? 0) + 1
  if (normalised?.droppedDimensions === true) passed.dimensionsDropped += 1
  for (const column of mapped.numericIds) passed.numericIds[column] ??= row.at.row
  const without = job.normalise !== undefined && shape === null ? [withoutBoundary(row)] : []
  const problems = [...(row.problems ?? []), ...without, ...(normalised?.problems ?? []), ...mapped.problems]
  const draft: Draft = { row, mapped: { ...mapped, problems }, normalised, hasShape: job.normalise !== undefined }
  if (job.rows === 'group' && mapped.sourceId !== undefined) {
    const group = staging.groups.get(mapped.sourceId) ?? { drafts: [], places: [] }
    group.drafts.push(draft)
    group.places.push(row.at)
    staging.groups.set(mapped.sourceId, group)
    return
  }
  stageDraft(draft, [row.at], staging)
}

/** Most programs write the sum of a column below it, named in the first cell and with little else in the row. */
function isTotal({ values, shape }: Row): boolean {
  if (shape) return false
  const filled = Object.values(values).filter((value) => !isBlank(value))
  const [first] = filled
  if (
    typeof first !== 'string' ||
    !/^(?:grand |sub)?total(?:s|en|e)?:?$|^(?:sum|summe|gesamt|totaal)e?:?$/i.test(first.trim())
  )
    return false
  return filled.length * 2 <= Object.keys(values).length + 1
}

function withoutBoundary({ at }: Row): Problem {
  return problem('geometry-missing', at, {
    severity: 'warning',
    message:
      'The row has no boundary, as the others have; a new record goes out without one, a known one keeps its own.',
  })
}

/** Without a key the row's number stands in, so that a dry run can show the rest. */
function standIn(mapped: Mapped, row: Row, job: ImportJob): Mapped {
  if (!job.keyIsStandIn || mapped.sourceId !== undefined) return mapped
  const flagged = problem('key-stand-in', row.at, {
    message: 'The record has no key of its own; its row number stands in, which is no good for publishing.',
    hint: 'Name the column that tells one record from another with --key COLUMN.',
  })
  return { ...mapped, sourceId: `row ${row.at.row}`, problems: [...mapped.problems, flagged] }
}

function stageGroup(drafts: readonly Draft[], places: readonly Place[], staging: Staging): void {
  const [first] = drafts
  if (first === undefined) return
  const mapped = fold(drafts.map((each) => each.mapped))
  stageDraft({ ...first, mapped }, places, staging)
}

function stageDraft(draft: Draft, places: readonly Place[], staging: Staging): void {
  const tone = settleDraft(draft, places, staging)
  const name = draft.mapped.record['name']
  staging.job.picture?.add(draft.row, tone, `${draft.row.at.row}  ${typeof name === 'string' ? name : ''}`.trim())
}

/** Decides what becomes of a row, or of the rows of one record, and writes it into the stage. */
function settleDraft(draft: Draft, places: readonly Place[], staging: Staging): 'ready' | 'unchanged' | 'rejected' {
  const { job, context, passed } = staging
  const { mapped } = draft
  const at = places[0]!
  if (mapped.sourceId === undefined || mapped.holding === undefined) {
    passed.keyless += places.length
    reject(staging, places, null, named(mapped))
    return 'rejected'
  }
  const given = identify(job.type, mapped.holding, mapped.sourceId, job.sourceScheme)
  staging.holdings.set(JSON.stringify([mapped.holding.scheme, mapped.holding.id]), mapped.holding)
  const dataset = job.type.dataset ?? job.type.plural
  const known =
    context.ledger.find(given.key) ?? context.ledger.findBySource(dataset, given.source.scheme, given.source.id)
  const identity = known === undefined ? given : { ...given, key: known.key }
  if (hasError(mapped.problems)) {
    reject(staging, places, identity.key, named(mapped))
    return 'rejected'
  }
  const live = isLive(known) ? known : undefined
  const composed = compose({
    type: job.type,
    identity,
    fields: mapped.record,
    shape: draft.hasShape ? (draft.normalised?.shape ?? null) : undefined,
    centroid: draft.normalised?.measured?.centroid,
    previous: live === undefined ? undefined : (JSON.parse(live.body) as Body),
    owned: staging.owned,
    blank: job.blank,
    now: context.now,
  })
  const problems = [...mapped.problems, ...lossProblems(composed, at), ...checkProblems(job.type, composed, at)]
  if (hasError(problems)) {
    reject(staging, places, identity.key, problems)
    return 'rejected'
  }
  const action = planAction(composed, live)
  addReady(staging, { places, identity, composed, action, known: live })
  for (const each of problems) context.stage.addProblem(each)
  addMeasures(passed, draft.normalised)
  return action === 'unchanged' ? 'unchanged' : 'ready'
}

/** A problem with a boundary has no cell to show; the record's name tells a person which one it is. */
function named({ problems, record }: Mapped): readonly Problem[] {
  const name = record['name']
  if (typeof name !== 'string') return problems
  return problems.map((each) =>
    each.column === undefined && each.value === undefined ? { ...each, value: name } : each,
  )
}

/** What was accepted but never seen, or posted with no answer, is sent again even when its content is the same. */
function planAction(composed: Composed, known: LedgerRecord | undefined): RecordAction {
  if (known === undefined || known.state === 'missing') return 'create'
  return known.hash === composed.hash && known.state === 'confirmed' && !known.inDoubt ? 'unchanged' : 'update'
}

type Ready = {
  readonly places: readonly Place[]
  readonly identity: Identity
  readonly composed: Composed
  readonly action: RecordAction
  readonly known: LedgerRecord | undefined
}

function addReady({ context }: Staging, ready: Ready): void {
  const { identity, composed, action, known } = ready
  const isSent = action !== 'unchanged'
  const record = context.stage.addRecord({
    key: identity.key,
    action,
    hash: composed.hash,
    base: known?.hash ?? null,
    sourceScheme: identity.source.scheme,
    sourceId: identity.source.id,
    modified: composed.modified,
    body: isSent ? composed.body : undefined,
    before: isSent ? known?.body : undefined,
  })
  for (const at of ready.places) context.stage.addRow(at, isSent ? 'ready' : 'unchanged', record, identity.key)
  if (known?.state === 'accepted' && known.hash === composed.hash)
    context.stage.addProblem(
      problem('not-seen', ready.places[0]!, {
        message: 'The service accepted this record in an earlier run but has not shown it since; it is sent again.',
      }),
    )
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

function lossProblems(composed: Composed, at: Place): readonly Problem[] {
  return composed.lost.map((path) =>
    problem('would-lose-field', at, {
      path,
      message: `The record has a value for ${pathInWords(path)} and this row would empty it.`,
      hint: 'Fill the cell, or say what a blank cell means:  blank: keep  or  blank: clear  (--blank on the command line).',
    }),
  )
}

function pathInWords(path: string): string {
  if (path === '/spatialFeature') return 'its boundary'
  return `"${path.slice(1).replaceAll('/*', '').replaceAll('/', ' ')}"`
}

function checkProblems(type: ResourceType, composed: Composed, at: Place): readonly Problem[] {
  const findings = check(type, composed.record)
  if (findings.length === 0) return []
  return findings.map(({ code, severity, ...rest }) => problem(code, at, { severity, ...rest }))
}

function addMeasures(passed: Passed, normalised: Normalised | undefined): void {
  const measured = normalised?.measured
  if (measured === undefined) return
  passed.areaM2 += measured.areaM2
  const [west, south, east, north] = measured.bbox
  const box = passed.bbox
  passed.bbox =
    box === undefined
      ? [west, south, east, north]
      : [Math.min(box[0], west), Math.min(box[1], south), Math.max(box[2], east), Math.max(box[3], north)]
}
