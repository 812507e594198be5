/** Opens a shapefile, loose or in a zip: its layers as tables, with their columns and coordinate system. */

import { membersOf } from '../../core/sources/file-tree.ts'
import type { Source } from '../../core/sources/source.ts'
import { membersOfZip } from '../../core/sources/zip.ts'
import type { FormatOptions } from '../format.ts'
import { passesOver } from '../table-names.ts'
import { layersIn, looseLayer, type LayerFiles } from './shapefile-members.ts'
import type { CrsClue, Place, Table } from '../../core/row.ts'
import { openAttributes, type TableClues, rowsToRead } from './table-file.ts'
import { indexedShapes, missingFiles, readLayer, type Layer } from './shapefile-rows.ts'
import { checkGeometryFile } from './geometry-file.ts'

/** Opens a shapefile, or all of a zip or folder, as one table per layer. `decides`: all text shows its encoding. */
export async function openShapefile(
  source: Source,
  options: FormatOptions,
  decides: boolean,
): Promise<readonly Table[]> {
  const encoding = options.encoding === undefined ? undefined : String(options.encoding)
  // A file that is only named .zip gets the error message of the zip reader.
  const members = (await membersOf(source)) ?? (/\.zip$/i.test(source.name) ? await membersOfZip(source) : undefined)
  const layers =
    members === undefined ? [await looseLayer(source, await source.read(0, 4))] : layersIn(source.name, members)
  return Promise.all(layers.map((files) => openLayer(files, { encoding, decides })))
}

/** Opens one layer. Reads headers; who decides its encoding reads the whole table, too. */
async function openLayer(
  files: LayerFiles,
  { encoding, decides }: Pick<TableClues, 'encoding' | 'decides'>,
): Promise<Table> {
  const { source, layer: layerName, shp, dbf, cpg, names } = files
  if (shp !== undefined) await checkGeometryFile(shp)
  const at = (row: number): Place => (layerName === undefined ? { source, row } : { source, layer: layerName, row })
  const isTable = dbf !== undefined && (dbf.size > 0 || shp === undefined)
  const attributes = isTable ? await openAttributes({ dbf, cpg, names, encoding, decides, at: at(0) }) : undefined
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
    choices: attributes === undefined ? [] : [attributes.choice.decision],
    ...passesOver(known, (report, signal) => readLayer(layer, report, signal)),
  }
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
