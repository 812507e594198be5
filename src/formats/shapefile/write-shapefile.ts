/** Writes tables as a zip of shapefiles: one layer for each class of geometry. */

import { WindrowError } from '../../core/error.ts'
import type { CrsClue, Row } from '../../core/row.ts'
import {
  hasFiniteCoordinates,
  type Shape,
  changeHeights,
  emptyBox,
  reverseVertices,
  startOf,
  vertexCount,
  widen,
  type Lines,
  type ShapeKind,
} from '../../core/shape.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import { isDeviceOfWindows, type Target } from '../../core/sources/target.ts'
import { openTemporary } from '../../core/sources/temporary.ts'
import { zipTarget, type ZipWriter } from '../../core/sources/zip-writer.ts'
import type { FormatOptions, OutTable, Written } from '../format.ts'
import { unwritableNotes } from '../table-names.ts'
import { namesFile, namesList } from './field-names.ts'
import { headerBytes, recordHeaderBytes } from './record-index.ts'
import { surveyTable, tableHeader, tableRow, type TablePlan } from './table-writer.ts'
import { shapeTypes } from './shape-record.ts'
import { closeRings, signedArea } from './shapefile-rings.ts'

const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]'

/** Level 6 of deflate saves a fiftieth of the bytes but takes a tenth more time. */
const quickLevel = 1

/** Lengths in a .shp are a signed number of words, and many programs stop at half of that. */
const mostBytes = 2 ** 31 - 1

/** Writes each table as one shapefile, or as one for each class of geometry in it, all in one zip. */
export async function writeShapefile(
  tables: readonly OutTable[],
  target: Target,
  options: FormatOptions,
): Promise<Written> {
  if (!/\.zip$/i.test(target.name))
    throw new WindrowError(
      'option-invalid',
      `A shapefile is several files, so it is written as a zip; "${target.name}" does not end in .zip.`,
      { hint: `Name it "${stemOf(target.name)}.zip".` },
    )
  const zip = zipTarget(target, { level: quickLevel })
  const notes: string[] = []
  const rows = new Map<string, number>()
  const named: Parameters<typeof namesList>[0][number][] = []
  const taken = new Set<string>()
  for (const table of tables) {
    const survey = await surveyLayers(table, options.cut === true)
    if (survey.rows * survey.plan.rowBytes > mostBytes || survey.leastBytes > mostBytes) throw tooLarge(table)
    const ofTable = tables.length > 1 ? `${table.name}: ` : ''
    notes.push(...[...survey.plan.notes, ...survey.notes].map((note) => ofTable + note))
    const { fields } = survey.plan
    for (const layer of await writeTable(table, survey, zip, taken))
      named.push({ file: layer, names: fields.map((field) => field.name), short: fields.map((field) => field.short) })
    rows.set(table.name, survey.rows)
  }
  const list = namesList(named)
  if (list !== undefined) await zip.add(namesFile, [list])
  await zip.finish()
  return { rows: Object.fromEntries(rows), notes }
}

type Survey = Awaited<ReturnType<typeof surveyLayers>>

function startClass() {
  return { rows: 0, bytes: 0, withZ: 0, multiPoint: false }
}

/** The first pass: what the columns contain, which classes of geometry there are, and whether all have heights. */
async function surveyLayers(table: OutTable, cut: boolean) {
  const survey = surveyTable(table.columns, cut)
  const seen: ShapesSeen = { classes: new Map(), measured: 0, unusable: 0 }
  let rows = 0
  for await (const batch of table.rows())
    for (const row of batch) {
      rows += 1
      survey.add(row)
      if (table.hasGeometry && row.shape !== null && row.shape !== undefined) lookAtShape(seen, table, row, row.shape)
    }
  if (table.hasGeometry && seen.classes.size === 0) seen.classes.set('polygons', startClass())
  // What the coordinates of the largest class take at least.
  const leastBytes = Math.max(0, ...[...seen.classes.values()].map(({ bytes }) => bytes))
  return { plan: survey.plan(), rows, leastBytes, ...settleTypes(seen, table) }
}

type ShapesSeen = {
  readonly classes: Map<GeometryClass, ReturnType<typeof startClass>>
  measured: number
  unusable: number
}

