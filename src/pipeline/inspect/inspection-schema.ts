/** Hides the published form of what `windrow inspect --json` writes, for programs that read it. */

import type { JSONSchema } from 'json-schema-to-ts'
import { count, decisions, place, problem, severity, text, texts } from '../report/report-schema.ts'

const extent = (description: string) =>
  ({
    type: ['array', 'null'],
    description,
    items: { type: 'number' },
    minItems: 4,
    maxItems: 4,
  }) as const

const crs = {
  type: ['object', 'null'],
  description: 'The coordinate system, or why it is not known; null where the layer has no geometry.',
  additionalProperties: false,
  properties: {
    code: { ...text, description: 'Such as EPSG:2193; empty where only its numbers are known.' },
    name: text,
    evidence: { ...text, description: 'Where it came from, such as the .prj.' },
    transformation: { ...text, description: 'The way to WGS 84 that would be taken; empty for WGS 84 itself.' },
    accuracyM: { type: 'number', description: 'What the way to longitude and latitude leaves uncertain, in metres.' },
    problem: text,
    hint: text,
  },
} as const

const patternFit = {
  type: 'object',
  required: ['pattern', 'spoken', 'fits', 'impossible', 'misfits'],
  additionalProperties: false,
  properties: {
    pattern: { ...text, description: 'Such as d/M/yyyy.' },
    spoken: { ...text, description: 'Such as day/month/year.' },
    fits: { ...count, description: 'Texts that it reads.' },
    impossible: { ...count, description: 'Texts of its form whose date does not exist.' },
    misfits: { ...count, description: 'Texts of another form.' },
    firstMisfit: {
      type: 'object',
      description: 'The first text that it does not read.',
      required: ['text', 'at'],
      additionalProperties: false,
      properties: { text, at: place },
    },
  },
} as const

const column = {
  type: 'object',
  required: [
    'name',
    'type',
    'filled',
    'blank',
    'distinct',
    'distinctIsExact',
    'repeated',
    'leadingZeros',
    'numbers',
    'units',
    'dates',
    'examples',
  ],
  additionalProperties: false,
  properties: {
    name: text,
    type: {
      ...text,
      description:
        'What all filled cells are: empty, text, text (id), number, "number, comma", yes/no, nested, or date and its pattern; both patterns where nothing shows which.',
    },
    filled: count,
    blank: count,
    distinct: { ...count, description: 'How many different values there are.' },
    distinctIsExact: { type: 'boolean', description: 'False where there are more, which were not counted.' },
    repeated: { ...count, description: 'How many values come more than once.' },
    leadingZeros: { ...count, description: 'Texts such as 007.' },
    numbers: {
      type: 'object',
      description: 'Cells that are numbers: typed ones, and texts by the decimal mark with which they can be read.',
      required: ['typed', 'point', 'comma', 'either', 'both'],
      additionalProperties: false,
      properties: {
        typed: count,
        point: { ...count, description: 'Texts that are numbers with a decimal point.' },
        comma: { ...count, description: 'Texts that are numbers with a decimal comma.' },
        either: { ...count, description: 'Texts that are the same number with both.' },
        both: {
          ...count,
          description: 'Of those with a point or a comma, the ones that are another number with each, such as 1,204.',
        },
      },
    },
    units: {
      type: 'object',
      description: 'Words behind numbers, such as ha, and how often.',
      additionalProperties: count,
    },
    dates: { type: 'array', description: 'Patterns that read at least one text, best first.', items: patternFit },
    examples: { ...texts, description: 'The first different values.' },
  },
} as const

const layer = {
  type: 'object',
  required: [
    'name',
    'rows',
    'geometry',
    'withoutGeometry',
    'vertices',
    'bbox',
    'lonLat',
    'crs',
    'decisions',
    'columns',
    'problems',
    'inRows',
  ],
  additionalProperties: false,
  properties: {
    name: text,
    rows: { ...count, description: 'Without blank rows and footers.' },
    geometry: { type: 'object', description: 'How many rows have each type of geometry.', additionalProperties: count },
    withoutGeometry: { type: ['integer', 'null'], minimum: 0, description: 'Null where the layer has no geometry.' },
    vertices: count,
    bbox: extent('West, south, east, north in the coordinates of the file.'),
    lonLat: extent('West, south, east, north in degrees of longitude and latitude.'),
    crs,
    decisions,
    columns: { type: 'array', items: column },
    problems: { type: 'array', description: 'What is to be said about the layer as a whole.', items: problem },
    inRows: {
      type: 'array',
      description: 'What the reader found wrong with rows, by code.',
      items: {
        type: 'object',
        required: ['code', 'severity', 'count', 'first'],
        additionalProperties: false,
        properties: { code: text, severity, count, first: problem },
      },
    },
  },
} as const

/** The form of what is written. A change that breaks a reader of it raises `version`. */
export const inspectionSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'windrow inspection',
  type: 'object',
  required: ['windrow', 'version', 'file', 'bytes', 'format', 'layers'],
  additionalProperties: false,
  properties: {
    windrow: { const: 'inspection' },
    version: { const: 1 },
    file: text,
    bytes: { ...count, description: 'The size of the file; 0 for a folder.' },
    format: { ...text, description: 'The kind of file, such as shapefile.' },
    layers: { type: 'array', items: layer },
  },
} as const satisfies JSONSchema
