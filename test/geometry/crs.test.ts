import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import type { CrsClue } from '../../src/core/row.ts'
import { identifyCrs } from '../../src/geometry/crs/crs.ts'
import { oceanAt, requireCrs } from '../../src/geometry/place/missing-crs.ts'
import { systems } from '../../src/geometry/crs/systems.ts'
import { cellsOf } from '../memory-table.ts'

function named(text: string, from: CrsClue['from'] = 'option') {
  return identifyCrs({ from, text })
}

function refused(work: () => unknown): WindrowError {
  try {
    work()
  } catch (error) {
    if (error instanceof WindrowError) return error
    throw error
  }
  throw new Error('It was not refused.')
}

const greenwich = 'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]'
const geogcs = (name: string, datum: string, spheroid: string): string =>
  `GEOGCS["${name}",DATUM["${datum}",SPHEROID[${spheroid}]],${greenwich}]`
const grs80 = '"GRS_1980",6378137.0,298.257222101'
const wgs84 = '"WGS_1984",6378137.0,298.257223563'
const bessel = '"Bessel_1841",6377397.155,299.1528128'
const wgs = geogcs('GCS_WGS_1984', 'D_WGS_1984', wgs84)
const nzgd2000 = geogcs('GCS_NZGD_2000', 'D_NZGD_2000', grs80)
const etrs = geogcs('GCS_ETRS_1989', 'D_ETRS_1989', grs80)
const auxiliary = 'WGS_1984_Major_Auxiliary_Sphere'
const sphere = geogcs('Sphere', `D_${auxiliary}`, `"${auxiliary}",6378137.0,0.0`)

type Parameters = Readonly<Record<string, number>>

const metre = 'UNIT["Meter",1.0]'

function esri(
  name: string,
  base: string,
  [projection, parameters]: readonly [string, Parameters],
  unit = metre,
): string {
  const listed = Object.entries(parameters).map(([key, value]) => `PARAMETER["${key}",${value}]`)
  return `PROJCS["${name}",${base},PROJECTION["${projection}"],${listed.join(',')},${unit}]`
}

/** Parameters as text, such as 'Azimuth|90; X_Scale|-1'. */
function numbers(text: string): Parameters {
  return Object.fromEntries(cellsOf(text).map(([name, value]) => [name, Number(value)]))
}

function tm([x0, y0, lon0, k, lat0 = 0]: readonly [number, number, number, number, number?]): readonly [
  string,
  Parameters,
] {
  return ['Transverse_Mercator', stereo([x0, y0, lon0, k, lat0])]
}

function stereo([x0, y0, lon0, k, lat0]: readonly [number, number, number, number, number]): Parameters {
  return { False_Easting: x0, False_Northing: y0, Central_Meridian: lon0, Scale_Factor: k, Latitude_Of_Origin: lat0 }
}

