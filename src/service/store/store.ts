/** Opens the database of the embedded service: a file of SQLite, memory, or PostgreSQL. */

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  assertNotNewer,
  inTransaction,
  takeBack,
  versionOf,
  type Database,
  type Statement,
} from '../../core/database.ts'
import { WindrowError } from '../../core/error.ts'
import { isPostgres, openPostgres, takeLock, hostAndDatabase } from '../../core/postgres.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import { inPostgres, steps, tables } from './store-tables.ts'

export type Random = (bytes: number) => Uint8Array

export type Store = ReturnType<typeof storeOver>

// "WRow" in ASCII, to recognise our own databases.
const applicationId = 0x57526f77
const schemaVersion = steps.length + 1

/**
 * Opens the store in a file or in a PostgreSQL database, or a new one in memory; creates what is missing. Only one process can open
 * it at a time: it alone gives the numbers of changes.
 */
export function openStore(place: string | undefined, random: Random): Store {
  if (place !== undefined && isPostgres(place)) return openInPostgres(place, random)
  try {
    using opening = new DisposableStack()
    const database = opening.use(place === undefined ? new DatabaseSync(':memory:') : openFile(place))
    prepareDatabase(database, place ?? 'memory')
    const store = storeOver(database, random)
    opening.move()
    return store
  } catch (cause) {
    throw storeError(place ?? 'memory', cause)
  }
}

function openInPostgres(url: string, random: Random): Store {
  const { schema, subject } = inPostgres
  const lock = takeLock(url, subject, schema)
  if (lock === undefined) throw inUse(hostAndDatabase(url))
  using opening = new DisposableStack()
  opening.use(lock)
  const database = opening.use(openPostgres(url, inPostgres))
  const store = storeOver(database, random)
  const opened = opening.move()
  return { ...store, prepare: (sql: string) => readInSteps(database, sql), close: () => opened.dispose() }
}

/** Outside a transaction the server would read a whole result before the first row, although the reader may stop early. */
function readInSteps(database: Database, sql: string): Statement {
  const statement = database.prepare(sql)
  return {
    ...statement,
    *iterate(...values) {
      if (database.isTransaction) return yield* statement.iterate(...values)
      database.exec('BEGIN DEFERRED')
      try {
        yield* statement.iterate(...values)
      } finally {
        database.exec('COMMIT')
      }
    },
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
  if (failure?.code === 'file-locked') return inUse(file, cause)
  if (failure !== undefined && failure.code !== 'state-damaged') return failure
  return new WindrowError('state-unreadable', `The store "${file}" cannot be opened: ${(cause as Error).message}.`, {
    hint: 'Choose a store of the embedded service, or a file that does not exist yet.',
    cause,
  })
}

function inUse(place: string, cause?: unknown): WindrowError {
  return new WindrowError('state-unreadable', `The store "${place}" is in use by another process.`, {
    hint: 'Stop the other service, or give this one a store of its own.',
    cause,
  })
}

function prepareDatabase(database: DatabaseSync, file: string): void {
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
    for (const step of steps.slice(version - 1)) database.exec(step)
  } else database.exec(`${tables} PRAGMA application_id = ${applicationId}`)
  database.exec(`PRAGMA user_version = ${schemaVersion}; COMMIT`)
}

function single(database: Database, sql: string, ...values: readonly string[]): unknown {
  return Object.values(database.prepare(sql).get(...values) ?? {})[0]
}

/** Whoever reads a result row by row does not wait in between. */
function storeOver(database: Database, random: Random) {
  const setting = (name: string): unknown => single(database, 'SELECT value FROM settings WHERE name = ?', name)
  inTransaction(database, () => {
    if (setting('key') !== undefined) return
    const insert = database.prepare('INSERT INTO settings VALUES (?, ?)')
    insert.run('epoch', Buffer.from(randomId(random)))
    insert.run('key', random(32))
  })
  // Older files have it as text.
  const epoch = Buffer.from(setting('epoch') as Uint8Array).toString()
  let sequence = Number(single(database, 'SELECT max(changed) FROM records') ?? 0)
  const starts = keepStarts(database, setting('starts'), { after: sequence, id: randomId(random) })
  return {
    dialect: database.dialect,
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
function keepStarts(database: Database, before: unknown, start: Start): readonly Start[] {
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
