/** Judges where boundaries lie: far from those of their farm, from where they were, or from the farm itself. */

import type { Rule } from '../core/rule.ts'
import type { Place } from '../core/row.ts'
import { farApartKm } from '../core/shape.ts'
import type { Position } from '../geometry/crs/area.ts'

/** How far a boundary lies from the nearest one of its farm, or that of a known record from where it was. */
export type Distance = {
  readonly place: Position
  readonly nearest: Position
  readonly km: number
  /** True for a known record. */
  readonly isMoved: boolean
}

/** The boundaries that a run creates or moves, and where those of their farm lie; for the first ones, the place of the farm. */
export type AddedLand = {
  readonly distances: readonly Distance[]
  /** What speaks against the coordinate system of the first boundaries of a farm. */
  readonly doubt?: { readonly message: string; readonly hint?: string | undefined } | undefined
  /** The name of the farm, and what its records are called. */
  readonly farm: string
  readonly plural: string
}

/** A boundary with its row, and what it is compared with. */
export type PlacedRecord = Omit<Distance, 'isMoved'> & {
  readonly at: Place
  readonly id: string
  readonly from: 'its former place' | 'the nearest one of the farm' | 'most others of the file'
}

/** A single boundary may simply be wrong. */
export const fewestFar = 2

type FarLand<Each> = { readonly count: number; readonly total: number; readonly first: Each }

/** How many of the boundaries lie far away, and the nearest of those; undefined if most do not. */
export function mostFar<Each extends Distance>(distances: readonly Each[]): FarLand<Each> | undefined {
  const apart = distances.filter(({ km }) => km > farApartKm)
  const [first] = apart.toSorted((one, other) => one.km - other.km)
  if (first === undefined || apart.length < fewestFar || apart.length * 2 <= distances.length) return undefined
  return { count: apart.length, total: distances.length, first }
}

type MostFar = AddedLand & { readonly most: FarLand<Distance> | undefined }

export const far: Rule<AddedLand, MostFar> = {
  id: 'far',
  about: 'night',
  usual: 'stop',
  why: 'Most boundaries that the run creates or moves lie more than 50 km from those that the farm has, or its first ones lie where no farm can be. More than half of the boundaries that the run would create or move, and at least two, lie more than 50 km from every boundary that the farm has. (The new boundary of a known record is compared with its own old one.) So the file is probably of another farm, or in another coordinate system. So are the first boundaries of a farm, if with this coordinate system all lie in an ocean or outside the area that the system is for: once published, all later ones would look wrong. Name the right farm under holding, or the coordinate system as from.crs; the map in the report shows where the boundaries lie. If the farm really has land there, let the run through.',
  find(land) {
    const most = mostFar(land.distances)
    return most === undefined && land.doubt === undefined ? undefined : { ...land, most }
  },
  says({ doubt, most, farm, plural }) {
    if (doubt !== undefined) return { message: doubt.message, ...(doubt.hint !== undefined && { hint: doubt.hint }) }
    const { count, total, first } = most!
    const [is, was, away] = [inDegrees(first.place), inDegrees(first.nearest), `${Math.round(first.km)} km or more`]
    const lie = first.isMoved
      ? `of ${farm} would move by ${away}, from ${was} to ${is}`
      : `lie ${away} from the ${plural} of ${farm}: at ${is}, not at ${was}`
    return {
      message: `${count} of ${total} boundaries ${lie}. Is this the right farm?`,
      hint: 'Look at the farm and the coordinate system of the file.',
    }
  },
}

export const firstFar: Rule<AddedLand, AddedLand & FarLand<Distance>> = {
  id: 'first-land-far',
  about: 'night',
  usual: 'warn',
  why: 'The first boundaries of a farm lie more than 50 km from the place of the farm itself. The farm has no boundaries yet, and most of those in the file lie more than 50 km from the place that the service has for the farm, or from its other records. That place may be an office in a town, so the boundaries are published. If it is the wrong farm, take the run back with windrow undo last, and name the right one.',
  find(land) {
    const most = mostFar(land.distances)
    return most && { ...land, ...most }
  },
  says: ({ count, total, first: { km, place, nearest }, farm }) => ({
    message: `${count} of ${total} boundaries lie ${Math.round(km)} km or more from ${farm}: at ${inDegrees(place)}, not at ${inDegrees(nearest)}. Is this the right farm?`,
    hint: 'If it is not, take the run back with windrow undo last, and name the right farm.',
  }),
}

const movedFar: Rule<PlacedRecord, PlacedRecord> = {
  id: 'boundary-moved-far',
  about: 'record',
  usual: 'reject',
  why: 'The boundary of a known record would move by more than 50 km. The service has this record with a boundary more than 50 km away. A farm may buy land far away, but a paddock does not go there: a digit of a coordinate is wrong, or the id is now that of another paddock. So the row is rejected. Look at the coordinates and the id. Where the rule far is allowed, such rows pass.',
  find: (record) => (record.from === 'its former place' && record.km > farApartKm ? record : undefined),
  says: ({ at, id, km, place, nearest }) => ({
    at,
    value: id,
    message: `The boundary would move by ${Math.round(km)} km, from ${inDegrees(nearest)} to ${inDegrees(place)}.`,
    hint: 'Look at its coordinates and its id.',
  }),
}

const boundaryFar: Rule<PlacedRecord, PlacedRecord> = {
  id: 'boundary-far',
  about: 'record',
  usual: 'warn',
  why: 'A boundary lies more than 50 km from the others of its farm. The boundary lies more than 50 km from the others of the farm, or, if the farm has none yet, from most others of the file. Usually it was drawn in the wrong place, or its coordinates have a wrong digit; its area counts, too. The record was published as it is. Look at the place that the message names, and correct the boundary in the program it comes from. If the farm really has land there, there is nothing to do.',
  find: (record) => (record.from !== 'its former place' && record.km > farApartKm ? record : undefined),
  says: ({ at, km, from, place: { lat, lon } }) => ({
    at,
    message: `The boundary lies ${Math.round(km)} km from ${from}, at ${lat.toFixed(5)}, ${lon.toFixed(5)}.`,
    hint: 'Was it drawn or written in the wrong place? Look at it on a map.',
  }),
}

function inDegrees({ lat, lon }: Position): string {
  return `${lat.toFixed(2)}, ${lon.toFixed(2)}`
}

export const placedRecordRules: readonly Rule<PlacedRecord>[] = [movedFar, boundaryFar]
