/** Turns the geometry of a row into that of a record: projects, tidies, checks, repairs, winds, measures and rounds it. */

import { problem, type Repair, type Problem, type ProblemCode } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import { boxAround, isAreal, shapeKinds, startOf, type Shape, type ShapeKind } from '../../core/shape.ts'
import { plural } from '../../core/values/plural.ts'
import type { Crs } from '../crs/crs.ts'
import { splitAtDateline } from '../repair/dateline.ts'
import { measure, type Measured } from '../measure/measure.ts'
import { areasOf, asAllowedKind, partCount } from '../measure/parts.ts'
import { isProjectionFault, projectorFor, type ProjectionFault } from '../projection/project.ts'
import { repair, type Repaired } from '../repair/repair.ts'
import { ownRoom, type Room } from '../projection/coordinate-buffer.ts'
import { crossesDateline, tidyRings, tidyRounded, unwrapLongitudes, windOwnRings, windRings } from '../measure/rings.ts'
import {
  gridLeft,
  labelsLeftOut,
  partsFarApart,
  repairedSentence,
  refusal,
  sliversSentence,
  spikeWarning,
  tooSmall,
} from './sentences.ts'
import { withoutSlivers } from '../repair/slivers.ts'
import { findFaults, isError, type Fault } from '../validity/validity.ts'

/**
 * The geometry settings of a pipeline. `repairUpTo` is the share of the area that a repair may add or lose; `union` joins parts that
 * share a side.
 */
export type GeometryPolicy = {
  readonly crs: Crs
  readonly multipart: 'keep' | 'union'
  readonly repairUpTo: number
  readonly decimals: number
  readonly keepHeights: boolean
  /** Points, spikes and pieces narrower than this are removed; nothing is where it is missing. */
  readonly sliversM?: number | undefined
  readonly allowed: readonly ShapeKind[]
}

/**
 * A shape in longitude and latitude, ready for a record, measured before rounding. Both are undefined when one of the problems is an
 * error. `droppedDimensions` is true when the source had heights or measures that the shape no longer has.
 */
export type Normalised = ReturnType<Normaliser>

/** Makes a shape ready for a record, or reports why it cannot. */
export type Normaliser = ReturnType<typeof normaliserFor>

type Run = {
  readonly policy: GeometryPolicy
  readonly project: (shape: Shape) => Shape | ProjectionFault
  readonly at: Place
  readonly problems: Problem[]
  readonly roundedRoom: Room
}

type Settled = { readonly shape: Shape; readonly measured: Measured }

/**
 * Makes the function that a pipeline calls for each row's shape. It never throws, whatever the file contains. With `reusedRoom`
 * a shape's coordinates are valid only until the next call.
 */
export function normaliserFor(policy: GeometryPolicy, newRoom: () => Room = () => ownRoom) {
  const [projectedRoom, roundedRoom] = [newRoom(), newRoom()]
  let isBeyondGrids = false
  const project = projectorFor(policy.crs, () => (isBeyondGrids = true), projectedRoom)
  return (shape: Shape, at: Place) => {
    const problems: Problem[] = []
    isBeyondGrids = false
    const run: Run = { policy, project, at, problems, roundedRoom }
    const settled = shape.members === undefined ? normaliseOne(run, shape) : normaliseCollection(run, shape)
    if (isBeyondGrids && settled !== undefined) problems.push(gridLeft(policy.crs, at))
    const droppedDimensions = dimensionsOf(shape) > (settled === undefined ? 0 : dimensionsOf(settled.shape))
    return { shape: settled?.shape, measured: settled?.measured, problems, droppedDimensions }
  }
}

function dimensionsOf(shape: Shape): number {
  if (shape.members !== undefined)
    return shape.members.reduce((most, member) => Math.max(most, dimensionsOf(member)), 0)
  return (shape.z === undefined ? 0 : 1) + (shape.m === undefined ? 0 : 1)
}

