import { describe, expect, test } from 'vitest'
import { shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import { touchesBox } from '../../src/geometry/coverage/box-touch.ts'
import { xy } from './drawing.ts'

const shape = (type: string, coordinates: unknown): Shape => shapeFromGeoJson({ type, coordinates }) as Shape
const box = (west: number, south: number, east: number, north: number) => ({ west, south, east, north })

const triangle = xy('0 0, 10 0, 0 10, 0 0')
const outer = xy('0 0, 10 0, 10 10, 0 10, 0 0')
const hole = xy('2 2, 2 8, 8 8, 8 2, 2 2')
const far = outer.map(([x, y]) => [x! + 100, y!])

describe('a box and', () => {
  test.each([
    ['a triangle, in its empty corner', shape('Polygon', [triangle]), box(6, 6, 9, 9), false],
    ['a triangle, at its long side', shape('Polygon', [triangle]), box(5, 5, 9, 9), true],
    ['a triangle whose side passes without a vertex', shape('Polygon', [triangle]), box(4, 4, 6, 7), true],
    ['a boundary around all of it', shape('Polygon', [outer]), box(4, 4, 5, 5), true],
    ['a hole around all of it', shape('Polygon', [outer, hole]), box(4, 4, 5, 5), false],
    ['the edge of a hole', shape('Polygon', [outer, hole]), box(4, 4, 8, 5), true],
    ['what it holds', shape('Polygon', [outer]), box(-1, -1, 11, 11), true],
    ['a corner', shape('Polygon', [outer]), box(10, 10, 12, 12), true],
    ['a metre beside it', shape('Polygon', [outer]), box(10.00001, 0, 12, 12), false],
    ['the second part', shape('MultiPolygon', [[outer], [far]]), box(104, 4, 105, 5), true],
    ['the land between two parts', shape('MultiPolygon', [[outer], [far]]), box(50, 4, 51, 5), false],
    ['a line across', shape('LineString', xy('-5 5, 15 6')), box(0, 0, 10, 10), true],
    ['a line around a corner', shape('LineString', xy('-5 8, 8 15')), box(0, 0, 10, 10), false],
    ['a ring that is only a line', shape('LineString', outer), box(4, 4, 5, 5), false],
    ['a point on its edge', shape('Point', [10, 3]), box(0, 0, 10, 10), true],
    ['points around it', shape('MultiPoint', xy('-1 5, 11 5')), box(0, 0, 10, 10), false],
    ['a point by a box that is one', shape('Point', [1, 1]), box(1, 1, 1, 1), true],
  ])('%s', (_, each, around, expected) => {
    expect(touchesBox(each, around)).toBe(expected)
    const turned = { ...each, coordinates: each.coordinates.map((value) => -value) }
    const { west, south, east, north } = around
    expect(touchesBox(turned, box(-east, -north, -west, -south))).toBe(expected)
  })

  test('a collection, by any of its members', () => {
    const members = [shape('Point', [50, 50]), shape('Polygon', [triangle])]
    const collection: Shape = {
      kind: 'GeometryCollection',
      coordinates: new Float64Array(0),
      ends: [],
      parts: [],
      members,
    }
    expect([touchesBox(collection, box(1, 1, 2, 2)), touchesBox(collection, box(20, 20, 30, 30))]).toEqual([
      true,
      false,
    ])
  })
})
