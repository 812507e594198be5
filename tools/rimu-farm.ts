/** Draws Rimu Farm: 24 paddocks with common fences, one of them badly digitised. All of it is invented. */

import proj4 from 'proj4'
import { chanceFrom } from './seeded.ts'
import type { Ring } from './shapefile-zip.ts'

export type Paddock = {
  readonly id: string
  readonly name: string
  readonly crop: string
  /** Day, month and year as the office writes them. */
  readonly sown: string
  readonly areaHa: string
  /** In NZTM metres; the shell clockwise, holes counterclockwise. */
  readonly rings: readonly Ring[]
}

type Point = readonly [x: number, y: number]

const nztm = '+proj=tmerc +lat_0=0 +lon_0=173 +k=0.9996 +x_0=1600000 +y_0=10000000 +ellps=GRS80 +units=m +no_defs'

/** Longitude and latitude, to 7 decimals, of a position in NZTM. */
export function lonLatOf([x, y]: Point): Point {
  const [lon = 0, lat = 0] = proj4(nztm, 'EPSG:4326', [x, y])
  return [Math.round(lon * 1e7) / 1e7, Math.round(lat * 1e7) / 1e7]
}

// Where the boundary of paddock 006 crosses itself; the farm lies west and south of it.
const [crossingX = 0, crossingY = 0] = proj4('EPSG:4326', nztm, [175.31264, -37.78911])

const columns = 6
const rows = 4
const spacingX = 240
const spacingY = 213.6

// id, name, crop code and sowing day of each paddock, row by row from the north-west. Two share the name Kānuka.
const entries: readonly (readonly [id: string, name: string, crop: string, sown: string])[] = [
  ['001', 'Woolshed', 'RG', '12/3/2026'],
  ['002', 'Kānuka', 'RG', '12/3/2026'],
  ['003', 'Pōhutukawa', 'PLN', '21/9/2026'],
  ['004', 'Tōtara', 'RG', '14/3/2026'],
  ['005', 'Front flat', 'RG', '14/3/2026'],
  ['006', 'Ōtāne flat', 'LUC', '4/9/2026'],
  ['007', 'Rāhui', 'LUC', '3/9/2026'],
  ['008', 'Kōwhai', 'RG', '2/4/2026'],
  ['009', 'Swamp', 'RG', ''],
  ['010', 'Mānuka', 'CHI', '28/9/2026'],
  ['011', 'Bull paddock', 'RG', '2/4/2026'],
  ['012', 'Kererū', 'RG', '31/02/2026'],
  ['013', 'Hay barn', 'RG', '9/4/2026'],
  ['014', 'Tūī', 'PLN', '22/9/2026'],
  ['015', 'Pond', 'RG', '9/4/2026'],
  ['016', 'Kānuka', 'RG', '11/4/2026'],
  ['017', 'Pūkeko', 'FB', '16/10/2026'],
  ['018', 'Horse', 'RG', ''],
  ['019', 'Top flat', 'KAL', '5/11/2026'],
  ['020', 'Ngāio', 'RG', '18/3/2026'],
  ['021', 'Rūnanga', 'RG', '18/3/2026'],
  ['022', 'Hāngī', 'MZ', '24/10/2026'],
  ['023', 'Back hill', 'RG', ''],
  ['024', "O'Neill's", 'RG', '20/3/2026'],
]

/** The paddocks in the order of the file: by id, except 007, which was drawn before 006. */
export function drawPaddocks(): readonly Paddock[] {
  const fences = drawFences()
  const paddocks = entries.map(([id, name, crop, sown], index) => {
    const rings = ringsOf(fences, index % columns, Math.floor(index / columns), id)
    // The office's area, from an old map: 0.3 % more than the fences enclose.
    const areaHa = (Math.abs(rings.reduce((sum, ring) => sum + shoelace(ring), 0)) * 1.003) / 10_000
    return { id, name, crop, sown, areaHa: id === '006' ? '3.20' : areaHa.toFixed(2), rings }
  })
  const [swapped] = paddocks.splice(6, 1)
  paddocks.splice(5, 0, swapped!)
  return paddocks
}

type Fences = { readonly corners: readonly Point[]; between(from: Point, to: Point): readonly Point[] }

