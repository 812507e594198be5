/** Counts how the books of a run close once its rejected rows are corrected and sent. */

import { join } from 'node:path'
import type { Retried } from './report.ts'
import { readRuns, readStage } from './run-folder.ts'

/** The books of a run after all of its retries. */
export function retriedBooks(state: string, run: string): Retried {
  const rows = { read: 0, ready: 0, unchanged: 0, skipped: 0, rejected: 0 }
  readStage(join(state, 'runs', run), (database) => {
    for (const { outcome, n } of database.prepare(outcomes).iterate()) {
      rows[outcome as 'ready'] = Number(n)
      rows.read += Number(n)
    }
  })
  const { runs } = readRuns(state)
  const undone = new Set(runs.filter(({ isFinished }) => isFinished).map(({ undoes }) => undoes))
  const published = new Map<string, number>()
  for (const { folder } of runs.filter(({ id, retries }) => retries === run && !undone.has(id)))
    readStage(folder, (database) => {
      for (const { key, n } of database.prepare(inService).iterate())
        published.set(String(key), Math.max(published.get(String(key)) ?? 0, Number(n)))
    })
  const found = [...published.values()].reduce((sum, n) => sum + n, 0)
  const corrected = Math.min(rows.rejected, found)
  return { run, ...rows, corrected, rejected: rows.rejected - corrected }
}

const outcomes = `SELECT CASE receipts.state WHEN 'refused' THEN 'rejected' ELSE outcome END AS outcome, count(*) AS n
  FROM rows LEFT JOIN receipts ON receipts.record = rows.record GROUP BY 1`

const inService = `SELECT rows.key, count(*) AS n FROM rows LEFT JOIN receipts ON receipts.record = rows.record
  WHERE outcome = 'unchanged' OR outcome = 'ready' AND receipts.state = 'accepted' GROUP BY rows.key`
