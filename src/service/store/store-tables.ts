/** Defines the tables of the store in SQLite and in PostgreSQL, the steps between their versions, and the SQL in which the two differ. */

import type { Dialect } from '../../core/database.ts'
import { orderedText, type Opening } from '../../core/postgres.ts'

/** The words of SQLite; a number that is `neverAgain` given belongs to one row, even after the row was deleted. */
const inSQLite = {
  integer: 'INTEGER',
  numbered: 'INTEGER PRIMARY KEY',
  neverAgain: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  real: 'REAL',
  bytes: 'BLOB',
  text: 'TEXT',
  cropKeys: 'UNIQUE (type, id), UNIQUE (type, holder_scheme, holder_id, source)',
  end: 'STRICT',
  endByKey: 'STRICT, WITHOUT ROWID',
}

const numbered = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY'
const ofPostgres: typeof inSQLite = {
  integer: 'BIGINT',
  numbered,
  neverAgain: numbered,
  real: 'DOUBLE PRECISION',
  bytes: 'BYTEA',
  text: orderedText,
  cropKeys: 'UNIQUE (id, type), UNIQUE (source, holder_id, holder_scheme, type)',
  end: '',
  endByKey: '',
}

const regions = `
CREATE VIEW holding_regions AS
  SELECT holding, CASE lower(substr(scheme, 1, 2)) WHEN 'uk' THEN 'GB' ELSE upper(substr(scheme, 1, 2)) END AS region
  FROM holding_identifiers WHERE substr(scheme, 3, 1) = '.';
`
const cropRecordsIn = ({ integer, numbered, bytes, text, cropKeys, end }: typeof inSQLite): string => `
CREATE TABLE crop_records (
  number ${numbered}, type ${text} NOT NULL, id ${text} NOT NULL, source ${text}, holder_scheme ${text} NOT NULL,
  holder_id ${text} NOT NULL, deleted INTEGER NOT NULL, observed ${integer}, consigned ${integer}, body ${bytes} NOT NULL,
  ${cropKeys}
) ${end};
`
const boxesIn = ({ integer, real, end }: typeof inSQLite): string => `
CREATE TABLE boxes (
  number ${integer} PRIMARY KEY, west ${real} NOT NULL, east ${real} NOT NULL, south ${real} NOT NULL, north ${real} NOT NULL
) ${end};
`
const webhooksIn = ({ integer, neverAgain, bytes, text, end, endByKey }: typeof inSQLite): string => `
CREATE TABLE IF NOT EXISTS webhooks (
  number ${neverAgain}, id ${text} NOT NULL UNIQUE, account ${integer} NOT NULL, organisation TEXT NOT NULL,
  name TEXT NOT NULL, uri TEXT NOT NULL, authentication TEXT NOT NULL, subscriptions TEXT NOT NULL, created TEXT NOT NULL
) ${end};
CREATE TABLE IF NOT EXISTS webhook_events (
  webhook ${integer} NOT NULL, number ${integer} NOT NULL, record ${integer} NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL,
  time TEXT NOT NULL, attempts INTEGER NOT NULL, data ${bytes}, PRIMARY KEY (webhook, number)
) ${endByKey};
CREATE INDEX IF NOT EXISTS webhook_events_by_record ON webhook_events (record) WHERE data IS NULL;
CREATE TABLE IF NOT EXISTS webhook_undelivered (
  webhook ${integer} NOT NULL, number ${integer} NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL, time TEXT NOT NULL,
  attempts INTEGER NOT NULL, reason TEXT NOT NULL, "givenUp" TEXT NOT NULL, PRIMARY KEY (webhook, number)
) ${endByKey};
`

/** The tables of a new store. */
function tablesIn(words: typeof inSQLite): string {
  const { integer, bytes, text, end, endByKey } = words
  return `
CREATE TABLE settings (name TEXT PRIMARY KEY, value ${bytes} NOT NULL) ${endByKey};
CREATE TABLE accounts (
  number ${words.numbered}, client_id ${text} NOT NULL, username ${text} NOT NULL, UNIQUE (client_id, username)
) ${end};
CREATE TABLE tokens (
  hash ${bytes} PRIMARY KEY, account ${integer} NOT NULL, kind TEXT NOT NULL, credential TEXT NOT NULL, scope TEXT NOT NULL,
  expires ${integer} NOT NULL
) ${endByKey};
CREATE TABLE records (
  number ${integer} PRIMARY KEY, id ${text} NOT NULL UNIQUE, dataset ${text} NOT NULL, holding ${integer} NOT NULL,
  key ${text} NOT NULL UNIQUE, source ${text}, changed ${integer} NOT NULL, deleted INTEGER NOT NULL, created TEXT NOT NULL,
  meta TEXT NOT NULL, body ${bytes} NOT NULL, located ${integer}
) ${end};
CREATE INDEX records_by_change ON records (dataset, changed, holding);
CREATE INDEX records_by_source ON records (dataset, holding, source);
CREATE INDEX records_by_holding ON records (dataset, holding, deleted, located);
CREATE TABLE holding_identifiers (
  scheme ${text} NOT NULL, id ${text} NOT NULL, holding ${integer} NOT NULL, PRIMARY KEY (scheme, id)
) ${endByKey};
CREATE INDEX identifiers_by_holding ON holding_identifiers (holding);
${regions}
CREATE TABLE connections (
  account ${integer} NOT NULL, holding ${integer} NOT NULL, connected_at TEXT NOT NULL, configured INTEGER NOT NULL,
  PRIMARY KEY (account, holding)
) ${endByKey};
CREATE TABLE placed (dataset ${text} PRIMARY KEY, sequence ${integer} NOT NULL) ${endByKey};
CREATE TABLE placeless (number ${integer} PRIMARY KEY) ${end};
${boxesIn(words)} ${cropRecordsIn(words)} ${webhooksIn(words)}
`
}

