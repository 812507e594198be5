/** Counts the shapes of a table and keeps a few, to find out where on earth they lie. */

import type { Row, Table } from '../row.ts'
import type { Shape, ShapeKind } from '../shape.ts'

/**
 * All shapes of a table. `bbox` is in the file's coordinates: west, south, east, north; `firstShapes` are those of the first
 * batch that has any.
 */
export type ShapesProfile = {
  readonly shapes: Readonly<Partial<Record<ShapeKind, number>>>
  readonly withoutShape: number
  readonly vertices: number
  readonly bbox: readonly [number, number, number, number] | undefined
  readonly firstShapes: readonly Shape[]
}

/** Starts counting; `begin` takes the rows of a batch, `add` the shape of each row that counts. */
export function startShapes({ hasGeometry }: Table) {
  const shapes: Partial<Record<ShapeKind, number>> = {}
  const box = new Float64Array([Infinity, Infinity, -Infinity, -Infinity])
  const firstShapes: Shape[] = []
  let [withoutShape, vertices] = [0, 0]
  return {
    begin(rows: readonly Row[]): void {
      if (hasGeometry && firstShapes.length === 0) for (const { shape } of rows) keep(shape, firstShapes)
    },
    add(shape: Row['shape']): void {
      if (shape === undefined || shape === null) {
        withoutShape++
        return
      }
      shapes[shape.kind] = (shapes[shape.kind] ?? 0) + 1
      vertices += widen(box, shape)
    },
    finish: (): ShapesProfile => ({
      shapes,
      withoutShape,
      vertices,
      bbox: box[0]! <= box[2]! ? [box[0]!, box[1]!, box[2]!, box[3]!] : undefined,
      firstShapes,
    }),
  }
}

/** Keeps a copy of a shape that has coordinates: its buffer may be reused for the next rows. */
function keep(shape: Row['shape'], kept: Shape[]): void {
  if (shape && shape.coordinates.length > 0) kept.push({ ...shape, coordinates: shape.coordinates.slice() })
}

/** Extends the box by the shape and counts its vertices. */
function widen(box: Float64Array, { members, coordinates }: Shape): number {
  let vertices = coordinates.length / 2
  for (const member of members ?? []) vertices += widen(box, member)
  for (let index = 0; index + 1 < coordinates.length; index += 2) {
    const x = coordinates[index]!
    const y = coordinates[index + 1]!
    if (x < box[0]!) box[0] = x
    if (y < box[1]!) box[1] = y
    if (x > box[2]!) box[2] = x
    if (y > box[3]!) box[3] = y
  }
  return vertices
}
