/** The JSON Schemas of pipeline files, one for imports and one for exports; editors can use them too. */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { Format } from '../../formats/format.ts'
import { headerOption } from '../../formats/grid/options.ts'
import { layouts } from '../../resources/columns.ts'
import { jobGeometryKinds } from '../../resources/job-tables.ts'
import { readableTypes } from '../../resources/index.ts'

const text = { type: 'string', minLength: 1 } as const
const textOrNumber = { type: ['string', 'number'] } as const
const texts = { type: 'array', items: text } as const
const scalar = { type: ['string', 'number', 'boolean'] } as const

const schedule = {
  type: 'object',
  description: 'When the pipeline runs by itself.',
  required: ['cron', 'zone'],
  additionalProperties: false,
  properties: {
    cron: { ...text, description: 'Minute, hour, day, month, weekday: "15 2 * * *" is every night at 2:15.' },
    zone: { ...text, description: 'The time zone of these times, such as Pacific/Auckland.' },
    missed: { enum: ['once', 'skip', 'all'], description: 'What to do about missed runs.' },
    timeout: { ...textOrNumber, description: 'How long a run may take, such as 30 min.' },
    retry: {
      type: ['object', 'string'],
      description:
        'How a run is tried again if the service or an address did not answer. Without this key: every 10 min, for 3 h. none: not at all.',
      additionalProperties: false,
      properties: {
        every: { ...textOrNumber, description: 'The time between two tries: 10 min (default).' },
        for: { ...textOrNumber, description: 'How long after the first try: 3 h (default).' },
      },
    },
    'wait for file': {
      ...text,
      description:
        'How long to try again while the file is missing, empty, still growing or in use: until 06:00 (default), a time such as 4 h, or none.',
    },
  },
} as const satisfies JSONSchema

const shared = {
  windrow: { const: 1, description: 'The version of the pipeline format.' },
  connection: { ...text, description: 'The name of a connection saved with windrow connect.' },
  zone: {
    ...text,
    description:
      'The time zone of dates without one, and of the days and times of an export, such as Pacific/Auckland.',
  },
  schedule,
  after: {
    type: ['string', 'array'],
    minLength: 1,
    minItems: 1,
    items: text,
    description:
      'The pipelines of the same folder, without .yaml, whose last due run must be good before this one runs by its schedule.',
  },
} as const

