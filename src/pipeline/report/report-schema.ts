/** The published JSON Schema of report.json. */

export const count = { type: 'integer', minimum: 0 } as const
export const text = { type: 'string' } as const
export const number = { type: 'number' } as const
export const texts = { type: 'array', items: text } as const

/** An object with these members and no others, of which some may be missing; '' is no description. */
export function objectOf<const Members extends object, const Optional extends keyof Members = never>(
  description: string,
  optional: readonly Optional[],
  properties: Members,
) {
  const left: readonly PropertyKey[] = optional
  const required = Object.keys(properties).filter((name) => !left.includes(name))
  return {
    type: 'object' as const,
    ...(description === '' ? {} : { description }),
    required: required as readonly string[] as readonly Exclude<keyof Members, Optional>[],
    additionalProperties: false as const,
    properties,
  }
}

/** An object whose members are all counts. */
export function counts<const Name extends string>(names: readonly Name[], description: string) {
  return objectOf(description, [], Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>)
}

export const place = objectOf(
  'A row, numbered as in the program that made the file; -1 means the whole file.',
  ['layer'],
  { source: text, layer: text, row: { type: 'integer' } },
)

export const severity = { enum: ['stop', 'error', 'warning', 'note'] } as const

const amount = { type: 'number', minimum: 0 } as const

const repair = objectOf('What repairing the boundary changed, or would change if it was rejected.', [], {
  areaBeforeM2: { ...amount, description: 'The area inside the drawn lines.' },
  areaAfterM2: amount,
  lostShare: { ...amount, maximum: 1, description: 'The share of the area that the repair could add or lose.' },
  partsBefore: count,
  partsAfter: count,
  pointsAdded: { ...count, description: 'Points where lines cross; drawn points do not move.' },
  pointsTakenOut: count,
})

export const problem = objectOf('', ['column', 'value', 'path', 'where', 'with', 'repair', 'hint', 'setting'], {
  code: text,
  severity,
  at: place,
  column: text,
  value: text,
  path: { ...text, description: 'The field of the record, as a JSON pointer.' },
  where: objectOf('', ['part', 'ring', 'vertex'], {
    lon: number,
    lat: number,
    part: count,
    ring: count,
    vertex: count,
  }),
  with: { type: 'array', items: place },
  repair,
  message: text,
  hint: text,
  setting: { ...text, description: 'Of what stopped the run: what to write if the file is right.' },
})

const group = objectOf('', [], {
  code: text,
  severity,
  meaning: text,
  count,
  first: { type: 'array', maxItems: 50, items: problem },
})

/** What was decided about a file. */
export const choices = {
  type: 'array',
  description: 'What was decided about the file and its columns, and why.',
  items: objectOf('', ['question', 'value'], {
    setting: { ...text, description: 'The key in a pipeline, such as from.encoding.' },
    value: { description: 'As a pipeline has it.' },
    evidence: text,
    others: {
      type: 'array',
      description: 'What else it could be, the likeliest first.',
      items: objectOf('', ['value'], { value: {}, evidence: text }),
    },
    certainty: {
      enum: ['sure', 'check', 'ask'],
      description: 'check: a guess that a person should check. ask: only a person can decide it.',
    },
    question: text,
  }),
} as const

const source = objectOf('', ['bbox', 'crs'], {
  name: text,
  table: text,
  format: text,
  kinds: { type: 'object', description: 'The number of rows by geometry type.', additionalProperties: count },
  bbox: {
    type: 'array',
    description:
      'West, south, east, north; west is greater than east where the boundaries lie on both sides of 180 degrees.',
    items: number,
    minItems: 4,
    maxItems: 4,
  },
  crs: objectOf('', [], {
    code: text,
    name: text,
    evidence: text,
    transformation: { ...text, description: 'The transformation to WGS 84; empty for WGS 84 itself.' },
    accuracyM: { ...number, description: 'The uncertainty of the transformation in metres.' },
  }),
})

const shared = objectOf('The number of pairs of boundaries, and their land.', [], { count, areaM2: number })

/** A change that breaks programs that read report.json raises `version`. */
export const reportSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'windrow report',
  ...objectOf(
    '',
    [
      'applied',
      'dryRun',
      'undoes',
      'retries',
      'retry',
      'apply',
      'undo',
      'error',
      'choices',
      'statedArea',
      'coverage',
      'unchecked',
    ],
    {
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
      retries: objectOf(
        'The books of the run whose rejected rows were corrected: read = ready + unchanged + skipped + corrected + takenOut + rejected. takenOut are the rows that the last file of corrected rows no longer had.',
        [],
        {
          run: text,
          read: count,
          ready: count,
          unchanged: count,
          skipped: count,
          corrected: count,
          takenOut: count,
          rejected: count,
        },
      ),
      retry: objectOf('The file of rejected rows to correct, and the command to type afterwards.', [], {
        file: text,
        command: text,
      }),
      apply: { ...text, description: 'The command that sends exactly what a dry run staged, if it can be applied.' },
      undo: { ...text, description: 'The command that takes the run back, if it changed something.' },
      outcome: {
        enum: ['done', 'dry-run', 'stopped', 'interrupted'],
        description: 'The counts of a dry-run show what a real run would do.',
      },
      exit: { type: 'integer', description: 'The exit status.' },
      error: objectOf('Why the run stopped early.', ['hint'], { code: text, message: text, hint: text }),
      source,
      choices,
      target: objectOf('', ['service', 'connection'], { type: text, service: text, connection: text, holdings: texts }),
      rows: counts(
        ['read', 'ready', 'unchanged', 'rejected', 'skipped'],
        'read = ready + unchanged + rejected + skipped',
      ),
      records: counts(
        ['ready', 'created', 'updated', 'refused', 'unsent', 'unchanged'],
        'ready = created + updated + refused + unsent; unchanged records were not sent',
      ),
      gone: counts(['gone', 'deleted', 'kept'], 'gone = deleted + kept: records that are no longer in the file'),
      areaM2: { ...number, description: 'The measured area of all boundaries that were not rejected or skipped.' },
      statedArea: objectOf(
        'The area in a column of the file beside the measured area, also of rows that were left out afterwards, because another has their key; rows of the measuredRows have a value.',
        [],
        { column: text, unit: text, rows: count, measuredRows: count, statedM2: number, measuredM2: number },
      ),
      coverage: objectOf('Duplicates and overlaps between the boundaries of the run.', [], {
        boundaries: count,
        twice: shared,
        inside: shared,
        overlap: shared,
      }),
      accepted: { ...count, description: 'Records that the service accepted.' },
      unseen: { ...count, description: 'Accepted records that the service does not show yet.' },
      problems: { type: 'array', items: group },
      unchecked: { ...texts, description: 'What a dry run without a service could not check.' },
      files: { type: 'object', description: 'The files of the run, by their use.', additionalProperties: text },
    },
  ),
} as const
