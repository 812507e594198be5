/**
 * Writes a zipped shapefile of polygons byte by byte, without windrow's own writer, so that samples and benchmark data do not
 * depend on the code that they test.
 */

import { open, rename, writeFile } from 'node:fs/promises'
import { zipBytes } from '../test/core/zip-bytes.ts'

export type Ring = readonly (readonly [x: number, y: number])[]

/** A polygon's rings, each closed: shells clockwise and holes counterclockwise, as shapefiles require. */
export type Polygon = readonly Ring[]

export type Field = { readonly name: string; readonly width: number; readonly decimals?: number }

export type Layer = {
  readonly name: string
  readonly prj: string
  readonly fields: readonly Field[]
  readonly records: readonly { readonly polygon: Polygon; readonly cells: readonly string[] }[]
}

/** The .prj text that programs write for NZTM (EPSG:2193). */
export const nztmPrj =
  'PROJCS["NZGD2000_New_Zealand_Transverse_Mercator_2000",GEOGCS["GCS_NZGD_2000",DATUM["D_NZGD_2000",' +
  'SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],' +
  'PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",1600000.0],PARAMETER["False_Northing",10000000.0],' +
  'PARAMETER["Central_Meridian",173.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],' +
  'UNIT["Meter",1.0]]'

/** The bytes of a zip with .shp, .shx, .dbf, .prj and .cpg; numbers right-aligned, text in UTF-8. */
export function shapefileZip(layer: Layer): Uint8Array {
  const { shp, shx } = geometryFiles(layer.records.map((record) => record.polygon))
  const files = { shp, shx, dbf: attributeFile(layer), prj: layer.prj, cpg: 'UTF-8' }
  // Stored uncompressed, because compressed bytes differ between versions of zlib.
  const stored = { method: 0, changed: noonOf20November2026 } as const
  return zipBytes(
    Object.entries(files).map(([ending, bytes]) => ({ name: `${layer.name}.${ending}`, bytes, ...stored })),
  )
}

const noonOf20November2026 = 0x5d74_6000

/**
 * Writes the layer as loose files, without .shx, from its records part by part. The .shp gets its name last, so that where it
 * exists all exist.
 */
export async function writeShapefile(
  stem: string,
  layer: Omit<Layer, 'records'>,
  parts: Iterable<Layer['records']>,
): Promise<void> {
  const [shp, dbf] = [await open(`${stem}.shp.part`, 'w'), await open(`${stem}.dbf`, 'w')]
  const bounds = boundsOf([])
  let [count, shpBytes] = [0, 100]
  await shp.write(Buffer.alloc(shpBytes))
  for (const records of parts) {
    const geometry = geometryFiles(records.map(({ polygon }) => polygon)).shp
    const table = attributeFile({ ...layer, records })
    const headerLength = table.readUInt16LE(8)
    await dbf.write(count === 0 ? table.subarray(0, -1) : table.subarray(headerLength, -1))
    await shp.write(geometry.subarray(100))
    for (const side of [0, 1]) bounds[side] = Math.min(bounds[side]!, geometry.readDoubleLE(36 + side * 8))
    for (const side of [2, 3]) bounds[side] = Math.max(bounds[side]!, geometry.readDoubleLE(36 + side * 8))
    count += records.length
    shpBytes += geometry.length - 100
  }
  const header = shpHeader(shpBytes, bounds)
  await shp.write(header, 0, header.length, 0)
  const counted = Buffer.alloc(4)
  counted.writeUInt32LE(count)
  await dbf.write(counted, 0, 4, 4)
  await Promise.all([shp.close(), dbf.close()])
  await Promise.all([writeFile(`${stem}.prj`, layer.prj), writeFile(`${stem}.cpg`, 'UTF-8')])
  await rename(`${stem}.shp.part`, `${stem}.shp`)
}

const polygonType = 5

