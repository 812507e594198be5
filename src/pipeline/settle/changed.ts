/** Reads from the stage what a file changes in known records, counts it by field and farm, and runs the rules about it. */

import { isObject } from '../../core/values/exact-json.ts'
import type { Measured } from '../../geometry/measure/measure.ts'
import { readBody } from '../../ledger/content.ts'
import { farmOfStart, idInKey } from '../../resources/keys.ts'
import {
  areaLeap,
  blankRules,
  causeRules,
  changeRules,
  dayOf,
  fewest,
  idsMoved,
  isOtherValue,
  resownField,
  turnedDay,
  type ColumnFacts,
  type FarmCount,
  type ValueChange,
} from '../../rules/changes.ts'
import { far } from '../../rules/place.ts'
import { valueIn, type ChangedField } from '../stage/changes.ts'
import { startOfKey, type Stage } from '../stage/stage-store.ts'
import { find, type Judging } from './judging.ts'

export type ChangesAsked = {
  /** False for the corrected rows of a run: a few rows say nothing about a column. */
  readonly isWhole: boolean
  /** What the reader says about merged cells. */
  readonly merged: string | undefined
  /** True where another rule judges boundaries that move far. */
  readonly mayMove: boolean
  /** The records that this run has matched. */
  readonly matched: ReadonlySet<string>
  /** The digest of the pipeline in its last run. */
  readonly lastDefinition: () => string | undefined
}

/** Finds what is odd about the changes of known records. */
export function judgeChanges(judging: Judging, asked: ChangesAsked): void {
  const { stage, source } = judging
  if (stage.query('SELECT 1 FROM changes LIMIT 1').length === 0) return
  const farms = knownByFarm(stage)
  const { columns: counted, areas } = countFields(judging, farms, asked)
  const columns = asked.isWhole ? factsOf(judging, counted, farms, asked) : []
  const causes = [...find(judging, [idsMoved], columns), ...columns.flatMap((each) => find(judging, causeRules, each))]
  const explained = new Set(causes.map(({ path }) => path))
  if (stage.query(`SELECT 1 FROM problems WHERE code = '${far.id}'`).length > 0) explained.add('/spatialFeature')
  for (const column of columns) find(judging, explained.has(column.field) ? blankRules : columnRules, column)
  if (explained.has('/totalArea')) return
  for (const change of areas) find(judging, [areaLeap], { at: { source, row: change.row }, ...change })
}

const columnRules = [...changeRules, ...blankRules]
/** How many known records of each farm are in the file, by the start of their keys. */
type Farms = ReadonlyMap<string, number>

const isKnown = `action IN ('update', 'unchanged') AND base IS NOT NULL`
/** So many changes, or records, show what happened to a farm, and memory stays flat. */
const mostKept = 1000

function knownByFarm(stage: Stage): Farms {
  const counted = stage.query<{ start: string; known: number }>(
    `SELECT start, sum(n) AS known FROM
       (SELECT ${startOfKey} AS start, 1 AS n FROM records WHERE ${isKnown} UNION ALL SELECT start, count FROM same_rows)
     GROUP BY start`,
  )
  return new Map(counted.map(({ start, known }) => [start, known]))
}

/** The changes by farm: how many, and the first. */
type ByFarm = Map<string, { changed: number; readonly first: ValueChange[] }>
type Columns = Map<string, ReturnType<typeof noChanges>>

type StoredChanges = Record<'id' | 'row', number> & Record<'key' | 'fields', string>
const changesByRecord = `SELECT record AS id, key, min(row) AS row, json_group_array(json_object(
      'field', field, 'kind', kind, 'before', json(changes.before), 'now', json(now))) AS fields
  FROM changes CROSS JOIN records ON records.id = record
  WHERE ${isKnown} AND record > ? GROUP BY record ORDER BY record LIMIT 1000`

function countFields({ stage, job, now: today }: Judging, farms: Farms, { matched }: ChangesAsked) {
  const columns: Columns = new Map()
  const areas: ValueChange[] = []
  for (const page of stage.pages<StoredChanges>(changesByRecord))
    for (const { key, row, fields } of page) {
      const [start, id] = [farmIn(key, farms), idInKey(key)]
      const changed = JSON.parse(fields) as readonly ChangedField[]
      const resown = resownCrops(changed)
      for (const { field, kind, before, now } of changed) {
        const column = columnIn(columns, field)
        if (kind === 'filled') column.filled += 1
        else if (kind !== 'changed') {
          column.blank += 1
          column.isKept = kind === 'kept'
        } else {
          const change = { before, now, row, id, isPlanned: Date.parse(String(before)) > Date.parse(today) }
          if (field === '/totalArea' && areas.length < mostKept) areas.push(change)
          if (field === '/spatialFeature' && !doBoxesMeet(before as Measured, now as Measured))
            addTo(column.elsewhere, start, change)
          const isOwn =
            job.mapping.measured.has(field) || /^\/(?:centroid$|meta\/)/.test(field) || isOfFarm(key, change)
          // A record that the file knows under another id may have another name there, too.
          if (isOwn || (field === '/name' && matched.has(key)) || !isOtherValue(field, change)) continue
          column.changed += 1
          if (column.changes.length < mostKept) column.changes.push(change)
          if (!resown.some((crop) => field.startsWith(`${crop}/`))) addTo(column.farms, start, change)
        }
      }
      const [crop] = resown
      if (crop === undefined) continue
      const [before, now] = (['before', 'now'] as const).map((when) => cropText(changed, crop, when))
      addTo(columnIn(columns, resownField).farms, start, { before, now, row, id })
    }
  return { columns, areas }
}

