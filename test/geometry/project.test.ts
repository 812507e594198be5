import fc from 'fast-check'
import proj4 from 'proj4'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { identifyCrs, type Crs } from '../../src/geometry/crs/crs.ts'
import { isProjectionFault, placer, projectorFor } from '../../src/geometry/projection/project.ts'
import { geoJson, point } from './drawing.ts'

function projector(code: string) {
  return projectorFor(identifyCrs({ from: 'option', text: code }))
}

function placed(code: string, x: number, y: number): readonly number[] {
  const projected = projector(code)(point(x, y))
  if (isProjectionFault(projected)) throw new Error(projected.message)
  return [...projected.coordinates]
}

function onOwnDatum(code: string): Crs {
  const crs = identifyCrs({ from: 'option', text: code })
  const { toWgs84: _, ...datum } = crs.definition.datum
  return { ...crs, definition: { ...crs.definition, datum } }
}

const sexagesimal = (degrees: number, minutes: number, seconds: number): number =>
  degrees + minutes / 60 + seconds / 3600

describe('published points', () => {
  test.each([
    ['NZTM2000, self test of LINZ', 'EPSG:2193', [1576041.15, 6188574.24, 172.739193967, -34.444065991], 1e-9],
    [
      'NZTM2000, self test of LINZ, in the south',
      'EPSG:2193',
      [1307103.22, 4826464.86, 169.172062008, -46.651295012],
      1e-9,
    ],
    [
      'MGA zone 55, Flinders Peak (GDA technical manual)',
      'EPSG:28355',
      [273741.297, 5796489.777, sexagesimal(144, 25, 29.5244), -sexagesimal(37, 57, 3.7203)],
      1e-8,
    ],
    [
      'British National Grid by the seven parameters, Caister',
      'EPSG:27700',
      [651409.903, 313177.27, sexagesimal(1, 42, 57.787), sexagesimal(52, 39, 28.723)],
      2e-7,
    ],
    ['RD New, Amersfoort', 'EPSG:28992', [155000, 463000, 5.38720621, 52.1551744], 5e-6],
    ['LV95, Bern', 'EPSG:2056', [2600000, 1200000, sexagesimal(7, 26, 19.08), sexagesimal(46, 57, 3.9)], 1e-5],
  ] as const)('%s', (_, code, [x, y, lon, lat], tolerance) => {
    const found = placed(code, x, y)
    expect(Math.abs(found[0]! - lon)).toBeLessThan(tolerance)
    expect(Math.abs(found[1]! - lat)).toBeLessThan(tolerance)
  })

  // Published vectors on an old datum, shifted to WGS 84 with EPSG's parameters.
  const airy = '+proj=longlat +ellps=airy +towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +no_defs'
  const nzgd49 = '+proj=longlat +ellps=intl +towgs84=59.47,-5.04,187.44,0.47,-0.1,1.024,-4.5993 +no_defs'

  test.each([
    [
      'OS guide, annex C',
      'EPSG:27700',
      [651409.903, 313177.27, sexagesimal(1, 43, 4.5177), sexagesimal(52, 39, 27.2531)],
      airy,
    ],
    ['LINZ', 'EPSG:27200', [2487100.638, 6751049.719, 172.739194, -34.444066], nzgd49],
    ['LINZ, in the south', 'EPSG:27200', [2216746.425, 5388508.765, 169.172062, -46.651295], nzgd49],
  ] as const)('%s: %s and the shift of its datum', (_, code, [x, y, lon, lat], datum) => {
    const expected = proj4(datum, '+proj=longlat +datum=WGS84 +no_defs').forward([lon, lat])
    const found = placed(code, x, y)
    expect(Math.abs(found[0]! - expected[0]!)).toBeLessThan(1e-6)
    expect(Math.abs(found[1]! - expected[1]!)).toBeLessThan(1e-6)
  })
})

test('a datum shift moves Dutch, British and Austrian positions by the known distances', () => {
  const shiftM = (code: string, x: number, y: number): number => {
    const [lon, lat] = placed(code, x, y)
    const bare = projectorFor(onOwnDatum(code))(point(x, y))
    if (isProjectionFault(bare)) throw new Error(bare.message)
    const [east, north] = [lon! - bare.coordinates[0]!, lat! - bare.coordinates[1]!]
    return Math.hypot(east * Math.cos((lat! * Math.PI) / 180), north) * 111_320
  }
  expect(shiftM('EPSG:28992', 160000, 460000)).toBeGreaterThan(80)
  expect(shiftM('EPSG:27700', 400000, 300000)).toBeGreaterThan(80)
  expect(shiftM('EPSG:31287', 525092, 482820)).toBeGreaterThan(80)
})

