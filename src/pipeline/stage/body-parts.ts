/** Adds the stage of a part to that of its run: the rows of all tables, and the file of bodies where it lies. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../core/database.ts'
import { relativePath } from '../../core/sources/relative-path.ts'
import type { Bodies, EarlierFile } from './body-file.ts'

/** The bodies of a part, in a folder below that of the run. */
type BodyPart = { readonly folder: string; readonly size: number }

const fact = 'body parts'

/** The files of bodies that the parts of a run have left, in order. */
export function bodyParts(database: DatabaseSync, folder: string): readonly EarlierFile[] {
  return partsIn(database).map((part) => ({ path: join(folder, part.folder, 'ready.ndjson'), size: part.size }))
}

function partsIn(database: DatabaseSync): readonly BodyPart[] {
  return factsIn(database)<readonly BodyPart[]>(fact) ?? []
}

/** Makes the function that reads a fact by its name. */
export function factsIn(database: DatabaseSync): <T>(name: string) => T | undefined {
  const find = database.prepare('SELECT value FROM facts WHERE name = ?')
  return <T>(name: string) => {
    const found = find.get(name)
    return found === undefined ? undefined : (JSON.parse(String(found['value'])) as T)
  }
}

/** Forgets the parts, because all bodies are in the run's own file now. */
export function forgetBodyParts(database: DatabaseSync): void {
  database.prepare('DELETE FROM facts WHERE name = ?').run(fact)
}

/** What is added of a part, each table in its order. */
const additions = [
  `INSERT INTO records SELECT id + :last, key, action, hash, base, source_scheme, source_id, modified,
     CASE WHEN length > 0 THEN offset + :size ELSE 0 END, length, before FROM part.records ORDER BY id`,
  `INSERT INTO rows SELECT layer, row, outcome, record + :last, key FROM part.rows ORDER BY rowid`,
  `INSERT INTO problems (code, severity, layer, row, "column", detail)
     SELECT code, severity, layer, row, "column", detail FROM part.problems ORDER BY id`,
  `INSERT INTO same_rows (start, rows, ends, count) SELECT start, rows, ends, count FROM part.same_rows ORDER BY id`,
  `INSERT INTO digests SELECT record + :last, high, low, land, findings FROM part.digests ORDER BY record`,
  'INSERT OR REPLACE INTO owners SELECT key, before, after FROM part.owners',
]

/** Adds a part in a folder below that of the run, and does `work` with it. Returns the number of the last record before its own. */
export function addPart(
  database: DatabaseSync,
  bodies: Bodies,
  { folder, part, work }: { readonly folder: string; readonly part: string; readonly work: () => void },
): number {
  const last = Number(database.prepare('SELECT coalesce(max(id), 0) AS id FROM records').get()!['id'])
  const own: BodyPart = { folder: relativePath(folder, part), size: statSync(join(part, 'ready.ndjson')).size }
  // Until the stage is complete, a crash of the machine may take it.
  database.exec('PRAGMA synchronous = OFF')
  database.prepare('ATTACH ? AS part').run(join(part, 'stage.db'))
  try {
    inTransaction(database, () => {
      for (const sql of additions) {
        const statement = database.prepare(sql)
        statement.setAllowUnknownNamedParameters(true)
        statement.run({ ':last': last, ':size': bodies.size() })
      }
      const all = JSON.stringify([...partsIn(database), own])
      database.prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)').run(fact, all)
      work()
    })
  } finally {
    database.exec('DETACH part')
  }
  bodies.addEarlier({ path: join(part, 'ready.ndjson'), size: own.size })
  return last
}

/** Makes what was added survive a crash of the machine. */
export function settleParts(database: DatabaseSync): void {
  if (partsIn(database).length > 0) database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(TRUNCATE)')
}
