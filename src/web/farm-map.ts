/** Draws boundaries as an SVG in true proportions, with a pattern for what became of each, names, a scale bar and north. */

import { emptyBox, farApartKm, widen } from '../core/shape.ts'
import { median } from '../core/values/median.ts'
import { html, type Html } from './html.ts'

/** What became of a record, or would become of it. */
export const outcomes = [
  'created',
  'updated',
  'unchanged',
  'rejected',
  'refused',
  'unsent',
  'deleted',
  'kept',
  'skipped',
] as const

/** A record of the page: its boundary as rings of longitude, latitude, longitude ..., already simplified for a picture. */
export type Paddock = {
  readonly row: number
  /** The key in the service; null if the row has none. */
  readonly key: string | null
  /** The id in the file. */
  readonly id: string
  readonly outcome: (typeof outcomes)[number]
  readonly name?: string
  readonly crop?: string
  readonly areaM2?: number
  /** The area before an update. */
  readonly beforeM2?: number
  readonly rings: readonly (readonly number[])[]
}

/** A finding; without a place of its own it is drawn inside the paddock of its row. */
export type Mark = {
  readonly row: number
  readonly lon?: number
  readonly lat?: number
  readonly severity: 'error' | 'warning' | 'note'
  readonly label: string
}

/** The most boundaries of a map: a browser shows them at once, and a person sees no more. */
export const mostDrawn = 1_500

/** The table has all rows of a file up to this number; of a larger one, those that may be drawn. */
export const mostListed = 10_000

/** Crops with a colour of their own: the most frequent ones. */
export const colouredCrops = 8

// Two units are one pixel of a wide screen, so that whole numbers are exact enough.
const unitsWide = 1520
const unitsTall = 1160
const stripTall = 84

/** Draws the paddocks, and the marks that lie among them; nothing when no paddock has a boundary. */
export function farmMap(
  given: readonly Paddock[],
  marks: readonly Mark[] = [],
  crops: readonly string[] = [],
): Html | undefined {
  const { paddocks, away } = onePlace(withoutSeam(given))
  const box = boundsOf(paddocks)
  if (box === undefined) return undefined
  const land = projectionFor(box)
  const drawn = paddocks.map(({ rings, ...rest }, index) => ({ ...rest, index, rings: rings.map(land.ring) }))
  const shown = drawn.filter(({ rings }) => rings.length > 0)
  // An outline of the farm must not hide the paddocks in it.
  const largeFirst = shown.toSorted((one, other) => (other.areaM2 ?? 0) - (one.areaM2 ?? 0))
  const placed = marksWithin(marks, drawn, land)
  const [wide, tall] = [Math.max(land.wide, 400), land.tall]
  return html`<svg
      class="map"
      role="group"
      aria-label="Map of the boundaries. Arrow keys move between them."
      viewBox="-16 -16 ${wide + 32} ${tall + stripTall + 32}"
    >
      ${patterns}
      <g class="land">${largeFirst.map((each) => paddockPath(each, crops))}</g>
      ${placed.map(
        ({ x, y, severity, label }) =>
          html`<g transform="translate(${x} ${y})"
            ><path class="mark ${severity}" d="${markShapes[severity]}"><title>${label}</title></path></g
          >`,
      )}
      ${[24, 48].map(
        (size) =>
          html`<g class="${size === 24 ? 'on-wide' : 'on-narrow'}" font-size="${size}">
            ${labelsOf(shown, size).map(({ text, x, y }) => html`<text x="${x}" y="${y}">${text}</text>`)}
            ${scaleBar(land.unitsPerMetre, wide, tall)} ${northArrow(wide, tall)}
          </g>`,
      )}</svg
    >${away > 0 && html`<p class="soft">${awayInWords(away)}</p>`}`
}

function awayInWords(away: number): string {
  const what = away === 1 ? '1 boundary, or part of one,' : `${away} boundaries, or parts of them,`
  return `Not on this map: ${what} more than ${farApartKm} km from the others.`
}

/** The shapes of the marks around their place. */
export const markShapes = {
  error: 'M-13-7-7-13 0-6 7-13 13-7 6 0 13 7 7 13 0 6-7 13-13 7-6 0z',
  warning: 'M0-15 15 12H-15z',
  note: 'M-11 0a11 11 0 1 0 22 0a11 11 0 1 0-22 0z',
} as const

type Drawn = Paddock & { readonly index: number }

function paddockPath({ index, outcome, name, id, crop, rings }: Drawn, crops: readonly string[]): Html {
  const colour = crop === undefined ? -1 : crops.indexOf(crop)
  return html`<a id="p${index}" href="#r${index}" tabindex="-1" class="${outcome}${colour >= 0 && ` k${colour}`}"
    ><title>${name ?? id}: ${outcome}</title><path d="${rings.map(pathOf).join('')}"
  /></a>`
}

