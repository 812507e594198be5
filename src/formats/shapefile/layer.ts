/** Hides how shapes and table rows become rows: pulled side by side, each with what is wrong with it. */

import { problem, type Problem } from '../../core/problem.ts'
import { batchSize, valuesMaker, type CrsClue, type Place, type Row, type Table } from '../../core/row.ts'
import { openAttributes, type Attributes } from './attributes.ts'
import { disagreements, indexedShapes, missingFiles, type ReadToEnd } from './disagreements.ts'
import { textReader } from './encoding.ts'
import { checkGeometryFile, openShapes, type OpenShapes } from './geometry-file.ts'
import type { LayerFiles } from './members.ts'
import type { ShapeRecord } from './shape-record.ts'
import { openRows, rowsToRead, type TableReader } from './table-file.ts'

type Layer = {
  readonly files: LayerFiles
  readonly attributes: Attributes | undefined
  readonly at: (row: number) => Place
}

/** Opens one layer. Reads headers, and the whole table once when nothing says how its text is encoded. */
export async function openLayer(files: LayerFiles, encoding: string | undefined): Promise<Table> {
  const { source, layer: layerName, shp, dbf, cpg } = files
  if (shp !== undefined) await checkGeometryFile(shp)
  const at = (row: number): Place => (layerName === undefined ? { source, row } : { source, layer: layerName, row })
  const isTable = dbf !== undefined && (dbf.size > 0 || shp === undefined)
  const attributes = isTable ? await openAttributes({ dbf, cpg, encoding, at: at(0) }) : undefined
  const known = [...missingFiles(files, at(0)), ...(attributes?.notes ?? [])]
  const layer: Layer = { files, attributes, at }
  const crs = await crsClue(files)
  const count = attributes === undefined ? indexedShapes(files) : rowsToRead(attributes.header)
  let late: Problem[] = []
  return {
    name: files.name,
    format: 'shapefile',
    ...(crs === undefined ? {} : { crs }),
    columns: attributes?.columns ?? [],
    hasGeometry: shp !== undefined,
    ...(count === undefined ? {} : { count }),
    decisions: attributes === undefined ? [] : [attributes.choice.decision],
    batches(signal) {
      late = []
      return readLayer(layer, late, signal)
    },
    found: () => [...known, ...late],
  }
}

const largestCrsText = 1 << 16

/** What the .prj says, or the .qpj that QGIS used to write beside it. */
async function crsClue({ prj, qpj }: LayerFiles): Promise<CrsClue | undefined> {
  for (const [from, file] of [['.prj', prj] as const, ['.qpj', qpj] as const]) {
    const bytes = (await file?.read(0, largestCrsText)) ?? new Uint8Array(0)
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes).replaceAll('\0', '').trim()
    if (text !== '') return { from, text }
  }
  return undefined
}

async function* readLayer(layer: Layer, late: Problem[], signal?: AbortSignal): AsyncGenerator<readonly Row[]> {
  const { files, attributes, at } = layer
  const text = textReader(attributes?.choice.encoding ?? 'utf-8')
  const names = attributes?.columns.map((column) => column.name) ?? []
  const counts: Counts = { shapeCount: 0, rowCount: 0, unpairedCount: 0, deletedCount: 0 }
  let shapes: OpenShapes | undefined
  let cells: TableReader | undefined
  try {
    if (files.shp !== undefined) shapes = await openShapes(files.shp, files.shx, signal)
    if (attributes !== undefined) cells = await openRows(files.dbf!, attributes.header, text, signal)
    const makeValues = valuesMaker(names)
    const reading: Reading = { files, attributes, header: attributes?.header, at, shapes, cells, makeValues, ...counts }
    let batch: Row[] = []
    for (let row = 0; ; row += 1) {
      const shape = shapes === undefined ? undefined : (shapes.next() ?? (await refilled(shapes)))
      const values = cells === undefined ? undefined : (cells.next() ?? (await refilled(cells)))
      if (shape === undefined && (values === undefined || isBroken(shapes))) break
      const made = makeRow(reading, at(row), shape, values)
      if (made === undefined) continue
      batch.push(made)
      if (batch.length < batchSize) continue
      signal?.throwIfAborted()
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
    late.push(...disagreements(reading))
    for (const { code, ...more } of text.doubts()) late.push(problem(code, at(0), more))
  } finally {
    await shapes?.close()
    await cells?.close()
  }
}

type Cells = Exclude<ReturnType<TableReader['next']>, undefined>

type Counts = { shapeCount: number; rowCount: number; unpairedCount: number; deletedCount: number }

type Reading = Omit<ReadToEnd, keyof Counts> &
  Counts & {
    readonly attributes: Attributes | undefined
    readonly cells: TableReader | undefined
    readonly makeValues: ReturnType<typeof valuesMaker>
  }

async function refilled<T>(reader: { next(): T | undefined; more(): Promise<boolean> }): Promise<T | undefined> {
  while (await reader.more()) {
    const next = reader.next()
    if (next !== undefined) return next
  }
  return undefined
}

function isBroken(shapes: OpenShapes | undefined): boolean {
  return shapes !== undefined && (shapes.ending() === 'cut' || shapes.ending() === 'broken')
}

/** The row of one shape and one table row; undefined where another program marked it as deleted. */
function makeRow(
  reading: Reading,
  at: Place,
  record: ShapeRecord | undefined,
  cells: Cells | undefined,
): Row | undefined {
  if (record !== undefined) reading.shapeCount += 1
  if (cells !== undefined) reading.rowCount += 1
  if (cells === 'deleted') {
    reading.deletedCount += 1
    return undefined
  }
  const { attributes, makeValues } = reading
  const values = makeValues(cells ?? [])
  const isClean = record !== undefined && record.fault === undefined && record.opened === 0
  if (isClean && cells !== undefined && reading.cells!.odd.length === 0) return { at, values, shape: record.shape }
  const problems = [
    ...(record === undefined ? [] : shapeProblems(at, record)),
    ...(cells === undefined ? [] : cellProblems(reading, at)),
  ]
  if (reading.shapes === undefined) return problems.length === 0 ? { at, values } : { at, values, problems }
  if (record === undefined) problems.push(unpaired(reading, at, 'This row of the .dbf has no shape in the .shp.'))
  else if (cells === undefined && attributes !== undefined)
    problems.push(unpaired(reading, at, 'This shape has no row in the .dbf, so its values are not known.'))
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

function cellProblems({ cells, attributes }: Reading, at: Place): Problem[] {
  return cells!.odd.map(({ index, text, value }) => {
    const { name, type } = attributes!.columns[index]!
    const left = value === null ? 'it is left empty' : 'it is kept as text'
    return problem('value-not-fitting-column', at, {
      severity: 'warning',
      column: name,
      value: text,
      message: `"${text}" does not fit the column "${name}" (${type}); ${left}.`,
    })
  })
}
