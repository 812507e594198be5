/** Makes the tables of docs/pipelines.md: every key of a pipeline with its meaning and an example, which a test parses. */

import { exportSchema, importSchema } from '../src/pipeline/definition/definition-schema.ts'

type Schema = {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly description?: string
  readonly enum?: readonly unknown[]
}

export type Key = { readonly path: string; readonly meaning: string; readonly example: string }

const shared: Readonly<Record<string, string>> = {
  windrow: 'windrow: 1',
  connection: 'connection: farms',
  zone: 'zone: Pacific/Auckland',
  schedule: 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland }',
  'schedule.every': 'schedule: { every: Monday, at: "06:00", zone: Pacific/Auckland }',
  'schedule.at': 'schedule: { every: month, at: "06:00", zone: Pacific/Auckland }',
  'schedule.cron': 'schedule: { cron: "*/30 6-18 * * *", zone: Pacific/Auckland }',
  'schedule.zone': 'schedule: { every: day, at: "02:15", zone: Europe/London }',
  'schedule.missed': 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland, missed: once }',
  'schedule.timeout': 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland, timeout: 30 min }',
  'schedule.retry': 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland, retry: { every: 10 min, for: 3 h } }',
  'schedule.retry.every': 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland, retry: { every: 5 min } }',
  'schedule.retry.for': 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland, retry: { for: 2 h } }',
  'schedule.wait for file': 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland, wait for file: until 06:00 }',
  after: 'after: holdings',
}

/** An example for each key of an import, as it is written at the left edge of a pipeline. */
const importExamples: Readonly<Record<string, string>> = {
  ...shared,
  import: 'import: plots',
  from: 'from: { file: paddocks.csv, encoding: utf-8 }',
  'from.file': 'from: { file: export.zip/data/paddocks.csv }',
  'from.folder': 'from: { folder: inbox, pattern: "paddocks-*.csv" }',
  'from.pattern': 'from: { folder: inbox, pattern: "paddocks-*.csv" }',
  'from.take': 'from: { folder: inbox, pattern: "paddocks-*.csv", take: all in order }',
  'from.then': 'from: { folder: inbox, pattern: "paddocks-*.csv", then: move to done }',
  'from.empty': 'from: { folder: inbox, pattern: "paddocks-*.csv", empty: allow }',
  'from.private addresses': 'from: { file: "https://10.1.2.3/paddocks.csv", private addresses: allow }',
  'from.layer': 'from: { file: farm.gpkg, layer: Paddocks 2026 }',
  'from.format': 'from: { file: paddocks.txt, format: csv }',
  'from.crs': 'from: { file: paddocks.zip, crs: EPSG:2193 }',
  'from.axes': 'from: { file: paddocks.geojson, axes: exchanged }',
  'from.grids': 'from: { file: paddocks.zip, crs: EPSG:27700, grids: ../grids }',
  'from.encoding': 'from: { file: paddocks.csv, encoding: windows-1252 }',
  'from.delimiter': 'from: { file: paddocks.csv, delimiter: ";" }',
  'from.quote': 'from: { file: paddocks.csv, quote: none }',
  'from.escape': 'from: { file: paddocks.csv, escape: backslash }',
  'from.decimal': 'from: { file: paddocks.csv, decimal: comma }',
  'from.header': 'from: { file: paddocks.xlsx, header: 3 }',
  'from.geometry': 'from: { file: paddocks.csv, geometry: WKT, crs: EPSG:4326 }',
  'from.x': 'from: { file: sheds.csv, x: Easting, y: Northing, crs: EPSG:2193 }',
  'from.y': 'from: { file: sheds.csv, x: lon, y: lat }',
  'from.hidden': 'from: { file: paddocks.xlsx, hidden: true }',
  'from.settled': 'from: { file: nightly.csv, settled: 2 min }',
  columns: 'columns: { expect: [Paddock no, Name, Crop] }',
  'columns.expect': 'columns: { expect: [Paddock no, Name, Crop, Sown] }',
  'columns.new': 'columns: { expect: [Paddock no, Name], new: ignore }',
  'columns.missing': 'columns: { expect: [Paddock no, Name], missing: stop }',
  holding: 'holding: { scheme: nz.example.farm-number, id: "00412876" }',
  'holding.scheme': 'holding: { scheme: nz.example.farm-number, id: "00412876" }',
  'holding.id': 'holding: { scheme: nz.example.farm-number, id: <Farm no> }',
  key: 'key: [<Block>, <Number>]',
  source: 'source: { scheme: nz.example.rimu }',
  'source.scheme': 'source: { scheme: nz.example.rimu }',
  dates: 'dates: d/M/yyyy',
  record: 'record: { name: <Name>, totalArea: { from: Area, unit: ha } }',
  rows: 'rows: group',
  only: 'only: { STATUS: [Active, New] }',
  geometry: 'geometry: { multipart: keep, repair: up to 1 % }',
  'geometry.multipart': 'geometry: { multipart: union }',
  'geometry.repair': 'geometry: { repair: up to 3 % }',
  'geometry.slivers': 'geometry: { slivers: under 0.5 m }',
  'geometry.heights': 'geometry: { heights: drop }',
  'geometry.decimals': 'geometry: { decimals: 8 }',
  match: 'match: boundary',
  blank: 'blank: keep',
  gone: 'gone: delete',
  rules: 'rules: { deletes: stop above 5 % or 10, rejected: stop above 2 % }',
  examples: 'examples: [{ row: { No: "7", Name: Rāhui }, gives: { name: Rāhui } }]',
  'examples.row': 'examples: [{ row: { No: "7", Crop: RG }, gives: {} }]',
  'examples.gives': 'examples: [{ row: { No: "7" }, gives: { name: Rāhui } }]',
}

