/** Compares the file's columns with those of the pipeline, and says what to write there if the file is read in another way. */

import { WindrowError } from '../../core/error.ts'
import { spoiltLetters } from '../../core/letters.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { isBlank, type Place, type Table } from '../../core/row.ts'
import { isObject } from '../../core/values/exact-json.ts'
import { nearest } from '../../core/values/nearest.ts'
import { columnsNamedIn } from '../../mapping/cell.ts'
import type { Mapping } from '../../mapping/compile.ts'
import { unitInHeader } from '../../mapping/area-column.ts'
import { unitCode, unitOfCode } from '../../resources/units.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { isOneOff } from '../definition/kept-pipeline.ts'

/** Compares the file's columns with those the mapping reads and the pipeline expects. */
export async function checkColumns(
  pipeline: ImportPipeline,
  mapping: Mapping,
  table: Table,
): Promise<readonly Problem[]> {
  if (table.columns === undefined) return []
  const has = table.columns.map(({ name }) => name)
  const ofMatch = pipeline.match?.by === 'identifier' ? [pipeline.match.column] : []
  const read = [...mapping.columns, ...pipeline.only.map(({ column }) => column), ...ofMatch]
  const wanted = [...new Set([...read, ...(pipeline.columns.expect ?? [])])]
  const missing = wanted.filter((column) => !isAmong(has, column))
  const isNeeded = missing.some((column) => read.includes(column))
  if (missing.length > 0 && (isNeeded || pipeline.columns.missing === 'stop'))
    throw columnsMissing(missing, wanted, { has, table: table.name, hint: await hintOfReading(wanted, has, table) })
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

type Found = { readonly has: readonly string[]; readonly table: string; readonly hint: string }

function columnsMissing(missing: readonly string[], wanted: readonly string[], { has, table, hint: reading }: Found) {
  const near = renamedTo(missing, wanted, has)
  const listedColumns = has.length === 0 ? 'no columns' : has.slice(0, 12).join(', ')
  const message = `${listed(missing, 'The column', 'The columns')} ${missing.length === 1 ? 'is' : 'are'} missing in "${table}". Nothing was sent.`
  const hint = `It has: ${listedColumns}${has.length > 12 ? ' ...' : ''}.${near === undefined ? '' : ` Was it renamed to "${near}"?`} If the file is right, correct the names in the pipeline.${reading} If not, export the file again as before. To see how it can be read:  windrow inspect FILE`
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

/** What to write in the pipeline if the file is read in another way than it was made, as its names and its first rows show it. */
async function hintOfReading(wanted: readonly string[], has: readonly string[], table: Table): Promise<string> {
  const [only = ''] = has
  const delimiter = [';', '\t', '|', ','].find((each) => {
    const names = only.split(each).map((name) => name.trim().replace(/^["'](.*)["']$/, '$1'))
    return has.length === 1 && names.length > 1 && wanted.every((column) => isAmong(names, column))
  })
  if (delimiter !== undefined)
    return ` The file has them in one column: set  from.delimiter: ${JSON.stringify(delimiter)}.`
  const spoilt = has.map(spoiltLetters).find((each) => each !== undefined)
  if (spoilt !== undefined)
    return ` The letters of its names were read in another encoding: set the right one, such as  from.encoding: ${spoilt.how === 'lost' ? 'windows-1252' : 'utf-8'}.`
  const row = await rowOfNames(wanted, table)
  return row === undefined ? '' : ` If row ${row} contains the names, set  from.header: ${row}.`
}

/** The row among the first that has nothing but names of columns, as far as it was read. */
async function rowOfNames(wanted: readonly string[], table: Table): Promise<number | undefined> {
  for await (const batch of table.batches())
    return batch.find(({ values }) => {
      const filled = Object.values(values).filter((value) => !isBlank(value))
      return filled.length > 0 && filled.every((value) => typeof value === 'string' && wanted.includes(value))
    })?.at.row
  return undefined
}