/** The tables of a new store in SQLite. */
export const tables = tablesIn(inSQLite)

/** What brings each earlier version of a file to the next. A step that was released is never changed. */
export const steps: readonly string[] = [
  // Version 2 has crop records of all kinds.
  `
${regions} ${cropRecordsIn(inSQLite)}
INSERT INTO crop_records (number, type, id, source, holder_scheme, holder_id, deleted, body)
  SELECT number, 'workRecordResource', id, source, holder_scheme, holder_id, 0,
    CAST(json_patch('{"resourceType":"workRecordResource"}', CAST(body AS TEXT)) AS BLOB) FROM work_records;
DROP TABLE work_records;
`,
  // Version 3 had the place of the geometry in a text.
  `
ALTER TABLE records ADD COLUMN geometry_start INTEGER;
ALTER TABLE records ADD COLUMN geometry_length INTEGER NOT NULL DEFAULT 0;
`,
  // Version 4 stores the change with which a record got its geometry, instead of where the geometry is in its text.
  `
ALTER TABLE records DROP COLUMN geometry_start;
ALTER TABLE records DROP COLUMN geometry_length;
ALTER TABLE records ADD COLUMN located INTEGER;
UPDATE records SET located = changed
  WHERE json_type('{' || CAST(body AS TEXT) || '}', '$.spatialFeature.geometry') = 'object';
DROP INDEX records_by_holding;
CREATE INDEX records_by_holding ON records (dataset, holding, deleted, located);
`,
  // Version 5 has the boxes in an ordinary table, and those of webhooks from the start.
  `
ALTER TABLE boxes RENAME TO earlier;
${boxesIn(inSQLite)}
INSERT INTO boxes SELECT number, west, east, south, north FROM earlier;
DROP TABLE earlier;
${webhooksIn(inSQLite)}
`,
]

/** The tables in PostgreSQL, where writes take turns as in a file. */
export const inPostgres: Opening = {
  schema: 'windrow_service',
  subject: 'service',
  tables: {
    version: 1,
    create: `
${tablesIn(ofPostgres)}
-- It would round a time with more than six digits behind the second up, to another day.
CREATE FUNCTION moment(given TEXT) RETURNS DOUBLE PRECISION LANGUAGE plpgsql STABLE STRICT AS $$
  BEGIN RETURN extract(epoch FROM CAST(regexp_replace(given, '(\\.\\d{6})\\d+', '\\1') AS TIMESTAMPTZ)) * 1000;
  EXCEPTION WHEN data_exception THEN RETURN NULL; END $$
`,
  },
}

/** A row for each number in a parameter, which is a list as JSON: the number as `value`, its place as `key`. */
export function listedIn({ dialect }: Dialect): string {
  return dialect === 'postgres'
    ? '(SELECT CAST(each AS BIGINT) AS value, key FROM json_array_elements_text(CAST(? AS JSON)) WITH ORDINALITY AS listed (each, key))'
    : 'json_each(?)'
}

/** A row for each object in a parameter, which is a list as JSON: its text as `value`. */
export function objectsIn({ dialect }: Dialect): string {
  return dialect === 'postgres' ? 'json_array_elements(CAST(? AS JSON)) AS listed (value)' : 'json_each(?)'
}

/** The whole milliseconds of a date and time in the JSON of `meta`, NULL without one. */
export function momentIn({ dialect }: Dialect, name: string): string {
  // Neither knows leap seconds, and SQLite reads only capital letters.
  const known = (text: string): string => `replace(upper(${text}), ':60', ':59')`
  return dialect === 'postgres'
    ? `floor(moment(${known(`CAST(meta AS JSON) ->> '${name}'`)}))`
    : `round(unixepoch(${known(`json_extract(meta, '$.${name}')`)}, 'subsec') * 1000)`
}
