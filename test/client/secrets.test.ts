import { describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import { secretKeeper } from '../../src/client/reading.ts'
import { WindrowError } from '../../src/core/error.ts'
import { all, json, problem, profile, scriptedWorld, type Answering } from './scripted-service.ts'

const refreshToken = 'refresh-geheim/+='
const secrets = ['p+w&1 geheim', 'long "winter" nacht', 'token-geheim', refreshToken]
const spellings = secrets.flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(secret).replaceAll('%20', '+'),
  JSON.stringify(secret).slice(1, -1),
])
/** The answer of a careless service: everything it received and sent, in every spelling, with control characters inside. */
const echo = `You sent ${[...spellings, ...secrets.map((secret) => secret.replaceAll(' ', '\u0007\n '))].join(' | ')}`
const updates = 'https://service.example/api/up'

/** All text of an error that reaches a log, a report or a screen. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? ''
  const own = error instanceof WindrowError ? `${error.hint ?? ''} ${JSON.stringify(error.data)}` : ''
  return `${error.message} ${own} ${error.stack ?? ''} ${textOf(error.cause)}`
}

function expectNoSecret(text: string): void {
  for (const secret of spellings) expect(text).not.toContain(secret)
}

const login: Answering = () => json({ access_token: 'token-geheim', refresh_token: refreshToken, expires_in: 3600 })
const thrown = (message: string) => () => Promise.reject(new TypeError(message, { cause: new Error(message) }))

describe('no secret leaks', () => {
  const acts: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
    ['control', (client) => client.control()],
    ['publish', (client) => client.publish(updates, ['{}', '{}'])],
    ['publishHalving', (client) => all(client.publishHalving(updates, ['{}', '{}']))],
    ['changes', (client) => all(client.changes({ changes: updates }))],
    ['features', (client) => all(client.features('plots'))],
    ['work records', (client) => all(client.workRecords())],
    ['dataset', (client) => client.dataset('plots')],
  ]
  const answers: readonly (readonly [string, Answering])[] = [
    ...[400, 401, 403, 404, 413, 422, 429, 500, 503].map(
      (status) => [`status ${status}`, () => problem(status, echo)] as const,
    ),
    ['a title', () => json({ title: echo }, 400)],
    ['plain text', () => new Response(echo, { status: 400 })],
    ['text that is no JSON', () => new Response(echo)],
    ['JSON of another kind', () => json({ echo })],
    ['a list of another kind', () => json([echo])],
    ['a result for each', () => json([{ index: 0, successful: false, error: echo }])],
    ['a result for nothing', () => json([{ index: echo, successful: echo }])],
    ['a link', () => json({ features: [], items: [], links: [{ rel: 'next', href: `https://evil.example/${echo}` }] })],
    [
      'a redirect',
      () =>
        new Response('', { status: 302, headers: { Location: `https://evil.example/${encodeURIComponent(echo)}` } }),
    ],
    ['a network fault', thrown(echo)],
  ]
  test.each(answers)('when the service answers with %s', async (_name, service) => {
    for (const [name, act] of acts) {
      const said: string[] = []
      const world = scriptedWorld(service, login)
      const client = connectTo(profile, world, { retry: { tries: 2 }, onWait: ({ reason }) => said.push(reason) })
      const outcome: unknown = await act(client).catch((cause: unknown) => cause)
      // Records stay unchanged; only results of a publish are shown to people.
      if (outcome instanceof Error || name.startsWith('publish')) expectNoSecret(textOf(outcome))
      expectNoSecret(said.join(' '))
    }
  })

  test.each<[string, Answering]>([
    ...[400, 401, 403, 404, 429, 500, 503].map(
      (status) =>
        [`status ${status}`, () => json({ error: echo, error_description: echo }, status)] as [string, Answering],
    ),
    ['text that is no JSON', () => new Response(echo)],
    ['a token that is none', () => json({ access_token: `${echo}\n` })],
    [
      'a redirect',
      () =>
        new Response('', { status: 307, headers: { Location: `https://evil.example/${encodeURIComponent(echo)}` } }),
    ],
    ['a network fault', thrown(echo)],
  ])('when the sign-in is answered with %s', async (_name, answer) => {
    const world = scriptedWorld(
      () => json([]),
      (sent, nth) => (nth === 0 ? login(sent, nth) : answer(sent, nth)),
    )
    const client = connectTo(profile, world, { retry: { tries: 2 } })
    await client.datasets()
    world.now += 3600_000
    const outcome: unknown = await client.datasets().catch((cause: unknown) => cause)
    expect(outcome).toBeInstanceOf(WindrowError)
    expectNoSecret(textOf(outcome))
  })

  test('when a client is printed', () => {
    const client = connectTo(
      profile,
      scriptedWorld(() => json([])),
    )
    expectNoSecret(JSON.stringify(client))
  })
})

describe('cleaning', () => {
  test('finds a secret hidden by control characters, before cutting', () => {
    const keeper = secretKeeper(['long winter'])
    expect(keeper.clean('a long\u0000\u202ewinter b')).toBe('a [hidden] b')
    expect(keeper.clean('0123 long winter', 10)).toBe('0123 [hid…')
  })

  test('does not garble text for a secret of one letter', () => {
    expect(secretKeeper(['a']).clean('a farm')).toBe('a farm')
  })

  test('replaces the longer of two secrets first', () => {
    expect(secretKeeper(['abc', 'abcdef']).clean('abcdef')).toBe('[hidden]')
  })
})