/** A ring as a path in whole units, without points that a straight line does not need. */
function pathOf(ring: readonly number[]): string {
  const steps: number[] = []
  for (let at = 2; at < ring.length; at += 2) {
    const [dx, dy] = [ring[at]! - ring[at - 2]!, ring[at + 1]! - ring[at - 1]!]
    const [lastX, lastY] = [steps.at(-2) ?? 0, steps.at(-1) ?? 0]
    if (steps.length > 0 && dx * lastY === dy * lastX && dx * lastX + dy * lastY >= 0)
      steps.splice(-2, 2, lastX + dx, lastY + dy)
    else if (dx !== 0 || dy !== 0) steps.push(dx, dy)
  }
  const path = steps.length < 4 ? 'h2v2h-2' : `l${steps.join(' ').replaceAll(' -', '-')}`
  return `M${ring[0]} ${ring[1]}${path}z`
}

function projectionFor([west, south, east, north]: Bounds) {
  // A degree of longitude is shorter than one of latitude by the cosine of the latitude.
  const squeeze = Math.cos((((south + north) / 2) * Math.PI) / 180)
  const widthDegrees = Math.max((east - west) * squeeze, 1e-6)
  const heightDegrees = Math.max(north - south, 1e-6)
  const scale = Math.min(unitsWide / widthDegrees, unitsTall / heightDegrees)
  const x = (lon: number): number => Math.round((lon - west) * squeeze * scale)
  const y = (lat: number): number => Math.round((north - lat) * scale)
  return {
    wide: Math.ceil(widthDegrees * scale),
    tall: Math.ceil(heightDegrees * scale),
    unitsPerMetre: scale / metresPerDegree,
    ring: (ring: readonly number[]) => ring.map((each, at) => (at % 2 === 0 ? x(each) : y(each))),
    point: (given: number, lat: number) => {
      const lon = given + Math.ceil((west - given) / 360) * 360
      return lon <= east && lat >= south && lat <= north ? [x(lon), y(lat)] : undefined
    },
  }
}

const metresPerDegree = 111_195

/** One mark for each place: the worst. Not all paddocks are drawn; a mark of any other would lie in empty space. */
function marksWithin(marks: readonly Mark[], paddocks: readonly Drawn[], land: ReturnType<typeof projectionFor>) {
  const byRow = new Map(paddocks.map((each) => [each.row, each]))
  const taken = new Set<string>()
  return marks.flatMap(({ row, lon, lat, severity, label }) => {
    const rings = byRow.get(row)?.rings ?? []
    const inside = lon === undefined && rings.length > 0 ? spanInside(rings, 0.25) : undefined
    const place = lon === undefined || lat === undefined ? undefined : land.point(lon, lat)
    const [x, y] = place ?? (inside ? [Math.round(inside.x), Math.round(inside.y)] : [])
    if (x === undefined || y === undefined || taken.has(`${x} ${y}`)) return []
    taken.add(`${x} ${y}`)
    return [{ x, y, severity, label }]
  })
}

function scaleBar(unitsPerMetre: number, wide: number, tall: number): Html {
  const most = wide / 3 / unitsPerMetre
  const power = 10 ** Math.floor(Math.log10(most))
  const metres = power * ([5, 2, 1].find((step) => step * power <= most) ?? 1)
  const length = Math.round(metres * unitsPerMetre)
  const y = tall + stripTall - 20
  return html`<path class="scale" d="M0 ${y - 12}v12h${length}v-12" /><text class="left" x="0" y="${y - 20}"
      >${metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}</text
    >`
}

function northArrow(wide: number, tall: number): Html {
  const y = tall + stripTall
  return html`<path class="north" d="M${wide - 14} ${y - 70}l14 50-14-10-14 10z" /><text
      class="right"
      x="${wide - 36}"
      y="${y - 24}"
      >N</text
    >`
}

// What is deleted lies over what is there now, which shows through.
const patterns: Html = {
  html: `<defs>${(
    [
      ['updated', 14, 'M0 14 14 0M-4 4 4-4M10 18 18 10'],
      ['rejected', 14, 'M0 0 14 14M0 14 14 0'],
      ['refused', 14, 'M0 0 14 14M0 14 14 0'],
      ['unsent', 12, 'M6 4v4M4 6h4'],
      ['deleted', 14, 'M0 7h14'],
    ] as const
  )
    .map(
      ([name, size, d]) =>
        `<pattern id="of-${name}" width="${size}" height="${size}" patternUnits="userSpaceOnUse">${name === 'deleted' ? '' : `<rect class="ground" width="${size}" height="${size}"/>`}<path d="${d}"/></pattern>`,
    )
    .join('')}</defs>`,
}

