import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import type { Row, Table } from '../../src/core/row.ts'
import { bufferSource, fileSource } from '../../src/core/sources/source.ts'
import { geopackage } from '../../src/formats/geopackage.ts'
import { openFile } from '../../src/formats/index.ts'
import { identifyCrs } from '../../src/geometry/crs/crs.ts'
import { only, rowsOf } from './fixtures.ts'
import {
  geometryBlob,
  layerSql,
  packageBytes,
  pointWkb,
  polygonWkb,
  withPackage,
  type Wanted,
} from './geopackage/made-packages.ts'

async function open(wanted: Wanted): Promise<readonly Table[]> {
  return geopackage.open!(bufferSource('farm.gpkg', packageBytes(wanted)), {})
}

async function read(wanted: Wanted): Promise<Row[]> {
  return rowsOf(only(await open(wanted)))
}

const square = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]] as const // oxfmt-ignore
const boundary = geometryBlob(polygonWkb([square]))
const codes = (row: Row): readonly string[] => (row.problems ?? []).map(({ code }) => code)

describe('layers', () => {
  test('each table of features or attributes is one, how they are drawn is none', async () => {
    const tables = await open({
      sql: `${layerSql('name TEXT')} ${layerSql('', { name: 'Rāhui "north" block' })}
        CREATE TABLE sprays (id INTEGER PRIMARY KEY, product TEXT);
        CREATE TABLE layer_styles (id INTEGER PRIMARY KEY, styleQML TEXT);
        CREATE TABLE pictures (id INTEGER PRIMARY KEY);
        INSERT INTO gpkg_contents VALUES ('sprays', 'attributes', 'sprays', NULL),
          ('layer_styles', 'attributes', 'layer_styles', NULL), ('pictures', 'tiles', 'pictures', 4326)`,
    })
    expect(tables.map(({ name, hasGeometry }) => [name, hasGeometry])).toEqual([
      ['paddocks', true],
      ['Rāhui "north" block', true],
      ['sprays', false],
    ])
    for (const table of tables) expect(await rowsOf(table)).toEqual([])
  })

  test('a listed layer that is missing is reported with the others', async () => {
    const tables = await open({
      sql: `${layerSql('name TEXT')} INSERT INTO gpkg_contents VALUES ('gone', 'features', 'gone', 2193)`,
    })
    expect(only(tables).found()).toMatchObject([
      { code: 'file-inconsistent', message: expect.stringContaining('"gone"') },
    ])
  })

  test('a view is one, in the order it gives', async () => {
    const [, view] = await open({
      sql: `${layerSql('name TEXT, area REAL')}
        CREATE VIEW large AS SELECT fid, upper(name) AS name, area * 2 AS twice, geom FROM paddocks WHERE area > 1 ORDER BY area DESC;
        INSERT INTO gpkg_contents VALUES ('large', 'features', 'large', 2193);
        INSERT INTO gpkg_geometry_columns VALUES ('large', 'geom', 'POLYGON', 2193, 0, 0)`,
      insert: { into: 'paddocks', rows: [['a', 1], ['b', 2], ['c', 3]].map(([name, area], index) => [index + 7, name!, area!, boundary]) }, // oxfmt-ignore
    })
    const rows = await rowsOf(view!)
    expect(rows.map(({ at, values }) => [at.row, values.fid, values.name, values.twice])).toEqual([
      [1, 9, 'C', 6],
      [2, 8, 'B', 4],
    ])
    expect(rows[0]!.shape).toMatchObject({ kind: 'Polygon' })
  })
})

