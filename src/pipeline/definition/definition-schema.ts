/** The JSON Schemas of pipeline files, one for imports and one for exports; editors can use them too. */

import { strictObject, type JsonSchema, type TypeOf } from '../../core/object-schema.ts'
import type { Format, FormatOptions } from '../../formats/format.ts'
import { geometryOptions, headerOption } from '../../formats/grid/options.ts'
import { layouts } from '../../resources/table-plan.ts'
import { jobGeometryKinds } from '../../resources/job-tables.ts'
import { allRules, meaningOf } from '../../rules/index.ts'
import { readableTypes } from '../../resources/index.ts'
import { rhythms } from './amounts.ts'

const word = { type: 'string', minLength: 1 } as const
const wordOrNumber = { type: ['string', 'number'] } as const
const texts = { type: 'array', items: word } as const
const scalar = { type: ['string', 'number', 'boolean'] } as const

function text(description: string) {
  return { ...word, description }
}

function textOrNumber(description: string) {
  return { ...wordOrNumber, description }
}

function oneOf<const Values extends readonly string[]>(values: Values, description: string) {
  return { enum: values, description } as const
}

/** Lines of the form name: value, some of them required. */
function group<const Members extends object, const Name extends keyof Members = never>(
  description: string,
  required: readonly Name[],
  properties: Members,
) {
  return { type: 'object', description, required, additionalProperties: false, properties } as const
}

const schedule = group('When the pipeline runs by itself: every and at, or cron.', ['zone'], {
  every: oneOf(rhythms, 'How often it runs; month is the first day of each.'),
  at: text('The time of day, such as "02:15".'),
  cron: text(
    'In place of every and at: minute, hour, day, month, weekday. "15 2 * * 1-5" is 2:15 from Monday to Friday.',
  ),
  zone: text('The time zone of these times, such as Pacific/Auckland.'),
  missed: oneOf(
    ['once', 'skip', 'all'],
    'What to do about missed runs: once (default), skip, or all, one by one; all is the default of exports with days in words.',
  ),
  timeout: textOrNumber('How long a run may take, such as 30 min.'),
  retry: {
    type: ['object', 'string'],
    description:
      'How a run is tried again if the service or an address did not answer, the disk is full, or the file of an export is open in another program. Without this key: every 10 min, for 3 h. none: not at all.',
    additionalProperties: false,
    properties: {
      every: textOrNumber('The time between two tries: 10 min (default).'),
      for: textOrNumber('How long after the first try: 3 h (default).'),
    },
  },
  'wait for file': text(
    'How long to try again while the file is missing, empty, still growing or in use: until 06:00 (default), a time such as 4 h, or none.',
  ),
})

const shared = {
  windrow: { const: 1, description: 'The version of the pipeline format.' },
  connection: text('The name of a connection saved with windrow connect.'),
  zone: text('The time zone of dates without one, and of the days and times of an export, such as Pacific/Auckland.'),
  schedule,
  after: {
    type: ['string', 'array'],
    minLength: 1,
    minItems: 1,
    items: word,
    description:
      'The pipelines of the same folder, without .yaml, whose last due run must be good before this one runs by its schedule.',
  },
} as const

/** The rules of which a pipeline may say what to do. docs/rules.md has more about each. */
const ruleKeys: Readonly<Record<string, ReturnType<typeof text>>> = Object.fromEntries(
  allRules.filter(({ isChosen }) => isChosen !== false).map(({ id }) => [id, text(meaningOf(id))]),
)

/** The options of formats that many files need. schemaWith adds the others. */
const ofFormats = {
  encoding: text('The text encoding, such as utf-8.'),
  delimiter: text('The delimiter between cells.'),
  quote: text('The quote character, or none.'),
  escape: oneOf(['double', 'backslash'], 'How a quote inside a cell is escaped.'),
  decimal: oneOf(['point', 'comma'], 'The decimal separator.'),
  header: headerOption,
  hidden: { type: 'boolean', description: 'Whether to read hidden sheets of a workbook too.' },
  ...geometryOptions,
} as const

