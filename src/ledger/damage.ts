/** Sets a damaged ledger aside before anybody works with it: it is kept under another name, and a new one begins. */

import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openDatabase, openForReading, openingFailure } from '../core/database.ts'

/** A ledger that was set aside: what is wrong with it, and the name it has now. */
export type SetAside = { readonly reason: string; readonly keptAs: string }

/** Tells other processes that the ledger is in use, until `release` or the end of this process. */
export function shareLedger(path: string): { release(): void } {
  const lock = openLock(path, 20_000)
  try {
    lock.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
  } catch (cause) {
    lock.close()
    throw openingFailure(path, cause)
  }
  return { release: () => lock.close() }
}

function openLock(path: string, timeoutMs: number): DatabaseSync {
  return openDatabase(`${path}-lock`, { timeoutMs })
}

/** Remembers that the ledger may be damaged: the next run looks through all of it. */
export function doubtLedger(path: string): void {
  try {
    writeFileSync(doubtOf(path), '', { mode: 0o600 })
  } catch {
    // On a disk that takes nothing the next run meets the damage again, and remembers it then.
  }
}

const doubtOf = (path: string): string => `${path}-doubt`

/**
 * Looks at the ledger while no other process has it open; all of it where it was not closed properly or is in doubt. A damaged
 * one is renamed, together with its journal.
 */
export function setAsideIfDamaged(path: string, now: Date): SetAside | undefined {
  if (!existsSync(path)) return undefined
  const lock = openLock(path, 0)
  try {
    try {
      lock.exec('BEGIN EXCLUSIVE')
    } catch {
      // Whoever has it open has looked at it.
      return undefined
    }
    const reason = faultOf(path)
    const setAside = reason === undefined ? undefined : { reason, keptAs: rename(path, now) }
    rmSync(doubtOf(path), { force: true })
    return setAside
  } catch (cause) {
    throw openingFailure(path, cause)
  } finally {
    lock.close()
  }
}

function rename(path: string, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(':', '')
  for (let attempt = 1; ; attempt += 1) {
    const name = `ledger-damaged-${time}${attempt === 1 ? '' : `-${attempt}`}.db`
    const kept = join(dirname(path), name)
    if (existsSync(kept)) continue
    renameSync(path, kept)
    if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`)
    rmSync(`${path}-shm`, { force: true })
    return name
  }
}

const needed = ['account', 'key', 'dataset', 'hash', 'state', 'body']

/** What is wrong with a ledger; undefined where it is sound, as far as was looked. */
function faultOf(path: string): string | undefined {
  if (statSync(path).size === 0) return 'it is empty'
  const wasLeftOpen = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  let database: DatabaseSync | undefined
  try {
    // For reading alone: the journal of a damaged file is part of what is kept.
    database = openForReading(path)
    const columns = database.prepare(`SELECT name FROM pragma_table_info('records')`).all() as { name: string }[]
    const missing = needed.filter((name) => !columns.some((column) => column.name === name))
    if (columns.length > 0 && missing.length > 0) return `it has no column ${missing.join(', ')}`
    if (!wasLeftOpen && !existsSync(doubtOf(path))) return undefined
    const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (found !== 'ok') return `SQLite says: ${String(found).replace(/\s+/g, ' ')}`
    if (columns.length === 0) return undefined
    const broken = database.prepare('SELECT key FROM records WHERE NOT json_valid(body) LIMIT 1').get()
    return broken === undefined ? undefined : `its record "${String(broken['key'])}" cannot be read`
  } catch (cause) {
    const failure = openingFailure(path, cause)
    if (failure.code === 'state-damaged') return (cause as Error).message
    throw failure
  } finally {
    database?.close()
  }
}
