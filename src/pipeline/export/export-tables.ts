/** Makes the tables of an export: rows in their order, columns with their looks, and the sheets that go with them. */

import { rowsPerBatch, type Column, type ColumnLook, type Values } from '../../core/row.ts'
import { shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { WindrowError } from '../../core/error.ts'
import type { Shape } from '../../core/shape.ts'
import { projectorInto } from '../../geometry/projection/project.ts'
import type { OutRow, OutTable } from '../../formats/format.ts'
import { systemOfCode } from '../../geometry/crs/systems.ts'
import { wktOf } from '../../geometry/crs/write-wkt.ts'
import { windRings } from '../../geometry/measure/rings.ts'
import { measure } from '../../geometry/measure/measure.ts'
import { inNumbers } from '../../core/values/counting-order.ts'
import { flattener } from '../../resources/columns.ts'
import { jobGeometries, operationShapes } from '../../resources/job-tables.ts'
import { columnCalled, type Flattener } from '../../resources/table-plan.ts'
import { workTotals } from '../../resources/work-totals.ts'
import { workRecord } from '../../resources/work-record.ts'
import { aboutTable, headingOf, rowsOf, type Origin } from './about-sheet.ts'
import {
  chosenTables,
  columnToSort,
  namedColumns,
  noColumn,
  sortedOrder,
  textOf,
  wantsBoundaryText,
} from './choose-columns.ts'
import type { ExportJob } from './export-job.ts'
import type { Fetched } from './fetch-records.ts'
import type { Spool } from './record-spool.ts'

/** Throws for columns, groups or an order that no records could have. Only a diary has columns that do not depend on its records. */
export function checkChoices(job: ExportJob): void {
  checkLayout(job)
  const tables = wholeDiary(job)
  if (tables === undefined) return
  chosenTables(
    tables.map(({ title, columns }) => ({ name: title, columns, hasGeometry: false, rows: () => rowsOf([]) })),
    job,
  )
  orderingColumns(job)
}

/** The table of a diary with all columns that it can have; undefined for another layout. */
function wholeDiary({ type, layout, units, zone }: Omit<ExportJob, 'only'>) {
  return layout === 'diary' ? flattener(type, { layout, units, zone }).tables() : undefined
}

/** The columns by which a diary is sorted and grouped, which its records need not fill. Throws if there are none. */
function orderingColumns(job: Omit<ExportJob, 'only'>): readonly string[] {
  const tables = wholeDiary(job)
  if (tables === undefined) return []
  const { sort, groupBy } = job
  return [
    ...(sort === undefined ? [] : [columnToSort(tables, sort).name]),
    ...(groupBy === undefined ? [] : [grouping(tables[0]!.columns, groupBy).column]),
  ]
}

export type ExportTables = ReturnType<typeof exportTables>

/** Makes the tables of a job as its format shows them: `see` every record as it goes to the spool, then ask for the tables. */
export function exportTables(origin: Origin) {
  const { job, farmOf } = origin
  checkLayout(job)
  const isWorkbook = job.format.isWorkbook === true
  const flat = flattener(job.type, {
    layout: job.layout,
    units: job.units,
    zone: job.zone,
    forPeople: true,
    ...(farmOf === undefined ? {} : { farmOf }),
    ...(job.geometry === undefined ? {} : { without: operationShapes }),
    leavesOutEmpty: isWorkbook && job.allColumns !== true && job.columns === undefined,
    keeps: orderingColumns(job),
  })
  const totals = isWorkbook && job.type === workRecord ? workTotals(job.units.area ?? 'HAR') : undefined
  const moments: number[] = []
  return {
    /** The names of tables that are about the others. */
    companions: isWorkbook ? ['Totals', 'About'] : [],
    see(body: Fetched['body']): void {
      flat.see(body)
      totals?.add(body)
      if (flat.momentOf !== undefined) moments.push(flat.momentOf(body))
    },
    async tables(spool: Spool<Fetched>, counts: Readonly<Record<string, number>>): Promise<readonly OutTable[]> {
      const { groupBy } = job
      for (const name of namedColumns(job)) flat.expect?.(name)
      if (groupBy !== undefined) groupColumns(groupBy).some((name) => flat.expect?.(name))
      const order = (await sortedOrder(spool, flat, job)) ?? inOrder(moments)
      const groups =
        groupBy === undefined || spool.count === 0
          ? []
          : await rowGroups({ spool, flat, order }, groupBy, (body, names) => totals?.add(body, names))
      const settled = flat.tables()
      // On paper, too, a list with deleted records must say which those are, and chosen columns are wanted.
      const printsIds = job.onlyChanged === true || job.only?.deletedToo === true || job.columns !== undefined
      const titles = settled.map(({ title }) => title)
      const makeTable = (index: number, group?: RowGroup): OutTable => {
        const { title, columns: plain } = settled[index]!
        const hasGeometry =
          index === 0 &&
          (job.type.shapes !== undefined || job.geometry !== undefined) &&
          (job.format.name !== 'csv' || wantsBoundaryText(job))
        const columns = isWorkbook ? plain.map((column) => withLook(column, printsIds)) : plain
        const name = group?.name ?? title
        const table = {
          index,
          name,
          leads: leadsOf(columns, titles),
          order,
          group,
          place: hasGeometry ? placer(job) : undefined,
          isByRow: job.geometry !== undefined,
          signal: origin.signal,
        }
        const crs =
          hasGeometry && job.crs !== undefined
            ? { crs: { from: 'option', text: job.crs.code, described: wktOf(systemOfCode(job.crs.code)!) } as const }
            : {}
        const looks = isWorkbook ? { frozen: frozenColumns(columns), heading: headingOf(origin) } : {}
        return { name, columns, hasGeometry, ...crs, ...looks, rows: () => recordRows(spool, flat, table) }
      }
      // Only layouts of one table are grouped.
      const all = groups.length > 0 ? groups.map((each) => makeTable(0, each)) : settled.map((_, at) => makeTable(at))
      const main = chosenTables(all, job)
      if (!isWorkbook) return main
      const sums = totals && {
        name: 'Totals',
        columns: totals.columns(),
        hasGeometry: false,
        heading: headingOf(origin),
        rows: () => rowsOf(totals.rows()),
      }
      const isShort = main.some(({ columns }) => columns.at(-1)?.look?.isId === true)
      return [...main, ...(sums ? [sums] : []), aboutTable(origin, counts, isShort)]
    },
  }
}

/** The order of the records by their moments, those without one last; undefined if they are in it already. */
function inOrder(moments: readonly number[]): Uint32Array | undefined {
  const known = Float64Array.from(moments, (moment) => (Number.isNaN(moment) ? Infinity : moment))
  if (known.every((moment, index) => index === 0 || known[index - 1]! <= moment)) return undefined
  return Uint32Array.from(known.keys()).sort((one, other) => known[one]! - known[other]! || one - other)
}

const areaHeader = / \((?:ha|ac)\)$/

function withLook(column: Column, printsIds: boolean): Column {
  const { name, type, look: { isId, ...look } = {} } = column
  const usual: ColumnLook =
    type === 'number' && areaHeader.test(name)
      ? { decimals: 2 }
      : type === 'date-time'
        ? { times: 'to the minute' }
        : {}
  return { ...column, look: { ...usual, ...look, ...(isId === true && !printsIds ? { isId } : {}) } }
}

/** The columns that stay in sight: up to the name of what the row is about, if it is near the left edge. */
function frozenColumns(columns: readonly Column[]): number {
  const names = columns.slice(0, 5).map(({ name }) => name)
  const at = Math.max(names.indexOf('Name'), names.indexOf('Paddock'))
  return at === -1 ? 1 : at + 1
}

/** The tables that the columns lead to, by their index. */
function leadsOf(columns: readonly Column[], titles: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    columns.flatMap(({ name, look }): [string, number][] =>
      look?.leadsTo === undefined ? [] : [[name, titles.indexOf(look.leadsTo)]],
    ),
  )
}

