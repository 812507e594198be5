/** Finds how far the boundaries of a run lie from those of their farm, from where they were, or from the farm, and has that judged. */

import { isAllowed } from '../../core/rule.ts'
import { farApartKm } from '../../core/shape.ts'
import { degreesAt } from '../../geometry/coverage/boundary-grid.ts'
import { distanceKm, type Near, type Position } from '../../geometry/crs/area.ts'
import { placeIn, readBody } from '../../ledger/content.ts'
import { idInKey } from '../../resources/keys.ts'
import {
  far,
  fewestFar,
  firstFar,
  mostFar,
  placedRecordRules,
  type Distance,
  type PlacedRecord,
} from '../../rules/place.ts'
import { boxIn, numberIn, type BoundaryStore } from '../stage/boundary-store.ts'
import { placeOf, uncommon, type Stage } from '../stage/stage-store.ts'
import type { NewAndKnown } from './candidates.ts'
import { farmNamesIfShown, find, findAndReject, type Judging } from './judging.ts'

type RecordDistance = Distance & {
  /** The record in the stage. */
  readonly id: number
}

/**
 * Judges where the boundaries of a run lie. `findFarm` finds the place of the farm itself. Returns true where most are found to lie far
 * away, or may: then no other rule need judge that.
 */
export async function judgePlaces(
  judging: Judging,
  land: NewAndKnown | undefined,
  findFarm: (() => Promise<Near | undefined>) | undefined,
): Promise<boolean> {
  const { job, stage, boundaries } = judging
  const mayMove = isAllowed(far, job.policy)
  if (boundaries === undefined) return mayMove
  const { plural } = job.type
  const distances = [...distancesOfNew(land), ...distancesOfMoved(stage)]
  if (distances.length === 0) {
    judgeStrays(judging, boundaries)
    await judgeFirst(judging, boundaries, findFarm)
    return mayMove
  }
  const most = mostFar(distances)
  if (most !== undefined) {
    const names = await farmNamesIfShown(judging)
    const farm = names?.(readBody(stage.bodyOf(most.first.id)!)) ?? 'the farm'
    find(judging, [far], { distances, farm, plural })
    return true
  }
  stage.together(() => {
    for (const { id, isMoved, ...each } of distances)
      if (each.km > farApartKm && !(isMoved && mayMove))
        judgePlaced(judging, id, { ...each, from: isMoved ? 'its former place' : 'the nearest one of the farm' })
  })
  return mayMove
}

/** Judges the first boundaries of a farm, by the coordinate system and the place of the farm. */
async function judgeFirst(
  judging: Judging,
  boundaries: BoundaryStore,
  findFarm: (() => Promise<Near | undefined>) | undefined,
): Promise<void> {
  const { job, stage } = judging
  if (stage.countNew() < fewestFar) return
  const doubt = job.table.found().find(({ code }) => code === 'crs-out-of-area')
  const { plural } = job.type
  find(judging, [far], { distances: [], doubt, farm: 'the farm', plural })
  const home = await findFarm?.()
  if (home === undefined) return
  const places = Array.from(placesIn(boundaries), ({ place }) => place)
  const distances = places.map((place) => ({ place, nearest: home, km: distanceKm(place, home), isMoved: false }))
  find(judging, [firstFar], { distances, farm: home.name, plural })
}

/** From the nearest boundary that its farm has. A farm without boundaries has no distance. */
function* distancesOfNew(land: NewAndKnown | undefined): Generator<RecordDistance> {
  if (land === undefined) return
  const placesOf = new Map<string, Map<string, Position>>()
  for (const { holding: farm, place } of land.known.values()) {
    if (place === undefined) continue
    const places = placesOf.get(farm) ?? new Map<string, Position>()
    placesOf.set(farm, places)
    // One of each square kilometre is enough.
    places.set(`${place.lon.toFixed(2)} ${place.lat.toFixed(2)}`, place)
  }
  for (const { id, holding: farm, place } of land.created.values()) {
    let found: RecordDistance | undefined
    for (const nearest of (place && placesOf.get(farm)?.values()) ?? []) {
      const km = distanceKm(place!, nearest)
      if (found === undefined || km < found.km) found = { id, place: place!, nearest, km, isMoved: false }
      if (km <= farApartKm) break
    }
    if (found !== undefined) yield found
  }
}

/** From the record's own former boundary. */
function* distancesOfMoved(stage: Stage): Generator<RecordDistance> {
  const updates = stage.query<{ id: number; before: string }>(
    `SELECT id, substr(before, instr(before, '"coordinates":'), 100) AS before FROM records
     WHERE action = 'update' AND ${uncommon} AND instr(before, '"coordinates":') > 0`,
  )
  for (const { id, before } of updates) {
    const [nearest, place] = [placeIn(before), placeIn(stage.bodyOf(id) ?? '')]
    if (nearest === undefined || place === undefined) continue
    const km = distanceKm(place, nearest)
    if (km > 0) yield { id, place, nearest, km, isMoved: true }
  }
}

/** A chain of others connects two boundaries whose cells are the same or neighbours. */
const cellsPerDegree = 2
const cellsAround = 360 * cellsPerDegree

/** Judges the boundaries of a file of one farm that no chain of others connects with most of them. */
function judgeStrays(judging: Judging, boundaries: BoundaryStore): void {
  if (judging.job.mapping.holding === undefined) return
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
  const nearest = home[1].place
  for (const { boundary, place } of placesIn(boundaries)) {
    if (reached.has(cellOf(place))) continue
    const { record } = boundaries.about(boundary) as { readonly record: number }
    const km = distanceKm(place, nearest)
    judgePlaced(judging, record, { place, nearest, km, from: 'most others of the file' })
  }
}

/** Judges the boundary of a record, unless it is rejected or as it was before. */
function judgePlaced(judging: Judging, record: number, placed: Omit<PlacedRecord, 'at' | 'id'>): void {
  const { stage, source } = judging
  const changed = `SELECT key FROM records WHERE id = ? AND action IN ('create', 'update')`
  for (const { key } of stage.query<{ key: string }>(changed, record)) {
    const [row] = stage.rowsOf(key)
    const facts = row && { ...placed, at: placeOf(row, source), id: idInKey(key) }
    if (facts !== undefined) findAndReject(judging, placedRecordRules, facts, { record })
  }
}

/** The middle of each boundary of a run. */
function* placesIn({
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