describe('codes', () => {
  const proposed = 'http://spatialreference.org/ref/epsg'
  test.each([
    ['EPSG:2193', 'EPSG:2193', 'NZTM2000'],
    ['epsg:2193', 'EPSG:2193', 'NZTM2000'],
    ['2193', 'EPSG:2193', 'NZTM2000'],
    ['NZTM2000', 'EPSG:2193', 'NZTM2000'],
    ['urn:ogc:def:crs:EPSG::2193', 'EPSG:2193', 'NZTM2000'],
    ['urn:ogc:def:crs:EPSG:8.9:2193', 'EPSG:2193', 'NZTM2000'],
    ['http://www.opengis.net/def/crs/EPSG/0/2193', 'EPSG:2193', 'NZTM2000'],
    ['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326', 'WGS 84'],
    ['CRS84', 'EPSG:4326', 'WGS 84'],
    ['EPSG:900913', 'EPSG:3857', 'Web Mercator'],
    ['EPSG:102100', 'EPSG:3857', 'Web Mercator'],
    ['ESRI:102718', 'EPSG:2263', 'NAD83 / New York Long Island (ftUS)'],
    ['ESRI:102482', 'EPSG:2048', 'Hartebeesthoek94 / Lo19'],
    ['{"wkid":102100,"latestWkid":3857}', 'EPSG:3857', 'Web Mercator'],
    ['EPSG:27700+5701', 'EPSG:27700', 'British National Grid'],
    ['urn:ogc:def:crs,crs:EPSG::27700,crs:EPSG::5701', 'EPSG:27700', 'British National Grid'],
    [`${proposed}/27700/proj4/`, 'EPSG:27700', 'British National Grid'],
    [`{"type":"link","properties":{"href":"${proposed}/2193/esriwkt/","type":"esriwkt"}}`, 'EPSG:2193', 'NZTM2000'],
    ['+init=epsg:2193', 'EPSG:2193', 'NZTM2000'],
    ['EPSG:32760', 'EPSG:32760', 'WGS 84 / UTM zone 60S'],
    ['EPSG:25832', 'EPSG:25832', 'ETRS89 / UTM zone 32N'],
    ['EPSG:7855', 'EPSG:7855', 'GDA2020 / MGA zone 55'],
    ['EPSG:3873', 'EPSG:3873', 'GK19FIN'],
    ['EPSG:3018', 'EPSG:3018', 'SWEREF99 23 15'],
    ['EPSG:2961', 'EPSG:2961', 'NAD83(CSRS) / UTM zone 20N'],
    ['{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::27700"}}', 'EPSG:27700', 'British National Grid'],
  ])('%s is %s, %s', (text, code, name) => {
    expect(named(text)).toMatchObject({ code, name })
  })

  test.each([
    ['NZTM', ['EPSG:2193']],
    ['British Grid', ['EPSG:27700']],
    ['MGA zone 55', ['EPSG:28355', 'EPSG:7855']],
    ['EPSG:99999', []],
  ])('%s is refused with suggestions', (text, candidates) => {
    expect(refused(() => named(text))).toMatchObject({ code: 'crs-unknown', data: { candidates } })
  })

  test('names the transformation to WGS 84', () => {
    expect(named('EPSG:27700').transformation).toBe('EPSG:1314 OSGB36 to WGS 84 (6)')
    expect(named('EPSG:4326').transformation).toBe('')
    expect(named('EPSG:4490').transformation).toBe('CGCS2000 taken as WGS 84')
  })

  test('has its evidence, its accuracy, and whether the numbers are degrees', () => {
    expect(named('EPSG:27700', 'crs member')).toMatchObject({
      evidence: 'the crs member',
      accuracyM: 5,
      isLonLat: false,
    })
    expect(named('EPSG:4326', 'format')).toMatchObject({ evidence: 'the format', accuracyM: 0, isLonLat: true })
  })

  test('each code is in the table once', () => {
    expect(systems().length).toBeGreaterThan(300)
    expect(new Set(systems().map((each) => each.code)).size).toBe(systems().length)
  })
})

