/**
 * Keeps in SQLite or PostgreSQL what this account has sent to this service and what the service has shown since: one row per record
 * with the last accepted body, so that the next run knows what is new, unchanged, or to be carried over.
 */

import { join } from 'node:path'
import { inTransaction, openingFailure, runEach, textsIn, type Database } from '../core/database.ts'
import { deletionHash, identityOf, sourceFinder, contentHashOfBody, type Body, sameInstant, timeOf } from './content.ts'
import { shareLedger } from './damage.ts'
import { startForeseeing, statementsOf, type Wanted } from './ledger-statements.ts'
import { openTables } from './ledger-tables.ts'
import { keepPosts, postedAs, posterOf, type Intent, type Post, type Posts } from './posts.ts'
import { sourceRows } from './source-rows.ts'
import { recordsNear, squareOf, squareOfText } from './squares.ts'

/**
 * `accepted`: accepted by the service, not shown yet. `confirmed`: shown by the changes feed. `missing`: not shown again by a
 * service that was rebuilt. `deleting`: the deletion was accepted, not shown yet. `deleted`: the feed showed the deletion.
 */
export type RecordState = 'accepted' | 'confirmed' | 'missing' | 'deleting' | 'deleted'

export type LedgerRecord = {
  /** Its number in this ledger. */
  readonly id: number
  readonly key: string
  readonly dataset: string
  readonly sourceScheme: string | null
  readonly sourceId: string | null
  readonly body: string
  /** Of its content, or `deletionHash`. */
  readonly hash: string
  readonly modified: string | null
  readonly state: RecordState
  /** True while a post of this record has no answer. */
  readonly inDoubt: boolean
  readonly pipeline: string | null
}

/** The state of a record, without its body. */
export type Standing = Pick<LedgerRecord, 'hash' | 'modified' | 'state' | 'inDoubt'>

/** Whether the record may still be in the service: a deletion that was only accepted may be lost. */
export function isLive<Known extends Pick<Standing, 'state'>>(record: Known | undefined): record is Known {
  return record !== undefined && record.state !== 'deleted'
}

export type Acceptance = Omit<Intent, 'isNew'> & {
  /** Text, or its bytes in UTF-8. */
  readonly body: string | Uint8Array
  readonly deleted: boolean
}

/** A record that was in this pipeline's source before. */
export type Held = Pick<LedgerRecord, 'key' | 'hash' | 'modified' | 'state'>

/**
 * How many records the file of a pipeline's last complete run had, if that is known, and the most that it had since a person last accepted
 * a run.
 */
export type LastCount = { readonly records: number | null; readonly most: number | null }

export type FeedPage = {
  readonly items: readonly Body[]
  readonly token: string | undefined
  readonly startsOver: boolean
}

/** The key that a row gives, and the key of the record that it was matched with. */
export type Match = readonly [given: string, key: string]

/** Source ids of one scheme with the same prefix. */
export type SourceIds = { readonly dataset: string; readonly scheme: string; readonly prefix: string }

export type Ledger = ReturnType<typeof openLedger>

/** Where windrow keeps what it knows: a folder, and the PostgreSQL database with the ledger if that is not a file in the folder. */
export type StatePlace = { readonly state: string; readonly store?: string | undefined }

/** The file or address of the ledger. */
export function ledgerIn({ state, store }: StatePlace): string {
  return store ?? join(state, 'ledger.db')
}

/** Opens the ledger of one account of one service, in a file or in PostgreSQL, and creates it if missing. */
export function openLedger(place: string, account: string) {
  using opening = new DisposableStack()
  opening.use(shareLedger(place))
  try {
    const ledger = ledgerOver(opening.use(openTables(place, account, pragmas)), account)
    const opened = opening.move()
    return { ...ledger, [Symbol.dispose]: () => opened.dispose() }
  } catch (cause) {
    throw openingFailure(place, cause)
  }
}

