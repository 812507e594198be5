import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { s3Address } from '../../src/core/sources/s3.ts'
import { urlSource, type WebOptions } from '../../src/core/sources/source-url.ts'
import { folderWith } from './temporary-folder.ts'
import { faultOfSignature, keys, startStore, type Store } from './s3-server.ts'

const now = new Date('2013-05-24T00:00:00Z')

describe('the store of the tests', () => {
  const example = (method: string, target: string, headers: Readonly<Record<string, string>>, body = '') => ({
    method,
    target,
    headers: { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z', ...headers },
    body: Buffer.from(body),
  })
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const signed = (names: string, signature: string): string =>
    `AWS4-HMAC-SHA256 Credential=${keys.id}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`

  // The examples that Amazon publishes with the rule ("Examples: Signature calculations").
  const examples = [
    example('GET', '/test.txt', {
      range: 'bytes=0-9',
      'x-amz-content-sha256': empty,
      authorization: signed(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    }),
    example(
      'PUT',
      '/test%24file.text',
      {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        authorization: signed(
          'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
          '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
        ),
      },
      'Welcome to Amazon S3.',
    ),
    example('GET', '/?lifecycle', {
      'x-amz-content-sha256': empty,
      authorization: signed(
        'host;x-amz-content-sha256;x-amz-date',
        'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      ),
    }),
    example('GET', '/?max-keys=2&prefix=J', {
      'x-amz-content-sha256': empty,
      authorization: signed(
        'host;x-amz-content-sha256;x-amz-date',
        '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      ),
    }),
  ]

  test.each(examples)('accepts the published example $method $target, and nothing that differs', (request) => {
    expect(faultOfSignature(request, keys.secret, now)).toBeUndefined()
    expect(faultOfSignature(request, `${keys.secret}x`, now)).toBe('SignatureDoesNotMatch')
    expect(faultOfSignature({ ...request, method: 'DELETE' }, keys.secret, now)).toBe('SignatureDoesNotMatch')
    expect(faultOfSignature({ ...request, target: `${request.target}x` }, keys.secret, now)).toBe(
      'SignatureDoesNotMatch',
    )
    expect(faultOfSignature({ ...request, body: Buffer.from('other') }, keys.secret, now)).toBe(
      'XAmzContentSHA256Mismatch',
    )
    expect(faultOfSignature(request, keys.secret, new Date('2013-05-24T00:16:00Z'))).toBe('RequestTimeTooSkewed')
    const more = { ...request.headers, 'x-amz-acl': 'public-read' }
    expect(faultOfSignature({ ...request, headers: more }, keys.secret, now)).toBe('AccessDenied')
  })
})

const quick: WebOptions = { sleep: () => Promise.resolve() }

async function readFrom(store: Store, name: string, options: WebOptions = {}): Promise<Buffer> {
  const { source, close } = await urlSource(name, { ...quick, env: store.env, ...options })
  try {
    return Buffer.from(await source.read(0, source.size))
  } finally {
    await close()
  }
}

describe('a file in a store', () => {
  const large = Buffer.from(Array.from({ length: 400_000 }, (_, row) => `${row},x\n`).join(''))

  test('is read in parts, with signed requests', async () => {
    const store = await startStore()
    store.put('farms/rimu/paddocks.csv', large)
    expect((await readFrom(store, 's3://farms/rimu/paddocks.csv')).equals(large)).toBe(true)
    expect(store.asked.map(({ headers }) => headers.range)).toEqual([
      'bytes=0-1048575',
      expect.stringContaining('bytes=1048576-'),
    ])
  })

  test.each(['Rāhui 100% (new)+1.csv', "a&b=c;d'e!f*g.csv", 'x//y.csv', 'what?.csv', '😀.csv'])(
    'may be called %s',
    async (key) => {
      const store = await startStore()
      store.put(`farms/${key}`, Buffer.from('id\n'))
      expect(String(await readFrom(store, `s3://farms/${key}`))).toBe('id\n')
    },
  )

  test('with a session token and another region', async () => {
    let token: unknown
    const store = await startStore(({ headers }) => {
      token = headers['x-amz-security-token']
      return !headers.authorization!.includes('/eu-west-1/s3/')
    })
    store.put('farms/a.csv', Buffer.from('id\n'))
    const env = { ...store.env, AWS_SESSION_TOKEN: 'temporary', AWS_REGION: 'eu-west-1' }
    expect(String(await readFrom(store, 's3://farms/a.csv', { env }))).toBe('id\n')
    expect(token).toBe('temporary')
  })

  test('is not downloaded again while its tag is the same', async () => {
    const store = await startStore()
    store.put('farms/a.csv', large)
    const keptIn = folderWith({})
    await readFrom(store, 's3://farms/a.csv', { keptIn })
    const before = store.asked.length
    expect((await readFrom(store, 's3://farms/a.csv', { keptIn })).equals(large)).toBe(true)
    expect(store.asked.length).toBe(before + 1)
    store.put('farms/a.csv', Buffer.from('id\n'))
    expect(String(await readFrom(store, 's3://farms/a.csv', { keptIn }))).toBe('id\n')
  })

  test('that changes while it is read stops the reading', async () => {
    const store = await startStore()
    store.put('farms/a.csv', large)
    const { source, close } = await urlSource('s3://farms/a.csv', { ...quick, env: store.env })
    store.put('farms/a.csv', Buffer.from(large).fill('y', 100, 200))
    await expect(source.read(0, large.length)).rejects.toMatchObject({ code: 'source-changed' })
    await close()
  })

  test('of a shapefile has the others beside it', async () => {
    const store = await startStore()
    for (const ending of ['shp', 'dbf', 'prj']) store.put(`farms/maps/rimu.${ending}`, Buffer.from(ending))
    const { source, close } = await urlSource('s3://farms/maps/rimu.shp', { ...quick, env: store.env })
    expect((await source.siblings()).map(({ name }) => name)).toEqual(['rimu.dbf', 'rimu.prj'])
    await close()
  })

  test('is asked for again where the store fails for a moment', async () => {
    const store = await startStore((_, response, nth) => {
      if (nth < 2) response.writeHead(nth === 0 ? 500 : 503).end('<Error><Code>SlowDown</Code></Error>')
      return nth < 2
    })
    store.put('farms/a.csv', Buffer.from('id\n'))
    expect(String(await readFrom(store, 's3://farms/a.csv'))).toBe('id\n')
  })
})

describe('what a store refuses is a sentence without secrets', () => {
  const refusing = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
    startStore((_, response) => {
      response.writeHead(status, headers).end(`<Error><Code>${code}</Code><Message>${keys.secret}</Message></Error>`)
      return true
    })

  test.each<[number, string, string, string, Readonly<Record<string, string>>?]>([
    [404, 'NoSuchKey', 'file-missing', 'There is no file at "s3://farms/a.csv"'],
    [404, 'NoSuchBucket', 'file-unreadable', 'There is no bucket "farms"'],
    [403, 'AccessDenied', 'file-unreadable', 'refuses "s3://farms/a.csv" to this access key (403, AccessDenied)'],
    [403, 'SignatureDoesNotMatch', 'file-unreadable', 'does not accept the access key'],
    [400, 'ExpiredToken', 'file-unreadable', 'does not accept the access key'],
    [403, 'RequestTimeTooSkewed', 'file-unreadable', 'the clock of this machine'],
    [
      301,
      'PermanentRedirect',
      'file-unreadable',
      'in the region eu-west-1',
      { 'x-amz-bucket-region': 'eu-west-1', location: 'http://x/' },
    ],
    [503, 'SlowDown', 'address-unreachable', 'reports an error (503, SlowDown)'],
    [418, 'Teapot', 'file-unreadable', 'refuses the request (418, Teapot)'],
  ])('%d %s', async (...[status, reason, code, message, headers]) => {
    const store = await refusing(status, reason, headers)
    const failure = await readFrom(store, 's3://farms/a.csv').catch((cause: unknown) => cause as WindrowError)
    expect(failure).toBeInstanceOf(WindrowError)
    const { code: found, message: said, hint } = failure as WindrowError
    expect([found, said]).toEqual([code, expect.stringContaining(message)])
    expect(`${said} ${hint}`).not.toMatch(new RegExp(`${keys.secret}|${keys.id}|Signature=`))
  })

  test('a wrong key, and a clock that is wrong', async () => {
    const store = await startStore()
    store.put('farms/a.csv', Buffer.from('id\n'))
    const env = { ...store.env, AWS_SECRET_ACCESS_KEY: 'other' }
    await expect(readFrom(store, 's3://farms/a.csv', { env })).rejects.toThrow('SignatureDoesNotMatch')
    const clock = (): Date => new Date(Date.now() - 3600_000)
    await expect(readFrom(store, 's3://farms/a.csv', { clock })).rejects.toThrow('clock of this machine')
  })

  test('no key, or an endpoint that is none', async () => {
    const store = await startStore()
    for (const [name, value, message] of [
      ['AWS_ACCESS_KEY_ID', '', 'There is no access key'],
      ['AWS_ENDPOINT_URL', 'https://me:geheim@store.example', 'AWS_ENDPOINT_URL is not'],
      ['AWS_ENDPOINT_URL', 'store.example', 'AWS_ENDPOINT_URL is not'],
    ] as const) {
      const failure = readFrom(store, 's3://farms/a.csv', { env: { ...store.env, [name]: value } })
      await expect(failure).rejects.toMatchObject({ code: 'option-invalid', message: expect.stringContaining(message) })
      await expect(failure).rejects.not.toThrow('geheim')
    }
  })
})

test.each([
  [{}, 'farms', 'https://farms.s3.us-east-1.amazonaws.com/a%20b.csv'],
  [{ AWS_DEFAULT_REGION: 'ap-southeast-2' }, 'farms', 'https://farms.s3.ap-southeast-2.amazonaws.com/a%20b.csv'],
  [{ AWS_REGION: 'cn-north-1' }, 'farms', 'https://farms.s3.cn-north-1.amazonaws.com.cn/a%20b.csv'],
  [{}, 'my.farms', 'https://s3.us-east-1.amazonaws.com/my.farms/a%20b.csv'],
  [{ AWS_ENDPOINT_URL: 'https://minio.example/s3/' }, 'farms', 'https://minio.example/s3/farms/a%20b.csv'],
])('with %j the bucket %s is at %s', async (more, bucket, href) => {
  const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', ...more }
  const { url, isSet } = await s3Address({ bucket, key: 'a b.csv' }, { env, clock: () => now })
  expect([url.href, isSet]).toEqual([href, 'AWS_ENDPOINT_URL' in more])
})
