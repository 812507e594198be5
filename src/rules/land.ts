/** Judges land that two boundaries share: twice the same, one inside the other, overlaps. */

import type { Rule, Sentence } from '../core/rule.ts'
import type { Place } from '../core/row.ts'
import type { Meeting } from '../geometry/coverage/coverage.ts'

/** How two boundaries share land. */
export type SharingKind = 'twice' | 'inside' | 'overlap'

/** The land that two boundaries share, as the row has it at which that is reported. */
export type SharedLand = Pick<Meeting, 'areaM2'> & {
  /** The area of this boundary and of the other one. */
  readonly areasM2: Meeting['areasM2']
  readonly where: { readonly lon: number; readonly lat: number }
  readonly at: Place
  readonly id: string
  /** The record of the other one as a person knows it, such as "Top" (row 3). */
  readonly other: string
  /** The rows of the other one and of its copies. */
  readonly with: readonly Place[]
  /** How many boundaries are the same, with these two; 0 if they differ. */
  readonly copies: number
}

/** A boundary around several others. */
export type Outline = Pick<SharedLand, 'at' | 'id' | 'with'> & {
  readonly outline: string
  readonly contained: number
  /** One of those inside as a person knows it. */
  readonly first: string
}

/** Pairs of one kind that are too many to list. */
type Unlisted = { readonly kind: SharingKind; readonly unlisted: number; readonly areaM2: number }

export type LandFacts = SharedLand | Outline | Unlisted

// Two people who draw one fence differ by as much along one side of a field.
const fenceM = 2
const sameShare = 0.99
const insideShare = 0.95
/** A boundary around this many others is taken for the outline of the farm. */
export const fewestInOutline = 3

/** How two boundaries share land; undefined for a strip as narrow as the difference between two drawings of one fence. */
export function sharingOf({ areaM2, areasM2 }: Pick<Meeting, 'areaM2' | 'areasM2'>): SharingKind | undefined {
  const [least, most] = [Math.min(...areasM2), Math.max(...areasM2)]
  if (areaM2 >= sameShare * most) return 'twice'
  if (areaM2 >= insideShare * least) return 'inside'
  return areaM2 < fenceM * Math.sqrt(least) ? undefined : 'overlap'
}

function kindIn(land: LandFacts): SharingKind | undefined {
  if ('unlisted' in land) return land.kind
  if ('contained' in land) return land.contained < fewestInOutline ? undefined : 'inside'
  return sharingOf(land)
}

function sentenceOf(land: LandFacts, ofTwo: (land: SharedLand) => readonly [message: string, hint: string]): Sentence {
  if ('unlisted' in land) {
    const { unlisted, areaM2 } = land
    return { message: `${unlisted} more of this kind, smaller than those listed; ${areaText(areaM2)} in total.` }
  }
  if ('contained' in land) {
    const { at, id, outline, contained, first } = land
    return {
      at,
      value: id,
      with: land.with,
      message: `The boundary of ${outline} contains ${contained} others, such as ${first}. Is it the outline of the farm?`,
      hint: 'If it is, remove the row, because its land counts twice. An outline belongs to the holding.',
    }
  }
  const { at, id, where } = land
  const [message, hint] = ofTwo(land)
  return { at, value: id, where, with: land.with, message, hint }
}

const twice: Rule<LandFacts, LandFacts> = {
  id: 'boundary-twice',
  about: 'record',
  usual: 'warn',
  meaning: 'The same boundary occurs again under another key.',
  why: 'Two records have the same boundary under different keys, so its land would count twice. windrow publishes both, because only you know which one is right. If it is the same field, keep only one of the rows.',
  find: (land) => (kindIn(land) === 'twice' ? land : undefined),
  says: (land) =>
    sentenceOf(land, ({ other, areasM2: [ownM2], copies }) =>
      copies > 2
        ? [
            `The boundary is the same as that of ${other} and ${copies - 2} more: ${areaText(ownM2)} count ${copies} times.`,
            'If it is the same field, keep only one of these rows.',
          ]
        : [
            `The boundary is the same as that of ${other}: ${areaText(ownM2)} count twice.`,
            'If it is the same field, remove one of the rows.',
          ],
    ),
}

const inside: Rule<LandFacts, LandFacts> = {
  id: 'boundary-inside-another',
  about: 'record',
  usual: 'warn',
  meaning: 'A boundary lies inside another one.',
  why: 'One boundary lies wholly inside another one, so its land counts twice. It may be a separate field, or the other one may be the outline of the farm. Draw the inner one as a hole in the outer one, or remove the row with the outline.',
  find: (land) => (kindIn(land) === 'inside' ? land : undefined),
  says: (land) =>
    sentenceOf(land, ({ other, areaM2, areasM2: [ownM2, otherM2] }) =>
      // The inner one may be a record that only the service has.
      ownM2 > otherM2
        ? [
            `The boundary contains that of ${other}: ${areaText(areaM2)} count twice.`,
            'If that one is a separate field, draw it as a hole in this one.',
          ]
        : [
            `The boundary lies inside that of ${other}: ${areaText(areaM2)} count twice.`,
            'If it is a separate field, draw it as a hole in the other one.',
          ],
    ),
}

const overlap: Rule<LandFacts, LandFacts> = {
  id: 'boundaries-overlap',
  about: 'record',
  usual: 'warn',
  meaning: 'Two boundaries overlap.',
  why: 'Two boundaries cover the same land, which counts in both. The message says how much it is and whose the other boundary is. Redraw the fence between the two in the program that made the file. A strip less than about 2 m wide is not reported: two people who draw one fence differ by as much.',
  find: (land) => (kindIn(land) === 'overlap' ? land : undefined),
  says: (land) =>
    sentenceOf(land, ({ other, areaM2, areasM2: [ownM2] }) => [
      `The boundary overlaps that of ${other}: ${areaText(areaM2)}, ${((areaM2 / ownM2) * 100).toFixed(1)} % of it, count twice.`,
      'Redraw the fence between the two.',
    ]),
}

function areaText(areaM2: number): string {
  return areaM2 < 1000 ? `${areaM2.toFixed(0)} m²` : `${(areaM2 / 10_000).toFixed(2)} ha`
}

export const landRules: readonly Rule<LandFacts>[] = [twice, inside, overlap]
