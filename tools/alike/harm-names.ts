/** Makes files of which an import takes one paddock for another: which column is which paddock, and what is its name? */

import { csv, csvFile, geojson, halves, moved, shapefile, tableOf, wgs84, zip, zipped, type Paddock } from './farm.ts'
import { imports, inTurn, scheme, typedImports, type Farm, type Files, type Harm } from './trial.ts'

const withoutMarks = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '')
const renamed = (paddocks: readonly Paddock[], how: (name: string, index: number) => string): readonly Paddock[] =>
  paddocks.map((each, index) => ({ ...each, name: how(each.name, index) }))
export const harmOfNames: Readonly<Record<string, Harm>> = {
  'a shapefile for each field': (farm) => {
    const put = { 'fields.zip': zip(Object.assign({}, ...farm.paddocks.slice(0, 4).map((each) => fieldFolder(each)))) }
    return farm.paddocks.slice(0, 3).flatMap((each) => [
      {
        run: each.name,
        put,
        words: [
          'import',
          'fields.zip',
          '--to',
          'plots',
          '--holding',
          `${scheme}:${farm.number}`,
          '--layer',
          `${folderOf(each)}/Boundary`,
        ],
      },
    ])
  },
  'a shapefile for each field, none chosen': (farm) =>
    imports(farm, { 'fields.zip': zip(Object.assign({}, ...farm.paddocks.map((each) => fieldFolder(each)))) }),
  'merged fields, all called Boundary': (farm) =>
    imports(
      farm,
      zipped(farm.paddocks, { prj: wgs84, properties: ({ id }) => ({ Id: id, Name: 'Boundary' }) }),
      '--key Id',
    ),
  'two layers of one farm': (farm) =>
    imports(farm, {
      'two.zip': zip({
        ...shapefile(farm.paddocks.slice(0, 5), { stem: 'north', prj: wgs84 }),
        ...shapefile(farm.paddocks.slice(5), { stem: 'south', prj: wgs84 }),
      }),
    }),
  'crops by names that do not match': (farm) =>
    afterMap(
      farm,
      renamed(farm.paddocks, (name, index) => `0${index + 1} ${name}`),
    ),
  'crops by names that nearly match': (farm) =>
    afterMap(
      farm,
      renamed(farm.paddocks, (name, index) => (index % 2 === 0 ? `${name} Pdk` : name.toUpperCase())),
    ),
  'crops by names without macrons': (farm) => afterMap(farm, renamed(farm.paddocks, withoutMarks)),
  'crops by names, all right': (farm) => afterMap(farm, farm.paddocks),
  'crops by boundary, one split': (farm) => {
    const [first, ...rest] = farm.paddocks
    const [west, east] = halves(first!)
    return inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks, ({ name }) => ({ NAME: name })) }, '--key NAME'],
      [{ 'season 2.geojson': geojson([west, east, ...rest]) }, '--key ID --match boundary'],
    )
  },
  'names decoded twice': (farm) =>
    imports(farm, csvFile(renamed(farm.paddocks, (name) => Buffer.from(name).toString('latin1'))), '--key ID'),
  'names decoded twice in code page 1252': (farm) => imports(farm, twice1252(farm), '--key ID'),
  'names decoded twice, as advised': (farm) =>
    imports(farm, twice1252(farm), '--key ID --set from.encoding=windows-1252'),
  'names with question marks': (farm) =>
    imports(farm, csvFile(renamed(farm.paddocks, (name) => name.replaceAll(/[^ -~]/g, '?'))), '--key ID'),
  'names with question marks over good ones': (farm) =>
    inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
      [csvFile(renamed(farm.paddocks, (name) => name.replaceAll(/[^ -~]/g, '?'))), '--key ID'],
    ),
  'names in Latin-1': (farm) =>
    imports(
      farm,
      {
        'paddocks.csv': Buffer.from(
          csv(tableOf(renamed(farm.paddocks, (_, index) => `Prairie ${index} à côté`))),
          'latin1',
        ),
      },
      '--key ID',
    ),
  'Latin-1 in a Cyrillic code page': (farm) =>
    imports(
      farm,
      {
        'paddocks.csv': Buffer.from(
          csv(tableOf(renamed(farm.paddocks, (_, index) => `Äcker große ${index}`)), ';'),
          'latin1',
        ),
      },
      '--key ID --set from.encoding=windows-1251',
    ),
  'names cut after ten letters': (farm) =>
    inTurn(
      farm,
      [{ 'map.geojson': geojson(renamed(farm.paddocks, (name) => `Home farm ${name} paddock`)) }, '--key ID'],
      [csvFile(renamed(farm.paddocks, (name) => `Home farm ${name} paddock`.slice(0, 10))), '--key ID'],
    ),
  'names swapped in two rows': (farm) => {
    const [one, two, ...rest] = farm.paddocks
    const swapped = [{ ...one!, id: two!.id }, { ...two!, id: one!.id }, ...rest]
    return inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
      [{ 'new.geojson': geojson(swapped) }, '--key ID'],
    )
  },
  'ids moved by one': (farm) => {
    const shifted = farm.paddocks.map((each, index) => ({
      ...each,
      id: farm.paddocks[(index + 1) % farm.paddocks.length]!.id,
    }))
    return inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
      [{ 'new.geojson': geojson(shifted) }, '--key ID'],
    )
  },
  'names sorted without their shapes': (farm) => {
    const sorted = farm.paddocks.map(({ ring }, index) => ({ ...farm.paddocks.toReversed()[index]!, ring }))
    return inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
      [{ 'new.geojson': geojson(sorted) }, '--key ID'],
    )
  },
  'numbers that became 1.0': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) =>
        rows.map(([id, ...rest], index) => [index === 0 ? 'paddock_id' : `${Number(id)}.0`, ...rest]),
      ),
    ),
  'numbers 0 to 9': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) =>
        rows.map(([, ...rest], index) => [index === 0 ? 'Paddock no' : String(index - 1), ...rest]),
      ),
    ),
  'ids W0 to W9': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) =>
        rows.map(([, ...rest], index) => [index === 0 ? 'pid' : `W${index - 1}`, ...rest]),
      ),
    ),
  'ids that became dates': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) =>
        rows.map(([, ...rest], index) => [index === 0 ? 'ID' : `${index}-Jan`, ...rest]),
      ),
      '--key ID',
    ),
  'ids with a total below': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) => [...rows, ['', 'Total', '', '', '36.1']]),
      '--key ID',
    ),
  'parcels by half an id': (farm) => imports(farm, parcels(farm), '--key PARCEL_ID'),
  'parcels by both halves': (farm) => imports(farm, parcels(farm), '--key SHEET_ID --key PARCEL_ID'),
  'parcels without a key': (farm) => imports(farm, parcels(farm)),
  'no id at all': (farm) => imports(farm, { 'drawn.geojson': geojson(farm.paddocks, () => ({})) }),
  'no id, by name and place': (farm) =>
    imports(farm, { 'drawn.geojson': geojson(farm.paddocks, ({ name }) => ({ name })) }, '--key name+place'),
  'crop and place as id': (farm) =>
    imports(farm, { 'brp.geojson': geojson(farm.paddocks, ({ crop }) => ({ gewas: crop })) }, '--key gewas+place'),
  'one field with fid': (farm) =>
    imports(farm, { 'one.geojson': geojson(farm.paddocks.slice(0, 1), () => ({ fid: 1, s2_index: '47a8c1' })) }),
  'a strip id that repeats': (farm) =>
    imports(farm, zipped(farm.paddocks, { prj: wgs84, properties: () => ({ strip_id: '1' }) }), '--key strip_id'),
  'the same id twice': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) => [...rows, ['03', 'Another', 'Maize', '', '2']]),
      '--key ID',
    ),
  'the same row twice': (farm) =>
    imports(
      farm,
      csvFile(farm.paddocks, (rows) => [...rows, ...rows.slice(3, 6)]),
      '--key ID',
    ),
  'another id for known land': (farm) =>
    inTurn(
      farm,
      [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
      [{ 'again.geojson': geojson(farm.paddocks.map((each) => ({ ...each, id: `N${each.id}` }))) }, '--key ID'],
    ),
  'another farm of the owner': (farm) => [
    ...inTurn(farm, [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID']),
    {
      run: 'other farm',
      put: { 'other.geojson': geojson(moved(farm.paddocks, ([x, y]) => [x + 0.0004, y])) },
      words: ['import', 'other.geojson', '--to', 'plots', '--holding', `${scheme}:${farm.number}B`, '--key', 'ID'],
    },
  ],
  'a farm by part of its name': (farm) =>
    typedImports(csvFile(farm.paddocks), [
      '--to',
      'plots',
      '--holding',
      `Farm ${farm.number.slice(0, 3)}`,
      '--key',
      'ID',
    ]),
  'a farm by its name': (farm) =>
    typedImports(csvFile(farm.paddocks), ['--to', 'plots', '--holding', `Farm ${farm.number}`, '--key', 'ID']),
  'a farm of which nobody knows': (farm) =>
    typedImports(csvFile(farm.paddocks), ['--to', 'plots', '--holding', 'Te Awa', '--key', 'ID']),
  'two farms in one file': (farm) => typedImports(twoFarms(farm), `--to plots --holding ${scheme}:<FARM_NO> --key ID`),
  'two farms, one asked for': (farm) => imports(farm, twoFarms(farm), '--key ID'),
  'numbers of farms without zeros': (farm) =>
    typedImports(
      csvFile(farm.paddocks, (rows) =>
        rows.map((row, index) => [...row, index === 0 ? 'FARM_NO' : farm.number.replace(/^F0*/, '')]),
      ),
      `--to plots --holding ${scheme}:<FARM_NO> --key ID`,
    ),
}

const folderOf = ({ name }: Paddock): string => `AgGPS/Data/Client/Farm/${withoutMarks(name)}`

function fieldFolder(paddock: Paddock): Files {
  return shapefile([paddock], {
    stem: `${folderOf(paddock)}/Boundary`,
    prj: wgs84,
    properties: () => ({ Id: 1, Name: 'Boundary' }),
  })
}

/** A map with boundaries, then a table of crops that should find its paddocks by their names. */
function afterMap(farm: Farm, paddocks: readonly Paddock[]) {
  return inTurn(
    farm,
    [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'],
    [
      { 'crops.csv': csv(tableOf(paddocks).map(([, name, crop]) => [name === 'Name' ? 'Paddock' : name!, crop!])) },
      '--key Paddock --match name',
    ],
  )
}

function twice1252({ paddocks }: Farm): Files {
  const spoilt = (name: string): string =>
    Buffer.from(name)
      .toString('latin1')
      .replaceAll(/[\x80-\x9f]/g, '\ufffd')
  return csvFile(renamed(paddocks, spoilt))
}

function parcels({ paddocks }: Farm): Files {
  return zipped(paddocks, {
    prj: wgs84,
    properties: ({ id, area }) => ({
      SHEET_ID: `SP80${Number(id) % 2}1`,
      PARCEL_ID: String(3930 + Math.ceil(Number(id) / 2)),
      AREA_HA: Number(area),
    }),
  })
}

function twoFarms({ number, paddocks }: Farm): Files {
  const farms = [number, `${number}B`]
  return csvFile(paddocks, (rows) => rows.map((row, index) => [...row, index === 0 ? 'FARM_NO' : farms[index % 2]!]))
}
