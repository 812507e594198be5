/** Defines the tables of the store in SQLite and in PostgreSQL, the steps between their versions, and the SQL in which the two differ. */

import type { Dialect } from '../../core/database.ts'
import { orderedText as text, type Opening } from '../../core/postgres.ts'

// The same in both.
const regions = `
CREATE VIEW holding_regions AS
  SELECT holding, CASE lower(substr(scheme, 1, 2)) WHEN 'uk' THEN 'GB' ELSE upper(substr(scheme, 1, 2)) END AS region
  FROM holding_identifiers WHERE substr(scheme, 3, 1) = '.';
`
const cropRecords = `
CREATE TABLE crop_records (
  number INTEGER PRIMARY KEY, type TEXT NOT NULL, id TEXT NOT NULL, source TEXT, holder_scheme TEXT NOT NULL,
  holder_id TEXT NOT NULL, deleted INTEGER NOT NULL, observed INTEGER, consigned INTEGER, body BLOB NOT NULL,
  UNIQUE (type, id), UNIQUE (type, holder_scheme, holder_id, source)
) STRICT;
`
const boxes = `
CREATE TABLE boxes (
  number INTEGER PRIMARY KEY, west REAL NOT NULL, east REAL NOT NULL, south REAL NOT NULL, north REAL NOT NULL
) STRICT;
`
const webhooks = `
CREATE TABLE IF NOT EXISTS webhooks (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, account INTEGER NOT NULL, organisation TEXT NOT NULL,
  name TEXT NOT NULL, uri TEXT NOT NULL, authentication TEXT NOT NULL, subscriptions TEXT NOT NULL, created TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS webhook_events (
  webhook INTEGER NOT NULL, number INTEGER NOT NULL, record INTEGER NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL,
  time TEXT NOT NULL, attempts INTEGER NOT NULL, data BLOB, PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS webhook_events_by_record ON webhook_events (record) WHERE data IS NULL;
CREATE TABLE IF NOT EXISTS webhook_undelivered (
  webhook INTEGER NOT NULL, number INTEGER NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL, time TEXT NOT NULL,
  attempts INTEGER NOT NULL, reason TEXT NOT NULL, givenUp TEXT NOT NULL, PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
`

