/** Compares the file's columns with those of the pipeline, and names the option to change if the file's format changed. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { valueText, type Choice, type Place, type Table } from '../../core/row.ts'
import { isObject } from '../../core/values/exact-json.ts'
import { nearest } from '../../core/values/nearest.ts'
import type { FormatOptions } from '../../formats/format.ts'
import { columnsNamedIn } from '../../mapping/cell.ts'
import type { Mapping } from '../../mapping/compile.ts'
import { unitInHeader } from '../../mapping/area-column.ts'
import { unitCode, unitOfCode } from '../../resources/units.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { isOneOff } from '../definition/kept-pipeline.ts'

/** The options that decide how a file is split into columns. */
const readingOptions = ['delimiter', 'quote', 'header', 'encoding'] as const

/**
 * Compares the file's columns with those the mapping reads and the pipeline expects. If columns are missing but appear when
 * the file is read without the pipeline's options, the error says so.
 */
export async function checkColumns(
  pipeline: ImportPipeline,
  mapping: Mapping,
  table: Table,
  readOtherwise: (options: FormatOptions) => Promise<Table | undefined>,
): Promise<readonly Problem[]> {
  if (table.columns === undefined) return []
  const has = table.columns.map(({ name }) => name)
  const ofMatch = pipeline.match?.by === 'identifier' ? [pipeline.match.column] : []
  const read = [...mapping.columns, ...pipeline.only.map(({ column }) => column), ...ofMatch]
  const wanted = [...new Set([...read, ...(pipeline.columns.expect ?? [])])]
  const missing = wanted.filter((column) => !isAmong(has, column))
  const isNeeded = missing.some((column) => read.includes(column))
  if (missing.length > 0 && (isNeeded || pipeline.columns.missing === 'stop'))
    throw (
      (await changedFormat(pipeline, table, wanted, readOtherwise)) ?? columnsMissing(missing, wanted, table.name, has)
    )
  const bare = [...textsIn(pipeline.mapping.record)].find((text) => has.includes(text) && !read.includes(text))
  if (bare !== undefined && !isOneOff(pipeline))
    throw new WindrowError(
      'pipeline-invalid',
      `The pipeline writes the text "${bare}" into every record, and "${table.name}" has a column of that name. Nothing was sent.`,
      { hint: `To publish the column, write <${bare}>. If the text is meant, write { text: ${bare} }.` },
    )
  const added =
    pipeline.columns.expect === undefined ? [] : has.filter((name) => !pipeline.columns.expect!.includes(name))
  if (added.length > 0 && pipeline.columns.new === 'stop')
    throw new WindrowError(
      'columns-differ',
      `"${table.name}" has ${listed(added, 'a new column', 'new columns')}. Nothing was sent.`,
      {
        hint: `Add ${added.length === 1 ? 'it' : 'them'} under "columns: expect" in the pipeline, or write "new: warn" there.`,
      },
    )
  const columnOf = (name: string): string => name.replace(/ \(\d+\)$/, '')
  const renamed = table.found().flatMap(({ code, column }) => (code === 'header-renamed' && column ? [column] : []))
  const unlisted = pipeline.columns.expect === undefined ? renamed : added
  const twice = unlisted.filter((name) => !read.includes(name) && read.includes(columnOf(name)))
  // An import without a pipeline chose its columns from this very file; with two ids, another list may stand beside the first.
  const isForOnce = isOneOff(pipeline)
  const ids = columnsNamedIn(pipeline.mapping.key)
  const first = twice.find((name) => !isForOnce || ids.includes(columnOf(name)))
  if (first !== undefined)
    throw new WindrowError(
      'columns-differ',
      `"${table.name}" has a second column "${columnOf(first)}", so it is unclear which one ${isForOnce ? 'is the id' : 'the pipeline means'}. Nothing was sent.`,
      {
        hint: isForOnce
          ? 'Rename one of them in the file. If two lists stand beside each other, put one below the other.'
          : `Rename one of them in the file. If the first one is right, add "${first}" under "columns: expect".`,
      },
    )
  const unused = pipeline.columns.new === 'warn' ? added.filter((name) => !read.includes(name)) : []
  const at = { source: table.name, row: -1 }
  const note = (column: string, message: string): Problem => problem('columns-changed', at, { column, message })
  return [
    ...twice.map((name) => firstOfTwo(columnOf(name), name, at)),
    ...otherUnits(pipeline.mapping.record, at),
    ...missing.map((column) => note(column, `The column "${column}" is no longer in the file.`)),
    ...unused.map((column) => note(column, `The column "${column}" is new in the file and not used.`)),
  ]
}

function firstOfTwo(column: string, second: string, at: Place): Problem {
  return problem('header-renamed', at, {
    severity: 'warning',
    column,
    message: `The file has a second column "${column}", which is called "${second}" here. The first one was used.`,
    hint: 'If the other one is right, rename one of them in the file.',
  })
}

