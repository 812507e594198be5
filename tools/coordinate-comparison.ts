/**
 * Compares every coordinate system of the table with PROJ over its area of use, by the transformation to WGS 84 that the table
 * names, so that PROJ looks neither for a grid nor for a better transformation.
 */

import { availableParallelism } from 'node:os'
import { inParallel } from '../src/core/in-parallel.ts'
import type { Shape } from '../src/core/shape.ts'
import { identifyCrs } from '../src/geometry/crs/crs.ts'
import type { Datum } from '../src/geometry/crs/datums.ts'
import { isProjectionFault, projectorFor } from '../src/geometry/projection/project.ts'
import { systems, type System } from '../src/geometry/crs/systems.ts'
import { controlPointsOf, descriptionsOf, operationOf, type ControlPoint, type Operation } from './proj.ts'

/** One system, its points by PROJ, and how many metres off the worst of windrow's points is. */
export type Comparison = { readonly system: System; readonly points: readonly ControlPoint[]; readonly worstM: number }

/** Makes the function that compares systems with PROJ. It throws when windrow does not recognise a system by its description. */
export function comparer(): (system: System) => Promise<Comparison> {
  const operations = new Map<string, Promise<Operation>>()
  return async (system) => {
    const { transformation } = system.definition.datum
    const code = transformation?.split(' ')[0]
    if (code !== undefined && !operations.has(code)) operations.set(code, operationOf(code))
    const operation = code === undefined ? undefined : await operations.get(code)
    if (operation !== undefined && operation.accuracyM > system.definition.datum.accuracyM)
      throw new Error(`${system.code}: EPSG states ${operation.accuracyM} m for ${transformation}, the table less.`)
    for (const description of await descriptionsOf(system.code)) compareDescription(system, description)
    const points = await controlPointsOf(system.code, system.area, operation)
    return { system, points, worstM: worstError(system.code, points) }
  }
}

// Some systems have a twin with all their numbers, so the numbers are compared, and not the codes.
function compareDescription({ code, definition }: System, description: string): void {
  const found = identifyCrs({ from: '.prj', text: description })
  const isTwin = JSON.stringify(found.definition) === JSON.stringify(definition)
  if (found.code !== code && !(isTwin && found.code !== ''))
    throw new Error(`${code} is taken for ${found.code} ${found.name} by its description: ${description}`)
}

/** The largest distance in metres between where windrow and PROJ place a point. */
export function worstError(code: string, points: readonly ControlPoint[]): number {
  const shape: Shape = {
    kind: 'MultiPoint',
    coordinates: Float64Array.from(points.flatMap(({ x, y }) => [x, y])),
    ends: [],
    parts: [],
  }
  const projected = projectorFor(identifyCrs({ from: 'option', text: code }))(shape)
  if (isProjectionFault(projected)) throw new Error(`${code}: ${projected.message}`)
  const errors = points.map(({ lon, lat }, index) => {
    const east = ((projected.coordinates[index * 2]! - lon + 540) % 360) - 180
    const north = projected.coordinates[index * 2 + 1]! - lat
    return Math.hypot(east * Math.cos((lat * Math.PI) / 180), north) * 111_320
  })
  // Every comparison with NaN is false, so it must come through.
  return errors.some(Number.isNaN) ? NaN : Math.max(...errors)
}

/** Compares the whole table, as many systems at a time as there are cores; one that is 1 cm off is an error. */
export async function compareAll(): Promise<readonly Comparison[]> {
  const compare = comparer()
  const done: Comparison[] = []
  await inParallel(systems().entries(), availableParallelism(), async ([index, system]) => {
    done[index] = await compare(system).catch((cause: unknown) => {
      throw new Error(`${system.code} cannot be compared`, { cause })
    })
  })
  for (const { system, worstM } of done)
    if (!(worstM < 0.01)) throw new Error(`${system.code} ${system.name} is ${worstM} m off.`)
  return done
}

/** The document: one table for each datum, because all its systems share the transformation to WGS 84. */
export function documentOf(comparisons: readonly Comparison[]): string {
  const worst = Math.max(...comparisons.map(({ worstM }) => worstM))
  const byDatum = Map.groupBy(comparisons, ({ system }) => system.definition.datum)
  const sections = [...byDatum].map(([datum, found]) => sectionOf(datum, found))
  return `# Coordinate systems

Made by \`npm run coordinate-systems\`, which takes each system from PROJ's database and compares it with PROJ's results on 25
points over its area of use, by the transformation named here. *Good to* is how exact that transformation is on the ground; *error*
is what windrow's arithmetic adds to it. ${comparisons.length} systems; the largest error is ${inMetres(worst)}.

${sections.join('\n\n')}
`
}

function sectionOf(datum: Datum, found: readonly Comparison[]): string {
  const way = datum.transformation ?? 'taken as WGS 84, because EPSG names no transformation'
  const rows = found.map(({ system, worstM }) => `| ${system.code} | ${system.name} | ${inMetres(worstM)} |`)
  const title = `## ${datum.name}\n\n${datum.accuracyM === 0 ? 'WGS 84 itself.' : `${way}; good to ${datum.accuracyM} m.`}`
  return `${title}\n\n| Code | Name | Error |\n| --- | --- | --- |\n${rows.join('\n')}`
}

function inMetres(error: number): string {
  return error < 0.001 ? 'under 1 mm' : `${Math.ceil(error * 1000)} mm`
}

/** The control points of the tests: two off the middle of each area, because any wrong number moves them. */
export function controlLines(comparisons: readonly Comparison[]): string {
  const lines = comparisons.flatMap(({ system, points }) =>
    [points[3]!, points[16]!].map(({ x, y, lon, lat }) => {
      const digits = system.definition.method === 'longlat' ? 9 : 3
      return `${system.code.slice(5)} ${x.toFixed(digits)} ${y.toFixed(digits)} ${lon.toFixed(9)} ${lat.toFixed(9)}`
    }),
  )
  return `${lines.join('\n')}\n`
}