function geometryFiles(polygons: readonly Polygon[]): { readonly shp: Buffer; readonly shx: Buffer } {
  const lengths = polygons.map((rings) => 44 + rings.length * 4 + rings.flat().length * 16)
  const shp = Buffer.alloc(100 + lengths.reduce((sum, length) => sum + 8 + length, 0))
  const shx = Buffer.alloc(100 + polygons.length * 8)
  let at = 100
  for (const [index, rings] of polygons.entries()) {
    const length = lengths[index]!
    shx.writeInt32BE(at / 2, 100 + index * 8)
    shx.writeInt32BE(length / 2, 104 + index * 8)
    shp.writeInt32BE(index + 1, at)
    shp.writeInt32BE(length / 2, at + 4)
    writePolygon(shp, at + 8, rings)
    at += 8 + length
  }
  const whole = boundsOf(polygons.flat())
  for (const file of [shp, shx]) shpHeader(file.length, whole).copy(file)
  return { shp, shx }
}

function shpHeader(fileBytes: number, bounds: readonly number[]): Buffer {
  const header = Buffer.alloc(100)
  header.writeInt32BE(9994, 0)
  header.writeInt32BE(fileBytes / 2, 24)
  header.writeInt32LE(1000, 28)
  header.writeInt32LE(polygonType, 32)
  writeDoubles(header, 36, bounds)
  return header
}

function writePolygon(file: Buffer, start: number, rings: Polygon): void {
  file.writeInt32LE(polygonType, start)
  writeDoubles(file, start + 4, boundsOf(rings))
  file.writeInt32LE(rings.length, start + 36)
  file.writeInt32LE(rings.flat().length, start + 40)
  let vertex = 0
  let at = start + 44 + rings.length * 4
  for (const [index, ring] of rings.entries()) {
    file.writeInt32LE(vertex, start + 44 + index * 4)
    vertex += ring.length
    for (const position of ring) at = writeDoubles(file, at, position)
  }
}

function writeDoubles(file: Buffer, start: number, numbers: readonly number[]): number {
  for (const [index, each] of numbers.entries()) file.writeDoubleLE(each, start + index * 8)
  return start + numbers.length * 8
}

function boundsOf(rings: readonly Ring[]): number[] {
  const bounds = [Infinity, Infinity, -Infinity, -Infinity]
  for (const ring of rings)
    for (const [x, y] of ring) {
      bounds[0] = Math.min(bounds[0]!, x)
      bounds[1] = Math.min(bounds[1]!, y)
      bounds[2] = Math.max(bounds[2]!, x)
      bounds[3] = Math.max(bounds[3]!, y)
    }
  return bounds
}

function attributeFile({ fields, records }: Layer): Buffer {
  const headerLength = 32 + fields.length * 32 + 1
  const recordLength = 1 + fields.reduce((sum, field) => sum + field.width, 0)
  const file = Buffer.alloc(headerLength + records.length * recordLength + 1, 0x20)
  file.fill(0, 0, headerLength)
  file.set([3, 126, 11, 20], 0)
  file.writeUInt32LE(records.length, 4)
  file.writeUInt16LE(headerLength, 8)
  file.writeUInt16LE(recordLength, 10)
  for (const [index, field] of fields.entries()) {
    const at = 32 + index * 32
    file.write(field.name, at, 10, 'latin1')
    file.write(field.decimals === undefined ? 'C' : 'N', at + 11, 'latin1')
    file.set([field.width, field.decimals ?? 0], at + 16)
  }
  file[headerLength - 1] = 0x0d
  let at = headerLength
  for (const { cells } of records) {
    at += 1
    for (const [index, field] of fields.entries()) {
      const bytes = Buffer.from(cells[index]!)
      if (bytes.length > field.width) throw new Error(`"${cells[index]}" is wider than ${field.name}.`)
      bytes.copy(file, field.decimals === undefined ? at : at + field.width - bytes.length)
      at += field.width
    }
  }
  file[file.length - 1] = 0x1a
  return file
}
