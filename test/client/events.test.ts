import { describe, expect, test } from 'vitest'
import { eventReceiver, type EventReceiver, type Notice } from '../../src/client/events.ts'
import type { WebhookRegistration } from '../../src/resources/webhook.ts'

const uri = 'https://office.example/hooks'
const event = {
  specversion: '1.0',
  type: 'com.example.landCoverResource.create',
  source: '/organisations/o-1/events',
  id: 'e-1',
  time: '2026-11-20T00:00:00Z',
  comexampleresourcetype: 'landCoverResource',
  comexamplesystemeventtype: null,
  datacontenttype: 'application/json',
  data: { id: 'l-1', name: 'Bush by the creek' },
}

function receiving(authentication: object, world: { now: number } = { now: 0 }) {
  const notices: Notice[] = []
  const registration = { name: 'office', uri, authentication, subscriptions: [{ resourceType: 'x' }] }
  const receiver = eventReceiver(registration as unknown as WebhookRegistration, {
    clock: () => new Date(world.now),
    onEvent: (notice) => notices.push(notice),
  })
  return { receiver, notices }
}

const post = (receiver: EventReceiver, headers: Record<string, string> = {}, body: unknown = event, to = uri) =>
  receiver.fetch(
    new Request(to, {
      method: 'POST',
      headers: { 'Content-Type': 'application/cloudevents+json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )

const basic = (words: string): string => `Basic ${Buffer.from(words).toString('base64')}`
const credentials = { clientId: 'c 1', clientSecret: 's+1', tokenEndpoint: 'https://office.example/token' }
const apiToken = (authorizationScheme?: string) => ({
  type: 'ApiToken',
  apiTokenAuth: { apiToken: 'geheim', ...(authorizationScheme === undefined ? {} : { authorizationScheme }) },
})

describe('the sender of an event', () => {
  test.each<[string, object, Record<string, string>]>([
    ['None', { type: 'None' }, {}],
    ['Basic', { type: 'Basic', basicAuth: { username: 'ü', password: 'a:b' } }, { authorization: basic('ü:a:b') }],
    ['ApiToken', apiToken('Token'), { authorization: 'Token geheim' }],
    ['ApiToken, its scheme in other letters', apiToken('Token'), { authorization: 'TOKEN geheim' }],
    ['ApiToken without a scheme', apiToken(), { authorization: 'geheim' }],
    [
      'ApiToken whose scheme is null',
      { type: 'ApiToken', apiTokenAuth: { apiToken: 'geheim', authorizationScheme: null } },
      { authorization: 'geheim' },
    ],
    ['ApiToken without a scheme, sent as Bearer', apiToken(), { authorization: 'Bearer geheim' }],
    ['HttpHeader', { type: 'HttpHeader', headerAuth: { httpHeader: 'X-Key', apiToken: 'k' } }, { 'x-key': 'k' }],
    ['Header', { type: 'Header', headerAuth: { httpHeader: 'X-Key', apiToken: 'k' } }, { 'x-key': 'k' }],
  ])('is known by %s', async (_name, authentication, headers) => {
    const { receiver, notices } = receiving(authentication)
    expect((await post(receiver, headers)).status).toBe(204)
    expect(notices).toEqual([{ type: 'com.example.landCoverResource.create', resourceType: 'landCoverResource' }])
  })

  test.each<[string, object, Record<string, string>]>([
    ['nothing', apiToken('Token'), {}],
    ['another token', apiToken('Token'), { authorization: 'Token geheim2' }],
    ['another scheme', apiToken('Token'), { authorization: 'Bearer geheim' }],
    ['the token alone where a scheme is agreed', apiToken('Token'), { authorization: 'geheim' }],
    [
      'another password',
      { type: 'Basic', basicAuth: { username: 'u', password: 'p' } },
      { authorization: basic('u:q') },
    ],
    ['another header', { type: 'Header', headerAuth: { httpHeader: 'X-Key', apiToken: 'k' } }, { authorization: 'k' }],
    [
      'an invented token',
      { type: 'ClientCredentials', clientCredentialsAuth: credentials },
      { authorization: 'Bearer x' },
    ],
    ['an empty token', { type: 'ClientCredentials', clientCredentialsAuth: credentials }, { authorization: 'Bearer' }],
  ])('is refused with %s, and nothing runs', async (_name, authentication, headers) => {
    const { receiver, notices } = receiving(authentication)
    const response = await post(receiver, headers)
    expect(response.status).toBe(401)
    expect(await response.text()).not.toContain('geheim')
    expect(notices).toEqual([])
  })
})

describe('tokens of the subscriber', () => {
  const form = (members: Record<string, string>) => new URLSearchParams(members).toString()
  const asToken = async (receiver: EventReceiver, body: string, headers: Record<string, string> = {}) => {
    const response = await post(
      receiver,
      { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
      credentials.tokenEndpoint,
    )
    return { status: response.status, ...((await response.json()) as { access_token?: string; error?: string }) }
  }
  const own = { client_id: 'c 1', client_secret: 's+1' }
  const byCredentials = { type: 'ClientCredentials', clientCredentialsAuth: credentials }
  const byRefresh = { type: 'AuthorisationCode', authorisationCodeAuth: { ...credentials, refreshToken: 'r-1' } }

  test.each<[string, object, Record<string, string>]>([
    ['ClientCredentials', byCredentials, { grant_type: 'client_credentials', ...own }],
    ['AuthorisationCode', byRefresh, { grant_type: 'refresh_token', refresh_token: 'r-1', ...own }],
  ])('are given out for %s, and are good for ten minutes', async (_name, authentication, members) => {
    const world = { now: 0 }
    const { receiver } = receiving(authentication, world)
    const { status, access_token: token } = await asToken(receiver, form(members))
    expect(status).toBe(200)
    expect((await post(receiver, { authorization: `Bearer ${token}` })).status).toBe(204)
    world.now += 600_001
    expect((await post(receiver, { authorization: `Bearer ${token}` })).status).toBe(401)
  })

  test('are issued for credentials in a header', async () => {
    const { receiver } = receiving(byCredentials)
    const headers = { authorization: basic('c%201:s%2B1') }
    expect(await asToken(receiver, form({ grant_type: 'client_credentials' }), headers)).toMatchObject({ status: 200 })
  })

  test.each<[object, Record<string, string>, number, string]>([
    [byCredentials, { grant_type: 'client_credentials', ...own, client_secret: 'x' }, 401, 'invalid_client'],
    [byCredentials, { grant_type: 'client_credentials' }, 401, 'invalid_client'],
    [byCredentials, { grant_type: 'password', ...own }, 400, 'unsupported_grant_type'],
    [byRefresh, { grant_type: 'client_credentials', ...own }, 400, 'unsupported_grant_type'],
    [byRefresh, { grant_type: 'refresh_token', refresh_token: 'r-2', ...own }, 400, 'invalid_grant'],
  ])('are not given out otherwise: %#', async (authentication, members, status, error) => {
    const { receiver } = receiving(authentication)
    expect(await asToken(receiver, form(members))).toEqual({ status, error })
  })

  test('of another endpoint cannot be checked, which is an error at the start', () => {
    const elsewhere = { ...credentials, tokenEndpoint: 'https://login.example/token' }
    expect(() => receiving({ type: 'ClientCredentials', clientCredentialsAuth: elsewhere })).toThrow(
      expect.objectContaining({ code: 'option-invalid', hint: expect.stringContaining('https://office.example') }),
    )
  })
})

describe('a request that is not an event', () => {
  test.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['a list', [event]],
    ['another version', { ...event, specversion: '0.3' }],
    ['no id', { ...event, id: undefined }],
    ['no source', { ...event, source: '' }],
    ['no type', { ...event, type: 7 }],
  ])('is refused: %s', async (_name, body) => {
    const { receiver, notices } = receiving({ type: 'None' })
    expect((await post(receiver, {}, body)).status).toBe(400)
    expect(notices).toEqual([])
  })

  test('is refused: too large', async () => {
    const { receiver } = receiving({ type: 'None' })
    expect((await post(receiver, {}, { ...event, data: 'x'.repeat(5 << 20) })).status).toBe(413)
  })

  test('is refused: at another path, by another method', async () => {
    const { receiver } = receiving({ type: 'None' })
    expect((await post(receiver, {}, event, 'https://office.example/other')).status).toBe(404)
    expect((await receiver.fetch(new Request(uri))).status).toBe(405)
  })

  test('cannot send control characters to a terminal', async () => {
    const { receiver, notices } = receiving({ type: 'None' })
    await post(receiver, {}, { ...event, type: `com.x\u001b[2J${'y'.repeat(500)}` })
    expect(notices[0]?.type).toMatch(/^com.x \[2Jy+…$/)
    expect(notices[0]?.type).toHaveLength(100)
  })
})
