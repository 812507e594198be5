/**
 * Opens PostgreSQL as SQLite is opened: each statement waits for its answer, so that the same code works on both. The
 * connection has a thread of its own; whatever one process opens at one address shares it.
 */

import { createHash } from 'node:crypto'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { otherVersion, type Database, type Statement, type Tables, type Value } from './database.ts'
import { WindrowError } from './error.ts'
import type { Answer, Line } from './postgres-thread.ts'

/** True for the address of a PostgreSQL database, which may be given in place of a file. */
export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:\/\//i.test(place)
}

/** The address without user and password. */
export function hostAndDatabase(url: string): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '...', pathname: '' }
  return `postgres://${host}${pathname}`
}

/** The type of a column whose text is compared by its bytes, as in SQLite, so that ranges and orders are the same on both. */
export const orderedText = 'TEXT COLLATE "C"'

/**
 * The tables of one kind, in a schema of their own. Writing transactions over the same `subject` wait for each other, as in a
 * SQLite file.
 */
export type Opening = { readonly schema: string; readonly subject: string; readonly tables: Tables }

/** Opens the database at an address, and makes its tables in a new one. */
export function openPostgres(url: string, { schema, subject, tables }: Opening): Database {
  const connection = share(url, schema)
  try {
    if (!connection.hasTables) makeTables(connection, schema, tables)
    connection.hasTables = true
    return databaseOver(connection, subject)
  } catch (cause) {
    connection.users -= 1
    throw cause
  }
}

function databaseOver(connection: Connection, subject: string): Database {
  const beginnings: Readonly<Record<string, string>> = {
    'BEGIN IMMEDIATE': `BEGIN; SELECT pg_advisory_xact_lock(${lockNumber(subject)})`,
    'BEGIN DEFERRED': 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  }
  let [isOpen, isTransaction] = [true, false]
  // Others may continue to use the connection.
  const ask: Asking = (...question) => {
    if (!isOpen) throw new Error('The database is closed.')
    return connection.ask(...question)
  }
  return {
    dialect: 'postgres',
    prepare: (sql) => statementOf(ask, sql),
    exec(sql) {
      ask(beginnings[sql] ?? sql)
      if (sql.startsWith('BEGIN')) isTransaction = true
      else if (sql === 'COMMIT' || sql === 'ROLLBACK') isTransaction = false
    },
    get isOpen() {
      return isOpen
    },
    get isTransaction() {
      return isTransaction
    },
    close() {
      if (isOpen) connection.users -= 1
      isOpen = false
    },
    [Symbol.dispose]() {
      this.close()
    },
  }
}

/** Makes the tables of a new schema, while others may do the same. Throws 'state-unreadable' for tables that have another number. */
function makeTables(connection: Connection, schema: string, { version, create }: Tables): void {
  const isMade = (): boolean => {
    // Read from the catalog: a name that was not there when the transaction began is looked up in a cache.
    const named = connection.ask(`SELECT 1 FROM pg_tables WHERE schemaname = '${schema}' AND tablename = 'versions'`)
    if (named.rows.length === 0) return false
    const found = Number(connection.ask('SELECT max(version) AS n FROM versions').rows[0]?.['n'])
    if (found !== version) throw otherVersion(`The schema "${schema}"`, found, version)
    return true
  }
  if (isMade()) return
  connection.ask(`BEGIN; SELECT pg_advisory_xact_lock(${lockNumber(schema)})`)
  try {
    // Another process may have been here first.
    if (!isMade())
      connection.ask(
        `CREATE SCHEMA IF NOT EXISTS ${schema}; CREATE TABLE versions (version INTEGER PRIMARY KEY);
         INSERT INTO versions VALUES (${version}); ${create}`,
      )
    connection.ask('COMMIT')
  } catch (cause) {
    connection.ask('ROLLBACK')
    throw cause
  }
}

export type Lock = Disposable & { release(): void }

/**
 * Takes a lock that ends with `release`, or with this process; undefined if another one has it. The server keeps it with the
 * connection to a schema: whoever loses the connection also loses the lock, and can write nothing more there.
 */
export function takeLock(url: string, subject: string, schema = 'windrow_ledger'): Lock | undefined {
  const held = `${url} ${subject}`
  if (locks.has(held)) return undefined
  const connection = share(url, schema)
  const number = lockNumber(subject)
  let isTaken = false
  try {
    const [row] = connection.ask(`SELECT pg_try_advisory_lock(${number}) ::int AS taken`).rows
    isTaken = row?.['taken'] === 1
  } finally {
    if (!isTaken) connection.users -= 1
  }
  if (!isTaken) return undefined
  locks.add(held)
  const release = (): void => {
    locks.delete(held)
    try {
      // With the connection the lock is gone, too.
      askUnlessLost(connection, `SELECT pg_advisory_unlock(${number})`)
    } finally {
      connection.users -= 1
    }
  }
  return { release, [Symbol.dispose]: release }
}

/** The locks of this process: the server would give one a second time on the same connection. */
const locks = new Set<string>()

/** The number that stands for a name in PostgreSQL's locks. */
function lockNumber(subject: string): bigint {
  return createHash('sha256').update(`windrow ${subject}`).digest().readBigInt64BE()
}

type Answered = Extract<Answer, { readonly rows: unknown }>
type Asking = (sql: string, values?: readonly Value[], each?: readonly (readonly Value[])[]) => Answered
type Connection = {
  /** Asks and waits. Throws a WindrowError; once the connection is lost, each time: its locks are gone with it. */
  readonly ask: Asking
  users: number
  /** True once the tables are known to be there. */
  hasTables: boolean
}

