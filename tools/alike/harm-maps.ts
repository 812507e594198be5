/** Makes maps and containers with odd boundaries, damage and attacks, and kinds of file that windrow must refuse in words that help. */

import { geometryBlob, layerSql, packageBytes, polygonWkb } from '../../test/formats/geopackage/made-packages.ts'
import { nztmPrj } from '../shapefile-zip.ts'
import { collection, csv, geojson, kml, nztm, placemark, shapefile, tableOf, zip, type Paddock } from './farm.ts'
import { imports, oneFile, type Farm, type Harm, type Typed } from './trial.ts'

type Ring = Paddock['ring']

const text = ({ paddocks }: Farm): string => csv(tableOf(paddocks))
const mapOf = (how: (paddocks: readonly Paddock[]) => readonly Paddock[], typed?: Typed): Harm =>
  oneFile('map.geojson', ({ paddocks }) => geojson(how(paddocks)), typed)
const redrawn = (paddocks: readonly Paddock[], how: (ring: Ring, index: number) => Ring): readonly Paddock[] =>
  paddocks.map((each, index) => ({ ...each, ring: how(each.ring, index) }))
const eastward = (ring: Ring, degrees: number): Ring => ring.map(([x, y]) => [x + degrees, y])
const crossed = (paddocks: readonly Paddock[]): readonly Paddock[] =>
  redrawn(paddocks, (ring, index) => (index === 2 ? [ring[0]!, ring[2]!, ring[1]!, ring[3]!, ring[0]!] : ring))

