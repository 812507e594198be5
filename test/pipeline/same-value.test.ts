import { describe, expect, test } from 'vitest'
import { sameGeometry, sameMeasure, sameValue } from '../../src/pipeline/stage/same-value.ts'

const area = (measurement: number, units: string) => ({ measurement, units })

describe('measures are the same', () => {
  test.each([
    ['in another unit', area(3.8123456789, 'HAR'), area(38123.456789, 'MTK'), true],
    ['rounded to hundredths of a hectare', area(3.81, 'HAR'), area(38123.456789, 'MTK'), true],
    ['rounded, with a last 0 that a number does not show', area(5.2, 'HAR'), area(52044, 'MTK'), true],
    ['not when rounded to a tenth of a hectare', area(3.8, 'HAR'), area(38123.456789, 'MTK'), false],
    ['not when rounded to another number', area(3.82, 'HAR'), area(38123.456789, 'MTK'), false],
    ['not when a late digit is another', area(3.8124, 'HAR'), area(38123.456789, 'MTK'), false],
    ['rounded to whole square metres', area(38123, 'MTK'), area(38123.456789, 'MTK'), true],
    ['not one square metre away', area(38124, 'MTK'), area(38123.456789, 'MTK'), false],
    ['rounded to hundredths of an acre', area(9.42, 'ACR'), area(38123.456789, 'MTK'), true],
    ['not as a length', area(820, 'MTR'), area(820, 'MTK'), false],
    ['rounded to a metre', area(820, 'MTR'), area(820.25, 'MTR'), true],
    ['not 0 for something', area(0, 'HAR'), area(38123, 'MTK'), false],
  ])('%s', (_, now, before, expected) => {
    expect(sameMeasure(now, before)).toBe(expected)
  })
})

describe('values are the same', () => {
  test.each([
    ['the same moment in another zone', '2026-03-13T00:00:00+13:00', '2026-03-12T11:00:00Z', true],
    ['another moment of the same day', '2026-03-13T00:00:00+13:00', '2026-03-12T00:00:00Z', false],
    ['text with other line ends', 'one\r\ntwo', 'one\ntwo', true],
    ['text that CSV had to mark', "'=1 gully", '=1 gully', true],
    ['text that a shapefile had to cut', 'ā'.repeat(127), 'ā'.repeat(150), true],
    ['text that a person shortened', 'ā'.repeat(100), 'ā'.repeat(150), false],
    ['text in another case', 'kowhai', 'Kowhai', false],
    ['a lost macron', 'Kowhai', 'Kōwhai', false],
    ['identifiers in another order', [{ id: '1' }, { id: '2' }], [{ id: '2' }, { id: '1' }], true],
    ['an identifier more', [{ id: '1' }], [{ id: '2' }, { id: '1' }], false],
    ['a number as text', '7', 7, false],
  ])('%s: %j and %j', (_, now, before, expected) => {
    expect(sameValue(now, before)).toBe(expected)
  })
})

describe('boundaries are the same', () => {
  const ring = [
    [175.1, -37.1],
    [175.2, -37.1],
    [175.2, -37.2],
    [175.1, -37.1],
  ]
  const moved = (by: number): unknown => ring.map(([x, y], index) => (index === 1 ? [x! + by, y] : [x, y]))
  const polygon = { type: 'Polygon', coordinates: [ring] }
  test.each([
    ['with seven decimals', { type: 'Polygon', coordinates: [moved(1e-7)] }, true],
    ['not with a corner moved by three centimetres', { type: 'Polygon', coordinates: [moved(3e-7)] }, false],
    ['as a list of one polygon', { type: 'MultiPolygon', coordinates: [[ring]] }, true],
    ['not with another part', { type: 'MultiPolygon', coordinates: [[ring], [ring]] }, false],
    ['not when the ring starts elsewhere', { type: 'Polygon', coordinates: [[...ring.slice(1), ring[1]]] }, false],
    ['not as a line', { type: 'LineString', coordinates: ring }, false],
    ['not if one cannot be read', { type: 'Polygon', coordinates: 'none' }, false],
  ])('%s', (_, now, expected) => {
    expect(sameGeometry(now, polygon)).toBe(expected)
  })
})
