/** Makes files whose shape is hard to work on, and ordinary files of as many bytes. */

import { chanceFrom } from '../tools/seeded.ts'

type Point = readonly [x: number, y: number]
type Ring = readonly Point[]
type Boundary = readonly (readonly Ring[])[]

/** A file with the least number of rows that are read from it. */
export type CliffFile = { readonly text: string; readonly rows: number }

const degrees = (metres: number): number => Math.round(metres * 100) / 1e7

function featuresOf(boundaries: readonly Boundary[]): CliffFile {
  const lines = boundaries.map((parts, id) => {
    const coordinates = parts.map((rings) =>
      rings.map((ring) => [...ring, ring[0]!].map(([x, y]) => [175.3 + degrees(x), -37.8 + degrees(y)])),
    )
    const geometry = { type: 'MultiPolygon', coordinates }
    return JSON.stringify({ type: 'Feature', properties: { ID: `f${id}`, NAME: `Paddock ${id}` }, geometry })
  })
  return { text: `{"type":"FeatureCollection","features":[\n${lines.join(',\n')}\n]}\n`, rows: lines.length }
}

function around(count: number, pointAt: (angle: number, index: number) => Point): Ring {
  return Array.from({ length: count }, (_, index) => pointAt((2 * Math.PI * index) / count, index))
}

/** A coast: every bay has smaller bays. */
function coast([x, y]: Point, radius: number, vertices: number, noise = () => 0): Ring {
  return around(vertices, (angle) => {
    let far = radius
    for (let waves = 3; waves < vertices / 4; waves *= 2) far += (radius / waves / 2) * Math.sin(waves * (angle + 1))
    return [x + far * Math.cos(angle) + noise(), y + far * Math.sin(angle) + noise()]
  })
}

function grid(count: number, metres: number): readonly Point[] {
  const across = Math.ceil(Math.sqrt(count))
  return Array.from({ length: count }, (_, at) => [(at % across) * metres, Math.floor(at / across) * metres])
}

function square([x, y]: Point, size: number): Ring {
  return [
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
  ]
}

function spiral(turns: number): Ring {
  const arm = (outward: number): Ring =>
    Array.from({ length: turns * 60 }, (_, at) => {
      const far = 100 + at / 6 + outward
      return [far * Math.cos((at * Math.PI) / 30), far * Math.sin((at * Math.PI) / 30)]
    })
  return [...arm(0), ...arm(4).toReversed()]
}

const several = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** Files of boundaries by what they are. */
export const boundaryCliffs: Readonly<Record<string, () => CliffFile>> = {
  '100 boundaries of 20,000 points that overlap': () =>
    featuresOf(several(100, (at) => [[coast([(at % 10) * 800, Math.floor(at / 10) * 800], 500, 20_000)]])),
  '100 boundaries of 20,000 points over each other': () => {
    const chance = chanceFrom(19)
    return featuresOf(several(100, (at) => [[coast([at, at], 500, 20_000, () => chance.next() / 20)]]))
  },
  '1,000 copies of one boundary': () => featuresOf(several(1000, () => [[coast([0, 0], 300, 500)]])),
  'a million points in one boundary': () => featuresOf([[[coast([0, 0], 20_000, 1_000_000)]]]),
  '5,000 boundaries that meet in one point': () => {
    const rays = around(5000, (angle) => [10_000 * Math.cos(angle), 10_000 * Math.sin(angle)])
    return featuresOf(rays.map((ray, at) => [[[[0, 0], ray, rays[(at + 1) % rays.length]!]]]))
  },
  'a comb of 50,000 teeth': () => {
    const teeth = several(100_000, (at): Point => [at / 5, at % 2 === 0 ? 1000 : 10 + (at % 7)])
    return featuresOf([[[[...teeth, [20_000, 0], [0, 0]]]]])
  },
  'a spiral of 1,000 turns': () => featuresOf([[[spiral(1000)]]]),
  'a boundary with 20,000 holes': () =>
    featuresOf([[[square([-10, -10], 5000), ...grid(20_000, 30).map((at) => square(at, 10))]]]),
  'a boundary of 50,000 parts': () => featuresOf([grid(50_000, 30).map((at) => [square(at, 20)])]),
  'a star of 50,000 rays': () =>
    featuresOf([
      [
        [
          around(100_000, (angle, at) => [
            (at % 2 === 0 ? 9000 : 3000) * Math.cos(angle),
            (at % 2 === 0 ? 9000 : 3000) * Math.sin(angle),
          ]),
        ],
      ],
    ]),
  'islands in lakes on islands, 2,000 deep': () =>
    featuresOf([
      several(2000, (at) => [square([-at * 4, -at * 4], 10 + at * 8), square([2 - at * 4, 2 - at * 4], 6 + at * 8)]),
    ]),
  'an outline of 100,000 points round 10,000 boundaries': () =>
    featuresOf([[[coast([1000, 1000], 5000, 100_000)]], ...grid(10_000, 20).map((at): Boundary => [[square(at, 18)]])]),
}

/** Paddocks of 26 points that lie apart, as many as make so many bytes. */
export function ordinaryBoundaries(bytes: number): CliffFile {
  const paddocks = (count: number): CliffFile => featuresOf(grid(count, 300).map((at) => [[coast(at, 100, 26)]]))
  return paddocks(Math.max(1, Math.round(bytes / (paddocks(100).text.length / 100))))
}

function rowsOf(header: readonly string[], count: number, cellAt: (row: number, column: number) => string): CliffFile {
  const lines = several(count, (row) => header.map((_, column) => cellAt(row, column)).join(','))
  return { text: `${header.join(',')}\n${lines.join('\n')}\n`, rows: count }
}

const columns = (count: number): readonly string[] => ['ID', 'NAME', ...several(count - 2, (at) => `C${at}`)]
const plainCell = (row: number, column: number): string => (column === 0 ? `r${row}` : `text ${row * 7 + column}`)

/** Files of rows by what they are. */
export const rowCliffs: Readonly<Record<string, () => CliffFile>> = {
  '2,000 columns': () => rowsOf(columns(2000), 2000, plainCell),
  // Nothing is read beyond a row that is longer than any table has.
  'a cell of 50 MB': () => ({
    ...rowsOf(columns(12), 1000, (row, column) =>
      row === 500 && column === 1 ? 'x'.repeat(50_000_000) : plainCell(row, column),
    ),
    rows: 500,
  }),
  '100,000 rows of one key': () =>
    rowsOf(columns(12), 100_000, (row, column) => (column === 0 ? 'one' : plainCell(row, column))),
}

/** Rows of 12 columns, as many as make so many bytes. */
export function ordinaryRows(bytes: number): CliffFile {
  const rows = (count: number): CliffFile => rowsOf(columns(12), count, plainCell)
  return rows(Math.max(1, Math.round(bytes / (rows(10_000).text.length / 10_000))))
}
