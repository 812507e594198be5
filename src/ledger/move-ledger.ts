/** Moves the ledger of a folder into PostgreSQL, where pipelines have the name of their folder too. */

import { renameSync } from 'node:fs'
import { inTransaction, prepareInserts, type Database, type Value } from '../core/database.ts'
import { WindrowError } from '../core/error.ts'
import { whenFree } from '../core/sources/when-free.ts'
import { takeLedger } from './damage.ts'
import { assertLedger, pipelinesIn } from './known-records.ts'
import { openTables } from './ledger-tables.ts'

export type Move = {
  /** The file, which is renamed to `keptAs` when all of it is in the store. */
  readonly from: string
  readonly keptAs: string
  readonly store: string
  /** The name of a pipeline in the store, and the whole path of a file that it read. */
  readonly nameOf: (pipeline: string) => string
  readonly pathOf: (file: string) => string
}

type Table = {
  readonly name: string
  readonly columns: readonly string[]
  /** What to do with a row that the store has. */
  readonly ifThere: string
}

const tables: readonly Table[] = [
  {
    name: 'records',
    // Nothing in doubt is moved.
    columns: 'account key dataset source_scheme source_id hash modified state pipeline body square'.split(' '),
    // The store has read the service later: only whose record it is comes from the file.
    ifThere: `(account, key) DO UPDATE SET pipeline = excluded.pipeline WHERE records.pipeline IS NULL`,
  },
  {
    name: 'feeds',
    columns: ['account', 'dataset', 'token'],
    // Two ledgers have read to different places: the next run reads all changes again.
    ifThere: '(account, dataset) DO UPDATE SET token = NULL',
  },
  {
    name: 'pipelines',
    columns: ['account', 'name', 'records', 'most', 'file'],
    ifThere: '(account, name) DO NOTHING',
  },
  { name: 'matches', columns: ['account', 'source', 'given', 'key'], ifThere: '(account, source, given) DO NOTHING' },
  { name: 'shared', columns: ['account', 'key', 'pipeline'], ifThere: '(account, key, pipeline) DO NOTHING' },
]

const atOnce = 500

/** Moves a ledger and returns how many records it had. Can be repeated after a failure: the file stays until all is moved. */
export function moveLedger({ from, keptAs, store, nameOf, pathOf }: Move): number {
  assertLedger(from)
  using _sole = takeLedger(from)
  const file = openTables(from, 'all accounts')
  let records = 0
  try {
    assertSettled(file)
    const named = new Map<Value, string>(pipelinesIn(file).map((name) => [name, nameOf(name)]))
    const moved = (column: string, value: Value): Value =>
      column === 'file' && value !== null
        ? pathOf(String(value))
        : pipelineColumns.has(column)
          ? (named.get(value) ?? value)
          : value
    for (const { account } of file.prepare('SELECT account FROM records UNION SELECT account FROM pipelines').all()) {
      using target = openTables(store, String(account))
      inTransaction(target, () => {
        for (const table of tables) {
          const count = moveRows(table, account!, { file, target, moved })
          if (table.name === 'records') records += count
        }
      })
    }
  } finally {
    file.close()
  }
  whenFree(() => renameSync(from, keptAs))
  return records
}

// The source of a match is a pipeline's name where it names no other one.
const pipelineColumns: ReadonlySet<string> = new Set(['pipeline', 'name', 'source'])

/** Throws 'run-unusable' while what was sent has no answer yet: only a run on the same ledger can settle that. */
function assertSettled(file: Database): void {
  const open = file
    .prepare(
      `SELECT pipeline FROM posts UNION SELECT pipeline FROM records
       WHERE pipeline IS NOT NULL AND (in_doubt <> 0 OR state IN ('accepted', 'deleting')) ORDER BY pipeline`,
    )
    .all()
    .map(({ pipeline }) => `"${String(pipeline)}"`)
  if (open.length === 0) return
  throw new WindrowError('run-unusable', `The service has not confirmed everything that ${open.join(', ')} sent.`, {
    hint: 'Run it once more without --store, and move the ledger then.',
  })
}

type Moving = {
  readonly file: Database
  readonly target: Database
  readonly moved: (column: string, value: Value) => Value
}

function moveRows({ name, columns, ifThere }: Table, account: Value, { file, target, moved }: Moving): number {
  const insert = prepareInserts(
    target,
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT ${ifThere}`,
  )
  let [count, lists] = [0, [] as Value[][]]
  const write = (): void => {
    insert(lists)
    lists = []
  }
  const rows = file.prepare(`SELECT ${columns.join(', ')} FROM ${name} WHERE account = ?`)
  for (const row of rows.iterate(account)) {
    count += 1
    lists.push(columns.map((column) => moved(column, row[column]!)))
    if (lists.length === atOnce) write()
  }
  write()
  return count
}
