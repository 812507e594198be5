/** Draws places in a transverse Mercator system, by another program than the one under test. */

import proj4 from 'proj4'
import type { TransverseMercator } from '../../src/geometry/projection/transverse-mercator.ts'

/** Turns one position in degrees into easting and northing in the system's unit. */
export function forwardTransverseMercator(
  { semiMajorM, inverseFlattening, lat0, lon0, k, x0, y0, unitM }: TransverseMercator,
  lon: number,
  lat: number,
): readonly [easting: number, northing: number] {
  const ellipsoid = `+a=${semiMajorM} +rf=${inverseFlattening} +no_defs`
  const system = `+proj=tmerc +lat_0=${lat0} +lon_0=${lon0} +k=${k} +x_0=${x0} +y_0=${y0} +to_meter=${unitM}`
  const [easting, northing] = proj4(`+proj=longlat ${ellipsoid}`, `${system} ${ellipsoid}`).forward([lon, lat])
  return [easting!, northing!]
}
