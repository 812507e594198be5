/** Describes notify.yaml: who gets messages about the pipelines of a folder, and when. */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { rhythms, timeOfDay } from '../pipeline/definition/amounts.ts'

const text = { type: 'string', minLength: 1 } as const
const texts = { type: 'array', items: text, minItems: 1 } as const

/** The occasions for a message, as written under `on`. */
export const occasions = ['failure', 'recovery', 'unusual counts', 'summary'] as const
export type Occasion = (typeof occasions)[number]

export const settingsSchema = {
  type: 'object',
  required: ['windrow', 'notify'],
  additionalProperties: false,
  properties: {
    windrow: { const: 1, description: 'The version of the format.' },
    notify: { ...text, description: 'What the messages call this place, such as Rimu office.' },
    on: { type: 'array', items: { enum: occasions }, minItems: 1, description: 'The occasions; without it, all.' },
    email: {
      type: 'object',
      required: ['to', 'from', 'server'],
      additionalProperties: false,
      properties: {
        to: texts,
        from: text,
        server: text,
        port: { type: 'integer', minimum: 1, maximum: 65_535 },
        encryption: {
          enum: ['starttls', 'tls', 'none'],
          description: 'starttls by default, tls for port 465; none only on this machine.',
        },
        username: text,
        'password file': text,
      },
    },
    webhook: {
      type: 'object',
      required: ['address'],
      additionalProperties: false,
      properties: { address: text, 'secret file': text },
    },
    command: { ...texts, description: 'A program and its words. It gets the message as JSON on standard input.' },
    ping: {
      description: 'An address to call after each good run, or one for each pipeline.',
      anyOf: [text, { type: 'object', additionalProperties: text, minProperties: 1 }],
    },
    summary: {
      type: 'object',
      required: ['every', 'at', 'zone'],
      additionalProperties: false,
      properties: {
        every: { enum: rhythms, description: 'day, month, or a day of the week.' },
        at: { type: 'string', pattern: timeOfDay.source, description: 'A time such as "07:00".' },
        zone: text,
      },
    },
  },
} as const satisfies JSONSchema

export type SettingsFile = FromSchema<typeof settingsSchema>
