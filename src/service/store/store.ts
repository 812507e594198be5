/** Opens the database of the embedded service, a file of SQLite or memory, and defines its tables. */

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inTransaction, takeBack, versionOf } from '../../core/database.ts'
import { WindrowError } from '../../core/error.ts'
import { storageFailure } from '../../core/storage-failure.ts'

export type Random = (bytes: number) => Uint8Array

export type Store = ReturnType<typeof storeOver>

// "WRow" in ASCII, to recognise our own databases.
const applicationId = 0x57526f77
/** Raise it with every change of the tables. */
const schemaVersion = 8

const tables = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE accounts (
  number INTEGER PRIMARY KEY, client_id TEXT NOT NULL, username TEXT NOT NULL, UNIQUE (client_id, username)
) STRICT;
CREATE TABLE tokens (
  hash BLOB PRIMARY KEY, account INTEGER NOT NULL, kind TEXT NOT NULL, credential TEXT NOT NULL, scope TEXT NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE records (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, dataset TEXT NOT NULL, holding INTEGER NOT NULL,
  key TEXT NOT NULL UNIQUE, source TEXT, changed INTEGER NOT NULL, deleted INTEGER NOT NULL, created TEXT NOT NULL,
  located INTEGER, west REAL, south REAL, east REAL, north REAL, validFrom INTEGER, validTo INTEGER,
  meta TEXT NOT NULL, links TEXT, body TEXT NOT NULL, geometry TEXT
) STRICT;
CREATE INDEX records_by_change ON records (dataset, changed, holding);
CREATE INDEX records_by_source ON records (dataset, holding, source);
CREATE INDEX records_by_holding ON records (dataset, holding, deleted, located, west, south, east, north);
CREATE TABLE holding_identifiers (
  scheme TEXT NOT NULL, id TEXT NOT NULL, holding INTEGER NOT NULL, PRIMARY KEY (scheme, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX identifiers_by_holding ON holding_identifiers (holding);
CREATE VIEW holding_regions AS
  SELECT holding, CASE lower(substr(scheme, 1, 2)) WHEN 'uk' THEN 'GB' ELSE upper(substr(scheme, 1, 2)) END AS region
  FROM holding_identifiers WHERE substr(scheme, 3, 1) = '.';
CREATE TABLE connections (
  account INTEGER NOT NULL, holding INTEGER NOT NULL, connected_at TEXT NOT NULL, configured INTEGER NOT NULL,
  PRIMARY KEY (account, holding)
) STRICT, WITHOUT ROWID;
CREATE TABLE crop_records (
  number INTEGER PRIMARY KEY, type TEXT NOT NULL, id TEXT NOT NULL, source TEXT, holder_scheme TEXT NOT NULL,
  holder_id TEXT NOT NULL, deleted INTEGER NOT NULL, observed INTEGER, consigned INTEGER, body TEXT NOT NULL,
  UNIQUE (type, id), UNIQUE (type, holder_scheme, holder_id, source)
) STRICT;
CREATE TABLE webhooks (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, account INTEGER NOT NULL, organisation TEXT NOT NULL,
  name TEXT NOT NULL, uri TEXT NOT NULL, authentication TEXT NOT NULL, subscriptions TEXT NOT NULL, created TEXT NOT NULL
) STRICT;
CREATE TABLE webhook_events (
  webhook INTEGER NOT NULL, number INTEGER NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL, time TEXT NOT NULL,
  attempts INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_undelivered (
  webhook INTEGER NOT NULL, number INTEGER NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL, time TEXT NOT NULL,
  attempts INTEGER NOT NULL, reason TEXT NOT NULL, givenUp TEXT NOT NULL, PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
`

/**
 * Opens the store in a file, which is created if missing, or a new one in memory. Only one process can open a file at a time: it
 * alone gives the numbers of changes.
 */
export function openStore(file: string | undefined, random: Random): Store {
  try {
    using opening = new DisposableStack()
    const database = opening.use(file === undefined ? new DatabaseSync(':memory:') : openFile(file))
    prepareDatabase(database, file ?? 'memory')
    const store = storeOver(database, random)
    opening.move()
    return store
  } catch (cause) {
    throw storeError(file ?? 'memory', cause)
  }
}

function openFile(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true })
  // SQLite gives its side files the mode of the main file, which contains hashed tokens and a key.
  closeSync(openSync(file, 'a', 0o600))
  return new DatabaseSync(file)
}

function storeError(file: string, cause: unknown): WindrowError {
  if (cause instanceof WindrowError) return cause
  const failure = storageFailure(cause, file)
  if (failure?.code === 'file-locked')
    return new WindrowError('state-unreadable', `The store "${file}" is in use by another process.`, {
      hint: 'Stop the other service, or give this one a store of its own.',
      cause,
    })
  if (failure !== undefined && failure.code !== 'state-damaged') return failure
  return new WindrowError('state-unreadable', `The store "${file}" cannot be opened: ${(cause as Error).message}.`, {
    hint: 'Choose a store of the embedded service, or a file that does not exist yet.',
    cause,
  })
}

function prepareDatabase(database: DatabaseSync, file: string): void {
  // Checked before anything is written, so that naming another program's database by mistake does no harm.
  const isNew = single(database, 'SELECT count(*) FROM sqlite_schema') === 0
  if (!isNew && single(database, 'PRAGMA application_id') !== applicationId)
    throw new Error('it is the database of another program')
  const version = versionOf(database)
  if (!isNew && version !== schemaVersion)
    throw new WindrowError(
      'state-unreadable',
      `The store "${file}" has the tables of another windrow (version ${version}; this windrow has ${schemaVersion}).`,
      { hint: 'Move the file away. Then publish its records again; --load fills in the others.' },
    )
  // With an exclusive lock a second service finds out at once that the store is in use.
  database.exec(
    `PRAGMA page_size = 8192; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
     PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000; BEGIN EXCLUSIVE`,
  )
  if (isNew) database.exec(`${tables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`)
  database.exec('COMMIT')
}

function single(database: DatabaseSync, sql: string, ...values: readonly string[]): unknown {
  return Object.values(database.prepare(sql).get(...values) ?? {})[0]
}

/** Which rows: what follows WHERE, with its parameters. */
export type Condition = { readonly sql: string; readonly parameters: readonly (string | number | null)[] }

/** The numbers of the rows as one text, which is read faster than as many rows. */
export const asList = `'[' || coalesce(group_concat(number), '') || ']'`

/** Whoever reads a result row by row does not wait in between. */
function storeOver(database: DatabaseSync, random: Random) {
  const setting = (name: string): unknown => single(database, 'SELECT value FROM settings WHERE name = ?', name)
  inTransaction(database, () => {
    if (setting('key') !== undefined) return
    const insert = database.prepare('INSERT INTO settings VALUES (?, ?)')
    insert.run('epoch', Buffer.from(randomId(random)))
    insert.run('key', random(32))
  })
  const epoch = Buffer.from(setting('epoch') as Uint8Array).toString()
  let sequence = Number(single(database, 'SELECT max(changed) FROM records') ?? 0)
  const starts = keepStarts(database, setting('starts'), { after: sequence, id: randomId(random) })
  return {
    /** Different for every new store. */
    epoch,
    /**
     * Names the start of the service after which this change was made. A copy that was restored has other changes under the numbers
     * behind its last one, made after another start.
     */
    startOf: (changed: number): string => starts.findLast(({ after }) => after < changed)?.id ?? epoch,
    /** Signs the tokens of the service. */
    key: setting('key') as Uint8Array,
    prepare: (sql: string) => database.prepare(sql),
    /** Does the work and undoes it. */
    rehearse<T>(work: () => T): T {
      database.exec('BEGIN IMMEDIATE')
      try {
        return work()
      } finally {
        takeBack(database)
      }
    },
    /** All or nothing, and within another one a part of it. */
    transaction: <T>(work: () => T): T => (database.isTransaction ? work() : inTransaction(database, work)),
    /** Rising numbers, with gaps where a transaction failed. */
    nextSequence: () => (sequence += 1),
    lastSequence: () => sequence,
    /** Reads what every store has; throws when the store cannot be read. */
    check: () => setting('epoch') !== undefined,
    close: (): void => void (database.isOpen && database.close()),
  }
}

/** A start of the service, and the last change before it. */
type Start = { readonly after: number; readonly id: string }

// A token from before the oldest of them makes its reader start over.
const mostStarts = 1000

/** Adds a start to those of the store. One after which nothing was changed is left out. */
function keepStarts(database: DatabaseSync, before: unknown, start: Start): readonly Start[] {
  const known =
    before === undefined ? [] : (JSON.parse(Buffer.from(before as Uint8Array).toString()) as readonly Start[])
  const starts = [...known.filter(({ after }) => after < start.after), start].slice(-mostStarts)
  const keep = 'INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
  database.prepare(keep).run('starts', Buffer.from(JSON.stringify(starts)))
  return starts
}

function randomId(random: Random): string {
  return Buffer.from(random(9)).toString('base64url')
}
