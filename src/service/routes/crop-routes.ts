/** Serves the crop data API (section 4.4): pages of crop records, and single ones. */

import { loadReceival, pastureCoverEvent, sampleAnalysis, samplePlan } from '../../resources/crop-observations.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { workRecord } from '../../resources/work-record.ts'
import { quoted, readBound, readPage, readTruth, type Page } from '../http/query.ts'
import { joined, mediaTypes, Refusal, written } from '../http/responses.ts'
import { get, type Call, type Route } from '../http/router.ts'
import { nobody, type Records } from '../store/records.ts'
import type { CropBound, CropRecord, CropRecords, CropSelection } from './crop-records.ts'

/** The sources that the crop routes read. */
type CropSource = { readonly crops: CropRecords; readonly records: Records }

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
  return joined(JSON.stringify({ id, ...(hasSelf === true ? { '@self': self } : {}) }), body)
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
