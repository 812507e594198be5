/**
 * Stops a run whose boundaries lie far from those that the farm has, or the first ones where no farm can be. Warns of a few, and of
 * those far from the others of the file, and rejects a known record whose boundary would move far.
 */

import type { WindrowError } from '../../core/error.ts'
import { problem } from '../../core/problem.ts'
import { degreesAt } from '../../geometry/coverage/boundary-grid.ts'
import { distanceKm, type Near } from '../../geometry/crs/area.ts'
import { readBody } from '../../ledger/content.ts'
import { idInKey } from '../../resources/keys.ts'
import { boxIn, numberIn, type BoundaryStore } from '../stage/boundary-store.ts'
import { placeOf, uncommon, wholeFile, type Stage } from '../stage/stage-store.ts'
import { farmNamesIfShown, stopFor, waysToAllow, type Judging } from '../settle/judging.ts'
import { placeIn, type NewAndKnown, type Position } from '../settle/candidates.ts'

const fewest = 2
const mostOfAll = 0.5

type Far = {
  /** The record in the stage. */
  readonly id: number
  readonly place: Position
  readonly nearest: Position
  readonly km: number
  readonly isMoved: boolean
}

/**
 * Returns the error 'far-from-farm' if most of the boundaries that the run creates or moves lie far from the farm, or if a farm
 * without boundaries would get its first ones by a doubtful coordinate system.
 */
export async function judgeFar(judging: Judging, records: NewAndKnown | undefined): Promise<WindrowError | undefined> {
  const { job, stage, boundaries } = judging
  if (boundaries === undefined) return undefined
  const distances = [...distancesOfNew(records), ...distancesOfMoved(stage)]
  if (distances.length === 0) {
    warnOfStrays(judging, boundaries)
    return outOfArea(judging)
  }
  const far = distances.filter(({ km }) => km > farApartKm)
  const [first] = far.toSorted((one, other) => one.km - other.km)
  if (first === undefined || far.length < fewest || far.length <= mostOfAll * distances.length) {
    for (const { id, ...each } of far.filter(({ isMoved }) => !isMoved))
      warnOfStray(judging, id, { ...each, from: 'the nearest one of the farm' })
    if (judging.guards.allowed?.has('far') !== true) rejectMoved(judging, far)
    return undefined
  }
  const names = await farmNamesIfShown(judging)
  const farm = names?.(readBody(stage.bodyOf(first.id)!)) ?? 'the farm'
  const [some, km] = [`${far.length} of ${distances.length} boundaries`, `${Math.round(first.km)} km`]
  const [is, was] = [inDegrees(first.place), inDegrees(first.nearest)]
  const reason = first.isMoved
    ? `${some} of ${farm} would move by ${km} or more, from ${was} to ${is}.`
    : `${some} lie ${km} or more from the ${job.type.plural} of ${farm}: at ${is}, not at ${was}.`
  return stopFor('far-from-farm', [reason], {
    asks: 'Is this the right farm? ',
    hint: `Look at the farm and the coordinate system of the file. If it is right:  ${waysToAllow('far', job)}`,
  })
}

/** Warns where the first boundaries of a farm lie far from the farm itself, whose place may be that of an office. */
export async function warnOfFirst(
  { stage, source, boundaries }: Judging,
  records: NewAndKnown | undefined,
  findFarm: () => Promise<Near | undefined>,
): Promise<void> {
  if (boundaries === undefined) return
  for (const distances of [distancesOfNew(records), distancesOfMoved(stage)]) if (distances.next().done !== true) return
  const farm = areFew(stage) ? undefined : await findFarm()
  if (farm === undefined) return
  let far = 0
  let first: { readonly place: Position; readonly km: number } | undefined
  for (const { place } of placesIn(boundaries)) {
    const km = distanceKm(place, farm)
    if (km <= farApartKm) continue
    far += 1
    if (first === undefined || km < first.km) first = { place, km }
  }
  if (first === undefined || far < fewest || far <= mostOfAll * boundaries.own) return
  const message = `${far} of ${boundaries.own} boundaries lie ${Math.round(first.km)} km or more from ${farm.name}: at ${inDegrees(first.place)}, not at ${inDegrees(farm)}. Is this the right farm?`
  const hint = 'If it is not, take the run back with windrow undo last, and name the right farm.'
  stage.report('boundary-far', wholeFile(source), { message, hint })
}

