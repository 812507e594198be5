/** Lists what a staged run changes, record by record: which fields, from what to what, and how much land a boundary moves by. */

import type { TypeOf } from '../../core/object-schema.ts'
import type { Value } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { landApartM2 } from '../../geometry/coverage/common-land.ts'
import { measure } from '../../geometry/measure/measure.ts'
import { boundaryOf, nameOf, readBody, type Body } from '../../ledger/content.ts'
import { flattener } from '../../resources/columns.ts'
import { idInKey } from '../../resources/keys.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { titleOfField } from '../../resources/titles.ts'
import { kmBetween } from '../../rules/changes.ts'
import type { BoundaryChange, Cell, FieldChange } from '../../web/changes-table.ts'
import { restorePipeline } from '../definition/kept-pipeline.ts'
import type { Stage } from '../stage/stage-store.ts'
import { changeKinds, type changesSchema } from './changes-schema.ts'
import type { Report } from './report.ts'

export type Change = TypeOf<typeof changesSchema>['changes'][number]
export type ChangeKind = Change['kind']
export type RecordUpdate = Extract<Change, { kind: 'updated' }>

const actions = {
  created: 'create',
  updated: 'update',
  deleted: 'delete',
  kept: 'keep',
  unchanged: 'unchanged',
} as const
// A page has whole bodies, and a boundary may be large.
const perPage = 50

/** The changes of one kind in the order of the file, read from the stage page by page. */
export function changesOf(stage: Stage, kind: 'updated'): Generator<RecordUpdate>
export function changesOf(stage: Stage, kind: ChangeKind): Generator<Change>
export function* changesOf(stage: Stage, kind: ChangeKind): Generator<Change> {
  if (kind === 'rejected') return yield* rejectedRows(stage)
  const kept = stage.recall('kept pipeline')
  if (kept === undefined) return
  if (kind === 'updated') return yield* updatedRecords(stage, restorePipeline(kept).type)
  for (const page of stage.pages<Planned>(plannedRecords, actions[kind]))
    for (const { id, key, before } of page) {
      const body = (kind === 'created' ? stage.bodyOf(id) : undefined) ?? before
      yield { kind, key, id: idInKey(key), ...given({ name: body === null ? undefined : nameOf(readBody(body)) }) }
    }
  if (kind === 'unchanged')
    for (const page of stage.pages<Same>(sameRecords))
      for (const { start, ends } of page)
        for (const end of JSON.parse(ends) as readonly string[])
          yield { kind, key: `${start}${end}`, id: idInKey(`${start}${end}`) }
}

/** The members that have a value. */
function given<Members extends object>(members: Members) {
  const some = Object.entries(members).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(some) as { readonly [Name in keyof Members]?: NonNullable<Members[Name]> }
}

type Planned = { readonly id: number; readonly key: string; readonly before: string | null }
const plannedRecords = `SELECT id, key, before FROM records WHERE action = ? AND id > ? ORDER BY id LIMIT ${perPage}`

type Same = { readonly id: number; readonly start: string; readonly ends: string }
const sameRecords = 'SELECT id, start, ends FROM same_rows WHERE id > ? ORDER BY id LIMIT 1'

/** The number of changes of each kind as staged, also in a run that was stopped. */
export function countChanges(stage: Stage): Readonly<Record<ChangeKind, number>> {
  const counted = stage.query<{ action: string; n: number }>(
    `SELECT action, sum(n) AS n FROM (SELECT action, 1 AS n FROM records
     UNION ALL SELECT 'unchanged', count FROM same_rows
     UNION ALL SELECT outcome, 1 FROM rows WHERE outcome = 'rejected') GROUP BY action`,
  )
  const numbers = new Map(counted.map(({ action, n }) => [action, n]))
  const counts = changeKinds.map((kind) => [kind, numbers.get(kind === 'rejected' ? kind : actions[kind]) ?? 0])
  return Object.fromEntries(counts) as Record<ChangeKind, number>
}

/** The JSON document of all changes, in pieces; changes-schema.ts has its schema. */
export function* changesDocument(report: Report, stage: Stage): Generator<string> {
  const { run, pipeline, outcome, exit, error } = report
  const facts = { run, pipeline, outcome, exit, ...(error && { error }), counts: countChanges(stage) }
  const head = { windrow: 'changes', version: 1, ...facts }
  yield `${JSON.stringify(head).slice(0, -1)},"changes":[`
  let delimiter = '\n'
  for (const kind of changeKinds)
    for (const change of changesOf(stage, kind)) {
      yield `${delimiter}${JSON.stringify(change)}`
      delimiter = ',\n'
    }
  yield '\n]}\n'
}

type Rejected = Record<'id' | 'row', number> & Record<'layer' | 'key' | 'code' | 'message', string | null>