/** The schema of a pipeline that imports a file into the service. */
export const importSchema = strictObject(['windrow', 'import', 'from', 'holding', 'record'], {
  ...shared,
  import: oneOf(['plots', 'holdings', 'land-covers'], 'What the rows become.'),
  from: group('The file and how to read it.', [], {
    file: text('The path of a file, folder or zip entry, relative to this pipeline file, or an https or s3 address.'),
    folder: text('In place of file: a folder where files arrive, relative to this pipeline file.'),
    pattern: text('Which files of the folder: * is any text, ? is one character.'),
    take: oneOf(
      ['newest', 'all in order'],
      'Which new files of the folder: the newest (default), or all, the oldest first. Each file is read once.',
    ),
    // oxlint-disable-next-line unicorn/no-thenable -- the word of pipeline files; nobody awaits a schema
    then: text('What to do with a file of the folder afterwards: move to FOLDER, or keep (default).'),
    empty: oneOf(
      ['allow', 'refuse'],
      'When the folder has no new file: allow is a good run, refuse (default) is a missing file.',
    ),
    'private addresses': oneOf(
      ['allow', 'refuse'],
      'Whether a web address may point to this machine or a private network.',
    ),
    layer: text('The layer or sheet, if the file has several.'),
    format: text('The file format, if the file name does not show it.'),
    crs: text('The coordinate system of the file, such as EPSG:2193; without it, the one that the file names.'),
    axes: oneOf(
      ['written', 'exchanged'],
      'Which of the two coordinates comes first: as the coordinate system says (written, default), or exchanged, such as latitude first.',
    ),
    grids: text('The folder with datum shift grids (NTv2, .gsb), relative to this pipeline file; used if they apply.'),
    ...ofFormats,
    settled: textOrNumber('How long the file must be unchanged before it is read, such as 2 min.'),
  }),
  columns: group('The columns the file must have.', [], {
    expect: { ...texts, description: 'All columns of the file.' },
    new: oneOf(['warn', 'ignore', 'stop'], 'What to do about a new column.'),
    missing: oneOf(['stop', 'warn'], 'What to do about a missing column.'),
  }),
  holding: {
    type: ['object', 'string'],
    minLength: 1,
    description: 'The farm: { scheme: nz.example.farm-number, id: "00412876" }, or as one text: SCHEME:ID.',
    required: ['scheme', 'id'],
    additionalProperties: false,
    properties: {
      scheme: text('The official scheme of the id.'),
      id: textOrNumber('The id, or the <COLUMN> that holds it.'),
    },
  },
  key: {
    type: ['string', 'object', 'array'],
    minLength: 1,
    minItems: 1,
    description:
      'The <COLUMN> that is different in every row, or several columns that are together, where { place: measured } is where the boundary lies; for an export of the service { source id: { SCHEME: <COLUMN> } }.',
  },
  source: group('The name of your system in the source id.', ['scheme'], {
    scheme: text('Your own scheme, such as nz.example.rimu.'),
  }),
  dates: text('The pattern of the dates of the file that have none of their own, such as d/M/yyyy.'),
  record: { type: 'object', description: 'The fields of the record, each with a <COLUMN> or text.' },
  rows: oneOf(['one', 'group'], 'One record per row, or one per key for all its rows (group).'),
  only: {
    type: 'object',
    description: 'Which rows to take: { STATUS: [Active, New] }',
    additionalProperties: { type: ['string', 'number', 'boolean', 'array'], items: scalar },
  },
  geometry: group('What to do with boundaries.', [], {
    multipart: oneOf(
      ['keep', 'explode', 'union'],
      'What to do with boundaries of several parts: keep them, make a record of each part (explode), or join parts that touch (union).',
    ),
    repair: textOrNumber('How much of the area a repair may change: up to 1 %, or none.'),
    slivers: textOrNumber('Remove points, spikes, holes and parts narrower than this: under 0.5 m, or none (default).'),
    heights: oneOf(['drop', 'keep'], 'What to do with heights.'),
    decimals: { type: 'integer', minimum: 5, maximum: 12, description: 'Decimals of longitude and latitude.' },
  }),
  blank: oneOf(['keep', 'clear'], 'What an empty cell does to the value in the record: keep it or clear it.'),
  match: text(
    'How rows with new keys find the records that the service has: boundary, name, or <COLUMN>=identifier, where the column has ids that the service knows.',
  ),
  gone: oneOf(['keep', 'delete'], 'What to do with records that are no longer in the file.'),
  rules: group(
    'What to do about what a rule finds: allow, note, warn or stop, of some above a limit: { rejected: stop above 10 %, far: allow }.',
    [],
    ruleKeys,
  ),
  examples: {
    type: 'array',
    description: 'Example rows and their records; windrow check compares them with the mapping.',
    items: strictObject(['row', 'gives'], {
      row: { type: 'object', description: 'The cells of one row.' },
      gives: { type: 'object', description: 'The record, or a part of it.' },
    }),
  },
})

