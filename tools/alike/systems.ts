/** Makes fields in the coordinate systems of many countries, and in some that windrow does not know. */

import { drawFarm, projectionTo, shapefile, zip, type Point } from './farm.ts'
import { type Files } from './trial.ts'

/** The text of a .prj for a zone of UTM, by its datum. */
function utmPrj(datum: string, ellipsoid: string, meridian: number, isSouth = false): string {
  return `PROJCS["${datum}_UTM",GEOGCS["GCS_${datum}",DATUM["D_${datum}",SPHEROID[${ellipsoid}]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",${isSouth ? '10000000.0' : '0.0'}],PARAMETER["Central_Meridian",${meridian}.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]`
}

const hayford = '"International_1924",6378388.0,297.0'
const clarke66 = '"Clarke_1866",6378206.4,294.9786982'
const grs67 = '"GRS_1967_Truncated",6378160.0,298.25'

/** Where a farm of that system lies, its .prj, and the projection of its numbers. */
const written: Readonly<Record<string, readonly [lon: number, lat: number, prj: string, words: string]>> = {
  'ED50 in Galicia': [-8.2, 42.9, utmPrj('European_1950', hayford, -9), '+proj=utm +zone=29 +ellps=intl'],
  'ED50 in Extremadura': [-5.9, 39.4, utmPrj('European_1950', hayford, -3), '+proj=utm +zone=30 +ellps=intl'],
  'ED50 in Portugal': [-7.9, 38.5, utmPrj('European_1950', hayford, -9), '+proj=utm +zone=29 +ellps=intl'],
  'ED50 in Norway': [10.7, 60.1, utmPrj('European_1950', hayford, 9), '+proj=utm +zone=32 +ellps=intl'],
  'ED50 in Turkey': [32.5, 37.9, utmPrj('European_1950', hayford, 33), '+proj=utm +zone=36 +ellps=intl'],
  'SAD69 in Chile': [
    -71.2,
    -33.6,
    utmPrj('South_American_1969', grs67, -69, true),
    '+proj=utm +zone=19 +south +ellps=aust_SA',
  ],
  'SAD69 in Brazil': [
    -47.1,
    -22.9,
    utmPrj('South_American_1969', grs67, -45, true),
    '+proj=utm +zone=23 +south +ellps=aust_SA',
  ],
  'NAD27 in Montana': [-109.5, 47.1, utmPrj('North_American_1927', clarke66, -111), '+proj=utm +zone=12 +ellps=clrk66'],
  'NAD27 in Quebec': [-73.2, 46.1, utmPrj('North_American_1927', clarke66, -75), '+proj=utm +zone=18 +ellps=clrk66'],
  'Indian 1975': [
    101.2,
    14.9,
    utmPrj('Indian_1975', '"Everest_1830_1937_Adjustment",6377276.345,300.8017', 99),
    '+proj=utm +zone=47 +a=6377276.345 +rf=300.8017',
  ],
  'a shift of its own': [
    -109.5,
    47.1,
    utmPrj('North_American_1927', clarke66, -111).replace(']],PRIMEM', '],TOWGS84[-8,160,176,0,0,0,0]],PRIMEM'),
    '+proj=utm +zone=12 +ellps=clrk66',
  ],
  'an ellipsoid of its own': [
    10.1,
    51.2,
    utmPrj('Mine', '"Mine",6378200.0,298.3', 9),
    '+proj=utm +zone=32 +a=6378200 +rf=298.3',
  ],
  'feet of the survey': [
    -93.6,
    42.0,
    'PROJCS["NAD_1983_StatePlane_Iowa_North_FIPS_1401_Feet",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",4921250.0],PARAMETER["False_Northing",3280833.333333333],PARAMETER["Central_Meridian",-93.5],PARAMETER["Standard_Parallel_1",42.06666666666667],PARAMETER["Standard_Parallel_2",43.26666666666667],PARAMETER["Latitude_Of_Origin",41.5],UNIT["Foot_US",0.3048006096012192]]',
    '+proj=lcc +lat_0=41.5 +lon_0=-93.5 +lat_1=43.26666666666667 +lat_2=42.06666666666667 +x_0=1500000 +y_0=1000000 +ellps=GRS80 ',
  ],
  'Albers of the United States': [
    -93.6,
    42.0,
    'PROJCS["NAD_1983_Albers",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Albers"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-96.0],PARAMETER["Standard_Parallel_1",29.5],PARAMETER["Standard_Parallel_2",45.5],PARAMETER["Latitude_Of_Origin",23.0],UNIT["Meter",1.0]]',
    '+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 +ellps=GRS80',
  ],
  'Web Mercator': [
    9.2,
    48.1,
    'PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]',
    '+proj=merc +a=6378137 +b=6378137',
  ],
  'WKT of OGC with an authority': [
    175.3,
    -37.8,
    'PROJCS["NZGD2000 / New Zealand Transverse Mercator 2000",GEOGCS["NZGD2000",DATUM["New_Zealand_Geodetic_Datum_2000",SPHEROID["GRS 1980",6378137,298.257222101,AUTHORITY["EPSG","7019"]],TOWGS84[0,0,0,0,0,0,0],AUTHORITY["EPSG","6167"]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4167"]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",173],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",1600000],PARAMETER["false_northing",10000000],UNIT["metre",1],AXIS["Northing",NORTH],AXIS["Easting",EAST],AUTHORITY["EPSG","2193"]]',
    '+proj=tmerc +lat_0=0 +lon_0=173 +k=0.9996 +x_0=1600000 +y_0=10000000 +ellps=GRS80',
  ],
  'WKT of the second kind': [
    9.1,
    52.1,
    'PROJCRS["ETRS89 / UTM zone 32N",BASEGEOGCRS["ETRS89",DATUM["European Terrestrial Reference System 1989",ELLIPSOID["GRS 1980",6378137,298.257222101,LENGTHUNIT["metre",1]]],PRIMEM["Greenwich",0,ANGLEUNIT["degree",0.0174532925199433]],ID["EPSG",4258]],CONVERSION["UTM zone 32N",METHOD["Transverse Mercator",ID["EPSG",9807]],PARAMETER["Latitude of natural origin",0,ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["Longitude of natural origin",9,ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["Scale factor at natural origin",0.9996,SCALEUNIT["unity",1]],PARAMETER["False easting",500000,LENGTHUNIT["metre",1]],PARAMETER["False northing",0,LENGTHUNIT["metre",1]]],CS[Cartesian,2],AXIS["(E)",east],AXIS["(N)",north],LENGTHUNIT["metre",1],ID["EPSG",25832]]',
    '+proj=utm +zone=32 +ellps=GRS80',
  ],
  'a .prj that is cut off': [
    9.1,
    52.1,
    utmPrj('ETRS_1989', '"GRS_1980",6378137.0,298.257222101', 9).slice(0, 200),
    '+proj=utm +zone=32 +ellps=GRS80',
  ],
  'a .prj without a meaning': [9.1, 52.1, 'LOCAL_CS["Site grid",UNIT["Meter",1.0]]', '+proj=utm +zone=32 +ellps=GRS80'],
}

