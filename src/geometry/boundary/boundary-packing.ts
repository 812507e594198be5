/** Packs shapes and boundaries into arrays that one thread hands to another without copying. */

import { TextBytes } from '../../core/shapes/text-bytes.ts'
import { writeGeometry } from '../../core/shapes/geometry-text.ts'
import type { Place } from '../../core/row.ts'
import { shapeKinds, type Shape } from '../../core/shape.ts'
import { gridOutlineOf } from '../coverage/boundary-grid.ts'
import type { Measured } from '../measure/measure.ts'
import type { Normalised } from './normalise.ts'

/**
 * The boundary of a row: its GeoJSON text in bytes (undefined when one of the problems is an error), its outline where it is needed
 * and the shape has an area, and the rest of the normalised shape.
 */
export type Boundary = Omit<Normalised, 'shape'> & {
  readonly text: Uint8Array | undefined
  readonly outline: Uint32Array | undefined
}

const text = new TextBytes()

/** Makes a boundary of a normalised shape. */
export function boundaryOf({ shape, ...rest }: Normalised, wantsOutline: boolean): Boundary {
  if (shape === undefined) return { ...rest, text: undefined, outline: undefined }
  writeGeometry(text, shape)
  return { ...rest, text: Buffer.from(text.take()), outline: wantsOutline ? gridOutlineOf(shape) : undefined }
}

/** Shapes one after another: `layout` holds the kind, the numbers of ends and parts, the ends and the parts of each. */
export type PackedShapes = {
  readonly count: number
  readonly coordinates: Float64Array<ArrayBuffer>
  readonly layout: Uint32Array<ArrayBuffer>
}

/** Packs the outlines of shapes, without heights, measures and members. */
export function packShapes(shapes: readonly Shape[]): PackedShapes {
  let [numbers, entries] = [0, 0]
  for (const { coordinates, ends, parts } of shapes) {
    numbers += coordinates.length
    entries += 4 + ends.length + parts.length
  }
  const coordinates = new Float64Array(numbers)
  const layout = new Uint32Array(entries)
  let [filled, at] = [0, 0]
  for (const shape of shapes) {
    coordinates.set(shape.coordinates, filled)
    filled += shape.coordinates.length
    layout[at++] = shapeKinds.indexOf(shape.kind)
    layout[at++] = shape.coordinates.length
    layout[at++] = shape.ends.length
    layout[at++] = shape.parts.length
    for (const end of shape.ends) layout[at++] = end
    for (const part of shape.parts) layout[at++] = part
  }
  return { count: shapes.length, coordinates, layout }
}

/** Unpacks shapes; their coordinates are views of the pack's. */
export function unpackShapes({ count, coordinates, layout }: PackedShapes): readonly Shape[] {
  const shapes: Shape[] = []
  let [filled, at] = [0, 0]
  while (shapes.length < count) {
    const kind = shapeKinds[layout[at]!]!
    const from = filled
    filled += layout[at + 1]!
    const ends = layout[at + 2]!
    const parts = layout[at + 3]!
    at += 4 + ends + parts
    shapes.push({
      kind,
      coordinates: coordinates.subarray(from, filled),
      ends: numbersOf(layout, at - parts - ends, ends),
      parts: numbersOf(layout, at - parts, parts),
    })
  }
  return shapes
}

function numbersOf(words: Uint32Array, from: number, count: number): readonly number[] {
  const numbers: number[] = []
  for (let index = 0; index < count; index += 1) numbers.push(words[from + index]!)
  return numbers
}

/** Boundaries one after another. An empty text means that there is none; `problems` lists those of the few boundaries that have any. */
export type PackedBoundaries = {
  readonly texts: Uint8Array<ArrayBuffer>
  readonly ends: Uint32Array<ArrayBuffer>
  readonly measures: Float64Array<ArrayBuffer>
  readonly outlines: Uint32Array<ArrayBuffer>
  readonly outlineEnds: Uint32Array<ArrayBuffer>
  readonly problems: readonly (readonly [index: number, problems: Normalised['problems']])[]
}

const measuresEach = 8

/** Packs boundaries of shapes that have no heights or measures. */
export function packBoundaries(boundaries: readonly Boundary[]): PackedBoundaries {
  const measures = new Float64Array(boundaries.length * measuresEach).fill(NaN)
  for (const [index, { measured }] of boundaries.entries()) {
    if (measured === undefined) continue
    const { areaM2, perimeterM, centroid, bbox } = measured
    measures.set([areaM2, perimeterM, ...centroid, ...bbox], index * measuresEach)
  }
  const texts = boundaries.map((each) => each.text)
  const outlines = boundaries.map((each) => each.outline)
  const problems = boundaries.flatMap((each, index) =>
    each.problems.length > 0 ? [[index, each.problems] as const] : [],
  )
  const [ends, outlineEnds] = [endsOf(texts), endsOf(outlines)]
  return {
    texts: joined(texts, ends, new Uint8Array(ends.at(-1) ?? 0)),
    ends,
    measures,
    outlines: joined(outlines, outlineEnds, new Uint32Array(outlineEnds.at(-1) ?? 0)),
    outlineEnds,
    problems,
  }
}

type Numbers = Uint8Array | Uint32Array

function endsOf(arrays: readonly (Numbers | undefined)[]): Uint32Array<ArrayBuffer> {
  let end = 0
  return Uint32Array.from(arrays, (each) => (end += each?.length ?? 0))
}

function joined<All extends Numbers>(arrays: readonly (Numbers | undefined)[], ends: Uint32Array, all: All): All {
  for (const [index, each] of arrays.entries()) if (each !== undefined) all.set(each, ends[index]! - each.length)
  return all
}

/** Unpacks boundaries, each with the place of its row. */
export function unpackBoundaries(packed: PackedBoundaries, places: readonly Place[]): readonly Boundary[] {
  const { texts, ends, measures, outlines, outlineEnds } = packed
  const problems = new Map(packed.problems)
  return places.map((at, index) => {
    const measured = readMeasured(measures, index * measuresEach)
    return {
      text: partOf(texts, ends, index),
      outline: partOf(outlines, outlineEnds, index),
      ...(measured === undefined ? undefined : { measured }),
      problems: (problems.get(index) ?? []).map((each) => ({ ...each, at })),
      droppedDimensions: false,
    }
  })
}

function partOf<All extends Numbers>(all: All, ends: Uint32Array, index: number): All | undefined {
  const [from, to] = [ends[index - 1] ?? 0, ends[index]!]
  return from === to ? undefined : (all.subarray(from, to) as All)
}

function readMeasured(measures: Float64Array, at: number): Measured | undefined {
  const areaM2 = measures[at]!
  if (Number.isNaN(areaM2)) return undefined
  return {
    areaM2,
    perimeterM: measures[at + 1]!,
    centroid: [measures[at + 2]!, measures[at + 3]!],
    bbox: [measures[at + 4]!, measures[at + 5]!, measures[at + 6]!, measures[at + 7]!],
  }
}