describe('rows', () => {
  test('are numbered by the key, and cells are what their column declares', async () => {
    const [first, second] = await read({
      sql: layerSql('"Paddock no" TEXT, sown DATE, seen DATETIME, irrigated BOOLEAN, id18 INTEGER, area DOUBLE'),
      insert: {
        into: 'paddocks',
        rows: [
          [12, '007', '2026-09-03', '2026-09-03T10:15:00.000Z', 1, 123456789012345678n, 3.25, boundary],
          [40, null, null, null, 0, -9223372036854775808n, null, null],
        ],
      },
    })
    expect(first!.at).toEqual({ source: 'farm.gpkg', row: 12 })
    expect(first!.values).toEqual({
      fid: 12,
      'Paddock no': '007',
      sown: '2026-09-03',
      seen: '2026-09-03T10:15:00.000Z',
      irrigated: true,
      id18: '123456789012345678',
      area: 3.25,
    })
    expect(second!.values).toMatchObject({
      fid: 40,
      'Paddock no': null,
      irrigated: false,
      id18: '-9223372036854775808',
    })
    expect(second!.shape).toBeNull()
  })

  test('columns say their kind, and one of bytes is named and left empty', async () => {
    const table = only(
      await open({
        sql: layerSql(
          'name TEXT(40), photo BLOB, label POINT, rating MEDIUMINT, irrigated BOOLEAN, sown DATE, seen DATETIME',
        ),
        insert: { into: 'paddocks', rows: [[1, 'a', Buffer.from('x'), null, 2, 1, null, null, boundary]] },
      }),
    )
    expect(table.columns).toEqual([
      { name: 'fid', type: 'integer' },
      { name: 'name', type: 'text' },
      { name: 'photo' },
      { name: 'label' },
      { name: 'rating', type: 'integer' },
      { name: 'irrigated', type: 'boolean' },
      { name: 'sown', type: 'date' },
      { name: 'seen', type: 'date-time' },
    ])
    expect(table.found()).toMatchObject([
      { code: 'column-unreadable', column: 'photo' },
      { code: 'column-unreadable', column: 'label' },
    ])
    expect((await rowsOf(table))[0]!.values).toMatchObject({ photo: null, rating: 2 })
  })

  test('bytes in a column of text are a warning of their row', async () => {
    const [row] = await read({
      sql: layerSql('name TEXT'),
      insert: { into: 'paddocks', rows: [[1, Buffer.from('x'), boundary]] },
    })
    expect(row!.values.name).toBeNull()
    expect(row!.problems).toMatchObject([{ code: 'value-not-fitting-column', severity: 'warning', column: 'name' }])
  })

  test('a computed column is read', async () => {
    const [row] = await read({
      sql: `${layerSql('area REAL, twice REAL AS (area * 2)')} INSERT INTO paddocks (fid, area) VALUES (1, 4)`,
    })
    expect(row!.values.twice).toBe(8)
  })

  test('a key of text is a column, and rows are counted', async () => {
    const rows = await read({
      sql: `CREATE TABLE paddocks (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
        INSERT INTO gpkg_contents VALUES ('paddocks', 'attributes', 'paddocks', NULL);
        INSERT INTO paddocks VALUES ('B', 'b'), ('A', 'a')`,
    })
    expect(rows.map(({ at, values }) => [at.row, values.code])).toEqual([
      [1, 'A'],
      [2, 'B'],
    ])
  })
})

describe('geometry', () => {
  const of = (blob: Buffer | null): Wanted => ({
    sql: layerSql(''),
    insert: { into: 'paddocks', rows: [[1, blob]] },
  })
  const enveloped = (code: number, bytes: number): Buffer => {
    const head = Buffer.concat([boundary.subarray(0, 8), Buffer.alloc(bytes)])
    head[3] = (code << 1) | 1
    return Buffer.concat([head, boundary.subarray(8)])
  }
  const bigHead = Buffer.from(boundary)
  bigHead[3] = 0
  bigHead.writeInt32BE(2193, 4)

  test.each([
    ['without envelope', boundary],
    ['with an envelope', enveloped(1, 32)],
    ['with heights in the envelope', enveloped(2, 48)],
    ['with all in the envelope', enveloped(4, 64)],
    ['with a header the other way round', bigHead],
  ])('%s is read', async (_, blob) => {
    const table = only(await open(of(blob)))
    const [row] = await rowsOf(table)
    expect(row!.shape).toEqual({
      kind: 'Polygon',
      coordinates: Float64Array.from(square.flat()),
      ends: [5],
      parts: [1],
    })
    expect(table.found()).toEqual([])
  })

  test.each([
    ['nothing', null],
    ['an empty point', geometryBlob(pointWkb(NaN, NaN))],
    ['an empty polygon', geometryBlob(polygonWkb([]))],
  ])('%s is no shape', async (_, blob) => {
    const [row] = await read(of(blob))
    expect(row).toMatchObject({ shape: null })
    expect(codes(row!)).toEqual([])
  })

  test.each([
    ['arcs', geometryBlob(Buffer.from([1, 10, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0]))],
    ['bytes without a header', Buffer.from(polygonWkb([square]))],
    ['an extension', Buffer.concat([Buffer.from('GP\0\x21\0\0\0\0', 'latin1'), polygonWkb([square])])],
    ['an envelope that is none', enveloped(7, 8)],
    ['a cut', boundary.subarray(0, -4)],
  ])('%s is a problem of its row', async (_, blob) => {
    const [row] = await read(of(blob))
    expect(codes(row!)).toEqual(['geometry-wrong-type'])
    expect(row!.shape).toBeNull()
  })

  test('that names another system than its layer is reported', async () => {
    const table = only(await open(of(geometryBlob(polygonWkb([square]), 4326))))
    await rowsOf(table)
    expect(table.found()).toMatchObject([{ code: 'file-inconsistent', message: expect.stringContaining('4326') }])
  })
})

