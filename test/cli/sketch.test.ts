import { expect, test } from 'vitest'
import { startSketch } from '../../src/cli/screen/sketch.ts'
import { square } from '../memory-table.ts'

const limits = { wide: 10, tall: 5, isLonLat: false }

test('a square is its outline', () => {
  const sketch = startSketch()
  sketch.add(square(1000, 2000, 500))
  expect(sketch.lines(limits)).toEqual(['⡏⠉⠉⠉⠉⠉⠉⠉⠉⢹', '⡇⠀⠀⠀⠀⠀⠀⠀⠀⢸', '⡇⠀⠀⠀⠀⠀⠀⠀⠀⢸', '⡇⠀⠀⠀⠀⠀⠀⠀⠀⢸', '⣇⣀⣀⣀⣀⣀⣀⣀⣀⣸'])
})

test('shapes keep their places wherever the first one was', () => {
  const corners = [square(0, 0, 1), square(1000, 1000, 1), square(-1000, 1000, 1), square(-1000, -1000, 1)]
  for (const order of [corners, corners.toReversed()]) {
    const sketch = startSketch()
    for (const each of order) sketch.add(each)
    const lines = sketch.lines(limits)
    expect(lines).toHaveLength(5)
    const isDotted = (line: number, column: number): boolean => (lines[line]?.charCodeAt(column) ?? 0x2800) > 0x2800
    expect([isDotted(0, 0), isDotted(0, 9), isDotted(4, 0), isDotted(4, 9), isDotted(2, 4)]).toEqual([
      true,
      true,
      true,
      false,
      true,
    ])
  }
})

test('degrees of longitude are as narrow as on the ground', () => {
  const wideOf = (isLonLat: boolean): number => {
    const sketch = startSketch()
    sketch.add(square(10, 59, 2))
    return sketch.lines({ wide: 40, tall: 5, isLonLat })[0]!.length
  }
  expect(wideOf(true)).toBeLessThan(wideOf(false) * 0.6)
})

test('impossible coordinates, points and an empty layer cause no failure', () => {
  const sketch = startSketch()
  sketch.add(square(1e300, 0, 1))
  sketch.add({ kind: 'Point', coordinates: Float64Array.of(Number.NaN, 1), ends: [], parts: [] })
  sketch.add({ kind: 'Polygon', coordinates: new Float64Array(), ends: [], parts: [] })
  expect(sketch.lines(limits)).toEqual([])
  sketch.add({ kind: 'Point', coordinates: Float64Array.of(5, 5), ends: [], parts: [] })
  expect(sketch.lines(limits)).toEqual(['⠁'])
})
