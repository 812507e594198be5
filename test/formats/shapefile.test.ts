import { describe, expect, test } from 'vitest'
import { parseShp } from 'shpjs'
import { WindrowError } from '../../src/core/error.ts'
import { geoJsonFromShape } from '../../src/core/shape-geojson.ts'
import { bufferSource } from '../../src/core/source.ts'
import { shapefile } from '../../src/formats/shapefile.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { collect, loose } from './shapefile/collected.ts'
import {
  dbfBytes,
  namesTable,
  nullContent,
  partsContent,
  pointContent,
  shpBytes,
  square,
  turned,
  content,
} from './shapefile/made-files.ts'

const paddock = (x: number): Buffer => partsContent(5, [square(x, 0, 10)])
const shp = shpBytes([paddock(0), paddock(20), paddock(40)])
const names = ['Top Flat', 'Kōwhai', 'River']
const dbf = namesTable(names)
const prj = '\uFEFFPROJCS["NZGD_2000_New_Zealand_Transverse_Mercator"]\n'

describe('recognising', () => {
  const head = shp.subarray(0, 4096)
  test.each([
    ['a .shp', { name: 'a.shp', head }, true],
    ['a .shp by its first bytes', { name: 'download', head }, true],
    ['a .dbf', { name: 'A.DBF', head: dbf }, true],
    ['a zip with a .shp in it', { name: 'a.zip', head: Buffer.from('PK\x03\x04'), members: ['maps/A.SHP'] }, true],
    ['a zip without one', { name: 'a.zip', head: Buffer.from('PK\x03\x04'), members: ['xl/workbook.xml'] }, false],
    ['a text called .shp', { name: 'a.shp', head: Buffer.from('<html>') }, false],
    ['a text called .dbf', { name: 'a.dbf', head: Buffer.from('a;b\n1;2\n') }, false],
    ['nothing', { name: 'a.shp', head: new Uint8Array(0) }, false],
  ])('%s', (_, probe, expected) => {
    expect(shapefile.recognise(probe)).toBe(expected)
  })
})

