/** Reads the boundary, fields and problems of one row, without regard to other rows or the service. */

import { hasLostLetters } from '../../core/letters.ts'
import { hasError, problem, type Code, type Problem } from '../../core/problem.ts'
import { settingOf, type Row } from '../../core/row.ts'
import { judgeBy } from '../../core/rule.ts'
import { noValueIn } from '../../core/values/no-value.ts'
import { isTotal } from '../../core/values/total-words.ts'
import { withBoundaries, withoutBoundaries, type Boundary, type Bounded } from '../../geometry/boundary/boundaries.ts'
import type { Mapped } from '../../mapping/compile.ts'
import type { Readings } from '../../mapping/readings.ts'
import { partKey, partRows, type PartsMade } from './part-rows.ts'
import { filterText } from '../definition/row-filter.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { BoundaryStore } from './boundary-store.ts'
import type { Evidence, ImportJob, Looked, Matching } from './import-job.ts'
import type { SameRows } from './same-rows.ts'
import type { Stage } from './stage-store.ts'

export type StageContext = Readonly<Evidence> & {
  readonly stage: Stage
  readonly ledger: Ledger
  readonly now: string
  readonly signal?: AbortSignal | undefined
  readonly matching: Matching
  readonly sameRows?: SameRows | undefined
  /** The boundaries to compare with each other at the end. */
  readonly boundaries?: BoundaryStore | undefined
  readonly onRows?: ((rows: number) => void) | undefined
  /** True without a connection: the stage can never be sent, so new records get no content hash. */
  readonly isPreview: boolean
}

/** A row that is to become a record, or part of one. */
export type Draft = {
  readonly row: Row
  readonly mapped: Mapped
  readonly boundary: Boundary | undefined
}

/** A row as a draft, skipped with a reason and what else was found, or unreadable with its problems. */
export type Drafted =
  | ({ readonly kind: 'draft' } & Draft)
  | { readonly kind: 'skipped'; readonly reason: Problem; readonly problems: readonly Problem[] }
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }

/** A batch of rows with their boundaries, and what was recognised of each row. */
type LookedBatch = Bounded & { readonly looked: readonly (Looked | undefined)[] }

/** The rows of the job's table with their boundaries. `partsMade` counts the parts that became rows. */
export async function* boundedBatches(
  job: ImportJob,
  { boundaries, sameRows, signal }: Pick<StageContext, 'boundaries' | 'sameRows' | 'signal'>,
  partsMade: PartsMade,
): AsyncGenerator<LookedBatch> {
  const { table, geometry: policy } = job
  const all = table.batches(signal)
  // With blank: clear, a row without a geometry takes the boundary away from its record.
  const read = job.blank === 'clear' ? all : withoutEmptyShapes(all)
  // A batch is looked at when it is read, and waits for its boundaries with the ones before it.
  const looks: LookedBatch['looked'][] = []
  const batches = lookedAt(job.partsApart ? partRows(read, partsMade) : read, (rows) =>
    looks.push(rows.map((row) => sameRows?.look(row))),
  )
  const wants = (row: Row, index: number): boolean =>
    !hasError(row.problems) &&
    skipOf(row) === undefined &&
    job.keep?.(row) !== false &&
    looks.at(-1)![index]?.same === undefined
  const bounded =
    policy === undefined
      ? withoutBoundaries(batches)
      : withBoundaries(batches, {
          policy,
          wants,
          wantsOutlines: boundaries !== undefined,
          expected: sameRows?.knowsRows === true ? undefined : table.count,
        })
  for await (const batch of bounded) yield { ...batch, looked: looks.shift()! }
}

/** A geometry without positions, as GeoJSON may have it, is none (RFC 7946, 3.1). */
async function* withoutEmptyShapes(batches: AsyncIterable<readonly Row[]>) {
  for await (const rows of batches) yield rows.map((row) => (hasNoPositions(row.shape) ? { ...row, shape: null } : row))
}

function hasNoPositions(shape: Row['shape']): boolean {
  return !!shape && shape.coordinates.length === 0 && (shape.members ?? []).every(hasNoPositions)
}

async function* lookedAt(batches: AsyncIterable<readonly Row[]>, look: (rows: readonly Row[]) => void) {
  for await (const rows of batches) {
    look(rows)
    yield rows
  }
}