function lookAtShape(seen: ShapesSeen, table: OutTable, row: Row, shape: Shape): void {
  const kind = geometryClasses[shape.kind]
  if (kind === undefined)
    throw new WindrowError(
      'format-cannot-write',
      `Row ${row.at.row} of "${table.name}" contains several kinds of geometry in one, which a shapefile cannot store.`,
      { hint: 'Write GeoPackage or GeoJSON instead.' },
    )
  const ofClass = seen.classes.get(kind) ?? startClass()
  seen.classes.set(kind, ofClass)
  ofClass.rows += 1
  ofClass.bytes += shape.coordinates.byteLength
  if (shape.z !== undefined) ofClass.withZ += 1
  if (shape.kind === 'MultiPoint') ofClass.multiPoint = true
  if (shape.m !== undefined) seen.measured += 1
  if (!hasFiniteCoordinates(shape)) seen.unusable += 1
}

/** The type of each class of geometry in the table; none for a table without geometry. */
function settleTypes({ classes, measured, unusable }: ShapesSeen, table: OutTable) {
  const notes = [...unwritableNotes(unusable)]
  if (measured > 0) notes.push(`Shapes whose measures were left out: ${measured}.`)
  const types = new Map<GeometryClass, FileType>()
  for (const kind of ['polygons', 'lines', 'points'] as const) {
    const seen = classes.get(kind)
    if (seen === undefined) continue
    const hasZ = seen.withZ > 0 && seen.withZ === seen.rows
    if (seen.withZ > 0 && !hasZ)
      notes.push(`Heights were left out, because not all ${kind} have them: only ${seen.withZ} of ${seen.rows}.`)
    types.set(kind, fileType(kind, seen.multiPoint, hasZ))
  }
  if (types.size > 1)
    notes.push(
      `"${table.name}" contains ${[...types.keys()].join(' and ')}; a shapefile can only have one kind, so there is one for each.`,
    )
  return { types, notes }
}

type Layer = {
  readonly name: string
  readonly type: FileType | undefined
  readonly shp: Spool
  readonly dbf: Spool
  readonly extent: Extent
  /** Where each record starts and how long it is, in words. */
  readonly index: number[]
  rows: number
}

/** The second pass: every row into the spools of its layer, then each layer's files into the zip. Returns the layers' names. */
async function writeTable(table: OutTable, survey: Survey, zip: ZipWriter, taken: Set<string>) {
  const layers = new Map<GeometryClass | undefined, Layer>()
  try {
    for (const [kind, type] of survey.types.size === 0 ? [[undefined, undefined] as const] : survey.types) {
      const name = fileName(survey.types.size > 1 ? `${table.name}-${kind!}` : table.name, taken)
      const [shp, dbf] = [await openSpool(), await openSpool()]
      layers.set(kind, { name, type, shp, dbf, extent: emptyExtent(), index: [], rows: 0 })
    }
    await fillLayers(table, survey, layers)
    for (const layer of layers.values()) await packLayer(layer, survey.plan, table, zip)
    return [...layers.values()].map((layer) => layer.name)
  } finally {
    for (const layer of layers.values()) {
      await layer.shp.close()
      await layer.dbf.close()
    }
  }
}

async function fillLayers(
  table: OutTable,
  { plan, rows }: Survey,
  layers: ReadonlyMap<GeometryClass | undefined, Layer>,
): Promise<void> {
  const [first] = layers.values()
  let count = 0
  for await (const batch of table.rows())
    for (const row of batch) {
      const shape = row.shape === undefined || row.shape === null || !hasFiniteCoordinates(row.shape) ? null : row.shape
      const layer = shape === null || first!.type === undefined ? first : layers.get(geometryClasses[shape.kind])
      if (layer === undefined || count === rows) throw changed(table)
      count += 1
      layer.rows += 1
      await layer.dbf.add(tableRow(plan, row))
      if (layer.type !== undefined) {
        const record = shapeRecord(layer.rows, shape, layer.type, layer.extent)
        layer.index.push((headerBytes + layer.shp.size) / 2, (record.length - recordHeaderBytes) / 2)
        await layer.shp.add(record)
      }
      if (layer.shp.size > mostBytes || layer.dbf.size > mostBytes) throw tooLarge(table)
    }
  if (count !== rows) throw changed(table)
}

function changed(table: OutTable): WindrowError {
  return new WindrowError('source-changed', `The rows of "${table.name}" changed while they were being written.`, {
    hint: 'Run it again.',
  })
}

function tooLarge(table: OutTable): WindrowError {
  return new WindrowError('file-too-large', `"${table.name}" is larger than the 2 GB limit of a shapefile.`, {
    hint: 'Write fewer records, or a GeoPackage.',
  })
}

