/**
 * Stores, loads from a file (`serve --load`), finds and serves crop records (section 4.4). A record belongs to its holding by
 * identifier, not by number, because records may be loaded before the holding that they name is published.
 */

import { isObject } from '../../core/values/exact-json.ts'
import { loadReceival, pastureCoverEvent, sampleAnalysis, samplePlan } from '../../resources/crop-observations.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { readSpelling, sourceIds } from '../../resources/spellings.ts'
import { check } from '../../resources/validation.ts'
import { workRecord } from '../../resources/work-record.ts'
import { keyFault } from '../features/known-records.ts'
import { readMoment, quoted, readBound, readPage, readTruth, type Page } from '../http/query.ts'
import { viewerParameters, visibleHoldings, nobody, type Viewer, type Records } from '../store/records.ts'
import { objectsIn } from '../store/store-tables.ts'
import type { Store } from '../store/store.ts'
import { inSlices, nextTurn } from '../http/share-thread.ts'
import { WindrowError } from '../../core/error.ts'
import { mediaTypes, Refusal, written } from '../http/responses.ts'
import { get, type Call, type Route } from '../http/router.ts'

/** The lists that a file to load may have, with the type of their records. */
const cropLists = {
  workRecords: workRecord,
  pastureCoverEvents: pastureCoverEvent,
  loadReceivals: loadReceival,
  sampleAnalyses: sampleAnalysis,
  samplePlans: samplePlan,
} as const satisfies Readonly<Record<string, ResourceType>>

type CropList = keyof typeof cropLists

/** The outcome of loading: `index` is the place in the list, `hidden` are the farms whose records no account may read. */
export type Loaded = {
  readonly stored: number
  readonly refused: readonly { readonly index: number; readonly message: string }[]
  readonly hidden?: readonly Identifier[]
}

/** A crop record as it is stored: `body` is its JSON without the id. */
export type CropRecord = { readonly number: number; readonly id: string; readonly body: Uint8Array }

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
export type OwnFarms = (account: number) => readonly Identifier[] | 'every'

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
    const isOwn = `(holder_scheme, holder_id) IN (SELECT value ->> 'scheme', value ->> 'id' FROM ${objectsIn(store)})`
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
export type CropLoader = {
  readonly store: Store
  readonly newId: () => string
  readonly isHidden: (farm: Identifier) => boolean
}

/** Stores records. One with a known id or source id replaces the stored one; each must name its holding. */
function loadCropRecords({ store, newId, isHidden }: CropLoader, type: ResourceType, list: readonly unknown[]): Loaded {
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
    const unfit = keyFault([id, source, `${holder.scheme} ${holder.id}`])
    if (unfit !== undefined) return unfit
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
    body: Buffer.from(JSON.stringify({ resourceType: type.name, ...body })),
  }
}

function momentOf(value: unknown): number | null {
  return typeof value === 'string' ? (readMoment(value, 'first') ?? null) : null
}

/** Lists of crop records by name. */
export type LoadFile = { readonly [List in CropList]?: readonly unknown[] }

export type LoadSummary = { readonly [List in CropList]: Loaded }

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
  if (lists.length > 0 && unknown === undefined && noList === undefined) return file as LoadFile
  const fault =
    unknown !== undefined
      ? `contains ${quoted(unknown)}, which is not a list that can be loaded`
      : noList !== undefined
        ? `contains ${quoted(noList)}, but it is not a list`
        : 'contains no lists of records'
  throw new WindrowError('option-invalid', `The file to load ${fault}.`, {
    hint: `It should look like { "workRecords": [ ... ] }. The lists may be ${listNames.join(', ')}.`,
  })
}

/** The sources that the crop routes read. */
export type CropSource = { readonly crops: CropRecords; readonly records: Records }

/** One kind of record and where it is served. `dates` are the members that `...From` and `...To` limit. */
type Served = {
  readonly type: ResourceType
  readonly of: readonly ('holding' | 'all')[]
  readonly dates: readonly (readonly [parameter: string, column: CropBound['column']])[]
  readonly hidesDeleted?: boolean
  readonly hasSelf?: boolean
}

const paging = ['limit', 'offset', 'after']
const observed = ['ObservationDate', 'observed'] as const
const consigned = ['ConsignmentDate', 'consigned'] as const

const servedKinds: readonly Served[] = [
  { type: loadReceival, of: ['holding'], dates: [observed, consigned] },
  { type: pastureCoverEvent, of: ['holding', 'all'], dates: [], hidesDeleted: true },
  { type: sampleAnalysis, of: ['holding'], dates: [observed] },
  { type: samplePlan, of: ['holding'], dates: [observed] },
  // The interface document has no route for a single work record, but its @self needs an address.
  { type: workRecord, of: ['all'], dates: [], hasSelf: true },
]

