/** Combines shapes and table rows into rows, each with its problems. */

import { problem, type Problem } from '../../core/problem.ts'
import { objectMaker } from '../../core/values/object-maker.ts'
import { rowsPerBatch, type Column, type Place, type Range, type Row, type Value } from '../../core/row.ts'
import type { Attributes } from './attributes.ts'
import { disagreements, type ReadToEnd } from './disagreements.ts'
import { textReader } from './encoding.ts'
import { openShapes } from './geometry-file.ts'
import type { LayerFiles } from './shapefile-members.ts'
import type { ShapeRecord } from './shape-record.ts'
import { readTable, type TableRow } from './table-file.ts'

/** An opened layer. */
export type Layer = {
  readonly files: LayerFiles
  readonly attributes: Attributes | undefined
  readonly at: (row: number) => Place
}

/** Reads the rows in batches; `report` receives, at the end, what only the whole layer shows. */
export async function* readLayer(
  layer: Layer,
  report: (...found: readonly Problem[]) => void,
  signal?: AbortSignal,
  range?: Range,
): AsyncGenerator<readonly Row[]> {
  const { files, attributes, at } = layer
  const text = textReader(attributes?.choice.encoding ?? 'utf-8')
  const shapes = files.shp && (await openShapes(files.shp, files.shx, signal, range))
  await using batches = shapes?.batches
  await using rows = attributes && readTable(files.dbf!, attributes.header, { text, signal, range })
  const reading: Reading = {
    ...layer,
    header: attributes?.header,
    usesIndex: shapes?.usesIndex === true,
    ending: undefined,
    makeValues: objectMaker<Value>(attributes?.columns.map((column) => column.name) ?? []),
    shapeCount: 0,
    rowCount: 0,
    unpairedCount: 0,
    deletedCount: 0,
  }
  for (let from = range?.from ?? 0; ; from += rowsPerBatch) {
    const { records = [], ending } = (await batches?.next())?.value ?? {}
    const cells = (await rows?.next())?.value ?? []
    reading.ending ??= ending
    const isBroken = reading.ending === 'cut' || reading.ending === 'broken'
    const count = isBroken ? records.length : Math.max(records.length, cells.length)
    if (count === 0) break
    const batch: Row[] = []
    for (let index = 0; index < count; index += 1) {
      const row = makeRow(reading, at(from + index), records[index], cells[index])
      if (row !== undefined) batch.push(row)
    }
    signal?.throwIfAborted()
    if (batch.length > 0) yield batch
  }
  report(...disagreements(reading))
  for (const { code, ...more } of text.doubts()) report(problem(code, at(0), more))
}

type Reading = Layer & ReadToEnd & { readonly makeValues: ReturnType<typeof objectMaker<Value>> }

/** The row of one shape and one table row; undefined if another program marked it as deleted. */
function makeRow(
  reading: Reading,
  at: Place,
  record: ShapeRecord | undefined,
  row: TableRow | undefined,
): Row | undefined {
  if (record !== undefined) reading.shapeCount += 1
  if (row !== undefined) reading.rowCount += 1
  if (row === 'deleted') {
    reading.deletedCount += 1
    return undefined
  }
  const { files, attributes, makeValues } = reading
  const values = makeValues(row?.cells ?? [])
  const problems = [
    ...(record === undefined ? [] : shapeProblems(at, record)),
    ...(row === undefined ? [] : cellProblems(attributes!.columns, row.odd, at)),
  ]
  if (files.shp === undefined) return problems.length === 0 ? { at, values } : { at, values, problems }
  if (record === undefined) problems.push(unpaired(reading, at, 'This row of the .dbf has no shape in the .shp.'))
  else if (row === undefined && attributes !== undefined)
    problems.push(unpaired(reading, at, 'This shape has no row in the .dbf, so its values are unknown.'))
  const shape = record?.shape ?? null
  return problems.length === 0 ? { at, values, shape } : { at, values, shape, problems }
}

function unpaired(reading: Reading, at: Place, message: string): Problem {
  reading.unpairedCount += 1
  return problem('file-inconsistent', at, { severity: 'error', message, hint: 'Export the file again.' })
}

function shapeProblems(at: Place, { fault, opened }: ShapeRecord): Problem[] {
  if (fault !== undefined)
    return [
      problem(fault.code, at, {
        message: `The shape cannot be read. ${fault.message}`,
        hint: 'Open the file in a mapping program, redraw or delete the shape, and save it as polygons.',
      }),
    ]
  if (opened === 0) return []
  return [
    problem('boundary-open', at, {
      message: `${opened === 1 ? 'One ring was' : `${opened} rings were`} not closed; the first point was repeated at the end.`,
    }),
  ]
}

function cellProblems(columns: readonly Column[], odd: Exclude<TableRow, 'deleted'>['odd'], at: Place): Problem[] {
  return odd.map(({ index, text, value }) => {
    const { name, type } = columns[index]!
    const left = value === null ? 'it is left empty' : 'it is kept as text'
    return problem('value-not-fitting-column', at, {
      severity: 'warning',
      column: name,
      value: text,
      message: `"${text}" does not fit the column "${name}" (${type}); ${left}.`,
    })
  })
}
