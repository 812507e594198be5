/** Collects simplified boundaries for the report's map, with the outcome of their rows. */

import type { Row } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import type { Crs } from '../../geometry/crs/crs.ts'
import { isProjectionFault, projectorFor } from '../../geometry/projection/project.ts'
import { crossesDateline, unwrapLongitudes } from '../../geometry/measure/rings.ts'
import { outline } from '../../geometry/coverage/simplify.ts'
import type { Outline } from '../../web/farm-map.ts'

/** A map in the making. It takes only the first boundaries, so that a report stays small. */
export type Picture = {
  add(row: Row, tone: Outline['tone'], label: string): void
  isFull(): boolean
  outlines(): readonly Outline[]
  /** Forgets all rows: they are read again. */
  startOver(): void
}

const mostOutlines = 1500
/** About a metre: finer than a screen shows. */
const toleranceDegrees = 1e-5

/** Starts a map of boundaries in the given coordinate system. */
export function startPicture(crs: Crs): Picture {
  const project = projectorFor(crs)
  const outlines: Outline[] = []
  const isFull = (): boolean => outlines.length >= mostOutlines
  return {
    add(row, tone, label) {
      if (isFull() || !row.shape || row.shape.members !== undefined) return
      const projected = project(row.shape)
      if (isProjectionFault(projected) || projected.ends.length === 0) return
      const whole = crossesDateline(projected) ? unwrapLongitudes(projected) : projected
      outlines.push({ row: row.at.row, label, tone, rings: ringsOf(outline(whole, toleranceDegrees)) })
    },
    isFull,
    outlines: () => outlines,
    startOver: () => void outlines.splice(0),
  }
}

function ringsOf({ coordinates, ends }: Shape): readonly (readonly number[])[] {
  return ends.map((end, index) =>
    Array.from(coordinates.subarray(index === 0 ? 0 : ends[index - 1]! * 2, end * 2), roundForPicture),
  )
}

function roundForPicture(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}
