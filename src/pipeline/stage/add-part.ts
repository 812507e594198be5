/** Adds the stage of a part to that of its run: the rows of all tables, and the bodies. */

import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../core/database.ts'
import type { Bodies } from './body-file.ts'

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

/** Adds the part in a folder, and does `work` with it. Returns the number of the last record before its own. */
export function addPart(database: DatabaseSync, bodies: Bodies, part: string, work: () => void): number {
  const last = Number(database.prepare('SELECT coalesce(max(id), 0) AS id FROM records').get()!['id'])
  const size = bodies.size()
  bodies.appendAll(join(part, 'ready.ndjson'))
  // Until the stage is complete, a crash of the machine may take it.
  database.exec('PRAGMA synchronous = OFF')
  database.prepare('ATTACH ? AS part').run(join(part, 'stage.db'))
  try {
    inTransaction(database, () => {
      for (const sql of additions) {
        const statement = database.prepare(sql)
        statement.setAllowUnknownNamedParameters(true)
        statement.run({ ':last': last, ':size': size })
      }
      work()
    })
  } finally {
    database.exec('DETACH part')
  }
  return last
}

/** Makes what was added survive a crash of the machine. */
export function settleParts(database: DatabaseSync): void {
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(TRUNCATE)')
}
