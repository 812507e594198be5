/** Hides how the features of a selection are counted, paged and bounded: the queries behind the features API. */

import type { ResourceType } from '../resources/resource-type.ts'
import { pageTexts, type Numbered } from './feature-page-text.ts'
import type { Places } from './places.ts'
import type { Box, Interval, Page } from './query.ts'
import { viewerParameters, visibleHoldings, type StoredRecord, type Viewer } from './records.ts'
import type { Store } from './store.ts'

/** Which features: those of one holding by its number, or all that the viewer sees; of these numbers, valid at some time. */
export type Selection = {
  readonly type: ResourceType
  readonly viewer: Viewer
  readonly holding?: number | undefined
  readonly among?: readonly number[] | undefined
  readonly interval?: Interval | undefined
}

/** How many features there are, and those of a page. */
export type Found = Numbered & { readonly matched: number }

export type FeaturePages = ReturnType<typeof featurePages>

/** Makes the reads. Features stand in the order in which they were first published, which no change alters. */
export function featurePages(store: Store, places: Places) {
  const extents = new Map<string, { readonly sequence: number; readonly box: Box | undefined }>()
  const boxed = new Map<string, { readonly sequence: number; readonly numbers: readonly number[] }>()
  const lists = new Map<string, { readonly sequence: number; readonly all?: Numbered }>()
  const byNumbers = store.prepare(
    'SELECT * FROM records WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number',
  )
  const idOf = store.prepare('SELECT id FROM records WHERE number = ?')
  const numbersIn = ({ sql, parameters }: Condition, { limit, offset }: Page): Numbered => {
    const found = `SELECT number, holding FROM records WHERE ${sql} ORDER BY number LIMIT ? OFFSET ?`
    const row = store
      .prepare(`SELECT json_group_array(number) AS list, min(holding) AS first, max(holding) AS last FROM (${found})`)
      .get(...parameters, limit, offset)
    const { list, first, last } = row as { readonly list: string; readonly first: number | null; readonly last: number }
    const holding = first === null || first !== last ? undefined : idOf.get(first)?.['id']
    return { numbers: JSON.parse(list) as readonly number[], holding: holding as string | undefined }
  }
  // Whoever asks for a second page while nothing changes asks for more: then counting and skipping is done once for all pages.
  const everyNumber = (selection: Selection): Numbered | undefined => {
    if (selection.among !== undefined || selection.interval !== undefined) return undefined
    const key = selectionKey(selection)
    const sequence = store.lastSequence()
    const known = lists.get(key)
    const all =
      known?.sequence === sequence
        ? (known.all ?? numbersIn(conditions(selection), { limit: mostListed + 1, offset: 0 }))
        : undefined
    remember(lists, key, { sequence, ...(all === undefined ? {} : { all }) }, mostLists)
    return all !== undefined && all.numbers.length <= mostListed ? all : undefined
  }
  return {
    /** Brings the index of places up to date for a viewer, which an extent looks at. */
    refresh: ({ dataset }: ResourceType, viewer: Viewer) => places.refresh(dataset!, viewer),
    /** The numbers of the features of a whole selection that touch a box or have no place. */
    async inside(whole: Selection, box: Box): Promise<readonly number[]> {
      await places.refresh(whole.type.dataset!, whole.viewer)
      const key = `${selectionKey(whole)} ${JSON.stringify(box)}`
      const sequence = store.lastSequence()
      const known = boxed.get(key)
      if (known?.sequence === sequence) return known.numbers
      const numbers = await places.touching(this.numbers(whole), box)
      remember(boxed, key, { sequence, numbers }, mostLists)
      return numbers
    },
    count(selection: Selection): number {
      const { sql, parameters } = conditions(selection)
      const row = store.prepare(`SELECT count(*) AS matched FROM records WHERE ${sql}`).get(...parameters)
      return Number(row?.['matched'])
    },
    /** How many there are, and which are on a page; found in an index alone. Numbers rise in the order of creation. */
    found(selection: Selection, page: Page): Found {
      const all = everyNumber(selection)
      if (all === undefined) return { matched: this.count(selection), ...numbersIn(conditions(selection), page) }
      const { numbers, holding } = all
      return { matched: numbers.length, numbers: numbers.slice(page.offset, page.offset + page.limit), holding }
    },
    /** The records of these numbers, in their order. */
    records: (numbers: readonly number[]) => byNumbers.iterate(JSON.stringify(numbers)) as Iterable<StoredRecord>,
    texts: pageTexts(store),
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
const mostLists = 8
const mostListed = 500_000

/** Keeps a value under its key; the oldest goes when there are many. */
export function remember<Kept>(kept: Map<string, Kept>, key: string, value: Kept, most = mostRemembered): void {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > most) kept.delete(oldest!)
}

type Condition = { readonly sql: string; readonly parameters: readonly (string | number | null)[] }

function conditions({ type, viewer, holding, among, interval }: Selection): Condition {
  const all: readonly Condition[] = [
    { sql: 'dataset = ? AND deleted = 0', parameters: [type.dataset!] },
    holding === undefined
      ? { sql: `holding IN (${visibleHoldings})`, parameters: viewerParameters(viewer) }
      : { sql: 'holding = ?', parameters: [holding] },
    ...(among === undefined ? [] : [amongNumbers(among)]),
    ...(interval === undefined ? [] : [validIn(interval)]),
  ]
  return { sql: all.map(({ sql }) => sql).join(' AND '), parameters: all.flatMap(({ parameters }) => parameters) }
}

function amongNumbers(numbers: readonly number[]): Condition {
  return { sql: 'number IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(numbers)] }
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
