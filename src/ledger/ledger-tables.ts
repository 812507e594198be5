/** Opens the tables of the ledger in SQLite or PostgreSQL: creates them, and updates those of older versions. */

import type { DatabaseSync } from 'node:sqlite'
import { openDatabase, type Database, type Dialect, type Migration } from '../core/database.ts'
import { isPostgres, openPostgres, orderedText as text } from '../core/postgres.ts'

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

// The square of a record was an expression over its body once, before a column had it. Now it only fills that column.
const squareIn = {
  // A damaged file may have a body that is no JSON: whoever reads it finds that.
  sqlite: `CASE WHEN json_valid(body) THEN coalesce(
    CAST((json_extract(body, '$.centroid.coordinates[1]') + 90) * 10 AS INTEGER) * 3600 +
      CAST((json_extract(body, '$.centroid.coordinates[0]') + 180) * 10 AS INTEGER),
    CASE WHEN json_type(body, '$.spatialFeature.geometry') = 'object' THEN -1 END) END`,
  postgres: `coalesce(
    CAST(
      floor((CAST(CAST(body AS JSON) #>> '{centroid,coordinates,1}' AS NUMERIC) + 90) * 10) * 3600 +
      floor((CAST(CAST(body AS JSON) #>> '{centroid,coordinates,0}' AS NUMERIC) + 180) * 10) AS BIGINT),
    CASE WHEN json_typeof(CAST(body AS JSON) #> '{spatialFeature,geometry}') = 'object' THEN -1 END)`,
} as const

const squareIndex = (square: string): string =>
  `CREATE INDEX records_by_square ON records (account, dataset, (${square})) WHERE (${square}) IS NOT NULL`

const squareColumn = (square: string): string => `
  DROP INDEX records_by_square;
  ALTER TABLE records ADD COLUMN square BIGINT;
  UPDATE records SET square = ${square};
  ${squareIndex('square')};
`

// What was found about a row is reported again when the row is the same.
const findings = 'ALTER TABLE source_rows ADD COLUMN findings TEXT'

// A number of a post is never used again: its answer may come after another process has forgotten it.
const posts = {
  sqlite: `
    CREATE TABLE posts (
      id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, pipeline TEXT NOT NULL, records TEXT NOT NULL
    );
    INSERT INTO posts (account, pipeline, records)
      SELECT account, pipeline, json_group_array(json_array(key, dataset, source_scheme, source_id, hash, modified))
      FROM intents GROUP BY account, pipeline;
    DROP TABLE intents;
  `,
  postgres: `
    CREATE TABLE posts (
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account ${text} NOT NULL, pipeline ${text} NOT NULL,
      records TEXT NOT NULL
    );
    INSERT INTO posts (account, pipeline, records)
      SELECT account, pipeline,
        CAST(json_agg(json_build_array(key, dataset, source_scheme, source_id, hash, modified)) AS TEXT)
      FROM intents GROUP BY account, pipeline;
    DROP TABLE intents
  `,
} as const

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
  (database) => database.exec(squareIndex(squareIn.sqlite)),
  (database) => database.exec(squareColumn(squareIn.sqlite)),
  (database) => database.exec(findings),
  (database) => database.exec(posts.sqlite),
]

/** The type of a column with text that is compared. */
export function textOf({ dialect }: Dialect): string {
  return dialect === 'postgres' ? text : 'TEXT'
}

/** Every step of the tables in PostgreSQL. A step that was released is never changed. */
const postgresMigrations: readonly string[] = [
  `
  CREATE TABLE records (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account ${text} NOT NULL, key ${text} NOT NULL, dataset ${text} NOT NULL,
    source_scheme ${text}, source_id ${text},
    hash TEXT NOT NULL, modified TEXT, state TEXT NOT NULL, pipeline ${text},
    in_doubt INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL,
    UNIQUE (account, key)
  );
  CREATE INDEX records_by_source ON records (account, dataset, source_scheme, source_id);
  CREATE INDEX records_by_pipeline ON records (account, pipeline, id) WHERE pipeline IS NOT NULL;
  CREATE INDEX records_deleted ON records (account, modified) WHERE state = 'deleted';
  CREATE TABLE feeds (account ${text} NOT NULL, dataset ${text} NOT NULL, token TEXT, PRIMARY KEY (account, dataset));
  CREATE TABLE pipelines (
    account ${text} NOT NULL, name ${text} NOT NULL, rows BIGINT, records BIGINT, file TEXT, PRIMARY KEY (account, name)
  );
  CREATE TABLE intents (
    account ${text} NOT NULL, key ${text} NOT NULL, dataset ${text} NOT NULL, source_scheme ${text}, source_id ${text},
    hash TEXT NOT NULL, modified TEXT NOT NULL, pipeline ${text} NOT NULL, PRIMARY KEY (account, key)
  );
  CREATE TABLE matches (
    account ${text} NOT NULL, source ${text} NOT NULL, given ${text} NOT NULL, key ${text} NOT NULL,
    PRIMARY KEY (account, source, given)
  );
  CREATE TABLE shared (
    account ${text} NOT NULL, key ${text} NOT NULL, pipeline ${text} NOT NULL, PRIMARY KEY (account, key, pipeline)
  );
  CREATE INDEX shared_by_pipeline ON shared (account, pipeline);
  CREATE TABLE source_rows (record BIGINT PRIMARY KEY, high BIGINT NOT NULL, low BIGINT NOT NULL, land TEXT);
  CREATE FUNCTION forget_source_row() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN DELETE FROM source_rows WHERE record = old.id; RETURN NULL; END $$;
  CREATE TRIGGER record_changed AFTER UPDATE OF hash, state, pipeline, in_doubt ON records FOR EACH ROW
    WHEN (new.state <> 'confirmed' OR new.in_doubt <> 0 OR new.hash <> old.hash OR new.pipeline IS DISTINCT FROM old.pipeline)
    EXECUTE FUNCTION forget_source_row();
  CREATE TRIGGER record_removed AFTER DELETE ON records FOR EACH ROW EXECUTE FUNCTION forget_source_row()
`,
  squareIndex(squareIn.postgres),
  squareColumn(squareIn.postgres),
  findings,
  posts.postgres,
]

/** Opens the tables at a place: a file, or the address of a PostgreSQL database. There the writes of an account take turns. */
export function openTables(place: string, account: string, pragmas = ''): Database {
  return isPostgres(place)
    ? openPostgres(place, { schema: 'windrow_ledger', subject: account, migrations: postgresMigrations })
    : openDatabase(place, { pragmas, migrations })
}

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
