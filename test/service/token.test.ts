import { createHook } from 'node:async_hooks'
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { hashSecret, secretMatches, type AccountsConfig } from '../../src/service/store/accounts.ts'
import { createService, type Service } from '../../src/service/create.ts'
import {
  accountConfig,
  askToken,
  openService,
  secrets,
  speaker,
  stillClock,
  storePlace,
  tokenForm,
  text,
} from './hill-farm.ts'

describe('signing in', () => {
  test('a password gives an access token, an id token and the lifetime; a refresh token only on request', async () => {
    const service = openService({ tokenLifetimeS: 600 })
    const plain = await askToken(service, tokenForm('hill'))
    expect(plain.status).toBe(200)
    expect(plain.headers.get('cache-control')).toBe('no-store')
    expect(plain.body).toMatchObject({ token_type: 'Bearer', expires_in: 600, access_token: expect.any(String) })
    expect(plain.body).not.toHaveProperty('refresh_token')
    const offline = await askToken(service, tokenForm('hill', { scope: 'openid offline_access' }))
    expect(offline.body['refresh_token']).toEqual(expect.any(String))
  })

  test('the id token is a JWT for this client that only this store could have signed', async () => {
    const key = Buffer.alloc(32, 7)
    const service = openService({ random: (bytes) => Buffer.alloc(bytes, 7) })
    const { body } = await askToken(service, tokenForm('hill'))
    const [header, claims, signature] = text(body['id_token']).split('.') as [string, string, string]
    expect(signature).toBe(createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url'))
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT' })
    const iss = 'http://service.example/auth/realms/windrow'
    expect(read(claims)).toMatchObject({ iss, aud: 'hillfarm-sync', preferred_username: 'sync@hillfarm.example' })
  })

  test.each([
    ['a wrong password', { password: 'summer' }, 401, 'invalid_grant'],
    ['an unknown user', { username: 'nobody@hillfarm.example' }, 401, 'invalid_grant'],
    ['the user of another client', { username: 'office@rimu.example', password: 'mānuka honey' }, 401, 'invalid_grant'],
    ['a wrong client secret', { client_secret: 'p w&1' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: "' OR 1=1 --" }, 401, 'invalid_client'],
    ['no password', { password: '' }, 400, 'invalid_request'],
    ['another grant', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
    ['a made-up refresh token', { grant_type: 'refresh_token', refresh_token: 'abc' }, 400, 'invalid_grant'],
  ])('%s is refused in the words of OAuth', async (_, fields, status, error) => {
    const answer = await askToken(openService(), tokenForm('hill', fields))
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ error, error_description: expect.any(String) })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('a client may send its secret in the header Authorization instead, percent-encoded, not in both', async () => {
    const service = openService()
    const fields = { grant_type: 'password', username: secrets.hill.username, password: secrets.hill.password }
    const basic = (id: string, secret: string): Record<string, string> => ({
      Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
    })
    const { clientId, clientSecret } = secrets.hill
    const right = await askToken(service, new URLSearchParams(fields), basic(clientId, clientSecret))
    expect([right.status, right.body]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })])
    const wrong = await askToken(service, new URLSearchParams(fields), basic(clientId, 'wrong'))
    expect([wrong.status, wrong.body['error']]).toEqual([401, 'invalid_client'])
    expect(wrong.headers.get('www-authenticate')).toBe('Basic realm="windrow"')
    const both = await askToken(service, tokenForm('hill'), basic(clientId, clientSecret))
    expect([both.status, both.body['error']]).toEqual([400, 'invalid_request'])
  })

  test('a field given twice and a body of another kind are refused', async () => {
    const service = openService()
    expect((await askToken(service, `${tokenForm('hill').toString()}&scope=more`)).body['error']).toBe(
      'invalid_request',
    )
    const json = await askToken(service, '{}', { 'Content-Type': 'application/json' })
    expect([json.status, json.body['error']]).toEqual([400, 'invalid_request'])
  })

  test('a refresh token works once, gives no wider scope, and expires', async () => {
    const { clock, turn } = stillClock()
    const service = openService({ clock })
    const first = await askToken(service, tokenForm('hill', { scope: 'openid offline_access' }))
    const form = (token: unknown, more = {}) =>
      tokenForm('hill', { grant_type: 'refresh_token', refresh_token: String(token), scope: 'openid', ...more })
    const wide = await askToken(service, form(first.body['refresh_token'], { scope: 'openid admin' }))
    expect(wide.body['error']).toBe('invalid_scope')
    const second = await askToken(service, form(first.body['refresh_token']))
    expect(second.status).toBe(200)
    expect(second.body['refresh_token']).not.toBe(first.body['refresh_token'])
    expect((await askToken(service, form(first.body['refresh_token']))).body['error']).toBe('invalid_grant')
    const stolen = tokenForm('rimu', {
      grant_type: 'refresh_token',
      refresh_token: text(second.body['refresh_token']),
    })
    expect((await askToken(service, stolen)).body['error']).toBe('invalid_grant')
    turn(31 * 24 * 3600)
    expect((await askToken(service, form(second.body['refresh_token']))).body['error']).toBe('invalid_grant')
  })

  test('an access token works until it expires; anything else never works', async () => {
    const { clock, turn } = stillClock()
    const service = openService({ clock, tokenLifetimeS: 60 })
    const { body } = await askToken(service, tokenForm('hill'))
    const hill = speaker(service, text(body['access_token']))
    expect((await hill.get('/data/streaming/datasets')).status).toBe(200)
    turn(61)
    const late = await hill.get('/data/streaming/datasets')
    expect(late.status).toBe(401)
    expect(late.headers.get('www-authenticate')).toContain('invalid_token')
    for (const token of [undefined, 'x', "' OR '1'='1", text(body['id_token'])])
      expect((await speaker(service, token).get('/data/streaming/datasets')).status).toBe(401)
  })

  test('tokens survive a restart and end with a changed password; the file contains none of them', async () => {
    const store = storePlace()
    const first = openService({ store })
    const token = String((await askToken(first, tokenForm('hill'))).body['access_token'])
    first.close()
    const second = openService({ store })
    expect((await speaker(second, token).get('/data/streaming/datasets')).status).toBe(200)
    second.close()
    const changed = { ...accountConfig('hill'), passwordHash: hashSecret('new moon', undefined, 2) }
    const third = openService({ store, accounts: { accounts: [changed] } })
    expect((await speaker(third, token).get('/data/streaming/datasets')).status).toBe(401)
    third.close()
  })
})

