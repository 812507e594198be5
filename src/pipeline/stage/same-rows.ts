/** Recognises rows that are the same as in the pipeline's last file, so that only the others of a large file need work. */

import { hash } from 'node:crypto'
import type { Problem } from '../../core/problem.ts'
import type { Row, Value } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { TextBytes } from '../../core/shapes/text-bytes.ts'
import { version } from '../../core/version.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { KnownRows, Land, RowDigest, SourceRow } from '../../ledger/source-rows.ts'
import { machineZone } from '../../mapping/zones.ts'
import type { ImportJob, Looked } from './import-job.ts'
import type { Stage } from './stage-store.ts'

/** Recognises rows that are the same as in the pipeline's last file. */
export type SameRows = ReturnType<typeof recognise>

const [none, same, other] = [0, 1, 2]

/**
 * Starts to recognise rows. Undefined for jobs where a row alone does not decide what becomes of it, and for a preview without a
 * connection, after which nothing is remembered. `definition` is a text of everything else that decides what becomes of a row. Some
 * rows always need work, because the report shows them.
 */
export function startSameRows(
  job: ImportJob,
  ledger: Ledger,
  { definition, isPreview }: { readonly definition: string; readonly isPreview: boolean },
): SameRows | undefined {
  const { mapping, rows, keyIsStandIn, partsApart, picture } = job
  if (rows === 'group' || partsApart || mapping.isExport || mapping.keyHasPlace || keyIsStandIn) return undefined
  // A date without a zone is a day in the zone of this machine.
  const about = hash('sha256', JSON.stringify([version(), definition, machineZone()]), 'base64url').slice(0, 16)
  const before = ledger.lastCount(job.name)?.records ?? 0
  // In a first run nobody knows yet whether the file is large, so all rows are remembered.
  const shownEvery = before === 0 ? Infinity : (picture?.everyOf(before) ?? Infinity)
  const known: KnownRows | undefined = before > 0 && shownEvery > 1 ? ledger.sourceRows.of(job.name) : undefined
  if (known === undefined && isPreview) return undefined
  return recognise(job, { about, known, shownEvery })
}

type Recognising = { readonly about: string; readonly known: KnownRows | undefined; readonly shownEvery: number }

function recognise(job: ImportJob, { about, known, shownEvery }: Recognising) {
  const { mapping } = job
  const marks = new Uint8Array(known?.ids.length ?? 0)
  const rowOf = new Uint32Array(marks.length)
  const found = { rows: 0, boundaries: 0 }
  let read = 0
  let hasClash = false
  const mark = (place: number, as: number): boolean => {
    const before = marks[place]!
    if (before === none) marks[place] = as
    else if (before === same || as === same) hasClash = true
    return before === none
  }
  const take = (digest: RowDigest, row: Row): Looked['same'] => {
    const place = known?.placeOf(digest)
    if (place === undefined || !mark(place, same)) return undefined
    const land = known?.landAt(place)
    rowOf[place] = row.at.row
    found.rows += 1
    if (land !== undefined) found.boundaries += 1
    const text = known!.findingsAt(place)
    const findings = text === undefined ? [] : (JSON.parse(text) as readonly Problem[])
    return { land, findings: findings.map((each) => ({ ...each, at: row.at })) }
  }
  return {
    /** False without rows of a last file: then none is the same. */
    knowsRows: known !== undefined,
    /** Undefined for a row that always needs work. A row is the same if a record came from it, has not changed since, and has no other row. */
    look(row: Row): Looked | undefined {
      if ((row.problems?.length ?? 0) > 0 || job.keep?.(row) === false) return undefined
      read += 1
      if (read % shownEvery === 0) return undefined
      const digest = digestOf(about, row, mapping.columns)
      return { digest, same: take(digest, row) }
    },
    /** Notes that a row that needs work is of this record. */
    addOther(id: number): void {
      const place = known === undefined ? -1 : placeIn(known.ids, id)
      if (place >= 0) mark(place, other)
    },
    /** True if a record has both the same row as before and another one. */
    get hasClash() {
      return hasClash
    },
    /** The number of rows that are the same, and of those with a boundary. */
    found: found as Readonly<typeof found>,
    /** The numbers of the pipeline's records that no row is of; undefined if they are not known. */
    absent(): readonly number[] | undefined {
      if (known === undefined) return undefined
      const absent: number[] = []
      for (const [place, as] of marks.entries()) if (as === none) absent.push(known.ids[place]!)
      return absent
    },
    /** The records of the same rows whose boxes meet the condition: their numbers, and their rows. */
    near(isNear: (land: Land) => boolean): ReadonlyMap<number, number> {
      const near = new Map<number, number>()
      for (const [place, as] of marks.entries()) {
        const land = as === same ? known?.landAt(place) : undefined
        if (land !== undefined && isNear(land)) near.set(known!.ids[place]!, rowOf[place]!)
      }
      return near
    },
  }
}