describe('loose files', () => {
  test('a shape, its values, its place and its coordinate system', async () => {
    const [layer] = await collect(
      loose({ 'Rimu.shp': shp, 'rimu.DBF': dbf, 'Rimu.prj': prj, 'Rimu.cpg': 'UTF-8\r\n', 'Other.dbf': 'x' }),
    )
    expect(layer!.table).toMatchObject({
      name: 'Rimu',
      format: 'shapefile',
      hasGeometry: true,
      count: 3,
      crs: { from: '.prj', text: prj.slice(1).trim() },
      columns: [{ name: 'NAME', type: 'text', width: 20 }],
      decisions: [{ option: 'encoding', value: 'utf-8' }],
    })
    expect(layer!.rows.map((row) => row.values)).toEqual(names.map((NAME) => ({ NAME })))
    expect(layer!.rows.map((row) => row.at)).toEqual([0, 1, 2].map((row) => ({ source: 'Rimu.shp', row })))
    expect(geoJsonFromShape(layer!.rows[1]!.shape!)).toEqual({ type: 'Polygon', coordinates: [square(20, 0, 10)] })
    expect(layer!.found).toEqual([])
  })

  test.each(['Rimu.dbf', 'Rimu.shx'])('naming the %s opens the whole', async (name) => {
    const files = { 'Rimu.dbf': dbf, 'Rimu.shp': shp, 'Rimu.shx': shp.subarray(0, 100) }
    const [layer] = await collect(loose({ [name]: files[name as keyof typeof files], ...files }))
    expect(layer!.rows).toHaveLength(3)
    expect(layer!.rows[2]).toMatchObject({
      at: { source: 'Rimu.shp', row: 2 },
      values: { NAME: 'River' },
      shape: { kind: 'Polygon' },
    })
  })

  test('a .dbf alone is a table without geometry', async () => {
    const [layer] = await collect(loose({ 'sprays.dbf': dbf }))
    expect(layer!.table.hasGeometry).toBe(false)
    expect(layer!.rows[0]).not.toHaveProperty('shape')
    expect(layer!.rows).toHaveLength(3)
  })

  test('a .shp alone has no values, and that is said', async () => {
    const [layer] = await collect(loose({ 'Rimu.shp': shp }))
    expect(layer!.rows.map((row) => row.values)).toEqual([{}, {}, {}])
    expect(layer!.rows[0]!.problems).toBeUndefined()
    expect(layer!.found).toMatchObject([{ code: 'file-inconsistent', severity: 'warning' }])
  })

  test('an empty .dbf is as none', async () => {
    const [layer] = await collect(loose({ 'Rimu.shp': shp, 'Rimu.dbf': '' }))
    expect(layer!.rows).toHaveLength(3)
    expect(layer!.found).toMatchObject([{ code: 'file-inconsistent', severity: 'warning' }])
  })

  test('an index alone is not enough', async () => {
    await expect(collect(loose({ 'Rimu.shx': shp.subarray(0, 100) }))).rejects.toMatchObject({ code: 'file-missing' })
  })

  test('reading twice gives the same', async () => {
    const [table] = await shapefile.open!(loose({ 'Rimu.shp': shp, 'Rimu.dbf': namesTable(['a', 'b']) }), {})
    for (let time = 0; time < 2; time += 1) {
      let rows = 0
      for await (const batch of table!.batches()) rows += batch.length
      expect(rows).toBe(3)
      expect(table!.found()).toHaveLength(1)
    }
  })

  test('stopping early lets go of the files', async () => {
    let open = 0
    const watched = (name: string, bytes: Uint8Array) => ({
      ...bufferSource(name, bytes),
      async *stream() {
        open += 1
        try {
          for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
        } finally {
          open -= 1
        }
      },
    })
    const many = shpBytes(Array.from({ length: 2000 }, (_, index) => paddock(index)))
    const table = watched('a.dbf', namesTable(Array.from({ length: 2000 }, () => 'x')))
    const source = { ...watched('a.shp', many), siblings: () => Promise.resolve([table]) }
    const [layer] = await shapefile.open!(source, { encoding: 'utf-8' })
    for await (const batch of layer!.batches()) {
      expect(batch).toHaveLength(500)
      expect(open).toBe(2)
      break
    }
    expect(open).toBe(0)
  })
})

describe('zips', () => {
  const packed = (files: Readonly<Record<string, Uint8Array | string>>, method: 0 | 8 = 8) =>
    bufferSource('farm map.zip', zipBytes(Object.entries(files).map(([name, bytes]) => ({ name, bytes, method }))))

  test.each([0, 8] as const)('in folders, in capitals, with method %i', async (method) => {
    const layers = await collect(
      packed(
        {
          'Export/Rimu/PADDOCKS.SHP': shp,
          'Export/Rimu/paddocks.dbf': dbf,
          'Export/Rimu/Paddocks.PRJ': prj,
          'Export/readme.txt': '',
        },
        method,
      ),
    )
    expect(layers.map(({ table }) => table.name)).toEqual(['PADDOCKS'])
    expect(layers[0]!.rows[1]).toMatchObject({
      at: { source: 'farm map.zip', layer: 'PADDOCKS', row: 1 },
      values: { NAME: 'Kōwhai' },
    })
    expect(layers[0]!.table.crs!.text).toContain('NZGD_2000')
  })

  test('several layers are several tables; the same name twice gets its folder', async () => {
    const layers = await collect(
      packed({
        'north/fields.shp': shp,
        'north/fields.dbf': dbf,
        'south/fields.shp': shpBytes([paddock(0)]),
        'south/fields.dbf': namesTable(['South']),
        'roads.shp': shpBytes([]),
        'roads.dbf': namesTable([]),
      }),
    )
    expect(layers.map(({ table, rows }) => [table.name, rows.length])).toEqual([
      ['north/fields', 3],
      ['south/fields', 1],
      ['roads', 0],
    ])
    expect(layers[1]!.rows[0]!.values).toEqual({ NAME: 'South' })
  })

  test('a .dbf of another folder is not taken', async () => {
    const [layer] = await collect(packed({ 'a/fields.shp': shp, 'b/fields.dbf': dbf }))
    expect(layer!.rows[0]!.values).toEqual({})
  })

  test.each([
    ['no shapefile in it', packed({ 'readme.txt': 'x' }), 'format-unknown'],
    ['a web page called .zip', bufferSource('a.zip', Buffer.from('<html>not found</html>')), 'file-damaged'],
    ['a name that climbs out', packed({ '../evil.shp': shp }), 'archive-unsafe'],
  ])('%s', async (_, source, code) => {
    await expect(collect(source)).rejects.toMatchObject({ code })
  })
})

