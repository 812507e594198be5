/** Opens SQLite files for their owner alone, makes their tables, and runs transactions. */

import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { WindrowError } from './error.ts'
import { storageFailure } from './storage-failure.ts'

export type Value = null | number | bigint | string | Uint8Array

/** A prepared statement, with the methods of SQLite's. */
export type Statement = {
  run(...values: readonly Value[]): { readonly changes: number | bigint }
  get(...values: readonly Value[]): Record<string, Value> | undefined
  all(...values: readonly Value[]): Record<string, Value>[]
  iterate(...values: readonly Value[]): IterableIterator<Record<string, Value>>
  /** Runs it once for each list of values, in one go. */
  runEach?(lists: readonly (readonly Value[])[]): void
}

/** Which of the two understands the SQL. */
export type Dialect = { readonly dialect?: 'postgres' | undefined }

/** What the same code needs of SQLite and of PostgreSQL. Its SQL is what both understand; `dialect` is for the rest. */
export type Database = Dialect &
  Disposable & {
    prepare(sql: string): Statement
    exec(sql: string): void
    readonly isOpen: boolean
    readonly isTransaction: boolean
    close(): void
  }

type Opening = {
  /** How long to wait for another process that writes; 20 seconds by default. */
  readonly timeoutMs?: number
  readonly pragmas?: string
  readonly tables?: Tables
}

/**
 * The tables of a file or schema, and their number, which each change raises. Before the first release nothing is updated: what has
 * another number is refused.
 */
export type Tables = { readonly version: number; readonly create: string }

/** Opens a file; creates it and its folder if missing. Throws a WindrowError that says what is wrong with it. */
export function openDatabase(path: string, { timeoutMs = 20_000, pragmas = '', tables }: Opening = {}): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    database = new DatabaseSync(path, { timeout: timeoutMs })
    makePrivate(path, 0o600)
    database.exec(pragmas)
    if (tables !== undefined) makeTables(database, path, tables)
    return database
  } catch (cause) {
    database?.close()
    throw openingFailure(path, cause)
  }
}

