/** Settles the coordinate system of a run: what the pipeline says, else what the file says. */

import { isDeepStrictEqual } from 'node:util'
import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { CrsClue, Row, Table } from '../../core/row.ts'
import { emptyBox, widen, type Box, type Shape } from '../../core/shape.ts'
import { median } from '../../core/values/median.ts'
import { identifyCrs, type Crs } from '../../geometry/crs/crs.ts'
import { withGrids } from '../../geometry/projection/grids.ts'
import { doubt, requireFitting } from '../../geometry/place/missing-crs.ts'
import { distanceKm, type Near } from '../../geometry/crs/area.ts'
import { isProjectionFault, placer, projectorFor } from '../../geometry/projection/project.ts'
import { wholeFile } from '../stage/stage-store.ts'

/** A coordinate system and the notes about it. */
export type Settled = { readonly crs: Crs; readonly notes: readonly Problem[] }

/** What a pipeline says about the place of its file, and where its first shapes and its farm lie. */
export type Placing = {
  readonly crs: string | undefined
  readonly axes: 'written' | 'exchanged' | undefined
  readonly shapes: readonly Shape[]
  readonly near: Near | undefined
}

/**
 * The coordinate system of a run: the given one, else the file's. If the two differ, the run stops, because one of them puts every
 * boundary in the wrong place; only where the file's system fits no boundary, and the given one does, that one is used.
 */
export function settleCrs(table: Table, placing: Placing): Settled {
  const { shapes, near, axes } = placing
  const { crs: named, notes } = identify(table, placing)
  const crs = axes === 'exchanged' ? { ...named, isTurned: true } : named
  const others = near ?? neighbourhood(crs, shapes)
  const settled = others === undefined ? crs : { ...crs, near: others }
  return { crs: settled, notes: [...notes, ...doubtsOf(table, settled, { shapes, near })] }
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

function identify(table: Table, { crs: given, near, shapes }: Placing): Settled {
  const box = boxOf(shapes)
  if (given === undefined) return { crs: requireFitting(table.crs, box, shapes, near), notes: [] }
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

function boxOf(shapes: readonly Shape[]): Box {
  const box = emptyBox()
  for (const { coordinates } of shapes) widen(box, coordinates)
  return box
}

/** A long table without a boundary at its beginning must not fill the memory. */
const mostBatches = 100

/** The first shapes of a table, and the same table, whose next reader gets the batches that were read for them. */
export async function withFirstShapes(table: Table, signal?: AbortSignal) {
  const reader = table.batches(signal)[Symbol.asyncIterator]()
  const read: (readonly Row[])[] = []
  let shapes: readonly Shape[] = []
  for (let batches = 0; table.hasGeometry && shapes.length === 0 && batches < mostBatches; batches += 1) {
    const next = await reader.next()
    if (next.done === true) break
    read.push(next.value)
    shapes = next.value.flatMap(({ shape }) => (shape && shape.coordinates.length > 0 ? [shape] : []))
  }
  let isTaken = false
  const begun: Table = {
    ...table,
    async *batches(later) {
      if (isTaken) return yield* table.batches(later)
      isTaken = true
      while (read.length > 0) yield read.shift()!
      // The rest of what has begun.
      for await (const batch of { [Symbol.asyncIterator]: () => reader }) {
        later?.throwIfAborted()
        yield batch
      }
    },
  }
  return { table: begun, shapes, close: async (): Promise<void> => void (await reader.return?.()) }
}
