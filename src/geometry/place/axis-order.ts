/**
 * Hides how coordinates that stand the wrong way round are told from right ones. That they are on earth proves nothing, because
 * 48, 11 and 11, 48 both are: a second witness speaks, which is the area where the system is used, or where other rows lie.
 */

import type { Shape } from '../../core/shape.ts'
import type { Crs } from '../crs/crs.ts'
import { distanceKm, farKm, isWithin, nearKm, type Box, type Near } from '../crs/area.ts'
import { placer } from '../projection/project.ts'

/** `turned`: only the other way round do the coordinates make sense. */
export type AxisOrder = 'written' | 'turned' | 'neither'

/** Makes the function that judges a shape by its first point. */
export function axisOrderFor(crs: Crs, near?: Near): (shape: Shape) => AxisOrder {
  const place = placer(crs)
  const area: Box = crs.isLonLat && crs.area[2] - crs.area[0] >= 360 ? [-180, -90, 180, 90] : crs.area
  const isIn = ([lon, lat]: readonly [number, number], withinKm: number): boolean =>
    isWithin(lon, lat, area) && (near === undefined || distanceKm(near, { lon, lat }) <= withinKm)
  const surroundings = crs.isLonLat ? area : grown(area)
  return (shape) => {
    const { coordinates } = firstOf(shape)
    const [x, y] = [coordinates[0] ?? NaN, coordinates[1] ?? NaN]
    const written = place(x, y)
    if (isIn(written, farKm)) return 'written'
    // A field just over the border of a grid with equal false easting and northing lies within the border the other way round.
    const isDoubtful = near === undefined && isWithin(...written, surroundings)
    if (!isDoubtful && isIn(place(y, x), nearKm)) return 'turned'
    return isWithin(...written, surroundings) ? 'written' : 'neither'
  }
}

const borderDegrees = 1.5

function grown([west, south, east, north]: Box): Box {
  return [west - borderDegrees, south - borderDegrees, east + borderDegrees, north + borderDegrees]
}

function firstOf(shape: Shape): Shape {
  const [member] = shape.members ?? []
  return member === undefined ? shape : firstOf(member)
}
