import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexBoxes, type Box } from '../../src/geometry/box-index.ts'

const corners = fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(60), fc.nat(60))
const box = corners.map(([west, south, wide, tall]): Box => [west, south, west + wide, south + tall])

function meet(one: Box, other: Box): boolean {
  return one[0] <= other[2] && one[1] <= other[3] && one[2] >= other[0] && one[3] >= other[1]
}

test('finds exactly the boxes that meet, edges included', () => {
  fc.assert(
    fc.property(fc.array(box, { maxLength: 700 }), box, (boxes, wanted) => {
      const found: number[] = []
      indexBoxes(Float64Array.from(boxes.flat())).search(wanted, (each) => found.push(each))
      const expected = boxes.flatMap((each, index) => (meet(each, wanted) ? [index] : []))
      expect(found.toSorted((one, other) => one - other)).toEqual(expected)
    }),
  )
})

test('the way through them passes each box once, and neighbours soon after each other', () => {
  const side = 64
  const boxes = Array.from({ length: side * side }, (_, at): Box => {
    const [x, y] = [at % side, Math.floor(at / side)]
    return [x, y, x + 1, y + 1]
  })
  const { order } = indexBoxes(boxes.flat())
  expect(Array.from(order).toSorted((one, other) => one - other)).toEqual(boxes.map((_, index) => index))
  let steps = 0
  for (let place = 1; place < order.length; place += 1) {
    const [one, other] = [boxes[order[place - 1]!]!, boxes[order[place]!]!]
    steps += Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1])
  }
  expect(steps / order.length).toBeLessThan(1.2)
})
