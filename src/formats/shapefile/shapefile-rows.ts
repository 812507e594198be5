/** Combines shapes and table rows into rows, each with its problems, and reports files that disagree, are missing or are cut off. */

import { problem, type Problem } from '../../core/problem.ts'
import { throwAfter } from '../../core/sources/source.ts'
import { objectMaker } from '../../core/values/object-maker.ts'
import { plural } from '../../core/values/plural.ts'
import { rowsPerBatch, type Place, type Row, type Value } from '../../core/row.ts'
import { type Attributes, openRows, type TableRow } from './table-file.ts'
import { textReader } from './encoding.ts'
import { openShapes, type OpenShapes } from './geometry-file.ts'
import type { LayerFiles } from './shapefile-members.ts'
import type { ShapeRecord } from './shape-record.ts'
import { indexedRecords } from './record-index.ts'
import type { TableHeader } from './table-header.ts'

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
): AsyncGenerator<readonly Row[]> {
  const reading = await startReading(layer, signal)
  const { at, shapes, cells } = reading
  try {
    let row = 0
    for (;;) {
      const records = (await shapes?.next(rowsPerBatch)) ?? []
      const rows = (await cells?.next(rowsPerBatch)) ?? []
      const count = isBroken(shapes) ? records.length : Math.max(records.length, rows.length)
      if (count === 0) break
      const batch: Row[] = []
      for (let index = 0; index < count; index += 1, row += 1) {
        const made = makeRow(reading, at(row), records[index], rows[index])
        if (made !== undefined) batch.push(made)
      }
      signal?.throwIfAborted()
      if (batch.length > 0) yield batch
    }
    report(...disagreements(reading))
    for (const { code, ...more } of reading.text.doubts()) report(problem(code, at(0), more))
  } finally {
    await shapes?.close()
    await cells?.close()
  }
}

type Reading = Awaited<ReturnType<typeof startReading>>

async function startReading({ files, attributes, at }: Layer, signal: AbortSignal | undefined) {
  const text = textReader(attributes?.choice.encoding ?? 'utf-8')
  const shapes = files.shp === undefined ? undefined : await openShapes(files.shp, files.shx, signal)
  const cells =
    attributes && (await openRows(files.dbf!, attributes.header, text, signal).catch(throwAfter(() => shapes?.close())))
  const makeValues = objectMaker<Value>(attributes?.columns.map((column) => column.name) ?? [])
  const counts = { shapeCount: 0, rowCount: 0, unpairedCount: 0, deletedCount: 0 }
  return { files, attributes, header: attributes?.header, at, text, shapes, cells, makeValues, ...counts }
}

/** True if rows behind the last shape may belong to shapes that are lost. */
function isBroken(shapes: OpenShapes | undefined): boolean {
  return shapes !== undefined && (shapes.ending() === 'cut' || shapes.ending() === 'broken')
}

/** The row of one shape and one table row; undefined if another program marked it as deleted. */
function makeRow(
  reading: Reading,
  at: Place,
  record: ShapeRecord | undefined,
  row: TableRow | 'deleted' | undefined,
): Row | undefined {
  if (record !== undefined) reading.shapeCount += 1
  if (row !== undefined) reading.rowCount += 1
  if (row === 'deleted') {
    reading.deletedCount += 1
    return undefined
  }
  const { attributes, makeValues } = reading
  const values = makeValues(row?.cells ?? [])
  // Most rows have nothing wrong.
  if (row?.odd.length === 0 && record?.opened === 0 && record.fault === undefined)
    return { at, values, shape: record.shape }
  const problems = [
    ...(record === undefined ? [] : shapeProblems(at, record)),
    ...(row === undefined ? [] : cellProblems(row, attributes!, at)),
  ]
  if (reading.shapes === undefined) return problems.length === 0 ? { at, values } : { at, values, problems }
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
      message: `${plural(opened, 'ring was', 'rings were')} not closed; the first point was repeated at the end.`,
    }),
  ]
}

