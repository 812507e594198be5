/** Hides the form of a pipeline file: one JSON Schema for imports, one for exports, which editors can use too. */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { Format } from '../../formats/format.ts'
import { headerOption } from '../../formats/grid/options.ts'
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
    zone: { ...text, description: 'The time zone of that clock, such as Pacific/Auckland.' },
    missed: { enum: ['once', 'skip', 'all'], description: 'What to do about runs that were missed.' },
    timeout: { ...textOrNumber, description: 'How long a run may take, such as 30 min.' },
  },
} as const satisfies JSONSchema

const shared = {
  windrow: { const: 1, description: 'The version of this form.' },
  connection: { ...text, description: 'The name of the connection, as given to windrow connect.' },
  zone: {
    ...text,
    description:
      'The time zone of dates that name none, and of the days and times of an export, such as Pacific/Auckland.',
  },
  schedule,
} as const

/** The form of a pipeline that reads a file into the service. */
export const importSchema = {
  type: 'object',
  required: ['windrow', 'import', 'from', 'holding', 'record'],
  additionalProperties: false,
  properties: {
    ...shared,
    import: { enum: ['plots', 'holdings', 'land-covers'], description: 'What the rows become.' },
    from: {
      type: 'object',
      description: 'The file, and how it is read.',
      required: ['file'],
      additionalProperties: false,
      properties: {
        file: {
          ...text,
          description: 'The path of a file or folder, seen from this file, or of something in a zip, or a web address.',
        },
        'private addresses': {
          enum: ['allow', 'refuse'],
          description: 'Whether a web address may lead to this machine or into a private network.',
        },
        layer: { ...text, description: 'The layer or sheet, where the file has several.' },
        format: { ...text, description: 'The kind of file, where its name does not say it.' },
        crs: {
          ...text,
          description:
            'The coordinate system, such as EPSG:2193; auto: worked out where the file says none and one clearly wins.',
        },
        grids: {
          ...text,
          description:
            'The folder with grids of datum shifts (NTv2, .gsb), seen from this file; used where they serve.',
        },
        encoding: { ...text, description: 'How the text is encoded, such as utf-8.' },
        delimiter: { ...text, description: 'What stands between two cells.' },
        quote: { ...text, description: 'What stands around a cell: one character, or none.' },
        escape: { enum: ['double', 'backslash'], description: 'How a quote inside a cell is written.' },
        decimal: { enum: ['point', 'comma'], description: 'What stands before the decimals of a number.' },
        header: headerOption,
        hidden: { type: 'boolean', description: 'Whether the hidden sheets of a workbook are read too.' },
        settled: { ...textOrNumber, description: 'How long the file must have been left alone, such as 2 min.' },
      },
    },
    columns: {
      type: 'object',
      description: 'Which columns the file must have.',
      additionalProperties: false,
      properties: {
        expect: { ...texts, description: 'The columns of the file, all of them.' },
        new: { enum: ['warn', 'ignore', 'stop'], description: 'What to do about a column that is new.' },
        missing: { enum: ['stop', 'warn'], description: 'What to do about a column that is gone.' },
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
      description: 'The <COLUMN> that tells one record from another, or a list of them.',
    },
    source: {
      type: 'object',
      description: 'How your system is named in the source id.',
      required: ['scheme'],
      additionalProperties: false,
      properties: { scheme: { ...text, description: 'A scheme of your own, such as nz.example.rimu.' } },
    },
    record: { type: 'object', description: 'The fields of the record, and the <COLUMN> or text of each.' },
    rows: { enum: ['one', 'group'], description: 'One record a row, or one for all rows of a key.' },
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
            'What to do with boundaries of several parts: keep them, make each a record (explode), or join those that touch (union).',
        },
        repair: { ...textOrNumber, description: 'How much of the area mending may change: up to 1 %, or none.' },
        slivers: {
          ...textOrNumber,
          description: 'Points, spikes, holes and parts narrower than this go out: under 0.5 m, or none (usual).',
        },
        overlaps: {
          ...textOrNumber,
          description:
            'Which overlaps are cut off the smaller of two boundaries: up to 1 m, by their width, or keep (usual).',
        },
        heights: { enum: ['drop', 'keep'], description: 'What to do with heights.' },
        decimals: { type: 'integer', minimum: 5, maximum: 12, description: 'Decimals of longitude and latitude.' },
      },
    },
    blank: { enum: ['keep', 'clear'], description: 'What an empty cell does to a value the record has.' },
    gone: { enum: ['keep', 'delete'], description: 'What becomes of records that are no longer in the file.' },
    guard: {
      type: 'object',
      description: 'Beyond these limits nothing is sent.',
      additionalProperties: false,
      properties: {
        deletes: { ...textOrNumber, description: 'How many records may be deleted: 5 % or 10' },
        rejected: { ...textOrNumber, description: 'How many rows may be wrong: 2 %' },
        'fewer rows': { ...textOrNumber, description: 'How many fewer records than last time there may be: 20 %' },
        replaced: {
          ...textOrNumber,
          description: 'How many known records may be missing while as many are new: 50 % or 1 (usual)',
        },
        reading: {
          enum: ['stop', 'warn'],
          description: 'What to do about a file that fits another reading better than the agreed one.',
        },
      },
    },
    examples: {
      type: 'array',
      description: 'Rows with the record that each gives; windrow check holds them against the mapping.',
      items: {
        type: 'object',
        required: ['row', 'gives'],
        additionalProperties: false,
        properties: {
          row: { type: 'object', description: 'The cells of one row.' },
          gives: { type: 'object', description: 'What the record holds then, or a part of it.' },
        },
      },
    },
  },
} as const satisfies JSONSchema

