import { describe, expect, test } from 'vitest'
import type { Source } from '../../src/core/sources/source.ts'
import { zipTarget } from '../../src/core/sources/zip-writer.ts'
import type { Format } from '../../src/formats/format.ts'
import { formatForTarget, formats, openFile } from '../../src/formats/index.ts'
import { memoryTarget, outTable, recogniseFormat, sourceOf } from './fixtures.ts'

async function zipOf(name: string, members: readonly string[]): Promise<Source> {
  const target = memoryTarget(name)
  const zip = zipTarget(target)
  for (const member of members) await zip.add(member, ['x'])
  await zip.finish()
  return sourceOf(name, target.bytes())
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')

describe('recogniseFormat', () => {
  test.each([
    ['a.csv', 'id,name\n1,Top\n', 'csv'],
    ['A.TSV', 'id\tname\n1\tTop\n', 'csv'],
    ['table.txt', 'id;name\n1;Top\n', 'csv'],
    ['stdin', 'id;name\n1;Top\n', 'csv'],
    ['stdin', 'Rimu Farm 2026\n\nid;name\n1;Top\n2;River\n', 'csv'],
    ['stdin', 'Dear Sir, hello\nthis is, well, a letter\nwith commas, yes\nand more\n', undefined],
    ['a.geojson', '{"type":"FeatureCollection","features":[]}', 'geojson'],
    ['a.json', '{ "features": [] }', 'geojson'],
    ['stdin', '{"type":"Feature","geometry":null}', 'geojson'],
    ['stdin', '\x1e{"type":"Point","coordinates":[1,2]}', 'geojson'],
    ['a.json', '{"name":"windrow"}', undefined],
    ['stdin', 'one line', undefined],
    ['notes.md', '# Rimu, Farm\na, b\n', undefined],
    ['paddocks.csv', '<!DOCTYPE html>\n<html>Sign in, please</html>', undefined],
    ['paddocks.csv', '\ufeff<!DOCTYPE html>\n<html>Sign in, please</html>', undefined],
    ['fake.csv', '\x00\x01\x02\x00\x00\x00', undefined],
  ])('%s with %j is %s', async (name, text, format) => {
    expect((await recogniseFormat(sourceOf(name, text)))?.name).toBe(format)
  })

  test('a workbook that is written is recognised as one', async () => {
    const target = memoryTarget('out.xlsx')
    await formatForTarget('out.xlsx').write!([outTable([], { columns: [] })], target, {})
    const source = sourceOf('out.xlsx', target.bytes())
    expect((await recogniseFormat(source))?.name).toBe('xlsx')
    await expect(openFile(source)).rejects.toMatchObject({ code: 'file-empty' })
  })
})

describe('a file that no format knows is called by what it looks like', () => {
  test.each([
    ['map.pdf', latin('%PDF-1.7\n'), 'a PDF'],
    ['IMG_0001.jpg', latin('\xff\xd8\xff\xe0\x00\x10JFIF\x00'), 'a photo'],
    ['map.png', latin('\x89PNG\r\n\x1a\n\x00'), 'a photo'],
    ['map.tif', latin('II*\x00\x08\x00'), 'TIFF'],
    ['paddocks.shp', latin('<!DOCTYPE html><html>Sign in'), 'a web page'],
    ['paddocks.yaml', latin('# Nightly\nwindrow: 1\nimport: plots\n'), 'a pipeline'],
    ['farm.gml', latin('<?xml version="1.0"?><gml:FeatureCollection>'), 'GML'],
    ['track.gpx', latin('<?xml version="1.0"?><gpx>'), 'GPX'],
    ['walk.plt', latin('OziExplorer Track Point File Version 2.1\r\nWGS 84\r\n'), 'OziExplorer'],
    ['TASKDATA.XML', latin('<?xml version="1.0"?><ISO11783_TaskData VersionMajor="4">'), 'ISOXML'],
    ['farm.xml', latin('<?xml version="1.0"?><farm/>'), 'XML'],
    ['plan.dxf', latin('  0\r\nSECTION\r\n'), 'a CAD drawing'],
    ['plan.dwg', latin('AC1027\x00\x00'), 'a CAD drawing'],
    ['farm.db', latin('SQLite format 3\x00'), 'SQLite'],
    ['farm.mdb', latin('\x00\x01\x00\x00Standard Jet DB\x00'), 'Access'],
    ['farm.fgb', latin('fgb\x03fgb\x00'), 'FlatGeobuf'],
    ['farm.parquet', latin('PAR1\x15\x00'), 'Parquet'],
    ['letter.doc', latin('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00'), 'Office document from before 2007'],
    ['setup.exe', latin('MZ\x90\x00'), 'a program'],
    ['farm.rar', latin('Rar!\x1a\x07\x00'), 'not a zip'],
    ['farm.7z', latin("7z\xbc\xaf'\x1c\x00\x04"), 'not a zip'],
    ['farm.tar', latin(`paddocks.shp${'\x00'.repeat(245)}ustar\x00`), 'not a zip'],
    ['farm.geojson.gz', latin('\x1f\x8b\x08\x00'), 'not a zip'],
    ['map.jp2', latin('\x00\x00\x00\x0cjP  '), 'raster of a map'],
    ['spraying.xls', latin('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>'), 'Excel 2003 XML'],
    [
      'spraying.xls',
      latin('<html xmlns:x="urn:schemas-microsoft-com:office:excel"><table>'),
      'a web page with a table',
    ],
    [
      'paddocks.fods',
      latin('<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0">'),
      'flat OpenDocument',
    ],
    ['farm.qgs', latin('<!DOCTYPE qgis PUBLIC>\n<qgis projectname="Rimu">'), 'a QGIS project'],
    ['paddocks.TAB', latin('!table\r\n!version 300\r\n'), 'MapInfo map (TAB)'],
    ['paddocks.mif', latin('Version 300\r\nCharset "WindowsLatin1"\r\n'), 'MapInfo map (MIF)'],
    ['paddocks.mid', latin('"1","Top"\r\n'), 'files of a MapInfo map'],
    ['notes.fpt', latin('\x00\x00\x00\x08'), 'belong to a .dbf'],
    ['harvest.agdata', latin('\x07\x00\x01\x02'), 'a terminal'],
    ['farm.lyrx', latin('\x07\x00'), 'ArcGIS'],
    ['paddocks.csv', latin('{"error":{"code":499,"message":"Token Required"}}'), 'error message of a server'],
    ['paddocks.json', latin('[{"id":1}]'), 'JSON, but not a map'],
    [
      'paddocks.geojson',
      latin('[{"type":"FeatureCollection","features":[{"type":"Feature"}]}]'),
      'JSON, but not a map',
    ],
    ['paddocks.json', Buffer.from('\ufeff{"paddock":1}', 'utf16le'), 'JSON, but not a map'],
    ['paddocks.shp', latin('version https://git-lfs.github.com/spec/v1\n'), 'Git LFS'],
    ['farm.xlsx - Shortcut.lnk', latin('L\x00\x00\x00\x01\x14\x02\x00'), 'a shortcut'],
    ['paddocks.zip.crdownload', latin('\x07\x00'), 'not finished'],
    ['cloud.laz', latin('LASF\x00\x00'), 'point cloud'],
    ['farm.feather', latin('ARROW1\x00\x00'), 'an Arrow'],
    ['paddocks.dbf', latin('\x03\x7a\x01\x01\x00'), 'files of a shapefile'],
    ['what.bin', latin('\x07\x00\x01\x02'), 'binary file of an unknown kind'],
    ['what', latin('hello'), 'text of an unknown kind'],
  ])('%s', async (name, bytes, likeness) => {
    const refusal = openFile(sourceOf(name, bytes))
    await expect(refusal).rejects.toMatchObject({
      code: 'format-unknown',
      data: { likeness: expect.stringContaining(likeness) },
    })
    await expect(refusal).rejects.toMatchObject({ hint: expect.stringContaining('What can be read: .') })
  })

  test.each([
    ['farm.gdb.zip', ['Rimu.gdb/a00000001.gdbtable'], 'file geodatabase'],
    ['taskdata.zip', ['TASKDATA/TASKDATA.XML'], 'ISOXML'],
    ['letter.docx', ['word/document.xml'], 'Word'],
    ['letter.odt', ['mimetype', 'content.xml'], 'ODT'],
    ['terminal.zip', ['RCD/Global.ver', 'RCD/EIC/b.bin'], 'a terminal'],
    ['map.zip', ['paddocks.MIF', 'paddocks.MID'], 'MapInfo'],
    ['farm.qgz', ['farm.qgs'], 'a QGIS project'],
    ['photos.zip', ['a.jpg', 'b.jpg'], 'a.jpg, b.jpg'],
    ['empty.zip', [], 'empty zip'],
  ])('%s', async (name, members, likeness) => {
    await expect(openFile(await zipOf(name, members))).rejects.toMatchObject({
      code: 'format-unknown',
      data: { likeness: expect.stringContaining(likeness) },
    })
  })
})

describe('openFile', () => {
  test('takes the format that is named, and refuses a name that is none', async () => {
    const source = sourceOf('paddocks.dat.1', 'id;name\n1;Top\n')
    expect((await openFile(source, { format: 'CSV', options: { delimiter: ';' } })).tables).toHaveLength(1)
    await expect(openFile(source, { format: 'excel' })).rejects.toMatchObject({
      code: 'option-invalid',
      hint: expect.stringContaining('csv'),
    })
  })

  test('takes formats from outside', async () => {
    const mine: Format = {
      name: 'mine',
      title: 'Mine',
      extensions: ['.mine'],
      options: { type: 'object', properties: {}, additionalProperties: false },
      recognise: ({ name }) => name.endsWith('.mine'),
      open: () => Promise.resolve([]),
    }
    expect((await openFile(sourceOf('a.mine', 'x'), { formats: [...formats, mine] })).format).toBe(mine)
  })
})

describe('formatForTarget', () => {
  test.each([
    ['out/Spraying.XLSX', 'xlsx'],
    ['plots.geojson', 'geojson'],
    ['plots.ndjson', 'geojson'],
    ['plots.csv', 'csv'],
    ['plots.tsv', 'csv'],
  ])('%s is written as %s', (path, name) => {
    expect(formatForTarget(path).name).toBe(name)
  })

  test.each(['plots.ods', 'plots.xls', 'plots.pdf', 'plots'])('%s is refused with what can be written', (path) => {
    expect(() => formatForTarget(path)).toThrow(
      expect.objectContaining({ code: 'format-cannot-write', hint: expect.stringContaining('.xlsx') }),
    )
  })

  const offered = formats.flatMap(({ write, extensions, writtenAs = extensions }) => (write ? writtenAs : []))

  test('no ending is offered that is not written', () => {
    expect(() => formatForTarget('plots')).toThrow(
      expect.objectContaining({ hint: `End the name with one of ${offered.join(' ')}.` }),
    )
  })

  test.each(offered)('a file that ends in %s is written', async (ending) => {
    const target = memoryTarget(`out${ending}`)
    const table = outTable([{ values: { Name: 'Rāhui' } }], { columns: [{ name: 'Name', type: 'text' }] })
    await formatForTarget(target.path).write!([table], target, {})
    expect(target.bytes().length).toBeGreaterThan(0)
  })
})
