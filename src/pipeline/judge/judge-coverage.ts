/** Counts and reports overlaps and duplicates of boundaries: how much land it is, and whose. */

import { setImmediate } from 'node:timers/promises'
import { problem, type Problem, type ProblemCode } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { nameOf, readBody, type Body } from '../../ledger/content.ts'
import { idInKey, startOf } from '../../resources/keys.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import { meetingsOf } from '../stage/boundary-strips.ts'
import type { Coverage } from '../stage/facts.ts'
import { placeOf, uncommon } from '../stage/stage-store.ts'
import { farmNamesIfShown, type Judging } from '../settle/judging.ts'

/** How two boundaries may meet. */
type Kind = Exclude<keyof Coverage, 'boundaries'>

/** The number of meetings, their land, and at least the largest of them. */
type Tally = { count: number; areaM2: number; listed: Meeting[] }
type Tallies = Readonly<Record<Kind, Tally>>

const codes: Readonly<Record<Kind, ProblemCode>> = {
  twice: 'boundary-twice',
  inside: 'boundary-inside-another',
  overlap: 'boundaries-overlap',
}

// Two people who draw one fence differ by as much along one side of a field.
const fenceM = 2
const sameShare = 0.99
const insideShare = 0.95
// A boundary around this many others is taken for the outline of the farm.
const outlineOf = 3
const mostListed = 1000
// Each of many copies of a boundary names at most this many others.
const mostNamed = 10

/** The records of rows that were rejected or skipped after they were staged. */
function voidedIn(stage: Judging['stage']): ReadonlySet<number> {
  const sql = `SELECT id FROM records WHERE action = 'void' AND ${uncommon}`
  return new Set(stage.query<{ id: number }>(sql).map(({ id }) => id))
}

/** Takes the land of rows that were rejected or skipped after they were measured out of the total. */
export function leaveOutVoided({ stage, boundaries }: Judging): void {
  const voided = voidedIn(stage)
  const totals = stage.recall('passed')
  if (boundaries === undefined || totals === undefined || voided.size === 0) return
  let { areaM2 } = totals
  for (let boundary = 0; boundary < boundaries.own; boundary += 1) {
    const about = boundaries.about(boundary)
    if ('record' in about && voided.has(about.record)) areaM2 -= boundaries.areaM2(boundary)
  }
  // What is left of no land at all is rounding.
  stage.remember('passed', { ...totals, areaM2: areaM2 < 1 ? 0 : areaM2 })
}

/**
 * Compares the boundaries of a complete stage with each other, notes the findings and passes on each meeting. Returns the totals, null
 * without boundaries.
 */
export async function judgeCoverage(
  judging: Judging,
  boundaries: BoundaryStore,
  onMeeting: (meeting: Meeting) => void,
): Promise<Coverage | null> {
  const { stage, ledger, source, sameRows, signal } = judging
  if (boundaries.count + (sameRows?.found.boundaries ?? 0) === 0) return null
  const tallies = startTallies()
  const voided = voidedIn(stage)
  const deleted = new Set([...stage.keysWhere(`action = 'delete' AND ${uncommon}`)].flat())
  const isVoid = (boundary: number): boolean => {
    if (voided.size + deleted.size === 0) return false
    const about = boundaries.about(boundary)
    return 'record' in about ? voided.has(about.record) : deleted.has(about.key)
  }
  // Whose boundary meets another must be compared again next time.
  const hasMet = new Uint8Array(boundaries.count)
  for (const meetings of meetingsOf(boundaries, { isOut: isVoid, folder: stage.folder })) {
    for (const meeting of meetings) {
      onMeeting(meeting)
      const kind = kindOf(meeting)
      if (kind === undefined) continue
      addTo(tallies[kind], meeting)
      hasMet[meeting.one] = 1
      hasMet[meeting.other] = 1
    }
    // Lets an interrupt through.
    await setImmediate()
    signal?.throwIfAborted()
  }
  const layer = stage.query<{ layer: string | null }>('SELECT layer FROM rows LIMIT 1')[0]?.layer ?? null
  const place = (row: number): Place => placeOf({ layer, row }, source)
  const nameless: ProblemContext = { stage, ledger, boundaries, place }
  const isElsewhere = ({ one, other }: Meeting): boolean =>
    startOf(keyOf(one, nameless)) !== startOf(keyOf(other, nameless))
  const areElsewhere = Object.values(tallies).some(({ listed }) => listed.some(isElsewhere))
  const context = { ...nameless, farmName: areElsewhere ? await farmNamesIfShown(judging) : undefined }
  stage.together(() => {
    for (const each of problemsOf(tallies, context)) stage.addProblem(each)
    for (let boundary = 0; boundary < boundaries.own; boundary += 1) {
      if (hasMet[boundary] === 0) continue
      const about = boundaries.about(boundary)
      if ('record' in about) stage.change('DELETE FROM digests WHERE record = ?', about.record)
    }
  })
  const sums = Object.entries(tallies).map(([kind, { count, areaM2 }]) => [kind, { count, areaM2 }])
  return {
    boundaries: boundaries.count - goneOrSame(boundaries, deleted) + (sameRows?.found.boundaries ?? 0),
    ...(Object.fromEntries(sums) as Omit<Coverage, 'boundaries'>),
  }
}

