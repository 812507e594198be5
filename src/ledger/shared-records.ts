/**
 * Remembers which records are in the last files of several pipelines. Each record belongs to the pipeline that had it last; the
 * others share it, so that the owner does not delete what they still have.
 */

import { inTransaction, type Database } from '../core/database.ts'

/**
 * The shared records of an account. The `file` of a pipeline is its path from the state folder; null for a one-off import, which no
 * later file corrects.
 */
export function sharedRecords(database: Database, account: string) {
  const setFile = database.prepare('UPDATE pipelines SET file = ? WHERE account = ? AND name = ?')
  const fileOf = database.prepare('SELECT file FROM pipelines WHERE account = ? AND name = ?')
  const add = database.prepare('INSERT INTO shared (account, key, pipeline) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const remove = database.prepare('DELETE FROM shared WHERE account = ? AND key = ? AND pipeline = ?')
  const keysOf = database.prepare('SELECT key FROM shared WHERE account = ? AND pipeline = ?')
  const pipelinesOf = database.prepare('SELECT pipeline FROM shared WHERE account = ? AND key = ? ORDER BY pipeline')
  return {
    setFile: (pipeline: string, file: string | null) => void setFile.run(file, account, pipeline),
    fileOf: (pipeline: string) => (fileOf.get(account, pipeline) as { file: string | null } | undefined)?.file ?? null,
    /** Remembers that the last file of this pipeline has these records, which another pipeline owns now. */
    add: (pipeline: string, keys: Iterable<string>): void =>
      inTransaction(database, () => {
        for (const key of keys) add.run(account, key, pipeline)
      }),
    /** Remembers that the last file of this pipeline no longer has these records. */
    remove: (pipeline: string, keys: Iterable<string>): void =>
      inTransaction(database, () => {
        for (const key of keys) remove.run(account, key, pipeline)
      }),
    /** The keys that this pipeline shares with their owners. */
    keysOf: (pipeline: string): readonly string[] => keysOf.all(account, pipeline).map(({ key }) => String(key)),
    /** The pipelines that share a record with its owner. */
    pipelinesOf: (key: string): readonly string[] =>
      pipelinesOf.all(account, key).map(({ pipeline }) => String(pipeline)),
  }
}
