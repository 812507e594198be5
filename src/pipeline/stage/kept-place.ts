/** Finds the record of a row whose key has a place, so that the record keeps its key when its boundary is redrawn. */

import { distanceKm } from '../../geometry/crs/area.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { dataPointKey, idInKey } from '../../resources/keys.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'

type Row = {
  readonly type: ResourceType
  readonly holding: Identifier
  /** The row's own key: the other parts, then the place. */
  readonly sourceId: string
  readonly areaM2: number
}

/**
 * The key under which a record with the same other parts is known nearest to the row's place; else the row's own. A place counts
 * as the same within half the width of a square of the row's area: a neighbour's centroid is further away.
 */
export function keptPlace({ type, holding, sourceId, areaM2 }: Row, ledger: Pick<Ledger, 'keysWith'>): string {
  const place = placeIn(sourceId)
  if (place === undefined) return sourceId
  let kept = sourceId
  let nearest = Math.sqrt(areaM2) / 2 / 1000
  for (const key of ledger.keysWith(dataPointKey({ type, holding, sourceId: place.before }))) {
    const known = idInKey(key)
    const other = placeIn(known)
    if (other === undefined || other.before !== place.before) continue
    const distance = distanceKm(place, other)
    if (distance > nearest) continue
    nearest = distance
    kept = known
  }
  return kept
}

function placeIn(
  sourceId: string,
): { readonly before: string; readonly lat: number; readonly lon: number } | undefined {
  const [, before, lat, lon] = /^(.+\/)(-?\d+\.\d{5}),(-?\d+\.\d{5})$/s.exec(sourceId) ?? []
  return before === undefined ? undefined : { before, lat: Number(lat), lon: Number(lon) }
}