/** The schema of a pipeline that exports records of the service to a file. */
export const exportSchema = strictObject(['windrow', 'export', 'to'], {
  ...shared,
  export: oneOf(readableTypes, 'What to export.'),
  only: group('Which records to export.', [], {
    holding: textOrNumber('The name or id of the farm.'),
    plot: { type: ['string', 'number', 'array'], items: wordOrNumber, description: 'The name or id of a paddock.' },
    operation: { type: ['string', 'array'], items: word, description: 'The operation, such as CropProtection.' },
    product: {
      type: ['string', 'number', 'array'],
      items: wordOrNumber,
      description: 'A product by its name, type (such as Herbicide), manufacturer or registration.',
    },
    operator: { type: ['string', 'array'], items: word, description: 'Who did the work: a person or a contractor.' },
    status: { type: ['string', 'array'], items: word, description: 'The status, such as Complete.' },
    day: text('A day, a month such as 2026-09, or: today, yesterday, this or last week, month or year, 2 weeks ago.'),
    from: text('The first day, such as 2026-09-01 or 2 weeks ago.'),
    until: text('The last day, inclusive, such as 2026-09-30.'),
    'modified since': text('Only records changed on this day or later.'),
    box: {
      type: 'array',
      items: wordOrNumber,
      minItems: 4,
      maxItems: 4,
      description:
        'Plots, holdings and land covers: only what touches this box (west, south, east, north in degrees) or has no location.',
    },
    deleted: oneOf(['include'], 'Pasture cover events: deleted ones too.'),
    changed: oneOf(
      ['since last export'],
      'Plots, holdings and land covers: only what changed or was deleted since the last export.',
    ),
  }),
  units: group('The units of the columns.', [], {
    area: text('The unit of areas, such as ha.'),
    length: text('The unit of lengths, such as m.'),
    rate: text('The units of rates in the diary, such as "L/ha, kg/ha" or gal (US)/ac.'),
  }),
  to: group('The file and how to write it.', ['file'], {
    file: text(
      'The path, relative to this pipeline file, or s3://BUCKET/FILE; {month} becomes 2026-10, {day} 2026-10-01, {year} 2026.',
    ),
    layout: oneOf(
      layouts,
      'Of work records: diary, one row for each application (the default in .xlsx and .csv); linked, several tables that refer to each other; flat, one table with everything.',
    ),
    geometry: oneOf(
      jobGeometryKinds,
      'Of work records: logged, where the machine went, else the outline of the work; point, the middle of it; none (the default).',
    ),
    allColumns: { type: 'boolean', description: 'In workbooks: also columns without any value.' },
    format: text('The file format, if the file name does not show it.'),
    crs: text('The coordinate system of a GeoPackage or shapefile, such as EPSG:2193; else longitude and latitude.'),
    columns: {
      ...texts,
      minItems: 1,
      description: 'The columns to write, in this order; "Name=Paddock" gives one another heading.',
    },
    sort: text('The column to sort the records by; "Area desc" begins with the largest.'),
    groupBy: text('In workbooks: a sheet for each value of this column, or for each day, month or year.'),
    folders: oneOf(['make', 'keep'], 'Whether missing folders are made; keep: they are an error.'),
    empty: oneOf(
      ['allow', 'refuse'],
      'When no record matches a filter or one of its words: allow writes what there is, if only headings; refuse keeps the last file.',
    ),
  }),
})

