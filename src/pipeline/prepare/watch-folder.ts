/** Chooses the files of a watched folder that are to be read, and remembers by content which ones were. */

import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { existsSync, renameSync, unlinkSync } from 'node:fs'
import { join, parse } from 'node:path'
import { openDatabase } from '../../core/database.ts'
import { isLeftAside, kindOf } from '../../core/sources/folder.ts'
import { fileError, fileSource } from '../../core/sources/source.ts'
import { whenFree } from '../../core/sources/when-free.ts'
import { inNumbers } from '../../core/values/counting-order.ts'
import type { WatchFolder } from '../definition/definition.ts'

/** A file that arrived: its content by a digest, and when it was last written. */
export type Arrived = {
  readonly name: string
  readonly path: string
  readonly size: number
  readonly writtenMs: number
  readonly digest: string
}

/** Which files of a pipeline's folder were read or passed over. */
export type TakenFiles = ReturnType<typeof openTakenFiles>

type Taken = Omit<Arrived, 'path'>

/** Opens the memory of a pipeline in its state folder. */
export function openTakenFiles(state: string, pipeline: string) {
  const database = openDatabase(join(state, 'taken-files.db'), {
    pragmas: 'PRAGMA journal_mode = WAL',
    tables: {
      version: 1,
      create: `CREATE TABLE taken (pipeline TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, written REAL NOT NULL,
        digest TEXT NOT NULL, was_read INTEGER NOT NULL, PRIMARY KEY (pipeline, name, size, written))`,
    },
  })
  const find = (where: string, ...values: readonly (string | number)[]): Taken | undefined =>
    database
      .prepare(
        `SELECT name, size, written AS writtenMs, digest FROM taken WHERE pipeline = ? AND ${where} ORDER BY rowid DESC LIMIT 1`,
      )
      .get(pipeline, ...values) as Taken | undefined
  return {
    /** The same file, unchanged. */
    same: (name: string, size: number, writtenMs: number) =>
      find('name = ? AND size = ? AND written = ?', name, size, writtenMs),
    /** The file with this content that was read last. */
    withContent: (digest: string) => find('was_read = 1 AND digest = ?', digest),
    lastRead: () => find('was_read = 1'),
    remember({ name, size, writtenMs, digest }: Arrived, wasRead: boolean): void {
      database
        .prepare('INSERT OR REPLACE INTO taken VALUES (?, ?, ?, ?, ?, ?)')
        .run(pipeline, name, size, writtenMs, digest, wasRead ? 1 : 0)
    },
    [Symbol.dispose]: () => database.close(),
  }
}

/** The paths of the folder's files that fit the pattern. Files that other programs still write are left out by their names. */
export async function listArrived({ folder, pattern }: WatchFolder): Promise<readonly string[]> {
  const escaped = pattern.normalize('NFC').replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
  const fits = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i')
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw fileError(folder, cause)
  })
  const isWanted = (name: string): boolean =>
    fits.test(name.normalize('NFC')) && !isLeftAside(name) && !unfinished.test(name)
  return entries.filter((entry) => isWanted(entry.name) && kindOf(entry).isFile()).map(({ name }) => join(folder, name))
}

const unfinished = /^~|\.(?:part|partial|tmp|temp|crdownload|filepart)$/i

/**
 * Chooses among the files that are there. A file is read once, also under another name, unless something else was read since. Those to
 * read are the oldest first; `why` another one is done with unread is the end of a sentence, empty if known before.
 */
export async function chooseFiles(
  { take }: WatchFolder,
  paths: readonly string[],
  { taken, now }: { readonly taken: TakenFiles; readonly now: Date },
) {
  const arrived = await Promise.all(paths.map((path) => lookAt(path, taken)))
  const read = taken.lastRead()
  // One that was dated in the future would make all others older until that day.
  const last = read !== undefined && read.writtenMs > now.getTime() ? { ...read, writtenMs: 0 } : read
  const order = orderFor(last === undefined ? arrived : [...arrived, last])
  const inOrder = arrived.sort((one, other) => order(one, other) || inNumbers(one.name, other.name))
  const passedOver: { file: Arrived; why: string }[] = []
  const fresh: Arrived[] = []
  for (const file of inOrder) {
    const before = taken.withContent(file.digest)
    const isRepeat = before !== undefined && (file.digest === last?.digest || file.writtenMs <= (last?.writtenMs ?? 0))
    if (taken.same(file.name, file.size, file.writtenMs) !== undefined) passedOver.push({ file, why: '' })
    else if (isRepeat) passedOver.push({ file, why: `has the same content as "${before.name}"` })
    else fresh.push(file)
  }
  if (take === 'all in order') return { toRead: fresh, passedOver }
  const newest = fresh.pop()
  const isNewer = newest !== undefined && (last === undefined || order(newest, last) >= 0)
  const than = isNewer ? newest.name : last?.name
  const older = newest === undefined || isNewer ? fresh : [...fresh, newest]
  return {
    toRead: isNewer ? [newest] : [],
    passedOver: [...passedOver, ...older.map((file) => ({ file, why: `is older than "${than}"` }))],
  }
}

