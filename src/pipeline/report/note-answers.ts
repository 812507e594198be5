/** Turns answers of the service into problems of rows, so that the report and the rejects file show them with the others. */

import type { ProblemCode } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import type { SetAside } from '../../ledger/damage.ts'
import type { UnreadableRun } from './run-folder.ts'
import { idInKey } from '../../resources/keys.ts'
import { placeOf, uncommon, wholeFile, type Receipt, type RecordAction, type Stage } from '../stage/stage-store.ts'

type Answered = {
  readonly id: number
  readonly key: string
  readonly action: RecordAction
  readonly error: string | null
}

/** Notes records that the service refused, and those changed there meanwhile. Calling it again replaces its notes. */
export function noteAnswers(stage: Stage, source: string): void {
  renew(stage, ['refused'], () => {
    for (const { key, action, error, at } of answered(stage, source, 'refused')) {
      const isDeletion = action === 'delete'
      stage.report('refused', at, {
        value: idInKey(key),
        message: `The service refused ${isDeletion ? 'to delete ' : ''}this record: ${error ?? 'it gave no reason'}`,
        hint: isDeletion
          ? 'It is still in the service. The next run asks for its deletion again, unless the file has it by then.'
          : 'Correct the row and import it again; the other records are not affected.',
      })
    }
  })
  renew(stage, ['changed-meanwhile'], () => {
    for (const { key, at } of answered(stage, source, 'stale'))
      stage.report('changed-meanwhile', at, {
        value: idInKey(key),
        message: 'This record was changed in the service after the run had read it, so it was not overwritten.',
        hint: 'Run the pipeline again: it starts from the record as it is now.',
      })
  })
}

function* answered(stage: Stage, source: string, state: Receipt['state']) {
  const sql = `SELECT id, key, action, error FROM receipts JOIN records ON id = record
    WHERE state = ? AND id > ? ORDER BY id LIMIT ${perPage}`
  for (const page of stage.pages<Answered>(sql, state))
    for (const each of page) for (const at of placesOf(each.key, stage, source)) yield { ...each, at }
}

/** Notes records that the service accepted but does not show yet. */
export function noteUnseen(stage: Stage, source: string, keys: readonly string[]): void {
  stage.together(() => {
    for (const key of keys)
      stage.report('not-seen', placesOf(key, stage, source)[0]!, {
        value: idInKey(key),
        message: 'The service accepted this record but does not show it yet.',
        hint: 'The next run checks again, and sends the record again if it is still missing.',
      })
  })
}

/** Notes records that are gone from the source but kept in the service, and warns of those that go because "only" skips their rows. */
export function noteGone(stage: Stage, source: string): void {
  // An unreadable row may belong to any record.
  const keyless = stage.recall('passed')?.keyless ?? 0
  const absence =
    keyless === 0
      ? 'is no longer in the file'
      : `is in no readable row of the file (it may be ${keyless === 1 ? 'the row' : `one of the ${keyless} rows`} without a readable key)`
  const gone = `SELECT id, key, action FROM records
    WHERE action IN ('keep', 'delete') AND ${uncommon} AND id > ? ORDER BY id LIMIT ${perPage}`
  renew(stage, ['gone-from-source', 'gone-by-filter'], () => {
    for (const page of stage.pages<Pick<Answered, 'id' | 'key'> & { readonly action: 'keep' | 'delete' }>(gone))
      for (const { key, action } of page) {
        const isSkipped = stage.hasSkippedRow(key)
        if (action === 'delete' && !isSkipped) continue
        const where = isSkipped ? 'is in the file, but "only" leaves its row out' : absence
        const [code, what] =
          action === 'keep'
            ? (['gone-from-source', '; it is kept in the service'] as const)
            : (['gone-by-filter', ', so "gone: delete" deletes it'] as const)
        const message = `The record "${idInKey(key)}" ${where}${what}.`
        stage.report(code, wholeFile(source), { value: idInKey(key), message })
      }
  })
}

/** Notes the earlier runs that were skipped because they cannot be read. */
export function noteUnreadableRuns(stage: Stage, source: string, runs: readonly UnreadableRun[]): void {
  renew(stage, ['run-unreadable'], () => {
    for (const { id, reason } of runs)
      stage.report('run-unreadable', wholeFile(source), {
        value: id,
        message: `The earlier run "${id}" cannot be read (${reason}); it was skipped.`,
        hint: `Its folder is "${id}" beside the folder of this run. Delete it if nobody needs it.`,
      })
  })
}

/** Notes that the ledger was rebuilt, if it was, and whether this pipeline knows its records again. */
export function noteRebuilt(
  stage: Stage,
  source: string,
  { setAside, isRestored }: { readonly setAside: SetAside | undefined; readonly isRestored: boolean },
): void {
  if (setAside === undefined && !isRestored) return
  const found =
    setAside === undefined
      ? 'did not contain this pipeline: it was lost, or it is new. The records'
      : `was damaged (${setAside.reason}). The old one is kept as "${setAside.keptAs}"; the records`
  const owned = isRestored
    ? '; the kept runs of this pipeline show it, so "gone" and the rules decide as usual about records missing from the file.'
    : ', so records missing from the file are not deleted.'
  stage.report('ledger-rebuilt', wholeFile(source), {
    message: `The ledger (the list of published records) ${found} were read from the service again. The service does not know which pipeline published which record${owned}`,
    hint: isRestored
      ? 'No action is needed.'
      : 'Records in the file need no action. The report lists the other records of the service.',
  })
}

function renew(stage: Stage, codes: readonly ProblemCode[], add: () => void): void {
  stage.together(() => {
    for (const code of codes) stage.change('DELETE FROM problems WHERE code = ?', code)
    add()
  })
}

/** The places of a record's rows; one that is gone from the file has none in it. */
function placesOf(key: string, stage: Stage, source: string): readonly Place[] {
  const rows = stage.rowsOf(key).map((row) => placeOf(row, source))
  return rows.length === 0 ? [wholeFile(source)] : rows
}

const perPage = 5000
