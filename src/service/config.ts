/** Reads the configuration file of the embedded service. */

import { strictObject, type TypeOf } from '../core/object-schema.ts'
import { WindrowError } from '../core/error.ts'
import { firstError } from '../resources/validation.ts'
import { readAccounts } from './store/accounts.ts'

const seconds = { type: 'integer', minimum: 1, maximum: 366 * 86_400 } as const
const count = { type: 'integer', minimum: 1 } as const

const configSchema = strictObject([], {
  accounts: { type: 'array', items: { type: 'object' } },
  tokens: strictObject([], { accessS: seconds, refreshS: seconds }),
  limits: strictObject([], {
    bodyBytes: count,
    bodyS: seconds,
    headersS: seconds,
    requestS: seconds,
    stopS: seconds,
    requests: count,
    connections: count,
  }),
  webhooks: strictObject([], {
    brand: { type: 'string', pattern: '^[a-z][a-z0-9]*$' },
    retryWaitsS: { type: 'array', items: seconds, maxItems: 20 },
  }),
  metrics: { enum: ['loopback', 'everybody'] },
  hosts: { type: 'array', items: { type: 'string', minLength: 1 } },
  publicAddress: { type: 'string', minLength: 1 },
  forwarded: { type: 'boolean' },
  origins: { type: 'array', items: { type: 'string', minLength: 1 } },
})

/**
 * Reads a configuration as options of the service, of its webhooks (used when they are on), and of its socket. Throws a WindrowError
 * that names the place of the first mistake and never shows a secret.
 */
export function readConfig(content: unknown) {
  const finding = firstError(configSchema, content)
  if (finding !== undefined)
    throw new WindrowError(
      'option-invalid',
      `The configuration has a mistake at ${finding.path || 'the top'}: ${finding.message}`,
      {
        hint: 'It may contain accounts, tokens, limits, webhooks, metrics, hosts, publicAddress, forwarded and origins. See the example in docs/service.md.',
        data: { path: finding.path },
      },
    )
  const { accounts, tokens = {}, limits = {}, webhooks = {}, ...socket } = content as TypeOf<typeof configSchema>
  const ms = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * 1000)
  return {
    service: {
      accounts: accounts === undefined ? undefined : readAccounts({ accounts }),
      tokenLifetimeS: tokens.accessS,
      refreshLifetimeS: tokens.refreshS,
      mostBodyBytes: limits.bodyBytes,
      bodyTimeoutMs: ms(limits.bodyS),
    },
    webhooks: { brand: webhooks.brand, retryWaitsMs: webhooks.retryWaitsS?.map((each) => each * 1000) },
    serve: {
      ...socket,
      mostUnderWay: limits.requests,
      mostConnections: limits.connections,
      headersTimeoutMs: ms(limits.headersS),
      requestTimeoutMs: ms(limits.requestS),
      graceMs: ms(limits.stopS),
    },
  }
}
