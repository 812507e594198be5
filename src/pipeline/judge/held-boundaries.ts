/** Adds the boundaries near those that were staged, to compare them: of the service's other records, and of rows that are the same. */

import { indexBoxes, type BoxIndex } from '../../geometry/validity/box-index.ts'
import { gridOutlineOf, gridSteps, turnSteps } from '../../geometry/coverage/boundary-grid.ts'
import { boundaryOf, readBody } from '../../ledger/content.ts'
import type { Land } from '../../ledger/source-rows.ts'
import { areaOf, type Bbox } from '../../geometry/measure/measure.ts'
import { windRings } from '../../geometry/measure/rings.ts'
import { boxIn, type About, type BoundaryStore } from '../stage/boundary-store.ts'
import { datasetOf } from '../stage/import-job.ts'
import type { Judging } from '../settle/judging.ts'

// As far as from a large field's centre to its fence.
const nearDegrees = 0.05

/** Adds them to the store: those of other rows are there already. */
export function addHeldBoundaries(boundaries: BoundaryStore, { job, stage, ledger, sameRows }: Judging): void {
  const add = (body: string, about: About): void => {
    const shape = boundaryOf(readBody(body))
    if (shape === undefined) return
    const wound = windRings(shape)
    const outline = gridOutlineOf(wound)
    if (outline !== undefined) boundaries.add({ outline, about, areaM2: areaOf(wound) })
  }
  const rowOf = sameRows?.near(nearBoxes(boundaries)) ?? new Map<number, number>()
  const box = stage.recall('passed')?.bbox
  const absent = sameRows?.absent()
  if (box !== undefined) {
    const near = { box, degrees: nearDegrees }
    const own = absent && { pipeline: job.name, absent }
    for (const { key, body } of ledger.standingNear(datasetOf(job), near, own))
      if (mayLieNear(body, box) && !stage.hasRow(key)) add(body, { key })
  }
  for (const { id, key, body } of ledger.standingWith([...rowOf.keys()])) add(body, { key, row: rowOf.get(id) })
}

/** Makes the function that finds whether a box meets one of the stored ones. */
function nearBoxes({ count, records }: BoundaryStore): (land: Land) => boolean {
  let known: { readonly index: BoxIndex; readonly isBeyond: boolean } | undefined
  const look = (): NonNullable<typeof known> => {
    const boxes = new Uint32Array(count * 4)
    let at = 0
    for (const record of records.each()) {
      boxes.set(boxIn(record), at)
      at += 4
    }
    return { index: indexBoxes(boxes), isBeyond: boxes.some((edge, place) => place % 4 === 2 && edge > turnSteps) }
  }
  return ([, west, south, east, north]) => {
    const { index, isBeyond } = (known ??= look())
    const [from, bottom, top] = [(west + 180) * gridSteps, (south + 90) * gridSteps, (north + 90) * gridSteps]
    const to = (east + (east < west ? 540 : 180)) * gridSteps
    const meets = (turned: number): boolean => index.visit(from + turned, bottom, to + turned, top, () => true)
    // A boundary across 180 degrees continues beyond the grid.
    return meets(0) || ((isBeyond || to > turnSteps) && (meets(-turnSteps) || meets(turnSteps)))
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