describe('what is wrong with single rows', () => {
  test('null shapes stay with their values', async () => {
    const [layer] = await collect(loose({ 'a.shp': shpBytes([paddock(0), nullContent(), paddock(9)]), 'a.dbf': dbf }))
    expect(layer!.rows.map((row) => [row.values.NAME, row.shape?.kind])).toEqual([
      ['Top Flat', 'Polygon'],
      ['Kōwhai', undefined],
      ['River', 'Polygon'],
    ])
    expect(layer!.rows[1]).toHaveProperty('shape', null)
    expect(layer!.rows[1]!.problems).toBeUndefined()
  })

  test('deleted rows are left out with their shapes, and numbers stay', async () => {
    const rows = names.map((name, index) => ({ cells: [name], deleted: index === 1 }))
    const [layer] = await collect(loose({ 'a.shp': shp, 'a.dbf': namesTable([], { rows }) }))
    expect(layer!.rows.map((row) => [row.at.row, row.values.NAME, row.shape!.coordinates[0]])).toEqual([
      [0, 'Top Flat', 0],
      [2, 'River', 40],
    ])
    expect(layer!.found).toMatchObject([{ code: 'row-deleted', severity: 'note' }])
  })

  test.each([
    ['an open ring', partsContent(5, [square(0, 0, 5).slice(0, 4)]), 'boundary-open', 'note'],
    ['a MultiPatch', content(31), 'geometry-wrong-type', 'error'],
    ['a damaged record', content(5), 'row-unreadable', 'error'],
  ])('%s', async (_, record, code, severity) => {
    const [layer] = await collect(loose({ 'a.shp': shpBytes([paddock(0), record]), 'a.dbf': namesTable(['a', 'b']) }))
    expect(layer!.rows[0]!.problems).toBeUndefined()
    expect(layer!.rows[1]!.problems).toMatchObject([{ code, severity, at: { row: 1 } }])
    expect(layer!.rows[1]!.values).toEqual({ NAME: 'b' })
  })

  test('a cell that does not fit its column keeps its text and its place', async () => {
    const table = dbfBytes({
      fields: [{ name: 'AREA', letter: 'N', width: 8, decimals: 2 }],
      rows: [{ cells: ['1,5'] }],
    })
    const [layer] = await collect(loose({ 'a.dbf': table }))
    expect(layer!.rows[0]).toMatchObject({
      values: { AREA: '1,5' },
      problems: [{ code: 'value-not-fitting-column', column: 'AREA', value: '1,5', severity: 'warning' }],
    })
  })
})

