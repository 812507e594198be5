/** Counts the shapes of a table and keeps a few, to find out where on earth they lie. */

import type { Row, Table } from '../row.ts'
import { emptyBox, widenBy, type Shape, type ShapeKind } from '../shape.ts'

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
  const box = emptyBox()
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
      vertices += widenBy(box, shape)
    },
    finish: (): ShapesProfile => ({
      shapes,
      withoutShape,
      vertices,
      bbox: box[0] <= box[2] ? box : undefined,
      firstShapes,
    }),
  }
}

/** Keeps a copy of a shape that has coordinates: its buffer may be reused for the next rows. */
function keep(shape: Row['shape'], kept: Shape[]): void {
  if (shape && shape.coordinates.length > 0) kept.push({ ...shape, coordinates: shape.coordinates.slice() })
}
