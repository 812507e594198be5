/** Hides which side of a line a point lies on, exactly: one product where that is certain, error-free sums where it is not. */

const unit = 2 ** -53
// Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates" (1997), section 4.
const certain = (3 + 16 * unit) * unit
const splitter = 2 ** 27 + 1

/** Above zero when vertex c lies left of the line from vertex a to vertex b, below zero when right of it, zero when exactly on it. */
export function sideOf(xy: Float64Array, a: number, b: number, c: number): number {
  const cx = xy[c * 2]!
  const cy = xy[c * 2 + 1]!
  const left = (xy[a * 2]! - cx) * (xy[b * 2 + 1]! - cy)
  const right = (xy[a * 2 + 1]! - cy) * (xy[b * 2]! - cx)
  const difference = left - right
  const bound = certain * (Math.abs(left) + Math.abs(right))
  if (difference > bound || difference < -bound) return difference
  return bound === 0 ? difference : exactSide(xy, a, b, c)
}

function exactSide(xy: Float64Array, a: number, b: number, c: number): number {
  const [ax, ay, bx, by, cx, cy] = [xy[a * 2]!, xy[a * 2 + 1]!, xy[b * 2]!, xy[b * 2 + 1]!, xy[c * 2]!, xy[c * 2 + 1]!]
  const sum: number[] = []
  addProduct(sum, ax, by)
  addProduct(sum, -ax, cy)
  addProduct(sum, -cx, by)
  addProduct(sum, -ay, bx)
  addProduct(sum, ay, cx)
  addProduct(sum, cy, bx)
  // The parts do not overlap, so the largest that is not zero has the sign of all.
  return sum.findLast((part) => part !== 0) ?? 0
}

// The product as two numbers whose sum is exact (Dekker), added to the parts.
function addProduct(sum: number[], one: number, other: number): void {
  const product = one * other
  const oneScaled = splitter * one
  const oneHigh = oneScaled - (oneScaled - one)
  const oneLow = one - oneHigh
  const otherScaled = splitter * other
  const otherHigh = otherScaled - (otherScaled - other)
  const otherLow = other - otherHigh
  addExactly(sum, oneLow * otherLow - (product - oneHigh * otherHigh - oneLow * otherHigh - oneHigh * otherLow))
  addExactly(sum, product)
}

// Shewchuk's growing of an expansion: each step keeps what rounding would lose.
function addExactly(sum: number[], value: number): void {
  let carried = value
  for (const [index, part] of sum.entries()) {
    const total = carried + part
    const virtual = total - carried
    sum[index] = carried - (total - virtual) + (part - virtual)
    carried = total
  }
  sum.push(carried)
}
