/**
 * Remembers which records are in the last files of several pipelines. Each record belongs to the pipeline that had it last; the
 * others share it, so that the owner does not delete what they still have.
 */

import { inTransaction, type Database } from '../core/database.ts'

/** The `file` of a pipeline is its path from the state folder; null for a one-off import, which no later file corrects. */
export type SharedRecords = {
  setFile(pipeline: string, file: string | null): void
  fileOf(pipeline: string): string | null
  /** Remembers that the last file of this pipeline has these records, which another pipeline owns now. */
  add(pipeline: string, keys: Iterable<string>): void
  /** Remembers that the last file of this pipeline no longer has these records. */
  remove(pipeline: string, keys: Iterable<string>): void
  /** The keys that this pipeline shares with their owners. */
  keysOf(pipeline: string): readonly string[]
  /** The pipelines that share a record with its owner. */
  pipelinesOf(key: string): readonly string[]
}

/** The shared records of an account. */
export function sharedRecords(database: Database, account: string): SharedRecords {
  const setFile = database.prepare('UPDATE pipelines SET file = ? WHERE account = ? AND name = ?')
  const fileOf = database.prepare('SELECT file FROM pipelines WHERE account = ? AND name = ?')
  const add = database.prepare('INSERT INTO shared (account, key, pipeline) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const remove = database.prepare('DELETE FROM shared WHERE account = ? AND key = ? AND pipeline = ?')
  const keysOf = database.prepare('SELECT key FROM shared WHERE account = ? AND pipeline = ?')
  const pipelinesOf = database.prepare('SELECT pipeline FROM shared WHERE account = ? AND key = ? ORDER BY pipeline')
  return {
    setFile: (pipeline, file) => void setFile.run(file, account, pipeline),
    fileOf: (pipeline) => (fileOf.get(account, pipeline) as { file: string | null } | undefined)?.file ?? null,
    add: (pipeline, keys) =>
      inTransaction(database, () => {
        for (const key of keys) add.run(account, key, pipeline)
      }),
    remove: (pipeline, keys) =>
      inTransaction(database, () => {
        for (const key of keys) remove.run(account, key, pipeline)
      }),
    keysOf: (pipeline) => keysOf.all(account, pipeline).map(({ key }) => String(key)),
    pipelinesOf: (key) => pipelinesOf.all(account, key).map(({ pipeline }) => String(pipeline)),
  }
}
