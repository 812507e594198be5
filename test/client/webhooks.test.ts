import { describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import type { WebhookRegistration } from '../../src/resources/webhook.ts'
import { inTurn, json, problem, profile, scriptedWorld, type Answering } from './scripted-service.ts'

const hooks = 'https://service.example/api/ecosystem/organisations/o%2F1/webhooks'

function talking(service: Answering) {
  const world = scriptedWorld(service)
  return { world, client: connectTo(profile, world, { retry: { tries: 3, firstMs: 1 } }) }
}

const credentials = { clientId: 'c', clientSecret: 's', tokenEndpoint: 'https://office.example/token' }
const variants: readonly (readonly [string, object])[] = [
  ['None', { type: 'None' }],
  ['Basic', { type: 'Basic', basicAuth: { username: 'u', password: 'p' } }],
  ['ApiToken', { type: 'ApiToken', apiTokenAuth: { apiToken: 't', authorizationScheme: 'Token' } }],
  ['ClientCredentials', { type: 'ClientCredentials', clientCredentialsAuth: credentials }],
  ['AuthorisationCode', { type: 'AuthorisationCode', authorisationCodeAuth: { ...credentials, refreshToken: 'r' } }],
  ['HttpHeader', { type: 'HttpHeader', headerAuth: { httpHeader: 'X-Key', apiToken: 't' } }],
  ['Header', { type: 'Header', headerAuth: { httpHeader: 'X-Key', apiToken: 't' } }],
]
const registered = (authentication: object): WebhookRegistration =>
  ({
    name: 'tell the office',
    uri: 'https://office.example/hooks',
    authentication,
    subscriptions: [{ resourceType: 'plotResource', systemEventType: null, create: true, update: true, delete: false }],
  }) as WebhookRegistration
const registration = registered({ type: 'None' })

describe('webhooks', () => {
  test.each(variants)('are created with authentication %s', async (_name, authentication) => {
    const { client, world } = talking(() => json({ id: 'w-1', state: 'new' }, 201))
    expect(await client.createWebhook('o/1', registered(authentication))).toEqual({ id: 'w-1', state: 'new' })
    const [sent] = world.sent
    expect([sent?.method, sent?.url.href, sent?.headers.get('content-type')]).toEqual([
      'POST',
      hooks,
      'application/json',
    ])
    expect(JSON.parse(sent?.body ?? '')).toEqual(registered(authentication))
  })

  test.each<[string, Answering, unknown]>([
    ['nothing', () => new Response(null, { status: 204 }), undefined],
    ['a place', () => new Response('', { status: 201, headers: { Location: '/x/webhooks/w%201' } }), 'w 1'],
    ['an id', () => json('w-1'), 'w-1'],
    ['an id by another name', () => json({ webhookId: 'w-1' }), 'w-1'],
  ])('may be answered with %s when created', async (_name, answer, id) => {
    expect((await talking(answer).client.createWebhook('o/1', registration))?.id).toBe(id)
  })

  test.each([
    ['no authentication', { ...registration, authentication: undefined }],
    ['a variant without its part', registered({ type: 'Basic' })],
    ['an unknown variant', registered({ type: 'Handshake' })],
    ['no subscription', { ...registration, subscriptions: [] }],
    ['an address that is none', { ...registration, uri: 'office' }],
  ])('are not created with %s', async (_name, wrong) => {
    const { client, world } = talking(() => json({}))
    await expect(client.createWebhook('o/1', wrong as WebhookRegistration)).rejects.toMatchObject({
      code: 'option-invalid',
    })
    expect(world.sent).toHaveLength(0)
  })

  test.each<[string, Answering]>([
    ['a list', () => json([{ id: 'w-1', name: 'x' }])],
    ['a page', () => json({ items: [{ id: 'w-1', name: 'x' }], totalItems: 1 })],
  ])('are listed from %s', async (_name, answer) => {
    const { client, world } = talking(answer)
    expect(await client.webhooks('o/1')).toEqual([{ id: 'w-1', name: 'x' }])
    expect(world.sent[0]?.url.href).toBe(hooks)
  })

  test('are got and deleted one by one', async () => {
    const { client, world } = talking(
      inTurn(
        () => json({ id: 'w-1' }),
        () => new Response(null, { status: 204 }),
        () => problem(404, 'No'),
        () => problem(404, 'No'),
      ),
    )
    expect(await client.webhook('o/1', 'w-1')).toEqual({ id: 'w-1' })
    expect(await client.deleteWebhook('o/1', 'w-1')).toBe(true)
    expect(await client.deleteWebhook('o/1', 'w-1')).toBe(false)
    expect(await client.webhook('o/1', 'w-1')).toBeUndefined()
    expect(world.sent.map(({ method, url }) => `${method} ${url.href}`)).toEqual(
      ['GET', 'DELETE', 'DELETE', 'GET'].map((method) => `${method} ${hooks}/w-1`),
    )
  })

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['list', (client) => client.webhooks('o/1')],
    ['create', (client) => client.createWebhook('o/1', registration)],
    ['get', (client) => client.webhook('o/1', 'w-1')],
    ['delete', (client) => client.deleteWebhook('o/1', 'w-1')],
  ])('that are switched off are told, without asking again: %s', async (_name, ask) => {
    const { client, world } = talking(() => problem(501, 'Webhooks are disabled.'))
    await expect(ask(client)).rejects.toMatchObject({
      code: 'request-refused',
      message: expect.stringContaining('Webhooks are disabled.'),
      data: { status: 501 },
    })
    expect(world.sent).toHaveLength(1)
  })
})

describe('the creation of a webhook', () => {
  test.each<[string, Answering]>([
    ['a cut connection', () => Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' }))],
    ['a gateway that gave up', () => problem(504, 'Too slow')],
  ])('is not sent again after %s, because it may have been made', async (_name, answer) => {
    const { client, world } = talking(answer)
    await expect(client.createWebhook('o/1', registration)).rejects.toMatchObject({ exit: 4 })
    expect(world.sent).toHaveLength(1)
  })

  test.each([429, 503])('is sent again where the service says that it did nothing (%i)', async (status) => {
    const { client, world } = talking(
      inTurn(
        () => problem(status, 'Later'),
        () => json({ id: 'w-1' }, 201),
      ),
    )
    expect(await client.createWebhook('o/1', registration)).toEqual({ id: 'w-1' })
    expect(world.sent).toHaveLength(2)
  })
})