describe('descriptions', () => {
  const equator = { Central_Meridian: 0, Standard_Parallel_1: 0 }
  const zone55 = tm([500000, 10000000, 147, 0.9996])
  const swiss = numbers(`False_Easting|2600000; False_Northing|1200000; Scale_Factor|1; Azimuth|90
    Longitude_Of_Center|7.439583333333333; Latitude_Of_Center|46.95240555555556`)
  const krovak = numbers(`False_Easting|0; Pseudo_Standard_Parallel_1|78.5; Scale_Factor|0.9999
    Azimuth|30.28813975277778; Longitude_Of_Center|24.83333333333333; Latitude_Of_Center|49.5
    X_Scale|-1; Y_Scale|1; XY_Plane_Rotation|90`)
  const texas = numbers(`False_Easting|1968500; False_Northing|13123333.33333333; Central_Meridian|-99
    Standard_Parallel_1|28.38333333333333; Standard_Parallel_2|30.28333333333334
    Latitude_Of_Origin|27.83333333333333`)
  const texan = 'NAD_1983_StatePlane_Texas_South_Central_FIPS_4204_Feet'
  const footUs = 'UNIT["Foot_US",0.3048006096012192]'
  const oblique = 'Hotine_Oblique_Mercator_Azimuth_Center'

  test.each([
    ['EPSG:4326', wgs],
    ['EPSG:4326', `\uFEFF${wgs}\r\n`],
    ['EPSG:4326', wgs.replace(/]$/, ',LINUNIT["Meter",1.0]]')],
    ['EPSG:2193', esri('NZGD_2000_New_Zealand_Transverse_Mercator', nzgd2000, tm([1600000, 10000000, 173, 0.9996]))],
    ['EPSG:2113', esri('Wellington', nzgd2000, tm([400000, 800000, 174.7763888888889, 1, -41.3011111111111]))],
    ['EPSG:25832', esri('ETRS_1989_UTM_Zone_32N', etrs, tm([500000, 0, 9, 0.9996]))],
    ['EPSG:28355', esri('GDA_1994_MGA_Zone_55', etrs.replaceAll('ETRS_1989', 'GDA_1994'), zone55)],
    ['EPSG:7855', esri('GDA2020_MGA_Zone_55', etrs.replaceAll('ETRS_1989', 'GDA2020'), zone55)],
    [
      'EPSG:28992',
      esri('RD_New', geogcs('GCS_Amersfoort', 'D_Amersfoort', bessel), [
        'Double_Stereographic',
        stereo([155000, 463000, 5.38763888888889, 0.9999079, 52.15616055555555]),
      ]),
    ],
    ['EPSG:2056', esri('CH1903+_LV95', geogcs('GCS_CH1903+', 'D_CH1903+', bessel), [oblique, swiss])],
    ['EPSG:5514', esri('S-JTSK_Krovak_East_North', geogcs('GCS_S_JTSK', 'D_S_JTSK', bessel), ['Krovak', krovak])],
    [
      'EPSG:2278',
      esri(texan, etrs.replaceAll('ETRS_1989', 'North_American_1983'), ['Lambert_Conformal_Conic', texas], footUs),
    ],
    ['EPSG:3857', esri('WGS_1984_Web_Mercator_Auxiliary_Sphere', wgs, ['Mercator_Auxiliary_Sphere', equator])],
    ['EPSG:3857', esri('WGS_1984_Web_Mercator', sphere, ['Mercator', { Central_Meridian: 0, Standard_Parallel_1: 0 }])],
    ...[
      ',EXTENSION["PROJ4","+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null"]',
      ',AUTHORITY["EPSG","3857"]',
    ].map((more): [string, string] => [
      'EPSG:3857',
      `PROJCS["Pseudo-Mercator",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Mercator_1SP"],PARAMETER["central_meridian",0],PARAMETER["scale_factor",1],UNIT["metre",1]${more}]`,
    ]),
    // Written by programs that lose the sphere in ESRI's WKT.
    ['EPSG:3857', esri('WGS_84_Pseudo_Mercator', wgs, ['Mercator', { central_meridian: 0, standard_parallel_1: 0 }])],
    ...['WGS_1984_Web_Mercator', 'Google Maps Global Mercator', 'Spherical Mercator', 'EPSG:900913'].flatMap(
      (name): [string, string][] => [
        ['EPSG:3857', esri(name, wgs, ['Mercator', { central_meridian: 0, standard_parallel_1: 0 }])],
        ['EPSG:3857', esri(name, wgs, ['Mercator_2SP', { central_meridian: 0, standard_parallel_1: 0 }])],
      ],
    ),
    ['EPSG:3395', esri('WGS_1984_World_Mercator', wgs, ['Mercator', { Central_Meridian: 0, Standard_Parallel_1: 0 }])],
    [
      'EPSG:2193',
      `COMPD_CS["with heights",${esri('NZTM', nzgd2000, tm([1600000, 10000000, 173, 0.9996]))},VERT_CS["x"]]`,
    ],
    [
      'EPSG:27700',
      `PROJCRS["a grid of ours",BASEGEOGCRS["OSGB36",DATUM["Ordnance Survey of Great Britain 1936",ELLIPSOID["Airy 1830",6377563.396,299.3249646,LENGTHUNIT["metre",1]]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]]],CONVERSION["grid",METHOD["Transverse Mercator",ID["EPSG",9807]],PARAMETER["Latitude of natural origin",49,ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["Longitude of natural origin",-2,ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["Scale factor at natural origin",0.9996012717,SCALEUNIT["unity",1]],PARAMETER["False easting",400000,LENGTHUNIT["metre",1]],PARAMETER["False northing",-100000,LENGTHUNIT["metre",1]]],CS[Cartesian,2],AXIS["(E)",east,ORDER[1],LENGTHUNIT["metre",1]],AXIS["(N)",north,ORDER[2],LENGTHUNIT["metre",1]]]`,
    ],
    [
      'EPSG:2193',
      JSON.stringify({
        type: 'ProjectedCRS',
        name: 'a grid of ours',
        // PROJ leaves the type out here.
        base_crs: {
          name: 'NZGD2000',
          datum: {
            name: 'New Zealand Geodetic Datum 2000',
            ellipsoid: { name: 'GRS 1980', semi_major_axis: 6378137, inverse_flattening: 298.257222101 },
          },
        },
        conversion: {
          name: 'grid',
          method: { name: 'Transverse Mercator' },
          parameters: [
            { name: 'Latitude of natural origin', value: 0, unit: 'degree' },
            { name: 'Longitude of natural origin', value: 173, unit: 'degree' },
            { name: 'Scale factor at natural origin', value: 0.9996, unit: 'unity' },
            { name: 'False easting', value: 1600000, unit: 'metre' },
            { name: 'False northing', value: 10000000, unit: 'metre' },
          ],
        },
        coordinate_system: { subtype: 'Cartesian', axis: [{ name: 'Easting', direction: 'east', unit: 'metre' }] },
      }),
    ],
    [
      'EPSG:2193',
      esri('NZTM', nzgd2000, tm([1600000, 10000000, 173, 0.9996]))
        .toLowerCase()
        .replace('10000000', '1.0e7')
        .replaceAll('[', '(')
        .replaceAll(']', ')'),
    ],
    [
      'EPSG:27572',
      `COMPOUNDCRS["with heights",PROJCRS["Zone II",BASEGEODCRS["NTF (Paris)",DATUM["Nouvelle Triangulation Francaise (Paris)",ELLIPSOID["Clarke 1880 (IGN)",6378249.2,293.466021293627]],PRIMEM["Paris",2.5969213,ANGLEUNIT["grad",0.0157079632679489]]],CONVERSION["Zone II",METHOD["Lambert Conic Conformal (1SP)"],PARAMETER["Latitude of natural origin",52,ANGLEUNIT["grad",0.0157079632679489]],PARAMETER["Longitude of natural origin",0,ANGLEUNIT["grad",0.0157079632679489]],PARAMETER["Scale factor at natural origin",0.99987742],PARAMETER["False easting",600000],PARAMETER["False northing",2200000]],CS[Cartesian,2],AXIS["(X)",east],AXIS["(Y)",north],LENGTHUNIT["metre",1]],VERTCRS["heights"]]`,
    ],
    [
      'EPSG:4267',
      JSON.stringify({
        type: 'GeographicCRS',
        name: 'NAD27',
        datum: {
          name: 'North American Datum 1927',
          ellipsoid: { name: 'Clarke 1866', semi_major_axis: 6378206.4, semi_minor_axis: 6356583.8 },
          prime_meridian: { name: 'of ours', longitude: { value: 0, unit: 'degree' } },
        },
      }),
    ],
  ])('%s is recognised by its numbers, without a code', (code, text) => {
    expect(named(text, '.prj').code).toBe(code)
  })

  test.each([
    ['an equal-area cylinder by its own name', 'EPSG:6933', ['Behrmann', {}]],
    ['Mercator with a standard parallel is not the one without', '', ['Mercator', { Standard_Parallel_1: 41 }]],
  ] as const)('%s', (_, code, projection) => {
    expect(named(esri('A map of the world', wgs, projection), '.prj').code).toBe(code)
  })

  test('a modern ellipsoid does not make a datum modern: Greece lies 300 m off', () => {
    const greek = geogcs('GCS_GGRS_1987', 'D_GGRS_1987', grs80)
    const grid = named(esri('Greek_Grid', greek, tm([500000, 0, 24, 0.9996])), '.prj')
    expect(grid).toMatchObject({ code: 'EPSG:2100' })
    expect(grid.definition.datum.toWgs84).toHaveLength(3)
  })

  test('a shift missing in WKT of ESRI comes from the table', () => {
    const rd = systems().find((each) => each.code === 'EPSG:28992')!
    expect(rd.definition.datum.toWgs84).toHaveLength(7)
  })

  test('unlisted numbers on a modern ellipsoid are used as they are', () => {
    const own = named(esri('Our_Farm_Grid', nzgd2000, tm([10000, 20000, 175.3, 1, -37.8])), '.prj')
    expect(own).toMatchObject({ code: '', name: 'Our_Farm_Grid', isLonLat: false })
    expect(own.definition).toMatchObject({ method: 'tmerc', k: 1, x0: 10000, y0: 20000 })
    expect(own.definition.lat0).toBeCloseTo(-37.8, 10)
    expect(own.definition.lon0).toBeCloseTo(175.3, 10)
  })

  test.each([
    [
      'an old ellipsoid of unknown datum',
      esri(
        'Old',
        wgs.replace('D_WGS_1984', 'D_Old').replace('6378137.0,298.257223563', '6377397.155,299.1528128'),
        tm([0, 0, 9, 1]),
      ),
    ],
    ['a known datum on a wrong ellipsoid', wgs.replace('6378137.0,298.257223563', '6377397.155,299.1528128')],
    ['a projection that is not computed', esri('Bonne', wgs, ['Bonne', { Central_Meridian: 0 }])],
    ['another prime meridian', wgs.replace('"Greenwich",0.0', '"Paris",2.33722917')],
    ['text that is no description', 'LOCAL_CS["site grid"]'],
    ['a description cut short', wgs.slice(0, 60)],
    ['an endless nesting', `GEOGCS[${'A['.repeat(10_000)}`],
    ['a very long text', `GEOGCS["${'x'.repeat(100_000)}"]`],
    ['nothing', ''],
    ['an unknown code', 'EPSG:99999'],
    ['broken JSON', '{"type":'],
    ['JSON of something else', '[1]'],
    [
      'a code that its numbers contradict',
      esri('NZTM', nzgd2000, tm([1600000, 10000000, 171, 0.9996])).replace(/]$/, ',AUTHORITY["EPSG","2193"]]'),
    ],
    ...[{ standard_parallel_1: 42 }, { scale_factor: 0.75 }].map((numbers): [string, string] => [
      `a Mercator on a sphere with ${JSON.stringify(numbers)}`,
      esri('Mercator of a sea', sphere, ['Mercator_2SP', { central_meridian: 51, ...numbers }]),
    ]),
  ])('%s is refused, never taken as WGS 84', (_, text) => {
    const error = refused(() => named(text, '.prj'))
    expect(error.code).toBe('crs-unknown')
    expect(error.hint).toContain('from.crs')
    expect(error.message.length).toBeLessThan(400)
  })
})

