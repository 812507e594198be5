/** Hides the crop data API (section 4.4) as far as work records go: reading them in pages, and bringing them in. */

import type { Identifier } from '../resources/resource-type.ts'
import { readSpelling, sourceIds } from '../resources/spellings.ts'
import { check } from '../resources/validation.ts'
import { workRecord } from '../resources/work-record.ts'
import { quoted, readPage, type Page } from './query.ts'
import { mediaTypes, problem, written } from './responses.ts'
import type { Call, Route } from './router.ts'
import type { Store } from './store.ts'

/** What the crop routes read from and write to. */
export type CropStore = { readonly store: Store; readonly newId: () => string }

/** What became of records that were brought in: `index` is the place in the list. */
export type Loaded = {
  readonly stored: number
  readonly refused: readonly { readonly index: number; readonly message: string }[]
}

const path = '/data/crops/work-records'
// By identifier, not by number: records may be brought in before the holding that they name is published.
const visible = `(holder_scheme, holder_id) IN
  (SELECT scheme, id FROM holding_identifiers JOIN connections USING (holding) WHERE account = ?)`

/** The routes of work records: the list, and each record at the address that its `@self` gives. */
export function cropRoutes({ store }: CropStore): readonly Route[] {
  const count = store.prepare(`SELECT count(*) AS matched FROM work_records WHERE ${visible}`)
  const list = store.prepare(`SELECT id, body FROM work_records WHERE ${visible} ORDER BY number LIMIT ? OFFSET ?`)
  const one = store.prepare(`SELECT id, body FROM work_records WHERE id = ? AND ${visible}`)
  const route = (at: string, query: readonly string[], answer: Route['answer']): Route => ({
    method: 'GET',
    path: at,
    access: 'account',
    query,
    answer,
  })
  return [
    route(path, ['limit', 'offset'], (call) => {
      const page = readPage(call.query, 100)
      if (typeof page === 'string') return problem(call.path, 400, page)
      const matched = Number(count.get(call.account!.number)?.['matched'])
      const rows = list.all(call.account!.number, page.limit, page.offset) as unknown as readonly WorkRow[]
      return pageOf(call, page, { matched, items: rows.map((row) => workRecordText(row, call.base)) })
    }),
    route(`${path}/:id`, [], (call) => {
      const id = call.parameter('id')
      const row = one.get(id, call.account!.number) as WorkRow | undefined
      if (row === undefined) return problem(call.path, 404, `There is no work record ${quoted(id)}.`)
      return written(workRecordText(row, call.base), { 'Content-Type': mediaTypes.json })
    }),
  ]
}

type WorkRow = { readonly id: string; readonly body: Uint8Array }

function workRecordText({ id, body }: WorkRow, base: string): string {
  const given = JSON.stringify({ id, '@self': `${base}${path}/${encodeURIComponent(id)}` })
  return `${given.slice(0, -1)},${Buffer.from(body).toString().slice(1)}`
}

// Pages count from 1, offsets from 0; a link to where there is nothing is null (ruling on crop paging).
function pageOf(
  call: Call,
  { limit, offset }: Page,
  { matched, items }: { readonly matched: number; readonly items: readonly string[] },
): Response {
  const at = (from: number): string => `${call.base}${path}?limit=${limit}&offset=${from}`
  const totalPages = Math.ceil(matched / limit)
  const head = JSON.stringify({
    totalPages,
    itemsPerPage: limit,
    offset,
    totalItems: matched,
    page: Math.floor(offset / limit) + 1,
    links: {
      first: at(0),
      next: offset + limit < matched ? at(offset + limit) : null,
      previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
      last: at(Math.max(0, totalPages - 1) * limit),
    },
  })
  return written(`${head.slice(0, -1)},"items":[${items.join(',\n')}]}`, { 'Content-Type': mediaTypes.json })
}

/** Brings work records in. One that is there already, by its id or its source id, is replaced; each must name its holding. */
export function loadWorkRecords({ store, newId }: CropStore, list: readonly unknown[]): Loaded {
  const byId = store.prepare('SELECT number, id FROM work_records WHERE id = ?')
  const bySource = store.prepare('SELECT number, id FROM work_records WHERE source = ?')
  const insert = store.prepare(
    'INSERT INTO work_records (id, source, holder_scheme, holder_id, body) VALUES (?, ?, ?, ?, ?)',
  )
  const replace = store.prepare(
    'UPDATE work_records SET source = ?, holder_scheme = ?, holder_id = ?, body = ? WHERE number = ?',
  )
  const take = (element: unknown): string | undefined => {
    const arrival = readWorkRecord(element)
    if (typeof arrival === 'string') return arrival
    const { id, source, holder, body } = arrival
    const sameId = id === undefined ? undefined : byId.get(id)
    const sameSource = source === null ? undefined : bySource.get(source)
    if (sameId !== undefined && sameSource !== undefined && sameId['number'] !== sameSource['number'])
      return 'Its id and its meta.sourceId belong to two different work records.'
    const existing = sameId ?? sameSource
    if (existing === undefined) insert.run(id ?? newId(), source, holder.scheme, holder.id, body)
    else replace.run(source, holder.scheme, holder.id, body, existing['number'] as number)
    return undefined
  }
  return store.transaction(() => {
    const messages = list.map(take)
    const refused = messages.flatMap((message, index) => (message === undefined ? [] : [{ index, message }]))
    return { stored: list.length - refused.length, refused }
  })
}

type Arrival = {
  readonly id: string | undefined
  readonly source: string | null
  readonly holder: Identifier
  readonly body: Uint8Array
}

function readWorkRecord(element: unknown): Arrival | string {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return 'This is not an object.'
  const fault = check(workRecord, element).find(({ severity }) => severity === 'error')
  if (fault !== undefined) return fault.message
  const { id, '@self': _, ...body } = readSpelling(workRecord, element) as Readonly<Record<string, unknown>>
  const identifier = (body['holding'] as { readonly identifier?: Identifier } | null | undefined)?.identifier
  if (identifier === undefined) return 'It does not say whose it is: holding.identifier is missing.'
  const [source] = sourceIds(body['meta'])
  return {
    id: typeof id === 'string' && id !== '' ? id : undefined,
    source: source === undefined ? null : JSON.stringify([source.scheme, source.id]),
    holder: identifier,
    body: Buffer.from(JSON.stringify({ resourceType: workRecord.name, ...body })),
  }
}
