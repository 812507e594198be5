import { describe, expect, test } from 'vitest'
import type { Row } from '../../../src/core/row.ts'
import { zipBytes } from '../../core/zip-bytes.ts'
import { bufferSource, type Source } from '../../../src/core/sources/source.ts'
import { collect, loose, type Collected } from './collected.ts'
import { namesTable, partsContent, shpBytes, shxBytes, square } from './made-files.ts'

const names = ['Top Flat', 'Kōwhai', 'River']
const dbf = namesTable(names)
const paddock = (x: number, corners = 5): Buffer => partsContent(5, [square(x, 0, 10).slice(0, corners)])
const contentBytes = paddock(0).length

/** Records with their numbers as given, one behind the other; each is told where it begins. */
function numbered(records: readonly (readonly [number: number, content: Buffer])[]): {
  readonly bytes: Buffer
  readonly starts: readonly number[]
} {
  const bytes = Buffer.from(shpBytes(records.map(([, content]) => content)))
  let at = 100
  const starts = records.map(([number, content]) => {
    bytes.writeInt32BE(number, at)
    const start = at
    at += 8 + content.length
    return start
  })
  return { bytes, starts }
}

async function read(shp: Uint8Array, shx: Uint8Array): Promise<Collected> {
  const [layer] = await collect(loose({ 'a.shp': shp, 'a.shx': shx, 'a.dbf': dbf }))
  return layer!
}

const placed = (rows: readonly Row[]): unknown[] => rows.map((row) => [row.values.NAME, row.shape!.coordinates[0]])
const asDrawn = [
  ['Top Flat', 0],
  ['Kōwhai', 20],
  ['River', 40],
]

describe('the index leads where the order of the .shp is another', () => {
  // A program that changes a boundary writes it at the end and leaves the old one where it was.
  const edited = numbered([
    [1, paddock(0)],
    [2, paddock(999)],
    [3, paddock(40)],
    [2, paddock(20)],
  ])
  const index = shxBytes([0, 3, 2].map((place) => [edited.starts[place]!, contentBytes]))

  test('a boundary that was changed and written at the end', async () => {
    const { rows, found } = await read(edited.bytes, index)
    expect(placed(rows)).toEqual(asDrawn)
    expect(found).toEqual([])
  })

  test('the same in a zip', async () => {
    const zip = zipBytes([
      { name: 'a.shp', bytes: edited.bytes },
      { name: 'a.shx', bytes: index },
      { name: 'a.dbf', bytes: dbf },
    ])
    const [layer] = await collect(bufferSource('a.zip', new Uint8Array(zip)))
    expect(placed(layer!.rows)).toEqual(asDrawn)
  })

  test('a boundary that shrank in its place leaves a gap', async () => {
    const bytes = Buffer.from(shpBytes([paddock(0), paddock(20), paddock(40)]))
    bytes.set(paddock(20, 4), 108 + contentBytes + 8)
    const starts = [0, 1, 2].map((record) => 100 + record * (8 + contentBytes))
    const shrunk = paddock(20, 4).length
    bytes.writeInt32BE(shrunk / 2, starts[1]! + 4)
    const shx = shxBytes([
      [starts[0]!, contentBytes],
      [starts[1]!, shrunk],
      [starts[2]!, contentBytes],
    ])
    const { rows, found } = await read(bytes, shx)
    expect(placed(rows)).toEqual(asDrawn)
    expect(rows[1]!.problems).toMatchObject([{ code: 'boundary-open' }])
    expect(found).toEqual([])
  })

  test('more records than a window holds, in any order', async () => {
    const count = 4000
    const order = Array.from({ length: count }, (_, record) => (record * 1789) % count)
    const { bytes, starts } = numbered(order.map((record) => [record + 1, paddock(record)]))
    const shx = shxBytes(
      Array.from({ length: count }, (_, record) => [starts[order.indexOf(record)]!, contentBytes] as const),
    )
    const many = namesTable(order.map((_, record) => String(record)))
    const [layer] = await collect(loose({ 'a.shp': bytes, 'a.shx': shx, 'a.dbf': many }))
    expect(layer!.rows.map((row) => row.shape!.coordinates[0])).toEqual(order.map((_, record) => record))
    expect(layer!.found).toEqual([])
  })

  test('a record that claims another length than it has', async () => {
    const bytes = Buffer.from(shpBytes([paddock(0), paddock(20), paddock(40)]))
    // Some programs count the eight bytes of the record's header in.
    bytes.writeInt32BE(contentBytes / 2 + 4, 104)
    const shx = shxBytes([0, 1, 2].map((record) => [100 + record * (8 + contentBytes), contentBytes]))
    expect(placed((await read(bytes, shx)).rows)).toEqual(asDrawn)
  })
})

