/** Lists what a ledger knows, for all accounts in it, and forgets which pipeline published what. */

import { existsSync } from 'node:fs'
import { inTransaction, type Database } from '../core/database.ts'
import { WindrowError } from '../core/error.ts'
import { isPostgres } from '../core/postgres.ts'
import { shareLedger } from './damage.ts'
import { openTables } from './ledger-tables.ts'
import type { LedgerRecord } from './ledger.ts'

export type KnownRecord = Pick<LedgerRecord, 'key' | 'dataset' | 'state' | 'pipeline' | 'modified' | 'body'> & {
  readonly account: string
}

export type KnownRecords = ReturnType<typeof openKnownRecords>

/** False for a file that does not exist. */
export function isLedger(place: string): boolean {
  return isPostgres(place) || existsSync(place)
}

/** Throws 'state-unreadable' for a state folder without a ledger. */
export function assertLedger(place: string): void {
  if (isLedger(place)) return
  throw new WindrowError('state-unreadable', `There is no ledger at "${place}".`, {
    hint: 'Pipelines keep their ledger in .windrow beside them: name that folder with --state.',
  })
}

/** The pipelines that ended a run or own a record. */
export function pipelinesIn(database: Database): readonly string[] {
  const names = 'SELECT name FROM pipelines UNION SELECT pipeline FROM records WHERE pipeline IS NOT NULL ORDER BY name'
  return database
    .prepare(names)
    .all()
    .map(({ name }) => String(name))
}

/** Opens an existing ledger. Throws 'state-unreadable' if there is none. */
export function openKnownRecords(place: string) {
  assertLedger(place)
  using opening = new DisposableStack()
  opening.use(shareLedger(place))
  const database = opening.use(openTables(place, 'all accounts'))
  const opened = opening.move()
  const columns = 'account, key, dataset, state, pipeline, modified, body'
  return {
    pipelines: () => pipelinesIn(database),
    /** The records of a pipeline, or all, by account and key. */
    list: (pipeline?: string) =>
      database
        .prepare(`SELECT ${columns} FROM records WHERE pipeline = ?1 OR ?1 IS NULL ORDER BY account, key`)
        .iterate(pipeline ?? null) as IterableIterator<KnownRecord>,
    /** Makes a pipeline's records nobody's, and forgets how many its last file had and which records it shares. */
    forgetPipeline: (pipeline: string): void =>
      inTransaction(database, () => {
        for (const sql of [
          'UPDATE records SET pipeline = NULL WHERE pipeline = ?',
          'DELETE FROM shared WHERE pipeline = ?',
          'DELETE FROM posts WHERE pipeline = ?',
          // Without its line a pipeline looks new, and would get its records again from the runs that are kept.
          'UPDATE pipelines SET records = NULL, most = NULL, file = NULL WHERE name = ?',
        ])
          database.prepare(sql).run(pipeline)
      }),
    /** Makes a record nobody's. */
    forgetRecord: ({ account, key }: Pick<KnownRecord, 'account' | 'key'>): void =>
      inTransaction(database, () => {
        database.prepare('UPDATE records SET pipeline = NULL WHERE account = ? AND key = ?').run(account, key)
        database.prepare('DELETE FROM shared WHERE account = ? AND key = ?').run(account, key)
      }),
    [Symbol.dispose]: () => opened.dispose(),
  }
}
