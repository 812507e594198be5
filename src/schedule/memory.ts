/** Hides what schedulers remember between starts, and that only one of several gets to run a time that is due. */

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type ScheduleMemory = {
  /** The last time that was claimed for a pipeline. */
  last(name: string): Date | undefined
  /** Claims a time; false when another scheduler, or an earlier claim, has it already. */
  claim(name: string, due: Date): boolean
  close(): void
}

/** Opens the memory in a state folder, made when it is missing. */
export function openScheduleMemory(state: string): ScheduleMemory {
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const path = join(state, 'schedule.db')
  const database = new DatabaseSync(path, { timeout: 20_000 })
  chmodSync(path, 0o600)
  database.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS claims (name TEXT PRIMARY KEY, last TEXT NOT NULL)',
  )
  const last = database.prepare('SELECT last FROM claims WHERE name = ?')
  const claim = database.prepare(
    `INSERT INTO claims (name, last) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET last = excluded.last WHERE claims.last < excluded.last`,
  )
  return {
    last(name) {
      const found = last.get(name) as { last: string } | undefined
      return found === undefined ? undefined : new Date(found.last)
    },
    claim: (name, due) => Number(claim.run(name, due.toISOString()).changes) === 1,
    close: () => database.close(),
  }
}
