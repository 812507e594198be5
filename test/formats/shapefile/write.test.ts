import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Column, Row, Value, Values } from '../../../src/core/row.ts'
import { geoJsonFromShape, shapeFromGeoJson, type Geometry } from '../../../src/core/shape-geojson.ts'
import type { Shape } from '../../../src/core/shape.ts'
import { fileSource, readAll } from '../../../src/core/source.ts'
import { fileTarget } from '../../../src/core/target.ts'
import { openZip } from '../../../src/core/zip.ts'
import type { FormatOptions, OutTable, Written } from '../../../src/formats/format.ts'
import { shapefile } from '../../../src/formats/shapefile.ts'
import { shortNames } from '../../../src/formats/shapefile/field-names.ts'
import { signedArea } from '../../../src/formats/shapefile/rings.ts'
import { collect, type Collected } from './collected.ts'
import { square, turned, type Ring } from './made-files.ts'

let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windrow-shapefile-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Made = {
  readonly written: Written
  readonly members: Readonly<Record<string, Uint8Array>>
  readonly layers: readonly Collected[]
}

function table(
  columns: readonly Column[],
  rows: readonly { values: Values; shape?: Shape | null }[],
  more: Partial<OutTable> = {},
): OutTable {
  const all: readonly Row[] = rows.map((row, index) => ({ at: { source: 'test', row: index }, ...row }))
  return {
    name: 'paddocks',
    columns,
    hasGeometry: rows.some((row) => row.shape !== undefined),
    async *rows() {
      for (let at = 0; at < all.length; at += 3) yield all.slice(at, at + 3)
    },
    ...more,
  }
}

async function writeTo(tables: readonly OutTable[], options: FormatOptions = {}, name = 'out.zip'): Promise<Written> {
  files += 1
  const target = await fileTarget(join(folder, String(files), name))
  try {
    const written = await shapefile.write!(tables, target, options)
    await target.commit()
    return written
  } catch (error) {
    await target.abandon()
    throw error
  }
}

async function made(tables: readonly OutTable[], options: FormatOptions = {}): Promise<Made> {
  const written = await writeTo(tables, options)
  const source = await fileSource(written.path)
  const zip = await openZip(source)
  const members = Object.fromEntries(
    await Promise.all(zip.members.map(async (member) => [member.name, await readAll(member.source, 1e8)] as const)),
  )
  return { written, members, layers: await collect(source) }
}

function shapeOf(geometry: Geometry): Shape {
  const shape = shapeFromGeoJson(geometry)
  if (typeof shape === 'string') throw new Error(shape)
  return shape
}

const polygon = (...rings: readonly Ring[]): Shape => shapeOf({ type: 'Polygon', coordinates: rings })

async function readBack(
  column: Column,
  values: readonly Value[],
): Promise<{ values: Value[]; column: Column; notes: readonly string[] }> {
  const { layers, written } = await made([
    table(
      [column],
      values.map((value) => ({ values: { [column.name]: value } })),
    ),
  ])
  const [layer] = layers
  return {
    values: layer!.rows.map((row) => row.values[column.name]),
    column: layer!.table.columns![0]!,
    notes: written.notes,
  }
}

