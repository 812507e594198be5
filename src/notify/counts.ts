/**
 * Compares the counts of a run with those of the good runs before it. The rule: a count is unusual if it is more than twice the
 * largest, or for rows read less than half the smallest, of the last ten good runs, and at least ten away from it.
 */

import type { RunReport } from '../pipeline/report/export-report.ts'

export type Counts = Readonly<Record<string, number>>

const fewest = 5
const most = 10
const least = 10
const words: Readonly<Record<string, string>> = {
  read: 'rows were read',
  created: 'records were created',
  updated: 'records were updated',
  deleted: 'records were deleted',
  rejected: 'rows were rejected or refused',
  written: 'records were written',
}

/** A sentence for each unusual count. `before` are the counts of earlier good runs, oldest first; with fewer than five, none. */
export function unusualCounts(now: Counts, before: readonly Counts[]): readonly string[] {
  const known = before.slice(-most)
  if (known.length < fewest) return []
  return Object.entries(now).flatMap(([name, count]) => {
    const counts = known.map((each) => each[name] ?? 0)
    const [low, high] = [Math.min(...counts), Math.max(...counts)]
    const isMany = count > 2 * high && count - high >= least
    const isFew = (name === 'read' || name === 'written') && 2 * count < low && low - count >= least
    if (!isMany && !isFew) return []
    const usual = low === high ? String(low) : `${low} to ${high}`
    return [`${count} ${words[name] ?? name}; in the last ${known.length} good runs it was ${usual}.`]
  })
}

/** The numbers of a run that a person compares from night to night. */
export function countsOf(report: RunReport): Counts {
  if (report.kind === 'export') return { read: report.records.read, written: report.records.written }
  const { rows, records, gone } = report
  return {
    read: rows.read,
    created: records.created,
    updated: records.updated,
    deleted: gone.deleted,
    rejected: rows.rejected + records.refused,
  }
}

export function countLine(counts: Counts): string {
  return `${Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}.`
}
