/** Lists sides by the heights they pass, so that those at one height are found among many. */

/** The sides of band n are in `sides` from `first[n]` to `first[n + 1]`; one that passes several bands is in each. */
export type Bands = {
  readonly south: number
  readonly perUnit: number
  readonly count: number
  readonly first: Int32Array
  readonly sides: Int32Array
}

/** Lists sides, numbered from 0, by the heights of their two ends. */
export function bandSides(sideCount: number, heightOf: (side: number, end: 0 | 1) => number): Bands {
  let [south, north, tall] = [Infinity, -Infinity, 0]
  for (let side = 0; side < sideCount; side += 1) {
    const [one, other] = [heightOf(side, 0), heightOf(side, 1)]
    const [low, high] = one < other ? [one, other] : [other, one]
    if (low < south) south = low
    if (high > north) north = high
    tall += high - low
  }
  // The more sides pass each height, the fewer bands, so that even the list of a comb, whose sides are in all, stays in proportion.
  const passing = north > south ? tall / (north - south) : sideCount
  const count = Math.max(1, Math.ceil((2 * sideCount) / (passing + 2)))
  const frame = { south, perUnit: count / (north - south || 1), count }
  const first = new Int32Array(count + 2)
  const forEachBand = (visit: (band: number, side: number) => void): void => {
    for (let side = 0; side < sideCount; side += 1) {
      const [one, other] = [bandAt(frame, heightOf(side, 0)), bandAt(frame, heightOf(side, 1))]
      for (let band = Math.min(one, other); band <= Math.max(one, other); band += 1) visit(band, side)
    }
  }
  // Counted two places on and moved up while filling, each band ends up beginning where it should.
  forEachBand((band) => (first[band + 2]! += 1))
  for (let band = 0; band < count; band += 1) first[band + 2]! += first[band + 1]!
  const sides = new Int32Array(first[count + 1]!)
  forEachBand((band, side) => {
    sides[first[band + 1]!] = side
    first[band + 1]! += 1
  })
  return { ...frame, first, sides }
}

/** The band in which a height lies; beyond the sides it is the last one there. */
export function bandAt({ south, perUnit, count }: Pick<Bands, 'south' | 'perUnit' | 'count'>, height: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor((height - south) * perUnit)))
}
