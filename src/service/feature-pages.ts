/** Hides how the features of a selection are counted, paged and bounded: the queries behind the features API. */

import type { ResourceType } from '../resources/resource-type.ts'
import { inBox, type Places } from './places.ts'
import type { Box, Interval, Page } from './query.ts'
import { viewerParameters, visibleHoldings, type StoredRecord, type Viewer } from './records.ts'
import type { Store } from './store.ts'

/** Which features: those of one holding by its number, or all that the viewer sees; inside a box, valid at some time. */
export type Selection = {
  readonly type: ResourceType
  readonly viewer: Viewer
  readonly holding?: number | undefined
  readonly box?: Box | undefined
  readonly interval?: Interval | undefined
}

export type FeaturePages = ReturnType<typeof featurePages>

/** Makes the reads. Features stand in the order in which they were first published, which no change alters. */
export function featurePages(store: Store, places: Places) {
  const extents = new Map<string, { readonly sequence: number; readonly box: Box | undefined }>()
  return {
    /** Brings the index of places up to date, which a box and an extent look at. */
    refresh: ({ dataset }: ResourceType) => places.refresh(dataset!),
    count(selection: Selection): number {
      const { sql, parameters } = conditions(selection)
      const row = store.prepare(`SELECT count(*) AS matched FROM records WHERE ${sql}`).get(...parameters)
      return Number(row?.['matched'])
    },
    // The numbers are found in an index alone; only the bodies of this page are read. Numbers rise in the order of creation.
    page(selection: Selection, { limit, offset }: Page): Iterable<StoredRecord> {
      const { sql, parameters } = conditions(selection)
      const numbers = `SELECT number FROM records WHERE ${sql} ORDER BY number LIMIT ? OFFSET ?`
      const statement = store.prepare(`SELECT * FROM records WHERE number IN (${numbers}) ORDER BY number`)
      return statement.iterate(...parameters, limit, offset) as Iterable<StoredRecord>
    },
    /** The numbers of all its records, for who wants to look at each without holding the store up. */
    numbers(selection: Selection): readonly number[] {
      const { sql, parameters } = conditions(selection)
      const rows = store.prepare(`SELECT number FROM records WHERE ${sql} ORDER BY number`).iterate(...parameters)
      return Array.from(rows, ({ number }) => number as number)
    },
    /** The box around every feature that has a place, undefined where none has. */
    extent(selection: Selection): Box | undefined {
      const key = selectionKey(selection)
      const known = extents.get(key)
      const sequence = store.lastSequence()
      if (known?.sequence === sequence) return known.box
      const { sql, parameters } = conditions(selection)
      const row = store
        .prepare(
          `SELECT min(west) AS west, min(south) AS south, max(east) AS east, max(north) AS north FROM records r
           JOIN boxes b ON b.number IN (r.number, -r.number) WHERE ${sql.replaceAll('number', 'r.number')}`,
        )
        .get(...parameters)
      const box = typeof row?.['west'] === 'number' ? (row as unknown as Box) : undefined
      remember(extents, key, { sequence, box })
      return box
    },
  }
}

/** Names a selection without box and time, for what is remembered about it. */
export function selectionKey({ type, viewer, holding }: Selection): string {
  return JSON.stringify([type.dataset, holding ?? [viewer.account, viewer.region]])
}

const mostRemembered = 200

/** Keeps a value under its key; the oldest goes when there are many. */
export function remember<Kept>(kept: Map<string, Kept>, key: string, value: Kept): void {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > mostRemembered) kept.delete(oldest!)
}

type Condition = { readonly sql: string; readonly parameters: readonly (string | number | null)[] }

function conditions({ type, viewer, holding, box, interval }: Selection): Condition {
  const all: readonly Condition[] = [
    { sql: 'dataset = ? AND deleted = 0', parameters: [type.dataset!] },
    holding === undefined
      ? { sql: `holding IN (${visibleHoldings})`, parameters: viewerParameters(viewer) }
      : { sql: 'holding = ?', parameters: [holding] },
    ...(box === undefined ? [] : [inBox(box)]),
    ...(interval === undefined ? [] : [validIn(interval)]),
  ]
  return { sql: all.map(({ sql }) => sql).join(' AND '), parameters: all.flatMap(({ parameters }) => parameters) }
}

// A record is valid from meta.validFrom to meta.validTo; without one of them it has no beginning or no end.
function validIn({ from, to }: Interval): Condition {
  const at = (name: string): string => `unixepoch(json_extract(meta, '$.${name}'), 'subsec') * 1000`
  const limits = [
    ...(to === undefined ? [] : [{ sql: `coalesce(${at('validFrom')} <= ?, 1)`, value: to }]),
    ...(from === undefined ? [] : [{ sql: `coalesce(${at('validTo')} >= ?, 1)`, value: from }]),
  ]
  const sql = limits.length === 0 ? '1' : limits.map((each) => each.sql).join(' AND ')
  return { sql, parameters: limits.map(({ value }) => value) }
}
