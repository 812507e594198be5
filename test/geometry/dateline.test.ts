import fc from 'fast-check'
import { expect, test } from 'vitest'
import { geometryText } from '../../src/core/geometry-text.ts'
import type { Shape } from '../../src/core/shape.ts'
import { identifyCrs } from '../../src/geometry/crs.ts'
import { measure } from '../../src/geometry/measure.ts'
import { normaliserFor } from '../../src/geometry/normalise.ts'
import { repair, splitAtDateline } from '../../src/geometry/repair.ts'
import { crossesDateline, signedArea, unwrapLongitudes } from '../../src/geometry/rings.ts'
import { roundShape } from './drawing.ts'

const swings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 20 })
const middles = fc.tuple(
  fc.double({ min: 179.997, max: 180.003, noNaN: true }),
  fc.double({ min: -60, max: 60, noNaN: true }),
)
const fields = fc
  .tuple(middles, swings)
  .map(([middle, radii]) => onGrid(roundShape(middle, 0.005, radii)))
  .filter((shape) => measure(shape).areaM2 > 1000)
  // A corner a hair beyond 180 degrees leaves a sliver there that is too thin to be land.
  .filter(({ coordinates }) => coordinates.every((each, index) => index % 2 === 1 || Math.abs(each - 180) > 1e-5))

/** As a record has it: seven decimals. */
function onGrid(shape: Shape): Shape {
  return { ...shape, coordinates: shape.coordinates.map((each) => Math.round(each * 1e7) / 1e7) }
}

function jumping(shape: Shape): Shape {
  return { ...shape, coordinates: shape.coordinates.map((each) => (each > 180 ? each - 360 : each)) }
}

const normalise = normaliserFor({
  crs: identifyCrs({ from: 'option', text: 'EPSG:4326' }),
  multipart: 'keep',
  repairUpTo: 0,
  decimals: 7,
  keepHeights: false,
  allowed: ['Polygon', 'MultiPolygon'],
})
const at = { source: 'fiji.geojson', row: 0 }

/** The corners, counted on beyond 180 degrees, without those that lie on it. */
function corners(shape: Shape): ReadonlySet<string> {
  const found = new Set<string>()
  for (let index = 0; index < shape.coordinates.length; index += 2) {
    const lon = shape.coordinates[index]!
    const text = `${(lon < 0 ? lon + 360 : lon).toFixed(7)} ${shape.coordinates[index + 1]!.toFixed(7)}`
    if (Math.abs(Math.abs(lon) - 180) > 1e-9) found.add(text)
  }
  return found
}

test('split at 180 degrees and joined again, a field is what it was', () => {
  fc.assert(
    fc.property(fields, (field) => {
      const split = splitAtDateline(field)
      expect(crossesDateline(split)).toBe(false)
      const joined = repair(unwrapLongitudes(split))?.shape
      expect(joined?.parts).toHaveLength(1)
      expect(corners(joined!)).toEqual(corners(field))
      const planar = ({ coordinates, ends }: Shape): number => Math.abs(signedArea(coordinates, 0, ends[0]!))
      expect(Math.abs(planar(joined!) / planar(field) - 1)).toBeLessThan(1e-8)
    }),
  )
})

test('a field is the same record whether its file jumps at 180 degrees or counts on', () => {
  fc.assert(
    fc.property(fields, (field) => {
      const [one, other] = [normalise(field, at), normalise(jumping(field), at)]
      expect(one.problems).toEqual(other.problems)
      if (one.shape === undefined || other.shape === undefined) return
      expect(corners(one.shape)).toEqual(corners(other.shape))
      expect(one.measured!.areaM2).toBeCloseTo(other.measured!.areaM2, 3)
      expect(one.measured!.bbox[0]).toBeCloseTo(other.measured!.bbox[0], 9)
      expect(one.measured!.bbox[2]).toBeCloseTo(other.measured!.bbox[2], 9)
      const apart = Math.abs(one.measured!.centroid[0] - other.measured!.centroid[0])
      expect(Math.min(apart, 360 - apart)).toBeLessThan(1e-9)
    }),
  )
})

test('what is cut at 180 degrees is written with no more decimals than the rest', () => {
  fc.assert(
    fc.property(fields, (field) => {
      const { shape } = normalise(field, at)
      if (shape !== undefined) expect(geometryText(shape)).not.toMatch(/\.\d{8}/)
    }),
  )
})
