/** Hides how shapes and what became of them are packed into arrays, to be handed from one thread to another without an object a vertex. */

import { TextBytes } from '../core/digits.ts'
import { geometryText, writeGeometry } from '../core/geometry-text.ts'
import type { Place } from '../core/row.ts'
import { shapeKinds, type Shape } from '../core/shape.ts'
import { gridOutlineOf, outlineWords, writeOutline, type GridOutline } from './grid-outline.ts'
import type { Measured } from './measure.ts'
import type { Normalised } from './normalise.ts'

/**
 * What became of a shape: its GeoJSON text, undefined when one of the problems is an error, its outline where it has an area, and the
 * rest as normalising gives it.
 */
export type Boundary = Omit<Normalised, 'shape'> & {
  readonly text: string | undefined
  /** Longitude and latitude of the centroid as JSON writes them. */
  readonly centroid: string | undefined
  readonly outline: GridOutline | undefined
}

/** A normalised shape as a boundary. */
export function boundaryOf({ shape, ...rest }: Normalised): Boundary {
  const centroid = rest.measured && centroidText(rest.measured)
  return { ...rest, text: shape && geometryText(shape), centroid, outline: shape && gridOutlineOf(shape) }
}

/** Shapes one after another: `layout` holds kind, numbers of ends and parts, the ends and the parts of each. */
export type PackedShapes = {
  readonly count: number
  readonly coordinates: Float64Array<ArrayBuffer>
  readonly layout: Uint32Array<ArrayBuffer>
}

/** Packs the outlines of shapes; heights, measures and members stay behind. */
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

/** The shapes again; their coordinates lie in those of the pack. */
export function unpackShapes({ count, coordinates, layout }: PackedShapes): readonly Shape[] {
  let [filled, at] = [0, 0]
  return Array.from({ length: count }, () => {
    const [kind, numbers, ends, parts] = [layout[at]!, layout[at + 1]!, layout[at + 2]!, layout[at + 3]!]
    at += 4 + ends + parts
    filled += numbers
    return {
      kind: shapeKinds[kind]!,
      coordinates: coordinates.subarray(filled - numbers, filled),
      ends: Array.from(layout.subarray(at - parts - ends, at - parts)),
      parts: Array.from(layout.subarray(at - parts, at)),
    }
  })
}

/** Boundaries one after another, two texts of each. A text that ends where it began is none; `problems` has those of the few that have any. */
export type PackedBoundaries = {
  readonly texts: Uint8Array<ArrayBuffer>
  readonly ends: Uint32Array<ArrayBuffer>
  readonly figures: Float64Array<ArrayBuffer>
  readonly outlines: Uint32Array<ArrayBuffer>
  readonly outlineEnds: Uint32Array<ArrayBuffer>
  readonly problems: readonly (readonly [index: number, problems: Normalised['problems']])[]
}

const figuresEach = 8
const text = new TextBytes(1 << 20)

/** Packs what became of shapes that have no heights or measures to lose. */
export function packBoundaries(normalised: readonly Normalised[]): PackedBoundaries {
  const ends = new Uint32Array(normalised.length * 2)
  const figures = new Float64Array(normalised.length * figuresEach).fill(NaN)
  const outlineEnds = new Uint32Array(normalised.length)
  let words = 0
  for (const [index, { shape }] of normalised.entries()) outlineEnds[index] = words += outlineWords(shape)
  const outlines = new Uint32Array(words)
  const problems: [number, Normalised['problems']][] = []
  for (let index = 0; index < normalised.length; index += 1) {
    const each = normalised[index]!
    if (each.shape !== undefined) {
      writeGeometry(text, each.shape)
      const from = index === 0 ? 0 : outlineEnds[index - 1]!
      if (from < outlineEnds[index]!) writeOutline(each.shape, outlines, from)
    }
    ends[index * 2] = text.at
    if (each.measured !== undefined) text.text(centroidText(each.measured))
    ends[index * 2 + 1] = text.at
    if (each.measured !== undefined) figures.set(figuresOf(each.measured), index * figuresEach)
    if (each.problems.length > 0) problems.push([index, each.problems])
  }
  return { texts: new Uint8Array(text.take()), ends, figures, outlines, outlineEnds, problems }
}

const none: Normalised['problems'] = []

/** The boundaries again, each with the place of its row. */
export function unpackBoundaries(packed: PackedBoundaries, places: readonly Place[]): Boundary[] {
  const { ends, figures, outlines, outlineEnds } = packed
  const texts = Buffer.from(packed.texts.buffer)
  const problems = new Map(packed.problems)
  return places.map((at, index) => {
    const textAt = (place: number): string | undefined => {
      const [from, to] = [place === 0 ? 0 : ends[place - 1]!, ends[place]!]
      return from === to ? undefined : texts.toString('latin1', from, to)
    }
    const [first, last] = [index === 0 ? 0 : outlineEnds[index - 1]!, outlineEnds[index]!]
    const measured = measuredAt(figures, index * figuresEach)
    return {
      text: textAt(index * 2),
      centroid: textAt(index * 2 + 1),
      outline: first === last ? undefined : { words: outlines, from: first, to: last },
      ...(measured === undefined ? {} : { measured }),
      problems: problems.get(index)?.map((each) => ({ ...each, at })) ?? none,
      droppedDimensions: false,
    }
  })
}

/** To a centimetre: further figures would only be those of the computing. */
function centroidText({ centroid: [lon, lat] }: Measured): string {
  return `${Math.round(lon * 1e7) / 1e7},${Math.round(lat * 1e7) / 1e7}`
}

function figuresOf({ areaM2, perimeterM, centroid, bbox }: Measured): readonly number[] {
  return [areaM2, perimeterM, ...centroid, ...bbox]
}

function measuredAt(figures: Float64Array, at: number): Measured | undefined {
  const areaM2 = figures[at]!
  if (Number.isNaN(areaM2)) return undefined
  return {
    areaM2,
    perimeterM: figures[at + 1]!,
    centroid: [figures[at + 2]!, figures[at + 3]!],
    bbox: [figures[at + 4]!, figures[at + 5]!, figures[at + 6]!, figures[at + 7]!],
  }
}
