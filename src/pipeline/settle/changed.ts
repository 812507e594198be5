/** Reads from the stage what a file changes in known records, counts it by field and farm, and runs the rules about it. */

import { isObject } from '../../core/values/exact-json.ts'
import { readBody } from '../../ledger/content.ts'
import { farmOfStart, idInKey } from '../../resources/keys.ts'
import { areaRules, causeRules, nightRules } from '../../rules/change-causes.ts'
import {
  clearingRules,
  dayOf,
  changeRules,
  isManyOfSome,
  isOtherValue,
  mostKept,
  resownCrops,
  resownField,
  turnedDay,
  type BoundaryFacts,
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
  const { stage } = judging
  const { isWhole, merged, mayMove, matched, lastDefinition } = asked
  if (stage.query('SELECT 1 FROM changes LIMIT 1').length === 0) return
  const farms = knownByFarm(stage)
  const counts = countFields(judging, { farms, matched })
  if (!isWhole) return judgeLeaps(judging, counts.areas)
  const isMany = [...counts.columns.values()].some((column) => isManyOfSome(farmCounts(column.farms, farms)))
  const last = isMany ? lastDefinition() : undefined
  const isMappingOther = last !== undefined && last !== stage.recall('definition')
  const columns = columnsOf(judging, counts, { farms, isMappingOther })
  const elsewhere = mayMove ? [] : farmCounts(counts.elsewhere, farms)
  const facts = { columns, elsewhere, merged }
  const ofNight = find(judging, nightRules, facts)
  const ofColumns = columns.flatMap((column) => find(judging, causeRules, column))
  find(judging, clearingRules, facts)
  const explained = new Set([...ofNight, ...ofColumns].map(({ path }) => path))
  if (stage.query(`SELECT 1 FROM problems WHERE code = '${far.id}'`).length > 0) explained.add('/spatialFeature')
  for (const column of columns) if (!explained.has(column.field)) find(judging, changeRules, column)
  if (!explained.has('/totalArea')) judgeLeaps(judging, counts.areas)
}

const isKnown = `action IN ('update', 'unchanged') AND base IS NOT NULL`

/** How many known records of each farm are in the file, by the start of their keys. */
function knownByFarm(stage: Stage): ReadonlyMap<string, number> {
  const counted = stage.query<{ start: string; known: number }>(
    `SELECT start, sum(n) AS known FROM
       (SELECT ${startOfKey} AS start, count(*) AS n FROM records WHERE ${isKnown} GROUP BY start
        UNION ALL SELECT start, count AS n FROM same_rows)
     GROUP BY start`,
  )
  return new Map(counted.map(({ start, known }) => [start, known]))
}

/** The changes by farm: how many, and the first. */
type ByFarm = Map<string, { changed: number; readonly first: ValueChange[] }>
type Counted = {
  changed: number
  filled: number
  blank: number
  isKept: boolean
  readonly changes: ValueChange[]
  readonly farms: ByFarm
}
type Counts = {
  readonly columns: Map<string, Counted>
  readonly elsewhere: ByFarm
  readonly areas: { readonly row: number; readonly before: unknown; readonly now: unknown }[]
}

type StoredChanges = { readonly id: number; readonly key: string; readonly row: number; readonly fields: string }

/** The fields of a record, as lists of field, kind, before and now. */
const changesByRecord = `SELECT record AS id, key, min(row) AS row,
    json_group_array(json_array(field, kind, json(changes.before), json(now))) AS fields
  FROM changes CROSS JOIN records ON records.id = record
  WHERE ${isKnown} AND record > ? GROUP BY record ORDER BY record LIMIT 1000`

type Surroundings = { readonly farms: ReadonlyMap<string, number>; readonly matched: ReadonlySet<string> }

function countFields({ stage, job, now: today }: Judging, { farms, matched }: Surroundings): Counts {
  const counts: Counts = { columns: new Map(), elsewhere: new Map(), areas: [] }
  for (const page of stage.pages<StoredChanges>(changesByRecord))
    for (const { key, row, fields } of page) {
      const [start, id] = [farmIn(key, farms), idInKey(key)]
      const changed = readFields(fields)
      const resown = resownCrops(changed)
      for (const { field, kind, before, now } of changed) {
        const column = columnIn(counts, field)
        if (kind === 'filled') column.filled += 1
        else if (kind !== 'changed') {
          column.blank += 1
          column.isKept = kind === 'kept'
        } else {
          const change = { before, now, row, id, isPlanned: Date.parse(String(before)) > Date.parse(today) }
          if (field === '/totalArea' && counts.areas.length < mostKept) counts.areas.push(change)
          if (field === '/spatialFeature' && !doBoxesMeet(before as BoundaryFacts, now as BoundaryFacts))
            addTo(counts.elsewhere, start, change)
          // A record that the file knows under another id may have another name there, too.
          const isOwn =
            job.mapping.measured.has(field) ||
            field === '/centroid' ||
            field.startsWith('/meta/') ||
            isOfFarm(key, change)
          if (isOwn || (field === '/name' && matched.has(key)) || !isOtherValue(field, before, now)) continue
          column.changed += 1
          if (column.changes.length < mostKept) column.changes.push(change)
          if (!resown.some((crop) => field.startsWith(`${crop}/`))) addTo(column.farms, start, change)
        }
      }
      if (resown.length > 0) {
        const [before, now] = (['before', 'now'] as const).map((when) => cropText(changed, resown[0]!, when))
        addTo(columnIn(counts, resownField).farms, start, { before, now, row, id })
      }
    }
  return counts
}

