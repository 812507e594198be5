/** Finds records by a box: by their own boxes, which are stored with them, and where those do not decide, by their boundaries. */

import { emptyBox, widen, type Shape } from '../../core/shape.ts'
import { shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import type { Members } from '../../core/values/exact-json.ts'
import { touchesBox } from '../../geometry/coverage/box-touch.ts'
import type { Box } from '../http/query.ts'
import { inSlices } from '../http/share-thread.ts'
import type { StoredRecord } from '../store/records.ts'
import { asList, type Condition, type Store } from '../store/store.ts'

/** The box around the boundary of a record, or its centroid where it has none; undefined without a place. */
export function boxAround(body: Members): Box | undefined {
  const { spatialFeature, centroid } = body as { readonly spatialFeature?: Members | null; readonly centroid?: unknown }
  const shape = shapeFromGeoJson(spatialFeature?.['geometry'] ?? centroid)
  if (typeof shape === 'string') return undefined
  const whole = boxOf(shape, () => true)
  // No farm spans half the globe.
  if (whole === undefined || whole.east - whole.west <= 180) return whole
  const [eastern, western] = [boxOf(shape, (x) => x >= 0)!, boxOf(shape, (x) => x < 0)!]
  return { ...whole, west: eastern.west, east: western.east }
}

function boxOf(shape: Shape, counts: (x: number) => boolean): Box | undefined {
  const box = emptyBox()
  const add = ({ coordinates, members }: Shape): void => {
    for (let at = 0; at < coordinates.length; at += 2) if (counts(coordinates[at]!)) widen(box, coordinates, at, at + 2)
    members?.forEach(add)
  }
  add(shape)
  const [west, south, east, north] = box
  return west <= east ? { west, south, east, north } : undefined
}

/** The numbers of the records that a condition selects and that touch a box or have no place; other requests run in between. */
export async function touching(store: Store, { sql, parameters }: Condition, box: Box): Promise<readonly number[]> {
  const parts = onGlobe(box)
  const found = store
    .prepare(
      `WITH parts (w, s, e, n) AS (VALUES ${parts.map(() => '(?, ?, ?, ?)').join(', ')})
       SELECT isSure, ${asList} AS list FROM (
         SELECT number, max(west >= w AND south >= s AND east <= e AND north <= n AND west <= east) AS isSure
         FROM parts, records WHERE ${sql} AND (west IS NULL OR (north >= s AND south <= n AND
           CASE WHEN west <= east THEN east >= w AND west <= e ELSE east >= w OR west <= e END))
         GROUP BY number
       ) GROUP BY isSure`,
    )
    .all(...parts.flatMap(({ west, south, east, north }) => [west, south, east, north]), ...parameters)
  const placeOf = store.prepare('SELECT geometry, body FROM records WHERE number = ?')
  const turn = inSlices()
  const numbers: number[] = []
  for (const { isSure, list } of found)
    for (const number of JSON.parse(list as string) as readonly number[]) {
      if (isSure !== 0 || touchesAny(placeOf.get(number), parts)) numbers.push(number)
      await turn()
    }
  return numbers
}

function touchesAny(row: Members | undefined, parts: readonly Box[]): boolean {
  const { geometry, body = '{}' } = (row ?? {}) as Partial<StoredRecord>
  const shape = shapeFromGeoJson(geometry == null ? (JSON.parse(body) as Members)['centroid'] : JSON.parse(geometry))
  return typeof shape !== 'string' && parts.some((part) => touchesBox(shape, part))
}

// Across the 180th meridian west is larger than east, or some maps count on beyond 180.
function onGlobe({ west, east, south, north }: Box): readonly Box[] {
  const part = (from: number, to: number): Box => ({ west: from, east: to, south, north })
  if (east - west >= 360) return [part(-180, 180)]
  if (west > east) return [part(west, 180), part(-180, east)]
  if (east > 180) return [part(west, 180), part(west > 180 ? west - 360 : -180, east - 360)]
  if (west < -180) return [part(-180, east), part(west + 360, east < -180 ? east + 360 : 180)]
  return [part(west, east)]
}
