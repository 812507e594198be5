/** Opens the database of the embedded service (SQLite): one file, or memory. */

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { assertNotNewer, inTransaction, takeBack, versionOf } from '../../core/database.ts'
import { WindrowError } from '../../core/error.ts'
import { storageFailure } from '../../core/storage-failure.ts'

/** Makes random bytes. */
export type Random = (bytes: number) => Uint8Array

/**
 * `epoch` is different for every new store; `key` signs the tokens of the service. `transaction` is all or nothing, and within
 * another one a part of it; `rehearse` does the work and undoes it; `nextSequence` gives rising numbers, with gaps where a
 * transaction failed.
 */
export type Store = {
  readonly epoch: string
  readonly key: Uint8Array
  prepare(sql: string): StatementSync
  execute(sql: string): void
  transaction<T>(work: () => T): T
  rehearse<T>(work: () => T): T
  nextSequence(): number
  lastSequence(): number
  isReadable(): boolean
  close(): void
}

// "WRow" in ASCII, to recognise our own databases.
const applicationId = 0x57526f77
const schemaVersion = 4

const tables = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
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
  meta TEXT NOT NULL, body BLOB NOT NULL, located INTEGER
) STRICT;
CREATE INDEX records_by_change ON records (dataset, changed, holding);
CREATE INDEX records_by_source ON records (dataset, holding, source);
CREATE INDEX records_by_holding ON records (dataset, holding, deleted, located);
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
CREATE TABLE placed (dataset TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE placeless (number INTEGER PRIMARY KEY) STRICT;
CREATE VIRTUAL TABLE boxes USING rtree (number, min_x, max_x, min_y, max_y, +west, +east, +south, +north);
CREATE TABLE crop_records (
  number INTEGER PRIMARY KEY, type TEXT NOT NULL, id TEXT NOT NULL, source TEXT, holder_scheme TEXT NOT NULL,
  holder_id TEXT NOT NULL, deleted INTEGER NOT NULL, observed INTEGER, consigned INTEGER, body BLOB NOT NULL,
  UNIQUE (type, id), UNIQUE (type, holder_scheme, holder_id, source)
) STRICT;
`

/** What brings each earlier version to the next. Version 2 has crop records of all kinds, 3 the place of the geometry in a text. */
const steps: Readonly<Record<number, string>> = {
  1: `
CREATE VIEW holding_regions AS
  SELECT holding, CASE lower(substr(scheme, 1, 2)) WHEN 'uk' THEN 'GB' ELSE upper(substr(scheme, 1, 2)) END AS region
  FROM holding_identifiers WHERE substr(scheme, 3, 1) = '.';
CREATE TABLE crop_records (
  number INTEGER PRIMARY KEY, type TEXT NOT NULL, id TEXT NOT NULL, source TEXT, holder_scheme TEXT NOT NULL,
  holder_id TEXT NOT NULL, deleted INTEGER NOT NULL, observed INTEGER, consigned INTEGER, body BLOB NOT NULL,
  UNIQUE (type, id), UNIQUE (type, holder_scheme, holder_id, source)
) STRICT;
INSERT INTO crop_records (number, type, id, source, holder_scheme, holder_id, deleted, body)
  SELECT number, 'workRecordResource', id, source, holder_scheme, holder_id, 0,
    CAST(json_patch('{"resourceType":"workRecordResource"}', CAST(body AS TEXT)) AS BLOB) FROM work_records;
DROP TABLE work_records;
`,
  2: `
ALTER TABLE records ADD COLUMN geometry_start INTEGER;
ALTER TABLE records ADD COLUMN geometry_length INTEGER NOT NULL DEFAULT 0;
`,
  // Version 4 stores the change with which a record got its geometry, instead of where the geometry is in its text.
  3: `
ALTER TABLE records DROP COLUMN geometry_start;
ALTER TABLE records DROP COLUMN geometry_length;
ALTER TABLE records ADD COLUMN located INTEGER;
UPDATE records SET located = changed
  WHERE json_type('{' || CAST(body AS TEXT) || '}', '$.spatialFeature.geometry') = 'object';
DROP INDEX records_by_holding;
CREATE INDEX records_by_holding ON records (dataset, holding, deleted, located);
`,
}

/** Opens the store in a file, or a new one in memory; creates the file if needed. Only one process can open it at a time. */
export function openStore(file: string | undefined, random: Random): Store {
  const database = file === undefined ? new DatabaseSync(':memory:') : openFile(file)
  try {
    prepareDatabase(database, random, file ?? 'memory')
    return storeOver(database)
  } catch (cause) {
    database.close()
    throw storeError(file ?? 'memory', cause)
  }
}

function openFile(file: string): DatabaseSync {
  try {
    mkdirSync(dirname(file), { recursive: true })
    // SQLite gives its side files the mode of the main file, which contains hashed tokens and a key.
    closeSync(openSync(file, 'a', 0o600))
    return new DatabaseSync(file)
  } catch (cause) {
    throw storeError(file, cause)
  }
}

function storeError(file: string, cause: unknown): WindrowError {
  if (cause instanceof WindrowError) return cause
  const failure = storageFailure(cause, file)
  if (failure?.code === 'file-locked')
    return new WindrowError('state-unreadable', `The store "${file}" is in use by another process.`, {
      hint: 'Stop the other service, or choose another file.',
      cause,
    })
  if (failure !== undefined && failure.code !== 'state-damaged') return failure
  return new WindrowError('state-unreadable', `The store "${file}" cannot be opened: ${(cause as Error).message}.`, {
    hint: 'Choose a store of the embedded service, or a file that does not exist yet.',
    cause,
  })
}

function prepareDatabase(database: DatabaseSync, random: Random, file: string): void {
  // Checked before anything is written, so that naming another program's database by mistake does no harm.
  const isNew = single(database, 'SELECT count(*) FROM sqlite_schema') === 0
  if (!isNew && single(database, 'PRAGMA application_id') !== applicationId)
    throw new Error('it is the database of another program')
  const version = versionOf(database)
  assertNotNewer(file, version, schemaVersion)
  // With an exclusive lock a second service finds out at once that the store is in use.
  database.exec(
    `PRAGMA page_size = 8192; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
     PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000; BEGIN EXCLUSIVE`,
  )
  if (!isNew) {
    for (let at = version; at < schemaVersion; at += 1) database.exec(steps[at]!)
    database.exec(`PRAGMA user_version = ${schemaVersion}`)
  } else {
    database.exec(`${tables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`)
    const setting = database.prepare('INSERT INTO settings VALUES (?, ?)')
    setting.run('epoch', Buffer.from(random(9)).toString('base64url'))
    setting.run('key', random(32))
  }
  database.exec('COMMIT')
}

function single(database: DatabaseSync, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0]
}

function storeOver(database: DatabaseSync): Store {
  let sequence = Number(single(database, 'SELECT max(changed) FROM records') ?? 0)
  const setting = (name: string): unknown => single(database, `SELECT value FROM settings WHERE name = '${name}'`)
  return {
    epoch: String(setting('epoch')),
    key: setting('key') as Uint8Array,
    prepare: (sql) => database.prepare(sql),
    execute: (sql) => database.exec(sql),
    rehearse(work) {
      database.exec('BEGIN IMMEDIATE')
      try {
        return work()
      } finally {
        takeBack(database)
      }
    },
    transaction: (work) => (database.isTransaction ? work() : inTransaction(database, work)),
    nextSequence: () => (sequence += 1),
    lastSequence: () => sequence,
    isReadable() {
      try {
        return setting('epoch') !== undefined
      } catch {
        return false
      }
    },
    close: () => void (database.isOpen && database.close()),
  }
}
