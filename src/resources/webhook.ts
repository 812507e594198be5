/** The registration of a webhook subscriber (section 6). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { text, truth } from './building-blocks.ts'

const needed = { type: 'string', minLength: 1 } as const satisfies JSONSchema
const clientCredentials = { clientId: needed, clientSecret: needed, tokenEndpoint: needed } as const

/** One member of the choice per way of signing in; `Header` is another spelling of `HttpHeader`. */
const webhookAuthentication = {
  type: 'object',
  required: ['type'],
  anyOf: [
    { properties: { type: { const: 'None' } } },
    {
      required: ['basicAuth'],
      properties: {
        type: { const: 'Basic' },
        basicAuth: {
          type: 'object',
          required: ['username', 'password'],
          properties: { username: needed, password: needed },
        },
      },
    },
    {
      required: ['apiTokenAuth'],
      properties: {
        type: { const: 'ApiToken' },
        apiTokenAuth: {
          type: 'object',
          required: ['apiToken'],
          properties: { apiToken: needed, authorizationScheme: text },
        },
      },
    },
    {
      required: ['clientCredentialsAuth'],
      properties: {
        type: { const: 'ClientCredentials' },
        clientCredentialsAuth: {
          type: 'object',
          required: ['clientId', 'clientSecret', 'tokenEndpoint'],
          properties: clientCredentials,
        },
      },
    },
    {
      required: ['authorisationCodeAuth'],
      properties: {
        type: { const: 'AuthorisationCode' },
        authorisationCodeAuth: {
          type: 'object',
          required: ['clientId', 'clientSecret', 'tokenEndpoint', 'refreshToken'],
          properties: { ...clientCredentials, refreshToken: needed },
        },
      },
    },
    {
      required: ['headerAuth'],
      properties: {
        type: { enum: ['HttpHeader', 'Header'] },
        headerAuth: {
          type: 'object',
          required: ['httpHeader', 'apiToken'],
          properties: { httpHeader: needed, apiToken: needed },
        },
      },
    },
  ],
} as const satisfies JSONSchema

/** Either a type of record with the wanted changes, or a kind of system event. */
const webhookSubscription = {
  type: 'object',
  properties: {
    resourceType: { type: ['string', 'null'] },
    systemEventType: { type: ['string', 'null'] },
    create: truth,
    update: truth,
    delete: truth,
  },
  anyOf: [{ required: ['resourceType'] }, { required: ['systemEventType'] }],
} as const satisfies JSONSchema

export const webhookRegistration = {
  type: 'object',
  required: ['name', 'uri', 'authentication', 'subscriptions'],
  properties: {
    name: needed,
    uri: { type: 'string', format: 'uri' },
    authentication: webhookAuthentication,
    subscriptions: { type: 'array', items: webhookSubscription, minItems: 1 },
  },
} as const satisfies JSONSchema

export type WebhookAuthentication = FromSchema<typeof webhookAuthentication>
export type WebhookSubscription = FromSchema<typeof webhookSubscription>
export type WebhookRegistration = FromSchema<typeof webhookRegistration>

type TokenAccess = Readonly<Record<'clientId' | 'clientSecret' | 'tokenEndpoint', string>>

/** The members of each kind of authentication. */
type Variants = {
  readonly type: string
  readonly basicAuth: { readonly username: string; readonly password: string }
  readonly apiTokenAuth: { readonly apiToken: string; readonly authorizationScheme?: string | null }
  readonly clientCredentialsAuth: TokenAccess
  readonly authorisationCodeAuth: TokenAccess & { readonly refreshToken: string }
  readonly headerAuth: { readonly httpHeader: string; readonly apiToken: string }
}

/** An authentication as if it were of every kind; the schema has checked that it has the members of its own. */
export function variantsOf(authentication: WebhookAuthentication): Variants {
  return authentication as unknown as Variants
}

/** What is needed to ask for a token, for AuthorisationCode with a refresh token; undefined for other kinds of authentication. */
export function tokenAccessOf(
  authentication: WebhookAuthentication,
): (TokenAccess & { readonly refreshToken?: string | undefined }) | undefined {
  const { type, clientCredentialsAuth, authorisationCodeAuth } = variantsOf(authentication)
  if (type === 'ClientCredentials') return { ...clientCredentialsAuth, refreshToken: undefined }
  return type === 'AuthorisationCode' ? authorisationCodeAuth : undefined
}
