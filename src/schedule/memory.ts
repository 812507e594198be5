/** Remembers between starts which due times were run and how they ended, and gives each try to one scheduler only. */

import { join } from 'node:path'
import { inTransaction, openDatabase, type Tables } from '../core/database.ts'

/** What became of the last due time of a pipeline. */
export type NightState = {
  readonly due: Date
  readonly tries: number
  /** When the first try began. */
  readonly first: Date | undefined
  /** When to try next, or when the process that tries is taken for dead; undefined: this time is done with. */
  readonly next: Date | undefined
  /** How the last try ended; undefined before its end. */
  readonly exit: number | undefined
  readonly code: string | undefined
  readonly reason: string | undefined
  /** The due time of the first run that failed since the last good one. */
  readonly failingSince: Date | undefined
}

export type ScheduleMemory = ReturnType<typeof openScheduleMemory>

const tables: Tables = {
  version: 1,
  create: `
  CREATE TABLE claims (name TEXT PRIMARY KEY, last TEXT NOT NULL);
  CREATE TABLE nights (name TEXT PRIMARY KEY, due TEXT NOT NULL, tries INTEGER NOT NULL, first TEXT,
    next TEXT, exit INTEGER, code TEXT, reason TEXT, failing_since TEXT)`,
}

type Written = Readonly<Record<'due' | 'first' | 'next' | 'code' | 'reason' | 'failingSince', string | null>> & {
  readonly tries: number
  readonly exit: number | null
}

/** Opens the memory in a state folder, which it creates when missing. */
export function openScheduleMemory(state: string) {
  const database = openDatabase(join(state, 'schedule.db'), { pragmas: 'PRAGMA journal_mode = WAL', tables })
  const last = database.prepare('SELECT last FROM claims WHERE name = ?')
  const claim = database.prepare(
    `INSERT INTO claims (name, last) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET last = excluded.last WHERE claims.last < excluded.last`,
  )
  const setBack = database.prepare('UPDATE claims SET last = ? WHERE name = ? AND last = ?')
  const night = database.prepare(
    'SELECT due, tries, first, next, exit, code, reason, failing_since AS "failingSince" FROM nights WHERE name = ?',
  )
  const begin = database.prepare(
    `INSERT INTO nights (name, due, tries, next) VALUES (?, ?, 0, ?)
     ON CONFLICT (name) DO UPDATE SET due = excluded.due, tries = 0, first = NULL, next = excluded.next,
       exit = NULL, code = NULL, reason = NULL`,
  )
  const take = database.prepare('UPDATE nights SET next = ? WHERE name = ? AND due = ? AND next = ?')
  const save = database.prepare(
    `INSERT INTO nights (name, due, tries, first, next, exit, code, reason, failing_since)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET due = excluded.due, tries = excluded.tries, first = excluded.first,
       next = excluded.next, exit = excluded.exit, code = excluded.code, reason = excluded.reason,
       failing_since = excluded.failing_since`,
  )
  return {
    /** The last due time that was claimed for a pipeline. */
    last(name: string): Date | undefined {
      const found = last.get(name) as { last: string } | undefined
      return found === undefined ? undefined : new Date(found.last)
    },
    /** Claims a due time; false when it was claimed before, perhaps by another scheduler. Until `lease`, no other tries it. */
    claim: (name: string, due: Date, lease?: Date): boolean =>
      inTransaction(database, () => {
        const isClaimed = Number(claim.run(name, due.toISOString()).changes) === 1
        if (isClaimed && lease !== undefined) begin.run(name, due.toISOString(), lease.toISOString())
        return isClaimed
      }),
    /** Forgets a time that was claimed while the clock was ahead, and counts from now. */
    setBack: (name: string, ahead: Date, now: Date): void =>
      void setBack.run(now.toISOString(), name, ahead.toISOString()),
    night(name: string): NightState | undefined {
      const found = night.get(name) as Written | undefined
      if (found === undefined) return undefined
      const { due, tries, first, next, exit, code, reason, failingSince } = found
      return {
        due: new Date(due!),
        tries,
        first: dateOf(first),
        next: dateOf(next),
        exit: exit ?? undefined,
        code: code ?? undefined,
        reason: reason ?? undefined,
        failingSince: dateOf(failingSince),
      }
    },
    /** Takes the next try of a night, until `lease`; false when another scheduler was first. */
    takeTry: (name: string, { due, next }: NightState, lease: Date): boolean =>
      next !== undefined &&
      Number(take.run(lease.toISOString(), name, due.toISOString(), next.toISOString()).changes) === 1,
    save(name: string, night: NightState): void {
      const { due, tries, first, next, exit, code, reason, failingSince } = night
      const times = [first, next].map((time) => time?.toISOString() ?? null)
      const outcome = [exit ?? null, code ?? null, reason ?? null, failingSince?.toISOString() ?? null]
      save.run(name, due.toISOString(), tries, ...times, ...outcome)
    },
    [Symbol.dispose]: () => database.close(),
  }
}

function dateOf(written: string | null): Date | undefined {
  return written === null ? undefined : new Date(written)
}