const connections = new Map<string, Connection>()

function share(url: string, schema: string): Connection {
  const name = `${schema} ${url}`
  const idle = connections.get(name)
  // It may have broken since it was last used.
  if (idle?.users === 0) askUnlessLost(idle, 'SELECT 1')
  const connection = connections.get(name) ?? connect(url, schema, () => void connections.delete(name))
  connections.set(name, connection)
  connection.users += 1
  return connection
}

function askUnlessLost(connection: Connection, sql: string): void {
  try {
    connection.ask(sql)
  } catch (cause) {
    if ((cause as WindrowError).code !== 'store-unreachable') throw cause
  }
}

// A network that swallows everything must not hold a night for ever.
const longestMs = 600_000
const noAnswer: Answer = { fault: 'it was silent for 10 minutes', code: undefined }

// The thread's file has the same ending as this one: .ts in the repository, .js in the package.
const thread = new URL(`./postgres-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

function connect(url: string, schema: string, forget: () => void): Connection {
  const { port1, port2 } = new MessageChannel()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const line: Line = { url, schema, port: port2, flag }
  const worker = new Worker(thread, { workerData: line, transferList: [port2] })
  // A program may end while the connection is open.
  worker.unref()
  let lost: WindrowError | undefined
  return {
    users: 0,
    hasTables: false,
    ask(sql, values, each) {
      if (lost !== undefined) throw lost
      Atomics.store(flag, 0, 0)
      port1.postMessage({ sql, values: values?.map(alone), each: each?.map((list) => list.map(alone)) })
      const answer = hasCome(flag, longestMs) ? (receiveMessageOnPort(port1)!.message as Answer) : noAnswer
      if ('rows' in answer) return answer
      const failure = failureOf(answer, url)
      if (failure.code === 'store-unreachable') {
        lost = failure
        // Who opens the address from now on gets a new connection.
        forget()
        void worker.terminate()
      }
      throw failure
    },
  }
}

/** Waits until the flag is 1; false if it is not within so many milliseconds. */
export function hasCome(flag: Int32Array, longestMs: number): boolean {
  const end = performance.now() + longestMs
  // The call that belongs to the answer before may come as late as this.
  while (Atomics.load(flag, 0) === 0)
    if (Atomics.wait(flag, 0, 0, Math.max(0, end - performance.now())) === 'timed-out') return false
  return true
}

/** Bytes without the larger text that they are part of: the thread would get a copy of all of it. */
function alone(value: Value): Value {
  return value instanceof Uint8Array && value.length < value.buffer.byteLength ? new Uint8Array(value) : value
}

function statementOf(ask: Asking, given: string): Statement {
  const sql = numbered(given)
  return {
    run: (...values) => ({ changes: ask(sql, values).changes }),
    get: (...values) => ask(sql, values).rows[0],
    all: (...values) => [...ask(sql, values).rows],
    iterate: (...values) => inPages(ask, sql, values),
    runEach: (lists) => void ask(sql, undefined, lists),
  }
}

/** SQLite's unnamed parameters are ?, or ?1 where one is used twice; PostgreSQL's are $1, $2. */
function numbered(sql: string): string {
  let count = 0
  return sql.replace(/\?(\d*)/g, (_, number: string) => `$${number === '' ? (count += 1) : number}`)
}

let cursors = 0

/** Reads a long result in pages, small ones first for a reader that stops early; the server keeps it, whatever is written. */
function* inPages(ask: Asking, sql: string, values: readonly Value[]): Generator<Record<string, Value>> {
  const cursor = `rows_${(cursors += 1)}`
  ask(`DECLARE ${cursor} CURSOR WITH HOLD FOR ${sql}`, values)
  try {
    for (let most = 32; ; most = Math.min(2 * most, 1024)) {
      const { rows } = ask(`FETCH ${most} FROM ${cursor}`)
      yield* rows
      if (rows.length < most) return
    }
  } finally {
    ask(`CLOSE ${cursor}`)
  }
}

/** The failure as a WindrowError; its sentence never contains the password. */
export function failureOf(
  { fault, code = '' }: { readonly fault: string; readonly code?: string | undefined },
  url: string,
): WindrowError {
  const place = hostAndDatabase(url)
  if (code === 'ERR_MODULE_NOT_FOUND')
    return new WindrowError('part-missing', 'windrow needs two more packages to work with PostgreSQL.', {
      hint: 'Install them beside windrow:  npm install pg@8 graphile-worker@0.18',
    })
  if (code === '53100')
    return new WindrowError('disk-full', `The disk of the database "${place}" is full.`, {
      hint: 'Free some space there, then run the same command again.',
    })
  if (code.startsWith('28') || code === '42501' || code === '3D000')
    return new WindrowError('store-refused', `The database "${place}" refuses the connection: ${fault}.`, {
      hint: 'Check the user, password and database in --store or WINDROW_STORE, and the rights of that user.',
    })
  // Everything that is no SQLSTATE comes from the system or the driver. Of the others these pass by themselves: no connection,
  // a server that stops, too many connections, a deadlock, a lock that takes too long.
  const isState = /^[0-9A-Z]{5}$/.test(code) && code !== 'EPIPE'
  if (isState && !/^(08|57P|533|40|55P03)/.test(code)) throw new Error(`PostgreSQL reports ${code}: ${fault}`)
  return new WindrowError('store-unreachable', `The database "${place}" does not answer: ${fault}.`, {
    hint: 'Check that it runs and can be reached, then run the same command again: it continues where it stopped.',
  })
}
