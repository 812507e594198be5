/** Places names inside boundaries, and leaves out those that do not fit or would cover another. */

type Labelled = {
  readonly name?: string
  readonly rings: readonly (readonly number[])[]
}
type Label = { readonly text: string; readonly x: number; readonly y: number }
type Box = readonly [left: number, top: number, right: number, bottom: number]

const heights = [0.5, 0.4, 0.6, 0.3, 0.7]

/** The names that fit at a font size, those of large boundaries first. */
export function labelsOf(boundaries: readonly Labelled[], size: number): readonly Label[] {
  const labels: Label[] = []
  const taken: Box[] = []
  for (const { name, rings } of boundaries.toSorted((one, other) => extentOf(other) - extentOf(one))) {
    if (name === undefined || name === '') continue
    const half = widthOf(name, size) / 2
    const spot = heights.map((height) => spanInside(rings, height)).find((span) => span && span.width >= 2 * half)
    if (spot === undefined || spot.tall < size) continue
    const box: Box = [spot.x - half - 4, spot.y - size / 2, spot.x + half + 4, spot.y + size / 2]
    if (taken.some((other) => overlaps(box, other))) continue
    taken.push(box)
    labels.push({ text: name, x: Math.round(spot.x), y: Math.round(spot.y + size * 0.35) })
  }
  return labels
}

/** The widest piece of a horizontal line that lies inside the rings, at a share of their height. */
export function spanInside(
  rings: readonly (readonly number[])[],
  share: number,
): { readonly x: number; readonly y: number; readonly width: number; readonly tall: number } | undefined {
  let [top, bottom] = [Infinity, -Infinity]
  for (const ring of rings)
    for (let at = 1; at < ring.length; at += 2) {
      top = Math.min(top, ring[at]!)
      bottom = Math.max(bottom, ring[at]!)
    }
  const y = top + (bottom - top) * share
  const crossings = rings.flatMap((ring) => crossingsOf(ring, y)).toSorted((one, other) => one - other)
  let widest: { x: number; width: number } | undefined
  for (let at = 0; at + 1 < crossings.length; at += 2) {
    const width = crossings[at + 1]! - crossings[at]!
    if (widest === undefined || width > widest.width) widest = { x: crossings[at]! + width / 2, width }
  }
  return widest && { ...widest, y, tall: bottom - top }
}

function crossingsOf(ring: readonly number[], y: number): readonly number[] {
  const found: number[] = []
  for (let at = 0; at + 3 < ring.length; at += 2) {
    const [x1, y1, x2, y2] = [ring[at]!, ring[at + 1]!, ring[at + 2]!, ring[at + 3]!]
    if (y1 > y !== y2 > y) found.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
  }
  return found
}

/** About the width of a text: letters of Chinese, Japanese and Korean are twice as wide as others. */
function widthOf(text: string, size: number): number {
  let letters = 0
  for (const letter of text) letters += letter > '\u2e80' ? 1 : 0.56
  return letters * size
}

function extentOf({ rings }: Labelled): number {
  const [ring = []] = rings
  let twice = 0
  for (let at = 0; at + 3 < ring.length; at += 2) twice += ring[at]! * ring[at + 3]! - ring[at + 2]! * ring[at + 1]!
  return Math.abs(twice)
}

function overlaps(one: Box, other: Box): boolean {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}
