/** Warns of boundaries that lie far from the others of their farm: one was drawn or written in the wrong place. */

import { problem } from '../../core/problem.ts'
import { distanceKm } from '../../geometry/crs/area.ts'
import { degreesAt } from '../../geometry/coverage/boundary-grid.ts'
import { boxIn, numberIn, type BoundaryStore } from '../stage/boundary-store.ts'
import { placeOf } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'
import type { Position } from './new-and-held.ts'

/** Two boundaries of a farm seldom lie so far apart. */
export const farApartKm = 50

/** A chain of others connects two boundaries whose cells are the same or neighbours. */
const cellsPerDegree = 2
const cellsAround = 360 * cellsPerDegree

/** Warns of the boundaries of a file of one farm that no chain of others connects with most of them. */
export function warnOfStrays({ job, stage, source }: Judging, boundaries: BoundaryStore): void {
  if (job.mapping.holding === undefined) return
  const cells = new Map<string, { count: number; readonly place: Position }>()
  for (const { place } of placesIn(boundaries)) {
    const name = cellOf(place)
    const cell = cells.get(name) ?? { count: 0, place }
    cell.count += 1
    cells.set(name, cell)
  }
  const [home] = [...cells].toSorted(([, one], [, other]) => other.count - one.count)
  if (home === undefined || cells.size === 1) return
  const reached = new Set([home[0]])
  // A set that grows is walked to its end.
  for (const cell of reached) for (const next of cellsBeside(cell)) if (cells.has(next)) reached.add(next)
  const others = [...cells].reduce((sum, [cell, { count }]) => sum + (reached.has(cell) ? 0 : count), 0)
  if (others === 0 || others * 2 >= boundaries.own) return
  for (const { boundary, place } of placesIn(boundaries)) {
    const km = distanceKm(place, home[1].place)
    if (reached.has(cellOf(place)) || km <= farApartKm) continue
    const { record } = boundaries.about(boundary) as { readonly record: number }
    warnOfStray({ stage, source }, record, { km, from: 'most others of the file', place })
  }
}

/** Warns of the boundary of a record, unless it is rejected or as it was before. */
export function warnOfStray(
  { stage, source }: Pick<Judging, 'stage' | 'source'>,
  id: number,
  { km, from, place: { lat, lon } }: { readonly km: number; readonly from: string; readonly place: Position },
): void {
  const changed = `SELECT key FROM records WHERE id = ? AND action IN ('create', 'update')`
  const [record] = stage.query<{ key: string }>(changed, id)
  const [at] = record === undefined ? [] : stage.rowsOf(record.key)
  if (at === undefined) return
  stage.addProblem(
    problem('boundary-far', placeOf(at, source), {
      message: `The boundary lies ${Math.round(km)} km from ${from}, at ${lat.toFixed(5)}, ${lon.toFixed(5)}.`,
      hint: 'Was it drawn or written in the wrong place? Look at it on a map.',
    }),
  )
}

/** The middle of each boundary of a run. */
export function* placesIn({
  own,
  records,
}: BoundaryStore): Generator<{ readonly boundary: number; readonly place: Position }> {
  for (const record of records.each()) {
    const boundary = numberIn(record)
    if (boundary >= own) return
    const [west, south, east, north] = boxIn(record) as unknown as readonly [number, number, number, number]
    yield { boundary, place: degreesAt((west + east) / 2, (south + north) / 2) }
  }
}

function cellOf({ lon, lat }: Position): string {
  return `${Math.floor((lon + 180) * cellsPerDegree) % cellsAround} ${Math.floor(lat * cellsPerDegree)}`
}

/** The cell itself and its eight neighbours. */
function cellsBeside(cell: string): readonly string[] {
  const [x, y] = cell.split(' ').map(Number) as [number, number]
  return [-1, 0, 1].flatMap((east) =>
    [-1, 0, 1].map((north) => `${(x + east + cellsAround) % cellsAround} ${y + north}`),
  )
}
