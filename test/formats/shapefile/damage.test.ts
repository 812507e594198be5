import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../../src/core/error.ts'
import { bufferSource } from '../../../src/core/sources/source.ts'
import { zipBytes } from '../../core/zip-bytes.ts'
import { share } from '../../runs.ts'
import { collect, loose } from './collected.ts'
import {
  content,
  dbfBytes,
  namesTable,
  nullContent,
  partsContent,
  patchContent,
  shpBytes,
  square,
} from './made-files.ts'

const paddock = (x: number): Buffer => partsContent(5, [square(x, 0, 10)])
const shp = shpBytes([paddock(0), paddock(20), paddock(40)])
const names = ['Top Flat', 'Kōwhai', 'River']
const dbf = namesTable(names)
const prj = '\uFEFFPROJCS["NZGD_2000_New_Zealand_Transverse_Mercator"]\n'

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
    ['a MultiPatch', patchContent([[0, square(0, 0, 9)]]), 'geometry-wrong-type', 'error'],
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
  test('a .dbf whose .shp was left behind', async () => {
    const [layer] = await collect(loose({ 'a.dbf': dbf, 'a.prj': prj }))
    expect(layer!.table.hasGeometry).toBe(false)
    expect(layer!.found).toMatchObject([
      { code: 'file-inconsistent', severity: 'error', message: expect.stringContaining('no .shp') },
    ])
  })

  test.each([
    ['the .prj', { 'a.prj': prj, 'a.qpj': 'other' }, '.prj', prj.slice(1).trim()],
    ['the .qpj where there is no .prj', { 'a.QPJ': prj }, '.qpj', prj.slice(1).trim()],
    ['the .qpj where the .prj is blank', { 'a.prj': '\r\n', 'a.qpj': prj }, '.qpj', prj.slice(1).trim()],
    ['a .prj in UTF-16', { 'a.prj': Buffer.from(prj, 'utf16le') }, '.prj', prj.slice(1).trim()],
    ['a .prj with NULs behind', { 'a.prj': `${prj}\0\0` }, '.prj', prj.slice(1).trim()],
  ])('the coordinate system is said by %s', async (_, files, from, text) => {
    const [layer] = await collect(loose({ 'a.shp': shp, 'a.dbf': dbf, ...files }))
    expect(layer!.table.crs).toEqual({ from, text })
  })

  test('columns that cannot be read say why', async () => {
    const fields = [
      { name: 'NOTE', letter: 'M', width: 10 },
      { name: 'EMPTY', letter: 'C', width: 0 },
      { name: 'PHOTO', letter: 'W', width: 4 },
    ]
    const [layer] = await collect(loose({ 'a.dbf': dbfBytes({ fields, rows: [{ cells: ['1', '', 'x'] }] }) }))
    expect(layer!.rows[0]!.values).toEqual({ NOTE: null, EMPTY: null, PHOTO: null })
    expect(layer!.found.map(({ column, message }) => [column, /memo|width|not text/.exec(message)?.[0]])).toEqual([
      ['NOTE', 'memo'],
      ['EMPTY', 'width'],
      ['PHOTO', 'not text'],
    ])
  })

  test('a length beyond 2 GB in the header does no harm', async () => {
    const bytes = Buffer.from(shp)
    bytes.writeUInt32BE(0xc0000000, 24)
    const [layer] = await collect(loose({ 'a.shp': bytes, 'a.dbf': dbf }))
    expect(layer!.rows).toHaveLength(3)
    expect(layer!.found).toEqual([])
  })

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
      { code: 'file-truncated', severity: 'error', message: expect.stringMatching(/should have 3.*has 1/) },
    ])
  })

  test('text without a declared encoding is guessed, and the guess is reported', async () => {
    const [layer] = await collect(loose({ 'a.dbf': namesTable(['Près'], { encoding: 'latin1' }) }))
    expect(layer!.rows[0]!.values.NAME).toBe('Près')
    expect(layer!.found).toMatchObject([{ code: 'encoding-guessed' }])
  })

  test.each([
    ['UTF-8 under a byte that names Windows', 'utf8', 0x57, ['R\u0101hui', 'K\u014dwhai']],
    ['letters of DOS that nothing declares', 'latin1', 0, ['Gr\u00fcnland', 'Pr\u00e9s']],
  ] as const)('%s is read as what it is, and that said', async (_, encoding, languageDriver, expected) => {
    const cells = encoding === 'utf8' ? expected : ['Gr\x81nland', 'Pr\x82s']
    const [layer] = await collect(loose({ 'a.dbf': namesTable(cells, { encoding, languageDriver }) }))
    expect(layer!.rows.map((row) => row.values.NAME)).toEqual(expected)
    expect(layer!.found.map(({ code }) => code)).toEqual(['encoding-guessed'])
  })

  test('the option enforces an encoding', async () => {
    const [layer] = await collect(
      loose({ 'a.dbf': namesTable(['Pr\x82s'], { encoding: 'latin1', languageDriver: 3 }) }),
      { encoding: 'cp850' },
    )
    expect(layer!.rows[0]!.values.NAME).toBe('Prés')
    expect(layer!.table.choices).toMatchObject([{ value: 'cp850', evidence: 'Set, not guessed.' }])
  })

  const percents = share(
    Array.from({ length: 100 }, (_, percent) => percent),
    20,
  )
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
    for (const percent of percents) {
      const part = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.floor((bytes.length * percent) / 100))
      await survives(collect(bufferSource('a.zip', part(zip))))
      for (const name of ['a.shp', 'a.dbf'] as const)
        await survives(collect(loose({ ...files, [name]: part(files[name]) })))
      await survives(collect(loose({ ...files, 'a.prj': part(Buffer.from(prj)) })))
    }
  })

  const good = { 'a.shp': shp, 'a.dbf': dbf }
  const changes = (['a.shp', 'a.dbf'] as const).flatMap((name) =>
    Array.from(good[name], (_, at) => at).flatMap((at) => [0, 0xff].map((byte) => ({ name, at, byte }))),
  )
  const chosen = share(changes, 150, ({ name }) => name)
  test('any one byte changed gives rows, problems or a WindrowError', async () => {
    for (const { name, at, byte } of chosen) {
      const damaged = good[name].slice()
      damaged[at] = byte
      const outcome = await collect(loose({ ...good, [name]: damaged })).catch((error: unknown) => error)
      if (!Array.isArray(outcome)) expect(outcome, `${name} ${at}`).toBeInstanceOf(WindrowError)
    }
  })
})
