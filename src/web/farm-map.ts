/** Draws boundaries as an SVG in true proportions, coloured by what became of each row. */

import { html, type Html } from './html.ts'

/** One row's boundary as rings of longitude, latitude, longitude ..., already simplified for a picture. */
export type Outline = {
  readonly row: number
  readonly label: string
  readonly tone: 'ready' | 'unchanged' | 'rejected'
  readonly rings: readonly (readonly number[])[]
}

/** A place with a problem or note. */
export type Mark = {
  readonly lon: number
  readonly lat: number
  readonly severity: string
  readonly label: string
}

const widthPx = 760
const tallestPx = 520

/** Draws the outlines, and the marks that lie among them; nothing when there are no outlines. */
export function farmMap(given: readonly Outline[], marks: readonly Mark[] = []): Html | undefined {
  const outlines = withoutSeam(given)
  const box = boundsOf(outlines)
  if (box === undefined) return undefined
  const [west, south, east, north] = box
  // A degree of longitude is shorter than one of latitude by the cosine of the latitude.
  const squeeze = Math.cos((((south + north) / 2) * Math.PI) / 180)
  const widthDegrees = Math.max((east - west) * squeeze, 1e-6)
  const heightDegrees = Math.max(north - south, 1e-6)
  const scale = Math.min(widthPx / widthDegrees, tallestPx / heightDegrees)
  const [wide, tall] = [widthDegrees * scale, heightDegrees * scale]
  const x = (lon: number): string => ((lon - west) * squeeze * scale).toFixed(1)
  const y = (lat: number): string => ((north - lat) * scale).toFixed(1)
  const path = (ring: readonly number[]): string => {
    let text = ''
    for (let at = 0; at + 1 < ring.length; at += 2) text += `${at === 0 ? 'M' : 'L'}${x(ring[at]!)} ${y(ring[at + 1]!)}`
    return `${text}Z`
  }
  return html`<svg
    class="map"
    role="img"
    aria-label="The boundaries in this file"
    viewBox="-6 -6 ${(wide + 12).toFixed(0)} ${(tall + 12).toFixed(0)}"
  >
    ${outlines.map(
      (each) =>
        html`<path class="${each.tone}" fill-rule="evenodd" d="${each.rings.map(path).join('')}"
          ><title>${each.label}</title></path
        >`,
    )}
    ${marksWithin(marks, box).map(
      (each) =>
        html`<circle class="${each.severity}" cx="${x(each.lon)}" cy="${y(each.lat)}" r="6"
          ><title>${each.label}</title></circle
        >`,
    )}
  </svg>`
}

// Only the first outlines are drawn; a mark of any other would lie in empty space.
function marksWithin(marks: readonly Mark[], [west, south, east, north]: Bounds): readonly Mark[] {
  return marks.flatMap((mark) => {
    const lon = mark.lon + Math.ceil((west - mark.lon) / 360) * 360
    return lon <= east && mark.lat >= south && mark.lat <= north ? [{ ...mark, lon }] : []
  })
}

type Bounds = readonly [west: number, south: number, east: number, north: number]

/** Outlines on both sides of 180 degrees are drawn together, with longitudes beyond 180. */
function withoutSeam(outlines: readonly Outline[]): readonly Outline[] {
  const shiftedOutlines = outlines.map((each) => ({ ...each, rings: each.rings.map((ring) => shifted(ring, -180)) }))
  const box = boundsOf(shiftedOutlines)
  if (box === undefined || box[2] - box[0] < 180) return shiftedOutlines
  return shiftedOutlines.map((each) => ({ ...each, rings: each.rings.map((ring) => shifted(ring, 0)) }))
}

/** The ring, shifted by full turns so that it begins at `from` or east of it. */
function shifted(ring: readonly number[], from: number): readonly number[] {
  const turns = Math.floor(((ring[0] ?? 0) - from) / 360) * 360
  return turns === 0 ? ring : ring.map((each, index) => (index % 2 === 0 ? each - turns : each))
}

function boundsOf(outlines: readonly Outline[]): Bounds | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { rings } of outlines)
    for (const ring of rings)
      for (let at = 0; at + 1 < ring.length; at += 2) {
        west = Math.min(west, ring[at]!)
        east = Math.max(east, ring[at]!)
        south = Math.min(south, ring[at + 1]!)
        north = Math.max(north, ring[at + 1]!)
      }
  return west <= east ? [west, south, east, north] : undefined
}