/** The ledger of one account on one service. Every write is one transaction; several processes may share the file. */
function ledgerOver(database: Database, account: string) {
  const sql = statementsOf(database)
  const posts = keepPosts(database, account)
  return {
    ...recordsByKey(database, account, sql),
    ...recordsSent(database, account, { sql, posts }),
    ...recordsOfPipelines(database, account, sql),
    /** Stores one page of the changes feed with its token. */
    observe: observer(database, account, posts),
    token: (dataset: string) =>
      (sql.token.get(account, dataset) as { token: string | null } | undefined)?.token ?? undefined,
    /** The next run reads the changes feed from its start. */
    readAnew: (dataset: string) => sql.forgetToken.run(account, dataset),
    shared: sharedRecords(database, account),
    sourceRows: sourceRows(database, account),
    /** Forgets the oldest deleted records, so that no more than the living ones are left. */
    forgetDeleted(): void {
      const deleted = Number(sql.countDeleted.get(account)!['n'])
      if (deleted <= fewDeleted) return
      const living = Number(sql.countAll.get(account, 2 * deleted)!['n']) - deleted
      const beyond = deleted - Math.max(fewDeleted, living)
      if (beyond > 0) sql.forgetDeleted.run(account, account, beyond)
    },
    /** The records that rows of this source were matched with: their keys, by the keys that the rows give. */
    matches: (source: string): ReadonlyMap<string, string> =>
      new Map(sql.matches.all(account, source).map(({ given, key }) => [String(given), String(key)])),
    match: (source: string, found: Iterable<Match>, dropped: Iterable<Match> = []): void =>
      inTransaction(database, () => {
        for (const [given, key] of dropped) sql.unmatch.run(account, source, given, key)
        for (const [given, key] of found) sql.match.run(account, source, given, key)
      }),
  }
}

type Sql = ReturnType<typeof statementsOf>

/** Finds records by their keys and source ids. */
function recordsByKey(database: Database, account: string, sql: Sql) {
  const foreseen = startForeseeing(database, account, (row) => recordOf(row)!)
  return {
    isEmpty: () => sql.findAny.get(account) === undefined,
    find: (key: string) => foreseen.find(key, () => recordOf(sql.find.get(account, key))),
    stateOf: (key: string): Standing | undefined => foreseen.find(key, () => recordOf(sql.findState.get(account, key))),
    /** The bodies of the first records whose key has this prefix. */
    startingWith: (prefix: string, limit: number): readonly string[] =>
      sql.startingWith.all(account, prefix, `${prefix}\u{10FFFF}`, limit).map((row) => String(row['body'])),
    /** The keys with this prefix, of records that are in the service as far as known. */
    *keysWith(prefix: string): Iterable<string> {
      for (const { key } of sql.keysWith.iterate(account, prefix, `${prefix}\u{10FFFF}`)) yield String(key)
    },
    findBySource: (dataset: string, scheme: string, id: string) =>
      foreseen.findBySource([dataset, scheme, id], () => recordOf(sql.findBySource.get(account, dataset, scheme, id))),
    /** Runs `work` in one read transaction, because locking the file for each read is slow. */
    whileReading<T>(work: () => T): T {
      try {
        return inTransaction(database, work, 'DEFERRED')
      } finally {
        foreseen.forget()
      }
    },
    /**
     * Within `whileReading`: these records are about to be looked for. PostgreSQL, where each question is a journey, then reads
     * all of them with one.
     */
    foresee: (dataset: string, wanted: () => readonly Wanted[]) => foreseen.load(dataset, wanted),
  }
}

/** Remembers what is posted, and the answers. */
function recordsSent(
  database: Database,
  account: string,
  { sql, posts }: { readonly sql: Sql; readonly posts: Posts },
) {
  return {
    /**
     * Remembers, before posting, that this pipeline posts these, so that a crash cannot hide a post. A new record is not added by
     * this; once the feed shows it, it belongs to this pipeline.
     */
    markSent: (pipeline: string, intents: readonly Intent[]): Post | undefined =>
      inTransaction(database, () => {
        const isUnknown = ({ key, isNew }: Intent): boolean =>
          isNew === true || Number(sql.markSent.run(account, key).changes) === 0
        return posts.add(pipeline, intents.filter(isUnknown))
      }),
    /** Remembers that the service refused these: their earlier versions are unchanged. */
    release: (keys: readonly string[], post?: Post): void =>
      inTransaction(database, () => {
        runEach(
          sql.release,
          keys.map((key) => [account, key]),
        )
        if (post !== undefined) posts.settle(post, keys)
      }),
    /** Remembers accepted records as this pipeline's. */
    accept: (pipeline: string, records: readonly Acceptance[], post?: Post): void =>
      inTransaction(database, () => {
        sql.accept(
          records.map(({ key, dataset, sourceScheme, sourceId, body, hash, modified, deleted }) => {
            const state: RecordState = deleted ? 'deleting' : 'accepted'
            const square = squareOfText(body)
            return [account, key, dataset, sourceScheme, sourceId, body, square, hash, modified, state, pipeline]
          }),
        )
        if (post !== undefined)
          posts.settle(
            post,
            records.map(({ key }) => key),
          )
      }),
    /** Makes records this pipeline's without sending them; null: no pipeline's. */
    claim: (pipeline: string | null, keys: readonly string[]): void =>
      inTransaction(database, () =>
        runEach(
          sql.claim,
          keys.map((key) => [pipeline, account, key, pipeline]),
        ),
      ),
  }
}

