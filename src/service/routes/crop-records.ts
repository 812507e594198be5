/**
 * Loads crop records from a file (`serve --load`), stores and finds them. A record belongs to its holding by identifier, not by number,
 * because records may be loaded before the holding that they name is published.
 */

import { isObject } from '../../core/values/exact-json.ts'
import { loadReceival, pastureCoverEvent, sampleAnalysis, samplePlan } from '../../resources/crop-observations.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { readSpelling, sourceIds } from '../../resources/spellings.ts'
import { check } from '../../resources/validation.ts'
import { workRecord } from '../../resources/work-record.ts'
import { quoted } from '../http/query.ts'
import { momentOf } from './publish.ts'
import { viewerParameters, visibleHoldings, type Viewer } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { inSlices, nextTurn } from '../http/share-thread.ts'
import { WindrowError } from '../../core/error.ts'

/** The lists that a file to load may have, with the type of their records. */
const cropLists = {
  workRecords: workRecord,
  pastureCoverEvents: pastureCoverEvent,
  loadReceivals: loadReceival,
  sampleAnalyses: sampleAnalysis,
  samplePlans: samplePlan,
} as const satisfies Readonly<Record<string, ResourceType>>

type CropList = keyof typeof cropLists

/** A crop record as it is stored: `body` is its JSON without the id. */
export type CropRecord = { readonly number: number; readonly id: string; readonly body: string }

/** Which records: of one holding by its number, or of all that the viewer may see; bounds in milliseconds, both included. */
export type CropSelection = {
  readonly type: ResourceType
  readonly viewer: Viewer
  readonly holding?: number | undefined
  readonly withDeleted?: boolean
  readonly bounds?: readonly CropBound[]
}

export type CropBound = {
  readonly column: 'observed' | 'consigned'
  readonly from: number | undefined
  readonly to: number | undefined
}

export type CropRecords = ReturnType<typeof cropRecordsIn>

/** The identifiers of the farms that the configuration gives to an account, or every farm. */
type OwnFarms = (account: number) => readonly Identifier[] | 'every'

/**
 * Makes the queries over the crop records of a store, in the order in which they were loaded. An account reads only those of its
 * own farms: publishing a holding under the identifier of somebody else's farm shows nothing.
 */
export function cropRecordsIn(store: Store, ownFarms: OwnFarms) {
  const byNumber = store.prepare('SELECT number, id, body FROM crop_records WHERE number = ?')
  const conditions = ({ type, viewer, holding, withDeleted, bounds = [] }: CropSelection) => {
    const holdings = holding === undefined ? visibleHoldings : '?'
    const limits = bounds.flatMap(({ column, from, to }) => [
      ...(from === undefined ? [] : [{ sql: `${column} >= ?`, value: from }]),
      ...(to === undefined ? [] : [{ sql: `${column} <= ?`, value: to }]),
    ])
    const own = ownFarms(viewer.account)
    const isOwn = `(holder_scheme, holder_id) IN (SELECT value ->> 'scheme', value ->> 'id' FROM json_each(?))`
    const sql = [
      'type = ?',
      `(holder_scheme, holder_id) IN (SELECT scheme, id FROM holding_identifiers WHERE holding IN (${holdings}))`,
      ...(own === 'every' ? [] : [isOwn]),
      ...(withDeleted === true ? [] : ['deleted = 0']),
      ...limits.map((each) => each.sql),
    ].join(' AND ')
    const owner = holding === undefined ? viewerParameters(viewer) : [holding]
    const listed = own === 'every' ? [] : [JSON.stringify(own)]
    return { sql, parameters: [type.name, ...owner, ...listed, ...limits.map(({ value }) => value)] }
  }
  return {
    /** How many there are, or how many up to and including a number. */
    count(selection: CropSelection, upTo = Number.MAX_SAFE_INTEGER): number {
      const { sql, parameters } = conditions(selection)
      const query = `SELECT count(*) AS matched FROM crop_records WHERE ${sql} AND number <= ?`
      const row = store.prepare(query).get(...parameters, upTo)
      return Number(row?.['matched'])
    },
    /** The records of a page; other requests run in between. */
    async *page(
      selection: CropSelection,
      page: { readonly limit: number; readonly offset: number },
    ): AsyncIterable<CropRecord> {
      const { sql, parameters } = conditions(selection)
      const turn = inSlices()
      await nextTurn()
      const query = `SELECT number FROM crop_records WHERE ${sql} ORDER BY number LIMIT ? OFFSET ?`
      for (const { number } of store.prepare(query).all(...parameters, page.limit, page.offset)) {
        yield byNumber.get(number as number) as CropRecord
        await turn()
      }
    },
    one(selection: CropSelection, id: string): CropRecord | undefined {
      const { sql, parameters } = conditions({ ...selection, withDeleted: true })
      const query = `SELECT number, id, body FROM crop_records WHERE ${sql} AND id = ?`
      return store.prepare(query).get(...parameters, id) as CropRecord | undefined
    },
  }
}