describe('projected shapes', () => {
  test('longitude and latitude return the same object', () => {
    const shape = point(6, 0.1 + 0.2)
    expect(projector('EPSG:4326')(shape)).toBe(shape)
  })

  test('heights and measures stay', () => {
    const shape: Shape = { ...point(1803485, 5815247), z: Float64Array.of(41), m: Float64Array.of(7) }
    expect(projector('EPSG:2193')(shape)).toMatchObject({ z: shape.z, m: shape.m })
  })

  test('each member of a collection is projected', () => {
    const shape = { ...geoJson({ type: 'GeometryCollection', geometries: [] }), members: [point(1803485, 5815247)] }
    const found = projector('EPSG:2193')(shape)
    expect(isProjectionFault(found) ? undefined : found.members?.[0]?.coordinates[0]).toBeCloseTo(175.31, 1)
  })

  test('a grid that passes 180 degrees gives longitudes in range', () => {
    const [lon] = placed('EPSG:32760', 1000000, 5900000)
    expect(lon).toBeLessThan(-176)
    expect(lon).toBeGreaterThan(-180)
  })

  test.each([
    ['EPSG:2193', NaN, 5815247, 'coordinate-not-a-number'],
    ['EPSG:2193', 1803485, Infinity, 'coordinate-not-a-number'],
    ['EPSG:27700', NaN, NaN, 'coordinate-not-a-number'],
    ['EPSG:2193', 0, 0, 'coordinate-out-of-range'],
    ['EPSG:2193', 175.3, -37.8, 'coordinate-out-of-range'],
    ['EPSG:27700', 1803485, 5815247, 'coordinate-out-of-range'],
    ['EPSG:3857', 5e7, 0, 'coordinate-out-of-range'],
    ['EPSG:3857', 3e7, 0, 'coordinate-out-of-range'],
    ['EPSG:4277', 1803485, 52, 'coordinate-out-of-range'],
    ['EPSG:4277', NaN, 52, 'coordinate-not-a-number'],
    ['EPSG:2193', 1e300, -1e300, 'coordinate-out-of-range'],
    ['EPSG:4326', -37.8, 175.3, 'coordinate-out-of-range'],
    ['EPSG:4326', 1803485, 5815247, 'coordinate-out-of-range'],
  ] as const)('in %s, %d and %d are a fault: %s', (code, x, y, fault) => {
    const shape: Shape = { kind: 'MultiPoint', coordinates: Float64Array.of(x, y), ends: [], parts: [] }
    expect(projector(code)(shape)).toMatchObject({ code: fault, x, y })
  })

  test('degrees in a system of metres are named as such', () => {
    expect(projector('EPSG:2193')(point(175.3, -37.8))).toMatchObject({
      hint: expect.stringContaining('look like longitude and latitude') as string,
    })
    expect(projector('EPSG:2193')(point(0, 0))).not.toHaveProperty('hint')
  })

  test('any numbers give a place on earth or a fault', () => {
    const projectors = [
      'EPSG:2193',
      'EPSG:27700',
      'EPSG:3857',
      'EPSG:3035',
      'EPSG:27200',
      'EPSG:5514',
      'EPSG:2056',
      'EPSG:28992',
    ].map(projector)
    fc.assert(
      fc.property(fc.double(), fc.double(), fc.constantFrom(...projectors), (x, y, project) => {
        const found = project(point(x, y))
        return (
          isProjectionFault(found) || (Math.abs(found.coordinates[0]!) <= 180 && Math.abs(found.coordinates[1]!) <= 90)
        )
      }),
    )
  })
})

test('an easting with the number of another zone in front is a fault', () => {
  const projected = projector('EPSG:2108')(point(-23_988_207.452_930_51, -5_524_314.309_004_694))
  expect(projected).toMatchObject({ code: 'coordinate-out-of-range' })
})

test('many rows out of range and many tried systems take little memory', () => {
  const project = projector('EPSG:2193')
  const before = process.memoryUsage().arrayBuffers
  for (let row = 0; row < 500; row += 1) {
    expect(project(point(100_000 + row, 100_000))).toMatchObject({ code: 'coordinate-out-of-range' })
    placer(identifyCrs({ from: 'option', text: 'EPSG:2193' }))(1_800_000, 5_800_000)
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000)
})