/** The schema of a pipeline that imports a file into the service. */
export const importSchema = {
  type: 'object',
  required: ['windrow', 'import', 'from', 'holding', 'record'],
  additionalProperties: false,
  properties: {
    ...shared,
    import: { enum: ['plots', 'holdings', 'land-covers'], description: 'What the rows become.' },
    from: {
      type: 'object',
      description: 'The file and how to read it.',
      additionalProperties: false,
      properties: {
        file: {
          ...text,
          description:
            'The path of a file, folder or zip entry, relative to this pipeline file, or an https or s3 address.',
        },
        folder: {
          ...text,
          description: 'In place of file: a folder where files arrive, relative to this pipeline file.',
        },
        pattern: { ...text, description: 'Which files of the folder: * is any text, ? is one character.' },
        take: {
          enum: ['newest', 'all in order'],
          description:
            'Which new files of the folder: the newest (default), or all, the oldest first. Each file is read once.',
        },
        // oxlint-disable-next-line unicorn/no-thenable -- the word of pipeline files; nobody awaits a schema
        then: {
          ...text,
          description: 'What to do with a file of the folder afterwards: move to FOLDER, or keep (default).',
        },
        empty: {
          enum: ['allow', 'refuse'],
          description: 'When the folder has no new file: allow is a good run, refuse (default) is a missing file.',
        },
        'private addresses': {
          enum: ['allow', 'refuse'],
          description: 'Whether a web address may point to this machine or a private network.',
        },
        layer: { ...text, description: 'The layer or sheet, if the file has several.' },
        format: { ...text, description: 'The file format, if the file name does not show it.' },
        crs: {
          ...text,
          description:
            'The coordinate system, such as EPSG:2193; auto: if the file names none, use the one that clearly fits best.',
        },
        grids: {
          ...text,
          description:
            'The folder with datum shift grids (NTv2, .gsb), relative to this pipeline file; used if they apply.',
        },
        encoding: { ...text, description: 'The text encoding, such as utf-8.' },
        delimiter: { ...text, description: 'The delimiter between cells.' },
        quote: { ...text, description: 'The quote character, or none.' },
        escape: { enum: ['double', 'backslash'], description: 'How a quote inside a cell is escaped.' },
        decimal: { enum: ['point', 'comma'], description: 'The decimal separator.' },
        header: headerOption,
        hidden: { type: 'boolean', description: 'Whether to read hidden sheets of a workbook too.' },
        settled: {
          ...textOrNumber,
          description: 'How long the file must be unchanged before it is read, such as 2 min.',
        },
      },
    },
    columns: {
      type: 'object',
      description: 'The columns the file must have.',
      additionalProperties: false,
      properties: {
        expect: { ...texts, description: 'All columns of the file.' },
        new: { enum: ['warn', 'ignore', 'stop'], description: 'What to do about a new column.' },
        missing: { enum: ['stop', 'warn'], description: 'What to do about a missing column.' },
      },
    },
    holding: {
      type: 'object',
      description: 'The farm: { scheme: nz.example.farm-number, id: "00412876" }',
      required: ['scheme', 'id'],
      additionalProperties: false,
      properties: {
        scheme: { ...text, description: 'The official scheme of the id.' },
        id: { ...textOrNumber, description: 'The id, or the <COLUMN> that holds it.' },
      },
    },
    key: {
      type: ['string', 'object', 'array'],
      minLength: 1,
      minItems: 1,
      description:
        'The <COLUMN> that is different in every row, or several columns that are together, where { place: measured } is where the boundary lies; for an export of the service { source id: { SCHEME: <COLUMN> } }.',
    },
    source: {
      type: 'object',
      description: 'The name of your system in the source id.',
      required: ['scheme'],
      additionalProperties: false,
      properties: { scheme: { ...text, description: 'Your own scheme, such as nz.example.rimu.' } },
    },
    record: { type: 'object', description: 'The fields of the record, each with a <COLUMN> or text.' },
    rows: { enum: ['one', 'group'], description: 'One record per row, or one per key for all its rows (group).' },
    only: {
      type: 'object',
      description: 'Which rows to take: { STATUS: [Active, New] }',
      additionalProperties: { type: ['string', 'number', 'boolean', 'array'], items: scalar },
    },
    geometry: {
      type: 'object',
      description: 'What to do with boundaries.',
      additionalProperties: false,
      properties: {
        multipart: {
          enum: ['keep', 'explode', 'union'],
          description:
            'What to do with boundaries of several parts: keep them, make a record of each part (explode), or join parts that touch (union).',
        },
        repair: { ...textOrNumber, description: 'How much of the area a repair may change: up to 1 %, or none.' },
        slivers: {
          ...textOrNumber,
          description: 'Remove points, spikes, holes and parts narrower than this: under 0.5 m, or none (default).',
        },
        overlaps: {
          ...textOrNumber,
          description: 'Cut overlaps up to this width off the smaller boundary: up to 1 m, or keep (default).',
        },
        heights: { enum: ['drop', 'keep'], description: 'What to do with heights.' },
        decimals: { type: 'integer', minimum: 5, maximum: 12, description: 'Decimals of longitude and latitude.' },
      },
    },
    blank: {
      enum: ['keep', 'clear'],
      description: 'What an empty cell does to the value in the record: keep it or clear it.',
    },
    match: {
      ...text,
      description:
        'How rows with new keys find the records that the service has: boundary, name, or <COLUMN>=identifier, where the column has ids that the service knows.',
    },
    gone: { enum: ['keep', 'delete'], description: 'What to do with records that are no longer in the file.' },
    guard: {
      type: 'object',
      description: 'Limits; if a run exceeds one, nothing is sent.',
      additionalProperties: false,
      properties: {
        deletes: {
          ...textOrNumber,
          description:
            'How many records may be deleted: 5 % or 10 (default). On a small farm, where 5 % is less than 10, 5 % decides; one record may always go.',
        },
        rejected: { ...textOrNumber, description: 'How many rows may be rejected: 2 %' },
        'fewer rows': { ...textOrNumber, description: 'How many fewer records than last time are allowed: 20 %' },
        replaced: {
          ...textOrNumber,
          description: 'How many known records may be missing while as many are new: 50 % or 1 (default)',
        },
        duplicates: {
          enum: ['stop', 'allow'],
          description:
            'What to do if more than 5 % of the new records, at least 2, are in the service already, under other keys.',
        },
        far: {
          enum: ['stop', 'allow'],
          description:
            'What to do if most of the boundaries that are created or moved, at least 2, lie more than 50 km from those that the farm has.',
        },
        renamed: {
          enum: ['stop', 'allow'],
          description:
            'What to do if most of the known records, at least 3, would get another name and other values at once, as from the file of another farm.',
        },
        'older than': {
          ...textOrNumber,
          description:
            'How old the file may be: 36 h. By a schedule, the default is twice the time between two runs. none: any age.',
        },
        reading: {
          enum: ['stop', 'warn'],
          description: 'What to do about a file that fits another format better than the one in this pipeline.',
        },
      },
    },
    examples: {
      type: 'array',
      description: 'Example rows and their records; windrow check compares them with the mapping.',
      items: {
        type: 'object',
        required: ['row', 'gives'],
        additionalProperties: false,
        properties: {
          row: { type: 'object', description: 'The cells of one row.' },
          gives: { type: 'object', description: 'The record, or a part of it.' },
        },
      },
    },
  },
} as const satisfies JSONSchema

