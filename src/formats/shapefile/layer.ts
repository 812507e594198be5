/** Hides how shapes and table rows become rows: pulled side by side, and what to say where the two files disagree. */

import { problem, type Problem } from '../../core/problem.ts'
import { batchSize, valuesMaker, type Column, type CrsClue, type Place, type Row, type Table } from '../../core/row.ts'
import { namesOfHeader } from '../table.ts'
import { chooseEncoding, textReader, type EncodingChoice } from './encoding.ts'
import { checkGeometryFile, openShapes, type OpenShapes } from './geometry-file.ts'
import type { LayerFiles } from './members.ts'
import { indexedRecords } from './record-index.ts'
import type { ShapeRecord } from './shape-record.ts'
import { columnOf, fieldNames, openRows, rowsToRead, tryText, type TableReader } from './table-file.ts'
import { readTableHeader, type TableHeader } from './table-header.ts'

type Attributes = {
  readonly header: TableHeader
  readonly choice: EncodingChoice
  readonly columns: readonly Column[]
}

type Layer = {
  readonly files: LayerFiles
  readonly attributes: Attributes | undefined
  readonly at: (row: number) => Place
}

/** Opens one layer. Reads headers, and the whole table once when nothing says how its text is encoded. */
export async function openLayer(files: LayerFiles, encoding: string | undefined): Promise<Table> {
  const { source, layer: layerName, shp, dbf } = files
  if (shp !== undefined) await checkGeometryFile(shp)
  const at = (row: number): Place => (layerName === undefined ? { source, row } : { source, layer: layerName, row })
  const known: Problem[] = []
  const isMissing = dbf === undefined || (dbf.size === 0 && shp !== undefined)
  const attributes = isMissing ? undefined : await openAttributes(files, encoding, at, known)
  if (attributes === undefined)
    known.push(
      problem('file-inconsistent', at(0), {
        message: `There is no ${dbf === undefined ? '' : 'usable '}.dbf beside "${(shp ?? dbf)!.name}", so the shapes have no names or other values.`,
        hint: 'If there should be values, pack the .dbf with the .shp.',
      }),
    )
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

async function openAttributes(
  { dbf, cpg }: LayerFiles,
  option: string | undefined,
  at: Layer['at'],
  known: Problem[],
): Promise<Attributes> {
  const header = await readTableHeader(dbf!)
  if (header.isMended)
    known.push(
      problem('file-inconsistent', at(0), {
        message: `The header of "${dbf!.name}" gives wrong lengths; its rows were found by their marks.`,
        hint: 'Look whether the values are whole. If not, export the file again.',
      }),
    )
  const choice = await chooseEncoding({
    option,
    declaration: cpg === undefined ? undefined : Buffer.from(await cpg.read(0, 200)).toString('utf8'),
    languageDriver: header.languageDriver,
    trial: () => tryText(dbf!, header),
  })
  for (const { code, ...more } of choice.doubts) known.push(problem(code, at(0), more))
  const { names, notes } = namesOfHeader(fieldNames(header.fields, textReader(choice.encoding)), at(0))
  known.push(...notes)
  const columns = header.fields.map((field, index) => columnOf(names[index]!, field))
  for (const [index, field] of header.fields.entries())
    if (field.kind === 'none')
      known.push(
        problem('column-unreadable', at(0), {
          column: names[index]!,
          message: `The column "${names[index]!}" ${unreadable(field)}; its cells are left empty.`,
        }),
      )
  return { header, choice, columns }
}

function unreadable({ letter, width }: TableHeader['fields'][number]): string {
  if (width === 0) return 'has no width'
  const isMemo = /[MGP]/.test(letter)
  return `is of the kind "${letter}" (${isMemo ? 'a memo, whose text lies in a .dbt or .fpt file that is not read' : 'not text, number, date or truth'})`
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

/** As a count to show the index is good enough. */
function indexedShapes({ shx }: LayerFiles): number | undefined {
  return shx === undefined || shx.size < 100 ? undefined : indexedRecords(shx)
}

async function* readLayer(layer: Layer, late: Problem[], signal?: AbortSignal): AsyncGenerator<readonly Row[]> {
  const { files, attributes, at } = layer
  const text = textReader(attributes?.choice.encoding ?? 'utf-8')
  const names = attributes?.columns.map((column) => column.name) ?? []
  const counts = { shapeCount: 0, rowCount: 0, unpairedCount: 0, deletedCount: 0 }
  let shapes: OpenShapes | undefined
  let cells: TableReader | undefined
  try {
    if (files.shp !== undefined) shapes = await openShapes(files.shp, files.shx, signal)
    if (attributes !== undefined) cells = await openRows(files.dbf!, attributes.header, text, signal)
    const reading: Reading = { layer, shapes, cells, makeValues: valuesMaker(names), ...counts }
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
    late.push(...summary(reading), ...uselessIndex(reading))
    for (const { code, ...more } of text.doubts()) late.push(problem(code, at(0), more))
  } finally {
    await shapes?.close()
    await cells?.close()
  }
}

type Cells = Exclude<ReturnType<TableReader['next']>, undefined>

type Reading = {
  readonly layer: Layer
  readonly shapes: OpenShapes | undefined
  readonly cells: TableReader | undefined
  readonly makeValues: ReturnType<typeof valuesMaker>
  shapeCount: number
  rowCount: number
  unpairedCount: number
  deletedCount: number
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
  const { layer, makeValues } = reading
  const values = makeValues(cells ?? [])
  const isClean = record !== undefined && record.fault === undefined && record.opened === 0
  if (isClean && cells !== undefined && reading.cells!.odd.length === 0) return { at, values, shape: record.shape }
  const problems = [
    ...(record === undefined ? [] : shapeProblems(at, record)),
    ...(cells === undefined ? [] : cellProblems(reading, at)),
  ]
  if (reading.shapes === undefined) return problems.length === 0 ? { at, values } : { at, values, problems }
  if (record === undefined) problems.push(unpaired(reading, at, 'This row of the .dbf has no shape in the .shp.'))
  else if (cells === undefined && layer.attributes !== undefined)
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

function cellProblems({ cells, layer }: Reading, at: Place): Problem[] {
  return cells!.odd.map(({ index, text, value }) => {
    const { name, type } = layer.attributes!.columns[index]!
    const left = value === null ? 'it is left empty' : 'it is kept as text'
    return problem('value-not-fitting-column', at, {
      severity: 'warning',
      column: name,
      value: text,
      message: `"${text}" does not fit the column "${name}" (${type}); ${left}.`,
    })
  })
}

/** What is wrong with the layer as a whole, known when both files were read to their ends. */
function summary(reading: Reading): Problem[] {
  const { layer, shapeCount, rowCount, deletedCount } = reading
  const dbfName = layer.files.dbf?.name ?? ''
  const found = [...truncations(reading)]
  if (found.length === 0 && reading.unpairedCount > 0)
    found.push(
      problem('file-inconsistent', layer.at(Math.min(shapeCount, rowCount)), {
        severity: 'error',
        message: `The number of shapes in "${layer.files.shp!.name}" (${shapeCount}) and of rows in "${dbfName}" (${rowCount}) differ, so values may stand at the wrong shapes.`,
        hint: 'Export the file again, or look on a map whether the names are right.',
      }),
    )
  if (deletedCount > 0)
    found.push(
      problem('row-deleted', layer.at(0), {
        message: `Rows that "${dbfName}" marks as deleted and that were left out: ${deletedCount}.`,
      }),
    )
  return found
}

/** An index that leads astray does no harm, but tells that somebody put files together that do not belong together. */
function uselessIndex({ layer, shapes, unpairedCount }: Reading): Problem[] {
  const { shx, shp } = layer.files
  if (shx === undefined || shapes === undefined || shapes.usesIndex || shapes.ending() !== 'whole') return []
  if (indexedRecords(shx) === 0 && unpairedCount === 0) return []
  return [
    problem('file-inconsistent', layer.at(0), {
      severity: 'note',
      message: `"${shx.name}" does not fit "${shp!.name}"; the shapes were read in the order of the .shp.`,
      hint: 'Look on a map whether the names stand at the right shapes.',
    }),
  ]
}

function* truncations({ layer, shapes, shapeCount, rowCount }: Reading): Generator<Problem> {
  const { files, attributes, at } = layer
  const header = attributes?.header
  const ending = shapes?.ending() ?? 'whole'
  // A header may only claim to be longer: then the other files know how many shapes there are.
  const expected = header === undefined ? (indexedShapes(files) ?? Infinity) : rowCount
  if (ending === 'cut' || ending === 'broken' || (ending === 'short' && shapeCount < expected)) {
    const what = ending === 'broken' ? 'is damaged' : 'ends too early'
    const counted = header === undefined ? '' : ` The .dbf counts ${header.declaredRows} rows.`
    yield problem('file-truncated', at(shapeCount), {
      message: `"${files.shp!.name}" ${what}. Whole shapes that could be read: ${shapeCount}.${counted}`,
      hint: 'Copy or export it again; the shapes behind that place are missing.',
    })
  }
  if (header === undefined || header.presentRows >= header.declaredRows) return
  if (shapes === undefined || shapeCount > rowCount)
    yield problem('file-truncated', at(header.presentRows), {
      message: `"${files.dbf!.name}" ends too early: it counts ${header.declaredRows} rows and holds ${header.presentRows}.`,
      hint: 'Copy or export it again.',
    })
}