describe('the coordinate system', () => {
  const described =
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]'

  test.each([
    ['by its code', 2193, '', 'EPSG:2193'],
    ['by its own number and another code', 100_001, `'epsg', 4326, 'undefined'`, 'EPSG:4326'],
    ['by its description', 100_002, `'NONE', 100002, '${described}'`, 'EPSG:4326'],
    ['by its description where the code is not known', 100_003, `'ACME', 7, '${described}'`, 'EPSG:4326'],
  ])('is known %s', async (_, number, row, code) => {
    const added = row === '' ? '' : `INSERT INTO gpkg_spatial_ref_sys VALUES ('x', ${number}, ${row}, NULL);`
    const { crs } = only(await open({ sql: added + layerSql('', { system: number }) }))
    expect(identifyCrs(crs!).code).toBe(code)
  })

  test.each([-1, 0, 77])('%d says nothing', async (number) => {
    expect(only(await open({ sql: layerSql('', { system: number }) })).crs).toBeUndefined()
  })
})

describe('the file', () => {
  const two: Wanted = {
    sql: layerSql('name TEXT'),
    insert: { into: 'paddocks', rows: [[1, 'a', boundary], [2, 'b', boundary]] }, // oxfmt-ignore
  }
  const namesIn = async (path: string): Promise<readonly unknown[]> =>
    (await rowsOf(only((await openFile(await fileSource(path))).tables))).map(({ values }) => values.name)

  test('is left as it was, with nothing beside it', () =>
    withPackage(two, async (path) => {
      const before = [readFileSync(path), statSync(path).mtimeMs]
      expect(await namesIn(path)).toEqual(['a', 'b'])
      expect([readFileSync(path), statSync(path).mtimeMs]).toEqual(before)
      expect(readdirSync(dirname(path))).toEqual(['farm.gpkg'])
    }))

  test('is read from a folder that may not be written, also when it was kept with a log', () =>
    withPackage(two, async (path) => {
      const database = new DatabaseSync(path)
      database.exec('PRAGMA journal_mode = WAL')
      database.close()
      chmodSync(dirname(path), 0o500)
      try {
        expect(await namesIn(path)).toEqual(['a', 'b'])
      } finally {
        chmodSync(dirname(path), 0o700)
      }
    }))

  test('is read with what lies in the log beside it, which stays', () =>
    withPackage(two, async (path) => {
      const copy = join(dirname(path), 'copied')
      const database = new DatabaseSync(path)
      database.exec("PRAGMA journal_mode = WAL; UPDATE paddocks SET name = 'repaired' WHERE fid = 2")
      mkdirSync(copy)
      for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, join(copy, `farm.gpkg${end}`))
      database.close()
      const copied = join(copy, 'farm.gpkg')
      const before = readFileSync(copied)
      expect(await namesIn(copied)).toEqual(['a', 'repaired'])
      expect(readFileSync(copied)).toEqual(before)
      expect(readdirSync(copy)).toEqual(['farm.gpkg', 'farm.gpkg-wal'])
    }))

  test('is read with its log also where the two are written in another case', () =>
    withPackage(two, async (path) => {
      using database = new DatabaseSync(path)
      database.exec("PRAGMA journal_mode = WAL; UPDATE paddocks SET name = 'repaired' WHERE fid = 2")
      const log = bufferSource('FARM.GPKG-wal', readFileSync(`${path}-wal`))
      const table = only(await geopackage.open!(bufferSource('farm.gpkg', readFileSync(path), [log]), {}))
      expect((await rowsOf(table)).map(({ values }) => values['name'])).toEqual(['a', 'repaired'])
      expect(table.found()).toEqual([])
    }))

  test('that was copied without its log has a warning that changes may be missing', () =>
    withPackage(two, async (path) => {
      const copied = join(dirname(path), 'copied.gpkg')
      using database = new DatabaseSync(path)
      database.exec("PRAGMA journal_mode = WAL; UPDATE paddocks SET name = 'repaired' WHERE fid = 2")
      copyFileSync(path, copied)
      const found = async (file: string) => {
        const table = only(await geopackage.open!(await fileSource(file), {}))
        await rowsOf(table)
        return table.found().map(({ code, message }) => `${code}: ${message}`)
      }
      expect(await found(copied)).toEqual([
        'file-inconsistent: Programs such as QGIS keep the last changes in a second file, "copied.gpkg-wal", while they have this one open. That file is not here, so changes may be missing.',
      ])
      expect(await found(path)).toEqual([])
    }))

  test('that is not a file is copied to where only its owner can read', async () => {
    const source = bufferSource('farm.gpkg', packageBytes(two))
    await inOwnTemporaryFolder(async (folder) => {
      const tables = await geopackage.open!(source, {})
      const [copy, ...more] = readdirSync(folder)
      expect(more).toEqual([])
      if (process.platform !== 'win32') expect(statSync(join(folder, copy!)).mode & 0o777).toBe(0o600)
      expect(await rowsOf(only(tables))).toHaveLength(2)
    })
  })

  test('with a damaged page in the middle gives the rows before it and a report', async () => {
    const rows = Array.from({ length: 400 }, (_, index) => [index + 1, `paddock ${index}`, boundary])
    const bytes = packageBytes({ sql: layerSql('name TEXT'), insert: { into: 'paddocks', rows } })
    bytes.fill(0xff, 40 * 1024, 41 * 1024)
    const table = only(await geopackage.open!(bufferSource('farm.gpkg', bytes), {}))
    const read = await rowsOf(table)
    expect(read.length).toBeGreaterThan(50)
    expect(read.length).toBeLessThan(400)
    expect(table.found()).toMatchObject([
      { code: 'file-truncated', severity: 'error', message: expect.stringContaining(`read: ${read.length}.`) },
    ])
  })

  test.each([
    [
      'no database behind its first bytes',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(500, 7)]),
      'file-damaged',
    ],
    ['another kind of database', sqliteBytes('CREATE TABLE t (a)'), 'format-unknown'],
    [
      'SpatiaLite',
      sqliteBytes('CREATE TABLE geometry_columns (a); CREATE TABLE spatial_ref_sys (a)'),
      'format-unknown',
    ],
    ['no layers', sqliteBytes('CREATE TABLE gpkg_contents (table_name, data_type, srs_id)'), 'file-empty'],
    [
      'a list of layers that never ends',
      sqliteBytes(
        'CREATE VIEW gpkg_contents AS WITH c(a) AS (SELECT 1 UNION ALL SELECT a FROM c) SELECT max(a) FROM c',
      ),
      'format-unknown',
    ],
  ])('with %s is refused', async (_, bytes, code) => {
    await inOwnTemporaryFolder(async (folder) => {
      await expect(openFile(bufferSource('farm.gpkg', bytes))).rejects.toMatchObject({ name: 'WindrowError', code })
      expect(readdirSync(folder)).toEqual([])
    })
  })
})