function normaliseCollection(run: Run, shape: Shape): Settled | undefined {
  const { policy } = run
  if (!policy.allowed.includes('GeometryCollection')) return normaliseAreas(run, shape)
  // All members must stay valid until the last is ready.
  const inner: Run = { ...run, policy: { ...policy, allowed: shapeKinds }, roundedRoom: ownRoom }
  const members = (shape.members ?? []).map((member) =>
    member.members === undefined ? normaliseOne(inner, member) : normaliseCollection(inner, member),
  )
  if (members.length === 0) return missing(run)
  const settled = members.filter((each) => each !== undefined)
  if (settled.length < members.length) return undefined
  const whole = { ...shape, members: settled.map((each) => each.shape) }
  return { shape: whole, measured: measure(whole) }
}

/** Where a record takes areas, the polygons of a collection are its boundary: programs add a point for the label. */
function normaliseAreas(run: Run, collection: Shape): Settled | undefined {
  const takesAreas = run.policy.allowed.some((kind) => kind === 'Polygon' || kind === 'MultiPolygon')
  const { areas, beside } = takesAreas ? areasOf(collection) : { areas: undefined, beside: 0 }
  if (areas === undefined) return wrongKind(run, collection)
  if (beside > 0) run.problems.push(labelsLeftOut(beside, run.at))
  return normaliseOne(run, areas)
}

function normaliseOne(run: Run, source: Shape): Settled | undefined {
  const { policy } = run
  if (source.coordinates.length === 0) return missing(run)
  const projected = run.project(withoutDimensions(source, policy.keepHeights))
  if (isProjectionFault(projected)) return misplaced(run, projected)
  const tidied = tidyRings(projected)
  if (tidied.opened > 0)
    add(run, 'boundary-open', {
      message: `${plural(tidied.opened, 'ring was', 'rings were')} not closed; the first point was repeated at the end.`,
    })
  if (tidied.repeated > 0)
    add(run, 'boundary-points-repeated', {
      message: `${plural(tidied.repeated, 'repeated point was', 'repeated points were')} removed.`,
    })
  const isAcross = crossesDateline(tidied.shape)
  const whole = isAcross ? unwrapLongitudes(tidied.shape) : tidied.shape
  if (isAcross && isAreal(whole) && goesRoundEarth(whole)) return roundEarth(run, whole)
  const slim = isAreal(whole) ? removeSlivers(run, whole) : whole
  if (slim === undefined) return undefined
  const settled = settle(run, slim)
  if (settled === undefined) return undefined
  // A repair can join what lay on both sides of the earth.
  if (isAcross && isAreal(settled.shape) && goesRoundEarth(unwrapLongitudes(settled.shape)))
    return roundEarth(run, settled.shape)
  const apart = partsFarApart(settled.shape, run.at)
  if (apart !== undefined) run.problems.push(apart)
  const tiny = isAreal(settled.shape)
    ? (tooSmall(settled.measured, run.at) ?? spikeWarning(settled.shape, run.at))
    : undefined
  if (tiny !== undefined) run.problems.push(tiny)
  const split = isAcross ? splitSoundly(settled.shape, policy) : settled.shape
  const shape = asAllowedKind(split, policy.allowed)
  return shape === undefined ? wrongKind(run, split) : { shape, measured: settled.measured }
}

// Undefined when it would change more land than a repair may.
function removeSlivers(run: Run, whole: Shape): Shape | undefined {
  const { policy } = run
  const slim = policy.sliversM === undefined ? undefined : withoutSlivers(whole, policy.sliversM)
  if (slim === undefined) return whole
  const isTooMuch = slim.changedM2 > policy.repairUpTo * slim.areaBeforeM2
  const sentence = sliversSentence(slim, policy.repairUpTo, isTooMuch)
  add(run, 'boundary-slivers', isTooMuch ? { ...sentence, severity: 'error' } : sentence)
  return isTooMuch ? undefined : slim.shape
}

function settle(run: Run, exact: Shape): Settled | undefined {
  const isUnion = run.policy.multipart === 'union' && exact.kind === 'MultiPolygon' && exact.parts.length > 1
  return isUnion ? settleUnion(run, exact) : settleParts(run, exact)
}

