/**
 * Keeps the stage of a run in its folder: ready.ndjson has the bodies to send, one a line; stage.db has a small row for each
 * row, record, problem and answer. The report is counted from these.
 */

import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  inTransaction,
  openDatabase,
  openingFailure,
  prepareInserts,
  takeBack,
  type Tables,
} from '../../core/database.ts'
import { WindrowError } from '../../core/error.ts'
import type { TextBytes } from '../../core/shapes/text-bytes.ts'
import type { Place } from '../../core/row.ts'
import { problem, type Code, type Problem, type Severity } from '../../core/problem.ts'
import { openBodies, type Bodies, type Span } from './body-file.ts'
import type { Facts, Recall } from './facts.ts'

export type RowOutcome = 'ready' | 'unchanged' | 'rejected' | 'skipped'
export type RecordAction = 'create' | 'update' | 'delete' | 'unchanged' | 'keep' | 'void'
export type Receipt = {
  readonly record: number
  readonly state: 'accepted' | 'refused' | 'stale'
  readonly error?: string
}

/** A staged record. `base` is the content hash in the ledger when it was planned; `hash` is '' for a new record of a preview. */
export type StagedRecord = {
  readonly id: number
  readonly key: string
  readonly action: RecordAction
  readonly hash: string
  readonly base: string | null
  readonly sourceScheme: string
  readonly sourceId: string
  readonly modified: string
  readonly offset: number
  readonly length: number
}

export type NewRecord = Omit<StagedRecord, 'id' | 'offset' | 'length'> & {
  /** Writes the body; undefined if none is to be sent. */
  readonly body: ((out: TextBytes) => void) | undefined
  /** The record's earlier body, kept so that the run can be undone. */
  readonly before: string | undefined
}

/** Rows whose keys have the same start: their numbers, and the ends of their keys. */
export type SameKeys = { readonly start: string; readonly rows: readonly number[]; readonly ends: readonly string[] }

export type Stage = ReturnType<typeof openStage>

/** The place of a row as the stage has it. */
export function placeOf(
  { layer, row }: { readonly layer: string | null; readonly row: number },
  source: string,
): Place {
  return { source, ...(layer === null ? {} : { layer }), row }
}

/** The place of what is wrong with a file as a whole. */
export function wholeFile(source: string): Place {
  return { source, row: -1 }
}

/** A row of the problems that a stage keeps. */
export type StoredProblem = {
  readonly layer: string | null
  readonly row: number
  readonly name: string | null
  readonly detail: string
}

/** The problem that a row keeps; the name of its file is only in those that are about another one. */
export function problemOf(
  { name, detail, ...at }: StoredProblem,
  { code, severity, source }: { readonly code: Code; readonly severity: Severity; readonly source?: string },
): Problem {
  const { source: from = source ?? '', ...rest } = JSON.parse(detail) as { source?: string; message: string }
  const place = placeOf({ layer: at.layer, row: at.row }, from)
  return { ...rest, code, severity, at: place, ...(name === null ? {} : { column: name }) }
}

/** True where the file stops within its last line, and the one before did not. */
export function isCut(stage: Stage): boolean {
  return stage.query("SELECT 1 FROM problems WHERE code = 'file-cut'").length > 0
}