test('a name from a file is shortened and loses its control characters', () => {
  const { message } = refused(() =>
    named(`GEOGCS["\u001b[31mred ${'x'.repeat(500)}",DATUM["?",SPHEROID["?",1,1]]]`, '.prj'),
  )
  expect(message).not.toContain('\u001b')
  expect(message.length).toBeLessThan(300)
})

describe('an unlisted datum', () => {
  const hayford = (shift: string): string =>
    `PROJCS["Old grid",GEOGCS["Old",DATUM["Old_Survey",SPHEROID["International 1924",6378388,297]${shift}],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["central_meridian",9],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",1500000],UNIT["metre",1]]`

  test('takes the shift in the file and reports its accuracy', () => {
    const { definition, accuracyM } = named(hayford(',TOWGS84[-104.1,-49.1,-9.9,0.971,-2.917,0.714,-11.68]'), '.prj')
    expect(definition.datum.toWgs84).toEqual([-104.1, -49.1, -9.9, 0.971, -2.917, 0.714, -11.68])
    expect(accuracyM).toBe(5)
    expect(named(hayford(',TOWGS84[-87,-98,-121]'), '.prj').accuracyM).toBe(10)
  })

  test.each(['', ',TOWGS84[0,0,0,0,0,0,0]', ',TOWGS84[1,2]', ',TOWGS84["a","b","c"]'])('%j is not a shift', (shift) => {
    expect(refused(() => named(hayford(shift), '.prj')).message).toContain('"Old_Survey"')
  })
})