/** The routes of the crop data API. Records of a holding that the caller may not see look as if they did not exist. */
export function cropRoutes(source: CropSource): readonly Route[] {
  return servedKinds.flatMap((served) =>
    served.of.flatMap((whose) => {
      const path = `/data${whose === 'holding' ? '/holdings/:holdingId' : ''}/crops/${served.type.plural}`
      const query = [
        ...paging,
        ...served.dates.flatMap(([name]) => [`${name}From`, `${name}To`]),
        ...(served.hidesDeleted === true ? ['includeDeleted'] : []),
      ]
      return [
        get(path, (call) => list(call, source, served), { query, isRegional: true }),
        get(`${path}/:id`, (call) => single(call, source, served), { isRegional: true }),
      ]
    }),
  )
}

function selectionOf(call: Call, { records }: CropSource, { type }: Served): CropSelection {
  const id = call.parameter('holdingId')
  if (id === '') return { type, viewer: call.viewer }
  const holding = records.visibleById(id, 'holdings', call.viewer)
  return { type, viewer: call.viewer, holding: holding?.number ?? nobody }
}

async function list(call: Call, source: CropSource, served: Served): Promise<Response> {
  const asked = readPage(call.query, 100, 1)
  const withDeleted = served.hidesDeleted === true ? readTruth(call.query, 'includeDeleted') : false
  const bounds = served.dates.map(([name, column]) => ({ column, ...readBounds(call.query, name) }))
  const selection = { ...selectionOf(call, source, served), withDeleted, bounds }
  const matched = source.crops.count(selection)
  const { limit, after } = asked
  const page = { limit, offset: after === undefined ? asked.offset : source.crops.count(selection, after[0]) }
  const items: string[] = []
  let characters = 0
  let last = 0
  for await (const record of source.crops.page(selection, page)) {
    const text = recordText(record, served, call.base)
    items.push(text)
    characters += text.length
    last = record.number
    if (characters > mostPageCharacters) break
  }
  return pageOf(call, page, { matched, items, last })
}

// Work records contain the tracks of machines.
const mostPageCharacters = 64 * 1024 * 1024

function readBounds(query: URLSearchParams, name: string): Pick<CropBound, 'from' | 'to'> {
  const from = readBound(query, `${name}From`, 'first')
  const to = readBound(query, `${name}To`, 'last')
  if (from !== undefined && to !== undefined && from > to)
    throw new Refusal(
      400,
      `${name}From is after ${name}To. From is the earlier date and To the later one; both are included.`,
    )
  return { from, to }
}

function single(call: Call, source: CropSource, served: Served): Response {
  const id = call.parameter('id')
  const record = source.crops.one(selectionOf(call, source, served), id)
  if (record === undefined)
    throw new Refusal(404, `The ${served.type.title.toLowerCase()} ${quoted(id)} was not found.`)
  return written(recordText(record, served, call.base), { 'Content-Type': mediaTypes.json })
}

function recordText({ id, body }: CropRecord, { type, hasSelf }: Served, base: string): string {
  const self = `${base}/data/crops/${type.plural}/${encodeURIComponent(id)}`
  const given = JSON.stringify({ id, ...(hasSelf === true ? { '@self': self } : {}) })
  return `${given.slice(0, -1)},${Buffer.from(body.buffer, body.byteOffset, body.length).toString().slice(1)}`
}

// Pages count from 1, offsets from 0; a link to an empty page is null (ruling on crop paging). The interface wants an offset in
// every link. `after` decides, because offsets shift when a record is deleted.
function pageOf(
  call: Call,
  { limit, offset }: Page,
  { matched, items, last }: { readonly matched: number; readonly items: readonly string[]; readonly last: number },
): Response {
  const others = new URLSearchParams(call.query)
  for (const name of paging) others.delete(name)
  const filters = others.size === 0 ? '' : `${others.toString()}&`
  const at = (begin: string): string => `${call.base}${call.path}?${filters}limit=${limit}&${begin}`
  const totalPages = Math.ceil(matched / limit)
  const next = offset + items.length
  const head = JSON.stringify({
    totalPages,
    itemsPerPage: limit,
    offset,
    totalItems: matched,
    page: Math.floor(offset / limit) + 1,
    links: {
      first: at('offset=0'),
      next: items.length > 0 && next < matched ? at(`offset=${next}&after=${last}`) : null,
      previous: offset > 0 ? at(`offset=${Math.max(0, offset - limit)}`) : null,
      last: at(`offset=${Math.max(0, totalPages - 1) * limit}`),
    },
  })
  return written(`${head.slice(0, -1)},"items":[${items.join(',\n')}]}`, { 'Content-Type': mediaTypes.json })
}
