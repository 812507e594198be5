/** Counts what the shapes of a table are and where they lie, while its rows pass. */

import { emptyBox, widenBy, type Shape, type ShapeKind } from './shape.ts'

/** How many shapes there are of each kind, the box around them, and the first of them. */
export type ShapeFacts = ReturnType<ReturnType<typeof startShapeFacts>['finish']>

const mostKept = 100

/** Starts counting; `add` takes the shape of each row that counts. */
export function startShapeFacts() {
  const shapes: Partial<Record<ShapeKind, number>> = {}
  const box = emptyBox()
  const firstShapes: Shape[] = []
  const points = startPoints()
  let [withoutShape, vertices] = [0, 0]
  return {
    add(shape: Shape | null | undefined): void {
      if (shape === undefined || shape === null) {
        withoutShape++
        return
      }
      shapes[shape.kind] = (shapes[shape.kind] ?? 0) + 1
      vertices += widenBy(box, shape)
      points.add(shape)
      // A copy: the buffer may be used again for the next rows.
      if (firstShapes.length < mostKept && shape.coordinates.length > 0)
        firstShapes.push({ ...shape, coordinates: shape.coordinates.slice() })
    },
    finish: () => ({
      shapes,
      withoutShape,
      vertices,
      /** In the file's coordinates: west, south, east, north. */
      bbox: box[0] <= box[2] ? box : undefined,
      firstShapes,
      /** The first points of the rows, x and y in turn: of all, or of every second, fourth and so on where there are many. */
      points: points.kept(),
    }),
  }
}

const mostPoints = 50_000

function startPoints() {
  let [points, every, shapes]: [number[], number, number] = [[], 1, 0]
  return {
    add({ coordinates, members }: Shape): void {
      const [x, y] = members?.[0]?.coordinates ?? coordinates
      if (x === undefined || y === undefined || shapes++ % every !== 0) return
      points.push(x, y)
      if (points.length <= 2 * mostPoints) return
      points = points.filter((_, at) => at % 4 < 2)
      every *= 2
    },
    kept: (): readonly number[] => points,
  }
}
