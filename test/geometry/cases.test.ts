import { existsSync, readFileSync } from 'node:fs'
import { parseShp } from 'shpjs'
import { describe, expect, test } from 'vitest'
import yauzl from 'yauzl'
import type { CrsClue } from '../../src/core/row.ts'
import { shapeKinds, type Shape } from '../../src/core/shape.ts'
import { shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import { identifyCrs } from '../../src/geometry/crs/crs.ts'
import { normaliserFor } from '../../src/geometry/boundary/normalise.ts'
import { tidyRings } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'

const folder = new URL('../../../shared/cases/', import.meta.url)
const isThere = existsSync(folder)

type Feature = { readonly i: number; readonly areaHa?: number; readonly centroid?: readonly [number, number] }
type Oracle = {
  readonly crs?: { readonly epsg?: number }
  readonly perFeature?: readonly Feature[]
  readonly totalAreaHa?: number
  readonly positionToleranceM?: number
  readonly datumShiftM?: number
  readonly invalidCount?: number
}
type Case = { readonly id: string; readonly file: string; readonly format: string; readonly oracle?: Oracle }

const cases = isThere ? (JSON.parse(readText('cases.json')) as readonly Case[]) : []

function readText(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}

// Harmful archives and rows without attributes do not concern geometry. For the others windrow differs on purpose:
const otherwise = [
  // its numbers are not British, which windrow reports instead of placing them in the sea
  'gdal-poly-zip',
  // its parts lie on both sides of 180 degrees, and windrow's centroid knows
  'ms-nz',
  // the oracle turns a hole outside into land
  'gen-hole-outside',
  'gen-dbf-shorter',
]
const placed = cases.filter(
  ({ id, format, oracle }) =>
    ['shapefile', 'shapefile-zip', 'geojson'].includes(format) &&
    !id.startsWith('gen-zip') &&
    !otherwise.includes(id) &&
    oracle?.crs?.epsg !== undefined &&
    oracle.perFeature?.some((each) => each.centroid !== undefined) === true,
)

type Layer = { readonly clue: CrsClue; readonly shapes: readonly (Shape | null)[] }

async function readLayer({ file, format, oracle }: Case): Promise<Layer> {
  if (format === 'geojson') {
    const collection = JSON.parse(readText(file)) as {
      features?: readonly { geometry: unknown }[]
      geometry?: unknown
      crs?: unknown
    }
    const geometries = collection.features?.map((each) => each.geometry) ?? [collection.geometry ?? collection]
    const clue: CrsClue =
      collection.crs === undefined
        ? { from: 'format', text: 'EPSG:4326' }
        : { from: 'crs member', text: JSON.stringify(collection.crs) }
    return { clue, shapes: geometries.map(shapeOf) }
  }
  const members = format === 'shapefile-zip' ? await unzip(file) : undefined
  const bytes = members?.get('.shp') ?? readFileSync(new URL(file, folder))
  const beside = new URL(file.replace(/\.shp$/i, '.prj'), folder)
  const prj = members?.get('.prj')?.toString('utf8') ?? (existsSync(beside) ? readFileSync(beside, 'utf8') : undefined)
  const clue: CrsClue =
    prj === undefined ? { from: 'option', text: `EPSG:${oracle!.crs!.epsg}` } : { from: '.prj', text: prj }
  return { clue, shapes: parseShp(bytes as unknown as ArrayBuffer).map(shapeOf) }
}

function shapeOf(geometry: unknown): Shape | null {
  const shape = geometry === null ? null : shapeFromGeoJson(geometry)
  return typeof shape === 'string' ? null : shape
}

function unzip(file: string): Promise<ReadonlyMap<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const found = new Map<string, Buffer>()
    yauzl.fromBuffer(readFileSync(new URL(file, folder)), { lazyEntries: true }, (error, archive) => {
      if (error !== null) return reject(error)
      archive.on('end', () => resolve(found))
      archive.on('error', reject)
      archive.on('entry', (entry: yauzl.Entry) => {
        const ending = /\.(shp|prj)$/i.exec(entry.fileName)?.[0].toLowerCase()
        if (ending === undefined || entry.fileName.includes('__MACOSX')) return archive.readEntry()
        archive.openReadStream(entry, (failure, stream) => {
          if (failure !== null) return reject(failure)
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('error', reject)
          stream.on('end', () => {
            found.set(ending, Buffer.concat(chunks))
            archive.readEntry()
          })
        })
      })
      archive.readEntry()
    })
  })
}

