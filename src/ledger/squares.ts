/** Knows in which square of the ledger's index a record lies, and finds the records near a box. */

import { numbersIn, type Database } from '../core/database.ts'
import { geometryIn, type Body } from './content.ts'

/** A box (west, south, east and north) and how far around it to look, in degrees. */
export type Near = { readonly box: readonly [number, number, number, number]; readonly degrees: number }

// A boundary's centroid lies in a square of a tenth of a degree; without a centroid it may lie anywhere.
const [perDegree, perTurn, anywhere] = [10, 3600, -1]

/** The square of a record; null without a boundary. */
export function squareOf(body: Body): number | null {
  const coordinates = (body['centroid'] as { readonly coordinates?: unknown } | null | undefined)?.coordinates
  const [lon, lat] = Array.isArray(coordinates) ? (coordinates as readonly unknown[]) : []
  if (typeof lon === 'number' && typeof lat === 'number') return squareAt(lon, lat)
  return (geometryIn(body) ?? null) === null ? null : anywhere
}

// A body that windrow made ends with the centroid of its boundary.
const lastCentroid = /,"centroid":\{"type":"Point","coordinates":\[([-\d.]+),([-\d.]+)\]\}\}$/
const longest = 100

/** The square of a record from its text, or from the bytes of it. Of a text with a boundary mostly the end is read. */
export function squareOfText(body: string | Uint8Array): number | null {
  const [, lon, lat] = lastCentroid.exec(textFrom(body, -longest)) ?? []
  if (lon !== undefined) return squareAt(Number(lon), Number(lat))
  const text = textFrom(body, 0)
  return /"(?:centroid|geometry)"/.test(text) ? squareOf(JSON.parse(text) as Body) : null
}

/** Numbers and the names of members are the same in any encoding; one byte for each character is read fastest. */
function textFrom(body: string | Uint8Array, start: number): string {
  return typeof body === 'string'
    ? body.slice(start)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).subarray(start).toString('latin1')
}

function squareAt(lon: number, lat: number): number {
  return Math.floor((lat + 90) * perDegree) * perTurn + Math.floor((lon + 180) * perDegree)
}

// More squares are most of a country: reading all records takes less time.
const mostSquares = 2000

/** Makes the function that lists records of an account near a box: all, or those of others and those with the absent numbers. */
export function recordsNear(database: Database, account: string) {
  const numbers = numbersIn(database)
  // PostgreSQL uses the index for a list, not for the rows of a query.
  const among = database.dialect === 'postgres' ? `square = ANY (ARRAY(${numbers}))` : `square IN (${numbers})`
  return (dataset: string, near: Near, own?: { readonly pipeline: string; readonly absent: readonly number[] }) => {
    const squares = squaresNear(near)
    const wanted = [`account = ? AND dataset = ? AND state IN ('accepted', 'confirmed')`]
    const values = [account, dataset]
    if (squares !== undefined) {
      wanted.push(`square IS NOT NULL AND ${among}`)
      values.push(JSON.stringify(squares))
    }
    if (own !== undefined) {
      wanted.push(`(pipeline IS DISTINCT FROM ? OR id IN (${numbers}))`)
      values.push(own.pipeline, JSON.stringify(own.absent))
    }
    const found = database.prepare(`SELECT key, body FROM records WHERE ${wanted.join(' AND ')}`).iterate(...values)
    return found as IterableIterator<{ readonly key: string; readonly body: string }>
  }
}

/** The squares of a box and around it; undefined if they are very many. */
function squaresNear({ box: [west, south, east, north], degrees }: Near): readonly number[] | undefined {
  const stepOf = (edge: number, origin: number): number => Math.floor((edge + origin) * perDegree)
  const rows = [stepOf(south - degrees, 90), stepOf(north + degrees, 90)] as const
  // A box across 180 degrees ends east of where it begins.
  const columns = [stepOf(west - degrees, 180), stepOf((east < west ? east + 360 : east) + degrees, 180)] as const
  if ((rows[1] - rows[0] + 1) * (columns[1] - columns[0] + 1) > mostSquares) return undefined
  const squares = [anywhere]
  for (let row = rows[0]; row <= rows[1]; row += 1)
    for (let column = columns[0]; column <= columns[1]; column += 1)
      squares.push(row * perTurn + ((column + perTurn) % perTurn))
  return squares
}
