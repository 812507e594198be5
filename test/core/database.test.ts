import fs, { statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  inTransaction,
  openDatabase,
  openingFailure,
  prepareInserts,
  sqliteAddress,
  versionOf,
} from '../../src/core/database.ts'
import { fileError } from '../../src/core/sources/source.ts'
import { storageFailure } from '../../src/core/storage-failure.ts'
import { folderWith } from './temporary-folder.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (cause) {
    return cause
  }
  throw new Error('nothing was thrown')
}

const words = `CREATE TABLE IF NOT EXISTS words (word TEXT)`
const fill = (database: DatabaseSync) => () => {
  for (;;) database.prepare('INSERT INTO words VALUES (?)').run('x'.repeat(1000))
}

describe('a transaction', () => {
  test('that fills the disk fails with that cause, and what was there before stays', () => {
    const database = openDatabase(join(folderWith({}), 'a.db'), { pragmas: `PRAGMA journal_mode = WAL; ${words}` })
    inTransaction(database, () => database.exec(`INSERT INTO words VALUES ('before')`))
    database.exec('PRAGMA max_page_count = 8')
    const cause = thrownBy(() => inTransaction(database, fill(database)))
    expect(cause).toMatchObject({ errcode: 13 })
    expect(storageFailure(cause, '/farm/.windrow')).toMatchObject({ code: 'disk-full', exit: 2 })
    const closing = new SuppressedError(new Error('close failed'), cause)
    expect(storageFailure(closing, '/farm/.windrow')).toMatchObject({ code: 'disk-full', exit: 2 })
    expect(database.isTransaction).toBe(false)
    expect(database.prepare('SELECT count(*) AS n FROM words').get()).toEqual({ n: 1 })
    database.close()
  })

  test('that throws is taken back', () => {
    const database = openDatabase(join(folderWith({}), 'a.db'), { pragmas: words })
    const work = (): void => {
      database.exec(`INSERT INTO words VALUES ('lost')`)
      throw new Error('stop')
    }
    expect(() => inTransaction(database, work)).toThrow('stop')
    expect(database.prepare('SELECT * FROM words').all()).toEqual([])
    expect(inTransaction(database, () => 7)).toBe(7)
    database.close()
  })
})

test.each([0, 1, 9, 10, 11, 37])('%i rows are inserted in order, and the last value of a key counts', (count) => {
  const pragmas = 'CREATE TABLE IF NOT EXISTS marks (place INTEGER PRIMARY KEY, mark TEXT, twice INTEGER DEFAULT 0)'
  const database = openDatabase(join(folderWith({}), 'a.db'), { pragmas })
  const insert = prepareInserts(
    database,
    `INSERT INTO marks (place, mark) VALUES (?, CAST(? AS TEXT)) ON CONFLICT (place) DO UPDATE SET mark = excluded.mark, twice = 1`,
  )
  insert([...Array.from({ length: count }, (_, place) => [place, `mark ${place}`]), [0, 'last']])
  const found = database.prepare('SELECT place, mark, twice FROM marks ORDER BY rowid').all()
  expect(found).toHaveLength(Math.max(1, count))
  expect(found[0]).toEqual({ place: 0, mark: 'last', twice: count > 0 ? 1 : 0 })
  expect(found.slice(1).every(({ place, mark }, index) => place === index + 1 && mark === `mark ${index + 1}`)).toBe(
    true,
  )
  database.close()
})