/** Drafts a row. `readings` counts the cells that fit the pipeline's formats and other formats. */
export function draftRow(found: Row, boundary: Boundary | undefined, job: ImportJob, readings?: Readings): Drafted {
  const skipped = skipOf(found)
  if (skipped !== undefined) return { kind: 'skipped', reason: skipped, problems: none }
  const row = weighed(found, job)
  const { problems: faults = none } = row
  // Nobody knows whether to take such a row.
  const isUnsure = ({ code, column = '' }: Problem): boolean =>
    job.choosing.includes(column) || (job.keep !== undefined && shifting.includes(code))
  if (faults.some((each) => each.severity === 'error' && isUnsure(each)))
    return { kind: 'unreadable', problems: faults }
  if (job.keep?.(row) === false) {
    const problems = spoiltWords(row, job)
    if (hasError(problems)) return { kind: 'unreadable', problems: [...faults, ...problems] }
    const message =
      job.mapping.isExport && job.only.some(({ column }) => column === 'Deleted')
        ? 'The record of this row was deleted. An import does not publish it again.'
        : 'The filter "only" skips this row.'
    return { kind: 'skipped', reason: problem('row-filtered', row.at, { message }), problems }
  }
  if (hasError(faults)) return { kind: 'unreadable', problems: faults }
  const mapped = ofPart(withRowNumberAsId(job.mapping.apply(row, boundary?.measured, readings), row, job), row.part)
  if (!row.shape && mapped.sourceId !== undefined && isTotal(mapped.sourceId)) {
    const message = `The row is a total, not a record: its id is "${mapped.sourceId}".`
    return {
      kind: 'skipped',
      reason: problem('row-footer', row.at, { value: mapped.sourceId, message }),
      problems: none,
    }
  }
  // A boundary that cannot be used has said so; that the key lacks its place says nothing more.
  const isSaid = job.mapping.keyHasPlace && hasError(boundary?.problems)
  const ofCells = isSaid ? mapped.problems.filter(({ code }) => code !== 'key-missing') : mapped.problems
  const problems = [readerProblems(row, job), boundary?.problems ?? none, ofCells].flat()
  return { kind: 'draft', row, mapped: problems.length === 0 ? mapped : { ...mapped, problems }, boundary }
}

/** The reader's problems, and those of lost letters. The reader only warns of them, because it does not know which columns matter. */
function readerProblems({ at, values, problems = [] }: Row, { table, mapping, rules }: ImportJob): readonly Problem[] {
  const found: Problem[] = []
  for (const column of mapping.columns) {
    const value = values[column]
    if (typeof value !== 'string' || !hasLostLetters(value)) continue
    const encoding = settingOf(table.choices, 'from.encoding')
    found.push(...judgeBy(rules.cells, { column, value, encoding }, at))
  }
  if (found.length === 0) return problems
  const isSaid = (column: string | undefined): boolean => found.some((each) => each.column === column)
  return [...problems.filter(({ code, column }) => code !== 'encoding-doubtful' || !isSaid(column)), ...found]
}

/** What is found about a row that the filter leaves out only because a word came with spoilt letters: its record must not count as gone. */
function spoiltWords({ values, at }: Row, { only, rules }: ImportJob): readonly Problem[] {
  const missed = only
    .map(({ column, oneOf }) => ({ column, oneOf, value: filterText(values[column]) }))
    .filter(({ value, oneOf }) => !oneOf.includes(value))
  return judgeBy(rules.words, missed, at)
}

const none: readonly Problem[] = []
/** The cells of such a row may be under the wrong names. */
const shifting: readonly Code[] = ['row-ragged', 'row-unreadable']
const skipReasons: readonly Code[] = ['row-blank', 'row-footer', 'header-again', 'row-filtered']

function skipOf({ problems }: Row): Problem | undefined {
  return problems?.find((each) => skipReasons.includes(each.code))
}

function ofPart(mapped: Mapped, part: number | undefined): Mapped {
  return part === undefined || mapped.sourceId === undefined
    ? mapped
    : { ...mapped, sourceId: partKey(mapped.sourceId, part) }
}

/** The fields of a row with nothing in them. */
export function clearedBy({ mapped, row }: Draft, { geometry }: ImportJob): readonly string[] {
  return geometry !== undefined && row.shape === null ? [...mapped.blank, '/spatialFeature'] : mapped.blank
}

/** Wrong cells, of which a reader does not know whether their column matters. */
const ofCells: readonly Code[] = ['cell-error', 'date-impossible', 'value-not-fitting-column', 'formula-not-calculated']

/**
 * The row, with its wrong cells weighed: in a column that is not used they are warnings. A formula without a result is an error where
 * its blank would clear a value, or leave out the row.
 */
function weighed(row: Row, { mapping, choosing, blank }: ImportJob): Row {
  const errorText = choosing.find((column) => noValueIn(row.values[column]) === 'error')
  if (row.problems === undefined && errorText === undefined) return row
  const problems = (row.problems ?? []).map((each) => {
    const { code, column } = each
    if (column === undefined || !ofCells.includes(code)) return each
    const isChoosing = choosing.includes(column)
    if (!isChoosing && !mapping.columns.includes(column)) return { ...each, severity: 'warning' as const }
    if (code !== 'formula-not-calculated' || (!isChoosing && blank !== 'clear')) return each
    const message = 'The cell contains a formula whose result was never calculated, so its value is unknown.'
    return { ...each, severity: 'error' as const, message }
  })
  if (errorText !== undefined) {
    const about = { column: errorText, value: row.values[errorText] as string }
    const message = `The cell shows ${about.value.trim()} instead of a value.`
    problems.push(problem('cell-error', row.at, { ...about, message }))
  }
  return { ...row, problems }
}

/** Uses the row number as a placeholder for the key, so that a dry run can show the rest. */
function withRowNumberAsId(mapped: Mapped, row: Row, job: ImportJob): Mapped {
  if (!job.keyIsStandIn || mapped.sourceId !== undefined) return mapped
  const flagged = problem('key-stand-in', row.at, {
    message: 'The record has no id; the row number is used as a placeholder, so it cannot be published.',
    hint: 'Name the column that is different in every row:  key: <COLUMN>',
  })
  return { ...mapped, sourceId: `row ${row.at.row}`, problems: [...mapped.problems, flagged] }
}