/** Numbers of a place in each system that a person may name; some of the systems windrow does not know. */
const typedSystems: Readonly<Record<string, readonly [x: number, y: number]>> = {
  2056: [2_600_000, 1_200_000],
  2136: [900_000, 400_000],
  2154: [700_000, 6_600_000],
  2163: [100_000, -200_000],
  2180: [500_000, 480_000],
  2193: [1_800_000, 5_815_000],
  3006: [600_000, 6_600_000],
  3035: [4_321_000, 3_210_000],
  3067: [400_000, 6_800_000],
  3301: [550_000, 6_500_000],
  3375: [450_000, 450_000],
  3410: [2_000_000, 3_000_000],
  3414: [28_000, 38_000],
  3417: [4_900_000, 3_500_000],
  3857: [1_000_000, 6_100_000],
  3908: [6_500_000, 5_000_000],
  4326: [10, 50],
  5070: [200_000, 2_100_000],
  5514: [-700_000, -1_100_000],
  5562: [5_500_000, 5_500_000],
  6350: [200_000, 2_100_000],
  8857: [1_000_000, 5_000_000],
  21781: [600_000, 200_000],
  24817: [700_000, 9_500_000],
  25000: [300_000, 200_000],
  25832: [550_000, 5_750_000],
  26391: [400_000, 500_000],
  26912: [420_000, 4_470_000],
  27200: [2_700_000, 6_400_000],
  27700: [450_000, 250_000],
  28355: [600_000, 5_900_000],
  28404: [4_500_000, 5_500_000],
  28992: [155_000, 463_000],
  29188: [500_000, 7_000_000],
  29902: [250_000, 250_000],
  31256: [0, 5_300_000],
  31276: [6_500_000, 4_900_000],
  31370: [150_000, 150_000],
  31467: [3_500_000, 5_500_000],
  31984: [500_000, 7_500_000],
  32633: [500_000, 5_300_000],
  32760: [300_000, 5_815_000],
}

/** A few fields in each system, with the words that name it. */
export function filesOfSystems(): Readonly<Record<string, readonly [Files, ...words: readonly string[]]>> {
  const files: Record<string, readonly [Files, ...words: readonly string[]]> = {}
  for (const [name, [lon, lat, prj, words]] of Object.entries(written)) {
    const project = projectionTo(`${words} +units=${name.startsWith('feet') ? 'us-ft' : 'm'} +no_defs`)
    files[name] = [{ 'farm.zip': zip(shapefile(drawFarm([lon, lat], 3), { prj, project })) }]
  }
  for (const [code, [x, y]] of Object.entries(typedSystems)) {
    const [field] = drawFarm([0, 0], 1)
    const metres = code === '4326' ? 1 : 111_320
    const project = ([east, north]: Point): Point => [x + east * metres, y + north * metres]
    files[`EPSG ${code}`] = [{ 'farm.zip': zip(shapefile([field!], { project })) }, '--crs', `EPSG:${code}`]
  }
  return files
}
