/** Opens SQLite files of other programs without ever writing to them, and tries their views elsewhere; files that are not plain are copied to a private place first. */

import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { sqliteAddress } from '../../core/database.ts'
import { WindrowError } from '../../core/error.ts'
import { isAlike } from '../../core/sources/file-tree.ts'
import type { Source } from '../../core/sources/source.ts'
import { fillTemporary, type TemporaryFile } from '../../core/sources/temporary.ts'

/** A database that can be connected to any number of times; the caller must close every connection. */
export type HeldDatabase = {
  readonly name: string
  readonly path: string
  readonly size: number
  /** True if the last changes may be in a log (-wal) that is not beside the file. */
  readonly lacksLog: boolean
  /** Removes the copy early, if there is one. */
  release(): Promise<void>
}

/** Prepares a source for connections. A copy is removed when nobody uses it, at the latest when the process ends. */
export async function holdDatabase(source: Source): Promise<HeldDatabase> {
  const { name, size } = source
  const beside = await source.siblings()
  const journals = journalsOf(source, beside)
  const hasLog = beside.some((each) => isAlike(each.name, `${name}-wal`))
  // https://www.sqlite.org/fileformat.html#file_format_version_numbers
  const lacksLog = !hasLog && (await source.read(19, 20))[0] === 2
  if (source.path !== undefined && journals.length === 0)
    return { name, size, lacksLog, path: source.path, release: () => Promise.resolve() }
  const file = await fillTemporary(source.stream())
  const held: HeldDatabase = { name, size, lacksLog, path: file.path, release: () => file.remove() }
  copies.register(held, file)
  if (journals.length > 0) await applyJournals(held, journals)
  return held
}

const copies = new FinalizationRegistry<TemporaryFile>((file) => void file.remove())

type Journal = { readonly suffix: string; readonly journal: Source }

/** Changes that another program has written but not yet moved into the file itself. */
function journalsOf(source: Source, beside: readonly Source[]): readonly Journal[] {
  return ['-wal', '-journal'].flatMap((suffix) => {
    const journal = beside.find(({ name, size }) => isAlike(name, `${source.name}${suffix}`) && size > 0)
    return journal === undefined ? [] : [{ suffix, journal }]
  })
}

/** Brings the changes in the journals into the copy. */
async function applyJournals(held: HeldDatabase, journals: readonly Journal[]): Promise<void> {
  try {
    for (const { suffix, journal } of journals) {
      await using file = await open(`${held.path}${suffix}`, 'wx', 0o600)
      for await (const chunk of journal.stream()) await file.appendFile(chunk)
    }
    using database = new DatabaseSync(held.path)
    database.exec('PRAGMA journal_mode = DELETE; SELECT count(*) FROM sqlite_schema')
  } catch (cause) {
    throw cause instanceof WindrowError ? cause : damaged(held, cause)
  } finally {
    for (const suffix of ['-wal', '-shm', '-journal']) await rm(`${held.path}${suffix}`, { force: true, maxRetries: 3 })
  }
}

/** Immutable: without locks, journals or shared memory, which would need write permission in the folder. */
function addressOf({ path }: HeldDatabase): URL {
  const address = sqliteAddress(path)
  address.searchParams.set('immutable', '1')
  return address
}

/** The limit for a cell and for a view's intermediate results. */
const cellLimitBytes = 1 << 26

/** Connects read-only. Throws a WindrowError if the file is not a database, or is damaged. */
export function connect(held: HeldDatabase): DatabaseSync {
  try {
    const database = new DatabaseSync(addressOf(held), { readOnly: true, limits: { length: cellLimitBytes } })
    // Without trust, views cannot call functions that reach beyond the file.
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON')
    return database
  } catch (cause) {
    throw damaged(held, cause)
  }
}

// A view may run without end or fill the memory, and SQLite cannot be stopped inside its own process.
const script = `
const { DatabaseSync } = require('node:sqlite')
const [address, query, cellBytes] = process.argv.slice(1)
const database = new DatabaseSync(new URL(address), { readOnly: true, limits: { length: Number(cellBytes) } })
database.exec('PRAGMA trusted_schema = OFF')
for (const row of database.prepare(query).iterate());
`

const quickestMs = 4000
const bytesPerMs = 20_000

/** Runs a query to its end in a separate process, once. Throws a WindrowError if it takes too long or too much memory. */
export async function tryComputed(
  held: HeldDatabase,
  layer: string,
  query: string,
  signal?: AbortSignal,
): Promise<void> {
  const { name, size } = held
  const timeoutMs = quickestMs + Math.ceil(size / bytesPerMs)
  const failed = await new Promise<{ readonly killed?: boolean } | null>((resolve) => {
    execFile(
      process.execPath,
      ['--no-warnings', '--eval', script, '--', addressOf(held).href, query, String(cellLimitBytes)],
      { timeout: timeoutMs, killSignal: 'SIGKILL', windowsHide: true, ...(signal === undefined ? {} : { signal }) },
      (failure) => resolve(failure),
    )
  })
  signal?.throwIfAborted()
  if (failed === null) return
  throw new WindrowError(
    'file-unreadable',
    failed.killed === true
      ? `The layer "${layer}" of "${name}" is computed by the file, and did not finish within ${Math.round(timeoutMs / 1000)} seconds.`
      : `The layer "${layer}" of "${name}" is computed by the file, and that fails.`,
    { hint: 'Save that layer as its own table in a mapping program, and read that.' },
  )
}

/** The error for a database that cannot be read further. */
export function damaged({ name }: HeldDatabase, cause: unknown): WindrowError {
  return new WindrowError('file-damaged', `"${name}" is damaged: ${sentenceOf(cause)}.`, {
    hint: 'Copy it again, together with the -wal file beside it if there is one, or export it again.',
    cause,
  })
}

/** SQLite's message without its full stops. */
export function sentenceOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 200).replace(/\.$/, '')
}

/** A name quoted for SQLite, whatever it contains. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
