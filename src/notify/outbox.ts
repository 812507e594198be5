/** Keeps messages until they are sent, also over a restart, and says when each is tried again. */

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inTransaction, openDatabase, type Tables } from '../core/database.ts'
import type { Notice } from './notice.ts'

/** A message on its way, by the name of its channel. */
export type Letter = { readonly id: string; readonly channel: string; readonly notice: Notice; readonly tries: number }

export type Outbox = ReturnType<typeof openOutbox>

/** The waits after each failed try; after the last one a message is given up. */
export const waitsMs: readonly number[] = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]
// More than the pipelines of a schedule, each with one message by each way; a mail server that is down for weeks must not fill the disk.
const mostKept = 2000

const tables: Tables = {
  version: 1,
  create: `
    CREATE TABLE letters (id TEXT, channel TEXT, notice TEXT NOT NULL, tries INTEGER NOT NULL, due TEXT NOT NULL,
      PRIMARY KEY (id, channel));
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
}

const unsent = 'unsent '

/** True if messages of a schedule were kept in this state folder. */
export function hasOutbox(state: string): boolean {
  return existsSync(join(state, 'notify.db'))
}

/** Opens the outbox in a state folder. */
export function openOutbox(state: string, clock: () => Date) {
  const database = openDatabase(join(state, 'notify.db'), { pragmas: 'PRAGMA journal_mode = WAL', tables })
  const insert = database.prepare('INSERT INTO letters (id, channel, notice, tries, due) VALUES (?, ?, ?, 0, ?)')
  const prune = database.prepare(
    `DELETE FROM letters WHERE rowid NOT IN (SELECT rowid FROM letters ORDER BY rowid DESC LIMIT ${mostKept})`,
  )
  const due = database.prepare('SELECT id, channel, notice, tries FROM letters WHERE due <= ? ORDER BY rowid')
  const tried = database.prepare('UPDATE letters SET tries = ?, due = ? WHERE id = ? AND channel = ?')
  const remove = database.prepare('DELETE FROM letters WHERE id = ? AND channel = ?')
  const first = database.prepare('SELECT min(due) AS due FROM letters')
  const recall = database.prepare('SELECT value FROM facts WHERE name = ?')
  const remember = database.prepare(
    'INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const forget = database.prepare('DELETE FROM facts WHERE name = ?')
  const listed = database.prepare('SELECT name FROM facts ORDER BY name')
  const names = (beginning: string): readonly string[] =>
    listed.all().flatMap(({ name }) => (String(name).startsWith(beginning) ? [String(name)] : []))
  return {
    post(channel: string, notice: Notice): void {
      insert.run(randomUUID(), channel, JSON.stringify(notice), clock().toISOString())
      prune.run()
    },
    /** Takes the messages that are due at `now`; each is then due again later, until it is settled or was tried too often. */
    take: (now: Date) =>
      // In a transaction, so that no other process takes the same messages.
      inTransaction(database, () =>
        due.all(now.toISOString()).map((row): Letter => {
          const { id, channel, notice, tries } = row as Record<'id' | 'channel' | 'notice', string> & { tries: number }
          const wait = waitsMs[tries]
          if (wait === undefined) remove.run(id, channel)
          else tried.run(tries + 1, new Date(now.getTime() + wait).toISOString(), id, channel)
          return { id, channel, notice: JSON.parse(notice) as Notice, tries: tries + 1 }
        }),
      ),
    settle: ({ id, channel }: Letter) => void remove.run(id, channel),
    /** When the next message is due. */
    next(): Date | undefined {
      const { due: time } = first.get() as { due: string | null }
      return time === null ? undefined : new Date(time)
    },
    /** What was remembered under a name. */
    recall: (name: string) => (recall.get(name) as { value: string } | undefined)?.value,
    remember: (name: string, value: string) => void remember.run(name, value),
    forget: (name: string) => void forget.run(name),
    /** The remembered names that begin so. */
    names,
    /** Notes whether the last message by a way arrived, and if not, why. */
    noteArrival(channel: string, reason: string | undefined): void {
      if (reason === undefined) forget.run(`${unsent}${channel}`)
      else remember.run(`${unsent}${channel}`, reason)
    },
    /** The ways whose last message did not arrive, and why. */
    unsent: (): readonly { readonly channel: string; readonly reason: string }[] =>
      names(unsent).map((name) => {
        const { value } = recall.get(name) as { value: string }
        return { channel: name.slice(unsent.length), reason: value }
      }),
    close: () => database.close(),
    [Symbol.dispose]: () => database.close(),
  }
}
