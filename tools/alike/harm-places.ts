/** Makes files of which an import puts the land elsewhere: which coordinate system, and can a farm be there? */

import { nztmPrj } from '../shapefile-zip.ts'
import {
  collection,
  csv,
  csvFile,
  drawFarm,
  geojson,
  moved,
  nztm,
  projectionTo,
  shapefile,
  wgs84,
  zipped,
  type Paddock,
  type Point,
} from './farm.ts'
import { imports, inTurn, type Farm, type Files, type Harm } from './trial.ts'

const grs80 = '+ellps=GRS80 +units=m +no_defs'
const utm60 = projectionTo(`+proj=utm +zone=60 +south ${grs80}`)
/** Iowa North in feet (EPSG:3417). */
const iowa = projectionTo(
  '+proj=lcc +lat_0=41.5 +lon_0=-93.5 +lat_1=43.2666666666667 +lat_2=42.0666666666667 +x_0=1500000 +y_0=1000000 +ellps=GRS80 +units=us-ft +no_defs',
)
const lambert93 = projectionTo(`+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=49 +lat_2=44 +x_0=700000 +y_0=6600000 ${grs80}`)
const utah = projectionTo(`+proj=utm +zone=12 ${grs80}`)
const mercator = projectionTo('+proj=merc +a=6378137 +b=6378137 +units=m +no_defs')
const rdNew = projectionTo(
  '+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel +towgs84=565.4171,50.3319,465.5524,1.9342,-1.6677,9.1019,4.0725 +units=m +no_defs',
)

/** A farm elsewhere, on other land than that of every other trial. */
function abroad({ at }: Farm, [lon, lat]: Point): readonly Paddock[] {
  return drawFarm([lon + at[0] - 175, lat + at[1] + 38])
}

/** The FSA's common land units, whose ids are pairs of a tract and a field. */
function landUnits(farm: Farm): Files {
  const paddocks = abroad(farm, [-93.61, 42.03])
  return zipped(paddocks, {
    project: iowa,
    properties: ({ id, area }) => ({
      TRACTNBR: `11${id.at(0)}`,
      CLUNBR: id.at(1)!,
      CALCACRES: Math.round(Number(area) * 247.105) / 100,
    }),
  })
}