describe('what is wrong with the whole', () => {
  test('columns: repeated and blank names, memos, a name that means something to JavaScript', async () => {
    const fields = [
      { name: 'rate', letter: 'C', width: 4 },
      { name: 'rate', letter: 'C', width: 4 },
      { name: '', letter: 'C', width: 4 },
      { name: 'NOTE', letter: 'M', width: 10 },
      { name: '__proto__', letter: 'C', width: 4 },
    ]
    const [layer] = await collect(
      loose({ 'a.dbf': dbfBytes({ fields, rows: [{ cells: ['a', 'b', 'c', '1', 'e'] }] }) }),
    )
    expect(Object.entries(layer!.rows[0]!.values)).toEqual([
      ['rate', 'a'],
      ['rate (2)', 'b'],
      ['column 3', 'c'],
      ['NOTE', null],
      ['__proto__', 'e'],
    ])
    expect(layer!.found.map(({ code, column }) => [code, column])).toEqual([
      ['header-renamed', 'rate (2)'],
      ['header-renamed', 'column 3'],
      ['column-unreadable', 'NOTE'],
    ])
  })

  test('fewer rows than shapes: nothing is invented, nothing is lost', async () => {
    const [layer] = await collect(loose({ 'a.shp': shp, 'a.dbf': namesTable(['a', 'b']) }))
    expect(layer!.rows.map((row) => row.values)).toEqual([{ NAME: 'a' }, { NAME: 'b' }, { NAME: undefined }])
    expect(layer!.rows[2]!.problems).toMatchObject([{ code: 'file-inconsistent', severity: 'error' }])
    expect(layer!.found).toMatchObject([
      { code: 'file-inconsistent', severity: 'error', message: expect.stringMatching(/\(3\).*\(2\)/) },
    ])
  })

  test('fewer shapes than rows', async () => {
    const [layer] = await collect(loose({ 'a.shp': shpBytes([paddock(0)]), 'a.dbf': namesTable(['a', 'b']) }))
    expect(layer!.rows[1]).toMatchObject({
      values: { NAME: 'b' },
      shape: null,
      problems: [{ code: 'file-inconsistent', severity: 'error' }],
    })
    expect(layer!.found).toMatchObject([{ code: 'file-inconsistent', severity: 'error' }])
  })

  test('a shape without a row does not take over what was wrong with the row before', async () => {
    const table = dbfBytes({ fields: [{ name: 'AREA', letter: 'N', width: 8 }], rows: [{ cells: ['1,5'] }] })
    const [layer] = await collect(loose({ 'a.shp': shpBytes([paddock(0), paddock(20)]), 'a.dbf': table }))
    expect(layer!.rows.map((row) => row.problems!.map(({ code }) => code))).toEqual([
      ['value-not-fitting-column'],
      ['file-inconsistent'],
    ])
  })

  test('rows beyond the shapes that are all deleted do no harm', async () => {
    const rows = [{ cells: ['a'] }, { cells: ['b'], deleted: true }]
    const [layer] = await collect(loose({ 'a.shp': shpBytes([paddock(0)]), 'a.dbf': namesTable([], { rows }) }))
    expect(layer!.rows).toHaveLength(1)
    expect(layer!.found.map((each) => each.code)).toEqual(['row-deleted'])
  })

  test('a .shp that ends too early', async () => {
    const [layer] = await collect(loose({ 'a.shp': shp.subarray(0, shp.length - 30), 'a.dbf': dbf }))
    expect(layer!.rows.map((row) => row.values.NAME)).toEqual(['Top Flat', 'Kōwhai'])
    expect(layer!.found).toMatchObject([
      { code: 'file-truncated', severity: 'error', at: { row: 2 }, message: expect.stringContaining('3 rows') },
    ])
  })

  test('a .shp that ends too early between two shapes', async () => {
    const [layer] = await collect(loose({ 'a.shp': shp.subarray(0, 100 + ((shp.length - 100) / 3) * 2), 'a.dbf': dbf }))
    expect(layer!.found).toMatchObject([{ code: 'file-truncated', severity: 'error' }])
  })

  test('a wrong length in the header alone is no harm, when the table or the index knows better', async () => {
    const lying = shpBytes([paddock(0), paddock(20), paddock(40)], { declaredBytes: 90_000 })
    const errors = async (files: Record<string, Uint8Array>): Promise<string[]> => {
      const [layer] = await collect(loose({ 'a.shp': lying, ...files }))
      expect(layer!.rows).toHaveLength(3)
      return layer!.found.filter(({ severity }) => severity === 'error').map(({ code }) => code)
    }
    expect(await errors({ 'a.dbf': dbf })).toEqual([])
    expect(await errors({ 'a.shx': Buffer.alloc(100 + 3 * 8) })).toEqual([])
    expect(await errors({ 'a.shx': Buffer.alloc(100 + 4 * 8) })).toEqual(['file-truncated'])
    expect(await errors({})).toEqual(['file-truncated'])
  })

  test('a .dbf that counts more rows than it has, but as many as there are shapes, is no harm', async () => {
    const [layer] = await collect(loose({ 'a.shp': shp, 'a.dbf': namesTable(names, { declaredRows: 50 }) }))
    expect(layer!.found).toEqual([])
  })

  test('an empty .dbf alone is refused', async () => {
    await expect(collect(loose({ 'a.dbf': '' }))).rejects.toMatchObject({ code: 'file-empty' })
  })

  test('a .dbf that ends too early', async () => {
    const [layer] = await collect(loose({ 'a.shp': shp, 'a.dbf': dbf.subarray(0, dbf.length - 25) }))
    expect(layer!.rows).toHaveLength(3)
    expect(layer!.found).toMatchObject([
      { code: 'file-truncated', severity: 'error', message: expect.stringMatching(/counts 3.*holds 1/) },
    ])
  })

  test('text in no declared encoding is guessed, and said so', async () => {
    const [layer] = await collect(loose({ 'a.dbf': namesTable(['Près'], { encoding: 'latin1' }) }))
    expect(layer!.rows[0]!.values.NAME).toBe('Près')
    expect(layer!.found).toMatchObject([{ code: 'encoding-guessed' }])
  })

  test('the option enforces an encoding', async () => {
    const [layer] = await collect(
      loose({ 'a.dbf': namesTable(['Pr\x82s'], { encoding: 'latin1', languageDriver: 3 }) }),
      { encoding: 'cp850' },
    )
    expect(layer!.rows[0]!.values.NAME).toBe('Prés')
    expect(layer!.table.decisions).toMatchObject([{ value: 'cp850', evidence: 'The option says so.' }])
  })

  test('cut at every hundredth, each part gives rows, problems or a WindrowError', async () => {
    const many = Array.from({ length: 40 }, (_, index) => paddock(index * 20))
    const files = {
      'a.shp': shpBytes(many),
      'a.dbf': namesTable(many.map((_, index) => `Kōwhai ${index}`)),
      'a.prj': prj,
      'a.cpg': 'UTF-8',
    }
    const zip = zipBytes(Object.entries(files).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) })))
    const survives = async (work: Promise<unknown>): Promise<void> => {
      await work.catch((error: unknown) => {
        if (!(error instanceof WindrowError)) throw error
      })
    }
    for (let percent = 0; percent < 100; percent += 1) {
      const part = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.floor((bytes.length * percent) / 100))
      await survives(collect(bufferSource('a.zip', part(zip))))
      for (const name of ['a.shp', 'a.dbf'] as const)
        await survives(collect(loose({ ...files, [name]: part(files[name]) })))
      await survives(collect(loose({ ...files, 'a.prj': part(Buffer.from(prj)) })))
    }
  })

  test('any one byte changed gives rows, problems or a WindrowError', async () => {
    for (const name of ['a.shp', 'a.dbf'] as const) {
      const good = { 'a.shp': shp, 'a.dbf': dbf }
      for (let at = 0; at < good[name].length; at += 1) {
        for (const byte of [0, 0x7f, 0xff]) {
          const damaged = good[name].slice()
          damaged[at] = byte
          const outcome = await collect(loose({ ...good, [name]: damaged })).catch((error: unknown) => error)
          if (!Array.isArray(outcome)) expect(outcome, `${name} ${at}`).toBeInstanceOf(WindrowError)
        }
      }
    }
  })
})

test('reads clean files as another reader does', async () => {
  const rings = [square(0, 0, 50), turned(square(10, 10, 5)), turned(square(20, 20, 5))]
  const bytes = shpBytes([
    partsContent(5, rings),
    partsContent(5, [square(0, 0, 5), square(100, 0, 5)]),
    partsContent(5, [square(3, 3, 1)]),
  ])
  const [layer] = await collect(loose({ 'a.shp': bytes }))
  expect(layer!.rows.map((row) => geoJsonFromShape(row.shape!))).toEqual(
    parseShp(bytes).map((each) => ({ ...each, bbox: undefined })),
  )
  const points = shpBytes([pointContent(1, [175.3, -37.8]), pointContent(1, [0, 0])], { type: 1 })
  const [other] = await collect(loose({ 'p.shp': points }))
  expect(other!.rows.map((row) => geoJsonFromShape(row.shape!))).toEqual(parseShp(points))
})