/** How many secrets were hashed to answer a form, and the answer. */
async function hashed(service: Service, form: URLSearchParams) {
  let hashes = 0
  const count = createHook({ init: (_, type) => void (hashes += type === 'SCRYPTREQUEST' ? 1 : 0) }).enable()
  try {
    const { status } = await askToken(service, form)
    return { status, hashes }
  } finally {
    count.disable()
  }
}

describe('the cost of signing in', () => {
  const many = Array.from({ length: 101 }, (_, index) => accountConfig('hill', { username: `farm ${index}` }))
  const farm = (index: number, more: Record<string, string> = {}) =>
    tokenForm('hill', { username: `farm ${index}`, ...more })

  test('is one hash for the client and one for the user, with 101 accounts too', async () => {
    const service = openService({ accounts: { accounts: many } })
    for (const index of [0, 50, 100]) {
      const { status, hashes } = await hashed(service, farm(index))
      expect([status, hashes]).toEqual([200, 2])
    }
  })

  test.each([
    ['an unknown client', { client_id: 'nobody' }, 401],
    ['a wrong client secret', { client_secret: 'wrong' }, 401],
    ['an unknown user', { username: 'nobody' }, 401],
    ['a wrong password', { password: 'wrong' }, 401],
  ])('is the same for %s as for the right words', async (_, fields, expected) => {
    const service = openService({ accounts: { accounts: many } })
    const right = await hashed(service, farm(7))
    const wrong = await hashed(service, farm(7, fields))
    expect(wrong.status).toBe(expected)
    expect([right.hashes, wrong.hashes]).toEqual([2, 2])
  })

  test('is one hash for a refresh token, known or not', async () => {
    const service = openService({ accounts: { accounts: many } })
    const { body } = await askToken(service, farm(7, { scope: 'offline_access' }))
    for (const [refresh_token, client_id, expected] of [
      ['made up', 'hillfarm-sync', 400],
      ['made up', 'nobody', 401],
      [text(body['refresh_token']), 'hillfarm-sync', 200],
    ] as const) {
      const form = farm(7, { grant_type: 'refresh_token', refresh_token, client_id, scope: '' })
      const { status, hashes } = await hashed(service, form)
      expect([status, hashes]).toEqual([expected, 1])
    }
  })

  test('is limited: when too many sign in at once, the others are asked to come back', async () => {
    const service = openService()
    const answers = await Promise.all(Array.from({ length: 60 }, () => askToken(service, tokenForm('hill'))))
    const refused = answers.filter(({ status }) => status === 503)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(16)
    expect(refused).toHaveLength(44)
    expect(refused[0]!.headers.get('retry-after')).toBe('2')
    expect(refused[0]!.body['error']).toBe('temporarily_unavailable')
    expect((await askToken(service, tokenForm('hill'))).status).toBe(200)
  })

  test('accounts of one client whose hashes were made apart sign in as before', async () => {
    const apart = { clientSecretHash: hashSecret(secrets.hill.clientSecret, undefined, 2), username: 'apart' }
    const accounts = { accounts: [accountConfig('hill'), accountConfig('hill', apart)] }
    const service = openService({ accounts })
    for (const username of [secrets.hill.username, 'apart'])
      expect((await askToken(service, tokenForm('hill', { username }))).status).toBe(200)
  })
})

describe('accounts', () => {
  test('a secret matches only its own hash, however its letters are composed', async () => {
    const hash = hashSecret('kōwhai', undefined, 2)
    expect(await secretMatches('kōwhai'.normalize('NFD'), hash)).toBe(true)
    expect(await secretMatches('kowhai', hash)).toBe(false)
    expect(hash).not.toContain('whai')
    expect(hashSecret('kōwhai', undefined, 2)).not.toBe(hash)
  })

  test.each([
    ['no list', { account: [] }],
    ['a secret instead of a hash', { accounts: [{ ...accountConfig('hill'), passwordHash: 'long winter' }] }],
    [
      'a hash that would take all memory',
      {
        accounts: [
          { ...accountConfig('hill'), passwordHash: accountConfig('hill').passwordHash.replace('$2$', '$1048576$') },
        ],
      },
    ],
    ['an account given twice', { accounts: [accountConfig('hill'), accountConfig('hill')] }],
    ['an unknown member', { accounts: [{ ...accountConfig('hill'), password: 'long winter' }] }],
  ])('%s is turned away without saying the secret', (_, accounts) => {
    const open = () => createService({ accounts: accounts as AccountsConfig })
    expect(open).toThrow(WindrowError)
    expect(open).not.toThrow(/long winter/)
  })
})