function* rejectedRows(stage: Stage): Generator<Change> {
  stage.change('CREATE INDEX IF NOT EXISTS problems_by_row ON problems (row)')
  const rejected = `SELECT rows.rowid AS id, rows.row, rows.layer, key, code, json_extract(detail, '$.message') AS message
    FROM rows LEFT JOIN problems ON problems.id = (SELECT min(id) FROM problems
      WHERE problems.row = rows.row AND problems.layer IS rows.layer AND severity = 'error')
    WHERE outcome = 'rejected' AND rows.rowid > ? ORDER BY rows.rowid LIMIT ${perPage}`
  for (const page of stage.pages<Rejected>(rejected))
    for (const { row, layer, key, code, message } of page)
      yield { kind: 'rejected', row, ...given({ layer, key, id: key && idInKey(key), code, message }) }
}

/** The fields of updated records, as the stage has them; a boundary is compared by the bodies. */
function* updatedRecords(stage: Stage, type: ResourceType): Generator<RecordUpdate> {
  for (const page of stage.pages<Updated>(updated))
    for (const { id, key, before, lines } of page) {
      const body = stage.bodyOf(id)
      if (body === undefined) continue
      const [had, has] = [before === null ? {} : readBody(before), readBody(body)]
      const { fields, hasOtherBoundary } = fieldsOf(type, JSON.parse(lines) as readonly Line[])
      const boundary = hasOtherBoundary && { boundary: boundaryChange(boundaryOf(had), boundaryOf(has)) }
      yield { kind: 'updated', key, id: idInKey(key), ...given({ name: nameOf(has) }), fields, ...boundary }
    }
}

type Updated = { readonly id: number; readonly key: string; readonly before: string | null; readonly lines: string }
type Line = readonly [field: string, before: unknown, now: unknown]
const updated = `SELECT id, key, before, (SELECT json_group_array(json_array(field, json(changes.before), json(now)))
    FROM changes WHERE record = id AND kind <> 'kept') AS lines
  FROM records WHERE action = 'update' AND id > ? ORDER BY id LIMIT ${perPage}`

/** The fields as an export titles and spells them. */
function fieldsOf(type: ResourceType, lines: readonly Line[]) {
  const others = lines.filter(([field]) => field !== '/spatialFeature')
  const flat = flattener(type)
  const bodies = ([1, 2] as const).map((at) => {
    const body: Body = {}
    for (const line of others) put(body, line[0], line[at])
    flat.see(body)
    return body
  })
  const [{ columns } = { columns: [] }] = flat.tables()
  const [was, is] = bodies.map((body) => flat.rows(body)[0]?.[0] ?? {})
  const shown = columns
    .filter(({ name }) => was![name] !== is![name])
    .map(({ name: field }) => ({ field, ...given({ before: shownValue(was![field]), after: shownValue(is![field]) }) }))
  const hasOtherBoundary = others.length < lines.length
  // Content that no column shows, such as the same area in another unit.
  const isHidden = shown.length === 0 && !hasOtherBoundary
  return { fields: isHidden ? others.map(writtenChange) : shown, hasOtherBoundary }
}

/** Puts a value into a body, with empty entries for those of lists that are the same. */
function put(body: Body, field: string, value: unknown): void {
  const steps = field.split('/').slice(1)
  const last = steps.pop()!
  let group = body as Record<string, unknown>
  for (const [index, step] of steps.entries()) {
    const isList = /^\d+$/.test(steps[index + 1] ?? last)
    group = (group[step] ??= isList ? [] : {}) as Record<string, unknown>
    if (Array.isArray(group)) while (group.length <= Number(steps[index + 1] ?? last)) group.push({})
  }
  if (value !== null && value !== undefined) group[last] = value
}

function writtenChange([field, ...values]: Line): FieldChange {
  const [before, after] = values.map((value) => (value === null ? undefined : JSON.stringify(value)))
  return { field: titleOfField(field), ...given({ before, after }) }
}

function shownValue(value: Value): Cell | undefined {
  return value === '' || typeof value === 'object' ? undefined : value
}

function boundaryChange(before: Shape | undefined, after: Shape | undefined): BoundaryChange {
  const [was, is] = [before, after].map((shape) => shape && measure(shape))
  const [beforeM2, afterM2] = [was?.areaM2, is?.areaM2]
  const movedM2 = before && after ? landApartM2(before, after) : (beforeM2 ?? afterM2)
  const areApart = was && is && movedM2! > 0.9999 * (was.areaM2 + is.areaM2)
  const movedKm = areApart ? rounded(kmBetween(was, is), 1000) : undefined
  return given({ beforeM2: rounded(beforeM2), afterM2: rounded(afterM2), movedM2: rounded(movedM2), movedKm })
}

function rounded(amount: number | undefined, parts = 100): number | undefined {
  return amount && Math.round(amount * parts) / parts
}