/** Lets only the owner use a file or folder, on a disk that keeps rights: FAT, exFAT and many shares do not. */
export function makePrivate(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (cause) {
    if (!['EPERM', 'ENOTSUP'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause
  }
}

/** The address of a file for SQLite, which wants the name of a server (`\\server\share`) as the beginning of the path. */
export function sqliteAddress(path: string, options?: { readonly windows: boolean }): URL {
  const { hostname, pathname } = pathToFileURL(path, options)
  return new URL(`file://${hostname === '' ? '' : `//${hostname}`}${pathname}`)
}

/** Takes the lock of a file that is made for nothing else, until it is disposed of; undefined while another process has it. */
export function lockFile(path: string): DatabaseSync | undefined {
  try {
    return openDatabase(path, { timeoutMs: 0, pragmas: 'PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE' })
  } catch (cause) {
    if (cause instanceof WindrowError && cause.code === 'file-locked') return undefined
    throw cause
  }
}

/** Opens a file read-only, without creating anything beside it; reads its journal if there is one. */
export function openForReading(path: string): DatabaseSync {
  const location = sqliteAddress(path)
  // Without a journal the file is opened as immutable: SQLite would otherwise create a journal and never remove it.
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) location.searchParams.set('immutable', '1')
  return new DatabaseSync(location, { readOnly: true, timeout: 20_000 })
}

/** The error for one of windrow's own files that cannot be opened. */
export function openingFailure(path: string, cause: unknown, platform = process.platform): WindrowError {
  return (
    storageFailure(cause, path) ??
    refusalOfFolder(path) ??
    (platform === 'win32' && path.length > longestOnWindows ? tooLong(path) : undefined) ??
    new WindrowError('state-unreadable', `"${path}" cannot be opened: ${(cause as Error).message}.`, {
      hint: 'windrow keeps its own file there. Check what is in its place.',
      cause,
    })
  )
}

// Node itself takes longer ones. SQLite adds "-journal" to a name, and Windows allows 259 characters.
const longestOnWindows = 251

function tooLong(path: string): WindrowError {
  return new WindrowError('state-unreadable', `"${path}" has ${path.length} characters, too many for Windows.`, {
    hint: `Windows allows ${longestOnWindows} here. Put the pipeline into a folder with a shorter path.`,
  })
}

/** SQLite and mkdir only report that a file or folder cannot be opened or made; the folder above may show why. */
function refusalOfFolder(path: string): WindrowError | undefined {
  let folder = dirname(path)
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return undefined
  } catch (cause) {
    return storageFailure(cause)
  }
}

/** The file's PRAGMA user_version. */
export function versionOf(database: DatabaseSync): number {
  return (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}

/** Makes the tables of a new file. Throws 'state-unreadable' for a file whose tables have another number. */
function makeTables(database: DatabaseSync, path: string, { version, create }: Tables): void {
  if (versionOf(database) === version) return
  inTransaction(database, () => {
    // Another process may have been here first.
    const found = versionOf(database)
    if (found === version) return
    const isNew = found === 0 && database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
    if (!isNew) throw otherVersion(`"${path}"`, found, version)
    database.exec(`${create}; PRAGMA user_version = ${version}`)
  })
}

/** The error for tables that another version of windrow made: a file, or a schema of PostgreSQL. */
export function otherVersion(place: string, found: number, version: number): WindrowError {
  const isFile = place.startsWith('"')
  return new WindrowError(
    'state-unreadable',
    `${place} was made by another version of windrow: its tables have the number ${found}, here they have ${version}.`,
    {
      hint: `${isFile ? 'Move the folder .windrow away' : 'Rename that schema, or name another database'}. The next run reads the service first; --take-over makes its records yours again.`,
    },
  )
}

/** Runs a statement once for each list of values. */
export function runEach(statement: Statement, lists: readonly (readonly Value[])[]): void {
  if (statement.runEach === undefined) for (const values of lists) statement.run(...values)
  else if (lists.length > 0) statement.runEach(lists)
}

// SQLite opens the table and each of its indexes once for a statement: a statement for each row takes twice as long.
const rowsPerInsert = 10

/** Prepares an INSERT with the values of one row, and gives the function that inserts one row for each list of values. */
export function prepareInserts(database: Database, sql: string): (lists: readonly (readonly Value[])[]) => void {
  const one = database.prepare(sql)
  if (one.runEach !== undefined) return (lists) => runEach(one, lists)
  const several = sql.replace(/VALUES (\((?:[^()]|\([^()]*\))*\))/, (_, row: string) => {
    return `VALUES ${Array<string>(rowsPerInsert).fill(row).join(', ')}`
  })
  const many = database.prepare(several)
  return (lists) => {
    const inMany = lists.length - (lists.length % rowsPerInsert)
    for (let at = 0; at < inMany; at += rowsPerInsert) many.run(...lists.slice(at, at + rowsPerInsert).flat())
    for (const values of lists.slice(inMany)) one.run(...values)
  }
}

/** The SQL that makes a row of each number in a parameter, which is a list as JSON. */
export function numbersIn({ dialect }: Dialect): string {
  return dialect === 'postgres' ? `SELECT CAST(value AS BIGINT) FROM ${elements}` : 'SELECT value FROM json_each(?)'
}

/** The SQL that makes a row of each text in a parameter, which is a list as JSON. */
export function textsIn({ dialect }: Dialect): string {
  return dialect === 'postgres' ? `SELECT value FROM ${elements}` : 'SELECT value FROM json_each(?)'
}

const elements = 'json_array_elements_text(CAST(? AS JSON)) AS listed (value)'

/** Does all of the work or none of it. */
export function inTransaction<T>(database: Database, work: () => T, kind: 'IMMEDIATE' | 'DEFERRED' = 'IMMEDIATE'): T {
  database.exec(`BEGIN ${kind}`)
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (cause) {
    takeBack(database)
    throw cause
  }
}

/** Rolls back what is not committed. On a full disk SQLite has already done so, and a ROLLBACK would hide the cause. */
export function takeBack(database: Database): void {
  if (database.isOpen && database.isTransaction) database.exec('ROLLBACK')
}