async function packLayer(layer: Layer, plan: TablePlan, table: OutTable, zip: ZipWriter): Promise<void> {
  const { name, type, shp, dbf, extent, index } = layer
  if (type !== undefined) {
    await zip.add(`${name}.shp`, after(fileHeader(type, shp.size, extent), shp.chunks()))
    await zip.add(`${name}.shx`, [fileHeader(type, index.length * 4, extent), bigEndian(index)])
    await zip.add(`${name}.prj`, [prjOf(table.crs)])
  }
  await zip.add(`${name}.dbf`, after(tableHeader(plan, layer.rows), dbf.chunks(), Buffer.of(0x1a)))
  await zip.add(`${name}.cpg`, ['UTF-8'])
}

function prjOf(crs: CrsClue | undefined): string {
  if (crs?.from === '.prj' || crs?.from === '.qpj') return crs.text
  return crs?.from === 'option' ? (crs.described ?? crs.text) : wgs84
}

function bigEndian(words: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(words.length * 4)
  for (const [index, word] of words.entries()) bytes.writeInt32BE(word, index * 4)
  return bytes
}

async function* after(header: Uint8Array, chunks: AsyncIterable<Uint8Array>, end?: Uint8Array) {
  yield header
  yield* chunks
  if (end !== undefined) yield end
}