type Dated = Pick<Arrived, 'name' | 'writtenMs'>

/** The oldest first: by the days in the names if all have one, because a file may arrive late, else as they were written. */
function orderFor(files: readonly Dated[]): (one: Dated, other: Dated) => number {
  const dayOf = ({ name }: Dated): string =>
    (dayFirst.exec(name)?.slice(1).toReversed() ?? dayInName.exec(name)?.slice(1) ?? [])
      .filter((part) => part !== undefined)
      .map((part) => part.padStart(2, '0'))
      .join('')
  const haveDays = files.every((file) => dayOf(file) !== '')
  return (one, other) => (haveDays ? dayOf(one).localeCompare(dayOf(other)) : 0) || one.writtenMs - other.writtenMs
}

/** 2026-11-25, 20261125, 2026-11-25T0215, 2027-1-5. */
const dayInName =
  /(20\d\d)(?:[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])|[-_.](0?[1-9]|1[0-2])[-_.](0?[1-9]|[12]\d|3[01]))(?:[-_.T ]?(\d{4}(?:\d\d)?))?(?!\d)/
/** 25.11.2026, 5.1.2027: between points the day comes first everywhere; 11-05-2026 may be in May or in November. */
const dayFirst = /(?<!\d)(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(20\d\d)(?!\d)/

async function lookAt(path: string, taken: TakenFiles): Promise<Arrived> {
  const { size, mtimeMs } = await stat(path).catch((cause: unknown) => {
    throw fileError(path, cause)
  })
  const { base: name } = parse(path)
  const known = taken.same(name, size, mtimeMs)
  return { name, path, size, writtenMs: mtimeMs, digest: known?.digest ?? (await digestOfFile(path)) }
}

/** The SHA-256 of a file's content. */
export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of (await fileSource(path)).stream()) hash.update(chunk)
  return hash.digest('hex')
}

/** Remembers a file and moves it, if the pipeline says so. Returns a sentence if something is left to do for a person. */
export async function finishFile(
  file: Arrived,
  { moveTo }: WatchFolder,
  { taken, wasRead }: { readonly taken: TakenFiles; readonly wasRead: boolean },
): Promise<string | undefined> {
  const { path, name, size, writtenMs } = file
  // Remembered before it is moved: a file that cannot be moved is not read again.
  if (taken.same(name, size, writtenMs) === undefined) taken.remember(file, wasRead)
  const now = await stat(path).catch(() => undefined)
  if (now === undefined) return undefined
  if (now.size !== size || now.mtimeMs !== writtenMs)
    return `"${name}" was written again while it was read; the next run reads it again.`
  if (moveTo === undefined) return undefined
  try {
    await mkdir(moveTo, { recursive: true })
    await move(path, freeName(moveTo, name))
    return undefined
  } catch (cause) {
    return `"${name}" cannot be moved to "${moveTo}": ${(cause as Error).message}. It is not read again.`
  }
}

async function move(from: string, to: string): Promise<void> {
  try {
    whenFree(() => renameSync(from, to))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EXDEV') throw cause
    try {
      await copyFile(from, to)
      whenFree(() => unlinkSync(from))
    } catch (failure) {
      // The next run would make another copy of a file that cannot be deleted.
      await rm(to, { force: true, maxRetries: 3 })
      throw failure
    }
  }
}

/** A path in the folder that nothing has yet: paddocks.csv, paddocks (2).csv. */
function freeName(folder: string, file: string): string {
  const { name, ext } = parse(file)
  for (let count = 1; ; count += 1) {
    const path = join(folder, count === 1 ? file : `${name} (${count})${ext}`)
    if (!existsSync(path)) return path
  }
}
