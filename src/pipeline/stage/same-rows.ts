/** Recognises rows that are the same as in the pipeline's last file, so that only the others of a large file need work. */

import { hash } from 'node:crypto'
import type { Row, Value } from '../../core/row.ts'
import { version } from '../../core/version.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { KnownRows, RowDigest, SourceRow } from '../../ledger/source-rows.ts'
import { mostPictured } from './farm-outlines.ts'
import type { ImportJob, SameRows } from './import-job.ts'
import type { Stage } from './stage-store.ts'

/** Rows up to this number are always worked on: the report shows them, and small files need no shortcut. */
const firstRows = mostPictured + 1

const [none, same, other] = [0, 1, 2]

/**
 * Starts to recognise rows. Undefined for jobs where a row alone does not decide what becomes of it. `definition` is a digest of
 * the pipeline.
 */
export function startSameRows(job: ImportJob, ledger: Ledger, definition: string): SameRows | undefined {
  const { mapping, geometry, rows, keyIsStandIn } = job
  if (geometry !== undefined || rows === 'group' || mapping.isExport || mapping.keyHasPlace || keyIsStandIn)
    return undefined
  // A date without a zone is a day in the zone of this machine.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const about = hash('sha256', JSON.stringify([version(), definition, timeZone]), 'base64url').slice(0, 16)
  const columns = [...mapping.columns]
  const isLarge = (ledger.lastCount(job.name)?.records ?? 0) > firstRows
  const known: KnownRows | undefined = isLarge ? ledger.sourceRows.of(job.name) : undefined
  const found = new Uint8Array(known?.ids.length ?? 0)
  let read = 0
  let taken = 0
  let hasClash = false
  const mark = (place: number, as: number): boolean => {
    const before = found[place]!
    if (before !== none && (before === same || as === same)) hasClash = true
    else found[place] = as
    return before === none
  }
  return {
    digestOf(row) {
      if ((row.problems?.length ?? 0) > 0 || job.keep?.(row) === false) return undefined
      read += 1
      return read <= firstRows ? undefined : digestOf(about, row, columns)
    },
    take(digest) {
      const place = known?.placeOf(digest)
      if (place === undefined || !mark(place, same)) return false
      taken += 1
      return true
    },
    addOther(id) {
      const place = known === undefined ? -1 : placeOf(known.ids, id)
      if (place >= 0) mark(place, other)
    },
    get hasClash() {
      return hasClash
    },
    get hasTaken() {
      return taken > 0
    },
    absent() {
      if (known === undefined) return undefined
      const absent: number[] = []
      for (const [place, as] of found.entries()) if (as === none) absent.push(known.ids[place]!)
      return absent
    },
  }
}

/** Keeps the digest of a staged record's row. */
export function keepDigest(stage: Stage, record: number, { high, low }: RowDigest): void {
  stage.change('INSERT INTO digests VALUES (?, ?, ?)', record, high, low)
}

/** Remembers the rows of a delivered stage that nothing was found about. */
export function rememberRows(stage: Stage, ledger: Ledger, pipeline: string): void {
  stage.change('DELETE FROM digests WHERE record IN (SELECT record FROM rows WHERE row IN (SELECT row FROM problems))')
  const page = `SELECT record, key, hash, high, low FROM digests JOIN records ON id = record
    WHERE record > ? AND action IN ('create', 'update', 'unchanged') ORDER BY record LIMIT 5000`
  for (let last = 0; ;) {
    const rows = stage.query<SourceRow & { readonly record: number }>(page, last)
    if (rows.length === 0) return
    ledger.sourceRows.remember(pipeline, rows)
    last = rows.at(-1)!.record
  }
}

function digestOf(about: string, { values, id }: Row, columns: readonly string[]): RowDigest {
  let text = id === undefined ? about : `${about}${textOf(id)}`
  for (const column of columns) text += textOf(values[column])
  const digits = hash('sha256', text, 'hex')
  return { high: Number.parseInt(digits.slice(0, 12), 16), low: Number.parseInt(digits.slice(12, 24), 16) }
}

/** A text that no other value has; its length keeps it apart from the next one. */
function textOf(value: Value): string {
  return typeof value === 'string' ? `${value.length}:${value}` : `${JSON.stringify(value)};`
}

/** The place of a number in an ascending list; -1 if it is not there. */
function placeOf(ids: Float64Array, id: number): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (ids[middle]! < id) from = middle + 1
    else to = middle
  }
  return ids[from] === id ? from : -1
}
