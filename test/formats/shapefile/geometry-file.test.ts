import { describe, expect, test } from 'vitest'
import { bufferSource, type Source } from '../../../src/core/sources/source.ts'
import { checkGeometryFile, openShapes } from '../../../src/formats/shapefile/geometry-file.ts'
import type { Ending, ShapeRecord } from '../../../src/formats/shapefile/shape-record.ts'
import {
  content,
  multiPointContent,
  nullContent,
  partsContent,
  patchContent,
  pointContent,
  shpBytes,
  square,
  turned,
} from './made-files.ts'

/** Gives the bytes in pieces of any size, as a packed member of a zip may. */
function inPieces(bytes: Uint8Array, pieceBytes: number): Source {
  return {
    ...bufferSource('paddocks.shp', bytes),
    async *stream() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
    },
  }
}

async function readShapes(
  bytes: Uint8Array,
  pieceBytes = 1 << 20,
): Promise<{ records: ShapeRecord[]; ending: Ending }> {
  const reader = await openShapes(inPieces(bytes, pieceBytes), undefined)
  const records: ShapeRecord[] = []
  for (let read = await reader.next(3); read.length > 0; read = await reader.next(3)) records.push(...read)
  await reader.close()
  return { records, ending: reader.ending() }
}

const line = [
  [0, 0],
  [1, 1],
  [2, 0],
] as const
const noMeasure = -1e39

describe('every shape type', () => {
  test.each<[string, Buffer, object | null]>([
    ['null', nullContent(), null],
    ['Point', pointContent(1, [3, 4]), { kind: 'Point', coordinates: [3, 4] }],
    ['PointZ', pointContent(11, [3, 4], [5, 6]), { kind: 'Point', coordinates: [3, 4], z: [5], m: [6] }],
    ['PointZ without its measure', pointContent(11, [3, 4], [5]), { kind: 'Point', coordinates: [3, 4], z: [5] }],
    ['PointM', pointContent(21, [3, 4], [6]), { kind: 'Point', coordinates: [3, 4], m: [6] }],
    ['PointM with no measure', pointContent(21, [3, 4], [noMeasure]), { kind: 'Point', coordinates: [3, 4] }],
    ['MultiPoint', multiPointContent(8, line), { kind: 'MultiPoint', coordinates: line.flat() }],
    [
      'MultiPointZ of one point',
      multiPointContent(18, [[3, 4]], { z: [5] }),
      { kind: 'MultiPoint', coordinates: [3, 4], z: [5] },
    ],
    ['MultiPointM', multiPointContent(28, [[3, 4]], { m: [6] }), { kind: 'MultiPoint', coordinates: [3, 4], m: [6] }],
    ['MultiPoint of none', multiPointContent(8, []), null],
    ['PolyLine', partsContent(3, [line]), { kind: 'LineString', coordinates: line.flat(), ends: [3] }],
    [
      'PolyLine of two',
      partsContent(3, [line, line]),
      { kind: 'MultiLineString', coordinates: [line, line].flat(2), ends: [3, 6] },
    ],
    [
      'PolyLineZ',
      partsContent(13, [line], { z: [7, 8, 9], m: [1, noMeasure, 3] }),
      { kind: 'LineString', coordinates: line.flat(), ends: [3], z: [7, 8, 9], m: [1, Number.NaN, 3] },
    ],
    [
      'PolyLineM',
      partsContent(23, [line], { m: [1, 2, 3] }),
      { kind: 'LineString', coordinates: line.flat(), ends: [3], m: [1, 2, 3] },
    ],
    [
      'Polygon',
      partsContent(5, [square(0, 0, 9), turned(square(1, 1, 2))]),
      { kind: 'Polygon', ends: [5, 10], parts: [2] },
    ],
    [
      'Polygon of two',
      partsContent(5, [square(0, 0, 9), square(20, 1, 2)]),
      { kind: 'MultiPolygon', ends: [5, 10], parts: [1, 2] },
    ],
    [
      'PolygonZ',
      partsContent(15, [square(0, 0, 9)], { z: [1, 2, 3, 4, 1] }),
      { kind: 'Polygon', ends: [5], parts: [1], z: [1, 2, 3, 4, 1] },
    ],
    [
      'PolygonM',
      partsContent(25, [square(0, 0, 9)], { m: [1, 2, 3, 4, 1] }),
      { kind: 'Polygon', ends: [5], parts: [1], m: [1, 2, 3, 4, 1] },
    ],
    ['Polygon with an empty part', partsContent(5, [square(0, 0, 9), []]), { kind: 'Polygon', ends: [5], parts: [1] }],
    [
      'MultiPatch of rings',
      patchContent([
        [2, square(0, 0, 9)],
        [3, turned(square(1, 1, 2))],
      ]),
      { kind: 'Polygon', ends: [5, 10], parts: [2], z: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] },
    ],
    ['Polygon of no parts', partsContent(5, []), null],
  ])('%s', async (_, record, expected) => {
    const { records, ending } = await readShapes(shpBytes([record]))
    expect(ending).toBe('whole')
    expect(records).toHaveLength(1)
    expect(records[0]!.fault).toBeUndefined()
    const shape = records[0]!.shape
    const plain =
      shape === null
        ? null
        : {
            ...shape,
            coordinates: [...shape.coordinates],
            ...(shape.z && { z: [...shape.z] }),
            ...(shape.m && { m: [...shape.m] }),
          }
    if (expected === null) expect(plain).toBeNull()
    else expect(plain).toMatchObject({ ...expected })
    for (const name of ['z', 'm'] as const)
      if (expected !== null && !(name in expected)) expect(plain).not.toHaveProperty(name)
  })

  test.each<[string, Buffer, RegExp]>([
    ['a MultiPatch of triangles', patchContent([[1, square(0, 0, 9)]]), /MultiPatch, a surface of triangles/],
    ['a MultiPatch that is cut off', content(31), /too short/],
    ['a type that does not exist', content(7), /7/],
    ['a negative type', content(-5), /-5/],
    ['a point without its north', content(1, ['d', 3]), /too short/],
    [
      'more vertices than bytes',
      content(5, ['d', 0], ['d', 0], ['d', 1], ['d', 1], ['i', 1], ['i', 99], ['i', 0]),
      /too short/,
    ],
    ['a huge number of vertices', content(8, ['d', 0], ['d', 0], ['d', 1], ['d', 1], ['i', 2 ** 31 - 1]), /too short/],
    [
      'a negative number of parts',
      content(5, ['d', 0], ['d', 0], ['d', 1], ['d', 1], ['i', -1], ['i', 1]),
      /too short/,
    ],
    [
      'parts that go back',
      content(
        3,
        ['d', 0],
        ['d', 0],
        ['d', 1],
        ['d', 1],
        ['i', 3],
        ['i', 2],
        ['i', 0],
        ['i', 2],
        ['i', 1],
        ['d', 0],
        ['d', 0],
        ['d', 1],
        ['d', 1],
      ),
      /out of order/,
    ],
    ['heights that are missing', partsContent(15, [square(0, 0, 9)]), /too short/],
  ])('%s is a fault of its row alone', async (_, record, fault) => {
    const { records, ending } = await readShapes(shpBytes([record, pointContent(1, [1, 2])]))
    expect(records[0]).toMatchObject({ shape: null, fault: { message: expect.stringMatching(fault) } })
    expect(records[1]!.shape!.kind).toBe('Point')
    expect(ending).toBe('whole')
  })

  test('a first part that does not start at vertex 0 loses what lies before it', async () => {
    const record = partsContent(5, [square(0, 0, 9)])
    record.writeInt32LE(1, 44)
    const { records } = await readShapes(shpBytes([record]))
    expect(records[0]).toMatchObject({ opened: 1 })
    expect([...records[0]!.shape!.coordinates]).toEqual([0, 9, 9, 9, 9, 0, 0, 0, 0, 9])
  })

  test('an open ring is closed and counted', async () => {
    const { records } = await readShapes(shpBytes([partsContent(5, [square(0, 0, 9).slice(0, 4)])]))
    expect(records[0]).toMatchObject({ opened: 1, shape: { ends: [5] } })
  })
})

