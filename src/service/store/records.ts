/** Stores holdings, plots and land covers, and finds those that a caller may see. */

import { runEach } from '../../core/database.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import { gauge, type Measure } from './metrics.ts'
import type { Store } from './store.ts'

/** What is stored of a record: its members as JSON text, and what its collection is searched by. */
export type Content = {
  readonly meta: string
  /** The links that came with it. */
  readonly links: string | null
  /** The members as they were sent, without those that the service writes itself, and without links. */
  readonly body: string
  /** The geometry of its `spatialFeature`, once more. */
  readonly geometry: string | null
  /** The box around it; west is larger than east across the 180th meridian. Null without a place. */
  readonly west: number | null
  readonly south: number | null
  readonly east: number | null
  readonly north: number | null
  /** When it is valid, in milliseconds, null without an end. */
  readonly validFrom: number | null
  readonly validTo: number | null
}

/**
 * A record as it is stored; `meta` has `sourceId` as a list. The `holding` of a holding is itself. `located` is the change with
 * which it got its geometry.
 */
export type StoredRecord = Content & {
  readonly number: number
  readonly id: string
  readonly dataset: string
  readonly holding: number
  readonly key: string
  readonly source: string | null
  readonly changed: number
  readonly deleted: number
  readonly created: string
  readonly located: number | null
}

const columns = `number id dataset holding key source changed deleted created located west south east north
  validFrom validTo meta links body geometry`.split(/\s+/)

/** A holding with a certain identifier, and whether the account of the caller is connected to it. */
export type NamedHolding = { readonly number: number; readonly isConnected: boolean; readonly isDeleted: boolean }

/** How an account got a holding: it published it, or the configuration lists it and may remove it again. */
export type Origin = 'published' | 'configured'

export type ConnectedHolding = { readonly number: number; readonly id: string; readonly connectedAt: string }

/** Who reads: an account, and the region (two letters) whose records it wants, null for all. */
export type Viewer = { readonly account: number; readonly region: string | null }

/** A number that no account has, for callers without a token. */
export const nobody = -1

/**
 * The query for the holdings that a viewer may see, with the parameters of `viewerParameters`. The region of a holding is the
 * country at the start of an identifier's scheme (nz.example...); a holding without one belongs to every region.
 */
export const visibleHoldings = `SELECT holding FROM connections WHERE account = ? AND (? IS NULL
  OR holding NOT IN (SELECT holding FROM holding_regions) OR holding IN (SELECT holding FROM holding_regions WHERE region = ?))`

/** The parameters of `visibleHoldings`. */
export function viewerParameters({ account, region }: Viewer): readonly [number, string | null, string | null] {
  return [account, region, region]
}

export type Records = ReturnType<typeof recordsIn>

/** Makes the queries over the records of a store. */
export function recordsIn(store: Store) {
  return { ...reading(store), ...writing(store), ...connecting(store) }
}

const visible = `holding IN (${visibleHoldings})`

function reading(store: Store) {
  const byKey = store.prepare('SELECT * FROM records WHERE key = ?')
  const bySource = store.prepare('SELECT * FROM records WHERE dataset = ? AND holding = ? AND source = ?')
  const holdingBySource = store.prepare(`SELECT * FROM records WHERE dataset = ? AND source = ? AND ${visible}`)
  const byNumber = store.prepare('SELECT * FROM records WHERE number = ?')
  const byId = store.prepare(`SELECT * FROM records WHERE id = ? AND dataset = ? AND deleted = 0 AND ${visible}`)
  const changes = store.prepare(
    `SELECT * FROM records WHERE dataset = ? AND changed > ? AND ${visible} ORDER BY changed LIMIT ?`,
  )
  const living = store.prepare(
    'SELECT count(*) AS living FROM records WHERE dataset = ? AND holding = ? AND deleted = 0',
  )
  const counts = store.prepare('SELECT dataset, count(*) AS n FROM records WHERE deleted = 0 GROUP BY dataset')
  return {
    /** How many records each dataset has, without deleted ones. */
    measures: (): readonly Measure[] =>
      counts.all().map(({ dataset, n }) =>
        gauge('windrow_records', 'Records by dataset, without deleted ones.', Number(n), {
          dataset: String(dataset),
        }),
      ),
    byKey: (key: string) => byKey.get(key) as StoredRecord | undefined,
    bySource: (dataset: string, holding: number, source: string) =>
      bySource.get(dataset, holding, source) as StoredRecord | undefined,
    holdingBySource: (dataset: string, source: string, account: number) =>
      holdingBySource.get(dataset, source, ...viewerParameters({ account, region: null })) as StoredRecord | undefined,
    byNumber: (number: number) => byNumber.get(number) as StoredRecord | undefined,
    /** A record by its id, undefined when it is deleted or the viewer may not see it. */
    visibleById: (id: string, dataset: string, viewer: Viewer) =>
      byId.get(id, dataset, ...viewerParameters(viewer)) as StoredRecord | undefined,
    /** The newest version of each record that changed after a sequence, oldest change first; the reader may stop early. */
    changes: (of: { readonly dataset: string; readonly viewer: Viewer }, since: number, limit: number) =>
      changes.iterate(of.dataset, since, ...viewerParameters(of.viewer), limit) as Iterable<StoredRecord>,
    /** How many records of a dataset a holding has, without deleted ones. */
    livingOn: (holding: number, dataset: string) => Number(living.get(dataset, holding)?.['living']),
  }
}