/** True for identifiers of which only that of the farm is another one: windrow writes it. */
function isOfFarm(key: string, { before, now }: ValueChange): boolean {
  const { scheme } = farmOfStart(key)
  const [had, has] = [before, now].map(
    (list) => Array.isArray(list) && JSON.stringify(list.filter((each) => !isIn(scheme, each))),
  )
  return had !== false && had === has
}

function isIn(scheme: string, identifier: unknown): boolean {
  return isObject(identifier) && identifier['scheme'] === scheme
}

function readFields(text: string): readonly ChangedField[] {
  const lines = JSON.parse(text) as readonly [string, ChangedField['kind'], unknown, unknown][]
  return lines.map(([field, kind, before, now]) => ({ field, kind, before, now }))
}

/** Farms with fewer known records than three are counted together. */
function farmIn(key: string, farms: ReadonlyMap<string, number>): string {
  const start = key.slice(0, key.lastIndexOf('/') + 1)
  return (farms.get(start) ?? 0) < 3 ? '' : start
}

function columnIn({ columns }: Counts, field: string): Counted {
  const none = { changed: 0, filled: 0, blank: 0, isKept: false, changes: [], farms: new Map() }
  return columns.get(field) ?? columns.set(field, none).get(field)!
}

function addTo(farms: ByFarm, start: string, change: ValueChange): void {
  const farm = farms.get(start) ?? farms.set(start, { changed: 0, first: [] }).get(start)!
  farm.changed += 1
  if (farm.first.length < 3) farm.first.push(change)
}

/** The name and the day of sowing of a crop, as far as they changed. */
function cropText(fields: readonly ChangedField[], crop: string, when: 'before' | 'now'): string {
  const valueOf = (name: string): unknown => fields.find(({ field }) => field === `${crop}/${name}`)?.[when]
  const [name, sown] = [valueOf('name'), valueOf('establishmentDate')]
  const day = typeof sown === 'string' ? sown.slice(0, 10) : ''
  return typeof name === 'string' ? `${name}${day === '' ? '' : ` of ${day}`}` : day
}

function doBoxesMeet({ box: one }: BoundaryFacts, { box: other }: BoundaryFacts): boolean {
  return one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]
}

function farmCounts(byFarm: ByFarm, farms: ReadonlyMap<string, number>): readonly FarmCount[] {
  const small = [...farms.values()].filter((known) => known < 3).reduce((sum, known) => sum + known, 0)
  return [...byFarm].map(([start, counted]) => ({
    ...counted,
    start: farms.size === 1 ? '' : start,
    known: start === '' ? small : farms.get(start)!,
  }))
}

type About = { readonly farms: ReadonlyMap<string, number>; readonly isMappingOther: boolean }

function columnsOf(judging: Judging, { columns }: Counts, { farms, isMappingOther }: About): readonly ColumnFacts[] {
  const known = [...farms.values()].reduce((sum, each) => sum + each, 0)
  // Only what is said of blank cells, dates and boundaries depends on how many had a value.
  const asked = [...columns].flatMap(([field, { changes, blank }]) => {
    const isAsked = field === '/spatialFeature' || dayOf(changes[0]?.before) !== undefined
    return blank >= 3 || (changes.length >= 3 && isAsked) ? [field] : []
  })
  const had = asked.length === 0 ? new Map() : valuesBefore(judging, asked, known)
  return [...columns].map(([field, column]) => ({
    ...column,
    field,
    known,
    had: 0,
    turnable: 0,
    ...had.get(field),
    farms: farmCounts(column.farms, farms),
    isMappingOther,
  }))
}

/** So many records show how many of a farm have a value. */
const mostAsked = 1000

/** How many known records of the file have a value in these fields until now, and a day whose month could be its day. */
function valuesBefore({ stage, ledger }: Judging, fields: readonly string[], known: number) {
  const each = Math.max(1, Math.ceil(known / mostAsked))
  const keys = stage.query<{ key: string }>(
    `SELECT key FROM records WHERE ${isKnown} AND id % ?1 = 0
     UNION ALL SELECT start || value FROM same_rows, json_each(ends) WHERE (same_rows.id + json_each.key) % ?1 = 0`,
    each,
  )
  const counts = new Map(fields.map((field) => [field, { had: 0, turnable: 0 }]))
  for (const { key } of keys) {
    const record = ledger.find(key)
    const body = record && readBody(record.body)
    for (const [field, count] of body === undefined ? [] : counts) {
      const value = valueIn(body!, field)
      if (value !== undefined) count.had += each
      if (turnedDay(value) !== undefined) count.turnable += each
    }
  }
  return counts
}

function judgeLeaps(judging: Judging, areas: Counts['areas']): void {
  for (const { row, ...change } of areas) find(judging, areaRules, { at: { source: judging.source, row }, ...change })
}
