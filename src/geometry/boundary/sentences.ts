/** Hides how a broken boundary is told: where, what mending would cost, and what to write to accept it. */

import { problem, type Mending, type Problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import type { Crs } from '../crs/crs.ts'
import type { Slimmed } from '../repair/slivers.ts'
import type { Fault } from '../validity/validity.ts'

/** What to say of the points and lines that stand in a collection beside its polygons. */
export function labelsLeftOut(beside: number, at: Place): Problem {
  const what = beside === 1 ? '1 point or line' : `${beside} points or lines`
  return problem('parts-left-out', at, {
    message: `Beside the boundary ${beside === 1 ? 'lies' : 'lie'} ${what}, such as a label, left out here.`,
  })
}

/** What to say of a boundary that the grids of its system do not cover. */
export function gridLeft({ grids = [], beyondGrids = '' }: Crs, at: Place): Problem {
  return problem('grid-left', at, {
    message: `The boundary does not lie within the area of the grid ${grids.map(({ name }) => name).join(' or ')}. It was shifted by ${beyondGrids} instead.`,
    hint: 'A grid for its region in the same folder would place it better.',
  })
}

/** What to say of a boundary that is not mended: too much would be taken otherwise, or it cannot be mended at all. */
export function refusal(
  faults: readonly Fault[],
  mended: Mending | undefined,
  allowedShare: number,
): { readonly message: string; readonly hint: string } {
  const more =
    faults.length > 1
      ? ` There ${faults.length === 2 ? 'is one more such place' : `are ${faults.length - 1} more such places`}.`
      : ''
  const found = `${faults[0]!.message}${more}`
  if (mended === undefined) return { message: `${found} It cannot be mended.`, hint: 'Redraw it there.' }
  const cost = `It is unclear how ${unclear(mended)} should count; you allow ${percentText(allowedShare)}. Mended, it would have ${areaText(mended.areaAfterM2)}.`
  return {
    message: `${found} ${cost}`,
    hint: `Redraw it there, or have it mended:  repair: up to ${suggestedPercent(mended.lostShare)} %`,
  }
}

/** What to say of a boundary that was mended. */
export function mendedSentence(mended: Mending): string {
  const { partsBefore, partsAfter, pointsAdded, pointsTakenOut } = mended
  const changes = [
    ...(pointsAdded === 0 ? [] : [`${pointsAdded} point${pointsAdded === 1 ? ' was' : 's were'} added`]),
    ...(pointsTakenOut === 0 ? [] : [`${pointsTakenOut} point${pointsTakenOut === 1 ? ' was' : 's were'} taken out`]),
    ...(partsAfter === partsBefore ? [] : [`it now has ${partsAfter} part${partsAfter === 1 ? '' : 's'}`]),
  ].map((change) => `; ${change}`)
  const cost =
    mended.lostShare === 0
      ? ' without losing land'
      : ` and has ${areaText(mended.areaAfterM2)} now; it was unclear how ${unclear(mended)} should count`
  return `It was mended${cost}${changes.join('')}.`
}

/** What to say of what was narrow, or of taking out more of it than mending may change. */
export function sliversSentence(
  { points, rings, areaBeforeM2, changedM2 }: Omit<Slimmed, 'shape'>,
  allowedShare: number,
  isTooMuch: boolean,
): { readonly message: string; readonly hint?: string } {
  const what = [
    ...(points === 0 ? [] : [`${points} point${points === 1 ? '' : 's'} of spikes or almost on another point`]),
    ...(rings === 0 ? [] : [`${rings} narrow hole${rings === 1 ? '' : 's'} or part${rings === 1 ? '' : 's'}`]),
  ].join(' and ')
  const lostShare = areaBeforeM2 > 0 ? changedM2 / areaBeforeM2 : 1
  const cost = `${amounts({ lostShare, areaBeforeM2 })} (${percentText(lostShare)})`
  if (!isTooMuch)
    return { message: `Taken out: ${what}; the area ${changedM2 < 0.05 ? 'stays the same' : `changed by ${cost}`}.` }
  return {
    message: `Taking out ${what} would change the area by ${cost}; you allow ${percentText(allowedShare)}.`,
    hint: 'Redraw it, or give a smaller width under  slivers',
  }
}

function amounts({ lostShare, areaBeforeM2 }: Pick<Mending, 'lostShare' | 'areaBeforeM2'>): string {
  const lostM2 = lostShare * areaBeforeM2
  if (areaBeforeM2 < 1000) return `${lostM2.toFixed(1)} of ${areaBeforeM2.toFixed(1)} m²`
  return lostM2 < 50
    ? `${lostM2.toFixed(1)} m² of ${hectares(areaBeforeM2)} ha`
    : `${hectares(lostM2)} of ${hectares(areaBeforeM2)} ha`
}

// Loops that run the other way round, land that is gone round twice, holes that lie outside: the lines alone do not tell.
function unclear(mended: Mending): string {
  return `${amounts(mended)} (${percentText(mended.lostShare)})`
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

const steps = [1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 90]

function suggestedPercent(share: number): number {
  return steps.find((step) => step >= share * 100) ?? 100
}