/** With this condition, SQLite finds records with any other action by an index. */
export const uncommon = `action NOT IN ('create', 'unchanged')`
/** The condition of records that the service never had. */
export const isNew = `action = 'create' AND base IS NULL`
/** The tables of a stage. */
export const stageTables: Tables = {
  version: 2,
  create: `
  CREATE TABLE rows (layer TEXT, row INTEGER, outcome TEXT NOT NULL, record INTEGER, key TEXT);
  CREATE TABLE records (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, action TEXT NOT NULL, hash TEXT NOT NULL, base TEXT,
    source_scheme TEXT NOT NULL, source_id TEXT NOT NULL, modified TEXT NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL, before TEXT);
  CREATE INDEX records_uncommon ON records (action) WHERE ${uncommon};
  CREATE TABLE problems (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL, severity TEXT NOT NULL, layer TEXT, row INTEGER, "column" TEXT, detail TEXT NOT NULL);
  CREATE TABLE same_rows (id INTEGER PRIMARY KEY, start TEXT NOT NULL, rows TEXT NOT NULL, ends TEXT NOT NULL, count INTEGER NOT NULL);
  CREATE TABLE digests (record INTEGER PRIMARY KEY, high INTEGER NOT NULL, low INTEGER NOT NULL, land TEXT, findings TEXT);
  CREATE TABLE changes (
    record INTEGER NOT NULL, row INTEGER NOT NULL, field TEXT NOT NULL, kind TEXT NOT NULL, before TEXT, now TEXT,
    PRIMARY KEY (record, field)) WITHOUT ROWID;
  CREATE TABLE receipts (record INTEGER PRIMARY KEY, state TEXT NOT NULL, error TEXT);
  CREATE TABLE owners (key TEXT PRIMARY KEY, before TEXT, after TEXT) WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
}
/** What the keys of all records of a farm begin with, from a key in SQL. */
export const startOfKey = `rtrim(key, replace(key, '/', ''))`
const toSend = `action IN ('create', 'update', 'delete')`
/** The keys of the rows that are the same as in the last file. */
export const sameKeys = 'SELECT start || value AS key FROM same_rows, json_each(ends)'

// Most pages are copied from the journal into the file once, at the end, and not every thousand pages.
const journal = 'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000; PRAGMA synchronous ='
const durabilities = {
  'power failure': `${journal} NORMAL`,
  'end of its process': `${journal} OFF`,
}

/** Opens the stage in a run's folder, and creates it if missing. `survives` says what must not damage it. */
export function openStage(folder: string, survives: keyof typeof durabilities = 'power failure') {
  const database = openDatabase(join(folder, 'stage.db'), {
    pragmas: `PRAGMA page_size = 8192; ${durabilities[survives]}`,
    tables: stageTables,
  })
  try {
    return stageOver(database, folder, openBodies(join(folder, 'ready.ndjson')))
  } catch (cause) {
    database.close()
    throw openingFailure(folder, cause)
  }
}

function stageOver(database: DatabaseSync, folder: string, bodies: Bodies) {
  const sql = statementsIn(database)
  const remember = <Name extends keyof Facts>(name: Name, value: Facts[Name]): void =>
    sql.change('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)', name, JSON.stringify(value))
  const recall = factsIn(database)
  const close = (): void => {
    bodies.close()
    database.close()
  }
  return {
    folder,
    query: sql.query,
    pages: sql.pages,
    change: sql.change,
    together: sql.together,
    ...outcomesIn(sql, bodies),
    ...keysIn(database, sql),
    ...answersIn(database, sql, bodies),
    /** Starts work in batches, several to a transaction; an error rolls back what is not committed. */
    startBatches: () => startBatches(database),
    remember,
    recall,
    /**
     * Marks the stage complete: from now on it may be sent, unless it is a preview or a rule stopped it. Bodies that were voided are
     * removed from ready.ndjson.
     */
    complete({ isPreview = false, isStopped = false } = {}): void {
      sql.together(() => {
        keepBodies(database, bodies)
        // A preview is never sent: nothing is lost with it.
        if (!isPreview) bodies.sync()
        remember(isStopped ? 'stopped' : 'complete', true)
      })
    },
    get isComplete() {
      return recall('complete') === true
    },
    /** Throws 'state-damaged' if the stage cannot be read back. */
    assertSound(): void {
      const [found] = Object.values(sql.query<object>('PRAGMA quick_check(1)')[0] ?? {})
      const [{ size }] = sql.query<{ size: number }>(
        `SELECT coalesce(max(offset + length), 0) AS size FROM records WHERE ${toSend}`,
      ) as [{ size: number }]
      if (found === 'ok' && bodies.size() >= size) return
      const fault = found === 'ok' ? 'ready.ndjson is too short' : String(found)
      throw new WindrowError('state-damaged', `The stage in "${folder}" is damaged: ${fault}.`)
    },
    close,
    [Symbol.dispose]: close,
  }
}

/** Makes the function that reads a fact by its name. */
export function factsIn(database: DatabaseSync): Recall {
  const find = database.prepare('SELECT value FROM facts WHERE name = ?')
  return (name) => {
    const found = find.get(name)
    return found && JSON.parse(String(found['value']))
  }
}

type Sql = ReturnType<typeof statementsIn>

/** Runs SQL; each statement is prepared once. */
function statementsIn(database: DatabaseSync) {
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string) => statements.get(sql) ?? statements.set(sql, database.prepare(sql)).get(sql)!
  const query = <T>(sql: string, ...values: readonly SQLInputValue[]): readonly T[] =>
    prepared(sql).all(...values) as T[]
  return {
    /** Returns the number of the new row. */
    insert: (sql: string, ...values: readonly SQLInputValue[]): number =>
      Number(prepared(sql).run(...values).lastInsertRowid),
    /** Runs SQL that only judges need; the tables are rows, records, changes, problems, receipts, digests. */
    query,
    /** The same in pages: the last parameter of the SQL is the `id` after which a page begins, and its LIMIT is the size of a page. */
    *pages<T extends { readonly id: number }>(
      sql: string,
      ...values: readonly SQLInputValue[]
    ): Generator<readonly T[]> {
      for (let last = 0; ;) {
        const page = query<T>(sql, ...values, last)
        if (page.length === 0) return
        yield page
        last = page.at(-1)!.id
      }
    },
    change: (sql: string, ...values: readonly SQLInputValue[]): void => void prepared(sql).run(...values),
    /** Runs `work` in one transaction: a batch of rows is kept whole or not at all. */
    together: <T>(work: () => T): T => inTransaction(database, work, 'DEFERRED'),
  }
}

/** Keeps what becomes of rows and records, and why. */
function outcomesIn({ insert, query, change }: Sql, bodies: Bodies) {
  const spanOf = (body: NewRecord['body']): Span =>
    body === undefined ? { offset: 0, length: 0 } : bodies.append(body)
  const addProblem = ({ code, severity, at, column, ...detail }: Problem): void => {
    const text = JSON.stringify({ ...detail, source: at.source })
    const sql = 'INSERT INTO problems (code, severity, layer, row, "column", detail) VALUES (?, ?, ?, ?, ?, ?)'
    change(sql, code, severity, at.layer ?? null, at.row, column ?? null, text)
  }
  return {
    addRow(at: Place, outcome: RowOutcome, record: number | null, key: string | null): void {
      const sql = 'INSERT INTO rows (layer, row, outcome, record, key) VALUES (?, ?, ?, ?, ?)'
      change(sql, at.layer ?? null, at.row, outcome, record, key)
    },
    addRecord(record: NewRecord): number {
      const { key, action, hash, base, sourceScheme, sourceId, modified, before } = record
      const { offset, length } = spanOf(record.body)
      const values = [key, action, hash, base, sourceScheme, sourceId, modified, offset, length, before ?? null]
      const sql = `INSERT INTO records (key, action, hash, base, source_scheme, source_id, modified, offset, length, before)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
      return insert(sql, ...values)
    },
    keyOf: (record: number) => query<{ key: string }>('SELECT key FROM records WHERE id = ?', record)[0]?.key,
    /** The staged body of a record; undefined if none is to be sent. */
    bodyOf(record: number): string | undefined {
      const [span] = query<Span>('SELECT offset, length FROM records WHERE id = ? AND length > 0', record)
      // The last bodies of a run that was killed never reached the file.
      const isThere = span !== undefined && span.offset + span.length <= bodies.size()
      return isThere ? bodies.read([span])[0]!.toString() : undefined
    },
    /** Keeps rows that are the same as in the last file, each the only one of its record. */
    addSameRows({ start, rows, ends }: SameKeys): void {
      const sql = 'INSERT INTO same_rows (start, rows, ends, count) VALUES (?, ?, ?, ?)'
      change(sql, start, JSON.stringify(rows), JSON.stringify(ends), rows.length)
    },
    countSameRows: () => query<{ n: number }>('SELECT coalesce(sum(count), 0) AS n FROM same_rows')[0]!.n,
    countNew: () => query<{ n: number }>(`SELECT count(*) AS n FROM records WHERE ${isNew}`)[0]!.n,
    addProblem,
    report: (...found: Parameters<typeof problem>): void => addProblem(problem(...found)),
    /** Rejects the rows of a record for this reason. */
    reject(record: number, why: Problem): void {
      change('CREATE INDEX IF NOT EXISTS rows_by_record ON rows (record)')
      change(`UPDATE rows SET outcome = 'rejected', record = NULL WHERE record = ?`, record)
      change(`UPDATE records SET action = 'void' WHERE id = ?`, record)
      addProblem(why)
    },
    /** What stopped the run, in the order in which it was found; each sentence once. */
    stops(): readonly Problem[] {
      // A rule about rows may stop a run for each row.
      const sql = `SELECT code, layer, row, "column" AS name, detail, min(id) AS id FROM problems WHERE severity = 'stop'
        GROUP BY code, json_extract(detail, '$.message') ORDER BY id`
      const found = query<StoredProblem & { readonly code: string }>(sql)
      return found.map(({ code, ...each }) => problemOf(each, { code, severity: 'stop' }))
    },
    /** Makes warnings of what stopped the run: a person sends it all the same. */
    acceptStops: (): void =>
      change(
        `UPDATE problems SET severity = 'warning', detail = json_set(detail, '$.message',
           json_extract(detail, '$.message') || ' A person accepted this with windrow apply.') WHERE severity = 'stop'`,
      ),
    /** The number of the last problem so far. */
    lastProblem: () => query<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM problems')[0]!.id,
    /** Keeps who owned a record before the run and after it, if that is not the run's own pipeline both times. */
    addOwner(key: string, before: string | null, after: string | null): void {
      change('INSERT OR REPLACE INTO owners (key, before, after) VALUES (?, ?, ?)', key, before, after)
    },
  }
}

