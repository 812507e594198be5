/** Queries the features of a selection: their number, their pages, their extent. */

import type { ResourceType } from '../../resources/resource-type.ts'
import { touching } from './find-by-box.ts'
import type { Box, Interval, Page } from '../http/query.ts'
import { viewerParameters, visibleHoldings, type StoredRecord, type Viewer } from '../store/records.ts'
import { asList, type Condition, type Store } from '../store/store.ts'

/** Which features: those of one holding by its number, or all that the viewer may see; limited to `among` and to a period. */
export type Selection = {
  readonly type: ResourceType
  readonly viewer: Viewer
  readonly holding?: number | undefined
  readonly among?: readonly number[] | undefined
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
  const boxed = keptUntilChange<Promise<readonly number[]>>(store, mostLists)
  const lists = keptUntilChange<Numbered>(store, mostLists)
  const byNumbers = store.prepare(
    `SELECT r.number, r.id, r.holding, r.key, r.meta, r.links, r.body, r.geometry FROM json_each(?) n CROSS JOIN records r
     WHERE r.number = n.value AND r.deleted = 0 ORDER BY n.key`,
  )
  const numbersBy = ({ sql, parameters }: Condition, settled: number, { limit, offset }: Page): Numbered => {
    const found = `SELECT number, ${isLast} AS last FROM records WHERE ${sql} ORDER BY last, number LIMIT ? OFFSET ?`
    const row = store
      .prepare(`SELECT ${asList} AS list, count(*) - coalesce(sum(last), 0) AS located FROM (${found}) AS found`)
      .get(settled, ...parameters, limit, offset)
    return { numbers: JSON.parse(row?.['list'] as string) as readonly number[], located: row?.['located'] as number }
  }
  const everyNumber = (selection: Selection, settled: number): Numbered | undefined => {
    if (selection.among !== undefined || selection.interval !== undefined) return undefined
    const all = lists(`${selectionKey(selection)} ${settled}`, () =>
      numbersBy(conditions(selection), settled, { limit: mostListed + 1, offset: 0 }),
    )
    return all.numbers.length <= mostListed ? all : undefined
  }
  /** How many features come up to the last one that was read, which may be deleted by now. */
  const passed = (selection: Selection, [settled, last, number]: readonly number[]): number => {
    const { sql, parameters } = conditions(selection)
    const query = `SELECT count(*) AS passed FROM records WHERE ${sql} AND (${isLast}, number) <= (?, ?)`
    return Number(store.prepare(query).get(...parameters, settled!, last!, number!)?.['passed'])
  }
  return {
    /** The numbers of the features of a whole selection that touch a box or have no place. */
    inside: (whole: Selection, box: Box): Promise<readonly number[]> =>
      boxed(`${selectionKey(whole)} ${JSON.stringify(box)}`, () => touching(store, conditions(whole), box)),
    count(selection: Selection): number {
      const { sql, parameters } = conditions(selection)
      const row = store.prepare(`SELECT count(*) AS matched FROM records WHERE ${sql}`).get(...parameters)
      return Number(row?.['matched'])
    },
    /** How many features there are, and which are on a page. */
    found(selection: Selection, { limit, offset: asked, after }: Page): Found {
      const settled = after?.[0] ?? store.lastSequence()
      // A caller that reads a second page will read more, so all numbers are kept from then on.
      const all = asked === 0 && after === undefined ? undefined : everyNumber(selection, settled)
      const known = after === undefined ? undefined : (all?.numbers.indexOf(after[2]!) ?? -1)
      const offset =
        after === undefined ? asked : known !== undefined && known >= 0 ? known + 1 : passed(selection, after)
      if (all === undefined) {
        const page = numbersBy(conditions(selection), settled, { limit, offset })
        return { ...page, matched: this.count(selection), offset, settled }
      }
      const numbers = all.numbers.slice(offset, offset + limit)
      const located = Math.min(numbers.length, Math.max(0, all.located - offset))
      return { numbers, located, matched: all.numbers.length, offset, settled }
    },
    /** The records of these numbers that are not deleted, in their order. */
    records: (numbers: readonly number[]) => byNumbers.iterate(JSON.stringify(numbers)) as Iterable<StoredRecord>,
    numbers(selection: Selection): readonly number[] {
      const { sql, parameters } = conditions(selection)
      const query = `SELECT ${asList} AS list FROM (SELECT number FROM records WHERE ${sql} ORDER BY number) AS found`
      return JSON.parse(store.prepare(query).get(...parameters)?.['list'] as string) as readonly number[]
    },
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

/** The key of a selection without box and period, for `keptUntilChange`. */
export function selectionKey({ type, viewer, holding }: Selection): string {
  return JSON.stringify([type.dataset, holding ?? [viewer.account, viewer.region]])
}

const mostLists = 8
const mostListed = 500_000

/** Keeps what is made for a key until a record changes. The oldest is dropped when there are too many, and what could not be made. */
export function keptUntilChange<Made>(store: Store, most = 200): (key: string, make: () => Made) => Made {
  const kept = new Map<string, { readonly sequence: number; readonly made: Made }>()
  return (key, make) => {
    const sequence = store.lastSequence()
    const known = kept.get(key)
    if (known?.sequence === sequence) return known.made
    const made = make()
    kept.delete(key)
    kept.set(key, { sequence, made })
    const [oldest] = kept.keys()
    if (kept.size > most) kept.delete(oldest!)
    if (made instanceof Promise) made.catch(() => kept.delete(key))
    return made
  }
}

function conditions({ type, viewer, holding, among, interval }: Selection): Condition {
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