describe.skipIf(!isThere)('real files lie where standard tools put them', () => {
  test('there are some', () => expect(placed.length).toBeGreaterThan(40))

  test('a file whose numbers do not fit its coordinate system is rejected', async () => {
    const { clue, shapes } = await readLayer(cases.find(({ id }) => id === 'gdal-poly-zip')!)
    const normalise = normaliserFor({
      crs: identifyCrs(clue),
      multipart: 'keep',
      repairUpTo: 1,
      decimals: 7,
      keepHeights: false,
      allowed: shapeKinds,
    })
    expect(normalise(shapes[0]!, { source: 'poly.zip', row: 0 }).problems[0]).toMatchObject({
      code: 'coordinate-out-of-range',
    })
  })

  test.each(placed.map((each) => [each.id, each] as const))('%s', async (_, each) => {
    const { clue, shapes } = await readLayer(each)
    const crs = identifyCrs(clue)
    const normalise = normaliserFor({
      crs,
      multipart: 'keep',
      repairUpTo: 1,
      decimals: 7,
      keepHeights: false,
      allowed: shapeKinds,
    })
    const { perFeature = [], totalAreaHa, positionToleranceM = 0.02, invalidCount = 0 } = each.oracle!
    const results = shapes.map((shape, row) =>
      shape === null ? undefined : normalise(shape, { source: each.id, row }),
    )
    for (const { i, centroid, areaHa } of perFeature) {
      const measured = results[i]?.measured
      if (centroid === undefined || measured === undefined) continue
      const east = (measured.centroid[0] - centroid[0]) * Math.cos((centroid[1] * Math.PI) / 180)
      // The oracle rounds to seven decimals, which is a centimetre.
      expect(Math.hypot(east, measured.centroid[1] - centroid[1]) * 111_320).toBeLessThan(positionToleranceM + 0.02)
      if (areaHa !== undefined && invalidCount === 0)
        expect(Math.abs(measured.areaM2 / 10_000 - areaHa)).toBeLessThan(1e-6 * areaHa + 2e-6)
    }
    const total = results.reduce((sum, result) => sum + (result?.measured?.areaM2 ?? 0), 0) / 10_000
    if (totalAreaHa !== undefined && invalidCount === 0)
      expect(Math.abs(total - totalAreaHa)).toBeLessThan(1e-6 * totalAreaHa + 1e-5)
  })
})

type ValidityCase = { readonly desc: string; readonly wkt: string; readonly expected: boolean }

// windrow is milder on purpose: it keeps and notes a boundary that touches itself, and ignores an empty part.
const milder = /self-touch|interior disconnected|chain of holes/i

function shapeOfWkt(wkt: string): Shape | undefined {
  const kind = ({ POLYGON: 'Polygon', MULTIPOLYGON: 'MultiPolygon' } as const)[/^[A-Z]+/.exec(wkt)![0] as 'POLYGON']
  if (kind === undefined || wkt.includes('NaN')) return undefined
  const text = wkt
    .replace(/^[A-Z]+\s*/, '')
    .replaceAll('EMPTY', '()')
    .replaceAll('(', '[')
    .replaceAll(')', ']')
  const coordinates: unknown = JSON.parse(text.replaceAll(/(-?[\d.]+)\s+(-?[\d.]+)/g, '[$1,$2]'))
  const shape = shapeFromGeoJson({ type: kind, coordinates })
  if (typeof shape === 'string') throw new Error(shape)
  // Scaled into the range of degrees by a power of two, which is exact.
  return { ...shape, coordinates: shape.coordinates.map((value) => value / 16) }
}

describe.skipIf(!isThere)('a boundary is valid where the standard geometry library finds it valid', () => {
  const files = isThere ? ['geos-isvalid/geos-isvalid.json', 'geos-valid-a/cases.json'] : []
  const listed = files.flatMap((file) => JSON.parse(readText(`real/wkt/${file}`)) as readonly ValidityCase[])
  const drawn = listed.flatMap((each) => {
    const shape = shapeOfWkt(each.wkt)
    return shape === undefined ? [] : [[each.desc, each, tidyRings(shape).shape] as const]
  })

  test('there are some', () => expect(drawn.length).toBeGreaterThan(30))

  test.each(drawn)('%s', (_, { desc, expected }, shape) => {
    const isSound = !findFaults(shape).some(isError)
    expect(isSound).toBe(milder.test(desc) ? true : expected)
  })
})