function areFew(stage: Stage): boolean {
  return stage.query(`SELECT 1 FROM records WHERE action = 'create' LIMIT ${fewest}`).length < fewest
}

/** Rejects the known records that would move: a farm may buy land far away, but a paddock does not go there. */
function rejectMoved({ job, stage, source }: Judging, far: readonly Far[]): void {
  stage.together(() => {
    for (const { id, place, nearest, km } of far.filter(({ isMoved }) => isMoved)) {
      const key = stage.keyOf(id)!
      const [row] = stage.rowsOf(key)
      const message = `The boundary would move by ${Math.round(km)} km, from ${inDegrees(nearest)} to ${inDegrees(place)}.`
      const hint = `Look at its coordinates and its id. If it is right:  ${waysToAllow('far', job)}`
      const at = placeOf(row!, source)
      stage.reject(id, problem('boundary-moved-far', at, { value: idInKey(key), message, hint }))
    }
  })
}

function outOfArea({ job, stage }: Judging): WindrowError | undefined {
  const doubt = job.table.found().find(({ code }) => code === 'crs-out-of-area')
  if (doubt === undefined || areFew(stage)) return undefined
  const hint = `${doubt.hint} If the file is right:  ${waysToAllow('far', job)}`
  return stopFor('far-from-farm', [doubt.message], { hint })
}

/** From the nearest boundary that its farm has. A farm without boundaries has no distance. */
function* distancesOfNew(records: NewAndKnown | undefined): Generator<Far> {
  if (records === undefined) return
  const placesOf = new Map<string, Map<string, Position>>()
  for (const { holding, place } of records.known.values()) {
    if (place === undefined) continue
    const places = placesOf.get(holding) ?? new Map<string, Position>()
    placesOf.set(holding, places)
    // One of each square kilometre is enough.
    places.set(`${place.lon.toFixed(2)} ${place.lat.toFixed(2)}`, place)
  }
  for (const { id, holding, place } of records.created.values()) {
    let found: Far | undefined
    for (const nearest of (place && placesOf.get(holding)?.values()) ?? []) {
      const km = distanceKm(place!, nearest)
      if (found === undefined || km < found.km) found = { id, place: place!, nearest, km, isMoved: false }
      if (km <= farApartKm) break
    }
    if (found !== undefined) yield found
  }
}

/** From the record's own former boundary. */
function* distancesOfMoved(stage: Stage): Generator<Far> {
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

function inDegrees({ lat, lon }: Position): string {
  return `${lat.toFixed(2)}, ${lon.toFixed(2)}`
}

/** Two boundaries of a farm seldom lie so far apart. */
const farApartKm = 50

/** A chain of others connects two boundaries whose cells are the same or neighbours. */
const cellsPerDegree = 2
const cellsAround = 360 * cellsPerDegree

/** Warns of the boundaries of a file of one farm that no chain of others connects with most of them. */
function warnOfStrays({ job, stage, source }: Judging, boundaries: BoundaryStore): void {
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
function warnOfStray(
  { stage, source }: Pick<Judging, 'stage' | 'source'>,
  id: number,
  { km, from, place: { lat, lon } }: { readonly km: number; readonly from: string; readonly place: Position },
): void {
  const changed = `SELECT key FROM records WHERE id = ? AND action IN ('create', 'update')`
  const [record] = stage.query<{ key: string }>(changed, id)
  const [at] = record === undefined ? [] : stage.rowsOf(record.key)
  if (at === undefined) return
  stage.report('boundary-far', placeOf(at, source), {
    message: `The boundary lies ${Math.round(km)} km from ${from}, at ${lat.toFixed(5)}, ${lon.toFixed(5)}.`,
    hint: 'Was it drawn or written in the wrong place? Look at it on a map.',
  })
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