test('with the index a damaged record in the middle is the only one that is lost', async () => {
  const bytes = Buffer.from(shpBytes([paddock(0), paddock(20), paddock(40)]))
  bytes.fill(0xff, 108 + contentBytes, 108 + contentBytes + 60)
  const shx = shxBytes([0, 1, 2].map((record) => [100 + record * (8 + contentBytes), contentBytes]))
  const { rows } = await read(bytes, shx)
  expect(rows.map((row) => [row.values.NAME, row.shape?.coordinates[0], row.problems?.[0]?.code])).toEqual([
    ['Top Flat', 0, undefined],
    ['Kōwhai', undefined, 'row-unreadable'],
    ['River', 40, undefined],
  ])
})

describe('a wrong index is not followed, and that is reported', () => {
  const shp = shpBytes([paddock(0), paddock(20), paddock(40)])

  test.each([
    [
      'of another file',
      [
        [100, 40],
        [150, 60],
        [216, 60],
      ],
    ],
    [
      'backwards',
      [
        [100, 40],
        [130, 60],
        [116, 60],
      ],
    ],
    [
      'beyond the end',
      [
        [100, contentBytes],
        [90_000, contentBytes],
        [95_000, contentBytes],
      ],
    ],
    [
      'into the header',
      [
        [2, contentBytes],
        [4, contentBytes],
        [6, contentBytes],
      ],
    ],
  ] as const)('%s', async (_, entries) => {
    const { rows, found } = await read(shp, shxBytes(entries))
    expect(placed(rows)).toEqual(asDrawn)
    expect(found).toMatchObject([{ code: 'file-inconsistent', severity: 'note' }])
  })

  test('lengths alone that are wrong do no harm', async () => {
    const shx = shxBytes([
      [100, contentBytes],
      [108 + contentBytes, 12],
      [116 + 2 * contentBytes, 12],
    ])
    expect(placed((await read(shp, shx)).rows)).toEqual(asDrawn)
  })
})

test('a file that is gone when the index is checked does not crash', async () => {
  const { bytes } = numbered([[1, paddock(0)]])
  const files = loose({ 'a.shp': bytes, 'a.shx': shxBytes([[110, 40]]), 'a.dbf': namesTable(['a']) })
  const gone: Source = { ...files, read: (start, end) => (start === 110 ? files.read(0, 0) : files.read(start, end)) }
  const [layer] = await collect(gone)
  expect(layer!.rows).toHaveLength(1)
})

test('a file that shrinks while it is read ends early, and that is reported', async () => {
  const { bytes, starts } = numbered([
    [2, paddock(20)],
    [1, paddock(0)],
  ])
  const shx = shxBytes([
    [starts[1]!, contentBytes],
    [starts[0]!, contentBytes],
  ])
  const files = loose({ 'a.shp': bytes, 'a.shx': shx, 'a.dbf': namesTable(['a', 'b']) })
  const shrinking: Source = {
    ...files,
    // The window that records are read through is large; what is looked at before is small.
    read: (start, end) => (end - start > 1 << 16 ? Promise.resolve(new Uint8Array(0)) : files.read(start, end)),
  }
  const [layer] = await collect(shrinking)
  expect(layer!.found.map(({ code }) => code)).toContain('file-truncated')
})