describe('the shift to WGS 84 in a file', () => {
  const grs = (name: string, more = '') => `DATUM["${name}",SPHEROID["GRS_1980",6378137.0,298.257222101]${more}]`
  const grid = (datum: string) =>
    esri('unnamed', `GEOGCS["unnamed",${datum},${greenwich}]`, tm([500000, 0, 24, 0.9996]))

  test('is used on a modern ellipsoid too: without it Greece lies 325 m off', () => {
    const text = grid(grs('unnamed', ',TOWGS84[-199.87,74.79,246.62,0,0,0,0]'))
    expect(named(text, '.prj').definition.datum.toWgs84).toEqual([-199.87, 74.79, 246.62, 0, 0, 0, 0])
  })

  const bound = (method: string, parameters: string) =>
    `BOUNDCRS[SOURCECRS[GEOGCRS["unnamed",DATUM["unnamed",ELLIPSOID["GRS 1980",6378137,298.257222101]],CS[ellipsoidal,2],AXIS["longitude",east,ANGLEUNIT["degree",0.0174532925199433]]]],TARGETCRS[GEOGCRS["WGS 84"]],ABRIDGEDTRANSFORMATION["way",METHOD["${method}"],${parameters}]]`
  const shifts = ['X', 'Y', 'Z'].map((axis, index) => `PARAMETER["${axis}-axis translation",${index + 1}]`).join(',')
  const turns = ['X', 'Y', 'Z'].map((axis, index) => `PARAMETER["${axis}-axis rotation",${index + 4}]`).join(',')
  const scaled = `${shifts},${turns},PARAMETER["Scale difference",1.000007]`

  test.each([
    ['three shifts', 'Geocentric translations (geog2D domain)', shifts, [1, 2, 3]],
    ['a position vector', 'Position Vector transformation (geog2D domain)', scaled, [1, 2, 3, 4, 5, 6, 7]],
    ['a coordinate frame', 'Coordinate Frame rotation (geog2D domain)', scaled, [1, 2, 3, -4, -5, -6, 7]],
  ])('is read from a bound system: %s', (_, method, parameters, expected) => {
    const found = named(bound(method, parameters), '.prj').definition.datum.toWgs84
    expect(found!.map((each) => Math.round(each * 1e6) / 1e6)).toEqual(expected)
  })

  test('is read from a bound system in JSON, with its units', () => {
    const parameters = ['X-axis translation', 'Y-axis translation', 'Z-axis translation'].map((name) => ({
      name,
      value: 0.5,
      unit: { type: 'LinearUnit', name: 'kilometre', conversion_factor: 1000 },
    }))
    const text = JSON.stringify({
      type: 'BoundCRS',
      source_crs: {
        type: 'GeographicCRS',
        name: 'unnamed',
        datum: {
          name: 'unnamed',
          ellipsoid: { name: 'GRS 1980', semi_major_axis: 6378137, inverse_flattening: 298.257222101 },
        },
      },
      target_crs: { type: 'GeographicCRS', name: 'WGS 84' },
      transformation: { name: 'way', method: { name: 'Geocentric translations (geog2D domain)' }, parameters },
    })
    expect(named(text, '.prj').definition.datum.toWgs84).toEqual([500, 500, 500])
  })

  test.each([
    ['a grid, bound', bound('NTv2', 'PARAMETERFILE["Latitude and longitude difference file","a.gsb"]')],
    ['a grid, in the datum', grid(grs('unnamed', ',EXTENSION["PROJ4_GRIDS","a.gsb"]'))],
    ['a shift only in the name of the datum', grid(grs('D_Unknown_using_towgs84_-199_87_74_79_246_62'))],
    ['a shift that lacks its rotations', bound('Position Vector transformation (geog2D domain)', shifts)],
  ])('is not ignored where it cannot be read: %s', (_, text) => {
    expect(refused(() => named(text, '.prj')).code).toBe('crs-unknown')
  })

  test('zeros are not a shift', () => {
    const text = grid(grs('unnamed', ',TOWGS84[0,0,0,0,0,0,0]')).replace('24]', '25]')
    expect(named(text, '.prj')).toMatchObject({ code: '', accuracyM: 3 })
  })
})