/** The digest of a staged record's row, with what is found about the row each time. */
type Kept = { readonly digest: RowDigest; readonly land: Land | undefined; readonly findings: readonly Problem[] }

/** Keeps the digest of a staged record's row. */
export function keepDigest(stage: Stage, record: number, { digest, land, findings }: Kept): void {
  const { high, low } = digest
  const landText = land === undefined ? null : JSON.stringify(land)
  const findingsText = findings.length === 0 ? null : JSON.stringify(findings)
  stage.change('INSERT INTO digests VALUES (?, ?, ?, ?, ?)', record, high, low, landText, findingsText)
}

/** Remembers the rows of a delivered stage, except those about which something was found once all rows were staged. */
export function rememberRows(stage: Stage, ledger: Ledger, pipeline: string): void {
  stage.change(
    'DELETE FROM digests WHERE record IN (SELECT record FROM rows WHERE row IN (SELECT row FROM problems WHERE id > ?))',
    stage.recall('last problem of a row') ?? 0,
  )
  const digests = `SELECT digests.*, id, key, hash FROM digests JOIN records ON id = record
    WHERE action IN ('create', 'update', 'unchanged') AND id > ? ORDER BY id LIMIT 5000`
  for (const rows of stage.pages<SourceRow & { readonly id: number }>(digests))
    ledger.sourceRows.remember(pipeline, rows)
}

function digestOf(about: string, { values, id, shape }: Row, columns: readonly string[]): RowDigest {
  let text = about
  for (const column of columns) text += textOf(values[column])
  if (id !== undefined) text += textOf(id)
  if (shape) addShape(hashed, shape, text)
  // Hexadecimal text would have to be parsed: 2 % of a night of a million rows.
  const bytes = hash('sha256', shape ? hashed.take() : text, 'binary')
  return { high: numberIn(bytes, 0), low: numberIn(bytes, 6) }
}

/** The number that six bytes are. */
function numberIn(bytes: string, from: number): number {
  let number = 0
  for (let at = from; at < from + 6; at += 1) number = number * 256 + bytes.charCodeAt(at)
  return number
}

/** A text that no other value has; its length keeps it apart from the next one. */
function textOf(value: Value): string {
  return typeof value === 'string' ? `${value.length}:${value}` : `${JSON.stringify(value)};`
}

const hashed = new TextBytes()

/** Text is written in one piece: each costs as much as a hundred bytes. */
function addShape(out: TextBytes, { kind, coordinates, ends, parts, z, m, members = [] }: Shape, before = ''): void {
  out.text(`${before}${kind} ${ends.join()} ${parts.join()} ${z !== undefined} ${m !== undefined} ${members.length} `)
  for (const each of [coordinates, z, m])
    if (each !== undefined) out.add(new Uint8Array(each.buffer, each.byteOffset, each.byteLength))
  for (const each of members) addShape(out, each)
}

/** The place of a number in an ascending list; -1 if it is not there. */
function placeIn(ids: Float64Array, id: number): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (ids[middle]! < id) from = middle + 1
    else to = middle
  }
  return ids[from] === id ? from : -1
}
