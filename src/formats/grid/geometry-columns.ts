/** Finds geometry in the columns of a table: in a column of text, or in two columns of numbers. */

import { WindrowError } from '../../core/error.ts'
import type { DecimalMark } from '../../core/values/number-text.ts'
import { holdsNothing } from '../../core/values/no-value.ts'
import { problem } from '../../core/problem.ts'
import { valueText, type GeometrySearch, type Row, type Table } from '../../core/row.ts'
import type { FormatOptions } from '../format.ts'
import { columnInSentence } from '../table-names.ts'
import { planText, watchTexts } from './geometry-text.ts'
import { kindOf, planPoints, watchPoints, type Plan, namedPairs } from './point-columns.ts'

/** The table with the geometry of the columns that the options name; without options, a table without geometry. */
export async function withGeometryColumns(table: Table, options: FormatOptions): Promise<Table> {
  const { text, x, y, mark } = saidColumns(table, options)
  if (text === 'none') return table
  if (text !== undefined) return planned(table, planText(text, await firstFilled(table, text)))
  return x === undefined || y === undefined ? table : planned(table, planPoints(x, y, mark))
}

/** The table with a search for the columns that contain geometry, or for how those that the options name contain it. */
export function withGeometrySearch(table: Table, options: FormatOptions): Table {
  const { text, x, y, mark } = saidColumns(table, options)
  if (text === 'none') return table
  const names = (table.columns ?? []).map(({ name }) => name)
  const isSaid = text !== undefined || x !== undefined
  const pair = x === undefined || y === undefined ? undefined : { x, y, kind: kindOf(x, y) }
  const search = (): GeometrySearch => {
    const texts = watchTexts(text === undefined ? (isSaid ? [] : names) : [text], isSaid)
    const pairs = (pair ? [pair] : text === undefined ? namedPairs(names) : []).map((each) =>
      watchPoints(each, names, { isSaid, mark }),
    )
    return {
      pass(row) {
        texts.pass(row)
        for (const each of pairs) each.pass(row)
      },
      end(onProblem) {
        const proved = texts.end() ?? pairs.map((each) => each.end()).find((each) => each !== undefined)
        if (proved === undefined) return undefined
        if (onProblem !== undefined)
          for (const { count, first } of proved.problems)
            for (let times = 0; times < count; times += 1) onProblem(first)
        return { table: planned(table, proved.plan), shapes: proved.shapes }
      },
    }
  }
  return { ...table, search }
}

/** Reads a table to decide which of its columns contain geometry, where nobody has. */
export async function searched(table: Table, signal?: AbortSignal): Promise<Table> {
  const { search, ...plain } = table
  if (search === undefined) return table
  const { pass, end } = search()
  for await (const batch of table.batches(signal)) for (const row of batch) if (isRecord(row)) pass(row)
  return end()?.table ?? plain
}

function isRecord({ problems = [] }: Row): boolean {
  return !problems.some(({ code }) => code === 'row-blank' || code === 'row-footer' || code === 'header-again')
}

/** The first text in a column. */
async function firstFilled(table: Table, name: string): Promise<string | undefined> {
  for await (const batch of table.batches())
    for (const { values } of batch) if (!holdsNothing(values[name])) return valueText(values[name])
  return undefined
}

function planned(table: Table, plan: Plan): Table {
  const { points } = plan
  return {
    ...table,
    hasGeometry: true,
    crs: plan.crs,
    ...(points === undefined ? {} : { withoutPoints: plainly(table, points, plan) }),
    choices: [...table.choices, ...plan.choices],
    async *batches(signal) {
      for await (const batch of table.batches(signal)) yield batch.map((row) => withShape(row, plan))
    },
    found: () => [...plan.notes, ...table.found()],
  }
}

function withShape(row: Row, plan: Plan): Row {
  const { shape, problem } = plan.read(row.values, row.at)
  if (problem === undefined || row.problems?.some(({ code }) => code === 'row-footer') === true)
    return { ...row, shape }
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

function textOption(value: FormatOptions[string]): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** The columns that the options name. Throws a WindrowError if the table does not have them. */
function saidColumns(table: Table, options: FormatOptions) {
  const names = (table.columns ?? []).map(({ name }) => name)
  const said = textOption(options.geometry)
  const [x, y] = [textOption(options.x), textOption(options.y)]
  const mark: DecimalMark | undefined =
    options.decimal === 'comma' || options.decimal === 'point' ? options.decimal : undefined
  if (said?.toLowerCase() === 'none') return { text: 'none', x: undefined, y: undefined, mark }
  if ((x === undefined) !== (y === undefined))
    throw new WindrowError('option-invalid', 'A position needs two columns, but only one is named.', {
      hint: 'Name both: x for longitude or easting, y for latitude or northing.',
    })
  for (const name of [said, x, y]) if (name !== undefined && !names.includes(name)) throw missing(table, name, names)
  return { text: said, x, y, mark }
}

function missing(table: Table, name: string, names: readonly string[]): WindrowError {
  return new WindrowError('column-missing', `"${table.name}" has no column "${name}" to take geometry from.`, {
    hint: `It has: ${names.slice(0, 12).map(columnInSentence).join(', ')}${names.length > 12 ? ' ...' : ''}.`,
  })
}
