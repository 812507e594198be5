import { describe, expect, test } from 'vitest'
import { landCover, plot } from '../../src/resources/land.ts'
import { check } from '../../src/resources/validation.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { xy } from '../geometry/drawing.ts'
import { brief, landCoverBody, plotWith, workRecordBody } from './fixtures/bodies.ts'

describe('geometry', () => {
  const polygon = (...rings: unknown[]): object => ({ type: 'Polygon', coordinates: rings })
  const square = xy('0 0, 0 1, 1 1, 0 0')
  test.each([
    [polygon(square, xy('0 0, 0 1, 1 1')), 'boundary-open /coordinates/1', /starts at 0, 0 and ends at 1, 1/],
    [polygon(xy('0 0, 0 1, 0 0')), 'boundary-too-few-points /coordinates/0', /has 3 positions/],
    [polygon([]), 'boundary-too-few-points /coordinates/0', /has 0 positions/],
    [polygon(), 'geometry-missing /coordinates', /no positions/],
    [polygon(xy('0 0, 0 181, 1 1, 0 0')), 'coordinate-out-of-range /coordinates/0/1', /0, 181/],
    [polygon(xy('-38.1 175.4, 0 1, 1 1, 0 0')), 'coordinate-out-of-range /coordinates/0/0', /swapped/],
    [polygon(xy('1802345 5791234, 0 1, 1 1, 0 0')), 'coordinate-out-of-range /coordinates/0/0', /map projection/],
    [
      polygon([
        [0, 0],
        ['0', 1],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-not-a-number /coordinates/0/1',
      /"0", 1/,
    ],
    [
      polygon([
        [0, 0],
        [0, Number.NaN],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-not-a-number /coordinates/0/1',
      /NaN/,
    ],
    [
      polygon([
        [0, 0],
        [0, 1, null],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-not-a-number /coordinates/0/1',
      /not a number/,
    ],
    [polygon([[0, 0], [0], [1, 1], [0, 0]]), 'coordinate-not-a-number /coordinates/0/1', /pair/],
    [polygon([0, 0]), 'coordinate-not-a-number /coordinates/0/0', /pair/],
    [polygon(7), 'geometry-wrong-type /coordinates/0', /not a list/],
    [{ type: 'Polygon' }, 'geometry-wrong-type /coordinates', /not a list/],
    [{ type: 'Circle', coordinates: [] }, 'geometry-wrong-type /type', /"Circle"/],
    [{ type: { toString: 1 }, coordinates: [] }, 'geometry-wrong-type /type', /which the service does not know/],
    [
      { type: 'MultiPolygon', coordinates: [[square], [[[0, 0]]]] },
      'boundary-too-few-points /coordinates/1/0',
      /has 1 position;/,
    ],
    [{ type: 'LineString', coordinates: [[0, 0]] }, 'boundary-too-few-points /coordinates', /two positions/],
    [
      { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [0, 91] }] },
      'coordinate-out-of-range /geometries/0/coordinates',
      /91/,
    ],
    [{ type: 'GeometryCollection' }, 'geometry-wrong-type ', /without a list/],
    [{ type: 'Point', coordinates: [0, 0] }, 'geometry-wrong-type /type', /Plot takes Polygon or MultiPolygon/],
  ])('%j', (geometry, expected, said) => {
    const findings = check(plot, plotWith('spatialFeature', { type: 'Feature', geometry, properties: {} })).filter(
      ({ code }) => code !== 'field-invalid',
    )
    const [code, path] = expected.split(' ')
    expect(findings).toMatchObject([{ code, severity: 'error', path: `/spatialFeature/geometry${path}` }])
    expect(`${findings[0]!.message} ${findings[0]!.hint}`).toMatch(said)
  })
  test('the centroid and the geometry of operations are checked too', () => {
    const far = { type: 'Feature', geometry: { type: 'Point', coordinates: [200, 0] }, properties: {} }
    expect(brief(check(plot, plotWith('centroid', far.geometry)))).toEqual([
      'error coordinate-out-of-range /centroid/coordinates',
    ])
    const loggedOperations = [{}, { loggedGeometry: far }]
    expect(brief(check(workRecord, { ...workRecordBody, loggedOperations }))).toEqual([
      'error coordinate-out-of-range /loggedOperations/1/loggedGeometry/geometry/coordinates',
    ])
  })
  test('a bare geometry is not a feature', () => {
    expect(brief(check(plot, plotWith('spatialFeature', polygon(square))))).toEqual([
      'error field-missing /spatialFeature/geometry',
      'error field-invalid /spatialFeature/type',
    ])
  })
  test('a land cover may be a line', () => {
    const line = {
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: xy('0 0, 1 1'),
      },
      properties: {},
    }
    expect(check(landCover, { ...landCoverBody, spatialFeature: line })).toEqual([])
  })
})
