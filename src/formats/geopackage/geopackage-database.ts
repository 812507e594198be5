/**
 * Hides how a SQLite file of somebody else is opened: never written to, also beside a journal or in a folder that may not
 * be written, and copied to a private place first where it is no plain file.
 */

import { open, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/sources/source.ts'
import { fillTemporary, type TemporaryFile } from '../../core/sources/temporary.ts'

/** A database that can be connected to as often as wanted; every connection must be closed by whoever made it. */
export type HeldDatabase = {
  readonly name: string
  readonly path: string
  readonly size: number
  /** Removes the copy, where there is one, before its time. */
  release(): Promise<void>
}

/** Makes a source ready to be connected to. A copy that this needs is removed when nobody holds it, at the latest when the process ends. */
export async function holdDatabase(source: Source): Promise<HeldDatabase> {
  const { name, size } = source
  const journals = await journalsBeside(source)
  if (source.path !== undefined && journals.length === 0)
    return { name, size, path: source.path, release: () => Promise.resolve() }
  const file = await fillTemporary(source.stream())
  const held: HeldDatabase = { name, size, path: file.path, release: () => file.remove() }
  copies.register(held, file)
  if (journals.length > 0) await settle(held, journals)
  return held
}

const copies = new FinalizationRegistry<TemporaryFile>((file) => {
  // Windows keeps a file that is still open; it then goes with the process.
  file.remove().catch(() => undefined)
})

type Journal = { readonly suffix: string; readonly journal: Source }

/** What another program has written but not yet brought into the file itself. */
async function journalsBeside(source: Source): Promise<readonly Journal[]> {
  const beside = await source.siblings()
  return ['-wal', '-journal'].flatMap((suffix) => {
    const journal = beside.find(({ name, size }) => name === `${source.name}${suffix}` && size > 0)
    return journal === undefined ? [] : [{ suffix, journal }]
  })
}

/** Brings what the journals hold into the copy. */
async function settle(held: HeldDatabase, journals: readonly Journal[]): Promise<void> {
  try {
    for (const { suffix, journal } of journals) {
      const file = await open(`${held.path}${suffix}`, 'wx', 0o600)
      try {
        for await (const chunk of journal.stream()) await file.appendFile(chunk)
      } finally {
        await file.close()
      }
    }
    const database = new DatabaseSync(held.path)
    try {
      database.exec('PRAGMA journal_mode = DELETE; SELECT count(*) FROM sqlite_schema')
    } finally {
      database.close()
    }
  } catch (cause) {
    throw cause instanceof WindrowError ? cause : damaged(held, cause)
  } finally {
    for (const suffix of ['-wal', '-shm', '-journal']) await rm(`${held.path}${suffix}`, { force: true })
  }
}

/** No cell may be larger, nor what a view makes on its way; before Node 24.15 SQLite's own limit of a gigabyte holds. */
export const cellLimitBytes = 1 << 26

/** Connects for reading. Throws a WindrowError when it is no database, or a damaged one. */
export function connect(held: HeldDatabase): DatabaseSync {
  try {
    // Immutable: without locks, journals or shared memory, which would need the right to write in the folder.
    const location = pathToFileURL(held.path)
    location.searchParams.set('immutable', '1')
    const database = new DatabaseSync(location, { readOnly: true, limits: { length: cellLimitBytes } })
    // Its views may call functions that reach beyond the file only where they are trusted.
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON')
    return database
  } catch (cause) {
    throw damaged(held, cause)
  }
}

/** The error for a database that cannot be read on. */
export function damaged({ name }: HeldDatabase, cause: unknown): WindrowError {
  return new WindrowError('file-damaged', `"${name}" is damaged: ${sentenceOf(cause)}.`, {
    hint: 'Copy it again, together with the -wal file beside it if there is one, or export it again.',
    cause,
  })
}

/** What SQLite says, without its own full stops. */
export function sentenceOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 200).replace(/\.$/, '')
}

/** A name as SQLite takes it, whatever stands in it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
