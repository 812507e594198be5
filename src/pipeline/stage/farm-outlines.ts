/** Hides which boundaries go into the picture of a report: the first of them, thinned out, with what became of their rows. */

import type { Row } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import type { Crs } from '../../geometry/crs/crs.ts'
import { isProjectionFault, projectorFor } from '../../geometry/projection/project.ts'
import { crossesDateline, unwrapLongitudes } from '../../geometry/measure/rings.ts'
import { outline } from '../../geometry/coverage/simplify.ts'
import type { Outline } from '../../web/farm-map.ts'

/** A picture in the making. It takes the first boundaries and leaves the rest, so that a report stays small. */
export type Picture = {
  add(row: Row, tone: Outline['tone'], label: string): void
  /** True when it takes no more. */
  isFull(): boolean
  outlines(): readonly Outline[]
}

const mostOutlines = 1500
/** About a metre: finer than a screen shows of a farm. */
const toleranceDegrees = 1e-5

/** Starts a picture of boundaries in the given system. */
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
