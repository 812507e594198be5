import { describe, expect, test } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import { givesToken, inTurn, json, problem, profile, scriptedWorld } from './scripted-service.ts'

const emptyList = (): Response => json([])
const authorizations = (world: { sent: readonly { headers: Headers }[] }): (string | null)[] =>
  world.sent.map(({ headers }) => headers.get('authorization'))

describe('the sign-in form', () => {
  test('is the password grant, with spaces as %20', async () => {
    const world = scriptedWorld(emptyList)
    await connectTo(profile, world).datasets()
    expect(world.signIns).toHaveLength(1)
    const [form] = world.signIns
    expect(form?.method).toBe('POST')
    expect(form?.url.href).toBe('https://login.example/auth/realms/farm/protocol/openid-connect/token')
    expect(form?.headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(form?.body).toBe(
      'grant_type=password&client_id=rimu-sync&client_secret=p%2Bw%261%20geheim&scope=openid%20offline_access' +
        '&username=office%40rimu.example&password=long%20%22winter%22%20nacht',
    )
    expect(authorizations(world)).toEqual(['Bearer token-1'])
  })

  test('leaves out what the profile does not have', async () => {
    const world = scriptedWorld(emptyList)
    const { clientSecret: _secret, scope: _scope, ...bare } = profile
    await connectTo(bare, world).signIn()
    expect([...new URLSearchParams(world.signIns[0]?.body).keys()]).toEqual([
      'grant_type',
      'client_id',
      'username',
      'password',
    ])
  })

  test.each([
    ['the full address', 'https://login.example/oauth2/token', 'https://login.example/oauth2/token'],
    ['a slash at the end', 'https://login.example/a/', 'https://login.example/a/protocol/openid-connect/token'],
    ['a host alone', 'https://login.example', 'https://login.example/protocol/openid-connect/token'],
  ])('goes to the token endpoint, given %s', async (_name, tokenUrl, expected) => {
    const world = scriptedWorld(emptyList)
    await connectTo({ ...profile, tokenUrl }, world).signIn()
    expect(world.signIns[0]?.url.href).toBe(expected)
  })
})

describe('a token', () => {
  test('for another program is new, with its expiry', async () => {
    const world = scriptedWorld(emptyList)
    const client = connectTo(profile, world)
    await client.datasets()
    expect(await client.accessToken()).toEqual({ text: 'token-2', expires: new Date('2026-11-20T01:00:00Z') })
  })

  test('is shared by calls at the same time', async () => {
    const world = scriptedWorld(emptyList)
    const client = connectTo(profile, world)
    await Promise.all([client.datasets(), client.control(), client.datasets()])
    expect(world.signIns).toHaveLength(1)
    expect(authorizations(world)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1'])
  })

  test('is renewed with the refresh token before it expires', async () => {
    const world = scriptedWorld(emptyList, (_sent, nth) =>
      json({ access_token: `token-${nth + 1}`, refresh_token: `refresh-${nth + 1}`, expires_in: 3600 }),
    )
    const client = connectTo(profile, world)
    await client.datasets()
    world.now += 3539_000
    await client.datasets()
    expect(world.signIns).toHaveLength(1)
    world.now += 2000
    await client.datasets()
    expect(world.signIns[1]?.body).toBe(
      'grant_type=refresh_token&client_id=rimu-sync&client_secret=p%2Bw%261%20geheim&refresh_token=refresh-1',
    )
    expect(authorizations(world).at(-1)).toBe('Bearer token-2')
  })

  test('is fetched with the password when the refresh token is used up, and that one is forgotten', async () => {
    const world = scriptedWorld(emptyList, (sent, nth) =>
      sent.body.includes('grant_type=refresh_token')
        ? json({ error: 'invalid_grant' }, 400)
        : json({ access_token: `token-${nth}`, expires_in: 60, ...(nth === 0 ? { refresh_token: 'refresh' } : {}) }),
    )
    const client = connectTo(profile, world)
    for (let round = 0; round < 3; round += 1) {
      await client.datasets()
      world.now += 60_000
    }
    const grants = world.signIns.map(({ body }) => new URLSearchParams(body).get('grant_type'))
    expect(grants).toEqual(['password', 'refresh_token', 'password', 'password'])
  })

  test('keeps the old refresh token when a refresh gives no new one', async () => {
    const world = scriptedWorld(emptyList, (_sent, nth) =>
      json({ access_token: `token-${nth}`, expires_in: 60, ...(nth === 0 ? { refresh_token: 'refresh' } : {}) }),
    )
    const client = connectTo(profile, world)
    for (let round = 0; round < 3; round += 1) {
      await client.datasets()
      world.now += 60_000
    }
    expect(new URLSearchParams(world.signIns[2]?.body).get('refresh_token')).toBe('refresh')
  })

  test.each([
    ['missing', undefined],
    ['zero', 0],
    ['nonsense', 'never'],
  ])('without a lifetime (%s) is used until it is refused', async (_name, expiresIn) => {
    const world = scriptedWorld(emptyList, () => json({ access_token: 'token', expires_in: expiresIn }))
    const client = connectTo(profile, world)
    await client.datasets()
    world.now += 86_400_000
    await client.datasets()
    expect(world.signIns).toHaveLength(1)
  })

  test.each([
    ['no token', json({ expires_in: 3600 })],
    ['a token with a line break', json({ access_token: 'geheim\r\nX-Other: 1' })],
    ['a web page', new Response('<html>geheim</html>', { headers: { 'Content-Type': 'text/html' } })],
    ['a redirect', new Response('', { status: 302, headers: { Location: 'https://evil.example/token' } })],
  ])('is not taken from an answer with %s', async (_name, answer) => {
    const world = scriptedWorld(emptyList, () => answer)
    await expect(connectTo(profile, world).datasets()).rejects.toMatchObject({ code: 'service-confused' })
    expect(world.signIns).toHaveLength(1)
    expect(world.sent).toHaveLength(0)
  })
})

describe('wrong credentials', () => {
  test.each([400, 401, 403])('end the run at once (%i) and are never tried again', async (status) => {
    const world = scriptedWorld(emptyList, () =>
      json({ error: 'invalid_grant', error_description: 'No such user' }, status),
    )
    const client = connectTo(profile, world)
    const outcomes = await Promise.allSettled([client.datasets(), client.control(), client.signIn()])
    const refused = { status: 'rejected', reason: { code: 'sign-in-refused', exit: 5 } }
    expect(outcomes).toMatchObject([refused, refused, refused])
    await expect(client.datasets()).rejects.toMatchObject({ message: expect.stringContaining('No such user') })
    expect(world.signIns).toHaveLength(1)
    expect(world.waits).toEqual([])
  })

  test('name a wrong address, without its query', async () => {
    const world = scriptedWorld(emptyList, () => new Response('', { status: 404 }))
    await expect(connectTo(profile, world).signIn()).rejects.toThrow(
      'No sign-in was found at https://login.example/auth/realms/farm/protocol/openid-connect/token (404).',
    )
  })
})

describe('a 401', () => {
  const unauthorized = (): Response => problem(401, 'The token has expired')

  test('fetches one new token and repeats the very same request', async () => {
    const world = scriptedWorld(inTurn(unauthorized, () => json([{ index: 0, successful: true }])))
    const outcome = await connectTo(profile, world).publish('https://service.example/api/up', ['{"a":1}'])
    expect(outcome).toEqual([{ state: 'accepted' }])
    expect(authorizations(world)).toEqual(['Bearer token-1', 'Bearer token-2'])
    expect(world.sent.map(({ body }) => body)).toEqual(['[{"a":1}]', '[{"a":1}]'])
  })

  test('ends the run the second time', async () => {
    const world = scriptedWorld(unauthorized)
    await expect(connectTo(profile, world).datasets()).rejects.toMatchObject({ code: 'sign-in-refused' })
    expect(world.sent).toHaveLength(2)
    expect(world.signIns).toHaveLength(2)
  })

  test('uses the token that another call has renewed meanwhile', async () => {
    let late: (response: Response) => void = () => undefined
    const world = scriptedWorld((sent, nth) => {
      if (nth === 0) return new Promise((resolve) => (late = resolve))
      return sent.headers.get('authorization') === 'Bearer token-1' ? unauthorized() : json([])
    })
    const client = connectTo(profile, world)
    const slow = client.datasets()
    await expect.poll(() => world.sent.length).toBe(1)
    await client.datasets()
    late(unauthorized())
    await expect(slow).resolves.toEqual([])
    expect(world.signIns).toHaveLength(2)
  })

  test('fetches one new token for several simultaneous calls', async () => {
    const world = scriptedWorld((sent) =>
      sent.headers.get('authorization') === 'Bearer token-1' ? unauthorized() : json([]),
    )
    const client = connectTo(profile, world)
    await Promise.all([client.datasets(), client.datasets(), client.datasets(), client.datasets()])
    expect(world.signIns).toHaveLength(2)
    expect(world.sent).toHaveLength(8)
  })
})

describe('stopping', () => {
  test("one caller's abort does not stop the others", async () => {
    let answer: (response: Response) => void = () => undefined
    const world = scriptedWorld(emptyList, () => new Promise((resolve) => (answer = resolve)))
    const client = connectTo(profile, world)
    const stop = new AbortController()
    const stopped = client.datasets(stop.signal)
    const other = client.datasets()
    await Promise.resolve()
    stop.abort(new Error('enough'))
    await expect(stopped).rejects.toThrow('enough')
    await expect.poll(() => world.signIns.length).toBe(1)
    answer(await givesToken(world.signIns[0]!, 0))
    await expect(other).resolves.toEqual([])
  })

  test("the last caller's abort stops the sign-in, and the next call signs in again", async () => {
    let hanging: AbortSignal | undefined
    const world = scriptedWorld(emptyList)
    const client = connectTo(profile, {
      ...world,
      fetch: (request) => {
        if (hanging !== undefined) return world.fetch(request)
        hanging = request.signal
        return new Promise(() => undefined)
      },
    })
    const stop = new AbortController()
    const stopped = client.datasets(stop.signal)
    await expect.poll(() => hanging).toBeDefined()
    stop.abort(new Error('enough'))
    await expect(stopped).rejects.toThrow('enough')
    await expect.poll(() => hanging?.aborted).toBe(true)
    await expect(client.datasets()).resolves.toEqual([])
  })
})