/** Finds rows and records by their keys. */
function keysIn(database: DatabaseSync, { query, pages }: Sql) {
  let isIndexed = false
  // Made when first needed: an index slows down adding rows.
  const indexKeys = (): void => {
    if (!isIndexed)
      database.exec(`CREATE INDEX IF NOT EXISTS rows_by_key ON rows (key, outcome);
        CREATE TEMP TABLE same_keys (key TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO same_keys ${sameKeys}`)
    isIndexed = true
  }
  return {
    /** Whether there is a row with this key that was not skipped. */
    hasRow(key: string): boolean {
      indexKeys()
      const asked = `SELECT 1 FROM rows WHERE key = ?1 AND outcome <> 'skipped'
        UNION ALL SELECT 1 FROM same_keys WHERE key = ?1 LIMIT 1`
      return query(asked, key).length > 0
    },
    hasSkippedRow(key: string): boolean {
      indexKeys()
      return query(`SELECT 1 FROM rows WHERE key = ? AND outcome = 'skipped' LIMIT 1`, key).length > 0
    },
    /** The rows that became the record with this key, in order. */
    rowsOf(key: string): readonly { readonly layer: string | null; readonly row: number }[] {
      indexKeys()
      return query('SELECT layer, row FROM rows WHERE key = ? AND record IS NOT NULL ORDER BY rowid', key)
    },
    /** The keys of two or more rows, without skipped rows. */
    repeatedKeys(): readonly string[] {
      const repeated = query<{ key: string }>(
        `SELECT key FROM rows WHERE key IS NOT NULL AND outcome <> 'skipped' GROUP BY key HAVING count(*) > 1`,
      )
      if (repeated.length > 0) indexKeys()
      return repeated.map(({ key }) => key)
    },
    /** The keys of the records that match a condition on records and receipts, in pages. */
    *keysWhere(condition: string): Generator<readonly string[]> {
      const sql = `SELECT id, key FROM records LEFT JOIN receipts ON receipts.record = records.id
        WHERE ${condition} AND id > ? ORDER BY id LIMIT 5000`
      for (const page of pages<{ id: number; key: string }>(sql)) yield page.map(({ key }) => key)
    },
  }
}

