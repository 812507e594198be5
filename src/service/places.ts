/**
 * Hides how records are found by a box. The R*Tree is brought up to date when a box is asked for: writing into it costs about
 * as much as storing the record (9 µs), and nightly publishing asks for no boxes. A record on both sides of the 180th meridian has
 * its second box under its number with a minus.
 */

import { setImmediate } from 'node:timers/promises'
import { shapeFromGeoJson } from '../core/shape-geojson.ts'
import type { Shape } from '../core/shape.ts'
import { touchesBox } from '../geometry/box-touch.ts'
import { geometryText } from './feature-text.ts'
import type { Box } from './query.ts'
import type { Store } from './store.ts'

export type Places = ReturnType<typeof placesIn>

/** Makes the index of places over a store. */
export function placesIn(store: Store) {
  const reached = store.prepare('SELECT sequence FROM placed WHERE dataset = ?')
  const reach = store.prepare('INSERT OR REPLACE INTO placed VALUES (?, ?)')
  const changed = store.prepare(
    'SELECT number, deleted, changed, body FROM records WHERE dataset = ? AND changed > ? ORDER BY changed LIMIT ?',
  )
  const forget = store.prepare('DELETE FROM boxes WHERE number IN (?, ?)')
  const forgetPlaceless = store.prepare('DELETE FROM placeless WHERE number = ?')
  const place = store.prepare('INSERT INTO boxes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const placeNowhere = store.prepare('INSERT INTO placeless VALUES (?)')
  const enter = (number: number, body: Uint8Array): void => {
    const boxes = boxesOf(body)
    if (boxes.length === 0) placeNowhere.run(number)
    for (const [index, { west, south, east, north }] of boxes.entries())
      place.run(index === 0 ? number : -number, west, east, south, north, west, east, south, north)
  }
  /** True when nothing is left behind this step. */
  const step = (dataset: string): boolean => {
    const since = Number(reached.get(dataset)?.['sequence'] ?? 0)
    if (since === store.lastSequence()) return true
    const rows = changed.all(dataset, since, stepSize)
    for (const row of rows) {
      const number = Number(row['number'])
      forget.run(number, -number)
      forgetPlaceless.run(number)
      if (row['deleted'] === 0) enter(number, row['body'] as Uint8Array)
    }
    // Not the last sequence given: one lost with a failed transaction is given again after a restart.
    if (rows.length > 0) reach.run(dataset, Number(rows.at(-1)!['changed']))
    return rows.length < stepSize
  }
  store.define(touches, (body, ...sides) => {
    const shape = shapeIn(body as Uint8Array)
    const [west, south, east, north] = sides
    return shape !== undefined && touchesBox(shape, { west, south, east, north } as Box) ? 1 : 0
  })
  return {
    /** Takes in what changed in a dataset since the last time, step by step, so that other callers have their turn. */
    async refresh(dataset: string): Promise<void> {
      while (!store.transaction(() => step(dataset))) await setImmediate()
    },
  }
}

const stepSize = 500
const touches = 'windrow_touches'

/**
 * The condition that a record touches a box or has no place, with its parameters. The tree itself holds 32-bit numbers, a metre
 * or two too wide, so the exact ones beside them are compared as well; boundaries are looked at only where their box sticks out.
 */
export function inBox(box: Box): { readonly sql: string; readonly parameters: readonly number[] } {
  const parts = onGlobe(box)
  const one = `SELECT abs(number) FROM boxes WHERE max_x >= ? AND min_x <= ? AND max_y >= ? AND min_y <= ?
    AND east >= ? AND west <= ? AND north >= ? AND south <= ? AND (west >= ? AND south >= ? AND east <= ? AND north <= ?
    OR ${touches}((SELECT body FROM records r WHERE r.number = abs(boxes.number)), ?, ?, ?, ?))`
  return {
    sql: `number IN (SELECT number FROM placeless UNION ALL ${parts.map(() => one).join(' UNION ALL ')})`,
    parameters: parts.flatMap(({ west, east, south, north }) => {
      const overlap = [west, east, south, north]
      const bounds = [west, south, east, north]
      return [...overlap, ...overlap, ...bounds, ...bounds]
    }),
  }
}

// West of east across the 180th meridian, or counted on beyond it, as some maps do when they are moved there.
function onGlobe({ west, east, south, north }: Box): readonly Box[] {
  const part = (from: number, to: number): Box => ({ west: from, east: to, south, north })
  if (east - west >= 360) return [part(-180, 180)]
  if (west > east) return [part(west, 180), part(-180, east)]
  if (east > 180) return [part(west, 180), part(west > 180 ? west - 360 : -180, east - 360)]
  if (west < -180) return [part(-180, east), part(west + 360, east < -180 ? east + 360 : 180)]
  return [part(west, east)]
}

/** One box, two for what lies on both sides of the 180th meridian, none without a place. */
function boxesOf(body: Uint8Array): readonly Box[] {
  const shape = shapeIn(body)
  const whole = shape === undefined ? undefined : boxOf(shape, () => true)
  if (shape === undefined || whole === undefined) return []
  // No farm spans half the globe.
  if (whole.east - whole.west <= 180) return [whole]
  return [boxOf(shape, (x) => x < 0), boxOf(shape, (x) => x >= 0)].filter((box) => box !== undefined)
}

function shapeIn(body: Uint8Array): Shape | undefined {
  const text = geometryText(body)
  if (text === undefined) return undefined
  const shape = shapeFromGeoJson(JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.length).toString()))
  return typeof shape === 'string' ? undefined : shape
}

function boxOf(shape: Shape, counts: (x: number) => boolean): Box | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  const widen = (x: number, y: number): void => {
    west = Math.min(west, x)
    east = Math.max(east, x)
    south = Math.min(south, y)
    north = Math.max(north, y)
  }
  for (let at = 0; at < shape.coordinates.length; at += 2)
    if (counts(shape.coordinates[at]!)) widen(shape.coordinates[at]!, shape.coordinates[at + 1]!)
  for (const member of shape.members ?? []) {
    const box = boxOf(member, counts)
    if (box === undefined) continue
    widen(box.west, box.south)
    widen(box.east, box.north)
  }
  return west <= east ? { west, south, east, north } : undefined
}
