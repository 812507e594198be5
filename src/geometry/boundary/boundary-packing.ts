/** Packs shapes and boundaries into arrays that one thread hands to another without copying. */

import { TextBytes } from '../../core/shapes/text-bytes.ts'
import { writeGeometry } from '../../core/shapes/geometry-text.ts'
import type { Place } from '../../core/row.ts'
import { shapeKinds, type Shape } from '../../core/shape.ts'
import { gridOutlineOf, outlineWords, writeOutline, type GridOutline } from '../coverage/boundary-grid.ts'
import type { Measured } from '../measure/measure.ts'
import type { Normalised } from './normalise.ts'

/**
 * The boundary of a row: its GeoJSON text in bytes (undefined when one of the problems is an error), its outline where it is needed
 * and the shape has an area, and the rest of the normalised shape.
 */
export type Boundary = Omit<Normalised, 'shape'> & {
  readonly text: Uint8Array | undefined
  readonly outline: GridOutline | undefined
}

export function boundaryOf({ shape, ...rest }: Normalised, wantsOutline: boolean): Boundary {
  return {
    ...rest,
    text: shape && bytesOf(shape),
    outline: wantsOutline && shape !== undefined ? gridOutlineOf(shape) : undefined,
  }
}

function bytesOf(shape: Shape): Uint8Array {
  writeGeometry(text, shape)
  return Buffer.from(text.take())
}

/** Shapes one after another: `layout` holds the kind, the numbers of ends and parts, the ends and the parts of each. */
export type PackedShapes = ReturnType<typeof packShapes>

/** Packs the outlines of shapes, without heights, measures and members. */
export function packShapes(shapes: readonly Shape[]) {
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
export type PackedBoundaries = ReturnType<typeof packBoundaries>

const measuresEach = 8
const text = new TextBytes(1 << 20)

/** Normalises and packs shapes that have no heights or measures, each before the next. */
export function packBoundaries(
  shapes: readonly Shape[],
  normalise: (shape: Shape) => Normalised,
  wantsOutlines: boolean,
) {
  const ends = new Uint32Array(shapes.length)
  const measures = new Float64Array(shapes.length * measuresEach).fill(NaN)
  const outlineEnds = new Uint32Array(shapes.length)
  const problems: [index: number, problems: Normalised['problems']][] = []
  let words = 0
  for (let index = 0; index < shapes.length; index += 1) {
    const { shape, measured, problems: found } = normalise(shapes[index]!)
    if (shape !== undefined) {
      writeGeometry(text, shape)
      if (wantsOutlines) words = addOutline(shape, words)
    }
    ends[index] = text.at
    outlineEnds[index] = words
    if (measured !== undefined) {
      const { areaM2, perimeterM, centroid, bbox } = measured
      measures.set([areaM2, perimeterM, ...centroid, ...bbox], index * measuresEach)
    }
    if (found.length > 0) problems.push([index, found])
  }
  return {
    texts: new Uint8Array(text.take()),
    ends,
    measures,
    outlines: outlined.slice(0, words),
    outlineEnds,
    problems,
  }
}

let outlined = new Uint32Array(1 << 14)

function addOutline(shape: Shape, from: number): number {
  const to = from + outlineWords(shape)
  if (to > outlined.length) {
    const grown = new Uint32Array(to * 2)
    grown.set(outlined)
    outlined = grown
  }
  if (to > from) writeOutline(shape, outlined, from)
  return to
}

const none: Normalised['problems'] = []

/** Unpacks boundaries, each with the place of its row. */
export function unpackBoundaries(packed: PackedBoundaries, places: readonly Place[]): Boundary[] {
  const { texts, ends, measures, outlines, outlineEnds } = packed
  const problems = new Map(packed.problems)
  const boundaries: Boundary[] = []
  let [textEnd, outlineEnd] = [0, 0]
  for (let index = 0; index < places.length; index += 1) {
    const from = textEnd
    const first = outlineEnd
    textEnd = ends[index]!
    outlineEnd = outlineEnds[index]!
    const text = from === textEnd ? undefined : texts.subarray(from, textEnd)
    const outline = first === outlineEnd ? undefined : { words: outlines, from: first, to: outlineEnd }
    const found = problems.get(index)?.map((each) => ({ ...each, at: places[index]! })) ?? none
    const measured = readMeasured(measures, index * measuresEach)
    boundaries.push({ text, outline, measured, problems: found, droppedDimensions: false })
  }
  return boundaries
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
