/** Writes the problems of a broken boundary: where it is broken, what a repair would change, and what to write to allow it. */

import { problem, type Repair, type Problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import { farApartKm, firstRingOf, startOf, type Shape } from '../../core/shape.ts'
import { plural } from '../../core/values/plural.ts'
import { distanceKm } from '../crs/area.ts'
import type { Crs } from '../crs/crs.ts'
import type { Measured } from '../measure/measure.ts'
import { spikeIn, type Slimmed } from '../repair/slivers.ts'
import type { Fault } from '../validity/validity.ts'

/** Notes the points and lines in a collection beside its polygons. */
export function labelsLeftOut(beside: number, at: Place): Problem {
  const what = plural(beside, 'point or line beside the boundary was', 'points or lines beside the boundary were')
  return problem('parts-left-out', at, { message: `${what} left out, such as a label.` })
}

/** Notes a boundary that the grids of its system do not cover. */
export function gridLeft({ grids = [], beyondGrids = '' }: Crs, at: Place): Problem {
  return problem('grid-left', at, {
    message: `The boundary lies outside the area of the grid ${grids.map(({ name }) => name).join(' or ')}. It was shifted by ${beyondGrids} instead.`,
    hint: 'Put a grid for its region in the same folder to place it better.',
  })
}

/** Warns of a boundary with a part far from its first one. */
export function partsFarApart(shape: Shape, at: Place): Problem | undefined {
  if (shape.parts.length < 2) return undefined
  const [first, ...others] = shape.parts.map((_, part) => {
    const [lon = 0, lat = 0] = shape.coordinates.subarray(2 * startOf(shape, firstRingOf(shape, part)))
    return { lon, lat }
  })
  const other = others.find((each) => distanceKm(first!, each) > farApartKm)
  if (other === undefined) return undefined
  const [here, there] = [first!, other].map(({ lon, lat }) => `${lon.toFixed(5)}, ${lat.toFixed(5)}`)
  return problem('boundary-parts-far', at, {
    message: `Two parts of this boundary lie ${Math.round(distanceKm(first!, other))} km apart, at ${here} and ${there}.`,
    hint: 'Is one of them another paddock, or drawn in the wrong place? Look at it on the map.',
  })
}

/** Nobody farms less. */
const smallestM2 = 10
const narrowestM = 0.5

/** Warns of a boundary that is only a sliver, such as cutting a map leaves behind. */
export function tooSmall({ areaM2, perimeterM }: Measured, at: Place): Problem | undefined {
  const widthM = (2 * areaM2) / perimeterM
  if (areaM2 >= smallestM2 && widthM >= narrowestM) return undefined
  return problem('boundary-tiny', at, {
    message: `The boundary has only ${inWords(areaM2)} m² and is about ${inWords(widthM)} m wide.`,
    hint: 'Was it left behind by drawing or cutting? Then delete it in the program the file comes from.',
  })
}

/** Warns of a slip of the mouse that no paddock has: it is far narrower than a fence, and longer than one is inaccurate. */
export function spikeWarning(shape: Shape, at: Place): Problem | undefined {
  const spike = spikeIn(shape, { widthM: 0.1, lengthM: 20 })
  if (spike === undefined) return undefined
  const { lon, lat, lengthM } = spike
  return problem('boundary-spike', at, {
    message: `The boundary runs ${Math.round(lengthM)} m out to ${lon.toFixed(5)}, ${lat.toFixed(5)} and back beside the same line.`,
    hint: 'Remove the point there, or let windrow do it:  geometry.slivers: under 0.1 m',
  })
}

function inWords(size: number): string {
  return size >= 1 ? size.toFixed(1) : String(Number(size.toPrecision(1)))
}

// In percent. A larger change is no repair, and the limit would hold for the whole file.
const offered = [1, 2, 3, 5, 10, 15]
const mostOffered = 0.15

/** The problem of a boundary that is not repaired, because a repair would change too much or is impossible. */
export function refusal(
  faults: readonly Fault[],
  change: Repair | undefined,
  { repairUpTo }: { readonly repairUpTo: number },
): { readonly message: string; readonly hint: string } {
  const others = faults.length - 1
  const more = others === 0 ? '' : ` It is broken in ${plural(others, 'more place')}.`
  const found = `${faults[0]!.message}${more}`
  if (change === undefined) return { message: `${found} It cannot be repaired.`, hint: 'Redraw it there.' }
  const cost = `Repairing it could add or lose up to ${lostText(change)}; your limit is ${percentText(repairUpTo)}.`
  if (change.lostShare > mostOffered) return { message: `${found} ${cost}`, hint: 'Redraw it there.' }
  const share = `${offered.find((percent) => percent >= change.lostShare * 100)} %`
  return {
    message: `${found} ${cost}`,
    hint: `Redraw it there, or allow the repair:  geometry.repair: up to ${share}`,
  }
}

/** The sentence about a boundary that was repaired. */
export function repairedSentence(change: Repair): string {
  const { partsBefore, partsAfter, pointsAdded, pointsTakenOut } = change
  const changes = [
    ...(pointsAdded === 0 ? [] : [plural(pointsAdded, 'point was added', 'points were added')]),
    ...(pointsTakenOut === 0 ? [] : [plural(pointsTakenOut, 'point was removed', 'points were removed')]),
    ...(partsAfter === partsBefore ? [] : [`it now has ${plural(partsAfter, 'part')}`]),
  ].map((each) => `; ${each}`)
  const cost =
    change.lostShare === 0
      ? ' without losing land'
      : ` and now has ${areaText(change.areaAfterM2)}; the repair may have added or lost up to ${lostText(change)}`
  return `It was repaired${cost}${changes.join('')}.`
}

/** The sentence about narrow parts that were removed, or that would change more land than a repair may. */
export function sliversSentence(
  { points, rings, areaBeforeM2, changedM2 }: Omit<Slimmed, 'shape'>,
  allowedShare: number,
  isTooMuch: boolean,
): { readonly message: string; readonly hint?: string } {
  const what = [
    ...(points === 0 ? [] : [`${plural(points, 'point')} in spikes or almost on another point`]),
    ...(rings === 0 ? [] : [plural(rings, 'narrow hole or part', 'narrow holes or parts')]),
  ].join(' and ')
  const lostShare = areaBeforeM2 > 0 ? changedM2 / areaBeforeM2 : 1
  const cost = `${amounts({ lostShare, areaBeforeM2 })} (${percentText(lostShare)})`
  if (!isTooMuch)
    return { message: `Removed: ${what}; the area ${changedM2 < 0.05 ? 'stays the same' : `changed by ${cost}`}.` }
  return {
    message: `Removing ${what} would change the area by ${cost}; your limit is ${percentText(allowedShare)}.`,
    hint: 'Redraw it, or write a smaller width at  slivers',
  }
}

function amounts({ lostShare, areaBeforeM2 }: Pick<Repair, 'lostShare' | 'areaBeforeM2'>): string {
  const lostM2 = lostShare * areaBeforeM2
  if (areaBeforeM2 < 1000) return `${lostM2.toFixed(1)} of ${areaBeforeM2.toFixed(1)} m²`
  return lostM2 < 50
    ? `${lostM2.toFixed(1)} m² of ${hectares(areaBeforeM2)} ha`
    : `${hectares(lostM2)} of ${hectares(areaBeforeM2)} ha`
}

// Loops that run the other way round, land enclosed twice, holes outside: the lines do not show whether that is land.
function lostText(change: Repair): string {
  return `${amounts(change)} (${percentText(change.lostShare)})`
}

function areaText(areaM2: number): string {
  return areaM2 < 1000 ? `${areaM2.toFixed(1)} m²` : `${hectares(areaM2)} ha`
}

function hectares(areaM2: number): string {
  return (areaM2 / 10_000).toFixed(2)
}

function percentText(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 0.05) return 'less than 0.1 %'
  return `${Number(percent.toFixed(1))} %`
}