/** Gives the records to send, and keeps the service's answers. */
function answersIn(database: DatabaseSync, { together }: Sql, bodies: Bodies) {
  const insertReceipts = prepareInserts(
    database,
    `INSERT INTO receipts (record, state, error) VALUES (?, ?, ?)
     ON CONFLICT (record) DO UPDATE SET state = excluded.state, error = excluded.error`,
  )
  return {
    /** The records to send that have no answer yet, in order, with their bodies read from ready.ndjson. */
    unanswered: (limits: BatchLimits) => unansweredIn(database, bodies, limits),
    addReceipts: (receipts: readonly Receipt[]): void =>
      together(() => insertReceipts(receipts.map(({ record, state, error = null }) => [record, state, error]))),
  }
}

type BatchLimits = { readonly items: number; readonly bytes: number }

function* unansweredIn(database: DatabaseSync, bodies: Bodies, limits: BatchLimits) {
  const ask = database.prepare(
    `SELECT id, key, action, hash, base, source_scheme AS sourceScheme, source_id AS sourceId, modified, offset, length FROM records
     WHERE ${toSend} AND id > ? AND id NOT IN (SELECT record FROM receipts) ORDER BY id LIMIT ?`,
  )
  for (let last = 0; ;) {
    const found = ask.all(last, limits.items) as StagedRecord[]
    if (found.length === 0) return
    let bytes = 0
    const end = found.findIndex(({ length }, index) => (bytes += length) > limits.bytes && index > 0)
    const batch = end < 0 ? found : found.slice(0, end)
    last = batch.at(-1)!.id
    const read = bodies.read(batch)
    // Copying all members of an object from SQLite takes as long as the query.
    yield batch.map((record, index) => Object.assign(record, { body: read[index]! }))
  }
}