function cellProblems({ odd }: TableRow, { columns }: Attributes, at: Place): Problem[] {
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

/** A layer, with the counts of what was read so far. */
export type ReadToEnd = {
  readonly files: LayerFiles
  readonly header: TableHeader | undefined
  readonly at: (row: number) => Place
  readonly shapes: OpenShapes | undefined
  shapeCount: number
  rowCount: number
  unpairedCount: number
  deletedCount: number
}

export function missingFiles({ shp, dbf, shx, prj }: LayerFiles, at: Place): readonly Problem[] {
  if (shp === undefined && (shx ?? prj) !== undefined)
    return [
      problem('file-inconsistent', at, {
        severity: 'error',
        message: `There is no .shp beside "${dbf!.name}", so the boundaries are missing.`,
        hint: 'Copy or pack the .shp with the .dbf. To read the table alone, copy the .dbf into a folder of its own.',
      }),
    ]
  if (shp === undefined || (dbf !== undefined && dbf.size > 0)) return []
  const message = `There is no ${dbf === undefined ? '' : 'usable '}.dbf beside "${shp.name}", so the shapes have no names or other values.`
  const hint = 'If there should be values, pack the .dbf with the .shp.'
  return [problem('file-inconsistent', at, { message, hint })]
}

/** The count that the index shows, good enough for display. */
export function indexedShapes({ shx }: LayerFiles): number | undefined {
  return shx === undefined || shx.size < 100 ? undefined : indexedRecords(shx)
}

/** The problems of the whole layer, known when both files were read to their ends. */
function disagreements(reading: ReadToEnd): readonly Problem[] {
  const { files, at, shapeCount, rowCount, deletedCount } = reading
  const dbfName = files.dbf?.name ?? ''
  const found = [...truncations(reading), ...uselessIndex(reading)]
  if (!found.some(({ code }) => code === 'file-truncated') && reading.unpairedCount > 0)
    found.push(
      problem('file-inconsistent', at(Math.min(shapeCount, rowCount)), {
        severity: 'error',
        message: `The number of shapes in "${files.shp!.name}" (${shapeCount}) and of rows in "${dbfName}" (${rowCount}) differ, so values may belong to the wrong shapes.`,
        hint: 'Export the file again, or check on a map whether the names are right.',
      }),
    )
  if (deletedCount > 0)
    found.push(
      problem('row-deleted', at(0), {
        message: `Rows that "${dbfName}" marks as deleted were left out: ${deletedCount}.`,
      }),
    )
  return found
}

/** A wrong index does no harm, but shows that somebody combined files that do not belong together. */
function uselessIndex({ files: { shx, shp }, at, shapes, unpairedCount }: ReadToEnd): readonly Problem[] {
  if (shx === undefined || shapes === undefined || shapes.usesIndex || shapes.ending() !== 'whole') return []
  if (indexedRecords(shx) === 0 && unpairedCount === 0) return []
  return [
    problem('file-inconsistent', at(0), {
      severity: 'note',
      message: `"${shx.name}" does not fit "${shp!.name}"; the shapes were read in the order of the .shp.`,
      hint: 'Check on a map whether the names are at the right shapes.',
    }),
  ]
}

function* truncations({ files, header, at, shapes, shapeCount, rowCount }: ReadToEnd): Generator<Problem> {
  const ending = shapes?.ending() ?? 'whole'
  // A header may claim a greater length by mistake: then the other files show how many shapes there are.
  const expected = header === undefined ? (indexedShapes(files) ?? Infinity) : rowCount
  if (ending === 'cut' || ending === 'broken' || (ending === 'short' && shapeCount < expected)) {
    const what = ending === 'broken' ? 'is damaged' : 'ends too early'
    const counted = header === undefined ? '' : ` The .dbf counts ${header.declaredRows} rows.`
    yield problem('file-truncated', at(shapeCount), {
      message: `"${files.shp!.name}" ${what}. Whole shapes that could be read: ${shapeCount}.${counted}`,
      hint: 'Copy or export it again; the shapes after that place are missing.',
    })
  }
  if (header === undefined || header.presentRows >= header.declaredRows) return
  if (shapes === undefined || shapeCount > rowCount)
    yield problem('file-truncated', at(header.presentRows), {
      message: `"${files.dbf!.name}" ends too early: it should have ${header.declaredRows} rows and has ${header.presentRows}.`,
      hint: 'Copy or export it again.',
    })
}