/** The tables of a new store in SQLite. */
export const tables = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE accounts (
  number INTEGER PRIMARY KEY, client_id TEXT NOT NULL, username TEXT NOT NULL, UNIQUE (client_id, username)
) STRICT;
CREATE TABLE tokens (
  hash BLOB PRIMARY KEY, account INTEGER NOT NULL, kind TEXT NOT NULL, credential TEXT NOT NULL, scope TEXT NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE records (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, dataset TEXT NOT NULL, holding INTEGER NOT NULL,
  key TEXT NOT NULL UNIQUE, source TEXT, changed INTEGER NOT NULL, deleted INTEGER NOT NULL, created TEXT NOT NULL,
  meta TEXT NOT NULL, body BLOB NOT NULL, located INTEGER
) STRICT;
CREATE INDEX records_by_change ON records (dataset, changed, holding);
CREATE INDEX records_by_source ON records (dataset, holding, source);
CREATE INDEX records_by_holding ON records (dataset, holding, deleted, located);
CREATE TABLE holding_identifiers (
  scheme TEXT NOT NULL, id TEXT NOT NULL, holding INTEGER NOT NULL, PRIMARY KEY (scheme, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX identifiers_by_holding ON holding_identifiers (holding);
${regions}
CREATE TABLE connections (
  account INTEGER NOT NULL, holding INTEGER NOT NULL, connected_at TEXT NOT NULL, configured INTEGER NOT NULL,
  PRIMARY KEY (account, holding)
) STRICT, WITHOUT ROWID;
CREATE TABLE placed (dataset TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE placeless (number INTEGER PRIMARY KEY) STRICT;
${boxes} ${cropRecords} ${webhooks}
`

/** What brings each earlier version of a file to the next. A step that was released is never changed. */
export const steps: readonly string[] = [
  // Version 2 has crop records of all kinds.
  `
${regions} ${cropRecords}
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
${boxes}
INSERT INTO boxes SELECT number, west, east, south, north FROM earlier;
DROP TABLE earlier;
${webhooks}
`,
]

const numbered = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY'

/** The tables in PostgreSQL, where writes take turns as in a file. A step that was released is never changed. */
export const inPostgres: Opening = {
  schema: 'windrow_service',
  subject: 'service',
  migrations: [
    `
CREATE TABLE settings (name TEXT PRIMARY KEY, value BYTEA NOT NULL);
CREATE TABLE accounts (number ${numbered}, client_id ${text} NOT NULL, username ${text} NOT NULL, UNIQUE (client_id, username));
CREATE TABLE tokens (
  hash BYTEA PRIMARY KEY, account BIGINT NOT NULL, kind TEXT NOT NULL, credential TEXT NOT NULL, scope TEXT NOT NULL,
  expires BIGINT NOT NULL
);
CREATE TABLE records (
  number BIGINT PRIMARY KEY, id ${text} NOT NULL UNIQUE, dataset ${text} NOT NULL, holding BIGINT NOT NULL,
  key ${text} NOT NULL UNIQUE, source ${text}, changed BIGINT NOT NULL, deleted INTEGER NOT NULL, created TEXT NOT NULL,
  meta TEXT NOT NULL, body BYTEA NOT NULL, located BIGINT
);
CREATE INDEX records_by_change ON records (dataset, changed, holding);
CREATE INDEX records_by_source ON records (dataset, holding, source);
CREATE INDEX records_by_holding ON records (dataset, holding, deleted, located);
CREATE TABLE holding_identifiers (scheme ${text} NOT NULL, id ${text} NOT NULL, holding BIGINT NOT NULL, PRIMARY KEY (scheme, id));
CREATE INDEX identifiers_by_holding ON holding_identifiers (holding);
${regions}
CREATE TABLE connections (
  account BIGINT NOT NULL, holding BIGINT NOT NULL, connected_at TEXT NOT NULL, configured INTEGER NOT NULL,
  PRIMARY KEY (account, holding)
);
CREATE TABLE placed (dataset ${text} PRIMARY KEY, sequence BIGINT NOT NULL);
CREATE TABLE placeless (number BIGINT PRIMARY KEY);
CREATE TABLE boxes (
  number BIGINT PRIMARY KEY, west DOUBLE PRECISION NOT NULL, east DOUBLE PRECISION NOT NULL,
  south DOUBLE PRECISION NOT NULL, north DOUBLE PRECISION NOT NULL
);
CREATE TABLE crop_records (
  number ${numbered}, type ${text} NOT NULL, id ${text} NOT NULL, source ${text}, holder_scheme ${text} NOT NULL,
  holder_id ${text} NOT NULL, deleted INTEGER NOT NULL, observed BIGINT, consigned BIGINT, body BYTEA NOT NULL,
  UNIQUE (id, type), UNIQUE (source, holder_id, holder_scheme, type)
);
CREATE TABLE webhooks (
  number ${numbered}, id ${text} NOT NULL UNIQUE, account BIGINT NOT NULL, organisation TEXT NOT NULL,
  name TEXT NOT NULL, uri TEXT NOT NULL, authentication TEXT NOT NULL, subscriptions TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE webhook_events (
  webhook BIGINT NOT NULL, number BIGINT NOT NULL, record BIGINT NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL,
  time TEXT NOT NULL, attempts INTEGER NOT NULL, data BYTEA, PRIMARY KEY (webhook, number)
);
CREATE INDEX webhook_events_by_record ON webhook_events (record) WHERE data IS NULL;
CREATE TABLE webhook_undelivered (
  webhook BIGINT NOT NULL, number BIGINT NOT NULL, type TEXT NOT NULL, change TEXT NOT NULL, time TEXT NOT NULL,
  attempts INTEGER NOT NULL, reason TEXT NOT NULL, "givenUp" TEXT NOT NULL, PRIMARY KEY (webhook, number)
);
-- It would round a time with more than six digits behind the second up, to another day.
CREATE FUNCTION moment(given TEXT) RETURNS DOUBLE PRECISION LANGUAGE plpgsql STABLE STRICT AS $$
  BEGIN RETURN extract(epoch FROM CAST(regexp_replace(given, '(\\.\\d{6})\\d+', '\\1') AS TIMESTAMPTZ)) * 1000;
  EXCEPTION WHEN data_exception THEN RETURN NULL; END $$
`,
  ],
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

/** The milliseconds of a date and time in the JSON of `meta`, NULL without one. */
export function momentIn({ dialect }: Dialect, name: string): string {
  return dialect === 'postgres'
    ? `moment(CAST(meta AS JSON) ->> '${name}')`
    : `unixepoch(json_extract(meta, '$.${name}'), 'subsec') * 1000`
}