const exportExamples: Readonly<Record<string, string>> = {
  ...shared,
  export: 'export: work-records',
  only: 'only: { holding: Rimu Farm, day: last month }',
  'only.holding': 'only: { holding: "nz.example.farm-number:00412876" }',
  'only.plot': 'only: { plot: [Rāhui, "007"] }',
  'only.operation': 'only: { operation: [CropProtection, Nutrition] }',
  'only.product': 'only: { product: Herbicide }',
  'only.operator': 'only: { operator: Hēmi Example }',
  'only.status': 'only: { status: Complete }',
  'only.day': 'only: { day: last month }',
  'only.from': 'only: { from: 2026-09-01 }',
  'only.until': 'only: { until: 2026-09-30 }',
  'only.modified since': 'only: { modified since: 1 week ago }',
  'only.box': 'only: { box: [175.2, -37.9, 175.4, -37.7] }',
  'only.deleted': 'only: { deleted: include }',
  'only.changed': 'only: { changed: since last export }',
  units: 'units: { area: ha, length: m }',
  'units.area': 'units: { area: acres }',
  'units.length': 'units: { length: m }',
  'units.rate': 'units: { rate: "L/ha, kg/ha" }',
  to: 'to: { file: "spraying {month}.xlsx", layout: linked }',
  'to.file': 'to: { file: "spraying {month}.xlsx" }',
  'to.layout': 'to: { file: spraying.xlsx, layout: flat }',
  'to.geometry': 'to: { file: spraying.gpkg, geometry: logged }',
  'to.crs': 'to: { file: paddocks.gpkg, crs: EPSG:2193 }',
  'to.allColumns': 'to: { file: spraying.xlsx, allColumns: true }',
  'to.format': 'to: { file: spraying.txt, format: csv }',
  'to.columns': 'to: { file: spraying.xlsx, columns: [Start, Name=Job, Operation] }',
  'to.sort': 'to: { file: spraying.xlsx, sort: Start desc }',
  'to.groupBy': 'to: { file: spraying.xlsx, groupBy: month }',
  'to.folders': 'to: { file: "reports/{year}/spraying.xlsx", folders: make }',
  'to.empty': 'to: { file: spraying.xlsx, empty: allow }',
}

/** What helps where `<Column>` alone is not enough: a map with one of from, first and text. */
export const columnOptions: Readonly<Record<string, readonly [meaning: string, example: string]>> = {
  from: ['The column, or a list of columns.', 'record: { name: { from: Name } }'],
  first: ['The first of these that is not empty.', 'record: { name: { first: [<Name>, <Old name>] } }'],
  text: ['Text with columns inside.', 'record: { name: { text: "Paddock <Number>" } }'],
  words: [
    'What a word or code in the file means. A code with nothing behind its colon must be filled in; `""` means nothing.',
    'record: { crops: [{ name: { from: Crop, words: { RG: Ryegrass, FAL: "" } } }] }',
  ],
  otherwise: [
    'What to do about a word that is not in `words`: `stop` rejects the row (default), `keep` publishes it as it is, `blank` reads it as empty.',
    'record: { crops: [{ name: { from: Crop, words: { RG: Ryegrass }, otherwise: keep } }] }',
  ],
  date: [
    'The pattern of dates. Month is `M`; a small `m` means minutes.',
    'record: { crops: [{ name: <Crop>, establishmentDate: { from: Sown, date: d/M/yyyy, zone: Pacific/Auckland } }] }',
  ],
  zone: [
    'The time zone of these dates, if it is not that of the pipeline.',
    'record: { crops: [{ name: <Crop>, establishmentDate: { from: Sown, date: d/M/yyyy, zone: Europe/London } }] }',
  ],
  number: [
    'How the numbers are written, if not as in the rest of the file.',
    'record: { totalArea: { from: Area, unit: ha, number: { decimal: comma, thousands: point } } }',
  ],
  unit: ['The unit of the numbers.', 'record: { totalArea: { from: Area, unit: ac } }'],
  split: [
    'The text between entries of one cell, which become a list.',
    'record: { crops: { from: Crops, split: ";" } }',
  ],
  join: [
    'The text to put between several columns or entries.',
    'record: { name: { from: [Block, Number], join: " " } }',
  ],
}

/** Every key of the schema. Throws if one has no example, or an example has no key. */
export function pipelineKeys(kind: 'import' | 'export'): readonly Key[] {
  const examples = kind === 'import' ? importExamples : exportExamples
  const found = keysOf(kind === 'import' ? importSchema : exportSchema, '')
  const paths = found.map(({ path }) => path)
  const without = paths.filter((path) => !Object.hasOwn(examples, path))
  const unknown = Object.keys(examples).filter((path) => !paths.includes(path))
  if (without.length > 0) throw new Error(`Add an example to tools/pipeline-keys.ts for: ${without.join(', ')}.`)
  if (unknown.length > 0) throw new Error(`tools/pipeline-keys.ts has examples without a key: ${unknown.join(', ')}.`)
  return found.map(({ path, schema }) => ({ path, meaning: meaningOf(schema), example: examples[path]! }))
}

function keysOf(schema: Schema, above: string): readonly { readonly path: string; readonly schema: Schema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = `${above}${name}`
    // docs/rules.md has the rules.
    const inside = path === 'rules' ? [] : keysOf(inner.items ?? inner, `${path}.`)
    return [{ path, schema: inner }, ...inside]
  })
}

function meaningOf({ description = '', enum: choices = [] }: Schema): string {
  return choices.length === 0 ? description : `${description} One of: ${choices.map(String).join(', ')}.`
}
