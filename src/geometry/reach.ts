/** Hides how much of one side lies near another: within a width of it, round its ends too. */

/** What `reach` found last: from where to where, as shares of the side. */
export const reached: [number, number] = [0, 0]

/** Fills `reached` with the stretch of a side that lies within a width of the one that begins at `b` of others; false where none does. */
// oxlint-disable-next-line max-params -- the innermost step: an object for each side takes longer than the comparing
export function reach(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  its: Float64Array,
  b: number,
  withinM: number,
): boolean {
  const [ax, ay] = [x2 - x1, y2 - y1]
  const [bx, by] = [its[b + 2]! - its[b]!, its[b + 3]! - its[b + 1]!]
  const squared = ax * ax + ay * ay
  const off1 = (its[b]! - x1) * ay - (its[b + 1]! - y1) * ax
  const off2 = (its[b + 2]! - x1) * ay - (its[b + 3]! - y1) * ax
  if (off1 > 0 === off2 > 0 && Math.min(off1 * off1, off2 * off2) > withinM * withinM * squared) return false
  let from = Infinity
  let to = -Infinity
  // Round each of its ends.
  for (let end = b; end <= b + 2; end += 2) {
    const [px, py] = [its[end]! - x1, its[end + 1]! - y1]
    if (squared === 0) {
      if (px * px + py * py > withinM * withinM) continue
      from = 0
      to = 1
      continue
    }
    const middle = (px * ax + py * ay) / squared
    const off = px * ay - py * ax
    const half2 = withinM * withinM - (off * off) / squared
    if (half2 < 0) continue
    const half = Math.sqrt(half2 / squared)
    from = Math.min(from, middle - half)
    to = Math.max(to, middle + half)
  }
  // And between them, as far out to either side.
  const length = Math.hypot(bx, by)
  if (length > 0) {
    const out1 = (bx * (y1 - its[b + 1]!) - by * (x1 - its[b]!)) / length
    const out2 = (bx * (y2 - its[b + 1]!) - by * (x2 - its[b]!)) / length
    const along1 = (bx * (x1 - its[b]!) + by * (y1 - its[b + 1]!)) / length
    const along2 = (bx * (x2 - its[b]!) + by * (y2 - its[b + 1]!)) / length
    slab[0] = 0
    slab[1] = 1
    if (clip(out1, out2, -withinM, withinM) && clip(along1, along2, 0, length)) {
      from = Math.min(from, slab[0])
      to = Math.max(to, slab[1])
    }
  }
  reached[0] = Math.max(0, from)
  reached[1] = Math.min(1, to)
  return reached[0] < reached[1]
}

const slab: [number, number] = [0, 1]

// Narrows the slab to where a value that goes evenly from one to another lies between two.
function clip(one: number, other: number, least: number, most: number): boolean {
  if (one === other) return one >= least && one <= most
  const [low, high] = [(least - one) / (other - one), (most - one) / (other - one)]
  slab[0] = Math.max(slab[0], Math.min(low, high))
  slab[1] = Math.min(slab[1], Math.max(low, high))
  return slab[0] <= slab[1]
}