function writing(store: Store) {
  const write = store.prepare(
    `INSERT INTO records (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})
     ON CONFLICT (number) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  )
  let number = Number(store.prepare('SELECT max(number) AS highest FROM records').get()?.['highest'] ?? 0)
  return {
    /** The number of the next record; a number from a failed transaction is not used again. */
    nextNumber: () => (number += 1),
    /** Writes a new record, or the new version of one. */
    write: (record: StoredRecord) => void write.run(record),
  }
}

function connecting(store: Store) {
  const named = store.prepare(
    `SELECT r.number, r.deleted, c.account FROM holding_identifiers i JOIN records r ON r.number = i.holding
     LEFT JOIN connections c ON c.account = ? AND c.holding = r.number WHERE i.scheme = ? AND i.id = ?`,
  )
  const forget = store.prepare('DELETE FROM holding_identifiers WHERE holding = ?')
  const remember = store.prepare('INSERT INTO holding_identifiers VALUES (?, ?, ?)')
  const identifiers = store.prepare('SELECT scheme, id FROM holding_identifiers WHERE holding = ? ORDER BY scheme, id')
  const connect = store.prepare('INSERT INTO connections VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const isConnected = store.prepare('SELECT 1 FROM connections WHERE account = ? AND holding = ?')
  const connected = store.prepare(
    `SELECT r.number, r.id, c.connected_at AS connectedAt FROM connections c JOIN records r ON r.number = c.holding
     WHERE c.account = ? AND r.deleted = 0 AND r.number IN (${visibleHoldings}) ORDER BY r.number`,
  )
  const ofHolding = store.prepare('SELECT number FROM records WHERE holding = ? ORDER BY changed')
  const configured = store.prepare('SELECT holding FROM connections WHERE account = ? AND configured = 1')
  const disconnect = store.prepare('DELETE FROM connections WHERE account = ? AND holding = ?')
  const touch = store.prepare('UPDATE records SET changed = ? WHERE number = ?')
  return {
    /** The holding with an identifier, deleted ones included. */
    holdingNamed({ scheme, id }: Identifier, account: number): NamedHolding | undefined {
      const row = named.get(account, scheme, id)
      if (row === undefined) return undefined
      return { number: Number(row['number']), isConnected: row['account'] !== null, isDeleted: row['deleted'] === 1 }
    },
    isConnected: (account: number, holding: number) => isConnected.get(account, holding) !== undefined,
    setIdentifiers(holding: number, list: readonly Identifier[]): void {
      forget.run(holding)
      const once = new Map(list.map(({ scheme, id }) => [JSON.stringify([scheme, id]), { scheme, id }]))
      for (const { scheme, id } of once.values()) remember.run(scheme, id, holding)
    },
    identifiersOf: (holding: number) => identifiers.all(holding) as unknown as readonly Identifier[],
    connectedTo: (viewer: Viewer) =>
      connected.all(viewer.account, ...viewerParameters(viewer)) as unknown as readonly ConnectedHolding[],
    /**
     * Connects an account to a holding. When the configuration connects it, its existing records move to the end of the feed:
     * an account whose token is newer than those records would otherwise never see them.
     */
    connect(account: number, holding: number, by: { readonly origin: Origin; readonly at: string }): void {
      const isNew = connect.run(account, holding, by.at, by.origin === 'configured' ? 1 : 0).changes > 0
      if (!isNew || by.origin === 'published') return
      runEach(
        touch,
        ofHolding.all(holding).map(({ number }) => [store.nextSequence(), number!]),
      )
    },
    /** The holdings that the configuration gives to an account. */
    configuredFor: (account: number) => configured.all(account).map(({ holding }) => Number(holding)),
    disconnect: (account: number, holding: number) => void disconnect.run(account, holding),
  }
}