/** The crops of a record that come with a later day of sowing and are not harvested before it, as JSON pointers. */
function resownCrops(fields: readonly ChangedField[]): readonly string[] {
  return fields.flatMap(({ field, kind, before, now }) => {
    const [, crop] = /^(\/crops\/\d+)\/establishmentDate$/.exec(field) ?? []
    const sown = dayOf(now)
    const isLater = sown !== undefined && (kind === 'filled' || (dayOf(before) ?? '') < sown) && kind !== 'cleared'
    const isEnded = (other: ChangedField): boolean =>
      other.field.startsWith(`${crop}/`) && other.kind === 'changed' && (dayOf(other.now) ?? sown!) < sown!
    return crop !== undefined && isLater && !fields.some(isEnded) ? [crop] : []
  })
}

/** True for identifiers of which only that of the farm is another one: windrow writes it. */
function isOfFarm(key: string, { before, now }: ValueChange): boolean {
  const { scheme } = farmOfStart(key)
  const isOther = (each: unknown): boolean => !isObject(each) || each['scheme'] !== scheme
  const [had, has] = [before, now].map((list) => Array.isArray(list) && JSON.stringify(list.filter(isOther)))
  return had !== false && had === has
}

/** Farms with fewer known records than three are counted together. */
function farmIn(key: string, farms: Farms): string {
  const start = key.slice(0, key.lastIndexOf('/') + 1)
  return (farms.get(start) ?? 0) < fewest ? '' : start
}

function noChanges() {
  const byFarm = { farms: new Map() as ByFarm, elsewhere: new Map() as ByFarm }
  return { changed: 0, filled: 0, blank: 0, isKept: false, changes: [] as ValueChange[], ...byFarm }
}

function columnIn(columns: Columns, field: string) {
  return columns.get(field) ?? columns.set(field, noChanges()).get(field)!
}

function addTo(farms: ByFarm, start: string, change: ValueChange): void {
  const farm = farms.get(start) ?? farms.set(start, { changed: 0, first: [] }).get(start)!
  farm.changed += 1
  if (farm.first.length < 3) farm.first.push(change)
}

/** The name and the day of sowing of a crop, as far as they changed. */
function cropText(fields: readonly ChangedField[], crop: string, when: 'before' | 'now'): string {
  const valueOf = (name: string): unknown => fields.find(({ field }) => field === `${crop}/${name}`)?.[when]
  const texts = [valueOf('name'), dayOf(valueOf('establishmentDate'))]
  return texts.filter((each) => typeof each === 'string').join(' of ')
}

function doBoxesMeet({ bbox: one }: Measured, { bbox: other }: Measured): boolean {
  return one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]
}

function farmCounts(byFarm: ByFarm, farms: Farms): readonly FarmCount[] {
  const small = [...farms.values()].filter((known) => known < fewest).reduce((sum, known) => sum + known, 0)
  return [...byFarm].map(([start, counted]) => ({
    ...counted,
    start: farms.size === 1 ? '' : start,
    known: farms.get(start) ?? small,
  }))
}

function factsOf(judging: Judging, counted: Columns, farms: Farms, asked: ChangesAsked): readonly ColumnFacts[] {
  const { merged, mayMove, lastDefinition } = asked
  const known = [...farms.values()].reduce((sum, each) => sum + each, 0)
  const columns = [...counted]
  const last = columns.some(([, { changed }]) => changed >= fewest) ? lastDefinition() : undefined
  const isMappingOther = last !== undefined && last !== judging.stage.recall('definition')
  // Only what is said of blank cells and dates depends on how many had a value.
  const counting = columns.flatMap(([field, { changes, blank }]) =>
    blank >= fewest || (changes.length >= fewest && dayOf(changes[0]!.before) !== undefined) ? [field] : [],
  )
  const had = valuesBefore(judging, counting, known)
  return columns.map(([field, column]) => ({
    ...column,
    ...(had.get(field) ?? { had: 0, turnable: 0 }),
    field,
    known,
    farms: farmCounts(column.farms, farms),
    elsewhere: mayMove ? [] : farmCounts(column.elsewhere, farms),
    isMappingOther,
    merged,
  }))
}

/** How many known records of the file have a value in these fields until now, and a day whose month could be its day. */
function valuesBefore({ stage, ledger }: Judging, fields: readonly string[], known: number) {
  const counts = new Map(fields.map((field) => [field, { had: 0, turnable: 0 }]))
  if (fields.length === 0) return counts
  const each = Math.max(1, Math.ceil(known / mostKept))
  const keys = stage.query<{ key: string }>(
    `SELECT key FROM records WHERE ${isKnown} AND id % ?1 = 0
     UNION ALL SELECT start || value FROM same_rows, json_each(ends) WHERE (same_rows.id + json_each.key) % ?1 = 0`,
    each,
  )
  for (const { key } of keys) {
    const record = ledger.find(key)
    if (record === undefined) continue
    const body = readBody(record.body)
    for (const [field, count] of counts) {
      const value = valueIn(body, field)
      if (value !== undefined) count.had += each
      if (turnedDay(value) !== undefined) count.turnable += each
    }
  }
  return counts
}
