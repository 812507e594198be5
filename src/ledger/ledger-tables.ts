/** Opens the tables of the ledger in SQLite or PostgreSQL, and creates them in a new one. */

import { openDatabase, type Database, type Dialect, type Tables } from '../core/database.ts'
import { isPostgres, openPostgres, orderedText } from '../core/postgres.ts'

/** The number of the ledger's tables: raise it with each change of them. */
export const ledgerVersion = 1

// Whatever changes a record also removes what its row was, so that no row is taken for the same by mistake.
const sqlite = {
  /** A number that is never used again: the answer to a post may come after another process has forgotten it. */
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  /** The type of text that is compared. */
  text: 'TEXT',
  ofKey: 'WITHOUT ROWID',
  triggers: `
    CREATE TRIGGER record_changed AFTER UPDATE OF hash, state, pipeline, in_doubt ON records
      WHEN new.state <> 'confirmed' OR new.in_doubt OR new.hash <> old.hash OR new.pipeline IS NOT old.pipeline
      BEGIN DELETE FROM source_rows WHERE record = old.id; END;
    CREATE TRIGGER record_removed AFTER DELETE ON records BEGIN DELETE FROM source_rows WHERE record = old.id; END`,
}

type Words = Readonly<typeof sqlite>

const postgres: Words = {
  id: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  text: orderedText,
  ofKey: '',
  triggers: `
    CREATE FUNCTION forget_source_row() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN DELETE FROM source_rows WHERE record = old.id; RETURN NULL; END $$;
    CREATE TRIGGER record_changed AFTER UPDATE OF hash, state, pipeline, in_doubt ON records FOR EACH ROW
      WHEN (new.state <> 'confirmed' OR new.in_doubt <> 0 OR new.hash <> old.hash OR new.pipeline IS DISTINCT FROM old.pipeline)
      EXECUTE FUNCTION forget_source_row();
    CREATE TRIGGER record_removed AFTER DELETE ON records FOR EACH ROW EXECUTE FUNCTION forget_source_row()`,
}

// Bodies come late, and the table has row numbers, so that reading a state does not pass the bodies: with bodies in the tree of
// keys, sending 100,000 records took nearly twice as long. Other tables name a record by its number, which stays the same.
const create = ({ id, text, ofKey, triggers }: Words): string => `
  CREATE TABLE records (
    id ${id}, account ${text} NOT NULL, key ${text} NOT NULL, dataset ${text} NOT NULL,
    source_scheme ${text}, source_id ${text}, hash TEXT NOT NULL, modified TEXT, state TEXT NOT NULL, pipeline ${text},
    in_doubt INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL, square BIGINT,
    UNIQUE (account, key)
  );
  CREATE INDEX records_by_source ON records (account, dataset, source_scheme, source_id);
  CREATE INDEX records_by_pipeline ON records (account, pipeline, id) WHERE pipeline IS NOT NULL;
  CREATE INDEX records_deleted ON records (account, modified) WHERE state = 'deleted';
  CREATE INDEX records_by_square ON records (account, dataset, square) WHERE square IS NOT NULL;
  CREATE TABLE feeds (account ${text} NOT NULL, dataset ${text} NOT NULL, token TEXT, PRIMARY KEY (account, dataset));
  CREATE TABLE pipelines (account ${text} NOT NULL, name ${text} NOT NULL, records BIGINT, most BIGINT, file TEXT, PRIMARY KEY (account, name));
  CREATE TABLE posts (id ${id}, account ${text} NOT NULL, pipeline ${text} NOT NULL, records TEXT NOT NULL);
  CREATE TABLE matches (
    account ${text} NOT NULL, source ${text} NOT NULL, given ${text} NOT NULL, key ${text} NOT NULL,
    PRIMARY KEY (account, source, given)
  ) ${ofKey};
  CREATE TABLE shared (
    account ${text} NOT NULL, key ${text} NOT NULL, pipeline ${text} NOT NULL, PRIMARY KEY (account, key, pipeline)
  ) ${ofKey};
  CREATE INDEX shared_by_pipeline ON shared (account, pipeline);
  CREATE TABLE source_rows (record BIGINT PRIMARY KEY, high BIGINT NOT NULL, low BIGINT NOT NULL, land TEXT, findings TEXT);
  ${triggers}
`

const tablesOf = (words: Words): Tables => ({ version: ledgerVersion, create: create(words) })

/** The type of a column with text that is compared. */
export function textOf({ dialect }: Dialect): string {
  return (dialect === 'postgres' ? postgres : sqlite).text
}

/** Opens the tables at a place: a file, or the address of a PostgreSQL database. There the writes of an account take turns. */
export function openTables(place: string, account: string, pragmas = ''): Database {
  return isPostgres(place)
    ? openPostgres(place, { schema: 'windrow_ledger', subject: account, tables: tablesOf(postgres) })
    : openDatabase(place, { pragmas, tables: tablesOf(sqlite) })
}
