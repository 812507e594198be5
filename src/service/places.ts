/**
 * Hides how records are found by a box. The R*Tree is brought up to date when a box is asked for: writing into it costs about
 * as much as storing the record (9 µs), and nightly publishing asks for no boxes.
 */

import { shapeFromGeoJson } from '../core/shape-geojson.ts'
import type { Shape } from '../core/shape.ts'
import { geometryText } from './feature-text.ts'
import type { Box } from './query.ts'
import type { Store } from './store.ts'

export type Places = ReturnType<typeof placesIn>

/** Makes the index of places over a store. */
export function placesIn(store: Store) {
  const reached = store.prepare('SELECT sequence FROM placed WHERE dataset = ?')
  const reach = store.prepare('INSERT OR REPLACE INTO placed VALUES (?, ?)')
  const changed = store.prepare(
    'SELECT number, deleted, changed, body FROM records WHERE dataset = ? AND changed > ? ORDER BY changed',
  )
  const forget = store.prepare('DELETE FROM boxes WHERE number = ?')
  const forgetPlaceless = store.prepare('DELETE FROM placeless WHERE number = ?')
  const place = store.prepare('INSERT INTO boxes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const placeNowhere = store.prepare('INSERT INTO placeless VALUES (?)')
  const enter = (number: number, body: Uint8Array): void => {
    const box = boxOf(body)
    if (box === undefined) return void placeNowhere.run(number)
    const { west, south, east, north } = box
    place.run(number, west, east, south, north, west, east, south, north)
  }
  return {
    /** Takes in what changed in a dataset since the last time. */
    refresh(dataset: string): void {
      const since = Number(reached.get(dataset)?.['sequence'] ?? 0)
      if (since === store.lastSequence()) return
      store.transaction(() => {
        let until = since
        for (const row of changed.iterate(dataset, since)) {
          const number = Number(row['number'])
          until = Number(row['changed'])
          forget.run(number)
          forgetPlaceless.run(number)
          if (row['deleted'] === 0) enter(number, row['body'] as Uint8Array)
        }
        // Not the last sequence given: one lost with a failed transaction is given again after a restart.
        reach.run(dataset, until)
      })
    },
  }
}

/**
 * The condition that a record touches a box or has no place, with its parameters. The tree itself holds 32-bit numbers, a metre
 * or two too wide, so the exact ones beside them are compared as well.
 */
export function inBox(box: Box): { readonly sql: string; readonly parameters: readonly number[] } {
  const parts =
    box.west <= box.east
      ? [box]
      : [
          { ...box, east: 180 },
          { ...box, west: -180 },
        ]
  const one = `SELECT number FROM boxes WHERE max_x >= ? AND min_x <= ? AND max_y >= ? AND min_y <= ?
    AND east >= ? AND west <= ? AND north >= ? AND south <= ?`
  return {
    sql: `number IN (SELECT number FROM placeless UNION ALL ${parts.map(() => one).join(' UNION ALL ')})`,
    parameters: parts.flatMap(({ west, east, south, north }) => [west, east, south, north, west, east, south, north]),
  }
}

function boxOf(body: Uint8Array): Box | undefined {
  const text = geometryText(body)
  if (text === undefined) return undefined
  const shape = shapeFromGeoJson(JSON.parse(Buffer.from(text).toString()))
  return typeof shape === 'string' ? undefined : boxOfShape(shape)
}

function boxOfShape(shape: Shape): Box | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  const widen = (x: number, y: number): void => {
    west = Math.min(west, x)
    east = Math.max(east, x)
    south = Math.min(south, y)
    north = Math.max(north, y)
  }
  for (let at = 0; at < shape.coordinates.length; at += 2) widen(shape.coordinates[at]!, shape.coordinates[at + 1]!)
  for (const member of shape.members ?? []) {
    const box = boxOfShape(member)
    if (box === undefined) continue
    widen(box.west, box.south)
    widen(box.east, box.north)
  }
  return west <= east ? { west, south, east, north } : undefined
}