type Wanted = {
  readonly index: number
  /** Makes the shape of a row from the geometry of its record; undefined in a table without geometry. */
  readonly place: ((geometry: unknown, body: Fetched['body']) => Shape | null) | undefined
  /** Whether each row has a geometry of its own. */
  readonly isByRow: boolean
  readonly signal: AbortSignal | undefined
  readonly name: string
  readonly leads: ReadonlyMap<string, number>
  readonly order: Uint32Array | undefined
  readonly group: RowGroup | undefined
}

async function* recordRows(spool: Spool<Fetched>, flat: ReturnType<typeof flattener>, table: Wanted) {
  let row = 0
  let record = 0
  // How many rows every table has before this record.
  const before: number[] = []
  const { group } = table
  const order = group === undefined ? table.order : Uint32Array.from(group.records)
  for await (const batch of spool.batches(rowsPerBatch, order)) {
    table.signal?.throwIfAborted()
    const rows: OutRow[] = []
    for (const { body, geometry } of batch) {
      const all = flat.rows(body, (record += 1))
      const places = table.isByRow ? jobGeometries(body) : [geometry]
      const leads = table.leads.size === 0 ? undefined : flat.leads?.(body)[table.index]
      for (const [nth, values] of rowsIn(group, all[table.index] ?? [], flat.once).entries()) {
        const at = { source: table.name, row }
        row += 1
        const own = leads?.[nth]
        const leadsTo = own === undefined ? {} : { leadsTo: fromTop(own, table.leads, before) }
        if (table.place === undefined) rows.push({ at, values, ...leadsTo })
        else {
          const id = typeof body['id'] === 'string' && !table.isByRow ? { id: body['id'] } : {}
          rows.push({ at, values, shape: table.place(places[nth], body), ...id })
        }
      }
      if (leads !== undefined)
        for (const [index, each] of all.entries()) before[index] = (before[index] ?? 0) + each.length
    }
    yield rows
  }
}