/** Knows which pipeline has which records, and which are others'. */
function recordsOfPipelines(database: Database, account: string, sql: Sql) {
  const near = recordsNear(database, account)
  // Where all records of a dataset are one pipeline's, counting them is faster than passing over each.
  const hasOthers = (pipeline: string, dataset: string): boolean => {
    const own = Number(sql.countOf.get(account, pipeline)!['n'])
    return sql.countIn.get(account, dataset, own + 1)!['n'] !== own
  }
  return {
    /** The records of this pipeline's last run, without deleted ones. */
    heldBy: (pipeline: string) => sql.held.iterate(account, pipeline) as IterableIterator<Held>,
    /** Those of them with these numbers. */
    heldWith: (pipeline: string, ids: readonly number[]) =>
      sql.heldWith.iterate(JSON.stringify(ids), account, pipeline) as IterableIterator<Held>,
    /** The records in the service with such source ids that are not this pipeline's, with their pipelines. */
    heldByOthers: (pipeline: string, { dataset, scheme, prefix }: SourceIds) =>
      (hasOthers(pipeline, dataset)
        ? sql.heldByOthers.iterate(account, dataset, scheme, prefix, `${prefix}\u{10FFFF}`, pipeline)
        : [].values()) as IterableIterator<Pick<LedgerRecord, 'key' | 'pipeline'>>,
    /** The records of a dataset that are in the service as far as known; with `naming` only those whose body or key has this text. */
    standing: (dataset: string, naming = '') =>
      sql.live.iterate(account, dataset, naming, naming) as IterableIterator<Pick<LedgerRecord, 'key' | 'body'>>,
    /** Those of them near a box, beside the pipeline's own that are not absent; some that are not near, too. */
    standingNear: (...[dataset, box, own]: Parameters<typeof near>): ReturnType<typeof near> =>
      own !== undefined && own.absent.length === 0 && !hasOthers(own.pipeline, dataset)
        ? [].values()
        : near(dataset, box, own),
    /** The records with these numbers. */
    standingWith: (ids: readonly number[]) =>
      sql.liveWith.iterate(JSON.stringify(ids), account) as IterableIterator<Pick<LedgerRecord, 'id' | 'key' | 'body'>>,
    /** Undefined if the pipeline never finished a run. */
    lastCount: (pipeline: string) => sql.lastCount.get(account, pipeline) as LastCount | undefined,
    /** Without a count, the pipeline counts as one that never finished a run. */
    setLastCount: (pipeline: string, last: LastCount | undefined) =>
      void (last === undefined
        ? sql.forgetLastCount.run(account, pipeline)
        : sql.setLastCount.run(account, pipeline, last.records, last.most)),
    /** Gives a pipeline its records and its last count again; records that another pipeline has now stay with that one. */
    restore: (
      pipeline: string,
      { keys, records }: { readonly keys: Iterable<string>; readonly records: number },
    ): void =>
      inTransaction(database, () => {
        for (const key of keys) sql.restore.run(pipeline, account, key)
        sql.setLastCount.run(account, pipeline, records, records)
      }),
  }
}

type Known = Pick<Standing, 'hash' | 'modified' | 'state'>

/**
 * A feed item with the time of change that we sent is ours and now confirmed: our own body stays, because it is what we would
 * send again. Any other item was written by somebody else, and the next run starts from it.
 */