test('a grid with an unnamed datum is refused with the system it may be: Greece would lie 325 m off', () => {
  const base = geogcs('unnamed', 'unknown', grs80)
  const error = refused(() => named(esri('unnamed', base, tm([500000, 0, 24, 0.9996])), '.prj'))
  expect(error.data).toMatchObject({ candidates: ['EPSG:2100'] })
  expect(error.hint).toContain('with the same numbers: EPSG:2100')
})

test('a Vietnamese zone with an unnamed datum is not taken as WGS 84, which would be 225 m off', () => {
  const base = (datum: string): string => geogcs('unnamed', datum, wgs84)
  const numbers = tm([500000, 0, 105.75, 0.9999])
  const error = refused(() => named(esri('unnamed', base('unknown'), numbers), '.prj'))
  expect(error.data).toMatchObject({ candidates: ['EPSG:9210'] })
  expect(named(esri('unnamed', base('D_Vietnam_2000'), numbers), '.prj').code).toBe('EPSG:9210')
  // Zone 48 of UTM lies in both.
  const zone = tm([500000, 0, 105, 0.9996])
  const either = refused(() => named(esri('unnamed', base('unknown'), zone), '.prj'))
  expect(either.data).toMatchObject({ candidates: ['EPSG:3405', 'EPSG:32648', 'EPSG:23868'] })
  expect(named(esri('unnamed', base('D_WGS_1984'), zone), '.prj').code).toBe('EPSG:32648')
  expect(named(esri('unnamed', base('unknown'), tm([500000, 0, 99, 0.9996])), '.prj').accuracyM).toBeGreaterThan(0)
})

