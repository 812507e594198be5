/** Projects and unprojects coordinates with proj4. */

import { createRequire } from 'node:module'
import type proj4 from 'proj4'
import { once } from '../../core/once.ts'
import type { Definition } from '../crs/crs-definition.ts'

/** Turns coordinate pairs of one system into pairs of another. */
export type Turn = (from: Float64Array, to: Float64Array) => void

// Loaded only when needed: most files do not use it.
const library = once(() => createRequire(import.meta.url)('proj4') as typeof proj4)

/** Makes the inverse of a projection; to WGS 84 unless another target is given. */
export function inverseByLibrary(definition: Definition, target?: Definition): Turn {
  const to = target === undefined ? '+proj=longlat +datum=WGS84 +no_defs' : projText(target)
  const converter = library()(projText(definition), to)
  // A geographic system in another unit than degrees is brought to degrees here, because the library reads degrees only.
  const isLonLat = definition.method === 'longlat'
  const factor = isLonLat ? definition.unitM : 1
  return (from, onto) => {
    for (let index = 0; index < from.length; index += 2) {
      const x = from[index]! * factor
      const y = from[index + 1]! * factor
      // The library throws at numbers that are not finite, and wraps any number into degrees.
      const canProject = isLonLat ? Math.abs(x) <= 360 && Math.abs(y) <= 90 : Number.isFinite(x) && Number.isFinite(y)
      const [lon, lat] = canProject ? converter.forward([x, y]) : [NaN, NaN]
      onto[index] = lon ?? NaN
      onto[index + 1] = lat ?? NaN
    }
  }
}

/** Makes the projection itself: degrees of WGS 84 become coordinates of the definition, NaN where it has none. */
export function forwardByLibrary(definition: Definition): Turn {
  const converter = library()('+proj=longlat +datum=WGS84 +no_defs', projText(definition))
  const factor = definition.method === 'longlat' ? definition.unitM : 1
  return (from, onto) => {
    for (let index = 0; index < from.length; index += 2) {
      const [lon, lat] = [from[index]!, from[index + 1]!]
      const canProject = Math.abs(lon) <= 360 && Math.abs(lat) <= 90
      const [x, y] = canProject ? converter.forward([lon, lat]) : [NaN, NaN]
      onto[index] = (x ?? NaN) / factor
      onto[index + 1] = (y ?? NaN) / factor
    }
  }
}

/** Writes a definition the way proj4 and PROJ read it. */
function projText(definition: Definition): string {
  const { method, lat0, lon0, k, x0, y0, lat1, lat2, unitM, datum } = definition
  const ellipsoid = `+a=${datum.semiMajorM} +rf=${datum.inverseFlattening}`
  const shift = `+towgs84=${(datum.toWgs84 ?? [0, 0, 0]).join(',')}`
  const tail = `${ellipsoid} ${shift} +no_defs`
  if (method === 'longlat') return `+proj=longlat ${tail}`
  // The sphere of web maps has the coordinates of the ellipsoid, so nothing is shifted between the two.
  if (method === 'webmerc')
    return `+proj=merc +a=${datum.semiMajorM} +b=${datum.semiMajorM} +lon_0=${lon0} +x_0=${x0} +y_0=${y0} +nadgrids=@null`
  const parallels = method === 'lcc' || method === 'aea' ? ` +lat_1=${lat1} +lat_2=${lat2}` : ''
  // Cylindrical projections have a standard parallel or a scale, not both.
  const scale = method === 'cea' || (method === 'merc' && lat1 !== 0) ? `+lat_ts=${lat1}` : `+k_0=${k}`
  const unit = unitM === 1 ? '+units=m' : `+to_meter=${unitM}`
  return `+proj=${method} +lat_0=${lat0} +lon_0=${lon0}${parallels} ${scale} +x_0=${x0} +y_0=${y0} ${unit} ${tail}`
}