// Checks the rounded shape, because that is published, and measures the shape before rounding.
function settleParts(run: Run, exact: Shape): Settled | undefined {
  const { policy } = run
  const rounded = roundShape(exact, policy.decimals, run.roundedRoom)
  const faults = findFaults(rounded)
  if (faults.length > 0) {
    const worst = faults.filter(isError)
    if (worst.length > 0) return settleFaulty(run, { exact, rounded, faults: worst })
    const shape = soundRings(rounded, policy) ?? rounded
    noteTouches(run, faults, rounded, shape)
    return { shape, measured: measure(exact) }
  }
  return { shape: rounded, measured: measure(exact) }
}

type Faulty = { readonly exact: Shape; readonly rounded: Shape; readonly faults: readonly Fault[] }

function settleFaulty(run: Run, { exact, rounded, faults }: Faulty): Settled | undefined {
  const ofSource = findFaults(exact).filter(isError)
  // A fault that only rounding made is not a mistake in the drawing, but the same limit applies to its repair.
  const reported = ofSource.length > 0 ? ofSource : faults.map((fault) => afterRounding(fault, run.policy))
  const repaired = ofSource.length > 0 ? repair(exact) : repair(rounded, run.policy.decimals)
  if (repaired === undefined || repaired.repair.lostShare > run.policy.repairUpTo)
    return refuse(run, reported, repaired)
  const clean = roundSoundly(repaired.shape, run.policy)
  if (clean === undefined) return refuse(run, reported, undefined)
  noteRepaired(run, reported[0]!, repaired.repair, clean)
  return { shape: clean, measured: measure(ofSource.length > 0 ? repaired.shape : exact) }
}

function afterRounding(fault: Fault, { decimals }: GeometryPolicy): Fault {
  const { message } = fault
  return { ...fault, message: `Rounded to ${decimals} decimals, ${message.charAt(0).toLowerCase()}${message.slice(1)}` }
}

function settleUnion(run: Run, exact: Shape): Settled | undefined {
  const { policy } = run
  const all = findFaults(exact)
  const faults = all.filter(isError)
  if (faults.length === 0) {
    // Such parts neither overlap nor share a side, unless rounding makes them meet.
    const joined = roundSoundly(exact, policy)
    if (joined === undefined) return settleParts(run, exact)
    noteTouches(run, all, exact, joined)
    return { shape: joined, measured: measure(exact) }
  }
  const united = repair(exact)
  // A union is meant to join parts that overlap; the limit applies only to other faults.
  const unasked = faults.filter((fault) => fault.code !== 'boundary-parts-overlap')
  if (united === undefined || (unasked.length > 0 && united.repair.lostShare > policy.repairUpTo))
    return refuse(run, unasked.length > 0 ? unasked : faults, united)
  const clean = roundSoundly(united.shape, policy)
  if (clean === undefined) return refuse(run, faults, undefined)
  if (unasked.length > 0) noteRepaired(run, unasked[0]!, united.repair, clean)
  return { shape: clean, measured: measure(united.shape) }
}

// Rounding moves the point of a crossing off both lines by a centimetre, which can make new crossings. A repair on the grid of the
// rounding removes them.
function roundSoundly(shape: Shape, policy: GeometryPolicy): Shape | undefined {
  const rounded = roundShape(shape, policy.decimals)
  const faults = findFaults(rounded)
  if (faults.length === 0) return rounded
  return soundRings(rounded, policy) ?? (faults.some(isError) ? undefined : rounded)
}

// The land of a rounded shape, in rings that neither cross nor touch themselves and in connected parts.
function soundRings(rounded: Shape, { decimals, repairUpTo }: GeometryPolicy): Shape | undefined {
  const repaired = repair(rounded, decimals)
  return repaired === undefined || repaired.repair.lostShare > repairUpTo
    ? undefined
    : windRings(tidyRings(repaired.shape).shape)
}

// The latitude where a side meets 180 degrees must be rounded as well.
function splitSoundly(shape: Shape, policy: GeometryPolicy): Shape {
  const split = splitAtDateline(shape)
  return isAreal(split) ? (roundSoundly(split, policy) ?? split) : roundShape(split, policy.decimals)
}

