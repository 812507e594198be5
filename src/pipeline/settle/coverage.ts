/** Compares the boundaries of a run with each other, with known ones near them, and with the areas that the file states. */

import { setImmediate } from 'node:timers/promises'
import type { Place } from '../../core/row.ts'
import { gridOutlineOf, gridSteps, turnSteps } from '../../geometry/coverage/boundary-grid.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { areaOf, type Bbox } from '../../geometry/measure/measure.ts'
import { windRings } from '../../geometry/measure/rings.ts'
import { indexBoxes, type BoxIndex } from '../../geometry/validity/box-index.ts'
import { boundaryOf, nameOf, readBody } from '../../ledger/content.ts'
import type { Land } from '../../ledger/source-rows.ts'
import { idInKey } from '../../resources/keys.ts'
import { areaDiffers, landRules, sharingOf, type SharedLand, type SharingKind } from '../../rules/land.ts'
import { boxIn, type About, type BoundaryStore } from '../stage/boundary-store.ts'
import { meetingsOf } from '../stage/boundary-strips.ts'
import type { Coverage } from '../stage/facts.ts'
import { datasetOf } from '../stage/import-job.ts'
import { placeOf, uncommon } from '../stage/stage-store.ts'
import { statedColumnIn } from '../stage/stated-areas.ts'
import { farmNamesIfShown, find, type Judging } from './judging.ts'

/** The number of meetings of one kind, their land, and at least the largest of them. */
type Counted = { count: number; areaM2: number; listed: Meeting[] }
type CountedByKind = Readonly<Record<SharingKind, Counted>>

const mostListed = 1000
// Each of many copies of a boundary names at most this many others.
const mostNamed = 10
// A boundary around so many others is taken for the outline of the farm.
const fewestInOutline = 3

/**
 * Compares the boundaries of a complete stage with each other, has judged what they share, and passes on each meeting. Returns the
 * totals, null without boundaries.
 */
export async function compareBoundaries(
  judging: Judging,
  boundaries: BoundaryStore,
  onMeeting: (meeting: Meeting) => void,
): Promise<Coverage | null> {
  const { stage, sameRows, signal } = judging
  if (boundaries.count + (sameRows?.found.boundaries ?? 0) === 0) return null
  const none = (): Counted => ({ count: 0, areaM2: 0, listed: [] })
  const counted: CountedByKind = { twice: none(), inside: none(), overlap: none() }
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
      const kind = sharingOf(meeting)
      if (kind === undefined) continue
      addTo(counted[kind], meeting)
      hasMet[meeting.one] = 1
      hasMet[meeting.other] = 1
    }
    // Lets an interrupt through.
    await setImmediate()
    signal?.throwIfAborted()
  }
  const records = await recordsOf(judging, boundaries, counted)
  stage.together(() => {
    for (const facts of landOf(counted, records)) find(judging, landRules, facts)
    for (let boundary = 0; boundary < boundaries.own; boundary += 1) {
      if (hasMet[boundary] === 0) continue
      const about = boundaries.about(boundary)
      if ('record' in about) stage.change('DELETE FROM digests WHERE record = ?', about.record)
    }
  })
  const sums = Object.entries(counted).map(([kind, { count, areaM2 }]) => [kind, { count, areaM2 }])
  return {
    boundaries: boundaries.count - goneOrSame(boundaries, deleted) + (sameRows?.found.boundaries ?? 0),
    ...(Object.fromEntries(sums) as Omit<Coverage, 'boundaries'>),
  }
}

