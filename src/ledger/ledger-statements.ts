/** Holds the SQL of the ledger's records, pipelines and matches, and reads many records with one question. */

import { numbersIn, prepareInserts, textsIn, type Database } from '../core/database.ts'

const standing = 'hash, modified, state, in_doubt AS "inDoubt"'
const columns = `id, key, dataset, source_scheme AS "sourceScheme", source_id AS "sourceId", body, ${standing}, pipeline`

/** The statements that find many records at once. */
function manyStatements(database: Database) {
  const texts = textsIn(database)
  return {
    byKey: database.prepare(`SELECT ${columns} FROM records WHERE account = ? AND key IN (${texts})`),
    bySource: database.prepare(
      `SELECT ${columns} FROM records
       WHERE account = ? AND dataset = ? AND source_scheme = ? AND state <> 'deleted' AND source_id IN (${texts})`,
    ),
  }
}

/** The statements of a ledger, prepared once. */
export function statementsOf(database: Database) {
  // A cross join, so that SQLite starts from the numbers; it would look through all of an account's records.
  const numbered = `FROM (${numbersIn(database)}) AS wanted CROSS JOIN records WHERE records.id = wanted.value`
  const find = database.dialect === 'postgres' ? 'strpos' : 'instr'
  const all = (sql: string) => database.prepare(sql)
  return {
    find: all(`SELECT ${columns} FROM records WHERE account = ? AND key = ?`),
    findAny: all('SELECT 1 FROM records WHERE account = ? LIMIT 1'),
    findState: all(`SELECT ${standing} FROM records WHERE account = ? AND key = ?`),
    startingWith: all(
      `SELECT body FROM records WHERE account = ? AND key >= ? AND key < ? AND state NOT IN ('deleted', 'deleting') LIMIT ?`,
    ),
    keysWith: all(
      `SELECT key FROM records WHERE account = ? AND key >= ? AND key < ? AND state IN ('accepted', 'confirmed')`,
    ),
    findBySource: all(
      `SELECT ${columns} FROM records WHERE account = ? AND dataset = ? AND source_scheme = ? AND source_id = ? AND state <> 'deleted'`,
    ),
    markSent: all(`UPDATE records SET in_doubt = 1 WHERE account = ? AND key = ? AND state <> 'deleted'`),
    release: all(`UPDATE records SET in_doubt = 0 WHERE account = ? AND key = ?`),
    // The body stays until the deletion is shown: the row may come back, or the deletion may have to be sent again.
    accept: prepareInserts(
      database,
      `
      INSERT INTO records (account, key, dataset, source_scheme, source_id, body, square, hash, modified, state, pipeline)
      VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?, ?, ?, ?)
      ON CONFLICT (account, key) DO UPDATE SET source_scheme = excluded.source_scheme, source_id = excluded.source_id,
        body = CASE excluded.state WHEN 'deleting' THEN records.body ELSE excluded.body END,
        square = CASE excluded.state WHEN 'deleting' THEN records.square ELSE excluded.square END,
        hash = excluded.hash, modified = excluded.modified, state = excluded.state, pipeline = excluded.pipeline, in_doubt = 0`,
    ),
    claim: all(`UPDATE records SET pipeline = ? WHERE account = ? AND key = ? AND pipeline IS DISTINCT FROM ?`),
    restore: all(
      `UPDATE records SET pipeline = ? WHERE account = ? AND key = ? AND pipeline IS NULL AND state <> 'deleted'`,
    ),
    token: all('SELECT token FROM feeds WHERE account = ? AND dataset = ?'),
    forgetToken: all('DELETE FROM feeds WHERE account = ? AND dataset = ?'),
    held: all(
      `SELECT key, hash, modified, state FROM records WHERE account = ? AND pipeline = ? AND state <> 'deleted' ORDER BY key`,
    ),
    heldWith: all(
      `SELECT key, hash, modified, state ${numbered} AND account = ? AND pipeline = ? AND state <> 'deleted' ORDER BY key`,
    ),
    heldByOthers: all(
      `SELECT key, pipeline FROM records
       WHERE account = ? AND dataset = ? AND source_scheme = ? AND source_id >= ? AND source_id < ?
         AND pipeline IS DISTINCT FROM ? AND state IN ('accepted', 'confirmed', 'deleting') ORDER BY source_id`,
    ),
    live: all(
      `SELECT key, body FROM records WHERE account = ? AND dataset = ? AND state IN ('accepted', 'confirmed')
       AND (${find}(body, ?) > 0 OR ${find}(key, ?) > 0)`,
    ),
    liveWith: all(`SELECT records.id, key, body ${numbered} AND account = ? AND state IN ('accepted', 'confirmed')`),
    lastCount: all('SELECT records, most FROM pipelines WHERE account = ? AND name = ?'),
    setLastCount: all(
      `INSERT INTO pipelines (account, name, records, most) VALUES (?, ?, ?, ?)
       ON CONFLICT (account, name) DO UPDATE SET records = excluded.records, most = excluded.most`,
    ),
    matches: all('SELECT given, key FROM matches WHERE account = ? AND source = ?'),
    match: all(
      `INSERT INTO matches (account, source, given, key) VALUES (?, ?, ?, ?)
       ON CONFLICT (account, source, given) DO UPDATE SET key = excluded.key`,
    ),
    unmatch: all('DELETE FROM matches WHERE account = ? AND source = ? AND given = ? AND key = ?'),
    // No further than the question needs: an account may have the records of many farms.
    countIn: all(
      'SELECT count(*) AS n FROM (SELECT 1 FROM records WHERE account = ? AND dataset = ? LIMIT ?) AS counted',
    ),
    countOf: all('SELECT count(*) AS n FROM records WHERE account = ? AND pipeline = ?'),
    countDeleted: all(`SELECT count(*) AS n FROM records WHERE account = ? AND state = 'deleted'`),
    countAll: all('SELECT count(*) AS n FROM (SELECT 1 FROM records WHERE account = ? LIMIT ?) AS counted'),
    forgetDeleted: all(
      `DELETE FROM records WHERE account = ? AND key IN
       (SELECT key FROM records WHERE account = ? AND state = 'deleted' ORDER BY modified LIMIT ?)`,
    ),
    forgetLastCount: all('DELETE FROM pipelines WHERE account = ? AND name = ?'),
  }
}

