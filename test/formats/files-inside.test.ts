import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { folderSource } from '../../src/core/sources/folder.ts'
import { bufferSource, type Source } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { openFile } from '../../src/formats/index.ts'
import { folderWith } from '../core/temporary-folder.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { fixtures, rowsOf } from './fixtures.ts'

type Files = Readonly<Record<string, string | Uint8Array>>

const zipOf = (files: Files): Uint8Array => zipBytes(Object.entries(files).map(([name, bytes]) => ({ name, bytes })))
const paddocks = (name: string): Uint8Array => fixtures.find((each) => each.name === name)!.make(3)
const table = 'id;name\n1;Top\n'

/** A folder and a zip are one idea, so each rule is held by both. */
const containers: readonly [string, (files: Files) => Source][] = [
  ['zip', (files) => bufferSource('farm', zipOf(files))],
  ['folder', (files) => folderSource(folderWith(files))],
]

describe.each(containers)('in a %s', (_, made) => {
  test.each(fixtures.map(({ name, format }) => [name, format]))('the only file is opened: %s', async (name, format) => {
    const source = made({
      [`data/${name}`]: paddocks(name),
      'readme.txt': 'Paddocks of Rimu Farm',
      'map.jpg': '\xff\xd8',
    })
    const opened = await openFile(source)
    expect(opened.format.name).toBe(format)
    expect(opened.name).toBe(`${source.name}/data/${name}`)
    expect(await rowsOf(opened.tables[0]!)).toHaveLength(3)
    await opened.close()
  })

  test('a text is the table where there is no other', async () => {
    expect((await openFile(made({ 'paddocks.txt': table }))).tables).toHaveLength(1)
  })

  test('a readme is never the table, whatever else cannot be read', async () => {
    const note = 'Rimu Farm\nCall us, any time.\nThanks, bye.\n'
    await expect(openFile(made({ 'READ_ME.txt': note, 'farm.dxf': '0\nSECTION\n' }))).rejects.toMatchObject({
      code: 'format-unknown',
      message: expect.stringContaining('a CAD drawing'),
    })
  })

  test('files of one kind are the layers, by their paths where names repeat', async () => {
    const names = async (files: Files): Promise<readonly string[]> =>
      (await openFile(made(files))).tables.map(({ name }) => name)
    expect(await names({ 'north.csv': table, 'south.csv': table })).toEqual(['north', 'south'])
    expect(await names({ 'north/a.csv': table, 'south/a.csv': table })).toEqual(['north/a', 'south/a'])
    const book = paddocks('paddocks.xls')
    expect(await names({ 'north.xls': book, 'south.xls': book })).toEqual(['north', 'south'])
  })

  test('a file packed with gzip is read where there is no other', async () => {
    const packed = gzipSync(table)
    const names = async (files: Files): Promise<readonly string[]> =>
      (await openFile(made({ 'readme.txt': 'Paddocks of Rimu Farm', ...files }))).tables.map(({ name }) => name)
    expect(await names({ 'north.csv.gz': packed })).toEqual(['north'])
    expect(await names({ 'north.csv.gz': packed, 'south.csv.gz': packed })).toEqual(['north', 'south'])
    expect(await names({ 'north.csv.gz': packed, 'south.csv': table })).toEqual(['south'])
    await expect(names({ 'north.csv.gz': packed.subarray(0, 20) })).rejects.toMatchObject({ code: 'file-damaged' })
  })

  test('files of several kinds are listed with what to type', async () => {
    const source = made({ 'a.csv': table, 'b.geojson': paddocks('paddocks.geojson') })
    await expect(openFile(source)).rejects.toMatchObject({
      code: 'layer-unclear',
      message: expect.stringContaining('2 files that could be meant: a.csv, b.geojson'),
      hint: 'Choose one, once it is unpacked.',
    })
    expect((await openFile(source, { format: 'geojson' })).name).toBe(`${source.name}/b.geojson`)
  })

  test('a shapefile without its .shp is one table, whatever other parts of it are there', async () => {
    const members = await membersOfZip(bufferSource('paddocks.zip', paddocks('paddocks.zip')))
    // An index begins like a .shp.
    const parts = await Promise.all(
      members.map(
        async ({ name, source }) => [name.replace(/shp$/, 'shx'), await source.read(0, source.size)] as const,
      ),
    )
    expect((await openFile(made(Object.fromEntries(parts)))).tables).toHaveLength(1)
  })

  test('a shapefile has the whole, and what lies beside it is named', async () => {
    const inner = await Promise.all(
      (await membersOfZip(bufferSource('paddocks.zip', paddocks('paddocks.zip')))).map(async ({ name, source }) => [
        `maps/${name}`,
        await source.read(0, source.size),
      ]),
    )
    const source = made({ ...(Object.fromEntries(inner) as Files), 'spraying.csv': table, 'readme.txt': 'x' })
    const { format, tables } = await openFile(source)
    expect([format.name, tables.map(({ name }) => name)]).toEqual(['shapefile', ['paddocks']])
    expect(await rowsOf(tables[0]!)).toHaveLength(3)
    expect(tables[0]!.found()[0]).toMatchObject({
      code: 'files-beside',
      severity: 'note',
      message: `"${source.name}" also contains spraying.csv, which was not read.`,
    })
  })

  test('a zip in it is opened, also two deep', async () => {
    const zip = paddocks('paddocks.zip')
    const opened = await openFile(made({ 'outer.zip': zipOf({ 'inner.zip': zip }), 'licence.txt': 'Free' }))
    expect(opened.name).toMatch(/\/outer\.zip\/inner\.zip$/)
    expect(await rowsOf(opened.tables[0]!)).toHaveLength(3)
    await opened.close()
    const layers = await openFile(made({ 'north.zip': zip, 'south.zip': zip }))
    expect(layers.tables.map(({ name }) => name)).toEqual(['north', 'south'])
  })

  test('a damaged zip is an error if there is nothing else, otherwise skipped with a note', async () => {
    const damaged = paddocks('paddocks.zip').subarray(0, 200)
    await expect(openFile(made({ 'north.zip': damaged }))).rejects.toMatchObject({
      code: 'file-damaged',
      message: expect.stringContaining('north.zip'),
    })
    const { format, tables } = await openFile(made({ 'north.zip': damaged, 'a.csv': table }))
    expect(format.name).toBe('csv')
    expect(tables[0]!.found()).toMatchObject([{ code: 'files-beside', message: expect.stringContaining('north.zip') }])
  })

  test('a sheet embedded in a document is not taken for the document', async () => {
    const document = { '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w/>' }
    const source = made({ ...document, 'word/embeddings/sheet.xls': paddocks('paddocks.xls') })
    await expect(openFile(source)).rejects.toMatchObject({ data: { likeness: 'a Word or PowerPoint document' } })
  })

  test.each([
    ['Rimu.gdb/a00000001.gdbtable', 'a file geodatabase'],
    ['TASKDATA/TASKDATA.XML', 'an ISOXML task'],
  ])('%s is called by its name', async (name, likeness) => {
    await expect(openFile(made({ [name]: '<x/>' }))).rejects.toMatchObject({
      code: 'format-unknown',
      data: { likeness },
    })
  })

  test('a folder with nothing readable is reported with its contents', async () => {
    const kind = made({}).members === undefined ? 'zip file' : 'folder'
    await expect(openFile(made({ 'a.jpg': '\xff\xd8\xff' }))).rejects.toMatchObject({
      message: expect.stringContaining(`a ${kind} with nothing in it that can be read (a.jpg)`),
    })
    await expect(openFile(made({}))).rejects.toMatchObject({ message: expect.stringContaining(`an empty ${kind}`) })
  })

  test('more files than anybody chooses from are refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_each, index) => [`${index}.csv`, table]))
    await expect(openFile(made(many))).rejects.toMatchObject({
      code: 'layer-unclear',
      message: expect.stringContaining('51 files'),
    })
  })
})