/** Has the areas judged that the file states, and keeps their total for the report. */
export function judgeAreas(judging: Judging): void {
  const { stage, statedAreas } = judging
  const stated = statedColumnIn(statedAreas)
  if (stated === undefined) return
  const { column, total } = stated
  stage.together(() => {
    stage.remember('stated-area', total)
    for (const row of [undefined, ...column.doubts]) find(judging, [areaDiffers], { ...column, ...(row && { row }) })
  })
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

/** The records of rows that were rejected or skipped after they were staged. */
function voidedIn(stage: Judging['stage']): ReadonlySet<number> {
  const sql = `SELECT id FROM records WHERE action = 'void' AND ${uncommon}`
  return new Set(stage.query<{ id: number }>(sql).map(({ id }) => id))
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

/** Counts one more; only the largest are kept for the report. */
function addTo(counted: Counted, meeting: Meeting): void {
  counted.count += 1
  counted.areaM2 += meeting.areaM2
  counted.listed.push(meeting)
  if (counted.listed.length < 2 * mostListed) return
  counted.listed = largest(counted.listed)
}

function largest(listed: readonly Meeting[]): Meeting[] {
  return listed.toSorted((one, other) => other.areaM2 - one.areaM2).slice(0, mostListed)
}

/** The land to judge: the largest meetings of each kind. Those inside one outline are one. */
function* landOf(counted: CountedByKind, records: Records): Generator<SharedLand> {
  const inside = Map.groupBy(largest(counted.inside.listed), outerOf)
  const single = [...inside.values()].flatMap((its) => (its.length < fewestInOutline ? its : []))
  for (const meeting of [...largest(counted.twice.listed), ...single, ...largest(counted.overlap.listed)])
    yield sharedLandOf(meeting, records)
  for (const [outer, its] of inside) if (its.length >= fewestInOutline) yield outlineOf(outer, its, records)
}

function outerOf({ one, other, areasM2 }: Meeting): number {
  return areasM2[0] >= areasM2[1] ? one : other
}

function outlineOf(outer: number, its: readonly Meeting[], records: Records): SharedLand {
  const innerOf = ({ one, other }: Meeting): number => (outer === one ? other : one)
  const [first, ...others] = its.toSorted((left, right) => innerOf(left) - innerOf(right)) as [Meeting, ...Meeting[]]
  const contained = its.length
  return sharedLandOf({ ...first, copies: others.map(innerOf) }, records, { own: outer, contained })
}

/** What two boundaries share, reported at the later row or at the inner one; a record that only the service has is in no row. */
function sharedLandOf(
  meeting: Meeting,
  { recordOf, rowsOf, file }: Records,
  outline?: { readonly own: number; readonly contained: number },
): SharedLand {
  const { one, other, areaM2, areasM2, lon, lat, copies = [] } = meeting
  const [first, second] = [recordOf(one), recordOf(other)]
  const isInside = sharingOf(meeting) === 'inside'
  const isOwnFirst = second.row === undefined || (isInside ? outerOf(meeting) === other : (first.row ?? 0) > second.row)
  const isFirst = outline === undefined ? isOwnFirst : outline.own === one
  const [own, its] = isFirst ? [one, other] : [other, one]
  const beside = [its, ...copies.filter((each) => each !== own && each !== its)]
  return {
    areaM2,
    areasM2: isFirst ? areasM2 : [areasM2[1], areasM2[0]],
    where: { lon: rounded(lon), lat: rounded(lat) },
    at: rowsOf([own])[0] ?? file,
    id: isFirst ? first.id : second.id,
    other: isFirst ? named(second, first) : named(first, second),
    with: rowsOf(beside.slice(0, mostNamed)),
    copies: copies.length,
    ...(outline && { contained: outline.contained }),
  }
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}

type Records = Awaited<ReturnType<typeof recordsOf>>
type BoundaryRecord = {
  readonly id: string
  readonly name: string | undefined
  /** The name of its farm, where boundaries of several farms meet. */
  readonly farm: string | undefined
  /** Undefined for a record that only the service has. */
  readonly row: number | undefined
}

/** Makes the functions that find the records and rows of boundaries. */
async function recordsOf(judging: Judging, boundaries: BoundaryStore, counted: CountedByKind) {
  const { stage, ledger, source } = judging
  const layer = stage.query<{ layer: string | null }>('SELECT layer FROM rows LIMIT 1')[0]?.layer ?? null
  const keyOf = (about: About): string => ('key' in about ? about.key : (stage.keyOf(about.record) ?? ''))
  const farmOf = (boundary: number): string => keyOf(boundaries.about(boundary)).replace(/[^/]*$/, '')
  const areOfTwoFarms = Object.values(counted).some(({ listed }) =>
    listed.some(({ one, other }) => farmOf(one) !== farmOf(other)),
  )
  const farmName = areOfTwoFarms ? await farmNamesIfShown(judging) : undefined
  return {
    file: placeOf({ layer, row: -1 }, source),
    recordOf(boundary: number): BoundaryRecord {
      const about = boundaries.about(boundary)
      const key = keyOf(about)
      const sent = 'key' in about ? undefined : stage.bodyOf(about.record)
      const body = readBody(sent ?? ledger.find(key)?.body ?? '{}')
      return { id: idInKey(key), name: nameOf(body), farm: farmName?.(body), row: about.row }
    },
    rowsOf: (some: readonly number[]): readonly Place[] =>
      some.flatMap((boundary) => {
        const { row } = boundaries.about(boundary)
        return row === undefined ? [] : [placeOf({ layer, row }, source)]
      }),
  }
}

/** The record as a person knows it, with its farm where that is not the farm of the other one. */
function named({ id, name, farm, row }: BoundaryRecord, other?: BoundaryRecord): string {
  const ofFarm = farm === undefined || other === undefined || farm === other.farm ? '' : ` of ${farm}`
  const place = row === undefined ? 'in the service' : `row ${row}`
  // Without a key, the id is the row.
  return name !== undefined && name !== id
    ? `"${name}"${ofFarm} (${[...new Set([id, place])].join(', ')})`
    : `"${id}"${ofFarm} (${place})`
}

// As far as from a large field's centre to its fence.
const nearDegrees = 0.05

/** Adds known boundaries near those that were staged: of other records of the service, and of rows that are the same as before. */
export function addKnownBoundaries(boundaries: BoundaryStore, { job, stage, ledger, sameRows }: Judging): void {
  const add = (body: string, about: About): void => {
    const shape = boundaryOf(readBody(body))
    if (shape === undefined) return
    const wound = windRings(shape)
    const outline = gridOutlineOf(wound)
    if (outline !== undefined) boundaries.add({ outline, about, areaM2: areaOf(wound) })
  }
  const rowOf = sameRows?.near(nearBoxes(boundaries)) ?? new Map<number, number>()
  const box = stage.recall('passed')?.bbox
  const absent = sameRows?.absent()
  if (box !== undefined) {
    const near = { box, degrees: nearDegrees }
    const own = absent && { pipeline: job.name, absent }
    for (const { key, body } of ledger.standingNear(datasetOf(job), near, own))
      if (mayLieNear(body, box) && !stage.hasRow(key)) add(body, { key })
  }
  for (const { id, key, body } of ledger.standingWith([...rowOf.keys()])) add(body, { key, row: rowOf.get(id) })
}

/** Makes the function that finds whether a box meets one of the stored ones. */
function nearBoxes({ count, records }: BoundaryStore): (land: Land) => boolean {
  let known: { readonly index: BoxIndex; readonly isBeyond: boolean } | undefined
  const look = (): NonNullable<typeof known> => {
    const boxes = new Uint32Array(count * 4)
    let at = 0
    for (const record of records.each()) {
      boxes.set(boxIn(record), at)
      at += 4
    }
    return { index: indexBoxes(boxes), isBeyond: boxes.some((edge, place) => place % 4 === 2 && edge > turnSteps) }
  }
  return ([, west, south, east, north]) => {
    const { index, isBeyond } = (known ??= look())
    const [from, bottom, top] = [(west + 180) * gridSteps, (south + 90) * gridSteps, (north + 90) * gridSteps]
    const to = (east + (east < west ? 540 : 180)) * gridSteps
    const meets = (turned: number): boolean => index.visit(from + turned, bottom, to + turned, top, () => true)
    // A boundary across 180 degrees continues beyond the grid.
    return meets(0) || ((isBeyond || to > turnSteps) && (meets(-turnSteps) || meets(turnSteps)))
  }
}

const centroid = /"centroid":\{"type":"Point","coordinates":\[([-\d.e]+),([-\d.e]+)/

/** Checks only the text, because most records lie elsewhere and need no parsing. */
function mayLieNear(body: string, [west, south, east, north]: Bbox): boolean {
  const found = centroid.exec(body)
  if (found === null) return body.includes('"Polygon"') || body.includes('"MultiPolygon"')
  const [lon, lat] = [Number(found[1]), Number(found[2])]
  const width = (east - west + 360) % 360
  const fromWest = (lon - west + nearDegrees + 720) % 360
  return fromWest <= width + 2 * nearDegrees && lat >= south - nearDegrees && lat <= north + nearDegrees
}
