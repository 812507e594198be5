import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseShp } from 'shpjs'
import { describe, expect, test, vi } from 'vitest'
import type { Column } from '../../../src/core/row.ts'
import { geoJsonFromShape } from '../../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../../src/core/shape.ts'
import { fileSource, readAll } from '../../../src/core/sources/source.ts'
import type { OutTable } from '../../../src/formats/format.ts'
import { signedArea } from '../../../src/formats/shapefile/shapefile-rings.ts'
import { square, turned, type Ring } from './made-files.ts'
import { folder, made, polygon, shapeOf, table, writeTo } from './written.ts'
import { runs } from '../../runs.ts'

describe('files', () => {
  test('a layer is .shp, .shx, .prj, .dbf and .cpg, and the index is right', async () => {
    const shapes = [polygon(square(0, 0, 5)), null, polygon(square(10, 0, 5), square(11, 1, 2))]
    const { members, layers, written } = await made([
      table(
        [{ name: 'N', type: 'integer' }],
        shapes.map((shape, N) => ({ values: { N }, shape })),
      ),
    ])
    expect(Object.keys(members)).toEqual([
      'paddocks.shp',
      'paddocks.shx',
      'paddocks.prj',
      'paddocks.dbf',
      'paddocks.cpg',
    ])
    expect(Buffer.from(members['paddocks.cpg']!).toString()).toBe('UTF-8')
    expect(Buffer.from(members['paddocks.prj']!).toString()).toMatch(/^GEOGCS\["GCS_WGS_1984"/)
    expect(written).toMatchObject({ rows: { paddocks: 3 }, notes: [] })
    const [shp, shx] = [Buffer.from(members['paddocks.shp']!), Buffer.from(members['paddocks.shx']!)]
    expect(shp.readInt32BE(24) * 2).toBe(shp.length)
    expect(shx.readInt32BE(24) * 2).toBe(shx.length)
    expect(shp.subarray(28, 100)).toEqual(shx.subarray(28, 100))
    expect([36, 44, 52, 60].map((at) => shp.readDoubleLE(at))).toEqual([0, 0, 15, 5])
    for (let record = 0; record < 3; record += 1) {
      const offset = shx.readInt32BE(100 + record * 8) * 2
      expect(shp.readInt32BE(offset)).toBe(record + 1)
      expect(shp.readInt32BE(offset + 4)).toBe(shx.readInt32BE(104 + record * 8))
    }
    expect(parseShp(members['paddocks.shp']!).map((each) => (each as { type: string } | null)?.type ?? null)).toEqual([
      'Polygon',
      null,
      'Polygon',
    ])
    expect(layers[0]!.rows.map((row) => row.shape?.kind ?? null)).toEqual(['Polygon', null, 'Polygon'])
    expect(layers[0]!.found).toEqual([])
  })

  test('shells run clockwise and holes the other way, however they came', async () => {
    const [shell, hole] = [square(0, 0, 9), square(2, 2, 3)]
    for (const shape of [polygon(shell, hole), polygon(turned(shell), turned(hole)), polygon(shell, turned(hole))]) {
      const { layers } = await made([table([], [{ values: {}, shape }])])
      const { coordinates, ends } = layers[0]!.rows[0]!.shape!
      expect([signedArea(coordinates, 0, ends[0]!), signedArea(coordinates, ends[0]!, ends[1]!)]).toEqual([-81, 9])
    }
  })

  test('the coordinate system goes into the .prj as it was given', async () => {
    const { layers } = await made([
      table([], [{ values: {}, shape: polygon(square(0, 0, 9)) }], { crs: { from: '.prj', text: 'PROJCS["X"]' } }),
    ])
    expect(layers[0]!.table.crs).toEqual({ from: '.prj', text: 'PROJCS["X"]' })
  })

  test('different kinds of geometry get a file each, null shapes go with the polygons', async () => {
    const point = shapeOf({ type: 'Point', coordinates: [1, 2] })
    const points = shapeOf({
      type: 'MultiPoint',
      coordinates: [
        [3, 4],
        [5, 6],
      ],
    })
    const line = shapeOf({
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    })
    const shapes = [point, null, polygon(square(0, 0, 1)), points, line]
    const { layers, written } = await made([
      table(
        [{ name: 'N' }],
        shapes.map((shape, N) => ({ values: { N }, shape })),
      ),
    ])
    expect(
      layers.map(({ table: { name }, rows }) => [name, rows.map((row) => [row.values.N, row.shape?.kind])]),
    ).toEqual([
      [
        'paddocks-polygons',
        [
          [1, undefined],
          [2, 'Polygon'],
        ],
      ],
      ['paddocks-lines', [[4, 'LineString']]],
      [
        'paddocks-points',
        [
          [0, 'MultiPoint'],
          [3, 'MultiPoint'],
        ],
      ],
    ])
    expect(written).toMatchObject({
      rows: { paddocks: 5 },
      notes: [expect.stringContaining('polygons and lines and points')],
    })
  })

  test('heights are kept if all have them, otherwise left out and reported', async () => {
    const flat = shapeOf({ type: 'Point', coordinates: [1, 2] })
    const high = shapeOf({ type: 'Point', coordinates: [1, 2, 30] })
    const kept = await made([
      table(
        [],
        [high, high].map((shape) => ({ values: {}, shape })),
      ),
    ])
    expect(kept.layers[0]!.rows[0]!.shape).toEqual(high)
    const left = await made([
      table(
        [],
        [high, flat].map((shape) => ({ values: {}, shape })),
      ),
    ])
    expect(left.layers[0]!.rows[0]!.shape).toEqual(flat)
    expect(left.written.notes).toEqual([expect.stringContaining('not all points have them: only 1 of 2')])
  })

  test('coordinates that are no numbers become null shapes, and measures are left out', async () => {
    const broken = shapeOf({ type: 'Point', coordinates: [Number.NaN, 2] })
    const measured: Shape = { ...shapeOf({ type: 'Point', coordinates: [1, 2] }), m: Float64Array.of(1) }
    const { layers, written } = await made([
      table(
        [],
        [broken, measured].map((shape) => ({ values: {}, shape })),
      ),
    ])
    expect(layers[0]!.rows.map((row) => row.shape?.kind)).toEqual([undefined, 'Point'])
    expect(written.notes).toEqual([
      'Boundaries left out because their coordinates are not numbers: 1.',
      expect.stringContaining('measures were left out: 1'),
    ])
  })

  test('several tables, with names that no file may have', async () => {
    const tables = ['a/b:c', 'A_b_c', 'CON', ''].map((name) =>
      table([{ name: 'X' }], [{ values: { X: name } }], { name }),
    )
    const { members } = await made(tables)
    expect(Object.keys(members).filter((name) => name.endsWith('.dbf'))).toEqual([
      'a_b_c.dbf',
      'A_b_c-2.dbf',
      '_CON.dbf',
      '_.dbf',
    ])
  })

  test('notes name their table where there are several', async () => {
    const flat = [{ values: { 'a long name': 1 } }]
    const tables = ['north', 'south'].map((name) => table([{ name: 'a long name' }], flat, { name }))
    const { written } = await made(tables)
    expect(written.notes).toEqual([expect.stringMatching(/^north: /), expect.stringMatching(/^south: /)])
    expect(written.rows).toEqual({ north: 1, south: 1 })
  })

  test('an empty table is a file that can be read', async () => {
    const { layers } = await made([table([{ name: 'X', type: 'text' }], [], { hasGeometry: true })])
    expect(layers[0]!.rows).toEqual([])
    expect(layers[0]!.found).toEqual([])
  })

  test.each<[string, () => Promise<unknown>, string]>([
    ['a name that is no zip', () => writeTo([table([], [])], {}, 'out.shp'), 'option-invalid'],
    [
      'a geometry collection',
      () => writeTo([table([], [{ values: {}, shape: shapeOf({ type: 'GeometryCollection', geometries: [] }) }])]),
      'format-cannot-write',
    ],
    [
      'too many columns',
      () =>
        writeTo([
          table(
            Array.from({ length: 2100 }, (_, index) => ({ name: `c${index}` })),
            [{ values: {} }],
          ),
        ]),
      'format-cannot-write',
    ],
    [
      'rows too wide',
      () =>
        writeTo([
          table(
            Array.from({ length: 300 }, (_, index) => ({ name: `c${index}`, type: 'text', width: 254 }) as const),
            [{ values: {} }],
          ),
        ]),
      'format-cannot-write',
    ],
  ])('%s is refused', async (_, work, code) => {
    await expect(work()).rejects.toMatchObject({ code })
  })

  test.each([
    [
      'rows',
      Array.from({ length: 255 }, (_, index) => ({ name: `c${index}`, type: 'text', width: 254 }) as const),
      33_200,
      null,
    ],
    ['coordinates', [], 140, polygon(Array.from({ length: 1 << 20 }, (_, index) => [index % 7, index % 5] as const))],
  ])(
    'more than 2 GB of %s are refused after the first pass, before anything is written',
    async (_, columns, rows, shape) => {
      let passes = 0
      const large = table(columns, [], {
        hasGeometry: shape !== null,
        async *rows() {
          passes += 1
          for (let row = 0; row < rows; row += 1) yield [{ at: { source: 't', row }, values: {}, shape }]
        },
      })
      await expect(writeTo([large])).rejects.toMatchObject({ code: 'file-too-large' })
      expect(passes).toBe(1)
    },
  )

  test('rows that change between the passes stop the writing', async () => {
    let pass = 0
    const shifting = table([{ name: 'X' }], [], {
      async *rows() {
        pass += 1
        yield Array.from({ length: pass }, (_, row) => ({ at: { source: 't', row }, values: { X: 'a' } }))
      },
    })
    await expect(writeTo([shifting])).rejects.toMatchObject({ code: 'source-changed' })
    const growing = table([{ name: 'X' }], [], {
      async *rows() {
        pass += 1
        yield [{ at: { source: 't', row: 0 }, values: { X: 'a'.repeat(pass) } }]
      },
    })
    await expect(writeTo([growing])).rejects.toMatchObject({ code: 'source-changed' })
  })

  test('the rows are asked for twice, the same rows give the same bytes, and nothing stays behind', async () => {
    const temporary = await mkdtemp(join(folder, 'temporary-'))
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary)
    let passes = 0
    const counted = table([{ name: 'X' }], [{ values: { X: 'a' }, shape: polygon(square(0, 0, 1)) }])
    const source: OutTable = { ...counted, rows: () => ((passes += 1), counted.rows()) }
    const [one, two] = [await writeTo([source]), await writeTo([source])]
    expect(passes).toBe(4)
    expect(await readAll(await fileSource(one.path), 1e6)).toEqual(await readAll(await fileSource(two.path), 1e6))
    vi.unstubAllEnvs()
    expect(await readdir(temporary)).toEqual([])
  })
})

