/** Renames a damaged ledger file before a run uses it, so that a new one is started. PostgreSQL looks after its own files. */

import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, dirname } from 'node:path'
import { lockFile, openDatabase, openForReading, openingFailure, versionOf } from '../core/database.ts'
import { WindrowError } from '../core/error.ts'
import { isPostgres } from '../core/postgres.ts'
import { whenFree } from '../core/sources/when-free.ts'
import { ledgerVersion } from './ledger-tables.ts'

/** A ledger that was set aside: the damage, and its new name. */
export type SetAside = { readonly reason: string; readonly keptAs: string }

/** Shows other processes that the ledger is in use, until it is disposed of or this process ends. */
export function shareLedger(path: string): Disposable {
  if (isPostgres(path)) return new DisposableStack()
  const lock = openDatabase(lockOf(path))
  try {
    lock.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  } catch (cause) {
    lock.close()
    throw openingFailure(path, cause)
  }
  return lock
}

const lockOf = (path: string): string => `${path}-lock`

/** Keeps other processes from opening a ledger file, until it is disposed of. Throws 'run-busy' if one has it open. */
export function takeLedger(path: string): Disposable {
  const lock = lockFile(lockOf(path))
  if (lock !== undefined) return lock
  throw new WindrowError('run-busy', `Another process uses the ledger "${path}".`, {
    hint: 'Wait until it has ended, and stop a schedule that runs there.',
  })
}

/** Remembers that the ledger may be damaged: the next run checks all of it. */
export function doubtLedger(path: string): void {
  if (isPostgres(path)) return
  try {
    writeFileSync(doubtOf(path), '', { mode: 0o600 })
  } catch {
    // If the disk cannot be written now, the next run finds the damage again.
  }
}

const doubtOf = (path: string): string => `${path}-doubt`

/**
 * Checks the ledger if no other process has it open; all of it if it was not closed properly or is in doubt. Renames a damaged
 * one together with its journal.
 */
export function setAsideIfDamaged(path: string, now: Date): SetAside | undefined {
  if (isPostgres(path) || !existsSync(path)) return undefined
  using lock = lockFile(lockOf(path))
  // Whoever has it open has looked at it.
  if (lock === undefined) return undefined
  try {
    const reason = faultOf(path)
    const setAside = reason === undefined ? undefined : { reason, keptAs: rename(path, now) }
    whenFree(() => rmSync(doubtOf(path), { force: true }))
    return setAside
  } catch (cause) {
    throw openingFailure(path, cause)
  }
}

function rename(path: string, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(':', '')
  for (let attempt = 1; ; attempt += 1) {
    const name = `ledger-damaged-${time}${attempt === 1 ? '' : `-${attempt}`}.db`
    const kept = join(dirname(path), name)
    if (existsSync(kept)) continue
    whenFree(() => renameSync(path, kept))
    if (existsSync(`${path}-wal`)) whenFree(() => renameSync(`${path}-wal`, `${kept}-wal`))
    whenFree(() => rmSync(`${path}-shm`, { force: true }))
    forgetOldest(dirname(path), name)
    return name
  }
}

const keptBeside = 2

/** Deletes damaged ledgers beside the newest one, the oldest first by their names. */
function forgetOldest(folder: string, newest: string): void {
  const others = readdirSync(folder).filter((name) => /^ledger-damaged-.*\.db$/.test(name) && name !== newest)
  for (const name of others.toSorted().slice(0, -keptBeside))
    for (const end of ['', '-wal']) whenFree(() => rmSync(join(folder, `${name}${end}`), { force: true }))
}

const needed = ['account', 'key', 'dataset', 'hash', 'state', 'body']

function faultOf(path: string): string | undefined {
  if (statSync(path).size === 0) return 'it is empty'
  const wasLeftOpen = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  try {
    // Only for reading: opening for writing would change the journal of a damaged file.
    using database = openForReading(path)
    const columns = database.prepare(`SELECT name FROM pragma_table_info('records')`).all() as { name: string }[]
    // One of another version is refused when it is opened.
    if (columns.length > 0 && versionOf(database) !== ledgerVersion) return undefined
    const missing = needed.filter((name) => !columns.some((column) => column.name === name))
    if (columns.length > 0 && missing.length > 0) return `it lacks the column ${missing.join(', ')}`
    if (!wasLeftOpen && !existsSync(doubtOf(path))) return undefined
    const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (found !== 'ok') return `SQLite reports: ${String(found).replace(/\s+/g, ' ')}`
    if (columns.length === 0) return undefined
    const broken = database.prepare('SELECT key FROM records WHERE NOT json_valid(body) LIMIT 1').get()
    return broken === undefined ? undefined : `its record "${String(broken['key'])}" cannot be read`
  } catch (cause) {
    const failure = openingFailure(path, cause)
    if (failure.code === 'state-damaged') return (cause as Error).message
    throw failure
  }
}