/** A record to look for: by its key, else by the source id. */
export type Wanted = { readonly key: string; readonly source?: { readonly scheme: string; readonly id: string } }

type Found = { readonly key: string; readonly sourceId: string | null }

/**
 * Reads many records with one question, so that a batch of rows needs two journeys to a distant database and not two for each.
 * Remembers, until it forgets, what was read together, and also what was not there. In SQLite it reads nothing.
 */
export function startForeseeing<Known extends Found>(
  database: Database,
  account: string,
  recordOf: (row: Record<string, unknown>) => Known,
) {
  const all = database.dialect === 'postgres' ? manyStatements(database) : undefined
  const byKey = new Map<string, Known | undefined>()
  const bySource = new Map<string, Known | undefined>()
  const nameOf = (source: readonly string[]): string => JSON.stringify(source)
  return {
    /** What was read together, else what is asked for now. */
    find: <Part>(key: string, ask: () => Part): Known | undefined | Part => (byKey.has(key) ? byKey.get(key) : ask()),
    findBySource(source: readonly string[], ask: () => Known | undefined): Known | undefined {
      const name = nameOf(source)
      return bySource.has(name) ? bySource.get(name) : ask()
    },
    load(dataset: string, list: () => readonly Wanted[]): void {
      if (all === undefined) return
      const wanted = list()
      for (const { key } of wanted) byKey.set(key, undefined)
      for (const row of all.byKey.all(account, JSON.stringify([...byKey.keys()]))) {
        const record = recordOf(row)
        byKey.set(record.key, record)
      }
      const left = wanted.flatMap(({ key, source }) => (source && !byKey.get(key) ? [source] : []))
      for (const [scheme, sources] of Map.groupBy(left, (each) => each.scheme)) {
        for (const { id } of sources) bySource.set(nameOf([dataset, scheme, id]), undefined)
        const ids = JSON.stringify(sources.map(({ id }) => id))
        for (const row of all.bySource.all(account, dataset, scheme, ids)) {
          const record = recordOf(row)
          bySource.set(nameOf([dataset, scheme, record.sourceId!]), record)
        }
      }
    },
    forget(): void {
      byKey.clear()
      bySource.clear()
    },
  }
}