/** Leaves out the bodies that judges voided. */
function keepBodies(database: DatabaseSync, bodies: Bodies): void {
  const sizeOf = database.prepare(`SELECT coalesce(sum(length + 1), 0) AS size FROM records WHERE ${toSend}`)
  const spansOf = database.prepare(`SELECT id, offset, length FROM records WHERE ${toSend} ORDER BY id`)
  const move = database.prepare('UPDATE records SET offset = ? WHERE id = ?')
  const { size } = sizeOf.get() as { size: number }
  const spans = spansOf.iterate() as Iterable<Span & { readonly id: number }>
  bodies.keepOnly({ size, spans }, (id, offset) => void move.run(offset, id))
}

// A commit for each batch would take half as long as adding its rows.
const batchesPerCommit = 100

function startBatches(database: DatabaseSync) {
  let open = 0
  const allOrNothing = (work: () => void): void => {
    try {
      work()
    } catch (cause) {
      open = 0
      takeBack(database)
      throw cause
    }
  }
  const commit = (): void => {
    if (open > 0) database.exec('COMMIT')
    open = 0
  }
  return {
    run: (work: () => void): void =>
      allOrNothing(() => {
        if (open === 0) database.exec('BEGIN')
        open += 1
        work()
        if (open === batchesPerCommit) commit()
      }),
    end: (): void => allOrNothing(commit),
  }
}