describe('cells', () => {
  test.each<[string, Column, readonly Value[], Partial<Column>]>([
    ['text', { name: 'A', type: 'text' }, ['Kōwhai', null, '0001', 'x'.repeat(254)], { type: 'text', width: 254 }],
    ['text keeps its declared width', { name: 'A', type: 'text', width: 40 }, ['Rimu'], { type: 'text', width: 40 }],
    ['text needs more bytes than letters', { name: 'A', type: 'text', width: 4 }, ['āēīō'], { type: 'text', width: 8 }],
    [
      'whole numbers',
      { name: 'A', type: 'integer' },
      [1, -20, null, 123_456_789_012_345],
      { type: 'integer', width: 15, decimals: 0 },
    ],
    [
      'whole numbers longer than sure',
      { name: 'A', type: 'integer', width: 20, decimals: 0 },
      ['123456789012345678', 5, '007'],
      { type: 'integer', width: 20 },
    ],
    ['decimals', { name: 'A', type: 'number' }, [2.16, 0.009372315625660122, -1], { type: 'number' }],
    [
      'declared decimals',
      { name: 'A', type: 'number', width: 12, decimals: 3 },
      [2.16, 215_229.266],
      { type: 'number', width: 12, decimals: 3 },
    ],
    [
      'more decimals than declared',
      { name: 'A', type: 'number', width: 5, decimals: 1 },
      [2.125, 99_999.5],
      { type: 'number', decimals: 3 },
    ],
    [
      'very large and very small',
      { name: 'A', type: 'number' },
      [1.5e300, -2.5e-300, 5e-324, 0.1, 1e21],
      { type: 'number' },
    ],
    ['truths', { name: 'A', type: 'boolean' }, [true, false, null], { type: 'boolean' }],
    ['dates', { name: 'A', type: 'date' }, ['2026-09-03', null], { type: 'date' }],
    ['times are text', { name: 'A', type: 'date-time' }, ['2026-09-03T01:00:00+12:00'], { type: 'text' }],
    ['numbers of no declared type', { name: 'A' }, [1, 2.5], { type: 'number', decimals: 1 }],
    ['truths of no declared type', { name: 'A' }, [true, null], { type: 'boolean' }],
    ['digits of no declared type stay text', { name: 'A' }, ['007', null], { type: 'text' }],
    ['nothing at all', { name: 'A' }, [null, undefined, null], { type: 'text', width: 1 }],
  ])('%s', async (_, column, values, expected) => {
    const back = await readBack(column, values)
    expect(back.values).toEqual(values.map((value) => value ?? null))
    expect(back.column).toMatchObject(expected)
    expect(back.notes).toEqual([])
  })

  test.each<[Column, readonly Value[], readonly Value[], RegExp]>([
    [{ name: 'AREA', type: 'number' }, [1.5, 'about 2'], ['1.5', 'about 2'], /"about 2" is no number/],
    [{ name: 'SOWN', type: 'date' }, ['2026-01-01', 'spring'], ['2026-01-01', 'spring'], /"spring" is no date/],
    [{ name: 'IRR', type: 'boolean' }, [true, 'partly'], ['true', 'partly'], /"partly" is no boolean/],
  ])('what does not fit %o makes the column text', async (column, values, expected, note) => {
    const back = await readBack(column, values)
    expect(back.values).toEqual(expected)
    expect(back.notes).toEqual([expect.stringMatching(note)])
  })

  test('lists and objects are written as JSON', async () => {
    const back = await readBack({ name: 'CROPS', type: 'json' }, [[{ name: 'Lucerne' }]])
    expect(back.values).toEqual(['[{"name":"Lucerne"}]'])
  })

  test('what is no number is blank', async () => {
    expect((await readBack({ name: 'A', type: 'number' }, [Number.NaN, Infinity, 1])).values).toEqual([null, null, 1])
  })

  test('text beyond 254 bytes is refused, or cut between letters when asked', async () => {
    const rows = [{ values: { NOTE: 'ā'.repeat(200) } }]
    await expect(writeTo([table([{ name: 'NOTE', type: 'text' }], rows)])).rejects.toMatchObject({
      code: 'format-cannot-write',
      message: expect.stringMatching(/"NOTE" of row 0 takes 400 bytes/),
    })
    const { layers, written } = await made([table([{ name: 'NOTE', type: 'text' }], rows)], { cut: true })
    expect(layers[0]!.rows[0]!.values.NOTE).toBe('ā'.repeat(127))
    expect(written.notes).toEqual([expect.stringContaining('"NOTE" that were cut to 254 bytes: 1.')])
  })

  test('any number comes back as the same number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), { minLength: 1 }),
        async (numbers) => {
          const back = await readBack({ name: 'A', type: 'number' }, numbers)
          expect(back.values.map(Number)).toEqual(numbers.map((value) => value + 0))
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('names', () => {
  test.each<[readonly string[], readonly string[]]>([
    [
      ['NAME', 'Paddock ID', 'AREA_HA'],
      ['NAME', 'Paddock ID', 'AREA_HA'],
    ],
    [
      ['establishmentDate', 'establishmentDateEnd', 'establishm'],
      ['establis_1', 'establis_2', 'establishm'],
    ],
    [
      ['Hectāres of it', 'Hectāre'],
      ['Hectāres', 'Hectāre'],
    ],
    [
      ['name', 'NAME'],
      ['name', 'NAME_1'],
    ],
    [
      ['', 'a\nb', ' x '],
      ['column', 'a_b', 'x'],
    ],
    [
      ['ā'.repeat(6), 'ā'.repeat(7)],
      ['ā'.repeat(5), 'āāāā_1'],
    ],
    [
      Array.from({ length: 12 }, (_, index) => `very long name ${index}`),
      [
        'very long',
        ...Array.from({ length: 11 }, (_, index) => (index < 9 ? `very lon_${index + 1}` : `very lo_${index + 1}`)),
      ],
    ],
  ])('%j', (names, expected) => {
    expect(shortNames(names)).toEqual(expected)
  })

  test('short names are unique and take ten bytes at most', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 40 }), (names) => {
        const short = shortNames(names)
        expect(new Set(short.map((name) => name.toLowerCase())).size).toBe(names.length)
        for (const name of short) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(10)
      }),
    )
  })

  test('a list of the full names is packed when one was changed', async () => {
    const columns = [{ name: 'establishmentDate' }, { name: '=cmd()|dangerous, "name"' }, { name: 'OK' }]
    const { members, layers, written } = await made([
      table(columns, [{ values: { establishmentDate: 'a', '=cmd()|dangerous, "name"': 'b', OK: 'c' } }]),
    ])
    expect(Buffer.from(members['names.csv']!).toString()).toBe(
      '\uFEFFfile,column,full name\r\npaddocks,establishm,establishmentDate\r\npaddocks,\'=cmd()|dan,"\'=cmd()|dangerous, ""name"""\r\n',
    )
    expect(layers[0]!.rows[0]!.values).toEqual({ establishm: 'a', '=cmd()|dan': 'b', OK: 'c' })
    expect(written.notes).toEqual([expect.stringContaining('names.csv')])
  })

  test('no list without need', async () => {
    const { members } = await made([table([{ name: 'OK' }], [{ values: { OK: 'c' } }])])
    expect(Object.keys(members)).toEqual(['paddocks.dbf', 'paddocks.cpg'])
  })
})

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
      table([], [{ values: {}, shape: polygon(square(0, 0, 9)) }], { wkt: 'PROJCS["X"]' }),
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

  test('heights are kept where all have them, else left out and said', async () => {
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
      expect.stringContaining('not numbers: 1'),
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

  test('rows that change between the passes stop the writing', async () => {
    let pass = 0
    const shifting = table([{ name: 'X' }], [], {
      async *rows() {
        pass += 1
        yield Array.from({ length: pass }, (_, row) => ({ at: { source: 't', row }, values: { X: 'a' } }))
      },
    })
    await expect(writeTo([shifting])).rejects.toMatchObject({ code: 'file-changed' })
    const growing = table([{ name: 'X' }], [], {
      async *rows() {
        pass += 1
        yield [{ at: { source: 't', row: 0 }, values: { X: 'a'.repeat(pass) } }]
      },
    })
    await expect(writeTo([growing])).rejects.toMatchObject({ code: 'file-changed' })
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
    { numRuns: 40 },
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
  const second = await made([table(layer!.table.columns!, layer!.rows, { wkt: layer!.table.crs!.text })])
  expect(second.members).toEqual(first.members)
})
