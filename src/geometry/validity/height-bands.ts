/** Lists sides by height, so that those at one height are found quickly. */

/** The sides of band n are in `sides` from `first[n]` to `first[n + 1]`; a side across several bands is in each. */
export type Bands = Readonly<ReturnType<typeof bandSides>>

/** Lists sides, numbered from 0, by the heights of their two ends. */
export function bandSides(sideCount: number, heightOf: (side: number, end: 0 | 1) => number) {
  const [lows, highs] = [new Float64Array(sideCount), new Float64Array(sideCount)]
  let [south, north, tall] = [Infinity, -Infinity, 0]
  for (let side = 0; side < sideCount; side += 1) {
    const [one, other] = [heightOf(side, 0), heightOf(side, 1)]
    const [low, high] = one < other ? [one, other] : [other, one]
    lows[side] = low
    highs[side] = high
    if (low < south) south = low
    if (high > north) north = high
    tall += high - low
  }
  // The more sides cross each height, the fewer bands: in a comb each side is in every band, and the list must not explode.
  const passing = north > south ? tall / (north - south) : sideCount
  const count = Math.max(1, Math.ceil((2 * sideCount) / (passing + 2)))
  const frame = { south, perUnit: count / (north - south || 1), count }
  const forEachBand = (visit: (band: number, side: number) => void): void => {
    for (let side = 0; side < sideCount; side += 1) {
      const last = bandAt(frame, highs[side]!)
      for (let band = bandAt(frame, lows[side]!); band <= last; band += 1) visit(band, side)
    }
  }
  const { first, items } = listByPlace(count, (length) => new Int32Array(length), forEachBand)
  return { ...frame, first, sides: items }
}

/** Lists what `forEach` visits by its place: the items of place n are in `items` from `first[n]` to `first[n + 1]`. */
export function listByPlace<Items extends Int32Array | Float64Array>(
  count: number,
  newItems: (length: number) => Items,
  forEach: (visit: (place: number, item: number) => void) => void,
): { readonly first: Int32Array; readonly items: Items } {
  const first = new Int32Array(count + 2)
  // Counts two places ahead; filling then moves each start to its place.
  forEach((place) => (first[place + 2]! += 1))
  for (let place = 0; place < count; place += 1) first[place + 2]! += first[place + 1]!
  const items = newItems(first[count + 1]!)
  forEach((place, item) => {
    items[first[place + 1]!] = item
    first[place + 1]! += 1
  })
  return { first: first.subarray(0, count + 1), items }
}

/** The band of a height; heights beyond the sides belong to the first or last band. */
export function bandAt(
  { south, perUnit, count }: Readonly<Record<'south' | 'perUnit' | 'count', number>>,
  height: number,
): number {
  return Math.max(0, Math.min(count - 1, Math.floor((height - south) * perUnit)))
}
