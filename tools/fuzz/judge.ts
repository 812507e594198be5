/**
 * Checks what must be true of any file: it is refused by a WindrowError, or read as valid rows, shapes and problems; profiling
 * and geometry never fail.
 */

import { WindrowError } from '../../src/core/error.ts'
import { problemCodes, type Problem } from '../../src/core/problem.ts'
import { readThrough } from '../../src/core/profile/profile-table.ts'
import type { Row, Table } from '../../src/core/row.ts'
import type { Shape, ShapeKind } from '../../src/core/shape.ts'
import type { Source } from '../../src/core/sources/source.ts'
import type { Format } from '../../src/formats/format.ts'
import { formats, openFile } from '../../src/formats/index.ts'
import { identifyCrs, type Crs } from '../../src/geometry/crs/crs.ts'
import { normaliserFor } from '../../src/geometry/boundary/normalise.ts'

/** The result of an input that did no harm. */
export type Outcome = { readonly rows: number; readonly refused?: string }

const anyKind: readonly ShapeKind[] = ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection'] // prettier-ignore

/** Reads the source as a run would. Throws errors that are not WindrowErrors, and broken rules. */
export async function judge(source: Source, among: readonly Format[] = formats): Promise<Outcome> {
  let rows = 0
  try {
    const { tables, close } = await openFile(source, { formats: among })
    try {
      for (const table of tables) {
        rows += await judgeTable(table)
        await readThrough(table)
      }
    } finally {
      await close()
    }
    return { rows }
  } catch (error) {
    if (!(error instanceof WindrowError)) throw error
    checkSentence(error.message, error.hint)
    return { rows, refused: error.code }
  }
}

async function judgeTable(table: Table): Promise<number> {
  const keep = normaliser(table, 'keep')
  const unite = normaliser(table, 'union')
  let count = 0
  for await (const batch of table.batches())
    for (const row of batch) {
      checkRow(row)
      if (row.shape !== null && row.shape !== undefined)
        for (const each of (count % 8 === 0 ? unite : keep)(row.shape, row.at).problems) checkProblem(each)
      count += 1
    }
  for (const each of table.found()) checkProblem(each)
  for (const { setting, evidence } of table.choices)
    expect(setting !== '' && evidence !== '', 'a decision without evidence')
  return count
}

function normaliser(table: Table, multipart: 'keep' | 'union'): ReturnType<typeof normaliserFor> {
  return normaliserFor({
    crs: crsOf(table),
    multipart,
    repairUpTo: 0.5,
    decimals: 7,
    keepHeights: multipart === 'keep',
    allowed: anyKind,
  })
}

function crsOf(table: Table): Crs {
  try {
    if (table.crs !== undefined) return identifyCrs(table.crs)
  } catch (error) {
    if (!(error instanceof WindrowError)) throw error
    checkSentence(error.message, error.hint)
  }
  return identifyCrs({ from: 'option', text: 'EPSG:4326' })
}

function checkRow({ at, values, shape, problems }: Row): void {
  expect(Number.isInteger(at.row) && at.row >= 0, `a row number ${at.row}`)
  expect(typeof values === 'object' && values !== null, 'a row without values')
  for (const each of problems ?? []) checkProblem(each)
  if (shape !== null && shape !== undefined) checkShape(shape)
}

function checkProblem({ code, message, hint, value, at }: Problem): void {
  expect(Object.hasOwn(problemCodes, code), `a problem without a code: ${code}`)
  // -1 means the whole table.
  expect(Number.isInteger(at.row) && at.row >= -1, `a problem at row ${at.row}`)
  expect(value === undefined || value.length <= 4000, `a problem with ${value?.length} characters as its value`)
  checkSentence(message, hint)
}

const longestSentence = 1500

function checkSentence(message: string, hint: string | undefined): void {
  expect(message.length > 10, `a message without content: "${message}"`)
  expect(message.length <= longestSentence, `a message of ${message.length} characters: ${message.slice(0, 80)}`)
  expect((hint?.length ?? 0) <= longestSentence, `a hint of ${hint?.length} characters`)
  expect(!/\bundefined\b|\[object /.test(message), `a message with a hole in it: ${message.slice(0, 200)}`)
}

/** Ends and parts increase and end with the vertices and rings; every vertex has a height and measure or none has. */
function checkShape({ kind, coordinates, ends, parts, z, m, members }: Shape): void {
  const vertices = coordinates.length / 2
  expect(Number.isInteger(vertices), 'half a vertex')
  for (const each of [z, m])
    expect(each === undefined || each.length === vertices, 'not as many heights or measures as vertices')
  if (kind === 'GeometryCollection') {
    for (const member of members ?? []) checkShape(member)
    return
  }
  const isPoints = kind === 'Point' || kind === 'MultiPoint'
  if (kind === 'Point') expect(vertices <= 1, `a point of ${vertices} vertices`)
  expect(
    isPoints ? ends.length === 0 : (ends.at(-1) ?? 0) === vertices,
    `${kind}: its last ring does not end with its last vertex`,
  )
  expect(goesUp(ends), `${kind}: its rings do not follow each other`)
  const isPolygons = kind === 'Polygon' || kind === 'MultiPolygon'
  expect(
    isPolygons ? (parts.at(-1) ?? 0) === ends.length : parts.length === 0,
    `${kind}: its last part does not end with its last ring`,
  )
  expect(goesUp(parts), `${kind}: its parts do not follow each other`)
}

function goesUp(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => number >= (index === 0 ? 0 : numbers[index - 1]!))
}

function expect(isTrue: boolean, broken: string): void {
  if (!isTrue) throw new BrokenRule(broken)
}

/** A broken rule of rows, shapes or sentences. */
class BrokenRule extends Error {
  override name = 'BrokenRule'
}
