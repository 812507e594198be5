/** Sends events of the embedded service to the receiver, with each kind of authentication, over real sockets. */

import { afterEach, describe, expect, test } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import { eventReceiver, type EventReceiver, type Notice } from '../../src/client/events.ts'
import type { WebhookRegistration } from '../../src/resources/webhook.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { createService } from '../../src/service/create.ts'
import { serve } from '../../src/service/serve.ts'
import { world } from './loopback.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function listening(answer: () => EventReceiver): Promise<string> {
  const fetch = (request: Request): Promise<Response> => answer().fetch(request)
  const served = await serve({ isDemo: false, authPath: '', fetch, isHealthy: () => true, measures: () => [] })
  ends.push(served.close)
  return served.url
}

async function serving() {
  const service = createService({ demo: true, webhooks: { allowsLoopback: true, retryWaitsMs: [20] } })
  ends.push(async () => service.close())
  const served = await serve(service)
  ends.push(served.close)
  return connectTo({ name: 'demo', service: served.url, tokenUrl: served.authUrl, ...demoCredentials }, world)
}

const farm = {
  resourceType: 'holdingResource',
  dataPointKey: 'h-1',
  name: 'Rimu Farm',
  identifiers: [{ scheme: 'nz.example.farm-number', id: '1' }],
  meta: { sourceId: { scheme: 'x', id: '1' }, modified: '2026-11-20T00:00:00Z' },
}

describe('events of the embedded service', () => {
  const token = { clientId: 'c 1', clientSecret: 's+1&' }
  test.each<[string, (url: string) => object]>([
    ['None', () => ({ type: 'None' })],
    ['Basic', () => ({ type: 'Basic', basicAuth: { username: 'ü', password: 'a:b' } })],
    ['ApiToken', () => ({ type: 'ApiToken', apiTokenAuth: { apiToken: 't', authorizationScheme: 'Token' } })],
    ['HttpHeader', () => ({ type: 'HttpHeader', headerAuth: { httpHeader: 'X-Key', apiToken: 't' } })],
    ['Header', () => ({ type: 'Header', headerAuth: { httpHeader: 'X-Key', apiToken: 't' } })],
    [
      'ClientCredentials',
      (url) => ({ type: 'ClientCredentials', clientCredentialsAuth: { ...token, tokenEndpoint: `${url}/token` } }),
    ],
    [
      'AuthorisationCode',
      (url) => ({
        type: 'AuthorisationCode',
        authorisationCodeAuth: { ...token, tokenEndpoint: `${url}/token`, refreshToken: 'r 1' },
      }),
    ],
  ])('reach a subscriber that is registered with %s', async (_name, authentication) => {
    const notices: Notice[] = []
    let receiver: EventReceiver | undefined
    const url = await listening(() => receiver!)
    const registration = {
      name: 'office',
      uri: `${url}/hooks`,
      authentication: authentication(url),
      subscriptions: [{ resourceType: 'holdingResource', create: true, update: true, delete: true }],
    } as WebhookRegistration
    receiver = eventReceiver(registration, { clock: world.clock, onEvent: (notice) => notices.push(notice) })
    const client = await serving()
    const made = await client.createWebhook('office', registration)
    expect(await client.webhooks('office')).toMatchObject([{ id: made?.id, name: 'office' }])
    const { updates } = await client.dataset('holdings')
    await client.publish(updates!, [JSON.stringify(farm)])
    await expect.poll(() => notices).toHaveLength(1)
    expect(notices[0]).toMatchObject({ resourceType: 'holdingResource', type: expect.stringMatching(/\.create$/) })
    expect(await client.deleteWebhook('office', made!.id!)).toBe(true)
    expect(await client.webhook('office', made!.id!)).toBeUndefined()
  })
})