/** A name that is valid in every file system and unique in the zip. */
function fileName(name: string, taken: Set<string>): string {
  const clean = name
    .replaceAll(/[\\/:*?"<>|\u0000-\u001f\u007f]/g, '_')
    .replaceAll(/^[.\s]+|[.\s]+$/g, '')
    .slice(0, 100)
  const stem = clean === '' || isDeviceOfWindows(clean) ? `_${clean}` : clean
  let free = stem
  for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${stem}-${count}`
  taken.add(free.toLowerCase())
  return free
}

/** A temporary file that is written to its end, then read from its start: a member of a zip is added as a whole. */
type Spool = Awaited<ReturnType<typeof openSpool>>

const spoolBytes = 1 << 18

/** Starts a spool in a new file that only its owner can read. */
async function openSpool() {
  const file = await openTemporary()
  let size = 0
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    await file.write(bytes, size - bytes.length)
  }
  return {
    get size() {
      return size
    },
    add(bytes: Uint8Array): Promise<void> | undefined {
      waiting.push(bytes)
      waitingBytes += bytes.length
      size += bytes.length
      return waitingBytes < spoolBytes ? undefined : flush()
    },
    async *chunks(): AsyncGenerator<Uint8Array> {
      await flush()
      for (let at = 0; at < size; at += spoolBytes) yield file.read(at, Math.min(at + spoolBytes, size))
    },
    close: file.close,
  }
}

/** The classes of geometry, of which a shapefile contains one. */
type GeometryClass = 'points' | 'lines' | 'polygons'

/** The class of each kind of shape; none of a collection, which a shapefile cannot contain. */
const geometryClasses: Readonly<Record<ShapeKind, GeometryClass | undefined>> = {
  Point: 'points',
  MultiPoint: 'points',
  LineString: 'lines',
  MultiLineString: 'lines',
  Polygon: 'polygons',
  MultiPolygon: 'polygons',
  GeometryCollection: undefined,
}

/** The type of a file's shapes; heights only if every shape has them. */
type FileType = { readonly type: number; readonly hasZ: boolean }

/** The type of a file for a class of shapes. */
function fileType(kind: GeometryClass, multiPoint: boolean, hasZ: boolean): FileType {
  const points = multiPoint ? shapeTypes.multiPoint : shapeTypes.point
  const type = kind === 'points' ? points : kind === 'lines' ? shapeTypes.line : shapeTypes.polygon
  return { type: type + (hasZ ? 10 : 0), hasZ }
}

/** West, south, east, north, lowest, highest. */
type Extent = [number, number, number, number, number, number]

function emptyExtent(): Extent {
  return [...emptyBox(), Infinity, -Infinity]
}

/** Any number below -1e38 means "no measure" (specification, page 2). */
const noMeasure = -1e39

/** The header of a .shp or .shx whose records take `recordBytes`. */
function fileHeader({ type, hasZ }: FileType, recordBytes: number, extent: Extent): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeInt32BE(9994, 0)
  header.writeInt32BE((headerBytes + recordBytes) / 2, 24)
  header.writeInt32LE(1000, 28)
  header.writeInt32LE(type, 32)
  const isEmpty = extent[0] > extent[2]
  for (let index = 0; index < 4; index += 1) header.writeDoubleLE(isEmpty ? 0 : extent[index]!, 36 + index * 8)
  if (hasZ && !isEmpty) {
    header.writeDoubleLE(extent[4], 68)
    header.writeDoubleLE(extent[5], 76)
  }
  return header
}

/** One record with its header; the extent grows by the shape. A shape without vertices is a null shape. */
function shapeRecord(number: number, shape: Shape | null, file: FileType, extent: Extent): Buffer {
  const isNull = shape === null || shape.coordinates.length === 0
  const content = isNull ? Buffer.alloc(recordHeaderBytes + 4) : contentOf(withOrder(shape, file), file, extent)
  content.writeInt32BE(number, 0)
  content.writeInt32BE((content.length - recordHeaderBytes) / 2, 4)
  return content
}

/** The vertices in the order of the specification: rings closed, shells clockwise, holes the other way. */
function withOrder(shape: Shape, { type }: FileType): Lines {
  const ends = shape.ends.length === 0 ? [vertexCount(shape)] : shape.ends
  if (type % 10 !== shapeTypes.polygon) return { ...shape, ends }
  const closed = closeRings({ ...shape, ends }).rings
  const copy = (values: Float64Array): Float64Array => values.slice()
  const rings = { ...closed, coordinates: copy(closed.coordinates), ...changeHeights(closed, copy) }
  const shells = new Set(shape.kind === 'MultiPolygon' ? [0, ...shape.parts] : [0])
  for (let ring = 0, start = 0; ring < rings.ends.length; start = rings.ends[ring]!, ring += 1) {
    const end = rings.ends[ring]!
    const area = signedArea(rings.coordinates, start, end)
    if (shells.has(ring) ? area <= 0 : area >= 0) continue
    reverseVertices(rings, start, end)
  }
  return rings
}

function contentOf(drawn: Lines, { type, hasZ }: FileType, extent: Extent): Buffer {
  const { coordinates, z, ends } = drawn
  const box = boxOf(coordinates, hasZ ? z : undefined)
  for (const index of [0, 1, 4] as const) extent[index] = Math.min(extent[index], box[index])
  for (const index of [2, 3, 5] as const) extent[index] = Math.max(extent[index], box[index])
  if (type % 10 === shapeTypes.point) return pointContent(drawn, type, hasZ)
  const count = coordinates.length / 2
  const isMultiPoint = type % 10 === shapeTypes.multiPoint
  const partBytes = isMultiPoint ? 0 : 4 + ends.length * 4
  const content = Buffer.allocUnsafe(recordHeaderBytes + 40 + partBytes + count * 16 + (hasZ ? 16 + count * 8 : 0))
  content.writeInt32LE(type, 8)
  for (let index = 0; index < 4; index += 1) content.writeDoubleLE(box[index]!, 12 + index * 8)
  let at = 44
  if (!isMultiPoint) at = content.writeInt32LE(ends.length, at)
  at = content.writeInt32LE(count, at)
  if (!isMultiPoint)
    for (let part = 0; part < ends.length; part += 1) at = content.writeInt32LE(startOf(drawn, part), at)
  for (const value of coordinates) at = content.writeDoubleLE(value, at)
  if (!hasZ) return content
  at = content.writeDoubleLE(box[4], at)
  at = content.writeDoubleLE(box[5], at)
  for (const value of z!) at = content.writeDoubleLE(value, at)
  return content
}

function pointContent({ coordinates, z }: Lines, type: number, hasZ: boolean): Buffer {
  const content = Buffer.allocUnsafe(recordHeaderBytes + 20 + (hasZ ? 16 : 0))
  content.writeInt32LE(type, 8)
  content.writeDoubleLE(coordinates[0]!, 12)
  content.writeDoubleLE(coordinates[1]!, 20)
  if (!hasZ) return content
  content.writeDoubleLE(z![0]!, 28)
  content.writeDoubleLE(noMeasure, 36)
  return content
}

function boxOf(coordinates: Float64Array, z: Float64Array | undefined): Extent {
  const box = emptyExtent()
  widen(box, coordinates)
  for (const height of z ?? []) {
    if (height < box[4]) box[4] = height
    if (height > box[5]) box[5] = height
  }
  return box
}