describe('where the file ends', () => {
  const records = [pointContent(1, [1, 2]), partsContent(5, [square(0, 0, 9)]), pointContent(1, [5, 6])]
  const whole = shpBytes(records)

  test.each([1, 7, 64, 1 << 20])('pieces of %i bytes give the same records', async (pieceBytes) => {
    const { records: read, ending } = await readShapes(whole, pieceBytes)
    expect(read.map(({ shape }) => shape!.kind)).toEqual(['Point', 'Polygon', 'Point'])
    expect(ending).toBe('whole')
  })

  test('at every byte: whole records, then "cut" or "short"', async () => {
    const starts = [100, 128, 128 + 8 + records[1]!.length]
    for (let end = 100; end < whole.length; end += 1) {
      const { records: read, ending } = await readShapes(whole.subarray(0, end))
      const complete = [...starts, whole.length].filter((start) => start > 100 && start <= end).length
      expect(read).toHaveLength(complete)
      expect(ending).toBe(starts.includes(end) ? 'short' : 'cut')
    }
  })

  test.each<[string, Uint8Array, number, Ending]>([
    ['a declared length that is too small', shpBytes(records, { declaredBytes: 100 }), 3, 'whole'],
    ['a declared length that is too large', shpBytes(records, { declaredBytes: 9000 }), 3, 'short'],
    ['filling behind the declared end', Buffer.concat([whole, Buffer.alloc(40)]), 3, 'whole'],
    ['letters behind the declared end', Buffer.concat([whole, Buffer.from('made by some program')]), 3, 'whole'],
    [
      'zeros before the declared end',
      Buffer.concat([shpBytes(records, { declaredBytes: 9000 }), Buffer.alloc(40)]),
      3,
      'short',
    ],
    [
      'nonsense before the declared end',
      Buffer.concat([shpBytes(records, { declaredBytes: 9000 }), Buffer.alloc(40, 0xff)]),
      3,
      'broken',
    ],
    ['no record at all', shpBytes([]), 0, 'whole'],
  ])('%s', async (_, bytes, count, ending) => {
    const read = await readShapes(bytes)
    expect(read.records).toHaveLength(count)
    expect(read.ending).toBe(ending)
  })

  test.each([
    ['nothing', new Uint8Array(0), 'file-empty'],
    ['half a header', whole.subarray(0, 50), 'file-damaged'],
    ['something else', Buffer.alloc(200, 0x20), 'file-damaged'],
  ])('%s is refused', async (_, bytes, code) => {
    await expect(checkGeometryFile(bufferSource('a.shp', bytes))).rejects.toMatchObject({ code })
  })

  test('a record that claims more than any farm draws is refused before it is read', async () => {
    const bytes = Buffer.from(shpBytes([pointContent(1, [1, 2])], { declaredBytes: 2 ** 31 - 2 }))
    bytes.writeInt32BE(2 ** 28, 104)
    const source = { ...bufferSource('a.shp', bytes), size: 2 ** 30 }
    const reader = await openShapes(source, undefined)
    await expect(reader.next(1)).rejects.toMatchObject({ code: 'file-too-large' })
  })
})
