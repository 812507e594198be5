/** The published JSON Schema of report.json. */

import type { JSONSchema } from 'json-schema-to-ts'

/** A number of things. */
export const count = { type: 'integer', minimum: 0 } as const
/** Any text. */
export const text = { type: 'string' } as const
/** A list of texts. */
export const texts = { type: 'array', items: text } as const

const counts = <const Name extends string>(names: readonly Name[], description: string) => ({
  type: 'object' as const,
  description,
  required: names,
  additionalProperties: false as const,
  properties: Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>,
})

/** The place of a problem. */
export const place = {
  type: 'object',
  description: 'A row, numbered as in the program that made the file; -1 means the whole file.',
  required: ['source', 'row'],
  additionalProperties: false,
  properties: { source: text, layer: text, row: { type: 'integer' } },
} as const

export const severity = { enum: ['error', 'warning', 'note'] } as const

const amount = { type: 'number', minimum: 0 } as const

const repair = {
  type: 'object',
  description: 'What repairing the boundary changed, or would change if it was rejected.',
  required: ['areaBeforeM2', 'areaAfterM2', 'lostShare', 'partsBefore', 'partsAfter', 'pointsAdded', 'pointsTakenOut'],
  additionalProperties: false,
  properties: {
    areaBeforeM2: { ...amount, description: 'The area inside the drawn lines.' },
    areaAfterM2: amount,
    lostShare: {
      ...amount,
      maximum: 1,
      description: 'The share of the area that the repair could add or lose.',
    },
    partsBefore: count,
    partsAfter: count,
    pointsAdded: { ...count, description: 'Points where lines cross; drawn points do not move.' },
    pointsTakenOut: count,
  },
} as const

export const problem = {
  type: 'object',
  required: ['code', 'severity', 'at', 'message'],
  additionalProperties: false,
  properties: {
    code: text,
    severity,
    at: place,
    column: text,
    value: text,
    path: { ...text, description: 'The field of the record, as a JSON pointer.' },
    where: {
      type: 'object',
      required: ['lon', 'lat'],
      additionalProperties: false,
      properties: { lon: { type: 'number' }, lat: { type: 'number' }, part: count, ring: count, vertex: count },
    },
    with: { type: 'array', items: place },
    repair,
    message: text,
    hint: text,
  },
} as const

const group = {
  type: 'object',
  required: ['code', 'severity', 'meaning', 'count', 'first'],
  additionalProperties: false,
  properties: {
    code: text,
    severity,
    meaning: text,
    count,
    first: { type: 'array', maxItems: 50, items: problem },
  },
} as const

/** What a reader decided about a table. */
export const decisions = {
  type: 'array',
  description: 'How the file was read, and why.',
  items: {
    type: 'object',
    required: ['option', 'value', 'evidence'],
    additionalProperties: false,
    properties: { option: text, value: { type: ['string', 'number', 'boolean'] }, evidence: text, runnerUp: text },
  },
} as const

const source = {
  type: 'object',
  required: ['name', 'table', 'format', 'kinds', 'decisions'],
  additionalProperties: false,
  properties: {
    name: text,
    table: text,
    format: text,
    kinds: { type: 'object', description: 'The number of rows by geometry type.', additionalProperties: count },
    bbox: {
      type: 'array',
      description:
        'West, south, east, north; west is greater than east where the boundaries lie on both sides of 180 degrees.',
      items: { type: 'number' },
      minItems: 4,
      maxItems: 4,
    },
    crs: {
      type: 'object',
      required: ['code', 'name', 'evidence', 'transformation', 'accuracyM'],
      additionalProperties: false,
      properties: {
        code: text,
        name: text,
        evidence: text,
        transformation: { ...text, description: 'The transformation to WGS 84; empty for WGS 84 itself.' },
        accuracyM: { type: 'number', description: 'The uncertainty of the transformation in metres.' },
      },
    },
    decisions,
  },
} as const

const shared = {
  type: 'object',
  description: 'The number of pairs of boundaries, and their land.',
  required: ['count', 'areaM2'],
  additionalProperties: false,
  properties: { count, areaM2: { type: 'number' } },
} as const

