/** Stops a run most of whose new boundaries are there twice in its own file, as where a layer has the paddocks of several years. */

import type { WindrowError } from '../../core/error.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { readBody } from '../../ledger/content.ts'
import { isNew } from '../stage/stage-store.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import { stopFor, waysToAllow, type Judging } from './judging.ts'
import { samePaddock } from './shared-land.ts'

// Two paddocks that are there twice. People also draw one twice by mistake, which is a warning.
const fewest = 4
const mostOfNew = 0.5

/** By boundary of a run: the number of another one of it that is the same, plus one. */
type Twins = Uint32Array

export function startTwins({ own }: BoundaryStore): Twins {
  return new Uint32Array(own)
}

export function noteTwins(twins: Twins, { kind, one, other, areaM2, areasM2 }: Meeting): void {
  if (kind !== 'overlap' || Math.max(one, other) >= twins.length || areaM2 < samePaddock * Math.max(...areasM2)) return
  twins[one] ||= other + 1
  twins[other] ||= one + 1
}

/** Returns the error 'duplicates-found' if most of the new records have such a boundary. */
export function judgeTwins({ job, stage }: Judging, boundaries: BoundaryStore, twins: Twins): WindrowError | undefined {
  const created = stage.countNew()
  const areTooMany = (count: number): boolean => count >= fewest && count > mostOfNew * created
  if (!areTooMany(twins.reduce((sum, twin) => sum + (twin === 0 ? 0 : 1), 0))) return undefined
  const ownerOf = (boundary: number) => boundaries.about(boundary) as { readonly row: number; readonly record: number }
  const ids = new Set(stage.query<{ id: number }>(`SELECT id FROM records WHERE ${isNew}`).map(({ id }) => id))
  const found = [...twins.keys()].filter((boundary) => twins[boundary] !== 0 && ids.has(ownerOf(boundary).record))
  if (!areTooMany(found.length)) return undefined
  const rowText = (boundary: number): string => {
    const { row, record } = ownerOf(boundary)
    const { name } = readBody(stage.bodyOf(record)!)
    return `row ${row}${typeof name === 'string' ? ` ("${name}")` : ''}`
  }
  const [one, other] = [found[0]!, twins[found[0]!]! - 1].map(rowText)
  const reason = `${found.length} of ${created} new records have the boundary of another row of the file, such as ${one} and ${other}. Does it have several years or versions of the same ${job.type.plural}?`
  return stopFor('duplicates-found', [reason], {
    hint: `Take the rows of one of them:  only: { COLUMN: [VALUE] }  in a pipeline, which windrow init starts. If all are records:  ${waysToAllow('duplicates', job)}`,
  })
}
