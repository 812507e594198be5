/** Hides in which words and at which rows it is told what boundaries have in common or leave between them. */

import { problem, type Problem, type ProblemCode } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { mostOverEachOther } from '../../geometry/coverage/neighbouring-boundaries.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import type { Stage } from '../stage/stage-store.ts'
import { giverOf } from './pending-overlaps.ts'

/** What two boundaries may be to each other. */
export type Kind = 'twice' | 'inside' | 'overlap' | 'sliver' | 'gap' | 'trimmed'

/** How many there are, how much land, and the largest of them, sometimes with smaller ones. */
export type Tally = { count: number; areaM2: number; listed: Meeting[] }
export type Tallies = Readonly<Record<Kind, Tally>>

const codes: Readonly<Record<Kind, ProblemCode>> = {
  twice: 'boundary-twice',
  inside: 'boundary-inside-another',
  overlap: 'boundaries-overlap',
  sliver: 'boundaries-sliver',
  gap: 'boundaries-gap',
  trimmed: 'boundary-trimmed',
}

// One boundary round so many others is the outline of the farm.
const outlineOf = 3
const mostListed = 1000
// Of many copies of one boundary each names so many others.
const mostNamed = 10

export function startTallies(): Tallies {
  const none = (): Tally => ({ count: 0, areaM2: 0, listed: [] })
  return {
    twice: none(),
    inside: none(),
    overlap: none(),
    sliver: none(),
    gap: none(),
    trimmed: none(),
  }
}

/** Counts one more; the largest are kept to be told. */
export function addTo(tally: Tally, found: Meeting): void {
  tally.count += 1
  tally.areaM2 += found.areaM2
  tally.listed.push(found)
  if (tally.listed.length < 2 * mostListed) return
  tally.listed = largest(tally.listed)
}

function largest(listed: readonly Meeting[]): Meeting[] {
  return listed.toSorted((one, other) => other.areaM2 - one.areaM2).slice(0, mostListed)
}

export type Teller = { readonly stage: Stage; readonly boundaries: BoundaryStore; place(row: number): Place }

/** What to tell of all that was found, the largest of each kind. */
export function* problemsOf(tallies: Tallies, teller: Teller): Generator<Problem> {
  const outlines = outlinesOf(tallies.inside.listed)
  for (const kind of Object.keys(codes) as Kind[]) {
    const { count, areaM2 } = tallies[kind]
    let shown = 0
    for (const meeting of largest(tallies[kind].listed)) {
      shown += 1
      if (kind !== 'inside' || !outlines.has(outerOf(meeting))) yield problemOf(kind, meeting, teller)
    }
    if (count > shown)
      yield problem(codes[kind], teller.place(-1), {
        message: `${count - shown} more of this kind, smaller than those listed; ${amount(areaM2)} all together.`,
      })
  }
  for (const [outer, inner] of outlines) yield outlineProblem(outer, inner, teller)
}

/** What to tell when boundaries lie over so many others that each was compared with the nearest of them only. */
export function crowdProblem(crowded: readonly number[], teller: Teller): Problem {
  return problem('boundaries-crowded', placesOf(crowded[0]!, teller)[0] ?? teller.place(-1), {
    value: nameOf(crowded[0]!, teller),
    message: `More than ${mostOverEachOther} boundaries lie over each other, that of ${named(crowded[0]!, teller)} among them. Each was compared with the ${mostOverEachOther} nearest; overlaps and gaps with others are not listed.`,
    hint: 'Check whether so many fields are meant to lie in one place.',
  })
}

/** The boundaries that lie round several others, with those. */
function outlinesOf(inside: readonly Meeting[]): ReadonlyMap<number, readonly number[]> {
  const inner = new Map<number, number[]>()
  for (const meeting of inside) {
    const outer = outerOf(meeting)
    inner.set(outer, [...(inner.get(outer) ?? []), outer === meeting.one ? meeting.other : meeting.one])
  }
  return new Map([...inner].filter(([, list]) => list.length >= outlineOf))
}

function outerOf({ one, other, areasM2 }: Meeting): number {
  return areasM2[0] >= areasM2[1] ? one : other
}

function outlineProblem(outer: number, others: readonly number[], teller: Teller): Problem {
  const inner = others.toSorted((one, other) => one - other)
  return problem('boundary-inside-another', placesOf(outer, teller)[0] ?? teller.place(-1), {
    value: nameOf(outer, teller),
    with: inner.slice(0, 50).flatMap((each) => placesOf(each, teller)),
    message: `The boundary of ${named(outer, teller)} lies round ${inner.length} others, such as ${named(inner[0]!, teller)}: is it the outline of the farm?`,
    hint: 'If it is, leave the row out here; its land counts twice. An outline belongs to the holding.',
  })
}

