/** Remembers between starts which due times were run, and gives each due time to one scheduler only. */

import { join } from 'node:path'
import { openDatabase } from '../core/database.ts'

export type ScheduleMemory = {
  /** The last due time that was claimed for a pipeline. */
  last(name: string): Date | undefined
  /** Claims a due time; false when it was claimed before, perhaps by another scheduler. */
  claim(name: string, due: Date): boolean
  close(): void
}

/** Opens the memory in a state folder, which it creates when missing. */
export function openScheduleMemory(state: string): ScheduleMemory {
  const database = openDatabase(join(state, 'schedule.db'), {
    pragmas: 'PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS claims (name TEXT PRIMARY KEY, last TEXT NOT NULL)',
  })
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