function placer({ crs, type, geometry: kind }: Origin['job']): NonNullable<Wanted['place']> {
  const project = crs === undefined ? (shape: Shape) => shape : projectorInto(crs)
  return (geometry, body) => {
    const read = geometry === null || geometry === undefined ? '' : shapeFromGeoJson(geometry)
    if (typeof read === 'string') return null
    const shape = project(kind === 'point' ? middleOf(read) : windRings(read))
    if (shape !== undefined) return shape
    const { name } = body
    const message = `The boundary of ${typeof name === 'string' ? `"${name}"` : `one of the ${type.plural}`} lies far outside the area of ${crs!.code} (${crs!.name}).`
    const hint =
      'Choose the farm with only.holding, or the system of that country with to.crs, or leave the system out.'
    throw new WindrowError('option-invalid', message, { hint })
  }
}

function middleOf(shape: Shape): Shape {
  return { kind: 'Point', coordinates: Float64Array.from(measure(shape).centroid), ends: [], parts: [] }
}

/** The rows of the group; the first of them has what only the first row of the record fills. */
function rowsIn(group: RowGroup | undefined, rows: readonly Values[], once: string | undefined): readonly Values[] {
  if (group === undefined) return rows
  const own = rows.filter(group.has)
  return once === undefined
    ? own
    : own.map((values, nth) => (nth === 0 ? { ...values, [once]: rows[0]![once] } : values))
}

function fromTop(own: Readonly<Record<string, number>>, leads: ReadonlyMap<string, number>, before: readonly number[]) {
  return Object.fromEntries(Object.entries(own).map(([name, at]) => [name, at + (before[leads.get(name)!] ?? 0)]))
}

/** A group: its name, its records by their place in the spool, and the test for its rows. */
type RowGroup = Awaited<ReturnType<typeof rowGroups>>[number]