/** The schema of any pipeline file, for editors, with the options of these formats. */
export function pipelineSchema(formats: readonly Format[]): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'windrow pipeline',
    oneOf: [schemaWith('import', formats), schemaWith('export', formats)],
  }
}

/** What a group says that this schema has, and the options of formats, which are all the rest. */
export function apartFromOptions<From extends object>(from: From) {
  type Own = { readonly [Key in Exclude<keyof From, keyof typeof ofFormats>]?: From[Key] | undefined }
  const isOwn = (key: string): boolean => key in importSchema.properties.from.properties && !(key in ofFormats)
  const own = Object.entries(from).filter(([key]) => isOwn(key))
  const options = Object.entries(from).filter(([key]) => !isOwn(key))
  return { own: Object.fromEntries(own) as Own, options: Object.fromEntries(options) as FormatOptions }
}

export type ImportFile = TypeOf<typeof importSchema>
export type ExportFile = TypeOf<typeof exportSchema>

/** The schema with the options of the formats: readable ones under `from`, writable ones under `to`. */
export function schemaWith(kind: 'import' | 'export', formats: readonly Format[]): JsonSchema {
  const known = made.get(formats) ?? { import: madeWith('import', formats), export: madeWith('export', formats) }
  made.set(formats, known)
  return known[kind]
}

// One object per list of formats: the validator compiles each schema object once and keeps it for good.
const made = new WeakMap<readonly Format[], Readonly<Record<'import' | 'export', JsonSchema>>>()

function madeWith(kind: 'import' | 'export', formats: readonly Format[]): JsonSchema {
  const part = kind === 'import' ? 'from' : 'to'
  const base: JsonSchema & { readonly properties: Readonly<Record<string, JsonSchema>> } =
    kind === 'import' ? importSchema : exportSchema
  const options = optionsOf(kind, formats)
  if (Object.keys(options).length === 0) return base
  const owner = base.properties[part] as { readonly properties: Readonly<Record<string, JsonSchema>> }
  return {
    ...base,
    properties: { ...base.properties, [part]: { ...owner, properties: { ...options, ...owner.properties } } },
  }
}

/** The schemas of the options of these formats: for an import of those that read, for an export of those that write. */
function optionsOf(kind: 'import' | 'export', formats: readonly Format[]): Readonly<Record<string, JsonSchema>> {
  const able = formats.filter((format) => (kind === 'import' ? 'open' : 'write') in format)
  const all = able.flatMap((format) => Object.entries(format.options.properties))
  return Object.fromEntries(all.filter(([, option]) => kind === 'export' || option['writeOnly'] !== true))
}

/** The keys of pipelines of this kind, such as geometry.repair, in the order of the schema. */
export function settingKeys(kind: 'import' | 'export', formats: readonly Format[]): readonly string[] {
  return keysIn(schemaWith(kind, formats))
}

function keysIn(schema: JsonSchema): readonly string[] {
  const { properties = {} } = typeof schema === 'boolean' ? {} : schema
  return Object.entries(properties).flatMap(([name, inner]) => {
    const inside = keysIn(inner)
    return inside.length === 0 ? [name] : inside.map((each) => `${name}.${each}`)
  })
}
