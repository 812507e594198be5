/** The published JSON Schema of `windrow inspect --json`. */

import { count, choices, number, objectOf, place, problem, severity, text, texts } from '../report/report-schema.ts'

const extent = (description: string) =>
  ({ type: ['array', 'null'], description, items: number, minItems: 4, maxItems: 4 }) as const

const crs = {
  type: ['object', 'null'],
  description: 'The coordinate system, or why it is unknown; null if the layer has no geometry.',
  additionalProperties: false,
  properties: {
    code: { ...text, description: 'The code, such as EPSG:2193; empty if the system has none.' },
    name: text,
    evidence: { ...text, description: 'The source, such as the .prj file.' },
    transformation: { ...text, description: 'The transformation to WGS 84; empty for WGS 84 itself.' },
    accuracyM: { type: 'number', description: 'The uncertainty of the transformation in metres.' },
    problem: text,
    hint: text,
  },
} as const

const patternFit = objectOf('', ['firstMisfit'], {
  pattern: { ...text, description: 'Such as d/M/yyyy.' },
  spoken: { ...text, description: 'Such as day/month/year.' },
  fits: { ...count, description: 'Texts that fit the pattern.' },
  impossible: { ...count, description: 'Texts of this form whose date does not exist.' },
  misfits: { ...count, description: 'Texts that do not fit the pattern.' },
  firstMisfit: objectOf('The first text that does not fit.', [], { text, at: place }),
})

const column = objectOf('', [], {
  name: text,
  type: {
    ...text,
    description:
      'The type of all filled cells: empty, text, text (id), number, "number, comma", yes/no, nested, or date with its pattern; both patterns if nothing shows which.',
  },
  filled: count,
  blank: count,
  distinct: { ...count, description: 'The number of different values.' },
  distinctIsExact: { type: 'boolean', description: 'False if there are more that were not counted.' },
  repeated: { ...count, description: 'The number of values that appear more than once.' },
  leadingZeros: { ...count, description: 'Texts such as 007.' },
  numbers: objectOf('Cells that are numbers: typed ones, and texts by their decimal separator.', [], {
    typed: count,
    point: { ...count, description: 'Texts that are numbers with a decimal point.' },
    comma: { ...count, description: 'Texts that are numbers with a decimal comma.' },
    either: { ...count, description: 'Texts that are the same number either way.' },
    both: {
      ...count,
      description: 'Texts that are a different number either way, such as 1,204; they also count as point or comma.',
    },
  }),
  units: {
    type: 'object',
    description: 'Words after numbers, such as ha, with their counts.',
    additionalProperties: count,
  },
  dates: { type: 'array', description: 'Patterns that fit at least one text, best first.', items: patternFit },
  examples: { ...texts, description: 'The first different values.' },
})

const layer = objectOf('', [], {
  name: text,
  rows: { ...count, description: 'The number of rows, without blank rows and footers.' },
  geometry: { type: 'object', description: 'The number of rows by geometry type.', additionalProperties: count },
  withoutGeometry: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'The number of rows without geometry; null if the layer has none at all.',
  },
  vertices: count,
  bbox: extent('West, south, east, north in the coordinates of the file.'),
  lonLat: extent('West, south, east, north in degrees of longitude and latitude.'),
  crs,
  choices,
  columns: { type: 'array', items: column },
  problems: { type: 'array', description: 'Problems of the layer as a whole.', items: problem },
  inRows: {
    type: 'array',
    description: 'Problems of rows, by code.',
    items: objectOf('', [], { code: text, severity, count, first: problem }),
  },
})

/** A change that breaks programs that read the output raises `version`. */
export const inspectionSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'windrow inspection',
  ...objectOf('', [], {
    windrow: { const: 'inspection' },
    version: { const: 1 },
    file: text,
    bytes: { ...count, description: 'The size of the file; 0 for a folder.' },
    format: { ...text, description: 'The file format, such as shapefile.' },
    layers: { type: 'array', items: layer },
  }),
} as const