test('a datum that is known to differ from WGS 84 is refused, whatever its ellipsoid', () => {
  const israel = geogcs('IG05_Intermediate_CRS', 'D_IG05_Intermediate_Datum', grs80)
  expect(refused(() => named(israel, '.prj')).message).toContain('has no known transformation to WGS 84')
})

describe('a description that contradicts itself', () => {
  const nztm = esri('NZTM', nzgd2000, tm([1600000, 10000000, 173, 0.9996]))
  const coded = (text: string, code: number) => text.replace(/]$/, `,AUTHORITY["EPSG","${code}"]]`)
  const ed50 = geogcs('ED50', 'European_Datum_1950', '"International 1924",6378388,297')
  const swiss = (angle: number) =>
    esri('LV95', geogcs('CH1903+', 'CH1903+', bessel), [
      'Hotine_Oblique_Mercator_Azimuth_Center',
      {
        latitude_of_center: 46.9524055555556,
        longitude_of_center: 7.43958333333333,
        azimuth: 90,
        rectified_grid_angle: angle,
      },
    ])

  test.each([
    ['a code of another datum', coded(esri('UTM', ed50, tm([500000, 0, 15, 0.9996])), 32633)],
    ['the code of WGS 84 over degrees of another datum', coded(ed50, 4326)],
    [
      'the code of WGS 84 over longitudes that count from Paris',
      coded(wgs.replace('"Greenwich",0.0', '"Paris",2.33722917'), 4326),
    ],
    ['no central meridian', nztm.replace(/PARAMETER\["Central_Meridian",173\],/, '')],
    ['points between thousands', nztm.replace('1600000', '1.600.000')],
    ['a decimal comma', nztm.replace('0.9996', '0,9996')],
    ['a decimal comma in a meridian', nztm.replace(',173]', ',173,5]')],
    [
      'coordinates from the middle of the earth',
      'GEODCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]],CS[Cartesian,3],AXIS["(X)",geocentricX,LENGTHUNIT["metre",1]]]',
    ],
    ['an oblique grid that is turned', coded(swiss(45), 2056)],
  ])('%s is refused', (_, text) => {
    expect(refused(() => named(text, '.prj')).code).toBe('crs-unknown')
  })
})

