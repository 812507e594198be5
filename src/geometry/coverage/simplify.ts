/** Simplifies boundaries for pictures, never for records: published boundaries stay as drawn. */

import { createRequire } from 'node:module'
import type * as Turf from '@turf/simplify'
import { once } from '../../core/once.ts'
import type { Shape } from '../../core/shape.ts'
import { geoJsonFromShape, shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'

const library = once(() => createRequire(import.meta.url)('@turf/simplify') as typeof Turf)

/** Removes the points that a picture of the given tolerance does not show; every ring stays a ring. */
export function outline(shape: Shape, toleranceDegrees: number): Shape {
  if (shape.ends.length === 0 || !(toleranceDegrees > 0)) return shape
  const geometry = geoJsonFromShape(shape) as Parameters<typeof Turf.simplify>[0]
  try {
    return shapeFromGeoJson(library().simplify(geometry, { tolerance: toleranceDegrees, mutate: true })) as Shape
  } catch {
    // The library throws for open rings and spikes, which a picture of rejected rows must show.
    return shape
  }
}
