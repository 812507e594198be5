/** Reads one file to its end as a pipeline would, and keeps a short note of each row. */

import { basename, dirname } from 'node:path'
import { WindrowError } from '../../src/core/error.ts'
import { openSource } from '../../src/core/sources/open-source.ts'
import { hasError, type Problem } from '../../src/core/problem.ts'
import { isBlank, type Column, type Choice, type Row, type Table } from '../../src/core/row.ts'
import {
  emptyBox,
  firstRingOf,
  isAreal,
  shapeKinds,
  startOf,
  widenBy,
  type Shape,
  type ShapeKind,
} from '../../src/core/shape.ts'
import type { OpenedSource } from '../../src/core/sources/source.ts'
import { readThrough } from '../../src/core/profile/profile-table.ts'
import { decide } from '../../src/core/rule.ts'
import { typeToPublish } from '../../src/resources/index.ts'
import { decimalSeparator } from '../../src/rules/values.ts'
import { openFile } from '../../src/formats/index.ts'
import { signedArea } from '../../src/formats/shapefile/shapefile-rings.ts'
import type { Crs } from '../../src/geometry/crs/crs.ts'
import { requireFitting } from '../../src/geometry/place/missing-crs.ts'
import { measure } from '../../src/geometry/measure/measure.ts'
import { normaliserFor, type Normalised } from '../../src/geometry/boundary/normalise.ts'
import { isProjectionFault, projectorFor } from '../../src/geometry/projection/project.ts'
import type { Box } from './case.ts'

/** The result of one row. `kind` is that of the file; `tidyKind` and `vertices` are those of the boundary to publish. */
export type Seen = {
  readonly kind: string
  readonly tidyKind: ShapeKind | undefined
  readonly vertices: number
  readonly areaHa: number | undefined
  readonly centroid: readonly [number, number] | undefined
  readonly spansDateline: boolean
  readonly isBlank: boolean
  readonly problems: readonly Problem[]
}

/** One table, read to its end. `crs` is undefined and `crsRefusal` gives the reason when boundaries cannot be placed. */
export type Layer = {
  readonly name: string
  readonly format: string
  readonly hasGeometry: boolean
  readonly columns: readonly Column[]
  /** The columns, and other names of values in the rows. */
  readonly names: ReadonlySet<string>
  readonly choices: readonly Choice[]
  readonly saysCrs: boolean
  readonly crs: Crs | undefined
  readonly crsRefusal: WindrowError | undefined
  readonly seen: readonly Seen[]
  readonly head: readonly Row[]
  readonly last: Row | undefined
  readonly boxNative: Box
  readonly boxLonLat: Box
  readonly planarArea: number
  /** The measurements of the rows to publish. */
  readonly areaHa: number
  readonly hasZ: boolean
  readonly hasM: boolean
  readonly found: readonly Problem[]
}

/** A file that was read, or its refusal. */
export type Observation = { readonly layers: readonly Layer[]; readonly refusal: WindrowError | undefined }

/** Opens and reads a file; `crs` is the caller's, for a file without one. Throws only bugs. */
export async function observe(path: string, crs?: string): Promise<Observation> {
  const layers: Layer[] = []
  let opened: OpenedSource | undefined
  try {
    opened = await openSource(basename(path), dirname(path))
    const { tables } = await openFile(opened.source)
    for (const table of tables) layers.push(await readLayer(table, crs))
    return { layers, refusal: undefined }
  } catch (error) {
    if (error instanceof WindrowError) return { layers, refusal: error }
    throw error
  } finally {
    await opened?.close()
  }
}

const headRows = 40

async function readLayer(table: Table, callerCrs: string | undefined): Promise<Layer> {
  const { crs, crsRefusal } = table.hasGeometry ? await crsOf(table, callerCrs) : {}
  const place = crs === undefined ? undefined : placerOf(crs)
  const boxNative = emptyBox()
  const boxLonLat = emptyBox()
  const seen: Seen[] = []
  const names = new Set(table.columns?.map((column) => column.name))
  const head: Row[] = []
  let last: Row | undefined
  const sums = { planarArea: 0, areaHa: 0, hasZ: false, hasM: false }
  for await (const batch of table.batches())
    for (const row of batch) {
      const { shape } = row
      if (shape) {
        widenBy(boxNative, shape)
        sums.planarArea += planarArea(shape)
        sums.hasZ ||= has(shape, 'z')
        sums.hasM ||= has(shape, 'm')
      }
      const placed = shape ? place?.(shape, row) : undefined
      if (placed?.raw !== undefined) widenBy(boxLonLat, placed.raw)
      const became = seenOf(row, placed)
      if (!hasError(became.problems)) sums.areaHa += became.areaHa ?? 0
      seen.push(seen.length < mostInFull || became.problems.length > 0 ? became : inShort(became))
      // Without a header each row may bring other names.
      if (table.columns === undefined) for (const name of Object.keys(row.values)) names.add(name)
      if (head.length < headRows) head.push(row)
      last = row
    }
  const { name, format, hasGeometry, columns = [] } = table
  const read = { type: typeToPublish('plots'), profile: (await readThrough(table)).profile }
  const decimals = format === 'csv' ? decide([decimalSeparator], read, () => false) : []
  const choices = [...table.choices, ...decimals]
  const about = { name, format, hasGeometry, columns, choices, saysCrs: table.crs !== undefined, crs, crsRefusal }
  return { ...about, ...sums, names, seen, head, last, boxNative, boxLonLat, found: table.found() }
}

