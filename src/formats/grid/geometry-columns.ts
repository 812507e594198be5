/** Finds geometry in the columns of a table: in a column of text, or in two columns of numbers. */

import { WindrowError } from '../../core/error.ts'
import type { DecimalMark } from '../../core/values/number-text.ts'
import { problem } from '../../core/problem.ts'
import { isBlank, settingOf, type ColumnContent, type Review, type Row, type Table } from '../../core/row.ts'
import type { FormatOptions } from '../format.ts'
import { columnInSentence } from '../table-names.ts'
import { planTexts } from './geometry-text.ts'
import { planPoints, startCounts, type Counts, type Plan } from './point-columns.ts'
import { countFailed, countPlaced, exchanged, otherPlan, type Ground } from './geometry-review.ts'
import { namedPairs } from './point-names.ts'

/** How many rows are examined to find the columns with geometry. */
const sampleRows = 200

/** The table with the geometry of its columns, chosen by its first rows; the same table if they contain none. */
export async function withGeometryColumns(table: Table, options: FormatOptions): Promise<Table> {
  const said = [options.geometry, options.x, options.y].flatMap((name) => textOption(name) ?? [])
  const { rows, isAll } = await firstRows(table, said)
  const plan = (sample: readonly Row[]): Plan | undefined => planFor(table, sample, options)
  // What is said is not reconsidered, and neither is what all rows decided.
  const isSettled = isAll || said.length > 0
  return planned({ table, sample: rows, plan }, plan(rows), isSettled)
}

/** The first rows; if the chosen geometry columns are blank in them, on to the first row with a value there. */
async function firstRows(table: Table, said: readonly string[]): Promise<{ rows: readonly Row[]; isAll: boolean }> {
  const known = said.filter((name) => table.columns?.some((column) => column.name === name))
  const rows: Row[] = []
  let isFilled = known.length === 0
  for await (const batch of table.batches()) {
    const filled = isFilled ? batch : batch.filter(({ values }) => known.some((name) => !isBlank(values[name])))
    rows.push(...(rows.length < sampleRows ? batch : filled))
    isFilled ||= filled.length > 0
    if (rows.length >= sampleRows && isFilled) return { rows, isAll: false }
  }
  return { rows, isAll: true }
}

function planned(ground: Ground, plan: Plan | undefined, isSettled: boolean): Table {
  const { table } = ground
  let counts = startCounts()
  const reconsider =
    (read: Plan | undefined) =>
    async (columns: readonly ColumnContent[], signal?: AbortSignal): Promise<Review> => {
      const base = (await table.review?.(columns, signal)) ?? { choices: table.choices }
      if (base.better !== undefined) return base
      const choices = [...base.choices, ...(read?.over(counts) ?? [])]
      let other = read && exchanged(read, counts)
      if (!isSettled) other ??= await otherPlan(ground, { read, counts }, columns, signal)
      return other === undefined ? { choices } : { choices, better: planned(ground, other, true) }
    }
  if (plan === undefined) return { ...table, review: reconsider(undefined) }
  const { points } = plan
  return {
    ...table,
    hasGeometry: true,
    crs: plan.crs,
    ...(points === undefined
      ? {}
      : { withoutPoints: { ...plainly(table, points, plan), review: reconsider(undefined) } }),
    choices: [...table.choices, ...plan.choices],
    async *batches(signal) {
      counts = startCounts()
      for await (const batch of table.batches(signal)) yield batch.map((row) => withShape(row, plan, counts))
    },
    found: () => [...plan.notes, ...table.found()],
    review: reconsider(plan),
  }
}

function withShape(row: Row, plan: Plan, counts: Counts): Row {
  const { shape, problem } = plan.read(row.values, row.at)
  if (shape !== null) countPlaced(shape, counts)
  if (problem === undefined || row.problems?.some(({ code }) => code === 'row-footer') === true)
    return { ...row, shape }
  countFailed(row, plan, counts)
  return { ...row, shape, problems: [...(row.problems ?? []), problem] }
}

function plainly(table: Table, { x, y }: NonNullable<Plan['points']>, { crs, notes }: Plan): Table {
  const message = `${columnInSentence(x)} and ${columnInSentence(y)} contain a point in each row; no boundary was made of these points.`
  const at = { source: table.name, row: -1 }
  const note = problem('geometry-wrong-type', at, { severity: 'note', column: x, message })
  // That they are exchanged matters for the centroid of a farm, too.
  const warnings = notes.filter(({ severity }) => severity === 'warning')
  const lonLat: Table['lonLat'] = crs?.text === 'EPSG:4326' ? [x, y] : undefined
  return { ...table, lonLat, found: () => [note, ...warnings, ...table.found()] }
}

/** The plan for these rows, or for the options. */
function planFor(table: Table, sample: readonly Row[], options: FormatOptions): Plan | undefined {
  const names = (table.columns ?? []).map(({ name }) => name)
  const records = sample.filter(({ problems }) => problems?.some(({ severity }) => severity === 'error') !== true)
  const said = textOption(options.geometry)
  const [x, y] = [textOption(options.x), textOption(options.y)]
  if (said?.toLowerCase() === 'none') return undefined
  if ((x === undefined) !== (y === undefined))
    throw new WindrowError('option-invalid', 'A position needs two columns, but only one is named.', {
      hint: 'Name both: x for longitude or easting, y for latitude or northing.',
    })
  for (const name of [said, x, y]) if (name !== undefined && !names.includes(name)) throw missing(table, name, names)
  if (said !== undefined) return planTexts(names, records, said)
  const decided = settingOf(table.choices, 'from.decimal')
  const mark: DecimalMark | undefined = decided === 'comma' || decided === 'point' ? decided : undefined
  if (x !== undefined && y !== undefined) {
    const kind = namedPairs([x, y]).find((pair) => pair.x === x)?.kind ?? 'weak'
    return planPoints({ x, y, kind }, records, { isSaid: true, mark })
  }
  const plans = namedPairs(names)
    .values()
    .map((pair) => planPoints(pair, records, { isSaid: false, mark }))
  return planTexts(names, records) ?? plans.find((plan) => plan !== undefined)
}

function textOption(value: FormatOptions[string]): string | undefined {
  return value === undefined ? undefined : String(value)
}

function missing(table: Table, name: string, names: readonly string[]): WindrowError {
  return new WindrowError('column-missing', `"${table.name}" has no column "${name}" to take geometry from.`, {
    hint: `It has: ${names.slice(0, 12).map(columnInSentence).join(', ')}${names.length > 12 ? ' ...' : ''}.`,
  })
}
