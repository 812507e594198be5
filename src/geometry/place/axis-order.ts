/**
 * Detects coordinates in the wrong order (latitude first). Both 48, 11 and 11, 48 are on earth, so it compares them with the area
 * where the system is used, or with the place of other rows.
 */

import type { Box } from '../../core/shape.ts'
import type { Crs } from '../crs/crs.ts'
import { distanceKm, farKm, isWithin, nearKm, widen, world, type Near } from '../crs/area.ts'
import { placer } from '../projection/project.ts'

/** `turned`: the coordinates make sense only the other way round. */
export type AxisOrder = 'written' | 'turned' | 'neither'

/** Makes the function that judges a shape by its first point. */
export function axisOrderFor(crs: Crs, near?: Near): (x: number, y: number) => AxisOrder {
  const place = placer(crs)
  const area: Box = crs.isLonLat && crs.area[2] - crs.area[0] >= 360 ? world : crs.area
  const isIn = ([lon, lat]: readonly [number, number], withinKm: number): boolean =>
    isWithin(lon, lat, area) && (near === undefined || distanceKm(near, { lon, lat }) <= withinKm)
  const surroundings = crs.isLonLat ? area : widen(area, borderDegrees)
  return (x, y) => {
    const written = place(x, y)
    if (isIn(written, farKm)) return 'written'
    // With equal false easting and northing, a field just outside the grid's area lies inside it the other way round.
    const isDoubtful = near === undefined && isWithin(...written, surroundings)
    if (!isDoubtful && isIn(place(y, x), nearKm)) return 'turned'
    return isWithin(...written, surroundings) ? 'written' : 'neither'
  }
}

const borderDegrees = 1.5
