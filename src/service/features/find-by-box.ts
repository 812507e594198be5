/**
 * Finds records by a box. Their own boxes are kept in a table, which is updated when somebody asks, because nightly publishing does
 * not need it. Only records of holdings that the caller may see are read, so that not even the time of an answer shows what others
 * have. A record on both sides of the 180th meridian has a second box under its negative number.
 */

import { runEach } from '../../core/database.ts'
import { shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { emptyBox, widen, type Shape } from '../../core/shape.ts'
import { touchesBox } from '../../geometry/coverage/box-touch.ts'
import { bareMembers, geometryText, lastNamed } from '../store/json-spans.ts'
import type { Box } from '../http/query.ts'
import { viewerParameters, visibleHoldings, type Viewer } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { inSlices, nextTurn } from '../http/share-thread.ts'

export type Places = ReturnType<typeof placesIn>

/** Makes the index of places over a store. */
export function placesIn(store: Store) {
  /** For each dataset and account, the change up to which the index is complete. */
  const reached = new Map<string, number>()
  const step = indexer(store)
  const without = store.prepare(`SELECT number FROM placeless WHERE number IN (SELECT value FROM json_each(?))`)
  const bodyOf = store.prepare('SELECT body FROM records WHERE number = ? AND deleted = 0')
  const touches = (number: number, parts: readonly Box[]): boolean => {
    const body = bodyOf.get(number)?.['body']
    const shape = body === undefined ? undefined : shapeIn(body as Uint8Array)
    return shape !== undefined && parts.some((part) => touchesBox(shape, part))
  }
  return {
    /** Indexes what changed since the last time among the records that an account may see. */
    async refresh(dataset: string, { account }: Viewer): Promise<void> {
      // In all regions: a holding may get another region without a change of its plots.
      const viewer = { account, region: null }
      const key = `${dataset} ${account}`
      const until = store.lastSequence()
      // Requests that wait for the same index take turns, each from where the last one stopped.
      for (let since = reached.get(key) ?? 0; since < until; since = reached.get(key)!) {
        const last = store.transaction(() => step(dataset, since, viewer))
        reached.set(key, last ?? until)
        if (last !== undefined) await nextTurn()
      }
    },
    /** Those of these records that touch a box or have no place. Boundaries are read only where the box of the record crosses it. */
    async touching(numbers: readonly number[], box: Box): Promise<readonly number[]> {
      const parts = onGlobe(box)
      const reaches = 'b.east >= ? AND b.west <= ? AND b.north >= ? AND b.south <= ?'
      const near = store.prepare(
        `SELECT n.value AS number, b.west, b.south, b.east, b.north FROM json_each(?) n CROSS JOIN boxes b
         WHERE b.number IN (n.value, -n.value) AND (${parts.map(() => `(${reaches})`).join(' OR ')})`,
      )
      const sides = parts.flatMap(({ west, east, south, north }) => [west, east, south, north])
      const found = new Set<number>()
      const turn = inSlices()
      for (let from = 0; from < numbers.length; from += atOnce) {
        const some = JSON.stringify(numbers.slice(from, from + atOnce))
        for (const { number } of without.all(some)) found.add(number as number)
        for (const row of near.all(some, ...sides)) {
          const number = row['number'] as number
          const isIn = parts.some((part) => isInside(row as unknown as Box, part))
          if (isIn || (!found.has(number) && touches(number, parts))) found.add(number)
          await turn()
        }
        await turn()
      }
      return [...found]
    },
  }
}

/** Indexes the next records after a change, and returns the last change that is indexed then; undefined when none are left. */
function indexer(store: Store) {
  // The key is dataset/holding: the index is complete holding by holding.
  const reach = store.prepare(
    'INSERT INTO placed VALUES (?, ?) ON CONFLICT (dataset) DO UPDATE SET sequence = excluded.sequence',
  )
  const changed = store.prepare(
    `SELECT number, holding, deleted, changed, body FROM records
     WHERE dataset = ? AND changed > ? AND holding IN (${visibleHoldings})
     AND changed > coalesce((SELECT sequence FROM placed p WHERE p.dataset = records.dataset || '/' || records.holding), 0)
     ORDER BY changed LIMIT ${Math.ceil(stepBytes / recordBytes) + 1}`,
  )
  const forget = ['boxes', 'placeless'].map((table) =>
    store.prepare(`DELETE FROM ${table} WHERE number IN (SELECT value FROM json_each(?))`),
  )
  const place = store.prepare('INSERT INTO boxes (number, west, east, south, north) VALUES (?, ?, ?, ?, ?)')
  const placeNowhere = store.prepare('INSERT INTO placeless VALUES (?)')
  return (dataset: string, since: number, viewer: Viewer): number | undefined => {
    const holdings = new Map<number, number>()
    const numbers: number[] = []
    const boxes: number[][] = []
    const placeless: number[][] = []
    let bytes = 0
    let last = since
    let isLast = true
    for (const row of changed.iterate(dataset, since, ...viewerParameters(viewer))) {
      const number = Number(row['number'])
      const body = row['body'] as Uint8Array
      if (bytes > stepBytes) {
        isLast = false
        break
      }
      numbers.push(number, -number)
      if (row['deleted'] === 0) {
        const parts = boxesOf(body)
        if (parts.length === 0) placeless.push([number])
        for (const [index, { west, south, east, north }] of parts.entries())
          boxes.push([index === 0 ? number : -number, west, east, south, north])
      }
      last = Number(row['changed'])
      holdings.set(Number(row['holding']), last)
      bytes += body.length + recordBytes
    }
    for (const each of forget) each.run(JSON.stringify(numbers))
    runEach(place, boxes)
    runEach(placeNowhere, placeless)
    runEach(
      reach,
      [...holdings].map(([holding, sequence]) => [`${dataset}/${holding}`, sequence]),
    )
    return isLast ? undefined : last
  }
}

const stepBytes = 1 << 19
/** The fixed cost of one record, counted as bytes of its text. */
const recordBytes = 2_000
const atOnce = 500

function isInside(own: Box, { west, south, east, north }: Box): boolean {
  return own.west >= west && own.south >= south && own.east <= east && own.north <= north
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

/** One box, two where the record lies on both sides of the 180th meridian, none without a place. */
function boxesOf(body: Uint8Array): readonly Box[] {
  const shape = shapeIn(body)
  const whole = shape === undefined ? undefined : boxOf(shape, () => true)
  if (shape === undefined || whole === undefined) return []
  // No farm spans half the globe.
  if (whole.east - whole.west <= 180) return [whole]
  return [boxOf(shape, (x) => x < 0), boxOf(shape, (x) => x >= 0)].filter((box) => box !== undefined)
}

/** The boundary, or the centroid where there is none. */
function shapeIn(body: Uint8Array): Shape | undefined {
  const text = geometryText(body) ?? centroidText(body)
  if (text === undefined) return undefined
  const shape = shapeFromGeoJson(JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.length).toString()))
  return typeof shape === 'string' ? undefined : shape
}

function centroidText(body: Uint8Array): Uint8Array | undefined {
  const centroid = lastNamed(bareMembers(body), 'centroid')
  return centroid === undefined ? undefined : body.subarray(centroid.value, centroid.end)
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
