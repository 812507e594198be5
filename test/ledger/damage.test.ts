import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { doubtLedger, setAsideIfDamaged } from '../../src/ledger/damage.ts'
import { readLedger } from '../../src/ledger/comparison.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { folderWith } from '../core/temporary-folder.ts'

const now = new Date('2026-12-31T10:50:12Z')
let folder: string
let path: string
const keys = Array.from({ length: 400 }, (_, index) => `plots/s/h/${index}`)

beforeEach(() => {
  folder = folderWith({})
  path = join(folder, 'ledger.db')
  const ledger = openLedger(path, 'sam')
  ledger.accept(
    'nightly',
    keys.map((key) => ({
      key,
      dataset: 'plots',
      sourceScheme: 's',
      sourceId: key,
      body: JSON.stringify({ name: key, more: 'x'.repeat(500) }),
      hash: 'h',
      modified: '2026-11-16T00:00:00Z',
      deleted: false,
    })),
  )
  ledger[Symbol.dispose]()
})

function overwrite(at: number, bytes: string): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.from(bytes), 0, bytes.length, at)
  closeSync(file)
}

const aside = (): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('ledger-damaged'))

describe('a damaged ledger is kept under another name', () => {
  test.each<readonly [string, () => void]>([
    ['its header', () => overwrite(0, 'x'.repeat(100))],
    ['emptied', () => truncateSync(path)],
    ['a text file in its place', () => writeFileSync(path, 'shopping list')],
    [
      'a column',
      () => {
        const database = new DatabaseSync(path)
        database.exec('DROP INDEX records_by_square; ALTER TABLE records DROP COLUMN body')
        database.close()
      },
    ],
    [
      'a page, and it was not closed properly',
      () => {
        writeFileSync(`${path}-wal`, 'left')
        overwrite(statSync(path).size - 20_000, '\u0001'.repeat(16_000))
      },
    ],
    [
      'a page, and a run met it',
      () => {
        doubtLedger(path)
        overwrite(statSync(path).size - 20_000, '\u0001'.repeat(16_000))
      },
    ],
    [
      'a page of an index, which reading all records does not show, and a run met it',
      () => {
        doubtLedger(path)
        const database = new DatabaseSync(path)
        const of = (sql: string): number => Number(Object.values(database.prepare(sql).get()!)[0])
        const page = of(`SELECT rootpage FROM sqlite_schema WHERE name = 'records_by_source'`)
        const size = of('PRAGMA page_size')
        database.close()
        overwrite((page - 1) * size, '\u0001'.repeat(size))
      },
    ],
    [
      'a body that is no JSON any more',
      () => {
        doubtLedger(path)
        const database = new DatabaseSync(path)
        database.exec(`UPDATE records SET body = '{"name' WHERE key = '${keys[7]!}'`)
        database.close()
      },
    ],
  ])('%s', (_, damage) => {
    damage()
    const before = readFileSync(path)
    const hasJournal = existsSync(`${path}-wal`)
    const found = setAsideIfDamaged(path, now)
    expect(found).toMatchObject({ keptAs: 'ledger-damaged-2026-12-31T105012.db', reason: expect.any(String) as string })
    expect(readFileSync(join(folder, found!.keptAs)).equals(before)).toBe(true)
    expect(existsSync(path)).toBe(false)
    openLedger(path, 'sam')[Symbol.dispose]()
    expect(setAsideIfDamaged(path, now)).toBeUndefined()
    // A second one at the same moment does not replace the first.
    truncateSync(path)
    expect(setAsideIfDamaged(path, now)?.keptAs).toBe('ledger-damaged-2026-12-31T105012-2.db')
    expect(aside()).toHaveLength(hasJournal ? 3 : 2)
  })
})

describe('a sound ledger stays where it is', () => {
  test.each<readonly [string, () => void]>([
    ['closed properly', () => undefined],
    ['in doubt', () => doubtLedger(path)],
    ['not there at all', () => (path = join(folder, 'none.db'))],
  ])('%s', (_, prepare) => {
    prepare()
    expect(setAsideIfDamaged(path, now)).toBeUndefined()
    expect(aside()).toEqual([])
    expect(existsSync(`${path}-doubt`)).toBe(false)
  })

  test('if a killed process left it open: its journal is read', () => {
    const database = new DatabaseSync(path)
    database.exec(`DELETE FROM records WHERE key = '${keys[0]!}'`)
    const [main, journal] = [readFileSync(path), readFileSync(`${path}-wal`)]
    database.close()
    writeFileSync(path, main)
    writeFileSync(`${path}-wal`, journal)
    expect(setAsideIfDamaged(path, now)).toBeUndefined()
    const ledger = openLedger(path, 'sam')
    expect([ledger.find(keys[0]!), ledger.find(keys[1]!)?.key]).toEqual([undefined, keys[1]])
    ledger[Symbol.dispose]()
  })

  test('while another process has it open, in any state', () => {
    const ledger = openLedger(path, 'sam')
    doubtLedger(path)
    overwrite(statSync(path).size - 20_000, '\u0001'.repeat(16_000))
    expect(setAsideIfDamaged(path, now)).toBeUndefined()
    ledger[Symbol.dispose]()
    expect(setAsideIfDamaged(path, now)).toBeDefined()
  })
})

test('only the last three damaged ledgers are kept', () => {
  const nights = [3, 4, 5, 6, 2].map((day) => {
    writeFileSync(path, 'x'.repeat(9000))
    return setAsideIfDamaged(path, new Date(`2026-12-0${day}T02:15:00Z`))!.keptAs
  })
  const left = readdirSync(folder).filter((name) => name.startsWith('ledger-damaged'))
  // The last one is kept, although the clock was set back.
  expect(left).toEqual([nights[4], nights[2], nights[3]])
})

test.each([0, 99])('a ledger with number %i is refused with the way out, and left alone', (version) => {
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA user_version = ${version}`)
  database.close()
  expect(setAsideIfDamaged(path, now)).toBeUndefined()
  const refusal = expect.objectContaining({
    code: 'state-unreadable',
    exit: 2,
    hint: expect.stringContaining('Move the folder .windrow away. The next run reads the service first') as string,
  }) as Error
  expect(() => openLedger(path, 'sam')).toThrow(refusal)
  expect(() => readLedger(path, 'sam')).toThrow(refusal)
})