/** A change that breaks programs that read report.json raises `version`. */
export const reportSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'windrow report',
  type: 'object',
  required: [
    'windrow',
    'version',
    'kind',
    'run',
    'pipeline',
    'started',
    'ended',
    'outcome',
    'exit',
    'source',
    'target',
    'rows',
    'records',
    'gone',
    'areaM2',
    'accepted',
    'unseen',
    'problems',
    'files',
  ],
  additionalProperties: false,
  properties: {
    windrow: { const: 'report' },
    version: { const: 1 },
    kind: { const: 'import' },
    run: text,
    pipeline: text,
    started: text,
    ended: text,
    applied: { ...text, description: 'When the plan was applied, if the run was planned first.' },
    dryRun: { const: true, description: 'A run that was never going to send, also if it stopped before its end.' },
    undoes: {
      ...text,
      description:
        'The run that this one undoes. Its rows are the records that run changed: ready to undo, unchanged (as before already), skipped (changed since and left alone).',
    },
    retries: {
      type: 'object',
      description:
        'The books of the run whose rejected rows were corrected: read = ready + unchanged + skipped + corrected + rejected',
      required: ['run', 'read', 'ready', 'unchanged', 'skipped', 'corrected', 'rejected'],
      additionalProperties: false,
      properties: {
        run: text,
        read: count,
        ready: count,
        unchanged: count,
        skipped: count,
        corrected: count,
        rejected: count,
      },
    },
    retry: {
      type: 'object',
      description: 'The file of rejected rows to correct, and the command to type afterwards.',
      required: ['file', 'command'],
      additionalProperties: false,
      properties: { file: text, command: text },
    },
    outcome: {
      enum: ['done', 'dry-run', 'stopped', 'interrupted'],
      description: 'The counts of a dry-run show what a real run would do.',
    },
    exit: { type: 'integer', description: 'The exit status.' },
    error: {
      type: 'object',
      description: 'Why the run stopped early.',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: { code: text, message: text, hint: text },
    },
    source,
    decisions: {
      ...decisions,
      description: 'What the import decided, and why: key, holding, fields, zone, columns that are not used.',
    },
    target: {
      type: 'object',
      required: ['type', 'holdings'],
      additionalProperties: false,
      properties: { type: text, service: text, connection: text, holdings: texts },
    },
    rows: counts(
      ['read', 'ready', 'unchanged', 'rejected', 'skipped'],
      'read = ready + unchanged + rejected + skipped',
    ),
    records: counts(
      ['ready', 'created', 'updated', 'refused', 'unsent', 'unchanged'],
      'ready = created + updated + refused + unsent; unchanged records were not sent',
    ),
    gone: counts(['gone', 'deleted', 'kept'], 'gone = deleted + kept: records that are no longer in the file'),
    areaM2: { type: 'number', description: 'The measured area of all boundaries that were not rejected.' },
    statedArea: {
      type: 'object',
      description: 'The area in a column of the file beside the measured area; rows of the measuredRows have a value.',
      required: ['column', 'unit', 'rows', 'measuredRows', 'statedM2', 'measuredM2'],
      additionalProperties: false,
      properties: {
        column: text,
        unit: text,
        rows: count,
        measuredRows: count,
        statedM2: { type: 'number' },
        measuredM2: { type: 'number' },
      },
    },
    coverage: {
      type: 'object',
      description: 'Overlaps, duplicates and narrow gaps between the boundaries of the run.',
      required: ['boundaries', 'twice', 'inside', 'overlap', 'sliver', 'gap', 'trimmed'],
      additionalProperties: false,
      properties: {
        boundaries: count,
        twice: shared,
        inside: shared,
        overlap: shared,
        sliver: shared,
        gap: shared,
        trimmed: shared,
      },
    },
    accepted: { ...count, description: 'Records that the service accepted.' },
    unseen: { ...count, description: 'Accepted records that the service does not show yet.' },
    problems: { type: 'array', items: group },
    unchecked: { ...texts, description: 'What a dry run without a service could not check.' },
    files: { type: 'object', description: 'The files of the run, by their use.', additionalProperties: text },
  },
} as const satisfies JSONSchema