/** More sheets than this nobody finds a way through. */
const mostGroups = 250

/** Refuses what only a workbook or a diary can show. */
function checkLayout({ type, layout, format, groupBy, units }: Omit<ExportJob, 'only'>): void {
  const isWork = type.plural === 'work-records'
  if (units.rate !== undefined && !(isWork && layout === 'diary'))
    throw new WindrowError('option-invalid', 'Only the diary of work records has rates with a unit of their own.', {
      hint: 'Write work records with  to.layout: diary  or leave out units.rate.',
    })
  if (groupBy === undefined) return
  if (format.isWorkbook !== true)
    throw new WindrowError('option-invalid', 'Groups are sheets of a workbook; this format has one table.', {
      hint: `Write an .xlsx file, or set  to.sort: ${groupBy}  which puts records of a group one after the other.`,
    })
  if (isWork && layout !== 'diary')
    throw new WindrowError('option-invalid', 'Of work records, only the diary can be grouped.', {
      hint: 'Leave out to.layout or to.groupBy.',
    })
}

/** The groups in the order of their names, the one without a value last. `see` gets each record with the group of each of its rows. */
async function rowGroups(
  { spool, flat, order }: { spool: Spool<Fetched>; flat: Flattener; order: Uint32Array | undefined },
  groupBy: string,
  see: (body: object, groups: readonly string[]) => void,
) {
  const { nameOf, without } = grouping(flat.tables()[0]!.columns, groupBy)
  const found = new Map<string, number[]>()
  let nth = 0
  for await (const batch of spool.batches(rowsPerBatch, order))
    for (const { body } of batch) {
      const groups = flat.rows(body)[0]!.map(nameOf)
      for (const group of new Set(groups)) {
        const records = found.get(group) ?? []
        records.push(order?.[nth] ?? nth)
        found.set(group, records)
      }
      nth += 1
      see(body, groups)
    }
  if (found.size > mostGroups)
    throw new WindrowError('option-invalid', `Grouped by ${groupBy}, there would be ${found.size} sheets.`, {
      hint: `A workbook gets ${mostGroups} at most. Choose another column, or fewer records.`,
    })
  return [...found]
    .toSorted(([one], [other]) => Number(one === without) - Number(other === without) || inNumbers(one, other))
    .map(([name, records]) => ({ name, records, has: (values: Values) => nameOf(values) === name }))
}

/** How much of a date is the same in a group. */
const periods: Readonly<Record<string, number>> = { day: 10, month: 7, year: 4 }

/** The columns that a word means where none is called so. */
const meant: Readonly<Record<string, readonly string[]>> = {
  holding: ['Farm', 'Holding name'],
  farm: ['Holding name'],
  plot: ['Paddock', 'Plot name'],
  paddock: ['Plot name'],
  crop: ['Crop 1 name'],
}

/** The names that the column to group by may have, the likeliest first. */
function groupColumns(groupBy: string): readonly string[] {
  return [groupBy.trim(), ...(meant[groupBy.trim().toLowerCase()] ?? [])]
}

/** Names the group of a row. Throws if there is no such column. */
function grouping(columns: readonly Column[], groupBy: string) {
  const word = groupBy.trim().toLowerCase()
  const called = groupColumns(groupBy).flatMap((each) => columnCalled(columns, each) ?? [])[0]
  const length = called === undefined ? periods[word] : undefined
  const column = called ?? (length && columns.find(({ type }) => type === 'date' || type === 'date-time'))
  if (!column) throw noColumn(groupBy, [{ columns }])
  const without = `No ${(called?.name ?? word).toLowerCase()}`
  const nameOf = (values: Values): string => {
    const value = values[column.name]
    // The same mix in other shares is the same product.
    const text = value === undefined || value === null ? '' : textOf(value).replaceAll(/ [\d.]+\u00a0%/g, '')
    return text === '' ? without : text.slice(0, length)
  }
  return { nameOf, without, column: column.name }
}
