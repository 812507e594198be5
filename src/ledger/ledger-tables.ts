/** Creates the tables of the ledger, and updates those of older versions. */

import type { DatabaseSync } from 'node:sqlite'
import type { Migration } from '../core/database.ts'

// Bodies come last, and the table has row numbers, so that reading a state does not pass the bodies: with bodies in the tree of
// keys, sending 100,000 records took nearly twice as long.
const firstForm = `
  CREATE TABLE IF NOT EXISTS records (
    account TEXT NOT NULL, key TEXT NOT NULL, dataset TEXT NOT NULL,
    source_scheme TEXT, source_id TEXT,
    hash TEXT NOT NULL, modified TEXT, state TEXT NOT NULL, pipeline TEXT,
    in_doubt INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL,
    PRIMARY KEY (account, key)
  );
  CREATE TABLE IF NOT EXISTS feeds (account TEXT NOT NULL, dataset TEXT NOT NULL, token TEXT, PRIMARY KEY (account, dataset));
  CREATE TABLE IF NOT EXISTS pipelines (account TEXT NOT NULL, name TEXT NOT NULL, rows INTEGER, records INTEGER, PRIMARY KEY (account, name));
  CREATE TABLE IF NOT EXISTS intents (
    account TEXT NOT NULL, key TEXT NOT NULL, dataset TEXT NOT NULL, source_scheme TEXT, source_id TEXT,
    hash TEXT NOT NULL, modified TEXT NOT NULL, pipeline TEXT NOT NULL, PRIMARY KEY (account, key)
  ) WITHOUT ROWID;
`
const indexes = `
  CREATE INDEX IF NOT EXISTS records_by_source ON records (account, dataset, source_scheme, source_id);
  CREATE INDEX IF NOT EXISTS records_by_pipeline ON records (account, pipeline) WHERE pipeline IS NOT NULL;
`

const deletedIndex = `CREATE INDEX records_deleted ON records (account, modified) WHERE state = 'deleted';`

// Other tables name a record by its number, which stays the same.
const numberedRecords = `
  ALTER TABLE records RENAME TO earlier;
  CREATE TABLE records (
    id INTEGER PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL, dataset TEXT NOT NULL,
    source_scheme TEXT, source_id TEXT,
    hash TEXT NOT NULL, modified TEXT, state TEXT NOT NULL, pipeline TEXT,
    in_doubt INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL,
    UNIQUE (account, key)
  );
  INSERT INTO records (account, key, dataset, source_scheme, source_id, hash, modified, state, pipeline, in_doubt, body)
    SELECT account, key, dataset, source_scheme, source_id, hash, modified, state, pipeline, in_doubt, body FROM earlier;
  DROP TABLE earlier;
`

// Whatever changes a record also removes what its row was, so that no row is taken for the same by mistake.
const sourceRows = `
  CREATE TABLE source_rows (record INTEGER PRIMARY KEY, high INTEGER NOT NULL, low INTEGER NOT NULL, land TEXT);
  CREATE TRIGGER record_changed AFTER UPDATE OF hash, state, pipeline, in_doubt ON records
    WHEN new.state <> 'confirmed' OR new.in_doubt OR new.hash <> old.hash OR new.pipeline IS NOT old.pipeline
    BEGIN DELETE FROM source_rows WHERE record = old.id; END;
  CREATE TRIGGER record_removed AFTER DELETE ON records BEGIN DELETE FROM source_rows WHERE record = old.id; END;
`

/** Every step from the first form of the ledger to today's, in order. A step that was released is never changed. */
export const migrations: readonly Migration[] = [
  // Files of version 0 and 1 were opened in the same way: the next step adds what either lacks.
  () => undefined,
  (database) => {
    database.exec(firstForm)
    addMissingColumns(database)
    database.exec(indexes)
  },
  (database) =>
    database.exec(
      `CREATE TABLE IF NOT EXISTS matches (account TEXT NOT NULL, source TEXT NOT NULL, given TEXT NOT NULL, key TEXT NOT NULL,
       PRIMARY KEY (account, source, given)) WITHOUT ROWID`,
    ),
  (database) =>
    database.exec(
      `${deletedIndex}
       ALTER TABLE pipelines ADD COLUMN file TEXT;
       CREATE TABLE shared (account TEXT NOT NULL, key TEXT NOT NULL, pipeline TEXT NOT NULL,
         PRIMARY KEY (account, key, pipeline)) WITHOUT ROWID;
       CREATE INDEX shared_by_pipeline ON shared (account, pipeline);`,
    ),
  (database) => database.exec(`${numberedRecords} ${indexes} ${deletedIndex} ${sourceRows}`),
]

/** Adds the columns that a ledger of an early version lacks. */
function addMissingColumns(database: DatabaseSync): void {
  const columnsOf = (table: string): ReadonlySet<unknown> =>
    new Set(
      database
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(table)
        .map(({ name }) => name),
    )
  const found = columnsOf('records')
  for (const column of ['source_scheme', 'source_id', 'modified', 'pipeline'])
    if (!found.has(column)) database.exec(`ALTER TABLE records ADD COLUMN ${column} TEXT`)
  if (!found.has('in_doubt')) database.exec('ALTER TABLE records ADD COLUMN in_doubt INTEGER NOT NULL DEFAULT 0')
  if (!columnsOf('pipelines').has('records')) database.exec('ALTER TABLE pipelines ADD COLUMN records INTEGER')
}
