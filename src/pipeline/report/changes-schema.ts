/** The published JSON Schema of the changes that `windrow plan --json` prints. */

import { counts, objectOf, text } from './report-schema.ts'

export const changeKinds = ['created', 'updated', 'deleted', 'kept', 'rejected', 'unchanged'] as const

const areaM2 = { type: 'number', minimum: 0 } as const
const value = { type: ['string', 'number', 'boolean'] } as const

const named = {
  key: { ...text, description: 'The key of the record in the service.' },
  id: { ...text, description: 'The id of the record in the file.' },
  name: text,
} as const

const plain = objectOf('', ['name'], { kind: { enum: ['created', 'deleted', 'kept', 'unchanged'] }, ...named })

const updated = objectOf('', ['name', 'boundary'], {
  kind: { const: 'updated' },
  ...named,
  fields: {
    type: 'array',
    description:
      'The fields that change. Without fields and boundary, the same content is sent again because the service did not confirm it.',
    items: objectOf('', ['before', 'after'], {
      field: { ...text, description: 'The title of the column in an export.' },
      before: { ...value, description: 'Missing: the field was blank.' },
      after: { ...value, description: 'Missing: the field is cleared.' },
    }),
  },
  boundary: objectOf(
    'Areas in square metres. Without beforeM2 the boundary is new; without afterM2 it is removed.',
    ['beforeM2', 'afterM2', 'movedM2', 'movedKm'],
    {
      beforeM2: areaM2,
      afterM2: areaM2,
      movedM2: { ...areaM2, description: 'The land that is in only one of the two boundaries.' },
      movedKm: {
        type: 'number',
        minimum: 0,
        description: 'The kilometres between the two boundaries. Only where they have no land in common.',
      },
    },
  ),
})

const rejected = objectOf('', ['layer', 'key', 'id', 'code', 'message'], {
  kind: { const: 'rejected' },
  row: { type: 'integer', description: 'The row, numbered as in the program that made the file.' },
  layer: text,
  key: named.key,
  id: named.id,
  code: { ...text, description: 'The code of its first problem.' },
  message: text,
})

/** A change that breaks programs that read the changes raises `version`. */
export const changesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'windrow changes',
  ...objectOf('', ['error'], {
    windrow: { const: 'changes' },
    version: { const: 1 },
    run: { ...text, description: 'The run to apply: windrow apply RUN.' },
    pipeline: text,
    outcome: { enum: ['done', 'dry-run', 'stopped', 'interrupted'] },
    exit: { type: 'integer' },
    error: objectOf('Why the plan cannot be applied.', ['hint'], { code: text, message: text, hint: text }),
    counts: counts(changeKinds, ''),
    changes: { type: 'array', items: { oneOf: [plain, updated, rejected] } },
  }),
} as const
