import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { urlSource } from '../../src/core/sources/source-url.ts'
import { credentialsFor } from '../../src/core/sources/source-url.ts'
import { folderWith } from './temporary-folder.ts'
import { serveParts, startServer } from './web-server.ts'

const text = `
# The mapping office
https://me:p%40ss@farms.example/reports
https://farms.example/reports/rimu   X-Api-Key: k 1
https://maps.example Authorization: Bearer abc
`

async function headersFor(first: string, asked = first): Promise<unknown> {
  const credentials = await credentialsFor(new URL(first), { WINDROW_WEB_SECRETS: text })
  return credentials!({ url: new URL(asked) })
}

describe('a secret goes to its own site', () => {
  const basic = { authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}` }
  test.each<[string, string | undefined, unknown]>([
    ['https://farms.example/reports/a.csv', undefined, basic],
    ['https://farms.example/reports/rimu/a.csv', undefined, { 'x-api-key': 'k 1' }],
    ['https://farms.example/reports-of-others/a.csv', undefined, {}],
    ['https://farms.example:8443/reports/a.csv', undefined, {}],
    ['http://farms.example/reports/a.csv', undefined, {}],
    ['https://maps.example/any/where.zip', undefined, { authorization: 'Bearer abc' }],
    ['https://farms.example/start', 'https://farms.example/reports/a.csv', basic],
    // Whoever redirects from one site to another must not choose which secret is sent there.
    ['https://farms.example/reports/a.csv', 'https://maps.example/a.csv', {}],
    ['https://elsewhere.example/a.csv', 'https://maps.example/a.csv', {}],
  ])('%s, then %s: %j', async (first, asked, expected) => {
    expect(await headersFor(first, asked)).toEqual(expected)
  })

  test('over http, also when it is asked for the rest', async () => {
    const large = Buffer.alloc(3_000_000, 'x')
    const { url, asked } = await startServer((request, response) =>
      request.headers['x-api-key'] === 'opensesame'
        ? serveParts(request, response, large)
        : response.writeHead(401).end(),
    )
    const path = join(folderWith({}), 'web-secrets')
    writeFileSync(path, `${url}/ X-Api-Key: opensesame\n`)
    const env = { WINDROW_WEB_SECRETS_FILE: path }
    const { source, close } = await urlSource(`${url}/a.csv`, { allowsPrivate: true, env })
    expect((await source.read(0, large.length)).length).toBe(large.length)
    await close()
    expect(asked.length).toBeGreaterThan(1)
    const without = urlSource(`${url}/a.csv`, { allowsPrivate: true })
    await expect(without).rejects.toMatchObject({ hint: expect.stringContaining('WINDROW_WEB_SECRETS') })
  })
})

test.each([
  ['farms.example X-Api-Key: geheim', 'Line 2', 'web address'],
  ['ftp://me:geheim@farms.example', 'Line 2', 'web address'],
  ['http://farms.example X-Api-Key: geheim', 'Line 2', 'plain http'],
  ['https://farms.example', 'Line 2', 'exactly one'],
  ['https://me:geheim@farms.example X-Api-Key: geheim', 'Line 2', 'exactly one'],
  ['https://farms.example X-Api-Key: gehe\u0007im', 'Line 2', 'a header cannot have'],
  ['https://farms.example geheim', 'Line 2', 'web address'],
])('%s is refused, without being repeated', async (line, place, why) => {
  const failure = await credentialsFor(new URL('https://x.example'), { WINDROW_WEB_SECRETS: `\n${line}` }).catch(
    (cause: unknown) => cause as WindrowError,
  )
  expect(failure).toBeInstanceOf(WindrowError)
  const { message, hint } = failure as WindrowError
  expect(message).toContain(place)
  expect(message).toContain(why)
  expect(`${message} ${hint}`).not.toContain('geheim')
})
