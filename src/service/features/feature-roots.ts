/**
 * Defines the addresses of feature collections: below /ogc, below each holding, and below a separate root for each holding. QGIS
 * needs that root because it builds addresses from the landing page, GDAL because it cuts an address at the first /collections/.
 */

import { publishedTypes } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { bareMembers } from '../store/json-spans.ts'
import { quoted } from '../http/query.ts'
import type { Records } from '../store/records.ts'
import { Refusal } from '../http/responses.ts'
import type { Call } from '../http/router.ts'

const typesOfHolding = publishedTypes.filter(({ plural }) => plural !== 'holdings')

/** An address with collections below it; `path` is its route, and a landing page where `isRoot` is true. */
export type Root = { readonly path: string; readonly types: readonly ResourceType[]; readonly isRoot: boolean }

export const featureRoots: readonly Root[] = [
  { path: '/ogc', types: publishedTypes, isRoot: true },
  { path: '/ogc/collections/holdings/:holdingId', types: typesOfHolding, isRoot: false },
  { path: '/ogc/farms/:holdingId', types: typesOfHolding, isRoot: true },
]

/** A root as requested: its address, and the holding whose records it shows. */
export type ResolvedRoot = { readonly address: string; readonly root: Root; readonly holding?: HoldingOfRoot }

type HoldingOfRoot = { readonly number: number; readonly name: string }

/** One collection as requested. */
export type Collection = { readonly type: ResourceType; readonly address: string; readonly holding?: HoldingOfRoot }

/** The root of a request. Refuses a holding that the caller cannot see. */
export function resolveRoot(call: Call, root: Root, records: Records): ResolvedRoot {
  if (!root.path.includes(':')) return { address: call.base + root.path, root }
  const id = call.parameter('holdingId')
  const holding = records.visibleById(id, 'holdings', call.viewer)
  if (holding === undefined)
    throw new Refusal(
      404,
      `The holding ${quoted(id)} was not found. /ogc/collections/holdings/items lists your holdings.`,
    )
  return {
    address: call.base + root.path.replace(':holdingId', holding.id),
    root,
    holding: { number: holding.number, name: nameIn(holding.body) },
  }
}

// Reads only the name: the rest may be a boundary of a megabyte.
function nameIn(body: Uint8Array): string {
  const member = bareMembers(body, { start: 0, end: body.length }).findLast(({ name }) => name === 'name')
  if (member === undefined) return 'a holding'
  const name: unknown = JSON.parse(Buffer.from(body.subarray(member.value, member.end)).toString())
  return typeof name === 'string' ? name : 'a holding'
}

/** The collection of a type below a root. */
export function collectionAt({ address, holding }: ResolvedRoot, type: ResourceType): Collection {
  const place = { type, address: `${address}/collections/${type.plural}` }
  return holding === undefined ? place : { ...place, holding }
}