type Bounds = readonly [west: number, south: number, east: number, north: number]

/** Boundaries on both sides of 180 degrees are drawn together, with longitudes beyond 180. */
function withoutSeam(paddocks: readonly Paddock[]): readonly Paddock[] {
  const shiftedPaddocks = paddocks.map((each) => ({ ...each, rings: each.rings.map((ring) => shifted(ring, -180)) }))
  const box = boundsOf(shiftedPaddocks)
  if (box === undefined || box[2] - box[0] < 180) return shiftedPaddocks
  return shiftedPaddocks.map((each) => ({ ...each, rings: each.rings.map((ring) => shifted(ring, 0)) }))
}

/** The ring, shifted by full turns so that it begins at `from` or east of it. */
function shifted(ring: readonly number[], from: number): readonly number[] {
  const turns = Math.floor(((ring[0] ?? 0) - from) / 360) * 360
  return turns === 0 ? ring : ring.map((each, index) => (index % 2 === 0 ? each - turns : each))
}

const mostAway = 0.2

/** The land in one place: a few boundaries far from it, often by mistake, are counted and left out. */
function onePlace(paddocks: readonly Paddock[]) {
  const starts = paddocks.flatMap(({ rings }) => rings.map(([lon = 0, lat = 0]) => ({ lon, lat })))
  const [lon, lat] = [median(starts.map((each) => each.lon)), median(starts.map((each) => each.lat))]
  const squeeze = Math.cos((lat * Math.PI) / 180)
  const most = (farApartKm * 1000) / metresPerDegree
  const isNear = ([x = 0, y = 0]: readonly number[]): boolean => Math.hypot((x - lon) * squeeze, y - lat) <= most
  const near = paddocks.map((each) => ({ ...each, rings: each.rings.filter(isNear) }))
  const away = starts.length - near.reduce((sum, { rings }) => sum + rings.length, 0)
  return away <= mostAway * starts.length ? { paddocks: near, away } : { paddocks, away: 0 }
}

function boundsOf(paddocks: readonly Pick<Paddock, 'rings'>[]): Bounds | undefined {
  const box = emptyBox()
  for (const { rings } of paddocks) for (const ring of rings) widen(box, ring)
  return box[0] <= box[2] ? box : undefined
}

type Label = { readonly text: string; readonly x: number; readonly y: number }
type Box = readonly [left: number, top: number, right: number, bottom: number]

const heights = [0.5, 0.4, 0.6, 0.3, 0.7]

/** The names that fit at a font size, those of large boundaries first. */
function labelsOf(boundaries: readonly Paddock[], size: number): readonly Label[] {
  const labels: Label[] = []
  const taken: Box[] = []
  // On a map of thousands nearly all are smaller than their names, and need no search for a place.
  const roomy = boundaries.filter(({ name = '', rings }) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = boundsOf([{ rings }]) ?? []
    return name !== '' && right - left >= widthOf(name, size) && bottom - top >= size
  })
  for (const { name = '', rings } of roomy.toSorted((one, other) => extentOf(other) - extentOf(one))) {
    const half = widthOf(name, size) / 2
    const spot = heights.map((height) => spanInside(rings, height)).find((span) => span && span.width >= 2 * half)
    if (spot === undefined) continue
    const box: Box = [spot.x - half - 4, spot.y - size / 2, spot.x + half + 4, spot.y + size / 2]
    if (taken.some((other) => overlaps(box, other))) continue
    taken.push(box)
    labels.push({ text: name, x: Math.round(spot.x), y: Math.round(spot.y + size * 0.35) })
  }
  return labels
}

/** The widest piece of a horizontal line that lies inside the rings, at a share of their height. */
function spanInside(rings: readonly (readonly number[])[], share: number) {
  const [, top = 0, , bottom = 0] = boundsOf([{ rings }]) ?? []
  const y = top + (bottom - top) * share
  const crossings = rings.flatMap((ring) => crossingsOf(ring, y)).toSorted((one, other) => one - other)
  let widest: { x: number; width: number } | undefined
  for (let at = 0; at + 1 < crossings.length; at += 2) {
    const width = crossings[at + 1]! - crossings[at]!
    if (widest === undefined || width > widest.width) widest = { x: crossings[at]! + width / 2, width }
  }
  return widest && { ...widest, y }
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

function extentOf({ rings }: Paddock): number {
  const [ring = []] = rings
  let twice = 0
  for (let at = 0; at + 3 < ring.length; at += 2) twice += ring[at]! * ring[at + 3]! - ring[at + 2]! * ring[at + 1]!
  return Math.abs(twice)
}

function overlaps(one: Box, other: Box): boolean {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}
