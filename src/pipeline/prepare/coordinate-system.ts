/** Decides the coordinate system and axis order of a file, and notes why. */

import { isDeepStrictEqual } from 'node:util'
import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { CrsClue, Row, Table } from '../../core/row.ts'
import { emptyBox, widen, type Box, type Shape } from '../../core/shape.ts'
import { median } from '../../core/values/median.ts'
import { axisOrderFor, type AxisOrder } from '../../geometry/place/axis-order.ts'
import { identifyCrs, type Crs } from '../../geometry/crs/crs.ts'
import { withGrids } from '../../geometry/projection/grids.ts'
import { doubt, requireFitting, worthyCrs } from '../../geometry/place/missing-crs.ts'
import { distanceKm, type Near } from '../../geometry/crs/area.ts'
import { isProjectionFault, placer, projectorFor } from '../../geometry/projection/project.ts'
import { wholeFile } from '../stage/stage-store.ts'

/** The file's coordinate system and the notes about it. */
export type Settled = { readonly crs: Crs; readonly notes: readonly Problem[] }

/**
 * Decides the coordinate system: the given one, else the file's. `auto` works one out if the file names none. If file and
 * pipeline differ, the run stops, because one of the two puts every boundary in the wrong place; only where the file's system fits
 * no boundary, and the pipeline's does, that one is used. Axes are exchanged only if no row fits as written. Grids of the folder
 * are used for the way to WGS 84 if they apply.
 */
export async function settleCrs(
  table: Table,
  given: string | undefined,
  near: Near | undefined,
  gridFolder?: string,
): Promise<Settled> {
  const shapes = await firstShapes(table)
  const settled = await settleAxes(table, identify(table, { given, near, shapes }), { near, shapes })
  if (gridFolder === undefined) return settled
  const firsts = shapes.map(({ coordinates }) => [coordinates[0]!, coordinates[1]!] as const)
  return settleGrids(table, settled, gridFolder, firsts)
}

/** Uses the grids of the folder if they cover one of these positions. */
export async function settleGrids(
  { name }: Table,
  { crs, notes }: Settled,
  gridFolder: string,
  positions: Parameters<typeof withGrids>[2],
): Promise<Settled> {
  const { crs: gridded, lack } = await withGrids(crs, gridFolder, positions)
  const lacking = lack === undefined ? [] : [problem('grid-missing', wholeFile(name), { message: lack })]
  return { crs: gridded, notes: [...notes, ...lacking] }
}

async function settleAxes(table: Table, { crs, notes }: Settled, { near, shapes }: Omit<Wish, 'given'>) {
  const orders = shapes.map(axisOrderFor(crs, near))
  const isTurned =
    orders.includes('turned') && !orders.includes('written') && (await isTurnedThroughout(table, crs, near))
  if (isTurned) return { crs: { ...crs, isTurned }, notes: [...notes, turnedNote(table, crs, near)] }
  const others = near ?? neighbourhood(crs, shapes)
  const settled = others === undefined ? crs : { ...crs, near: others }
  return { crs: settled, notes: [...notes, ...doubtsOf(table, settled, { shapes, near })] }
}

/** Warns if a system puts the first boundaries of a table where they cannot be. */
export function doubtsOf(
  { name }: Pick<Table, 'name'>,
  crs: Crs,
  { shapes, near }: { readonly shapes: readonly Shape[]; readonly near?: Near | undefined },
): readonly Problem[] {
  const project = projectorFor(crs)
  // Rows that cannot be projected at all are rejected one by one.
  const used = shapes.filter((each) => !isProjectionFault(project(each)))
  const doubted = doubt(crs, placesOf(crs, used), boxOf(used.length === 0 ? shapes : used), near)
  return doubted === undefined ? [] : [problem('crs-out-of-area', wholeFile(name), doubted)]
}

type Wish = {
  readonly given: string | undefined
  readonly near: Near | undefined
  readonly shapes: readonly Shape[]
}

