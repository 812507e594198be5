/** Queries the features of a selection: their number, their pages, their extent. */

import type { ResourceType } from '../../resources/resource-type.ts'
import { touching } from './find-by-box.ts'
import type { Box, Interval, Page } from '../http/query.ts'
import { viewerParameters, visibleHoldings, type StoredRecord, type Viewer } from '../store/records.ts'
import { asList, type Condition, type Store } from '../store/store.ts'

/** Which features: those of one holding by its number, or all that the viewer may see; limited to a box and to a period. */
export type Selection = {
  readonly type: ResourceType
  readonly viewer: Viewer
  readonly holding?: number | undefined
  readonly box?: Box | undefined
  readonly interval?: Interval | undefined
}

/** Features by their numbers, in order; the first `located` of them have a geometry. */
type Numbered = { readonly numbers: readonly number[]; readonly located: number }

/** How many features there are, those of a page, how many come before it, and the change at which the order was fixed. */
export type Found = Numbered & { readonly matched: number; readonly offset: number; readonly settled: number }

export type FeaturePages = ReturnType<typeof featurePages>

/**
 * Makes the queries. Features with a geometry come first, because QGIS takes the geometry type of a layer from its first page;
 * otherwise they come in the order in which they were first published. A reader keeps the order that it started with: a feature
 * that gets its first geometry meanwhile stays among those without one, where the reader will still find it.
 */
export function featurePages(store: Store) {
  const lists = keptUntilChange<Numbered>(store)
  const byNumbers = store.prepare(
    `SELECT r.number, r.id, r.holding, r.key, r.meta, r.links, r.body, r.geometry FROM json_each(?) n CROSS JOIN records r
     WHERE r.number = n.value AND r.deleted = 0 ORDER BY n.key`,
  )
  const all = (selection: Selection, settled = store.lastSequence()): Promise<Numbered> =>
    lists(`${selectionKey(selection)} ${settled}`, async () => {
      const { box } = selection
      const among = box && (await touching(store, conditions(selection), box))
      const { sql, parameters } = conditions(selection, among)
      const found = `SELECT number, ${isLast} AS last FROM records WHERE ${sql} ORDER BY last, number`
      const row = store
        .prepare(`SELECT ${asList} AS list, count(*) - coalesce(sum(last), 0) AS located FROM (${found})`)
        .get(settled, ...parameters)
      return { numbers: JSON.parse(row?.['list'] as string) as readonly number[], located: row?.['located'] as number }
    })
  return {
    /** The numbers of all features of a selection. */
    numbers: async (selection: Selection) => (await all(selection)).numbers,
    count(selection: Selection): number {
      const { sql, parameters } = conditions(selection)
      const row = store.prepare(`SELECT count(*) AS matched FROM records WHERE ${sql}`).get(...parameters)
      return Number(row?.['matched'])
    },
    /** How many features there are, and which are on a page. */
    async found(selection: Selection, { limit, offset: asked, after }: Page): Promise<Found> {
      const settled = after?.[0] ?? store.lastSequence()
      const list = await all(selection, settled)
      const offset = after === undefined ? asked : passed(list, after)
      const numbers = list.numbers.slice(offset, offset + limit)
      const located = Math.min(numbers.length, Math.max(0, list.located - offset))
      return { numbers, located, matched: list.numbers.length, offset, settled }
    },
    /** The records of these numbers that are not deleted, in their order. */
    records: (numbers: readonly number[]) => byNumbers.iterate(JSON.stringify(numbers)) as Iterable<StoredRecord>,
    /** The box around all features that have a place, undefined where none has. */
    extent(selection: Selection): Box | undefined {
      const { sql, parameters } = conditions(selection)
      const row = store
        .prepare(
          `SELECT min(CASE WHEN west > east THEN -180 ELSE west END) AS west, min(south) AS south,
           max(CASE WHEN west > east THEN 180 ELSE east END) AS east, max(north) AS north FROM records WHERE ${sql}`,
        )
        .get(...parameters)
      return typeof row?.['west'] === 'number' ? (row as unknown as Box) : undefined
    },
  }
}

/** True for a record without a geometry at the change that the parameter names; such records come last. */
const isLast = 'CASE WHEN located IS NULL OR located > ? THEN 1 ELSE 0 END'

/** How many features come up to the last one that was read, which may be deleted by now. */
function passed({ numbers, located }: Numbered, [, isLast, number]: readonly number[]): number {
  const [from, to] = isLast === 0 ? [0, located] : [located, numbers.length]
  return from + numbers.slice(from, to).filter((each) => each <= number!).length
}

/** The key of a selection for `keptUntilChange`. */
export function selectionKey({ type, viewer, holding, box, interval }: Selection): string {
  return JSON.stringify([type.dataset, holding ?? [viewer.account, viewer.region], box, interval])
}

const mostKept = 20

/** Keeps what is made for a key until a record changes, so that requests share it. The oldest is dropped when there are too many. */
export function keptUntilChange<Made>(store: Store): (key: string, make: () => Promise<Made>) => Promise<Made> {
  const kept = new Map<string, { readonly sequence: number; readonly made: Promise<Made> }>()
  return (key, make) => {
    const sequence = store.lastSequence()
    const known = kept.get(key)
    if (known?.sequence === sequence) return known.made
    const made = make()
    made.catch(() => kept.delete(key))
    kept.delete(key)
    kept.set(key, { sequence, made })
    const [oldest] = kept.keys()
    if (kept.size > mostKept) kept.delete(oldest!)
    return made
  }
}

function conditions({ type, viewer, holding, interval }: Selection, among?: readonly number[]): Condition {
  const all: readonly Condition[] = [
    { sql: 'dataset = ? AND deleted = 0', parameters: [type.dataset!] },
    holding === undefined
      ? { sql: `holding IN (${visibleHoldings})`, parameters: viewerParameters(viewer) }
      : { sql: 'holding = ?', parameters: [holding] },
    ...(among === undefined
      ? []
      : [{ sql: 'number IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(among)] }]),
    // A record is valid from meta.validFrom to meta.validTo; without one of them it has no beginning or no end.
    ...(interval?.to === undefined ? [] : [{ sql: 'coalesce(validFrom <= ?, TRUE)', parameters: [interval.to] }]),
    ...(interval?.from === undefined ? [] : [{ sql: 'coalesce(validTo >= ?, TRUE)', parameters: [interval.from] }]),
  ]
  return { sql: all.map(({ sql }) => sql).join(' AND '), parameters: all.flatMap(({ parameters }) => parameters) }
}
