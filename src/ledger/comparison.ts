/**
 * Compares the ledger with a feed that is read from its start. Seen records go into a temporary SQLite table, so that memory
 * stays flat; the ledger itself is only read.
 */

import { DatabaseSync } from 'node:sqlite'
import { openingFailure, otherVersion, versionOf, type Database } from '../core/database.ts'
import { isPostgres } from '../core/postgres.ts'
import {
  identityOf,
  sourceFinder,
  contentHashOfBody,
  differingMembers,
  nameOf,
  readBody,
  type Body,
  sameInstant,
} from './content.ts'
import { assertLedger } from './known-records.ts'
import { ledgerVersion, openTables, textOf } from './ledger-tables.ts'
import type { LedgerRecord, RecordState } from './ledger.ts'

/**
 * `missing`: in the ledger, but not shown by the service. `different`: in both with different content. `extra`: shown by the
 * service, but not in the ledger or deleted there.
 */
export type Difference = {
  readonly kind: 'missing' | 'different' | 'extra'
  readonly dataset: string
  readonly key: string
  readonly name: string | undefined
  readonly detail: string
}

export type Count = { readonly ledger: number; readonly service: number; readonly same: number }

export type Comparison = ReturnType<typeof comparison>

/** Opens an existing ledger for reading. Throws 'state-unreadable' if there is none. */
export function readLedger(place: string, account: string) {
  assertLedger(place)
  const database = isPostgres(place) ? openTables(place, account) : openReadOnly(place)
  database.exec('DROP TABLE IF EXISTS seen')
  database.exec(
    `CREATE TEMP TABLE seen (key ${textOf(database)} PRIMARY KEY, verdict TEXT NOT NULL, live INTEGER NOT NULL, name TEXT, detail TEXT)`,
  )
  const datasets = database.prepare('SELECT DISTINCT dataset FROM records WHERE account = ? ORDER BY dataset')
  return {
    /** The datasets with records of the account. */
    datasets: (): readonly string[] => datasets.all(account).map(({ dataset }) => String(dataset)),
    compare: (dataset: string) => comparison(database, account, dataset),
    [Symbol.dispose]: () => database.close(),
  }
}

function openReadOnly(path: string): Database {
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 20_000 })
    const found = versionOf(database)
    if (found !== ledgerVersion) throw otherVersion(`"${path}"`, found, ledgerVersion)
    return database
  } catch (cause) {
    throw openingFailure(path, cause)
  }
}

type Known = Pick<LedgerRecord, 'hash' | 'modified' | 'state' | 'body'>
type Verdict = { readonly verdict: 'same' | 'different' | 'extra' | 'gone'; readonly detail: string | null }

const goneStates: ReadonlySet<RecordState> = new Set(['deleting', 'deleted'])
const liveStates = `state NOT IN ('deleting', 'deleted')`

/** The comparison of one dataset: `see` takes each page, `startOver` forgets them; `differences` are sorted by key. */
function comparison(database: Database, account: string, dataset: string) {
  database.exec('DELETE FROM seen')
  const find = database.prepare('SELECT hash, modified, state, body FROM records WHERE account = ? AND key = ?')
  const keyOfSource = sourceFinder(database)
  // A feed may show a record more than once: the last one is valid.
  const put = database.prepare(
    `INSERT INTO seen (key, verdict, live, name, detail) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
     SET verdict = excluded.verdict, live = excluded.live, name = excluded.name, detail = excluded.detail`,
  )
  const countLedger = database.prepare(
    `SELECT count(*) AS n FROM records WHERE account = ? AND dataset = ? AND ${liveStates}`,
  )
  const countSeen = database.prepare(
    `SELECT coalesce(sum(live), 0) AS live, count(*) FILTER (WHERE verdict = 'same') AS same FROM seen`,
  )
  const differing = database.prepare(
    `SELECT key, verdict, name, detail FROM seen WHERE verdict IN ('different', 'extra') ORDER BY key`,
  )
  const unseen = database.prepare(
    `SELECT records.key AS key, state, modified, body, seen.key AS shown FROM records LEFT JOIN seen AS seen USING (key)
     WHERE account = ? AND dataset = ? AND ${liveStates} AND (seen.key IS NULL OR verdict = 'gone') ORDER BY records.key`,
  )
  return {
    see(items: readonly Body[]): void {
      for (const item of items) {
        const identity = identityOf(item, (scheme, id) => keyOfSource(account, dataset, scheme, id))
        if (identity === undefined) continue
        const known = find.get(account, identity.key) as Known | undefined
        const { verdict, detail } = verdictOf(known, item, identity)
        put.run(identity.key, verdict, identity.isDeleted ? 0 : 1, nameOf(item) ?? null, detail)
      }
    },
    startOver: () => database.exec('DELETE FROM seen'),
    count(): Count {
      const { live, same } = countSeen.get() as { live: number; same: number }
      return { ledger: (countLedger.get(account, dataset) as { n: number }).n, service: live, same }
    },
    *differences(): Generator<Difference> {
      for (const row of unseen.iterate(account, dataset) as IterableIterator<Unseen>)
        yield {
          kind: 'missing',
          dataset,
          key: row.key,
          name: nameOf(readBody(row.body)),
          detail: whyMissing(row),
        }
      for (const row of differing.iterate() as IterableIterator<Differing>)
        yield { kind: row.verdict, dataset, key: row.key, name: row.name ?? undefined, detail: row.detail ?? '' }
    },
  }
}

type Unseen = Pick<LedgerRecord, 'key' | 'state' | 'modified' | 'body'> & { readonly shown: string | null }
type Differing = {
  readonly key: string
  readonly verdict: 'different' | 'extra'
  readonly name: string | null
  readonly detail: string | null
}

function verdictOf(
  known: Known | undefined,
  item: Body,
  { modified, isDeleted }: { readonly modified: string | null; readonly isDeleted: boolean },
): Verdict {
  if (isDeleted) return { verdict: 'gone', detail: null }
  if (known === undefined) return { verdict: 'extra', detail: 'not sent from this state folder' }
  if (goneStates.has(known.state))
    return {
      verdict: 'extra',
      detail:
        known.state === 'deleting'
          ? 'the service accepted its deletion, but still shows it'
          : 'deleted before, but back again',
    }
  if (known.hash === contentHashOfBody(item)) return { verdict: 'same', detail: null }
  // Members that a service adds to the version that was sent are no difference; in any other version they are.
  const isOurs = sameInstant(known.modified, modified)
  const members = differingMembers(readBody(known.body), item, isOurs ? 'ofFirst' : 'all')
  if (members.length === 0) return { verdict: 'same', detail: null }
  const how = isOurs ? 'stored differently than sent' : howItDiffers(known.modified, modified)
  return { verdict: 'different', detail: `${how}: ${members.join(', ')}` }
}

/** A feed has the time of a version, not its author: it may come from this account, from another folder or an earlier run. */
function howItDiffers(sent: string | null, shown: string | null): string {
  if (shown === null) return 'different from the version last sent or seen'
  const isEarlier = sent !== null && Date.parse(shown) < Date.parse(sent)
  return isEarlier
    ? `the service shows an earlier version (${shown}) than the one last sent or seen`
    : `different from the version last sent or seen, changed at ${shown}`
}

function whyMissing({ state, shown, modified }: Unseen): string {
  if (shown !== null) return 'deleted in the service'
  if (state === 'accepted') return `accepted${modified === null ? '' : ` (${modified})`}, but never shown`
  return state === 'missing' ? 'not shown since the service was rebuilt' : 'shown before, but no longer'
}
