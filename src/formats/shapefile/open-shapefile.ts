/** Opens a shapefile, loose or in a zip: its layers as tables, with their columns and coordinate system. */

import { membersOf } from '../../core/sources/file-tree.ts'
import type { Source } from '../../core/sources/source.ts'
import { membersOfZip } from '../../core/sources/zip.ts'
import type { FormatOptions } from '../format.ts'
import { evenRanges, passesOver } from '../table-names.ts'
import { layersIn, looseLayer, type LayerFiles } from './shapefile-members.ts'
import type { CrsClue, Place, Range, Table } from '../../core/row.ts'
import { openAttributes } from './attributes.ts'
import { indexedShapes, missingFiles } from './disagreements.ts'
import { checkGeometryFile } from './geometry-file.ts'
import { headerBytes, isBorneOut, readRecordIndex, recordHeaderBytes } from './record-index.ts'
import { readLayer, type Layer } from './shapefile-rows.ts'
import { rowsToRead } from './table-file.ts'

/** Opens a shapefile, or all of a zip or folder, as one table per layer. */
export async function openShapefile(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  // A file that is only named .zip gets the error message of the zip reader.
  const members = (await membersOf(source)) ?? (/\.zip$/i.test(source.name) ? await membersOfZip(source) : undefined)
  const layers =
    members === undefined ? [await looseLayer(source, await source.read(0, 4))] : layersIn(source.name, members)
  return Promise.all(layers.map((files) => openLayer(files, options.encoding as string | undefined)))
}

/** Opens one layer. Reads headers, and the whole table once if nothing declares its encoding. */
async function openLayer(files: LayerFiles, encoding: string | undefined): Promise<Table> {
  const { source, layer: layerName, shp, dbf, cpg, names } = files
  if (shp !== undefined) await checkGeometryFile(shp)
  const at = (row: number): Place => (layerName === undefined ? { source, row } : { source, layer: layerName, row })
  const isTable = dbf !== undefined && (dbf.size > 0 || shp === undefined)
  const attributes = isTable ? await openAttributes({ dbf, cpg, names, encoding, at: at(0) }) : undefined
  const known = [...missingFiles(files, at(0)), ...(attributes?.notes ?? [])]
  const layer: Layer = { files, attributes, at }
  const crs = await crsClue(files)
  const count = attributes === undefined ? indexedShapes(files) : rowsToRead(attributes.header)
  return {
    name: files.name,
    format: 'shapefile',
    crs,
    columns: attributes?.columns ?? [],
    hasGeometry: shp !== undefined,
    count,
    decisions: attributes === undefined ? [] : [attributes.choice.decision],
    cut: (bytes) => cutLayer(layer, bytes),
    ...passesOver(known, (report, signal, range) => readLayer(layer, report, signal, range)),
  }
}

/**
 * The ranges of a layer by the numbers of its records; undefined where its files are in a zip, or where index, shapes and table do not
 * agree in all that can be compared without reading them.
 */
async function cutLayer(
  { files: { shp, shx, dbf }, attributes }: Layer,
  bytes: number,
): Promise<readonly Range[] | undefined> {
  if (!shp?.path || !shx?.path || !dbf?.path || attributes === undefined) return undefined
  const parts = Math.floor((shp.size + dbf.size) / bytes)
  if (parts < 2) return undefined
  const index = await readRecordIndex(shx, shp.size)
  const { declaredRows, presentRows } = attributes.header
  if (index === undefined || index.leaps.length > 0 || index.count !== declaredRows || declaredRows > presentRows)
    return undefined
  const last = index.count - 1
  const end = index.startOf(last) + recordHeaderBytes + index.contentBytesOf(last)
  const declaredBytes = Buffer.from(await shp.read(0, headerBytes)).readUInt32BE(24) * 2
  if (end !== shp.size || end !== declaredBytes || !(await isBorneOut(index, shp))) return undefined
  return evenRanges(0, index.count, parts).map((range) => ({ ...range, at: index.startOf(range.from) }))
}

const largestCrsText = 1 << 16

/** The text of the .prj, or of the .qpj that QGIS used to write beside it. */
async function crsClue({ prj, qpj }: LayerFiles): Promise<CrsClue | undefined> {
  for (const [from, file] of [['.prj', prj] as const, ['.qpj', qpj] as const]) {
    const bytes = (await file?.read(0, largestCrsText)) ?? new Uint8Array(0)
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes).replaceAll('\0', '').trim()
    if (text !== '') return { from, text }
  }
  return undefined
}
