/** Words the problems of overlapping, repeated and nested boundaries, and places each at a row. */

import { problem, type Problem, type ProblemCode } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { nameOf, readBody } from '../../ledger/content.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { idInKey } from '../../resources/keys.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import type { Coverage } from '../stage/facts.ts'
import type { Stage } from '../stage/stage-store.ts'

/** How two boundaries may meet. */
export type Kind = Exclude<keyof Coverage, 'boundaries'>

/** The number of meetings, their land, and at least the largest of them. */
export type Tally = { count: number; areaM2: number; listed: Meeting[] }
export type Tallies = Readonly<Record<Kind, Tally>>

const codes: Readonly<Record<Kind, ProblemCode>> = {
  twice: 'boundary-twice',
  inside: 'boundary-inside-another',
  overlap: 'boundaries-overlap',
}

// A boundary around this many others is taken for the outline of the farm.
const outlineOf = 3
const mostListed = 1000
// Each of many copies of a boundary names at most this many others.
const mostNamed = 10

export function startTallies(): Tallies {
  const none = (): Tally => ({ count: 0, areaM2: 0, listed: [] })
  return { twice: none(), inside: none(), overlap: none() }
}

/** Counts one more; only the largest are kept for the report. */
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

export type ProblemContext = {
  readonly stage: Stage
  readonly ledger: Pick<Ledger, 'find'>
  readonly boundaries: BoundaryStore
  place(row: number): Place
}

/** The problems to report: the largest of each kind. */
export function* problemsOf(tallies: Tallies, context: ProblemContext): Generator<Problem> {
  const outlines = outlinesOf(tallies.inside.listed)
  for (const kind of Object.keys(codes) as Kind[]) {
    const { count, areaM2 } = tallies[kind]
    let shown = 0
    for (const meeting of largest(tallies[kind].listed)) {
      shown += 1
      if (kind !== 'inside' || !outlines.has(outerOf(meeting))) yield problemOf(kind, meeting, context)
    }
    if (count > shown)
      yield problem(codes[kind], context.place(-1), {
        message: `${count - shown} more of this kind, smaller than those listed; ${amount(areaM2)} in total.`,
      })
  }
  for (const [outer, inner] of outlines) yield outlineProblem(outer, inner, context)
}

/** The boundaries around several others, with those others. */
function outlinesOf(inside: readonly Meeting[]): ReadonlyMap<number, readonly number[]> {
  const several = [...Map.groupBy(inside, outerOf)].filter(([, its]) => its.length >= outlineOf)
  return new Map(several.map(([outer, its]) => [outer, its.map(({ one, other }) => (outer === one ? other : one))]))
}

function outerOf({ one, other, areasM2 }: Meeting): number {
  return areasM2[0] >= areasM2[1] ? one : other
}

function outlineProblem(outer: number, others: readonly number[], context: ProblemContext): Problem {
  const inner = others.toSorted((one, other) => one - other)
  return problem('boundary-inside-another', placesOf(outer, context)[0] ?? context.place(-1), {
    value: idOf(outer, context),
    with: inner.slice(0, 50).flatMap((each) => placesOf(each, context)),
    message: `The boundary of ${named(outer, context)} contains ${inner.length} others, such as ${named(inner[0]!, context)}. Is it the outline of the farm?`,
    hint: 'If it is, remove the row, because its land counts twice. An outline belongs to the holding.',
  })
}

function problemOf(kind: Kind, meeting: Meeting, context: ProblemContext): Problem {
  const { one, other, areasM2, lon, lat, copies = [] } = meeting
  // Reported at the later row or at the inner one; a record that only the service has is in no row.
  const [rowOfOne, rowOfOther] = [one, other].map((each) => context.boundaries.about(each).row)
  const isFirst =
    rowOfOther === undefined || (kind === 'inside' ? outerOf(meeting) === other : (rowOfOne ?? 0) > rowOfOther)
  const [at, its] = isFirst ? [one, other] : [other, one]
  const beside = [its, ...copies.filter((each) => each !== at && each !== its)].slice(0, mostNamed)
  return problem(codes[kind], placesOf(at, context)[0] ?? context.place(-1), {
    value: idOf(at, context),
    where: { lon: places(lon), lat: places(lat) },
    with: beside.flatMap((each) => placesOf(each, context)),
    ...sentenceOf(kind, meeting, {
      own: areasM2[isFirst ? 0 : 1],
      its: named(its, context),
      isAround: kind === 'inside' && at === outerOf(meeting),
    }),
  })
}

function sentenceOf(
  kind: Kind,
  { areaM2, copies = [] }: Meeting,
  {
    own,
    its,
    isAround,
  }: {
    readonly own: number
    readonly its: string
    /** True where only the service has the inner one. */
    readonly isAround: boolean
  },
): { readonly message: string; readonly hint: string } {
  const share = (areaM2 / own) * 100
  const sentences: Readonly<Record<Kind, readonly [message: string, hint: string]>> = {
    twice:
      copies.length > 2
        ? [
            `The boundary is the same as that of ${its} and ${copies.length - 2} more: ${amount(own)} count ${copies.length} times.`,
            'If it is the same field, keep only one of these rows.',
          ]
        : [
            `The boundary is the same as that of ${its}: ${amount(own)} count twice.`,
            'If it is the same field, remove one of the rows.',
          ],
    inside: isAround
      ? [
          `The boundary contains that of ${its}: ${amount(areaM2)} count twice.`,
          'If that one is a separate field, draw it as a hole in this one.',
        ]
      : [
          `The boundary lies inside that of ${its}: ${amount(areaM2)} count twice.`,
          'If it is a separate field, draw it as a hole in the other one.',
        ],
    overlap: [
      `The boundary overlaps that of ${its}: ${amount(areaM2)}, ${share.toFixed(1)} % of it, count twice.`,
      'Redraw the fence between the two.',
    ],
  }
  const [message, hint] = sentences[kind]
  return { message, hint }
}

function named(boundary: number, context: ProblemContext): string {
  const about = context.boundaries.about(boundary)
  const key = keyOf(boundary, context)
  const sent = 'key' in about ? undefined : context.stage.bodyOf(about.record)
  const name = nameOf(readBody(sent ?? context.ledger.find(key)?.body ?? '{}'))
  const id = idInKey(key)
  const place = about.row === undefined ? 'in the service' : `row ${about.row}`
  // Without a key, the id is the row.
  return name !== undefined && name !== id
    ? `"${name}" (${[...new Set([id, place])].join(', ')})`
    : `"${id}" (${place})`
}

function idOf(boundary: number, context: ProblemContext): string {
  return idInKey(keyOf(boundary, context))
}

/** The row of a boundary; empty for a record that only the service has. */
function placesOf(boundary: number, { boundaries, place }: ProblemContext): readonly Place[] {
  const about = boundaries.about(boundary)
  return about.row === undefined ? [] : [place(about.row)]
}

function keyOf(boundary: number, { stage, boundaries }: ProblemContext): string {
  const about = boundaries.about(boundary)
  return 'key' in about ? about.key : (stage.keyOf(about.record) ?? '')
}

function amount(areaM2: number): string {
  return areaM2 < 1000 ? `${areaM2.toFixed(0)} m²` : `${(areaM2 / 10_000).toFixed(2)} ha`
}

function places(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}