function identify(table: Table, { given, near, shapes }: Wish): Settled {
  const box = boxOf(shapes)
  if (given?.toLowerCase() === 'auto' && table.crs === undefined) {
    const crs = worthyCrs(box, near)
    const message = `The file names no coordinate system. windrow chose ${crs.name} (${crs.code}) from ${crs.evidence}.`
    const hint = `If that is right, set  from.crs: ${crs.code}`
    return { crs, notes: [problem('crs-assumed', wholeFile(table.name), { message, hint })] }
  }
  const isGiven = given !== undefined && given.toLowerCase() !== 'auto'
  if (!isGiven) return { crs: requireFitting(table.crs, box, shapes, near), notes: [] }
  const clue: CrsClue = { from: 'option', text: given }
  const wanted = identifyCrs(clue)
  const asGiven = (): Settled => ({ crs: requireFitting(clue, box, shapes, near), notes: [] })
  if (table.crs === undefined) return asGiven()
  const said = identifyCrs(table.crs)
  const isSame =
    said.code === wanted.code && (said.code !== '' || isDeepStrictEqual(said.definition, wanted.definition))
  if (isSame) return { crs: requireFitting(table.crs, box, shapes, near), notes: [] }
  // GeoJSON without a system means degrees by RFC 7946, but the file itself does not say so.
  if (table.crs.from === 'format') return asGiven()
  // Column names and values show degrees, but not the datum.
  if (table.crs.from === 'columns' && wanted.isLonLat) return asGiven()
  const isFitting = (crs: Crs): boolean =>
    shapes.some((each) => !isProjectionFault(projectorFor(crs)(each))) &&
    doubtsOf(table, crs, { shapes, near }).length === 0
  if (!isFitting(said) && isFitting(wanted)) {
    const message = `By ${said.evidence} the coordinates are ${said.name}, which puts no boundary where it can be; ${wanted.name} (${wanted.code}) was used.`
    return { crs: wanted, notes: [problem('crs-assumed', wholeFile(table.name), { message })] }
  }
  const message = `from.crs is ${wanted.name} (${wanted.code}), but ${said.evidence} says ${said.name} (${said.code || 'no code'}). Nothing was sent.`
  const hint = `Find out which one is right. If it is from.crs, remove the other one from the file.`
  throw new WindrowError('crs-differs', message, { hint })
}

async function isTurnedThroughout(table: Table, crs: Crs, near: Near | undefined): Promise<boolean> {
  const judge = axisOrderFor(crs, near)
  const counts: Record<AxisOrder, number> = { written: 0, turned: 0, neither: 0 }
  for await (const batch of table.batches())
    for (const { shape } of batch as readonly Row[]) {
      if (!shape || shape.coordinates.length === 0) continue
      counts[judge(shape)] += 1
      if (counts.written > 0) return false
    }
  return counts.turned > counts.neither
}

function turnedNote(table: Table, crs: Crs, near: Near | undefined): Problem {
  const [first, second] = crs.isLonLat ? ['latitude', 'longitude'] : ['northing', 'easting']
  const witness = near === undefined ? `in the area of ${crs.name}` : `near ${near.name}`
  return problem('coordinates-turned', wholeFile(table.name), {
    message: `The file has ${first} before ${second}: no row lies ${witness} as written, but every row does with the two exchanged. They were exchanged.`,
    hint: 'To avoid this note, export the file with longitude or easting first.',
  })
}

const leastForNeighbourhood = 5

/** The place of the first rows, if they lie together: then a row at the mirrored place has its axes exchanged. */
function neighbourhood(crs: Crs, shapes: readonly Shape[]): Near | undefined {
  if (!crs.isLonLat || shapes.length < leastForNeighbourhood) return undefined
  const points = placesOf(crs, shapes).filter(([lon, lat]) => Math.abs(lon) <= 180 && Math.abs(lat) <= 90)
  const middle = { lon: median(points.map(([lon]) => lon)), lat: median(points.map(([, lat]) => lat)) }
  const together = points.filter(([lon, lat]) => distanceKm(middle, { lon, lat }) < 300)
  return together.length * 5 < shapes.length * 4 ? undefined : { ...middle, name: 'the other rows' }
}

function placesOf(crs: Crs, shapes: readonly Shape[]): readonly (readonly [lon: number, lat: number])[] {
  const place = placer(crs)
  return shapes.map(({ coordinates }) => place(coordinates[0] ?? NaN, coordinates[1] ?? NaN))
}

async function firstShapes(table: Table): Promise<readonly Shape[]> {
  for await (const batch of table.batches()) {
    const shapes = (batch as readonly Row[]).flatMap(({ shape }) =>
      shape && shape.coordinates.length > 0 ? [shape] : [],
    )
    if (shapes.length > 0) return shapes
  }
  return []
}

function boxOf(shapes: readonly Shape[]): Box {
  const box = emptyBox()
  for (const { coordinates } of shapes) widen(box, coordinates)
  return box
}
