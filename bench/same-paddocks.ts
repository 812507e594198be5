/**
 * Checks that two conversions of the seeded paddocks did the same work: every paddock present, unrepaired boundaries the same to
 * the last written digit, our areas those of the ellipsoid, and both centroids in the same place.
 */

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import geodesic from 'geographiclib-geodesic'
import proj4 from 'proj4'
import { paddocksOf, type Paddock } from './data.ts'

/** `features` is GeoJSON by lines with PADDOCK_ID, `records` are ours; `repaired` is the number of repaired boundaries in our report. */
export type Conversions = {
  readonly count: number
  readonly records: string
  readonly features: string
  readonly repaired: number
}

type Record = {
  readonly dataPointKey: string
  readonly totalArea: { readonly measurement: number }
  readonly centroid?: { readonly coordinates: Position }
  readonly spatialFeature: { readonly geometry: Geometry }
}
type Feature = {
  readonly properties: { readonly PADDOCK_ID: string; readonly x?: number; readonly y?: number }
  readonly geometry: Geometry | null
}
type Geometry = { readonly type: string; readonly coordinates: readonly unknown[] }
type Position = readonly [number, number]
type Rings = readonly (readonly Position[])[]

/** Describes where the two conversions differ; undefined when they did the same work. */
export async function differenceOfPaddocks({ count, ...files }: Conversions): Promise<string | undefined> {
  const features = linesOf(files.features)
  const paddocks = paddocksOf({ count, bowTies: true })
  let [read, otherwise] = [0, 0]
  for await (const line of linesOf(files.records)) {
    const record = JSON.parse(line) as Record
    const { value: paddock } = paddocks.next() as { readonly value: Paddock | undefined }
    const { value: featureLine } = (await features.next()) as { readonly value: string | undefined }
    if (paddock === undefined || featureLine === undefined) return `One of them ends after ${read} paddocks.`
    const feature = JSON.parse(featureLine) as Feature
    const id = paddock.cells[0]!
    if (!record.dataPointKey.endsWith(`/${id}`) || feature.properties.PADDOCK_ID !== id)
      return `Paddock ${id} is not in the right place.`
    const ours = ringsOf(record.spatialFeature.geometry)
    const isSame = sameRings(ours, ringsOf(feature.geometry))
    if (!isSame) otherwise += 1
    const fault = areaFault(record, ours, paddock) ?? (isSame ? centroidFault(record, feature) : undefined)
    if (fault !== undefined) return `Paddock ${id}: ${fault}`
    read += 1
  }
  if (read !== count || (await features.next()).done !== true) return `${read} of ${count} paddocks are in ours.`
  if (otherwise > files.repaired) return `${otherwise} boundaries differ; only ${files.repaired} were repaired.`
  return undefined
}

/** The lines of a file; some programs begin each with a record separator. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const text = line.replace(/^\x1e/, '')
    if (text !== '') yield text
  }
}

function ringsOf(geometry: Geometry | null): Rings {
  if (geometry === null) return []
  return geometry.coordinates.flat(geometry.type === 'MultiPolygon' ? 1 : 0) as unknown as readonly Position[][]
}

// Half of our last digit and half of the peer's.
const toleranceDegrees = 1.001e-7

/** Rings may start elsewhere and run the other way. */
function sameRings(ones: Rings, others: Rings): boolean {
  return ones.length === others.length && ones.every((one) => others.some((other) => sameRing(one, other)))
}

function sameRing(one: readonly Position[], other: readonly Position[]): boolean {
  const count = one.length - 1
  if (other.length - 1 !== count) return false
  const runs = (begin: number, step: 1 | -1): boolean =>
    one.every((position, index) => isNear(position, other[(((begin + step * index) % count) + count) % count]!))
  // Vertices may be so close that more than one could be the start of the ring.
  return other.some((position, begin) => isNear(one[0]!, position) && (runs(begin, 1) || runs(begin, -1)))
}

function isNear([x, y]: Position, [peersX, peersY]: Position): boolean {
  return isNearNumber(x, peersX) && isNearNumber(y, peersY)
}

/** GDAL 3.6 writes -42.1999991 as -42.2: it removes five nines or zeros in a row as noise. */
export function isNearNumber(ours: number, peers: number): boolean {
  const off = Math.abs(ours - peers)
  return off <= toleranceDegrees || (off <= 1e-6 && Math.round(peers * 100) / 100 === peers)
}

const nztm = '+proj=tmerc +lat_0=0 +lon_0=173 +k=0.9996 +x_0=1600000 +y_0=10000000 +ellps=GRS80 +units=m +no_defs'
const toLonLat = proj4(nztm, '+proj=longlat +ellps=WGS84 +no_defs')

/** The area is written in hundredths of a square metre, measured before the boundary was rounded. */
function areaFault(record: Record, rings: Rings, paddock: Paddock): string | undefined {
  const drawn = paddock.parts.flat()
  const isAsDrawn = rings.length === drawn.length && rings.flat().length === drawn.flat().length
  // Repaired paddocks have other vertices; every hundredth of the others is enough, because geodesics are slow.
  if (!isAsDrawn || Number(paddock.cells[0]) % 100 !== 0) return undefined
  const areaM2 = paddock.parts
    .flatMap(([shell, ...holes]) => [geodesicArea(shell!), ...holes.map((hole) => -geodesicArea(hole))])
    .reduce((sum, each) => sum + each, 0)
  const { measurement } = record.totalArea
  const isRight = Math.abs(measurement - areaM2) <= 0.005 + areaM2 * 1e-7
  return isRight ? undefined : `its area is ${areaM2} m², ours is ${measurement}.`
}

// Ten centimetres: the centroid on the plane is not quite the centroid in degrees.
const centroidDegrees = 1e-6

function centroidFault({ centroid }: Record, { properties: { x, y } }: Feature): string | undefined {
  if (x === undefined || y === undefined) return undefined
  const [lon, lat] = centroid?.coordinates ?? [NaN, NaN]
  const isThere = Math.abs(lon - x) <= centroidDegrees && Math.abs(lat - y) <= centroidDegrees
  return isThere ? undefined : `its centroid is ${x}, ${y}, ours is ${lon}, ${lat}.`
}

function geodesicArea(ring: Paddock['parts'][number][number]): number {
  const polygon = geodesic.Geodesic.WGS84.Polygon(false)
  for (const [x, y] of ring.slice(1)) {
    const [lon, lat] = toLonLat.forward([x, y])
    polygon.AddPoint(lat, lon)
  }
  return Math.abs(polygon.Compute(false, true).area ?? 0)
}