function problemOf(kind: Kind, meeting: Meeting, teller: Teller): Problem {
  const { one, other, areasM2, lon, lat } = meeting
  // It is told at the later row or at the one that lies inside; what only the service holds has no row.
  const isHeld = placesOf(other, teller).length === 0
  const isFirst =
    isHeld || (kind === 'inside' && outerOf(meeting) === other) || (kind === 'trimmed' && giverOf(meeting) === one)
  const [at, its] = isFirst ? [one, other] : [other, one]
  return problem(codes[kind], placesOf(at, teller)[0] ?? teller.place(-1), {
    value: nameOf(at, teller),
    where: { lon: places(lon), lat: places(lat) },
    with: copiesBeside(at, its, meeting).flatMap((each) => placesOf(each, teller)),
    ...sentenceOf(kind, meeting, { own: areasM2[isFirst ? 0 : 1], its: named(its, teller) }),
  })
}

function copiesBeside(at: number, its: number, { copies = [] }: Meeting): readonly number[] {
  return [its, ...copies.filter((each) => each !== at && each !== its)].slice(0, mostNamed)
}

function sentenceOf(
  kind: Kind,
  { areaM2, widthM, copies = [] }: Meeting,
  { own, its }: { readonly own: number; readonly its: string },
): { readonly message: string; readonly hint: string } {
  const share = (areaM2 / own) * 100
  const strip = `a strip about ${widthM.toFixed(1)} m wide, ${amount(areaM2)} in all`
  switch (kind) {
    case 'twice':
      if (copies.length > 2)
        return {
          message: `The boundary is that of ${its} once more, as ${copies.length - 2} more ${copies.length === 3 ? 'is' : 'are'}: ${amount(own)} count ${copies.length} times.`,
          hint: 'If it is the same field, leave all of these rows out but one.',
        }
      return {
        message: `The boundary is that of ${its} once more: ${amount(own)} count twice.`,
        hint: 'If it is the same field, leave one of the rows out.',
      }
    case 'inside':
      return {
        message: `The boundary lies inside that of ${its}: ${amount(areaM2)} count twice.`,
        hint: 'If it is a field of its own, draw it as a hole in the other one.',
      }
    case 'overlap':
      return {
        message: `The boundary overlaps that of ${its}: ${amount(areaM2)}, ${share.toFixed(1)} % of it, count twice.`,
        hint: 'Draw the fence between the two again.',
      }
    case 'sliver':
      return {
        message: `The boundary overlaps that of ${its} in ${strip}.`,
        hint: `The fence between the two is drawn twice; let one follow the other, or have it cut off:  geometry: { overlaps: up to ${Math.ceil(widthM)} m }`,
      }
    case 'trimmed':
      return {
        message: `${upper(strip)}, that ${its} claims too was cut off.`,
        hint: 'The larger of the two kept it. To publish both as they are drawn:  geometry: { overlaps: keep }',
      }
    case 'gap':
      return {
        message: `Between the boundary and that of ${its} lies ${strip}.`,
        hint: 'If there is nothing between them, the fence is drawn twice; let one follow the other.',
      }
  }
}

function upper(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

function named(boundary: number, teller: Teller): string {
  const about = teller.boundaries.about(boundary)
  return `"${nameOf(boundary, teller)}" (${'key' in about ? 'in the service' : `row ${about.row}`})`
}

/** The row of a boundary; nothing for one that only the service holds. */
function placesOf(boundary: number, { boundaries, place }: Teller): readonly Place[] {
  const about = boundaries.about(boundary)
  return 'row' in about ? [place(about.row)] : []
}

function nameOf(boundary: number, { stage, boundaries }: Teller): string {
  const about = boundaries.about(boundary)
  const key =
    'key' in about
      ? about.key
      : (stage.query<{ key: string }>('SELECT key FROM records WHERE id = ?', about.record)[0]?.key ?? '')
  return decodeURIComponent(key.slice(key.lastIndexOf('/') + 1))
}

function amount(areaM2: number): string {
  return areaM2 < 1000 ? `${areaM2.toFixed(0)} m²` : `${(areaM2 / 10_000).toFixed(2)} ha`
}

function places(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}
