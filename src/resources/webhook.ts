/** The registration of a webhook subscriber (section 6). */

import { looseObject, type JsonSchema, type TypeOf } from '../core/object-schema.ts'
import { text, truth } from './building-blocks.ts'

const needed = { type: 'string', minLength: 1 } as const
/** One way of signing in: its member has these texts, and perhaps more. */
function wayIn(type: JsonSchema, member: string, required: readonly string[], more: Record<string, JsonSchema> = {}) {
  const properties = { ...Object.fromEntries(required.map((name) => [name, needed])), ...more }
  return { required: [member], properties: { type, [member]: looseObject(required, properties) } } as const
}

const tokenAccess = ['clientId', 'clientSecret', 'tokenEndpoint'] as const

/** `Header` is another spelling of `HttpHeader`. */
const webhookAuthentication: JsonSchema = {
  type: 'object',
  required: ['type'],
  anyOf: [
    { properties: { type: { const: 'None' } } },
    wayIn({ const: 'Basic' }, 'basicAuth', ['username', 'password']),
    wayIn({ const: 'ApiToken' }, 'apiTokenAuth', ['apiToken'], { authorizationScheme: text }),
    wayIn({ const: 'ClientCredentials' }, 'clientCredentialsAuth', tokenAccess),
    wayIn({ const: 'AuthorisationCode' }, 'authorisationCodeAuth', [...tokenAccess, 'refreshToken']),
    wayIn({ enum: ['HttpHeader', 'Header'] }, 'headerAuth', ['httpHeader', 'apiToken']),
  ],
}

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
} as const

export const webhookRegistration: JsonSchema = looseObject(['name', 'uri', 'authentication', 'subscriptions'], {
  name: needed,
  uri: { type: 'string', format: 'uri' },
  authentication: webhookAuthentication,
  subscriptions: { type: 'array', items: webhookSubscription, minItems: 1 },
})

export type WebhookAuthentication = { readonly type: string }
export type WebhookSubscription = TypeOf<typeof webhookSubscription>
export type WebhookRegistration = {
  readonly name: string
  readonly uri: string
  readonly authentication: WebhookAuthentication
  readonly subscriptions: readonly WebhookSubscription[]
}

type TokenAccess = Readonly<Record<(typeof tokenAccess)[number], string>>

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
  return authentication as Variants
}

/** What is needed to ask for a token, for AuthorisationCode with a refresh token; undefined for other kinds of authentication. */
export function tokenAccessOf(authentication: WebhookAuthentication) {
  const { type, clientCredentialsAuth, authorisationCodeAuth } = variantsOf(authentication)
  if (type === 'ClientCredentials') return { ...clientCredentialsAuth, refreshToken: undefined }
  return type === 'AuthorisationCode' ? authorisationCodeAuth : undefined
}
