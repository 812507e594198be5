/** Adds nearby boundaries of the service's other records, to compare them with those of the run. */

import { shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { readBody } from '../../ledger/content.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { gridOutlineOf } from '../../geometry/coverage/grid-outline.ts'
import { areaOf, type Bbox } from '../../geometry/measure/measure.ts'
import { windRings } from '../../geometry/measure/rings.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import type { Stage } from '../stage/stage-store.ts'

// As far as from a large field's centre to its fence.
const nearDegrees = 0.05

/** Adds them to the store, without the records of the file itself. */
export function addHeldBoundaries(
  boundaries: BoundaryStore,
  { stage, ledger, dataset }: { readonly stage: Stage; readonly ledger: Ledger; readonly dataset: string },
): void {
  const box = stage.recall<{ bbox?: Bbox }>('passed')?.bbox
  if (box === undefined) return
  for (const { key, body } of ledger.standing(dataset)) {
    if (!mayLieNear(body, box) || stage.hasRow(key)) continue
    const feature = readBody(body)['spatialFeature'] as { readonly geometry?: unknown } | null | undefined
    const shape = shapeFromGeoJson(feature?.geometry)
    if (typeof shape === 'string') continue
    const wound = windRings(shape)
    const outline = gridOutlineOf(wound)
    if (outline !== undefined) boundaries.add({ outline, about: { key }, areaM2: areaOf(wound) })
  }
}

const centroid = /"centroid":\{"type":"Point","coordinates":\[([-\d.e]+),([-\d.e]+)/

/** Checks only the text, because most records lie elsewhere and need no parsing. */
function mayLieNear(body: string, [west, south, east, north]: Bbox): boolean {
  const found = centroid.exec(body)
  if (found === null) return body.includes('"Polygon"') || body.includes('"MultiPolygon"')
  const [lon, lat] = [Number(found[1]), Number(found[2])]
  const width = (east - west + 360) % 360
  const fromWest = (lon - west + nearDegrees + 720) % 360
  return fromWest <= width + 2 * nearDegrees && lat >= south - nearDegrees && lat <= north + nearDegrees
}