/** The texts of a record that are the same in every row, as they are there. */
function* textsIn(spec: unknown): Generator<string> {
  if (typeof spec === 'string') yield spec
  else if (Array.isArray(spec)) for (const each of spec) yield* textsIn(each)
  else if (isObject(spec) && !['from', 'first', 'text'].some((key) => key in spec))
    for (const each of Object.values(spec)) yield* textsIn(each)
}

/** Warns of units that are not those of the columns' headers: { from: Length (km), unit: m }. */
function* otherUnits(spec: unknown, at: Place): Generator<Problem> {
  if (Array.isArray(spec)) for (const each of spec) yield* otherUnits(each, at)
  else if (isObject(spec) && !('from' in spec)) for (const each of Object.values(spec)) yield* otherUnits(each, at)
  else if (isObject(spec) && typeof spec['unit'] === 'string')
    for (const column of [spec['from']].flat().map(String)) {
      const own = unitOfCode(unitCode(spec['unit']) ?? '')
      const inHeader = own && unitOfCode(unitInHeader(column, own.kind) ?? '')
      if (own === undefined || inHeader === undefined || own === inHeader) continue
      const message = `The header "${column}" names the unit ${inHeader.sign}, and the pipeline reads its numbers as ${own.sign}. If the header is right, write  unit: ${inHeader.sign}  in the pipeline.`
      yield problem('file-inconsistent', at, { column, message })
    }
}

function columnsMissing(missing: readonly string[], wanted: readonly string[], file: string, has: readonly string[]) {
  const near = renamedTo(missing, wanted, has)
  const listedColumns = has.length === 0 ? 'no columns' : has.slice(0, 12).join(', ')
  const message = `${listed(missing, 'The column', 'The columns')} ${missing.length === 1 ? 'is' : 'are'} missing in "${file}". Nothing was sent.`
  const hint = `It has: ${listedColumns}${has.length > 12 ? ' ...' : ''}.${near === undefined ? '' : ` Was it renamed to "${near}"?`} If the file is right, correct the names in the pipeline. If not, export the file again as before.`
  return new WindrowError('column-missing', message, { hint })
}

/** The likely new name of a missing column: a new one that is similar, or the only new one if one is missing. */
function renamedTo(missing: readonly string[], wanted: readonly string[], has: readonly string[]): string | undefined {
  const added = has.filter((name) => !wanted.includes(name))
  const near = missing.map((column) => nearest(column, added)).find((each) => each !== undefined)
  return near ?? (missing.length === 1 && added.length === 1 ? added[0] : undefined)
}

function listed(names: readonly string[], one: string, several: string): string {
  return `${names.length === 1 ? one : several} ${names.map((name) => `"${name}"`).join(', ')}`
}

function isAmong(has: readonly string[], column: string): boolean {
  return has.includes(column) || has.includes(column.replace(/[.[].*$/, ''))
}

/** The error to report if the file has all columns once it is read without the pipeline's reading options. */
async function changedFormat(
  { from }: ImportPipeline,
  table: Table,
  wanted: readonly string[],
  readOtherwise: (options: FormatOptions) => Promise<Table | undefined>,
): Promise<WindrowError | undefined> {
  const agreed = readingOptions.filter((option) => from.options[option] !== undefined)
  if (agreed.length === 0) return undefined
  const free = Object.entries(from.options).filter(([option]) => !(agreed as readonly string[]).includes(option))
  const other = await readOtherwise(Object.fromEntries(free))
  const has = other?.columns?.map(({ name }) => name) ?? []
  if (other === undefined || !wanted.every((column) => isAmong(has, column))) return undefined
  const nameOf = ({ setting }: Choice): string => setting.slice('from.'.length)
  const changed = other.choices.filter((each) => {
    const { value } = each
    const given = from.options[nameOf(each)]
    return given !== undefined && String(given).toLowerCase() !== valueText(value).toLowerCase()
  })
  if (changed.length === 0) return undefined
  const spell = (option: string, value: unknown): string => `from.${option}: ${JSON.stringify(value)}`
  const now = changed.map((each) => spell(nameOf(each), each.value)).join(', ')
  const then = changed.map((each) => spell(nameOf(each), from.options[nameOf(each)])).join(', ')
  const evidence = changed.map((each) => each.evidence).join(' ')
  const message = `The format of "${table.name}" has changed: with  ${then}  it has the columns ${shown(table.columns?.map(({ name }) => name) ?? [])}; with  ${now}  it has all columns of the pipeline. ${evidence} Nothing was sent.`
  const hint = `If the file is right, set  ${now}  If not, export the file again as before.`
  return new WindrowError('column-missing', message, { hint })
}

function shown(names: readonly string[]): string {
  return `${names
    .slice(0, 6)
    .map((name) => `"${name.slice(0, 60)}"`)
    .join(', ')}${names.length > 6 ? ' ...' : ''}`
}