export const harmOfMaps: Readonly<Record<string, Harm>> = {
  'a KML of paddocks': oneFile(
    'farm.kml',
    (farm) => kml(farm.paddocks.map((each) => placemark(each)).join('\n')),
    '--key name',
  ),
  'a KML with land cover in folders': oneFile(
    'farm.kml',
    (farm) =>
      kml(
        `<Folder><name>Paddocks</name>${farm.paddocks
          .slice(0, 6)
          .map((each) => placemark(each))
          .join('')}</Folder><Folder><name>Land cover</name>${farm.paddocks
          .slice(6)
          .map((each, index) => placemark({ ...each, name: ['Bush', 'Wetland', 'House &amp; yards', 'Pine'][index]! }))
          .join('')}</Folder>`,
      ),
    '--key name',
  ),
  'blocks as folders, numbers as names': oneFile(
    'farm.kml',
    (farm) =>
      kml(
        [0, 1]
          .map(
            (block) =>
              `<Folder><name>Block ${block}</name>${farm.paddocks
                .slice(block * 5, block * 5 + 5)
                .map((each, index) => placemark({ ...each, name: String(index + 1) }))
                .join('')}</Folder>`,
          )
          .join(''),
      ),
    '--key folder --key name',
  ),
  'a placemark by a schema': oneFile(
    'mix.kml',
    (farm) =>
      kml(
        `<Schema parent="Placemark" name="S_fields"><SimpleField type="wstring" name="ID"/></Schema>${placemark(farm.paddocks[0]!)}${placemark(farm.paddocks[1]!).replaceAll('Placemark', 'S_fields')}`,
      ),
    '--key name',
  ),
  'a KML with a link': oneFile(
    'link.kml',
    () => kml('<NetworkLink><name>My map</name><Link><href>https://maps.example/x.kml</href></Link></NetworkLink>'),
    '',
  ),
  'a table in the description': oneFile(
    'arcgis.kml',
    (farm) =>
      kml(
        farm.paddocks
          .map((each) =>
            placemark(
              { ...each, name: '' },
              `<description><![CDATA[<table><tr><td>ID</td><td>${each.id}</td></tr><tr><td>NAME</td><td>${each.name}</td></tr></table>]]></description>`,
            ),
          )
          .join(''),
      ),
    '--key ID',
  ),
  'entities nine levels deep': oneFile(
    'bomb.kml',
    () =>
      `<?xml version="1.0"?><!DOCTYPE k [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY ${'bcdefghij'[index]} "${`&${'abcdefghi'[index]};`.repeat(10)}">`).join('')}]><kml><Document><name>&j;</name></Document></kml>`,
    '',
  ),
  'an entity from the disk': oneFile(
    'file.kml',
    () =>
      '<?xml version="1.0"?><!DOCTYPE k [<!ENTITY x SYSTEM "file:///etc/passwd">]><kml><Document><Placemark><name>&x;</name></Placemark></Document></kml>',
    '',
  ),
  'the outline of the farm': mapOf((paddocks) => [...paddocks, { ...paddocks[0]!, id: '99', ring: outline(paddocks) }]),
  'one boundary inside another': mapOf((paddocks) => [
    ...paddocks,
    { ...paddocks[0]!, id: '98', ring: shrunk(paddocks[3]!) },
  ]),
  'the same boundary twice': mapOf((paddocks) => [...paddocks, { ...paddocks[4]!, id: '97', name: 'Again' }]),
  'overlaps and gaps': mapOf((paddocks) => redrawn(paddocks, (ring, index) => eastward(ring, (index % 3) * 0.0002))),
  'slivers between boundaries': mapOf((paddocks) =>
    redrawn(paddocks, (ring, index) => eastward(ring, (index % 5) * 0.000_004)),
  ),
  'a bow': mapOf(crossed),
  'a bow that may be repaired': mapOf(crossed, ['--key', 'ID', '--set', 'geometry.repair=60 %']),
  'a spike and repeated points': mapOf((paddocks) =>
    redrawn(paddocks, ([a, b, ...rest]) => [a!, b!, [b![0] + 0.001, b![1]], b!, b!, ...rest]),
  ),
  'an open ring': mapOf((paddocks) => redrawn(paddocks, (ring) => ring.slice(0, -1))),
  'a broken JSON': oneFile('map.geojson', (farm) => geojson(farm.paddocks).slice(0, 1500)),
  'numbers without end in JSON': oneFile('map.geojson', (farm) =>
    geojson(farm.paddocks).replace(/\[1\d+\.\d+,/, '[1e400,'),
  ),
  'lists very deep in JSON': oneFile(
    'map.geojson',
    () => `{"type":"FeatureCollection","features":${'['.repeat(50_000)}`,
    '',
  ),
  'a collection of points': oneFile('points.geojson', (farm) =>
    collection(
      farm.paddocks.map(({ id, ring }) => ({
        properties: { ID: id },
        geometry: { type: 'Point', coordinates: ring[0] },
      })),
    ),
  ),
  'a GeoPackage': oneFile('farm.gpkg', (farm) => geopackage(farm, ['paddocks']), '--key ID'),
  'a GeoPackage with four layers': oneFile(
    'farm.gpkg',
    (farm) => geopackage(farm, ['paddocks', 'fences', 'troughs', 'gates']),
    '',
  ),
  'a layer by its name': (farm) =>
    imports(farm, { 'farm.gpkg': geopackage(farm, ['paddocks', 'fences']) }, '--layer paddocks --key ID'),
  'a zip in a zip of a Mac': oneFile('outer.zip', (farm) =>
    zip({
      'farm/inner.zip': zip(shapefile(farm.paddocks, { prj: nztmPrj, project: nztm })),
      '__MACOSX/farm/._inner.zip': 'x',
    }),
  ),
  'a zip that leaves its folder': oneFile('out.zip', (farm) => zip({ '../../evil.csv': text(farm) }), ''),
  'a zip with an absolute path': oneFile('out.zip', (farm) => zip({ '/etc/evil.csv': text(farm) }), ''),
  'a zip with a spreadsheet': oneFile('office.zip', (farm) =>
    zip({ 'paddocks.csv': text(farm), 'readme.txt': 'hello' }),
  ),
  'a zip of pictures': oneFile(
    'photos.zip',
    () => zip({ 'a.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'b.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0]) }),
    '',
  ),
  'a shapefile cut off': (farm) => {
    const files = shapefile(farm.paddocks, { prj: nztmPrj, project: nztm })
    return imports(
      farm,
      { ...files, 'paddocks.shp': Buffer.from(files['paddocks.shp']!).subarray(0, 700) },
      '--key ID',
      'paddocks.shp',
    )
  },
  'a table shorter than its shapes': (farm) =>
    imports(
      farm,
      {
        ...shapefile(farm.paddocks, { prj: nztmPrj, project: nztm }),
        'paddocks.dbf': shapefile(farm.paddocks.slice(0, 7))['paddocks.dbf']!,
      },
      '--key ID',
      'paddocks.shp',
    ),
  'a DBF in Latin-1': (farm) => {
    const french = farm.paddocks.map((each, index) => ({ ...each, name: `Pré ${index} à côté` }))
    const files = shapefile(french, { prj: nztmPrj, project: nztm, encoding: 'latin1' })
    return imports(farm, files, '--key ID', 'paddocks.shp')
  },
  ...Object.fromEntries(
    Object.entries({
      'fields.rar': 'Rar!\x1a\x07\0noise',
      'fields.7z': "7z\xbc\xaf'\x1cnoise",
      'plan.dwg': 'AC1032noise',
      'plan.dxf': '  0\nSECTION\n  2\nHEADER\n  0\nENDSEC\n  0\nEOF\n',
      'photo.jpg': '\xff\xd8\xff\xe0noise',
      'plan.pdf': '%PDF-1.7\nnoise',
      'track.gpx':
        '<?xml version="1.0"?><gpx version="1.1"><trk><name>Fence</name><trkseg><trkpt lat="-37.8" lon="175.3"/></trkseg></trk></gpx>',
      'fields.gml': '<?xml version="1.0"?><wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0"/>',
      'fields.fgb': 'fgb\x03fgb\0noise',
      'fields.mif': 'Version 300\nCharset "WindowsLatin1"\nColumns 1\n  ID Char(10)\nData\n',
      'lfs.csv':
        'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n',
      'empty.csv': '',
      'empty.geojson': '{"type":"FeatureCollection","features":[]}',
    }).map(([name, content]) => [`a ${name}`, oneFile(name, () => Buffer.from(content, 'latin1'), '')]),
  ),
}

function outline(paddocks: readonly Paddock[]): Ring {
  const [west, south] = paddocks[0]!.ring[0]!
  const [east, north] = paddocks.at(-1)!.ring[2]!
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
}

/** The middle quarter of the paddock. */
function shrunk({ ring }: Paddock): Ring {
  const middle = (axis: 0 | 1): number => (ring[0]![axis] + ring[2]![axis]) / 2
  return ring.map(([x, y]) => [(x + middle(0)) / 2, (y + middle(1)) / 2])
}

function geopackage({ paddocks }: Farm, layers: readonly string[]): Uint8Array {
  const rows = paddocks.map(({ id, name, ring }, index) => [
    index + 1,
    id,
    name,
    geometryBlob(polygonWkb([ring]), 4326),
  ])
  return packageBytes({
    sql: layers.map((name) => layerSql('ID TEXT, NAME TEXT', { name, system: 4326 })).join('\n'),
    insert: { into: layers[0]!, rows },
  })
}
