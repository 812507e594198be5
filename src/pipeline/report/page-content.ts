/** Gathers what the report's page shows of a stage: its first records with what became of them, and its first updates. */

import { readBody } from '../../ledger/content.ts'
import { machineZone } from '../../mapping/zones.ts'
import { idInKey } from '../../resources/keys.ts'
import type { PageContent } from '../../web/report-page.ts'
import { mostPictured, pictureBody } from '../stage/farm-outlines.ts'
import { uncommon, type RecordAction, type RowOutcome, type Stage } from '../stage/stage-store.ts'
import { changesOf } from './changes.ts'

type Paddock = PageContent['paddocks'][number]

const mostChanges = 500

/** Gathers the page's records and updates; a dry run has no answers to its records. */
export function pageContent(stage: Stage, isDryRun: boolean): PageContent {
  const changes = changesOf(stage, 'updated').take(mostChanges).toArray()
  const zone = stage.recall('kept pipeline')?.mapping.zone ?? machineZone()
  const undone = stage.recall('undoes') === undefined ? [] : undoneOf(stage)
  return { paddocks: [...rowsOf(stage, isDryRun), ...undone, ...goneOf(stage, isDryRun)], changes, zone }
}

type Became = {
  readonly row: number
  readonly key: string | null
  readonly outcome: RowOutcome
  readonly action: RecordAction | null
  readonly state: string | null
}

function rowsOf(stage: Stage, isDryRun: boolean): readonly Paddock[] {
  const found = stage.recall('pictured') ?? []
  const pictured = new Map(found.map((each) => [`${each.row} ${each.key}`, each]))
  const rows = stage.query<Became>(
    `SELECT rows.row, rows.key, outcome, action, state FROM rows LEFT JOIN records ON records.id = rows.record LEFT JOIN receipts ON receipts.record = rows.record
     WHERE outcome <> 'skipped' ORDER BY rows.rowid LIMIT ${mostPictured}`,
  )
  return rows.flatMap(({ row, key, outcome, action, state }) => {
    const shown = pictured.get(`${row} ${key}`)
    if (shown === undefined) return []
    const became = outcome === 'ready' ? sentAs(action, state, isDryRun) : outcome
    return [{ ...shown, id: key === null ? '' : idInKey(key), outcome: became }]
  })
}

function sentAs(action: RecordAction | null, state: string | null, isDryRun: boolean): Paddock['outcome'] {
  if (state === 'refused') return 'refused'
  if (!isDryRun && state !== 'accepted') return 'unsent'
  return action === 'update' ? 'updated' : 'created'
}

/** Records that an undo put back or restored: it reads no rows of a file. */
function undoneOf(stage: Stage): readonly Paddock[] {
  const sent = stage.query<{
    id: number
    key: string
    action: RecordAction
    before: string | null
    state: string | null
  }>(
    `SELECT records.id, key, action, before, state FROM records LEFT JOIN receipts ON receipts.record = records.id
     WHERE action IN ('create', 'update') ORDER BY records.id LIMIT ${mostPictured}`,
  )
  return sent.map(({ id, key, action, before, state }) => {
    const body = stage.bodyOf(id)
    const was = before === null ? undefined : pictureBody(-1, key, readBody(before)).areaM2
    const shown = pictureBody(-1, key, body === undefined ? {} : readBody(body))
    const outcome = sentAs(action, state, false)
    return { ...shown, ...(was === undefined ? {} : { beforeM2: was }), id: idInKey(key), outcome }
  })
}

/** Records that are not in the file any more: deleted, or kept in the service. */
function goneOf(stage: Stage, isDryRun: boolean): readonly Paddock[] {
  const gone = stage.query<{ key: string; action: string; before: string | null; state: string | null }>(
    `SELECT key, action, before, state FROM records LEFT JOIN receipts ON receipts.record = records.id
     WHERE action IN ('delete', 'keep') AND ${uncommon} ORDER BY records.id LIMIT ${mostPictured}`,
  )
  return gone.map(({ key, action, before, state }) => {
    const { areaM2, ...shown } = pictureBody(-1, key, before === null ? {} : readBody(before))
    const isDeleted = action === 'delete' && (isDryRun || state === 'accepted')
    const outcome = state === 'refused' ? 'refused' : isDeleted ? 'deleted' : 'kept'
    return { ...shown, ...(areaM2 === undefined ? {} : { beforeM2: areaM2 }), id: idInKey(key), outcome }
  })
}
