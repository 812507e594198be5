/** Gathers what the report's page shows of a stage: its first records with what became of them, and its first updates. */

import { readBody } from '../../ledger/content.ts'
import { machineZone } from '../../mapping/zones.ts'
import { idInKey } from '../../resources/keys.ts'
import { mostDrawn, mostListed } from '../../web/farm-map.ts'
import type { PageContent } from '../../web/report-page.ts'
import { pictureBody } from '../stage/farm-outlines.ts'
import { uncommon, type RecordAction, type RowOutcome, type Stage } from '../stage/stage-store.ts'
import { changesOf } from './changes.ts'

type Paddock = PageContent['paddocks'][number]

const mostChanges = 500

/** Gathers the page's records and updates; a dry run has no answers to its records. */
export function pageContent(stage: Stage, isDryRun: boolean): PageContent {
  const changes = changesOf(stage, 'updated').take(mostChanges).toArray()
  const zone = stage.recall('kept pipeline')?.mapping.zone ?? machineZone()
  const undone = stage.recall('undoes') === undefined ? [] : undoneOf(stage)
  const counted = stage.query<{ n: number }>(`SELECT count(*) AS n FROM rows WHERE outcome <> 'skipped'`)
  const isLarge = counted[0]!.n + stage.countSameRows() > mostListed
  const { paddocks, urgent } = rowsOf(stage, { isDryRun, isLarge })
  const all = [...paddocks, ...undone, ...goneOf(stage, isDryRun)]
  const chosen = new Set(chosenOf(isLarge ? all : all.filter(({ rings }) => rings.length > 0), urgent))
  const listed = isLarge
    ? all.filter((each) => chosen.has(each))
    : all.map((each) => (chosen.has(each) ? each : { ...each, rings: [] }))
  return { paddocks: listed, changes, zone }
}

/** As many records as a map takes: those that stand out first, then new ones, then unchanged ones, evenly. */
function chosenOf(all: readonly Paddock[], urgent: ReadonlySet<Paddock>): readonly Paddock[] {
  const kinds = Object.groupBy(all, (each) =>
    urgent.has(each) || (each.outcome !== 'created' && each.outcome !== 'unchanged') ? 'standsOut' : each.outcome,
  )
  const chosen: Paddock[] = []
  for (const kind of [kinds.standsOut, kinds.created, kinds.unchanged])
    chosen.push(...evenly(kind ?? [], mostDrawn - chosen.length))
  return chosen
}

function evenly<T>(all: readonly T[], most: number): readonly T[] {
  return all.length <= most
    ? all
    : Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)]!)
}

type Became = {
  readonly row: number
  readonly key: string | null
  readonly outcome: RowOutcome
  readonly record: number | null
  readonly action: RecordAction | null
  readonly state: string | null
  readonly hasProblem: number
  readonly isRead: number
}

/** The rows that were pictured, and of a large file those with a problem that was found later; `urgent` have a problem. */
function rowsOf(stage: Stage, { isDryRun, isLarge }: { readonly isDryRun: boolean; readonly isLarge: boolean }) {
  const found = stage.recall('pictured') ?? []
  const pictured = new Map(found.map((each) => [`${each.row} ${each.key}`, each]))
  const rows = stage.query<Became>(
    `WITH urgent AS MATERIALIZED (SELECT DISTINCT row FROM problems WHERE severity <> 'note'),
       step AS MATERIALIZED (SELECT count(*) / ${mostDrawn} + 1 AS n FROM urgent)
     SELECT rows.row, rows.key, outcome, rows.record, action, state, rows.row IN urgent AS hasProblem,
       rows.row IN urgent AND rows.rowid % (SELECT n FROM step) = 0 AS isRead
     FROM rows LEFT JOIN records ON records.id = rows.record LEFT JOIN receipts ON receipts.record = rows.record
     WHERE outcome <> 'skipped' AND (rows.row IN (SELECT value FROM json_each(?)) OR isRead) ORDER BY rows.rowid`,
    JSON.stringify(found.map(({ row }) => row)),
  )
  // Rows that were rejected once all were read. Which of several with one key a row was, the stage does not keep.
  const voided = stage.query<{ key: string; id: number }>(
    `SELECT key, min(id) AS id FROM records WHERE action = 'void' AND ${uncommon} GROUP BY key HAVING count(*) = 1`,
  )
  const rejected = new Map(voided.map((each) => [each.key, each.id]))
  const urgent = new Set<Paddock>()
  const paddocks = rows.flatMap(({ row, key, outcome, record, action, state, hasProblem, isRead }) => {
    const shown = pictured.get(`${row} ${key}`)
    // The other rows of a record.
    if (shown === undefined && !isLarge) return []
    const isDrawn = (shown?.rings.length ?? 0) > 0
    const id = isRead === 1 && !isDrawn ? (record ?? rejected.get(key ?? '')) : undefined
    const body = id === undefined ? undefined : stage.bodyOf(id)
    const now = body === undefined ? {} : pictureBody(row, key ?? '', readBody(body))
    const became = outcome === 'ready' ? sentAs(action, state, isDryRun) : outcome
    const paddock = { row, key, rings: [], ...shown, ...now, id: key === null ? '' : idInKey(key), outcome: became }
    if (hasProblem === 1) urgent.add(paddock)
    return [paddock]
  })
  return { paddocks, urgent }
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
     WHERE action IN ('create', 'update') ORDER BY records.id LIMIT ${mostListed}`,
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
     WHERE action IN ('delete', 'keep') AND ${uncommon} ORDER BY records.id LIMIT ${mostListed}`,
  )
  return gone.map(({ key, action, before, state }) => {
    const { areaM2, ...shown } = pictureBody(-1, key, before === null ? {} : readBody(before))
    const isDeleted = action === 'delete' && (isDryRun || state === 'accepted')
    const outcome = state === 'refused' ? 'refused' : isDeleted ? 'deleted' : 'kept'
    return { ...shown, ...(areaM2 === undefined ? {} : { beforeM2: areaM2 }), id: idInKey(key), outcome }
  })
}