/** A ring around a centre: points at growing angles, so that it never crosses itself. */
function ringAround(centre: readonly [number, number], radii: readonly number[]): Ring {
  const ring = radii.map((radius, index) => {
    const angle = (2 * Math.PI * index) / radii.length
    return [centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle)] as const
  })
  return [...ring, ring[0]!]
}

test('writing, then reading gives the same polygons, whatever their winding', async () => {
  const radii = fc.array(fc.double({ min: 0.6, max: 1, noNaN: true }), { minLength: 8, maxLength: 20 })
  const part = fc.record({ shell: radii, holes: fc.array(radii, { maxLength: 3 }), flip: fc.boolean() })
  const normal = (ring: Ring): Ring =>
    signedArea(Float64Array.from(ring.flat()), 0, ring.length) < 0 ? ring : turned(ring)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      async (features) => {
        const geometries = features.map((parts) =>
          parts.map(({ shell, holes, flip }, index) => {
            const rings = [
              ringAround(
                [index * 300, 0],
                shell.map((radius) => radius * 100),
              ),
              ...holes.map((hole, number) =>
                ringAround(
                  [index * 300 + number * 24 - 24, 0],
                  hole.map((radius) => radius * 10),
                ),
              ),
            ]
            return flip ? rings.map(turned) : rings
          }),
        )
        const rows = geometries.map((coordinates, N) => ({
          values: { N },
          shape: shapeOf({ type: 'MultiPolygon', coordinates }),
        }))
        const { layers } = await made([table([{ name: 'N', type: 'integer' }], rows)])
        const back = layers[0]!.rows.map(({ shape }) => {
          const geometry = geoJsonFromShape(shape!)
          if (geometry.type === 'Polygon') return [geometry.coordinates as readonly Ring[]]
          return geometry.type === 'MultiPolygon' ? (geometry.coordinates as readonly (readonly Ring[])[]) : []
        })
        expect(back.map((parts) => parts.map((rings) => rings.map(normal)))).toEqual(
          geometries.map((parts) => parts.map((rings) => rings.map(normal))),
        )
      },
    ),
    { numRuns: runs(25) },
  )
})

test('what was read is written back as it was', async () => {
  const columns: readonly Column[] = [
    { name: 'NAME', type: 'text', width: 30 },
    { name: 'AREA', type: 'number', width: 12, decimals: 3 },
  ]
  const first = await made([
    table(columns, [{ values: { NAME: 'Kōwhai', AREA: 2.16 }, shape: polygon(square(1, 2, 3)) }]),
  ])
  const [layer] = first.layers
  const second = await made([table(layer!.table.columns!, layer!.rows, { crs: layer!.table.crs! })])
  expect(second.members).toEqual(first.members)
})
