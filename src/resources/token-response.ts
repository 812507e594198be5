/** Hides what the token endpoint answers (section 5). `refresh_token` comes only with the scope `offline_access`. */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { text } from './building-blocks.ts'

export const tokenResponse = {
  type: 'object',
  required: ['access_token', 'expires_in'],
  properties: {
    access_token: { type: 'string', minLength: 1 },
    expires_in: { type: 'number', exclusiveMinimum: 0 },
    id_token: text,
    refresh_token: text,
    token_type: text,
    scope: text,
  },
} as const satisfies JSONSchema

export type TokenResponse = FromSchema<typeof tokenResponse>
