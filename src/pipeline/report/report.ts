/** Makes the report of a run: counts every number from the stage, and checks that the sums add up. */

import type { TypeOf } from '../../core/object-schema.ts'
import type { Code, Severity } from '../../core/problem.ts'
import { problemOf, type Receipt, type Stage, type StoredProblem } from '../stage/stage-store.ts'
import type { ReportView } from '../../web/report-page.ts'
import { meaningOf } from '../../rules/index.ts'
import type { reportSchema } from './report-schema.ts'

type Schema = TypeOf<typeof reportSchema>
export type Outcome = Schema['outcome']

export type ProblemGroup = ReturnType<typeof groupProblems>[number]

/** Rows are corrected if they were rejected or refused and are in the service now, and rejected if they still are. */
export type Retried = NonNullable<Schema['retries']>

/** Why a run stopped early. */
export type RunError = { readonly code: string; readonly message: string; readonly hint?: string | undefined }

/** An error as a report has it: a WindrowError would lose its message as JSON. */
export function errorFacts({ code, message, hint }: RunError) {
  return { code, message, ...(hint === undefined ? {} : { hint }) }
}

/** What the run knows beyond its stage. */
export type ReportFacts = Pick<
  ReportView,
  'run' | 'pipeline' | 'started' | 'undoes' | 'retry' | 'apply' | 'undo' | 'exit' | 'choices' | 'unseen' | 'unchecked'
> & {
  readonly ended: string
  /** When the plan was applied, if the run was planned first. */
  readonly applied?: string | undefined
  /** The books of the run whose rejected rows this run sent, corrected. */
  readonly retries?: Retried | undefined
  readonly outcome: Outcome
  /** True for a run that was never going to send, also if it stopped before its end. */
  readonly dryRun?: true | undefined
  readonly error?: RunError | undefined
  readonly source: ReportView['source'] & {
    readonly format: string
    readonly kinds: Readonly<Record<string, number>>
    readonly bbox?: readonly number[] | undefined
  }
  readonly target: ReportView['target'] & { readonly connection?: string | undefined }
  readonly files: Readonly<Record<string, string>>
}

/** The content of report.json; report-schema.ts has its schema. */
export type Report = ReturnType<typeof makeReport>

const shownOfEach = 50

// Grouping would sort the rows.
const outcomes = `SELECT count(*) FILTER (WHERE outcome = 'ready') AS ready, count(*) FILTER (WHERE outcome = 'unchanged') AS unchanged,
  count(*) FILTER (WHERE outcome = 'rejected') AS rejected, count(*) FILTER (WHERE outcome = 'skipped') AS skipped FROM rows`

/** Counts the stage, and the answers that it could not keep, into a report. Throws if the sums do not add up, because that is a bug of windrow. */
export function makeReport(stage: Stage, unkept: readonly Receipt[], facts: ReportFacts) {
  const totals = stage.recall('passed')
  const [counted] = stage.query<Record<'ready' | 'unchanged' | 'rejected' | 'skipped', number>>(outcomes)
  const rows = { read: totals?.read ?? 0, ...counted! }
  rows.unchanged += stage.countSameRows()
  const { records, gone, accepted } = countRecords(stage, unkept, facts.outcome === 'dry-run')
  const report = {
    windrow: 'report' as const,
    version: 1 as const,
    kind: 'import' as const,
    ...facts,
    rows,
    records,
    gone,
    areaM2: totals?.areaM2 ?? 0,
    statedArea: stage.recall('stated-area'),
    coverage: stage.recall('coverage') ?? undefined,
    accepted,
    problems: groupProblems(stage, facts.source.name),
  }
  const isComplete = stage.isComplete || facts.outcome === 'done' || facts.outcome === 'dry-run'
  if (isComplete) assertBalanced(report)
  return report
}

/** Throws unless every row and every record of a complete run is accounted for exactly once. */
export function assertBalanced({ rows, records, gone }: Pick<Report, 'rows' | 'records' | 'gone'>): void {
  const sums: readonly (readonly [string, number, number])[] = [
    ['rows', rows.read, rows.ready + rows.unchanged + rows.rejected + rows.skipped],
    ['records', records.ready, records.created + records.updated + records.refused + records.unsent],
    ['gone', gone.gone, gone.deleted + gone.kept],
  ]
  const wrong = sums.filter(([, whole, parts]) => whole !== parts)
  if (wrong.length > 0)
    throw new Error(
      `The books do not balance: ${wrong.map(([name, whole, parts]) => `${name} ${whole} ≠ ${parts}`).join(', ')}`,
    )
}

type Counted = { action: string; receipt: string | null; n: number }

function countRecords(stage: Stage, unkept: readonly Receipt[], isWouldBe: boolean) {
  const kept = stage.query<Counted>(
    `SELECT action, receipts.state AS receipt, count(*) AS n FROM records
     LEFT JOIN receipts ON receipts.record = records.id GROUP BY action, receipts.state`,
  )
  const more = stage.query<Counted>(
    `SELECT action, value ->> 'state' AS receipt, count(*) AS n FROM json_each(?) JOIN records ON records.id = value ->> 'record'
     WHERE records.id NOT IN (SELECT record FROM receipts) GROUP BY 1, 2`,
    JSON.stringify(unkept),
  )
  const counted = [...kept, ...more, ...more.map(({ action, n }) => ({ action, receipt: null, n: -n }))]
  const sum = (test: (each: Counted) => boolean): number =>
    counted.filter(test).reduce((total, each) => total + each.n, 0)
  const isSending = (each: Counted): boolean => each.action === 'create' || each.action === 'update'
  // A dry run counts each planned record as if the service had accepted it.
  const isTaken = (each: Counted): boolean => (isWouldBe ? each.receipt === null : each.receipt === 'accepted')
  const isUnsent = (each: Counted): boolean => !isTaken(each) && each.receipt !== 'refused'
  return {
    records: {
      ready: sum(isSending),
      created: sum((each) => each.action === 'create' && isTaken(each)),
      updated: sum((each) => each.action === 'update' && isTaken(each)),
      refused: sum((each) => isSending(each) && each.receipt === 'refused'),
      unsent: sum((each) => isSending(each) && isUnsent(each)),
      unchanged: sum((each) => each.action === 'unchanged') + stage.countSameRows(),
    },
    gone: {
      gone: sum((each) => each.action === 'delete' || each.action === 'keep'),
      deleted: sum((each) => each.action === 'delete' && isTaken(each)),
      kept: sum((each) => each.action === 'keep' || (each.action === 'delete' && !isTaken(each))),
    },
    accepted: sum((each) => each.receipt === 'accepted'),
  }
}

function groupProblems(stage: Stage, source: string) {
  const groups = stage.query<{ code: Code; severity: Severity; n: number }>(
    `SELECT code, severity, count(*) AS n FROM problems GROUP BY code, severity
     ORDER BY CASE severity WHEN 'stop' THEN 0 WHEN 'error' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END, n DESC, code`,
  )
  return groups.map(({ code, severity, n }) => ({
    code,
    severity,
    meaning: meaningOf(code),
    count: n,
    first: stage
      .query<StoredProblem>(
        `SELECT layer, row, "column" AS name, detail FROM problems WHERE code = ? AND severity = ? ORDER BY row, id LIMIT ${shownOfEach}`,
        code,
        severity,
      )
      .map((each) => problemOf(each, { code, severity, source })),
  }))
}