function roundShape(shape: Shape, decimals: number, room: Room = ownRoom): Shape {
  // Wound last, because rounding can reverse a sliver.
  return windOwnRings(tidyRounded(shape, decimals, room(shape.coordinates.length)))
}

function withoutDimensions(shape: Shape, keepHeights: boolean): Shape {
  if (shape.m === undefined && (shape.z === undefined || keepHeights)) return shape
  const { kind, coordinates, ends, parts, z } = shape
  return keepHeights && z !== undefined ? { kind, coordinates, ends, parts, z } : { kind, coordinates, ends, parts }
}

// A ring that reaches half round could lie on either side of the earth.
const mostDegreesWide = 180 - 1e-6

function goesRoundEarth(shape: Shape): boolean {
  const { coordinates, ends } = shape
  return ends.some((end, ring) => {
    const start = startOf(shape, ring)
    const [west, , east] = boxAround(coordinates, start * 2, end * 2)
    return end > start && (east - west > mostDegreesWide || coordinates[start * 2] !== coordinates[end * 2 - 2])
  })
}

function roundEarth(run: Run, shape: Shape): undefined {
  return add(run, 'coordinate-out-of-range', {
    where: { lon: shape.coordinates[0]!, lat: shape.coordinates[1]! },
    message: 'The boundary reaches round the earth, or half round it.',
    hint: 'Check its coordinates: no field is that large.',
  })
}

function missing(run: Run): undefined {
  return add(run, 'geometry-missing', {
    message: 'The geometry has no coordinates.',
    hint: 'Draw the boundary, or leave the row out.',
  })
}

function misplaced(run: Run, { code, x, y, message, hint }: ProjectionFault): undefined {
  const usualHint =
    code === 'coordinate-not-a-number'
      ? 'Draw the boundary again at that point.'
      : 'Check the point, and whether the file really uses that coordinate system (from.crs).'
  return add(run, code, { message, value: `${x}, ${y}`, hint: hint ?? usualHint })
}

function wrongKind(run: Run, shape: Shape): undefined {
  const parts = partCount(shape)
  const { allowed } = run.policy
  const message = `The geometry is a ${shape.kind}${parts > 1 ? ` of ${parts} parts` : ''}; it must be a ${allowed.join(' or a ')}.`
  const canJoin = shape.kind === 'MultiPolygon' && allowed.includes('Polygon')
  const hint = canJoin
    ? 'Join the parts, or make a record of each:  geometry.multipart: union  or  geometry.multipart: explode'
    : `Draw it as ${allowed.join(' or ')}, or leave the row out.`
  return add(run, 'geometry-wrong-type', { message, hint })
}

function refuse(run: Run, faults: readonly Fault[], repaired: Repaired | undefined): undefined {
  const first = faults[0]!
  return add(run, first.code, {
    ...refusal(faults, repaired?.repair, run.policy),
    where: first.where,
    ...(repaired === undefined ? {} : { repair: repaired.repair }),
  })
}

/** Adds a problem and returns `undefined`, so that what rejects a row can return it. */
function add(run: Run, code: ProblemCode, details: Parameters<typeof problem>[2]): undefined {
  run.problems.push(problem(code, run.at, details))
  return undefined
}

// Rounding can close or split a very narrow piece; the note reports what is published.
function noteRepaired(run: Run, fault: Fault, found: Repair, { parts }: Shape): void {
  const change = { ...found, partsAfter: parts.length }
  const message = `${fault.message} ${repairedSentence(change)}`
  add(run, 'boundary-repaired', { message, where: fault.where, repair: change })
}

function noteTouches(run: Run, faults: readonly Fault[], before: Shape, after: Shape): void {
  const how =
    after.parts.length > before.parts.length
      ? `as ${after.parts.length} parts`
      : 'with rings that do not touch themselves'
  const isSame = after === before
  for (const [index, fault] of faults.entries()) {
    const message = isSame || index > 0 ? fault.message : `${fault.message} The same land is published ${how}.`
    add(run, fault.code, { message, where: fault.where })
  }
}
