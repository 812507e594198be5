/** Inspects a layer: rows, extent, coordinate system, columns and problems. */

import { WindrowError } from '../../core/error.ts'
import type { DatePattern } from '../../core/values/date-pattern.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { ColumnProfile, TableProfile } from '../../core/profile/profile-table.ts'
import type { Table } from '../../core/row.ts'
import { emptyBox, type Shape } from '../../core/shape.ts'
import { asUsed, type Crs, type CrsUsed } from '../../geometry/crs/crs.ts'
import { measure } from '../../geometry/measure/measure.ts'
import { isDegrees, requireFitting } from '../../geometry/place/missing-crs.ts'
import { isProjectionFault, projectorFor } from '../../geometry/projection/project.ts'
import { dateOrderProblem, isDateOrder, pickDates, undecidedDates } from '../../rules/dates.ts'
import { numbersIn } from '../../rules/field-columns.ts'
import { decidePlace, type Lying } from '../../rules/place.ts'
import { doubtsOf, settleGrids } from '../prepare/coordinate-system.ts'
import { wholeFile } from '../stage/stage-store.ts'
import type { ImportFile } from '../definition/definition-schema.ts'
import type { Group } from '../definition/yaml-source.ts'
import { groupIn } from '../../resources/groups.ts'
import { datesSaid, decideFor, type DecideAround } from './decide.ts'
import type { TableFacts } from './look.ts'

/** West, south, east, north. */
export type Extent = readonly [number, number, number, number]

/** The coordinate system of a layer, or why it is unknown. */
export type CrsSeen = CrsUsed | { readonly problem: string; readonly hint?: string | undefined }

export type LayerSeen = Awaited<ReturnType<typeof inspectTable>>
export type ColumnSeen = ReturnType<typeof columnSeen>

/** All findings about a file; docs/inspect.schema.json is its schema. */
export type Inspection = {
  readonly windrow: 'inspection'
  readonly version: 1
  readonly file: string
  readonly bytes: number
  readonly format: string
  readonly layers: readonly LayerSeen[]
}

/** Makes an inspection of what a look found in a table: what is in it, and what an import would decide. `said` is what a person set. */
export async function inspectTable(facts: TableFacts, said: Group, around: DecideAround) {
  const { table, profile, found, inRows } = facts
  const dates = datesSaid(said)
  const known = table.hasGeometry ? await crsSeen(table, groupIn(said, 'from'), profile) : undefined
  const { choices } = await decideFor(facts, said, around).catch((cause: unknown) => {
    // An import of this layer alone would end with it.
    if (cause instanceof WindrowError && cause.code !== 'interrupted') return facts
    throw cause
  })
  return {
    name: table.name,
    rows: profile.rows,
    geometry: profile.shapes,
    withoutGeometry: table.hasGeometry ? profile.withoutShape : null,
    vertices: profile.vertices,
    bbox: profile.bbox ?? null,
    lonLat: (known?.crs && profile.bbox && extentOnEarth(known.crs, profile.bbox)) ?? null,
    crs: known?.seen ?? null,
    choices,
    columns: profile.columns.map((column) => columnSeen(column, dates)),
    problems: [
      ...found,
      ...(known?.notes ?? []),
      ...choices.filter(isDateOrder).map((each) => dateOrderProblem(each, table.name)),
    ],
    inRows,
  }
}

type Seen = Pick<TableProfile, 'bbox' | 'firstShapes' | 'points'>