describe('opening', () => {
  test('makes file and folder for their owner alone', () => {
    const path = join(folderWith({}), 'state/a.db')
    openDatabase(path).close()
    if (process.platform === 'win32') return
    expect([path, join(path, '..')].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700])
  })

  test('works on a disk that keeps no rights, such as FAT', () => {
    const path = join(folderWith({}), 'state/a.db')
    const { chmodSync } = fs
    const refuse = (code: string): void => {
      fs.chmodSync = () => {
        throw Object.assign(new Error(code), { code, syscall: 'chmod' })
      }
      syncBuiltinESMExports()
    }
    try {
      refuse('EPERM')
      openDatabase(path, { pragmas: words }).close()
      refuse('EROFS')
      expect(thrownBy(() => openDatabase(path))).toMatchObject({ code: 'disk-read-only' })
    } finally {
      fs.chmodSync = chmodSync
      syncBuiltinESMExports()
    }
  })

  test.skipIf(process.platform === 'win32')('on a server of Windows has its name in the path', () => {
    const path = join(folderWith({}), 'nord & süd.db')
    openDatabase(path, { pragmas: words }).close()
    const share = `\\\\${path.slice(1).replaceAll('/', '\\')}`
    const address = sqliteAddress(share, { windows: true })
    expect(address.href).toBe(`file:///${pathToFileURL(path).pathname}`)
    // What a URL makes of it has the server as its host, which SQLite refuses.
    expect(() => new DatabaseSync(pathToFileURL(share, { windows: true }), { readOnly: true })).toThrow('authority')
    using database = new DatabaseSync(address, { readOnly: true })
    expect(versionOf(database)).toBe(0)
  })

  test('in a path that is too long for Windows is refused with its length', () => {
    const path = `C:\\farm\\${'x'.repeat(250)}\\stage.db`
    const failure = openingFailure(path, new Error('unable to open database file'), 'win32')
    expect(failure.message).toBe(`"${path}" has 267 characters, too many for Windows.`)
  })

  test.each([
    ['a text file', 'notes.db', 'state-damaged'],
    ['a folder', 'folder', 'state-unreadable'],
    ['what lies below a file', 'notes.db/state/a.db', 'state-unreadable'],
  ])('%s is refused with a sentence', (_, name, code) => {
    const folder = folderWith({ 'notes.db': 'shopping list, '.repeat(100), 'folder/x': '' })
    const pragmas = 'PRAGMA journal_mode = WAL'
    const path = join(folder, name)
    expect(thrownBy(() => openDatabase(path, { pragmas }))).toMatchObject({ code, exit: 2 })
    expect(thrownBy(() => openDatabase(path, { pragmas }))).toHaveProperty(
      'message',
      expect.stringContaining(JSON.stringify(path)),
    )
  })

  test('a file locked by another process is reported as locked', () => {
    const path = join(folderWith({}), 'a.db')
    const other = new DatabaseSync(path)
    other.exec('BEGIN EXCLUSIVE')
    const cause = thrownBy(() => openDatabase(path, { timeoutMs: 0, pragmas: words }))
    other.close()
    expect(cause).toMatchObject({ code: 'file-locked' })
  })

  test('has the tables of one number; a file with another is refused and left alone', () => {
    const path = join(folderWith({}), 'a.db')
    const first = { version: 1, create: 'CREATE TABLE words (word TEXT)' }
    for (const _ of ['made', 'opened again'])
      using(openDatabase(path, { tables: first }), (database) => {
        expect(versionOf(database)).toBe(1)
        database.exec(`INSERT INTO words (word) VALUES ('kererū')`)
      })
    const second = { version: 2, create: 'CREATE TABLE words (word TEXT, language TEXT)' }
    expect(thrownBy(() => openDatabase(path, { tables: second }))).toMatchObject({
      code: 'state-unreadable',
      exit: 2,
      message: `"${path}" was made by another version of windrow: its tables have the number 1, here they have 2.`,
      hint: expect.stringContaining('Move the folder .windrow away') as string,
    })
    // Tables without a number are not ours, or were damaged.
    using(new DatabaseSync(path), (database) => database.exec('PRAGMA user_version = 0'))
    expect(thrownBy(() => openDatabase(path, { tables: first }))).toMatchObject({ code: 'state-unreadable' })
    using(new DatabaseSync(path), (database) =>
      expect(database.prepare('SELECT count(*) AS n FROM words').get()).toEqual({ n: 2 }),
    )
  })

  test('whose tables cannot be made stays empty', () => {
    const path = join(folderWith({}), 'a.db')
    expect(() =>
      openDatabase(path, { tables: { version: 1, create: 'CREATE TABLE words (word TEXT); no SQL' } }),
    ).toThrow()
    openDatabase(path, { tables: { version: 1, create: 'CREATE TABLE words (word TEXT)' } }).close()
  })
})

function using(database: DatabaseSync, work: (database: DatabaseSync) => void): void {
  try {
    work(database)
  } finally {
    database.close()
  }
}

test.each([
  ['rename', 'EPERM', 'file-locked'],
  ['unlink', 'EPERM', 'file-locked'],
  ['open', 'EPERM', 'disk-read-only'],
  ['mkdir', 'EPERM', 'disk-read-only'],
  ['open', 'EBUSY', 'file-locked'],
  ['write', 'UNKNOWN', 'share-lost'],
])('on Windows %s with %s is %s', (syscall, code, expected) => {
  const cause = Object.assign(new Error(code), { code, syscall })
  expect(storageFailure(cause, 'C:\\farm', 'win32')?.code).toBe(expected)
})

test.each(['ECONNRESET', 'UNKNOWN', 'Unknown system error -11'])(
  'reading that fails with %s is a lost share',
  (code) => {
    expect(fileError('paddocks.csv', { code })).toMatchObject({ code: 'share-lost', exit: 4 })
  },
)

describe('a failure is named:', () => {
  const system = (code: string): Error => Object.assign(new Error(`${code}: it failed`), { code })
  const sqlite = (errcode: number): Error => Object.assign(system('ERR_SQLITE_ERROR'), { errcode })
  const held = process.platform === 'win32' ? 'file-locked' : 'disk-read-only'
  test.each([
    [system('ENOSPC'), 'disk-full'],
    [system('EDQUOT'), 'disk-full'],
    [system('EROFS'), 'disk-read-only'],
    [system('EACCES'), 'disk-read-only'],
    [system('EPERM'), held],
    [system('EBUSY'), 'file-locked'],
    [system('EIO'), 'disk-failed'],
    [system('ESTALE'), 'share-lost'],
    [system('ENOTCONN'), 'share-lost'],
    [sqlite(13), 'disk-full'],
    [sqlite(8), 'disk-read-only'],
    [sqlite(1032), 'disk-read-only'],
    [sqlite(5), 'file-locked'],
    [sqlite(261), 'file-locked'],
    [sqlite(522), 'disk-failed'],
    [sqlite(11), 'state-damaged'],
    [sqlite(26), 'state-damaged'],
    [sqlite(1), undefined],
    [system('ENOENT'), undefined],
    [new TypeError('a bug'), undefined],
    [Object.assign(system('EACCES'), { syscall: 'listen', address: '127.0.0.1', port: 80 }), undefined],
  ])('%o is %s', (cause, code) => {
    const failure = storageFailure(cause, '/farm/.windrow')
    expect(failure?.code).toBe(code)
    if (failure === undefined) return
    expect(failure).toMatchObject({
      exit: code === 'share-lost' ? 4 : 2,
      cause,
      message: expect.stringContaining('/farm/.windrow') as string,
    })
    // A ledger that is sound must stay where it is.
    expect(failure.hint).not.toMatch(/move|another folder|--state/)
  })
})