export const harmOfPlaces: Readonly<Record<string, Harm>> = {
  'CLU in feet without prj': (farm) => imports(farm, landUnits(farm), '--key TRACTNBR --key CLUNBR'),
  'CLU in feet as Europe': (farm) => imports(farm, landUnits(farm), '--key TRACTNBR --key CLUNBR --crs EPSG:3035'),
  'CLU in feet as Iowa': (farm) => imports(farm, landUnits(farm), '--key TRACTNBR --key CLUNBR --crs EPSG:3417'),
  'CLU by tract alone': (farm) => imports(farm, landUnits(farm), '--key TRACTNBR --crs EPSG:3417'),
  'UTM without prj': (farm) => imports(farm, zipped(farm.paddocks, { project: utm60 }), '--key ID'),
  'UTM right zone': (farm) => imports(farm, zipped(farm.paddocks, { project: utm60 }), '--key ID --crs EPSG:32760'),
  'UTM zone next door': (farm) => imports(farm, zipped(farm.paddocks, { project: utm60 }), '--key ID --crs EPSG:32759'),
  'UTM other hemisphere': (farm) =>
    imports(farm, zipped(farm.paddocks, { project: utm60 }), '--key ID --crs EPSG:32660'),
  'wrong zone over a known farm': (farm) =>
    inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
      [zipped(farm.paddocks, { project: utm60 }), '--key ID --crs EPSG:32759'],
    ),
  'UTM 12N of Utah without prj': (farm) => imports(farm, zipped(abroad(farm, [-111.9, 40.4]), { project: utah }), ''),
  'UTM 12N of Utah as typed': (farm) =>
    imports(farm, zipped(abroad(farm, [-111.9, 40.4]), { project: utah }), '--crs EPSG:26912'),
  'Telepac without prj': (farm) => imports(farm, telepac(farm), '--key NUM_ILOT --key NUM_PARCEL'),
  'Telepac as Lambert': (farm) => imports(farm, telepac(farm), '--key NUM_ILOT --key NUM_PARCEL --crs EPSG:2154'),
  'Telepac as Estonia': (farm) => imports(farm, telepac(farm), '--key NUM_ILOT --key NUM_PARCEL --crs EPSG:3301'),
  'NZTM with prj': (farm) => imports(farm, zipped(farm.paddocks, { project: nztm, prj: nztmPrj })),
  'NZTM loose': (farm) =>
    imports(farm, shapefile(farm.paddocks, { project: nztm, prj: nztmPrj }), '--key ID', 'paddocks.shp'),
  'NZTM without dbf': (farm) => {
    const { 'paddocks.dbf': _, ...rest } = shapefile(farm.paddocks, { project: nztm, prj: nztmPrj })
    return imports(farm, rest, '', 'paddocks.shp')
  },
  'NZTM without shp': (farm) => {
    const { 'paddocks.shp': _, ...rest } = shapefile(farm.paddocks, { project: nztm, prj: nztmPrj })
    return imports(farm, rest, '', 'paddocks.dbf')
  },
  'degrees by prj, metres inside': (farm) =>
    imports(farm, zipped(farm.paddocks, { project: nztm, prj: wgs84 }), '--key ID'),
  'metres by prj, degrees inside': (farm) => imports(farm, zipped(farm.paddocks, { prj: nztmPrj }), '--key ID'),
  'axes swapped, New Zealand': (farm) =>
    imports(farm, { 'swapped.geojson': geojson(moved(farm.paddocks, ([x, y]) => [y, x])) }, '--key ID'),
  'axes swapped, Netherlands': (farm) =>
    imports(farm, { 'swapped.geojson': geojson(moved(abroad(farm, [5.6, 52.1]), ([x, y]) => [y, x])) }, '--key ID'),
  'RD with axes swapped': (farm) =>
    imports(
      farm,
      zipped(abroad(farm, [5.6, 52.1]), { project: (point) => rdNew(point).toReversed() as [number, number] }),
      '--key ID --crs EPSG:28992',
    ),
  'RD as typed': (farm) =>
    imports(farm, zipped(abroad(farm, [5.6, 52.1]), { project: rdNew }), '--key ID --crs EPSG:28992'),
  'Web Mercator in GeoJSON': (farm) =>
    imports(farm, { 'mercator.geojson': geojson(moved(farm.paddocks, mercator)) }, '--key ID'),
  'Web Mercator as typed': (farm) =>
    imports(farm, { 'mercator.geojson': geojson(moved(farm.paddocks, mercator)) }, '--key ID --crs EPSG:3857'),
  'one paddock at 0, 0': (farm) => {
    const [first, ...rest] = farm.paddocks
    const lost = drawFarm([0.0005, 0.0005], 1)[0]!
    return imports(farm, { 'map.geojson': geojson([{ ...first!, ring: lost.ring }, ...rest]) }, '--key ID')
  },
  'in the Pacific': (farm) => imports(farm, { 'map.geojson': geojson(abroad(farm, [-150, -40])) }, '--key ID'),
  'another country than the farm': (farm) =>
    inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
      [
        { 'more.geojson': geojson(abroad(farm, [1.2, 45.5]).map((each) => ({ ...each, id: `X${each.id}` }))) },
        '--key ID',
      ],
    ),
  'DMS with commas': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) =>
        rows.map((row, index) => [
          ...row,
          ...(index === 0 ? ['Breite', 'Länge'] : [`37°47'30,92"S`, `175°19'${10 + index},5"E`]),
        ]),
      ),
      '--key ID',
    ),
  'a boundary as text': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) =>
        rows.map((row, index) => [
          ...row,
          index === 0
            ? 'WKT'
            : `POLYGON ((${farm.paddocks[index - 1]!.ring.map((point) => point.join(' ')).join(', ')}))`,
        ]),
      ),
      '--key ID',
    ),
  'corners as text': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) =>
        rows.map((row, index) => [
          ...row,
          index === 0 ? 'Corners' : farm.paddocks[index - 1]!.ring.map(([x, y]) => `${y}, ${x}`).join('; '),
        ]),
      ),
      '--key ID',
    ),
  'corner points': (farm) => imports(farm, { 'corners.csv': csv(cornerRows(farm.paddocks)) }),
  'corner points with a key': (farm) =>
    imports(farm, { 'corners.csv': csv(cornerRows(farm.paddocks)) }, '--key Point --key Paddock'),
  'labels at points': (farm) =>
    imports(farm, {
      'labels.csv': csv([
        ['longitude', 'latitude', 'label'],
        ...cornerRows(farm.paddocks)
          .slice(1)
          .map(([, , y, x], index) => [x!, y!, `${index % 2}.0`]),
      ]),
    }),
  'closed lines': (farm) =>
    imports(farm, {
      'track.geojson': collection(
        farm.paddocks.map(({ id, name, ring }) => ({
          properties: { ID: id, NAME: name },
          geometry: { type: 'LineString', coordinates: ring },
        })),
      ),
    }),
}

function cornerRows(paddocks: readonly Paddock[]): string[][] {
  return [
    ['Paddock', 'Point', 'Lat', 'Lon'],
    ...paddocks.flatMap(({ id, ring }) =>
      ring.slice(1).map(([x, y], index) => [id, String(index + 1), String(y), String(x)]),
    ),
  ]
}

function telepac(farm: Farm): Files {
  return zipped(abroad(farm, [-0.8, 45.9]), {
    project: lambert93,
    properties: ({ id, crop }) => ({
      CAMPAGNE: '2015',
      PACAGE: '017012345',
      COMMUNE: '17100',
      NUM_ILOT: id.at(0)!,
      NUM_PARCEL: id.at(1)!,
      CODE_CULTU: crop.slice(0, 3).toUpperCase(),
    }),
  })
}
