/**
 * Hides where collections of features stand: below /ogc, below each holding, and below a root of its own for each holding, because
 * QGIS builds addresses from the landing page and GDAL cuts an address at the first /collections/.
 */

import { publishedTypes } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { bareMembers } from '../store/json-spans.ts'
import { quoted } from '../http/query.ts'
import type { Records } from '../store/records.ts'
import { problem } from '../http/responses.ts'
import type { Call } from '../http/router.ts'

const typesOfHolding = publishedTypes.filter(({ plural }) => plural !== 'holdings')

/** A place for collections; `path` is its route, and a landing page where `isRoot` is true. */
export type Root = { readonly path: string; readonly types: readonly ResourceType[]; readonly isRoot: boolean }

export const featureRoots: readonly Root[] = [
  { path: '/ogc', types: publishedTypes, isRoot: true },
  { path: '/ogc/collections/holdings/:holdingId', types: typesOfHolding, isRoot: false },
  { path: '/ogc/farms/:holdingId', types: typesOfHolding, isRoot: true },
]

/** A root as it is asked for: its address, and the holding whose records it shows. */
export type Standing = { readonly address: string; readonly root: Root; readonly holding?: HoldingOfRoot }

type HoldingOfRoot = { readonly number: number; readonly name: string }

/** One collection as it is asked for. */
export type Collection = { readonly type: ResourceType; readonly address: string; readonly holding?: HoldingOfRoot }

/** Where a request stands, or the answer to give instead: the holding is not there for the caller. */
export function standingOf(call: Call, root: Root, records: Records): Standing | Response {
  if (!root.path.includes(':')) return { address: call.base + root.path, root }
  const id = call.parameter('holdingId')
  const holding = records.visibleById(id, 'holdings', call.viewer)
  if (holding === undefined) return problem(call.path, 404, `There is no holding ${quoted(id)}.`)
  return {
    address: call.base + root.path.replace(':holdingId', holding.id),
    root,
    holding: { number: holding.number, name: nameIn(holding.body) },
  }
}

// Without parsing the rest, which may be a boundary of a megabyte.
function nameIn(body: Uint8Array): string {
  const member = bareMembers(body, { start: 0, end: body.length }).findLast(({ name }) => name === 'name')
  if (member === undefined) return 'a holding'
  const name: unknown = JSON.parse(Buffer.from(body.subarray(member.value, member.end)).toString())
  return typeof name === 'string' ? name : 'a holding'
}

/** A collection that stands there. */
export function collectionAt({ address, holding }: Standing, type: ResourceType): Collection {
  const place = { type, address: `${address}/collections/${type.plural}` }
  return holding === undefined ? place : { ...place, holding }
}
