/** Lists what a staged run changes, record by record: which fields, from what to what, and how much land a boundary moves by. */

import type { TypeOf } from '../../core/object-schema.ts'
import type { Value } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { landApartM2 } from '../../geometry/coverage/common-land.ts'
import { distanceKm } from '../../geometry/crs/area.ts'
import { areaOf, measure } from '../../geometry/measure/measure.ts'
import { boundaryOf, contentOfBody, differingMembers, geometryOf, readBody, type Body } from '../../ledger/content.ts'
import { flattener } from '../../resources/columns.ts'
import { idInKey } from '../../resources/keys.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { titleOf } from '../../resources/titles.ts'
import type { BoundaryChange, FieldChange } from '../../web/changes-table.ts'
import { restorePipeline } from '../definition/kept-pipeline.ts'
import type { Stage } from '../stage/stage-store.ts'
import { changeKinds, type changesSchema } from './changes-schema.ts'
import type { Report } from './report.ts'

export type Change = TypeOf<typeof changesSchema>['changes'][number]
export type ChangeKind = Change['kind']
export type RecordUpdate = Extract<Change, { kind: 'updated' }>
type RejectedRow = Extract<Change, { kind: 'rejected' }>

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
  const { type } = restorePipeline(kept)
  for (const page of stage.pages<Planned>(plannedRecords, actions[kind]))
    for (const { id, key, before } of page) {
      const had = before === null ? undefined : readBody(before)
      const text = kind === 'created' || kind === 'updated' ? stage.bodyOf(id) : undefined
      if (kind === 'updated' && text === undefined) continue
      const body = text === undefined ? undefined : readBody(text)
      const name = (body ?? had)?.['name']
      const named = { key, id: idInKey(key), ...(typeof name === 'string' ? { name } : {}) }
      if (kind !== 'updated') yield { kind, ...named }
      else yield { kind, ...named, ...differences(type, had ?? {}, body ?? {}) }
    }
  if (kind === 'unchanged')
    for (const page of stage.pages<Same>(sameRecords))
      for (const { start, ends } of page)
        for (const end of JSON.parse(ends) as readonly string[])
          yield { kind, key: `${start}${end}`, id: idInKey(`${start}${end}`) }
}

type Planned = { readonly id: number; readonly key: string; readonly before: string | null }
const plannedRecords = `SELECT id, key, before FROM records WHERE action = ? AND id > ? ORDER BY id LIMIT ${perPage}`

type Same = { readonly id: number; readonly start: string; readonly ends: string }
const sameRecords = 'SELECT id, start, ends FROM same_rows WHERE id > ? ORDER BY id LIMIT 1'

/** The number of changes of each kind as staged, also in a run that was stopped. */
export function countChanges(stage: Stage): Readonly<Record<ChangeKind, number>> {
  const counted = stage.query<{ action: string; n: number }>(
    `SELECT action, count(*) AS n FROM records GROUP BY action
     UNION ALL SELECT 'unchanged', coalesce(sum(count), 0) FROM same_rows
     UNION ALL SELECT outcome, count(*) FROM rows WHERE outcome = 'rejected' GROUP BY outcome`,
  )
  const numbers = new Map<string, number>()
  for (const { action, n } of counted) numbers.set(action, (numbers.get(action) ?? 0) + n)
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

type Rejected = Readonly<Record<'layer' | 'key' | 'code' | 'message', string | null>> & {
  readonly id: number
  readonly row: number
}

function* rejectedRows(stage: Stage): Generator<RejectedRow> {
  stage.change('CREATE INDEX IF NOT EXISTS problems_by_row ON problems (row)')
  const rejected = `SELECT rows.rowid AS id, rows.row, rows.layer, key, code, json_extract(detail, '$.message') AS message
    FROM rows LEFT JOIN problems ON problems.id = (SELECT min(id) FROM problems
      WHERE problems.row = rows.row AND problems.layer IS rows.layer AND severity = 'error')
    WHERE outcome = 'rejected' AND rows.rowid > ? ORDER BY rows.rowid LIMIT ${perPage}`
  for (const page of stage.pages<Rejected>(rejected))
    for (const { row, layer, key, code, message } of page)
      yield {
        kind: 'rejected',
        row,
        ...(layer === null ? {} : { layer }),
        ...(key === null ? {} : { key, id: idInKey(key) }),
        ...(code === null ? {} : { code }),
        ...(message === null ? {} : { message }),
      }
}

function differences(type: ResourceType, before: Body, after: Body): Pick<RecordUpdate, 'fields' | 'boundary'> {
  const [was, is] = [geometryOf(before), geometryOf(after)]
  const hasBoundary = was !== undefined || is !== undefined
  const fields = differingFields(type, contentOfBody(before, hasBoundary), contentOfBody(after, hasBoundary))
  if (was !== is) return { fields, boundary: boundaryChange(boundaryOf(before), boundaryOf(after)) }
  return { fields: fields.length === 0 ? rawDifferences(before, after) : fields }
}

function differingFields(type: ResourceType, before: Body, after: Body): FieldChange[] {
  const flat = flattener(type)
  flat.see(before)
  flat.see(after)
  const [{ columns } = { columns: [] }] = flat.tables()
  const [[was = {}] = []] = flat.rows(before)
  const [[is = {}] = []] = flat.rows(after)
  return columns
    .filter(({ name }) => was[name] !== is[name])
    .map(({ name: field }) => ({ field, ...valued('before', was[field]), ...valued('after', is[field]) }))
}

/** Content that no column shows, such as the same area in another unit. */
function rawDifferences(before: Body, after: Body): FieldChange[] {
  return differingMembers(before, after, 'all').map((member) => ({
    field: titleOf(member),
    ...valued('before', JSON.stringify(before[member])),
    ...valued('after', JSON.stringify(after[member])),
  }))
}

function valued(name: 'before' | 'after', value: Value): Partial<FieldChange> {
  return value === undefined || value === null || value === '' || typeof value === 'object' ? {} : { [name]: value }
}

function boundaryChange(before: Shape | undefined, after: Shape | undefined): BoundaryChange {
  const beforeM2 = before && areaOf(before)
  const afterM2 = after && areaOf(after)
  const movedM2 = before && after ? landApartM2(before, after) : (beforeM2 ?? afterM2)
  const given = Object.entries({ beforeM2, afterM2, movedM2 }).filter(([, areaM2]) => areaM2 !== undefined)
  const areApart = movedM2 !== undefined && movedM2 > 0.9999 * ((beforeM2 ?? 0) + (afterM2 ?? 0))
  const movedKm = before && after && areApart ? wayKm(before, after) : undefined
  return {
    ...Object.fromEntries(given.map(([name, areaM2]) => [name, Math.round(areaM2! * 100) / 100])),
    ...(movedKm === undefined ? {} : { movedKm: Math.round(movedKm * 1000) / 1000 }),
  }
}

function wayKm(...shapes: readonly [Shape, Shape]): number {
  const [from, to] = shapes.map((shape) => measure(shape).centroid)
  return distanceKm({ lon: from![0], lat: from![1] }, { lon: to![0], lat: to![1] })
}