test('a grid that counts from the south pole has it at 90 degrees, with any number of digits in its degree', () => {
  const text = esri('unnamed', wgs, tm([3500000, 0, -66.5, 1, -90]))
  expect(named(text, '.prj').definition).toMatchObject({ lat0: -90, lon0: -66.5 })
})

test('a conic projection with two parallels and no latitude of origin starts at the equator', () => {
  const two = esri('Cone', wgs, [
    'Lambert_Conformal_Conic_2SP',
    { Central_Meridian: -120, Standard_Parallel_1: 42, Standard_Parallel_2: 45 },
  ])
  expect(named(two, '.prj').definition).toMatchObject({ lat0: 0, method: 'lcc' })
  const one = esri('Cone', wgs, ['Lambert_Conformal_Conic_1SP', { Central_Meridian: -120, Standard_Parallel_1: 42 }])
  expect(named(one, '.prj').definition.lat0).toBeCloseTo(42)
})

describe('a file without a coordinate system', () => {
  const degrees = [175.31, -37.79, 175.33, -37.78] as const
  const metres = [1803485, 5815247, 1803688, 5815352] as const

  test('degrees are not assumed, but the hint names the key', () => {
    expect(refused(() => requireCrs(undefined, degrees)).hint).toContain('from.crs: EPSG:4326')
    const turned = refused(() => requireCrs(undefined, [-37.8, 175.3, -37.7, 175.4])).hint
    expect(turned).toMatch(
      /look like degrees.*latitude first, would put them near 175.35, -37.75 \(from.crs: EPSG:4326/,
    )
  })

  test('degrees in an ocean are reported', () => {
    const { hint } = refused(() => requireCrs(undefined, [0.4, 0.4, 1.6, 1.6]))
    expect(hint).toContain(
      'longitude and latitude would put them near 1.00, 1.00, in the Atlantic (from.crs: EPSG:4326',
    )
    expect(refused(() => requireCrs(undefined, [-140, 35, -139, 36])).hint).toContain('in the Pacific')
  })

  test('degrees are not offered with latitude first where they would lie in an ocean', () => {
    const near = { lon: 5.2, lat: 52.1, name: 'Rimu Farm' }
    const { hint } = refused(() => requireCrs(undefined, [5, 52, 5.1, 52.1], near))
    expect(hint).toContain('longitude and latitude would put them near 5.05, 52.05')
    expect(hint).not.toContain('latitude first')
  })

  test('no national grid lies in an ocean', () => {
    const national = systems().filter(({ isNational }) => isNational)
    expect(national.length).toBeGreaterThan(20)
    for (const { name, area } of national) {
      const [lon, lat] = [(area[0] + area[2]) / 2, (area[1] + area[3]) / 2]
      expect([name, oceanAt(lon > 180 ? lon - 360 : lon, lat)]).toEqual([name, undefined])
    }
  })

  test('the hint for metres lists the national grids that fit, with the place', () => {
    const { hint, data } = refused(() => requireCrs(undefined, metres))
    expect(hint).toContain('NZTM2000 would put them near 175.31, -37.79 (from.crs: EPSG:2193)')
    expect(data['candidates']).toEqual(['EPSG:2193'])
  })

  test('metres in a format of degrees are refused', () => {
    const error = refused(() => requireCrs({ from: 'format', text: 'EPSG:4326' }, metres))
    expect(error.message).toContain('1803485')
    expect(error.hint).toContain('NZTM2000')
  })

  test.each([[[NaN, NaN, NaN, NaN]], [[Infinity, Infinity, -Infinity, -Infinity]], [[1e300, 1e300, 1e301, 1e301]]])(
    'a box of nonsense %j still gets an answer',
    (box) => {
      expect(refused(() => requireCrs(undefined, box as unknown as typeof degrees)).code).toBe('crs-unknown')
    },
  )

  test('a clue that fits is used', () => {
    expect(requireCrs({ from: 'option', text: 'EPSG:2193' }, metres).code).toBe('EPSG:2193')
    expect(requireCrs({ from: 'format', text: 'EPSG:4326' }, degrees).code).toBe('EPSG:4326')
  })
})