async function crsSeen(table: Table, from: Group, { bbox, firstShapes, points }: Seen) {
  const { crs: given, grids, axes } = from as Partial<ImportFile['from']>
  const lying = { said: given, clue: table.crs, box: bbox, firstShapes, points, near: undefined }
  const crs = crsOrProblem(lying)
  if ('problem' in crs) return { seen: crs }
  if (bbox === undefined) return { crs, seen: asUsed(crs) }
  const [choice] = decidePlace(lying, (setting) => setting !== 'from.axes' || axes !== undefined)
  const isTurned = (axes ?? choice?.value) === 'exchanged'
  const turned = isTurned ? { ...crs, isTurned } : crs
  const settled = { crs: turned, notes: strayNotes(table, turned, bbox) }
  const { crs: found, notes } =
    grids === undefined ? settled : await settleGrids(table, settled, grids, middleAndCorners(bbox))
  const evidence = isTurned ? `${crs.evidence}, with the axes exchanged` : crs.evidence
  const doubts = doubtsOf(table, found, { shapes: firstShapes })
  return { crs: found, seen: { ...asUsed(found), evidence }, notes: [...notes, ...doubts] }
}

function strayNotes({ name }: Table, crs: Crs, bbox: Extent): readonly Problem[] {
  if (!crs.isLonLat || crs.isTurned === true || isDegrees(bbox)) return []
  const message = 'Some coordinates are not longitudes and latitudes. An import rejects their rows and names them.'
  return [problem('coordinate-out-of-range', wholeFile(name), { severity: 'warning', message })]
}

function crsOrProblem({ said, clue, box = emptyBox(), firstShapes }: Lying) {
  try {
    return requireFitting(said === undefined ? clue : { from: 'option', text: said }, box, firstShapes)
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    return { problem: cause.message, hint: cause.hint }
  }
}

function middleAndCorners([west, south, east, north]: Extent): readonly (readonly [number, number])[] {
  const corners = [west, east].flatMap((x) => [south, north].map((y) => [x, y] as const))
  return [[(west + east) / 2, (south + north) / 2], ...corners]
}

const stepsOfSide = 8

/** The extent in degrees. Its sides are curved there, so points between the corners are projected too. */
function extentOnEarth(crs: Crs, [west, south, east, north]: Extent): Extent | undefined {
  const points: number[] = []
  for (let step = 0; step <= stepsOfSide; step++) {
    const x = west + ((east - west) * step) / stepsOfSide
    const y = south + ((north - south) * step) / stepsOfSide
    points.push(x, south, x, north, west, y, east, y)
  }
  const outline: Shape = { kind: 'MultiPoint', coordinates: Float64Array.from(points), ends: [], parts: [] }
  const projected = projectorFor(crs)(outline)
  if (isProjectionFault(projected)) return undefined
  // A projected grid may cross 180 degrees; degrees are shown as the file has them.
  if (!crs.isLonLat) return measure(projected).bbox
  const lons = projected.coordinates.filter((_, index) => index % 2 === 0)
  const lats = projected.coordinates.filter((_, index) => index % 2 === 1)
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)]
}

function columnSeen(column: ColumnProfile, dates: DatePattern | undefined) {
  const { name, filled, blank, distinct, distinctIsExact, repeated, leadingZeros, numberFit, examples } = column
  return {
    name,
    type: typeSeen(column, dates),
    filled,
    blank,
    distinct,
    distinctIsExact,
    repeated,
    leadingZeros,
    numbers: { typed: column.numbers, ...numberFit },
    units: column.numberWords,
    dates: column.dates,
    examples,
  }
}

/** The type of all filled cells; text if they differ, and for numbers that begin with zeros. */
function typeSeen(column: ColumnProfile, dates: DatePattern | undefined): string {
  const { filled, numberFit, leadingZeros } = column
  if (filled === 0) return 'empty'
  if (column.nested > 0) return 'nested'
  if (column.truths === filled) return 'yes/no'
  const date = pickDates(column, dates)
  if (date !== undefined) return `date ${undecidedDates(column, dates)?.patterns.join(' or ') ?? date.pattern}`
  if (numbersIn(column) !== filled) return 'text'
  if (leadingZeros > 0) return 'text (id)'
  return numberFit.comma > numberFit.point ? 'number, comma' : 'number'
}
