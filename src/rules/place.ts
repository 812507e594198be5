/** Decides where the coordinates of a file lie, and judges boundaries that lie far from their farm or from where they were. */

import { WindrowError } from '../core/error.ts'
import { chosen, type Choice, type CrsClue, type Other, type Place } from '../core/row.ts'
import { decide, type Decider, type Rule } from '../core/rule.ts'
import { emptyBox, farApartKm, type Box, type Shape } from '../core/shape.ts'
import type { Near, Position } from '../geometry/crs/area.ts'
import { identifyCrs, type Crs } from '../geometry/crs/crs.ts'
import { axisOrderFor } from '../geometry/place/axis-order.ts'
import { requireFitting } from '../geometry/place/missing-crs.ts'

/** What a look finds about the place of a table: what the file says about its coordinates, and where they lie. */
export type Lying = {
  /** The system that a person named. */
  readonly said: string | undefined
  readonly clue: CrsClue | undefined
  readonly box: Box | undefined
  readonly firstShapes: readonly Shape[]
  /** The first points of the rows, x and y in turn. */
  readonly points: readonly number[]
  /** Where the farm lies, if known. */
  readonly near: Near | undefined
}

/** The system that the file names, or why that cannot be the one; then the systems that would fit. */
type Found = { readonly crs: Crs } | { readonly failure: WindrowError; readonly isPlaced: boolean }

const crsDecider: Decider<Lying, Found> = {
  id: 'crs',
  about: 'file',
  decides: 'from.crs',
  why: 'The file says which coordinate system it uses: in a .prj, a table, a member, or by its format. Where it does not, or where its numbers cannot be of that system, a person must say it. windrow lists the systems that fit the numbers, those that put them near the farm first. It chooses none: with a wrong one, paddocks would move by metres or to another country.',
  find({ clue, box = emptyBox(), firstShapes, near }) {
    try {
      return { crs: requireFitting(clue, box, firstShapes, near) }
    } catch (cause) {
      if (!(cause instanceof WindrowError) || cause.code !== 'crs-unknown') throw cause
      return { failure: cause, isPlaced: near !== undefined }
    }
  },
  says(found) {
    // A system without a code is described by the file, which says it to each run.
    if ('crs' in found) {
      const { code, evidence } = found.crs
      return code === '' ? [] : chosen('from.crs', code, `from ${evidence}`)
    }
    const { failure, isPlaced } = found
    const places = (failure.data['places'] ?? []) as readonly { readonly code: string; readonly where: string }[]
    const different = places.filter(({ code }, at) => places.findIndex((each) => each.code === code) === at)
    const [first, ...more] = different.map(({ code, where }): Other => ({ value: code, evidence: where }))
    // Only the place of the farm is evidence; the order of the others is not.
    const isLikely = first !== undefined && (isPlaced || more.length === 0)
    const hint = first === undefined && failure.hint !== undefined ? ` ${failure.hint}` : ''
    return {
      setting: 'from.crs',
      value: isLikely ? first.value : undefined,
      evidence: isLikely ? first.evidence : `${failure.message}${hint}`,
      others: isLikely || first === undefined ? more : [first, ...more],
      certainty: 'ask',
      question: 'Which coordinate system does the file use?',
    }
  },
}

type Exchanged = { readonly crs: Crs; readonly near: Near | undefined; readonly rows: number }

const axesDecider: Decider<Lying, Exchanged> = {
  id: 'axes',
  about: 'file',
  decides: 'from.axes',
  why: 'Some programs write latitude or northing first, although the coordinate system says otherwise. windrow exchanges the two where no row lies in the area of the system, or near the farm, as written, and most rows do with the two exchanged. Where one row fits as written, nothing is exchanged, and the others are rejected one by one.',
  find({ said, clue, points, near }) {
    const crs = knownCrs(said === undefined ? clue : { from: 'option', text: said })
    if (crs === undefined) return undefined
    const judge = axisOrderFor(crs, near)
    const rows = { written: 0, turned: 0, neither: 0 }
    for (let at = 0; at < points.length && rows.written === 0; at += 2) rows[judge(points[at]!, points[at + 1]!)] += 1
    return rows.written === 0 && rows.turned > rows.neither ? { crs, near, rows: rows.turned } : undefined
  },
  says({ crs, near, rows }): Choice {
    const [first, second] = crs.isLonLat ? ['latitude', 'longitude'] : ['northing', 'easting']
    const where = near === undefined ? `in the area of ${crs.name}` : `near ${near.name}`
    const evidence = `${first} comes before ${second}: no row lies ${where} as written, but ${rows === 1 ? 'one does' : `${rows} do`} with the two exchanged`
    return { ...chosen('from.axes', 'exchanged', evidence, 'written'), certainty: 'check' }
  },
}

function knownCrs(clue: CrsClue | undefined): Crs | undefined {
  try {
    return clue && identifyCrs(clue)
  } catch (cause) {
    if (cause instanceof WindrowError) return undefined
    throw cause
  }
}

export const placingDeciders: readonly [Decider<Lying, Found>, Decider<Lying, Exchanged>] = [crsDecider, axesDecider]

/** Decides what nobody said about the place of a table. */
export function decidePlace(lying: Lying, isSaid: (setting: string) => boolean): readonly Choice[] {
  return decide<Lying>(placingDeciders as readonly Decider<Lying>[], lying, isSaid)
}

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
