import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Row } from '../../src/core/row.ts'
import { shapeKinds, type Shape } from '../../src/core/shape.ts'
import { boundaryOf, withBoundaries, type Boundary, type Bounded } from '../../src/geometry/boundary/boundaries.ts'
import { identifyCrs } from '../../src/geometry/crs/crs.ts'
import { normaliserFor, type GeometryPolicy } from '../../src/geometry/boundary/normalise.ts'
import { box, multiPolygon, point, polygon, square, twisted } from './drawing.ts'

const policy: GeometryPolicy = {
  crs: identifyCrs({ from: 'format', text: 'EPSG:4326' }),
  multipart: 'keep',
  repairUpTo: 0.2,
  decimals: 7,
  keepHeights: false,
  allowed: ['Polygon', 'MultiPolygon'],
}

const withHole = polygon(square, box(20, 20, 40, 40))
const heights = { z: new Float64Array(5).fill(12), m: new Float64Array(5) }
const shapes: readonly (Shape | null | undefined)[] = [
  polygon(square),
  withHole,
  multiPolygon([square], [box(200, 0, 300, 100)]),
  polygon(twisted),
  { ...polygon(square), ...heights },
  point(175.3, -37.7),
  { kind: 'GeometryCollection', coordinates: new Float64Array(0), ends: [], parts: [], members: [polygon(square)] },
  { ...polygon(square), coordinates: new Float64Array(10).fill(NaN) },
  null,
  undefined,
]

const source = 'Rimu paddocks.zip'
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, row) => {
    const shape = shapes[row % shapes.length]
    return { at: { source, row }, values: { NO: row }, ...(shape === undefined ? {} : { shape }) }
  })

async function* batchesOf(all: readonly Row[], size = 100): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < all.length; from += size) {
    yield all.slice(from, from + size)
    // A file is read in turns of the event loop, in which messages of the other thread arrive.
    await new Promise((done) => setTimeout(done, 1))
  }
}

/** Copies the outline, because it can be anywhere in an array with others. */
function withOwnOutline(boundary: Boundary | undefined): Boundary | undefined {
  if (boundary === undefined) return undefined
  const text = boundary.text && Buffer.from(boundary.text)
  if (boundary.outline === undefined) return { ...boundary, text }
  const { words, from, to } = boundary.outline
  return { ...boundary, text, outline: { words: words.slice(from, to), from: 0, to: to - from } }
}

async function collect(
  bounded: AsyncIterable<Bounded>,
): Promise<{ rows: Row[]; boundaries: (Boundary | undefined)[] }> {
  const [seen, boundaries]: [Row[], (Boundary | undefined)[]] = [[], []]
  for await (const each of bounded) {
    seen.push(...each.rows)
    boundaries.push(...each.boundaries.map(withOwnOutline))
  }
  return { rows: seen, boundaries }
}

const options = { policy, wants: () => true, wantsOutlines: true }

/** The threads that were started since; the number of an ended one is -1. */
const started: Worker[] = []
const noteStart = (message: unknown): void => void started.push((message as { worker: Worker }).worker)
beforeEach(() => {
  started.length = 0
  subscribe('worker_threads', noteStart)
})
afterEach(() => unsubscribe('worker_threads', noteStart))

describe.each([
  ['on one thread', 300, 1000, []],
  ['on two threads', undefined, 6000, [-1]],
])('boundaries made %s', (_, expected, count, ended) => {
  test.each([false, true])(
    'are what normalising each shape gives, in the order of the rows (heights kept: %s)',
    async (keepHeights) => {
      const all = rows(count)
      const wanted = { ...policy, keepHeights, allowed: shapeKinds }
      const normalise = normaliserFor(wanted)
      const made = await collect(withBoundaries(batchesOf(all), { ...options, policy: wanted, expected }))
      expect(made.rows).toEqual(all)
      expect(made.boundaries).toEqual(
        all.map(({ shape, at }) => (shape ? boundaryOf(normalise(shape, at), true) : undefined)),
      )
    },
  )

  test('have no outline where none is needed', async () => {
    const made = await collect(withBoundaries(batchesOf(rows(4000)), { ...options, wantsOutlines: false, expected }))
    expect(made.boundaries.filter((each) => each?.outline !== undefined)).toEqual([])
    expect(made.boundaries.filter((each) => each?.text !== undefined).length).toBeGreaterThan(1000)
  })

  test('are made only of wanted rows', async () => {
    const wants = ({ at }: Row): boolean => at.row % 20 === 0
    const made = await collect(withBoundaries(batchesOf(rows(4000)), { ...options, wants, expected }))
    expect(made.boundaries.filter((each) => each !== undefined)).toHaveLength(200)
  })

  test('end the thread when reading fails', async () => {
    const failing = async function* (): AsyncGenerator<readonly Row[]> {
      yield* batchesOf(rows(4000))
      throw new Error('The file ends here.')
    }
    await expect(collect(withBoundaries(failing(), { ...options, expected }))).rejects.toThrow('The file ends here.')
    expect(started.map(({ threadId }) => threadId)).toEqual(ended)
  })

  test('end the thread when the caller stops early', async () => {
    let seen = 0
    for await (const each of withBoundaries(batchesOf(rows(10_000)), { ...options, expected })) {
      seen += each.rows.length
      if (seen >= 5000) break
    }
    expect(seen).toBe(5000)
    expect(started.map(({ threadId }) => threadId)).toEqual(ended)
  })
})
