/** Hides how the service says that a request failed (section 2.10; RFC 9457). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { text } from './building-blocks.ts'

export const problemDetails = {
  type: 'object',
  properties: { type: text, title: text, status: { type: 'integer' }, detail: text, instance: text },
} as const satisfies JSONSchema

export type ProblemDetails = FromSchema<typeof problemDetails>