/** How many boundaries are those of records that this run deletes, or of rows that are the same as in the last file. */
function goneOrSame({ own, count, about }: BoundaryStore, deleted: ReadonlySet<string>): number {
  let found = 0
  for (let boundary = own; boundary < count; boundary += 1) {
    const owner = about(boundary)
    if (owner.row !== undefined || ('key' in owner && deleted.has(owner.key))) found += 1
  }
  return found
}

/** Undefined for a strip as narrow as the difference between two drawings of one fence. */
function kindOf({ areasM2, areaM2 }: Meeting): Kind | undefined {
  const [least, most] = [Math.min(...areasM2), Math.max(...areasM2)]
  if (areaM2 >= sameShare * most) return 'twice'
  if (areaM2 >= insideShare * least) return 'inside'
  return areaM2 < fenceM * Math.sqrt(least) ? undefined : 'overlap'
}

function startTallies(): Tallies {
  const none = (): Tally => ({ count: 0, areaM2: 0, listed: [] })
  return { twice: none(), inside: none(), overlap: none() }
}

/** Counts one more; only the largest are kept for the report. */
function addTo(tally: Tally, found: Meeting): void {
  tally.count += 1
  tally.areaM2 += found.areaM2
  tally.listed.push(found)
  if (tally.listed.length < 2 * mostListed) return
  tally.listed = largest(tally.listed)
}

function largest(listed: readonly Meeting[]): Meeting[] {
  return listed.toSorted((one, other) => other.areaM2 - one.areaM2).slice(0, mostListed)
}

type ProblemContext = Pick<Judging, 'stage' | 'ledger'> & {
  readonly boundaries: BoundaryStore
  place(row: number): Place
  /** The name of the farm of a body. */
  readonly farmName?: ((body: Body) => string | undefined) | undefined
}

/** The problems to report: the largest of each kind. */
function* problemsOf(tallies: Tallies, context: ProblemContext): Generator<Problem> {
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
    message: `The boundary of ${named(outer, { beside: outer, context })} contains ${inner.length} others, such as ${named(inner[0]!, { beside: outer, context })}. Is it the outline of the farm?`,
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
      its: named(its, { beside: at, context }),
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

/** The record of a boundary as a person knows it, with its farm where that is not the farm of another boundary. */
function named(boundary: number, { beside, context }: Beside): string {
  const about = context.boundaries.about(boundary)
  const name = nameOf(bodyOf(boundary, context))
  const id = idOf(boundary, context)
  const [farm, itsFarm] = [boundary, beside].map((each) => context.farmName?.(bodyOf(each, context)))
  const ofFarm = farm === undefined || farm === itsFarm ? '' : ` of ${farm}`
  const place = about.row === undefined ? 'in the service' : `row ${about.row}`
  // Without a key, the id is the row.
  return name !== undefined && name !== id
    ? `"${name}"${ofFarm} (${[...new Set([id, place])].join(', ')})`
    : `"${id}"${ofFarm} (${place})`
}

type Beside = { readonly beside: number; readonly context: ProblemContext }

function bodyOf(boundary: number, context: ProblemContext): Body {
  const about = context.boundaries.about(boundary)
  const sent = 'key' in about ? undefined : context.stage.bodyOf(about.record)
  return readBody(sent ?? context.ledger.find(keyOf(boundary, context))?.body ?? '{}')
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