/** What loading needs. `isHidden` is true for a farm whose records no account may read. */
type CropLoader = {
  readonly store: Store
  readonly newId: () => string
  readonly isHidden: (farm: Identifier) => boolean
}

/**
 * Stores records. One with a known id or source id replaces the stored one; each must name its holding. Of those that were refused,
 * `index` is the place in the list; `hidden` are the farms whose records no account may read.
 */
function loadCropRecords({ store, newId, isHidden }: CropLoader, type: ResourceType, list: readonly unknown[]) {
  const farms = new Map<string, Identifier>()
  const byId = store.prepare('SELECT number FROM crop_records WHERE type = ? AND id = ?')
  const bySource = store.prepare(
    'SELECT number FROM crop_records WHERE type = ? AND holder_scheme = ? AND holder_id = ? AND source = ?',
  )
  const columns = ['source', 'holder_scheme', 'holder_id', 'deleted', 'observed', 'consigned', 'body']
  const insert = store.prepare(
    `INSERT INTO crop_records (${columns.join(', ')}, type, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const replace = store.prepare(
    `UPDATE crop_records SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE number = ?`,
  )
  const take = (element: unknown): string | undefined => {
    const arrival = readArrival(type, element)
    if (typeof arrival === 'string') return arrival
    const { id, source, holder, deleted, observed, consigned, body } = arrival
    const sameId = id === undefined ? undefined : byId.get(type.name, id)
    const sameSource = source === null ? undefined : bySource.get(type.name, holder.scheme, holder.id, source)
    if (sameId !== undefined && sameSource !== undefined && sameId['number'] !== sameSource['number'])
      return 'Its id and its meta.sourceId belong to two different stored records. Correct one of them.'
    farms.set(JSON.stringify(holder), holder)
    const values = [source, holder.scheme, holder.id, deleted, observed, consigned, body] as const
    const existing = sameId ?? sameSource
    if (existing === undefined) insert.run(...values, type.name, id ?? newId())
    else replace.run(...values, existing['number'] as number)
    return undefined
  }
  return store.transaction(() => {
    const messages = list.map(take)
    const refused = messages.flatMap((message, index) => (message === undefined ? [] : [{ index, message }]))
    const hidden = [...farms.values()].filter(isHidden)
    return { stored: list.length - refused.length, refused, ...(hidden.length === 0 ? {} : { hidden }) }
  })
}

function readArrival(type: ResourceType, element: unknown) {
  if (!isObject(element)) return 'This is not a record: write an object { ... }.'
  const fault = check(type, element).find(({ severity }) => severity === 'error')
  if (fault !== undefined) return fault.message
  const { id, '@self': _, ...body } = readSpelling(type, element) as Readonly<Record<string, unknown>>
  const identifier = (body['holding'] as { readonly identifier?: Partial<Identifier> } | null | undefined)?.identifier
  if (typeof identifier?.scheme !== 'string' || typeof identifier.id !== 'string')
    return 'The record names no holding. Add holding.identifier with scheme and id.'
  const [source] = sourceIds(body['meta'])
  return {
    id: typeof id === 'string' && id !== '' ? id : undefined,
    source: source === undefined ? null : JSON.stringify([source.scheme, source.id]),
    holder: { scheme: identifier.scheme, id: identifier.id },
    deleted: (body['meta'] as { readonly isDeleted?: unknown } | undefined)?.isDeleted === true ? 1 : 0,
    observed: momentOf(body['observationDate']),
    consigned: momentOf(body['consignmentDate']),
    body: JSON.stringify({ resourceType: type.name, ...body }),
  }
}

/** Lists of crop records by name. */
export type LoadFile = { readonly [List in CropList]?: readonly unknown[] }

export type LoadSummary = { readonly [List in CropList]: ReturnType<typeof loadCropRecords> }

const listNames = Object.keys(cropLists) as readonly CropList[]

/** Stores the records of a file. Throws a WindrowError for a file of another form. */
export function loadFile(loader: CropLoader, content: unknown): LoadSummary {
  const file = readLoadFile(content)
  const loaded = listNames.map((name) => [name, loadCropRecords(loader, cropLists[name], file[name] ?? [])])
  return Object.fromEntries(loaded) as LoadSummary
}

function readLoadFile(file: unknown): LoadFile {
  const lists = isObject(file) ? Object.entries(file) : []
  const unknown = lists.find(([name]) => !(listNames as readonly string[]).includes(name))?.[0]
  const noList = lists.find(([, list]) => !Array.isArray(list))?.[0]
  if (unknown !== undefined) throw unloadable(`contains ${quoted(unknown)}, which is not a list that can be loaded`)
  if (noList !== undefined) throw unloadable(`contains ${quoted(noList)}, but it is not a list`)
  if (lists.length === 0) throw unloadable('contains no lists of records')
  return file as LoadFile
}

function unloadable(fault: string): WindrowError {
  return new WindrowError('option-invalid', `The file to load ${fault}.`, {
    hint: `It should look like { "workRecords": [ ... ] }. The lists may be ${listNames.join(', ')}.`,
  })
}
