import { expect, test } from 'vitest'
import { expectQuick } from '../processor-time.ts'
import { addCoordinates, startVertices } from '../../src/formats/kml/placemark.ts'

test('numbers in every spelling are read', () => {
  const vertices = startVertices()
  expect(addCoordinates(vertices, '175.,-37.5 +1.7e2,.5,12 -0.25e+1,4E1')).toBeUndefined()
  expect(vertices.xy).toEqual([175, -37.5, 170, 0.5, -2.5, 40])
})

test('a coordinate of a hundred thousand digits with a letter behind them is refused at once', async () => {
  const vertices = startVertices()
  await expectQuick(1000, () => expect(addCoordinates(vertices, `${'1'.repeat(100_000)}x,-37.5`)).toContain('111'))
  expect(vertices.xy).toEqual([])
})