/** Corners of a crooked grid, and the bends of each fence, which both neighbours share. */
function drawFences(): Fences {
  const chance = chanceFrom(412_876)
  const corners: Point[] = []
  for (let row = 0; row <= rows; row += 1)
    for (let column = 0; column <= columns; column += 1)
      corners.push([
        round(crossingX + 36 - (columns - column) * spacingX + chance.between(-16, 16)),
        round(crossingY + 100 - row * spacingY + (columns - column) * 7 + chance.between(-14, 14)),
      ])
  const drawn = new Map<string, readonly Point[]>()
  return {
    corners,
    between(from, to) {
      const known = drawn.get(`${to.join()} ${from.join()}`)
      if (known !== undefined) return known.toReversed()
      const bends = bendsBetween(from, to, () => chance.between(-5, 5), chance.whole(1, 5))
      drawn.set(`${from.join()} ${to.join()}`, bends)
      return bends
    },
  }
}

function bendsBetween(from: Point, to: Point, sway: () => number, count: number): readonly Point[] {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1])
  return Array.from({ length: count }, (_, index) => {
    const share = (index + 1) / (count + 1)
    const aside = sway() / length
    return [
      round(from[0] + (to[0] - from[0]) * share - (to[1] - from[1]) * aside),
      round(from[1] + (to[1] - from[1]) * share + (to[0] - from[0]) * aside),
    ] as const
  })
}

function ringsOf(fences: Fences, column: number, row: number, id: string): readonly Ring[] {
  const corner = (right: number, down: number): Point => fences.corners[(row + down) * (columns + 1) + column + right]!
  const round4 = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]
  if (id === '006') return [twistedRing(round4[0]!, round4[3]!)]
  const shell = round4.flatMap((from, index) => [from, ...fences.between(from, round4[(index + 1) % 4]!)])
  const closed = [...shell, shell[0]!]
  return id === '015' ? [closed, pondAround(round4)] : [closed]
}

/**
 * A boundary whose two eastern corners were clicked in the wrong order: it crosses itself at the crossing point, with 2.79 ha
 * west of it and 0.41 ha east, which is 12.8 % of both.
 */
function twistedRing(northWest: Point, southWest: Point): Ring {
  const north: Point = [-30, 95]
  const south: Point = [-25, -80]
  // East of the crossing lie the same two directions, mirrored and drawn out until they enclose 0.41 ha.
  const out = Math.sqrt((4100 * 2) / Math.abs(north[0] * south[1] - north[1] * south[0]))
  // The western corners come from the fences; pulling both by one share towards the crossing makes the 2.79 ha.
  const west = [northWest, southWest].map(([x, y]) => [x - crossingX, y - crossingY] as const)
  const areaOf = (share: number): number => {
    const [up, down] = west.map(([x, y]) => [x * share, y] as const)
    return Math.abs(shoelace([[0, 0], south, down!, up!, north, [0, 0]]))
  }
  let [low, high] = [0.3, 1.3]
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (areaOf(middle) < 27_900) low = middle
    else high = middle
  }
  const [up, down] = west.map(([x, y]) => [x * low, y] as const)
  const local: readonly Point[] = [
    up!,
    north,
    [-north[0] * out, -north[1] * out],
    [-south[0] * out, -south[1] * out],
    south,
    down!,
    up!,
  ]
  return local.map(([x, y]) => [round(crossingX + x), round(crossingY + y)] as const)
}

function pondAround(corners: readonly Point[]): Ring {
  const middle = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis]!, 0) / corners.length)
  const bank = Array.from({ length: 10 }, (_, index) => {
    const angle = (index / 10) * 2 * Math.PI
    const radius = 19 + (index % 3) * 3
    return [round(middle[0]! + Math.cos(angle) * radius), round(middle[1]! + Math.sin(angle) * radius)] as const
  })
  return [...bank, bank[0]!]
}

/** Negative for a clockwise ring. */
function shoelace(ring: Ring): number {
  let sum = 0
  for (let index = 1; index < ring.length; index += 1) {
    const [fromX, fromY] = ring[index - 1]!
    const [toX, toY] = ring[index]!
    sum += (fromX - crossingX) * (toY - crossingY) - (toX - crossingX) * (fromY - crossingY)
  }
  return sum / 2
}

function round(metres: number): number {
  return Math.round(metres * 1000) / 1000
}
