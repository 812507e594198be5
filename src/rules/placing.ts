/** Decides where the coordinates of a file lie: their coordinate system, and which of the two comes first. */

import { WindrowError } from '../core/error.ts'
import { chosen, type Choice, type CrsClue, type Other } from '../core/row.ts'
import { decide, type Decider } from '../core/rule.ts'
import { emptyBox, type Box, type Shape } from '../core/shape.ts'
import type { Near } from '../geometry/crs/area.ts'
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
