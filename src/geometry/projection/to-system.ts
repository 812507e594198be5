/** Turns shapes in longitude and latitude into a coordinate system, for files that other programs want in it. */

import type { Shape } from '../../core/shape.ts'
import { isWithin } from '../crs/area.ts'
import type { Crs } from '../crs/crs.ts'
import { forwardByLibrary, inverseByLibrary, type Turn } from './proj4-projection.ts'
import { limitsOf } from './project.ts'

// A millimetre, and a tenth of one.
const perMetre = 1e3
const perDegree = 1e9

/**
 * Makes the function that turns shapes into the system, rounded to a millimetre; undefined for a shape that lies so far outside the
 * system's area that it could not be read back. Heights and measures stay the same.
 */
export function projectorInto(crs: Crs): (shape: Shape) => Shape | undefined {
  const project = forwardFor(crs)
  const limits = limitsOf(crs)
  const steps = crs.isLonLat ? perDegree : perMetre
  const turn = (shape: Shape): Shape | undefined => {
    if (shape.members !== undefined) {
      const members = shape.members.map(turn)
      return members.includes(undefined) ? undefined : { ...shape, members: members as Shape[] }
    }
    const { coordinates: from } = shape
    for (let at = 0; at < from.length; at += 2) if (!isWithin(from[at]!, from[at + 1]!, limits)) return undefined
    const coordinates = new Float64Array(from.length)
    project(from, coordinates)
    for (let at = 0; at < coordinates.length; at += 1) coordinates[at] = Math.round(coordinates[at]! * steps) / steps
    return coordinates.every(Number.isFinite) ? { ...shape, coordinates } : undefined
  }
  return turn
}

/** The way from WGS 84 to another datum is some millimetres off: what comes back from there says by how much. */
function forwardFor({ definition }: Crs): Turn {
  const forward = forwardByLibrary(definition)
  if (definition.datum.toWgs84 === undefined) return forward
  const inverse = inverseByLibrary(definition)
  return (from, to) => {
    forward(from, to)
    const better = new Float64Array(from.length)
    inverse(to, better)
    for (let at = 0; at < from.length; at += 1) better[at] = 2 * from[at]! - better[at]!
    forward(better, to)
  }
}