/** The form of a pipeline that writes a file of what the service holds. */
export const exportSchema = {
  type: 'object',
  required: ['windrow', 'export', 'to'],
  additionalProperties: false,
  properties: {
    ...shared,
    export: { enum: readableTypes, description: 'What is written.' },
    only: {
      type: 'object',
      description: 'Which records to take.',
      additionalProperties: false,
      properties: {
        holding: { ...textOrNumber, description: 'The name or id of the farm.' },
        operation: { type: ['string', 'array'], items: text, description: 'The operation, such as CropProtection.' },
        status: { type: ['string', 'array'], items: text, description: 'The status, such as Complete.' },
        day: { ...text, description: 'A day, or: today, yesterday, this or last week, month or year.' },
        from: { ...text, description: 'The first day, as 2026-09-01.' },
        until: { ...text, description: 'The last day, which is included, as 2026-09-30.' },
      },
    },
    units: {
      type: 'object',
      description: 'The units of the columns.',
      additionalProperties: false,
      properties: {
        area: { ...text, description: 'The unit of areas, such as ha.' },
        length: { ...text, description: 'The unit of lengths, such as m.' },
      },
    },
    to: {
      type: 'object',
      description: 'The file, and how it is written.',
      required: ['file'],
      additionalProperties: false,
      properties: {
        file: { ...text, description: 'The path seen from this file; {month}, {day} and {year} are filled in.' },
        layout: { enum: ['flat', 'linked'], description: 'One table, or several that refer to each other.' },
        format: { ...text, description: 'The kind of file, where its name does not say it.' },
      },
    },
  },
} as const satisfies JSONSchema

/** The form of any pipeline file, for editors. */
export const pipelineSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'windrow pipeline',
  oneOf: [importSchema, exportSchema],
} as const satisfies JSONSchema

export type ImportFile = FromSchema<typeof importSchema>
export type ExportFile = FromSchema<typeof exportSchema>

/** The form with the options of further formats: those that can be read under `from`, those that can be written under `to`. One for each list. */
export function schemaWith(kind: 'import' | 'export', formats: readonly Format[]): JSONSchema {
  const known = made[kind].get(formats)
  if (known !== undefined) return known
  const schema = madeWith(kind, formats)
  made[kind].set(formats, schema)
  return schema
}

// A schema is compiled once, and kept: a new one for each pipeline that is read took 6 ms and 0.13 MB for good.
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