function observer(database: Database, account: string, posts: Posts) {
  const find = database.prepare(
    `SELECT key, hash, modified, state FROM records WHERE account = ? AND key IN (${textsIn(database)})`,
  )
  const keyOfSource = sourceFinder(database)
  const confirm = database.prepare(
    `UPDATE records SET state = ?, in_doubt = 0 WHERE account = ? AND key IN (${textsIn(database)})`,
  )
  const replace = database.prepare(`
    INSERT INTO records (account, key, dataset, source_scheme, source_id, body, square, hash, modified, state, pipeline)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (account, key) DO UPDATE SET source_scheme = excluded.source_scheme, source_id = excluded.source_id,
      body = excluded.body, square = excluded.square, hash = excluded.hash, modified = excluded.modified, state = excluded.state,
      pipeline = coalesce(excluded.pipeline, records.pipeline), in_doubt = 0`)
  const disown = database.prepare('UPDATE records SET pipeline = NULL WHERE account = ? AND key = ?')
  const keep = database.prepare(
    'INSERT INTO feeds (account, dataset, token) VALUES (?, ?, ?) ON CONFLICT (account, dataset) DO UPDATE SET token = excluded.token',
  )
  // Records that a rebuilt service no longer shows are missing, not deleted: they are sent again if still in their source. Those
  // that were being deleted are deleted, unless they are shown again.
  const miss = database.prepare(
    `UPDATE records SET state = CASE state WHEN 'deleting' THEN 'deleted' ELSE 'missing' END
     WHERE account = ? AND dataset = ? AND state <> 'deleted'`,
  )
  return (dataset: string, page: FeedPage): void =>
    inTransaction(database, () => {
      if (page.startsOver) miss.run(account, dataset)
      const open = posts.open()
      const keyOf = (scheme: string, id: string): string | undefined =>
        keyOfSource(account, dataset, scheme, id) ?? postedAs(open, dataset, scheme, id)
      const shown = page.items.flatMap((item) => {
        const identity = identityOf(item, keyOf)
        return identity === undefined ? [] : [{ item, ...identity }]
      })
      const known = new Map(
        find.all(account, JSON.stringify(shown.map(({ key }) => key))).map((row) => [String(row['key']), row as Known]),
      )
      const confirmed = new Map<string, RecordState>()
      const settled: string[] = []
      for (const { item, key, scheme, id, modified, isDeleted } of shown) {
        const before = known.get(key)
        const state: RecordState = isDeleted ? 'deleted' : 'confirmed'
        // A page may show a record twice: the last one is valid.
        known.set(key, { hash: '', modified, state })
        if (before !== undefined && sameInstant(before.modified, modified)) confirmed.set(key, state)
        else {
          confirmed.delete(key)
          const hash = contentHashOfBody(item)
          const pipeline = isLive(before) ? null : posterOf(open, key, { hash, modified })
          settled.push(key)
          const body = JSON.stringify(item)
          if (isAnew(before, modified)) disown.run(account, key)
          replace.run(account, key, dataset, scheme, id, body, squareOf(item), hash, modified, state, pipeline)
        }
      }
      for (const [state, its] of Map.groupBy(confirmed, ([, each]) => each))
        confirm.run(state, account, JSON.stringify(its.map(([key]) => key)))
      for (const post of open) posts.settle(post, settled)
      if (page.token !== undefined || page.startsOver) keep.run(account, dataset, page.token ?? null)
    })
}

/** Whether the pipeline deleted the record and somebody published it later. An older one came with a backup of the service. */
function isAnew(before: Known | undefined, modified: string | null): boolean {
  return before?.state === 'deleted' && before.hash === deletionHash && timeOf(modified) > timeOf(before.modified)
}

function recordOf(row: Record<string, unknown> | undefined): LedgerRecord | undefined {
  if (row === undefined) return undefined
  row['inDoubt'] = row['inDoubt'] === 1
  return row as LedgerRecord
}

/** So many deleted records are always remembered. */
const fewDeleted = 100

const pragmas =
  'PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY'

/**
 * Remembers which records are in the last files of several pipelines. Each belongs to the pipeline that had it last; the others share
 * it, so that the owner does not delete it. A pipeline's `file` is its path from the state folder, null for a one-off import.
 */
function sharedRecords(database: Database, account: string) {
  const setFile = database.prepare('UPDATE pipelines SET file = ? WHERE account = ? AND name = ?')
  const fileOf = database.prepare('SELECT file FROM pipelines WHERE account = ? AND name = ?')
  const add = database.prepare('INSERT INTO shared (account, key, pipeline) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const remove = database.prepare('DELETE FROM shared WHERE account = ? AND key = ? AND pipeline = ?')
  const keysOf = database.prepare('SELECT key FROM shared WHERE account = ? AND pipeline = ?')
  const pipelinesOf = database.prepare('SELECT pipeline FROM shared WHERE account = ? AND key = ? ORDER BY pipeline')
  return {
    setFile: (pipeline: string, file: string | null) => void setFile.run(file, account, pipeline),
    fileOf: (pipeline: string) => (fileOf.get(account, pipeline) as { file: string | null } | undefined)?.file ?? null,
    /** Remembers that the last file of this pipeline has these records, which another pipeline owns now. */
    add: (pipeline: string, keys: Iterable<string>): void =>
      inTransaction(database, () => {
        for (const key of keys) add.run(account, key, pipeline)
      }),
    /** Remembers that the last file of this pipeline no longer has these records. */
    remove: (pipeline: string, keys: Iterable<string>): void =>
      inTransaction(database, () => {
        for (const key of keys) remove.run(account, key, pipeline)
      }),
    /** The keys that this pipeline shares with their owners. */
    keysOf: (pipeline: string): readonly string[] => keysOf.all(account, pipeline).map(({ key }) => String(key)),
    /** The pipelines that share a record with its owner. */
    pipelinesOf: (key: string): readonly string[] =>
      pipelinesOf.all(account, key).map(({ pipeline }) => String(pipeline)),
  }
}
