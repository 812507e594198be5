/**
 * Hides how a SQLite file of somebody else is opened: never written to, also beside a journal or in a folder that may not
 * be written, and copied to a private place first where it is no plain file.
 */

import { rmSync } from 'node:fs'
import { mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/source.ts'

/** A database that can be connected to as often as wanted; every connection must be closed by whoever made it. */
export type HeldDatabase = { readonly name: string; readonly path: string; readonly size: number }

/** Makes a source ready to be connected to. A copy that this needs is removed when nobody holds it, at the latest when the process ends. */
export async function holdDatabase(source: Source): Promise<HeldDatabase> {
  const { name, size } = source
  const journals = await journalsBeside(source)
  if (source.path !== undefined && journals.length === 0) return { name, size, path: source.path }
  const folder = await mkdtemp(join(tmpdir(), 'windrow-'))
  removeAtExit(folder)
  const path = join(folder, 'copy')
  const held: HeldDatabase = { name, size, path }
  copies.register(held, folder)
  await copyTo(path, source)
  for (const { suffix, journal } of journals) await copyTo(`${path}${suffix}`, journal)
  if (journals.length > 0) settle(held)
  return held
}

async function copyTo(path: string, source: Source): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    // One chunk after the other: a source may use the memory of a chunk for the next.
    for await (const chunk of source.stream()) await file.appendFile(chunk)
  } finally {
    await file.close()
  }
}

/** What another program has written but not yet brought into the file itself. */
async function journalsBeside(
  source: Source,
): Promise<readonly { readonly suffix: string; readonly journal: Source }[]> {
  const beside = await source.siblings()
  return ['-wal', '-journal'].flatMap((suffix) => {
    const journal = beside.find(({ name, size }) => name === `${source.name}${suffix}` && size > 0)
    return journal === undefined ? [] : [{ suffix, journal }]
  })
}

/** Brings what the journals hold into the copy. */
function settle(held: HeldDatabase): void {
  try {
    const database = new DatabaseSync(held.path)
    try {
      database.exec('PRAGMA journal_mode = DELETE; SELECT count(*) FROM sqlite_schema')
    } finally {
      database.close()
    }
  } catch (cause) {
    throw damaged(held, cause)
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

const copies = new FinalizationRegistry<string>(remove)
const folders = new Set<string>()
let isExitWatched = false

function removeAtExit(folder: string): void {
  folders.add(folder)
  if (isExitWatched) return
  isExitWatched = true
  process.once('exit', () => [...folders].forEach(remove))
}

function remove(folder: string): void {
  folders.delete(folder)
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Windows keeps a file that is still open; the system clears its temporary folder.
  }
}