/** Far into a file only faulty rows are kept in full, so that a million rows use little memory. */
const mostInFull = 10_000
const shortForms = new Map<string, Seen>()

function inShort({ kind, isBlank: isEmpty }: Seen): Seen {
  const key = `${kind} ${isEmpty}`
  const known = shortForms.get(key) ?? { ...(isEmpty ? blank : plain), kind }
  shortForms.set(key, known)
  return known
}

type Placed = { readonly normalised: Normalised; readonly raw: Shape | undefined }

// Everything is allowed and repaired, so that each boundary is measured; its problems list what was wrong.
function placerOf(crs: Crs): (shape: Shape, row: Row) => Placed {
  const policy = { multipart: 'keep', repairUpTo: 1, decimals: 7, keepHeights: true, allowed: shapeKinds } as const
  const normalise = normaliserFor({ ...policy, crs })
  const project = projectorFor(crs)
  return (shape, row) => {
    const raw = project(shape)
    return { normalised: normalise(shape, row.at), raw: isProjectionFault(raw) ? undefined : raw }
  }
}

/** Shared by all rows that have neither shape nor problem. */
const plain: Seen = {
  kind: 'null',
  tidyKind: undefined,
  vertices: 0,
  areaHa: undefined,
  centroid: undefined,
  spansDateline: false,
  isBlank: false,
  problems: [],
}
const blank: Seen = { ...plain, isBlank: true }

function seenOf(row: Row, placed: Placed | undefined): Seen {
  const { shape } = row
  const isEmpty = Object.values(row.values).every(isBlank)
  if (!shape && row.problems === undefined) return isEmpty ? blank : plain
  const kind = !shape
    ? 'null'
    : shape.coordinates.length + (shape.members?.length ?? 0) === 0
      ? `empty ${shape.kind}`
      : shape.kind
  const { normalised, raw } = placed ?? {}
  const box = emptyBox()
  if (raw !== undefined) widenBy(box, raw)
  // A rejected boundary has an area too: the one that was drawn.
  const measured = normalised?.measured ?? (raw === undefined ? undefined : measure(raw))
  return {
    kind,
    tidyKind: normalised?.shape?.kind,
    vertices: (normalised?.shape?.coordinates.length ?? 0) / 2,
    areaHa: measured === undefined ? undefined : measured.areaM2 / 10_000,
    centroid: measured?.centroid,
    spansDateline: box[2] - box[0] > 180,
    isBlank: isEmpty,
    problems: [...(row.problems ?? []), ...(normalised?.problems ?? [])],
  }
}

function has(shape: Shape, member: 'z' | 'm'): boolean {
  return shape[member] !== undefined || (shape.members?.some((each) => has(each, member)) ?? false)
}

/** Like a pipeline: the file's system, or the caller's, compared with the place of the first boundaries. */
async function crsOf(table: Table, callerCrs: string | undefined): Promise<Pick<Layer, 'crs' | 'crsRefusal'>> {
  const box = emptyBox()
  const shapes: Shape[] = []
  for await (const batch of table.batches()) {
    for (const { shape } of batch)
      if (shape) {
        widenBy(box, shape)
        if (shape.coordinates.length > 0) shapes.push(shape)
      }
    if (box[0] <= box[2]) break
  }
  try {
    const clue = table.crs ?? (callerCrs === undefined ? undefined : { from: 'option' as const, text: callerCrs })
    return { crs: requireFitting(clue, box, shapes), crsRefusal: undefined }
  } catch (error) {
    if (error instanceof WindrowError) return { crs: undefined, crsRefusal: error }
    throw error
  }
}

/** All problems of a layer, whichever step found them. */
export function problemsOf(layer: Layer): readonly Problem[] {
  return [...layer.found, ...layer.seen.flatMap(({ problems }) => problems)]
}

/** The area on the plane in the file's units: shells without their holes, in any winding. */
function planarArea(shape: Shape): number {
  const ofMembers = (shape.members ?? []).reduce((sum, member) => sum + planarArea(member), 0)
  if (!isAreal(shape)) return ofMembers
  return shape.parts.reduce((sum, end, part) => {
    const first = firstRingOf(shape, part)
    let area = 0
    for (let ring = first; ring < end; ring += 1)
      area +=
        Math.abs(signedArea(shape.coordinates, startOf(shape, ring), shape.ends[ring]!)) * (ring === first ? 1 : -1)
    return sum + area
  }, ofMembers)
}