/** The schema of a pipeline that exports records of the service to a file. */
export const exportSchema = {
  type: 'object',
  required: ['windrow', 'export', 'to'],
  additionalProperties: false,
  properties: {
    ...shared,
    export: { enum: readableTypes, description: 'What to export.' },
    only: {
      type: 'object',
      description: 'Which records to export.',
      additionalProperties: false,
      properties: {
        holding: { ...textOrNumber, description: 'The name or id of the farm.' },
        plot: { type: ['string', 'number', 'array'], items: textOrNumber, description: 'The name or id of a paddock.' },
        operation: { type: ['string', 'array'], items: text, description: 'The operation, such as CropProtection.' },
        product: {
          type: ['string', 'number', 'array'],
          items: textOrNumber,
          description: 'A product by its name, type (such as Herbicide), manufacturer or registration.',
        },
        status: { type: ['string', 'array'], items: text, description: 'The status, such as Complete.' },
        day: { ...text, description: 'A day, or: today, yesterday, this or last week, month or year, 2 weeks ago.' },
        from: { ...text, description: 'The first day, such as 2026-09-01 or 2 weeks ago.' },
        until: { ...text, description: 'The last day, inclusive, such as 2026-09-30.' },
        'modified since': { ...text, description: 'Only records changed on this day or later.' },
        changed: {
          enum: ['since last export'],
          description: 'Plots, holdings and land covers: only what changed or was deleted since the last export.',
        },
      },
    },
    units: {
      type: 'object',
      description: 'The units of the columns.',
      additionalProperties: false,
      properties: {
        area: { ...text, description: 'The unit of areas, such as ha.' },
        length: { ...text, description: 'The unit of lengths, such as m.' },
        rate: { ...text, description: 'The units of rates in the diary, such as "L/ha, kg/ha" or gal (US)/ac.' },
      },
    },
    to: {
      type: 'object',
      description: 'The file and how to write it.',
      required: ['file'],
      additionalProperties: false,
      properties: {
        file: {
          ...text,
          description:
            'The path, relative to this pipeline file, or s3://BUCKET/FILE; {month}, {day} and {year} are filled in.',
        },
        layout: {
          enum: layouts,
          description:
            'Of work records: diary, one row for each application (the default in .xlsx and .csv); linked, several tables that refer to each other; flat, one table with everything.',
        },
        geometry: {
          enum: jobGeometryKinds,
          description:
            'Of work records: logged, where the machine went, else the outline of the work; point, the middle of it; none (the default).',
        },
        allColumns: { type: 'boolean', description: 'In workbooks: also columns without any value.' },
        format: { ...text, description: 'The file format, if the file name does not show it.' },
        crs: {
          ...text,
          description:
            'The coordinate system of a GeoPackage or shapefile, such as EPSG:2193; else longitude and latitude.',
        },
        columns: {
          ...texts,
          minItems: 1,
          description: 'The columns to write, in this order; "Name=Paddock" gives one another heading.',
        },
        sort: { ...text, description: 'The column to sort the records by; "Area desc" begins with the largest.' },
        groupBy: {
          ...text,
          description: 'In workbooks: a sheet for each value of this column, or for each day, month or year.',
        },
        folders: { enum: ['make', 'keep'], description: 'Whether missing folders are made; keep: they are an error.' },
        empty: {
          enum: ['allow', 'refuse'],
          description: 'When no record matches: allow writes a file with headings only, refuse keeps the last file.',
        },
      },
    },
  },
} as const satisfies JSONSchema

/** The schema of any pipeline file, for editors, with the options of these formats. */
export function pipelineSchema(formats: readonly Format[]): JSONSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'windrow pipeline',
    oneOf: [schemaWith('import', formats), schemaWith('export', formats)],
  }
}

export type ImportFile = FromSchema<typeof importSchema>
export type ExportFile = FromSchema<typeof exportSchema>

/** The schema with the options of the formats: readable ones under `from`, writable ones under `to`. */
export function schemaWith(kind: 'import' | 'export', formats: readonly Format[]): JSONSchema {
  const known = made[kind].get(formats)
  if (known !== undefined) return known
  const schema = madeWith(kind, formats)
  made[kind].set(formats, schema)
  return schema
}

// One object per list of formats: the validator compiles each schema object once and keeps it for good.
const made = {
  import: new WeakMap<readonly Format[], JSONSchema>(),
  export: new WeakMap<readonly Format[], JSONSchema>(),
}

function madeWith(kind: 'import' | 'export', formats: readonly Format[]): JSONSchema {
  const part = kind === 'import' ? 'from' : 'to'
  const base: JSONSchema & { readonly properties: Readonly<Record<string, JSONSchema>> } =
    kind === 'import' ? importSchema : exportSchema
  const able = formats.filter((format) => (kind === 'import' ? 'open' : 'write') in format)
  if (able.length === 0) return base
  const owner = base.properties[part] as { readonly properties: Readonly<Record<string, JSONSchema>> }
  const options = Object.assign({}, ...able.map(({ options: { properties } }) => properties)) as typeof owner.properties
  return {
    ...base,
    properties: { ...base.properties, [part]: { ...owner, properties: { ...options, ...owner.properties } } },
  }
}