/** Other tests make temporary files at the same time. */
async function inOwnTemporaryFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-geopackage-test-'))
  const names = ['TMPDIR', 'TEMP', 'TMP'] as const
  const before = names.map((name) => process.env[name])
  for (const name of names) process.env[name] = folder
  try {
    await use(folder)
  } finally {
    names.forEach((name, index) => {
      if (before[index] === undefined) delete process.env[name]
      else process.env[name] = before[index]
    })
    rmSync(folder, { recursive: true, force: true })
  }
}

function sqliteBytes(sql: string): Uint8Array {
  const path = join(tmpdir(), `windrow-sqlite-test-${process.pid}-${Math.random()}`)
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  const bytes = readFileSync(path)
  rmSync(path)
  expect(existsSync(path)).toBe(false)
  return bytes
}

describe('a layer that the file computes', () => {
  const view = (query: string): Wanted => ({
    sql: `CREATE VIEW made AS ${query};
      INSERT INTO gpkg_contents VALUES ('made', 'attributes', 'made', NULL)`,
  })

  // One that never ends is among the hostile files (a.gpkg in test/formats/bombs.ts).
  test.each([
    ['fills the memory', 'SELECT hex(zeroblob(300000000)) AS a'],
    ['reads what is not there', 'SELECT a FROM nowhere'],
  ])('and that %s is refused', async (_, query) => {
    const failure = await read(view(query)).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(WindrowError)
    expect((failure as WindrowError).code).toMatch(/^file-/)
  })

  test('can be given up on', async () => {
    const controller = new AbortController()
    const table = only(await open(view('WITH c(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM c) SELECT a FROM c')))
    const reading = rowsOf(table, controller.signal)
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })
})
