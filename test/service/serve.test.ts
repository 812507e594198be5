import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { createService } from '../../src/service/create.ts'
import { serve, type Served, type ServeOptions } from '../../src/service/serve.ts'
import { hillFarm, holding, list, openService, plot, tokenForm, type Tree, text } from './hill-farm.ts'

async function served(options: ServeOptions = {}) {
  const world = await hillFarm({ mostBodyBytes: 100_000 })
  const address = await serve(world.service, options)
  const port = Number(new URL(address.url).port)
  return { ...world, ...address, port }
}

/** Writes bytes to the port and returns everything that comes back until the connection closes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let answer = ''
  socket.on('data', (chunk) => void (answer += String(chunk)))
  socket.on('error', () => undefined)
  await once(socket, 'close')
  return answer
}

describe('a service with a socket', () => {
  test('signs in, publishes and reads at the addresses in its answers', async () => {
    const { url, authUrl, close } = await served()
    const tokens = (await (
      await fetch(`${authUrl}/protocol/openid-connect/token`, { method: 'POST', body: tokenForm('hill') })
    ).json()) as Tree
    const headers = { Authorization: `Bearer ${text(tokens['access_token'])}`, 'Content-Type': 'application/json' }
    const datasets = list((await (await fetch(`${url}/data/streaming/datasets`, { headers })).json()) as Tree)
    const updates = text(datasets[1]!['updates'])
    expect(updates).toBe(`${url}/data/streaming/datasets/plots/resources`)
    const posted = await fetch(updates, { method: 'POST', headers, body: JSON.stringify([plot('1')]) })
    expect(await posted.json()).toEqual([{ index: 0, successful: true }])
    const items = (await (await fetch(`${url}/ogc/collections/plots/items`, { headers })).json()) as Tree
    expect(items['numberMatched']).toBe(1)
    const large = await fetch(updates, { method: 'POST', headers, body: `[${' '.repeat(200_000)}]` })
    expect([large.status, large.headers.get('content-type')]).toEqual([413, 'application/problem+json'])
    await close()
    await expect(fetch(url)).rejects.toThrow()
  })

  test.each([
    ['its length said', (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
    [
      'in chunks',
      (body: string) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('who writes all of a body that is refused, %s, before reading still gets the answer', async (_, framed) => {
    const { port, hill, close } = await served()
    const body = `[${' '.repeat(30_000_000)}]`
    const answers: string[] = []
    for (const token of [hill.token, 'none']) {
      const socket = connect(port, '127.0.0.1').pause()
      socket.on('error', () => undefined)
      const head = `POST /data/streaming/datasets/plots/resources HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}`
      const more = 'Content-Type: application/json\r\nConnection: close'
      await new Promise((resolve) => socket.write(`${head}\r\n${more}\r\n${framed(body)}`, resolve))
      let answer = ''
      socket.on('data', (chunk) => void (answer += String(chunk))).resume()
      await once(socket, 'close')
      answers.push(answer)
    }
    expect(answers[0]).toContain('The body is larger than 100000 bytes.')
    expect(answers[1]).toMatch(/^HTTP\/1.1 401 /)
    await close()
  })

  test.each([
    ['127.0.0.1', 200],
    ['localhost', 200],
    ['[::1]', 200],
    ['farm.example', 200],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
  ])('called by the name %s it answers %i', async (host, status) => {
    const { port, close } = await served({ hosts: ['farm.example'] })
    const answer = await raw(port, `GET /ogc HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (status === 200) expect(answer).toContain(`http://${host}:${port}/ogc/collections`)
    else expect(answer).toContain('application/problem+json')
    await close()
  })

  test.each([
    ['that is no HTTP', 'hello\r\n\r\n', 400],
    ['with headers too large', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['whose headers never end', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: ', 408],
    ['whose path is not one', 'GET /\\evil HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
  ])('a request %s gets problem details', async (_, text, status) => {
    const { port, close } = await served({ headersTimeoutMs: 50 })
    const answer = await raw(port, text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain('application/problem+json')
    expect(answer).toContain(`"status":${status}`)
    await close()
  })

  test.each([
    ['without Host', 'GET /ogc HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'no Host header'],
    ['with two', 'GET /ogc HTTP/1.1\r\nHost: localhost\r\nHost: farm.example\r\n\r\n', 400, 'more than one Host'],
    ['with two that are the same', 'GET /ogc HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n', 400, 'Host'],
    ['that expects something', 'GET /ogc HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\n\r\n', 417, '100-continue'],
  ])('a request %s gets problem details and the end of the connection', async (_, text, status, said) => {
    const { port, close } = await served()
    const answer = await raw(port, text)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toContain('application/problem+json')
    expect(answer).toContain(said)
    await close()
  })

  test.each(['/health', '/ogc'])('a probe by HTTP/1.0 without Host is answered at %s', async (path) => {
    const { port, close, url } = await served()
    const answer = await raw(port, `GET ${path} HTTP/1.0\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(answer).toContain(path === '/ogc' ? `${url}/ogc/collections` : '"ok"')
    await close()
  })

  test('stops at once when no request is running, and after the grace period otherwise', async () => {
    const quiet = await served()
    await (await fetch(`${quiet.url}/ogc`)).text()
    await quiet.close()
    const { port, close, hill } = await served({ graceMs: 50 })
    const path = '/data/streaming/datasets/plots/resources'
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hill.token}\r\nContent-Length: 9\r\n\r\n[`
    const open = raw(port, head)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await close()
    await open
  })

  test('the demonstration account works on loopback only; a port in use is reported', async () => {
    const demo = createService({ demo: true })
    await expect(serve(demo, { host: '0.0.0.0' })).rejects.toThrow(WindrowError)
    const first = await serve(demo)
    const { clientId, clientSecret, username, password } = demoCredentials
    const fields = { client_id: clientId, client_secret: clientSecret, username, password }
    const form = new URLSearchParams({ grant_type: 'password', ...fields })
    const { status } = await fetch(`${first.authUrl}/protocol/openid-connect/token`, { method: 'POST', body: form })
    expect(status).toBe(200)
    await expect(serve(openService(), { port: Number(new URL(first.url).port) })).rejects.toThrow(/port/)
    await first.close()
  })

  test('answered records are stored when the process is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'windrow-'))
    const store = join(folder, 'service.db')
    const room = new URL('../../src/service/', import.meta.url).href
    const script = join(folder, 'killed.mjs')
    writeFileSync(
      script,
      `import { createService } from ${JSON.stringify(`${room}create.ts`)}
       import { serve } from ${JSON.stringify(`${room}serve.ts`)}
       const { url, authUrl } = await serve(createService({ demo: true, store: ${JSON.stringify(store)} }))
       console.log(JSON.stringify({ url, authUrl }))`,
    )
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { url, authUrl } = JSON.parse(line.toString()) as Served
    const { clientId, clientSecret, username, password } = demoCredentials
    const fields = { client_id: clientId, client_secret: clientSecret, username, password }
    const form = new URLSearchParams({ grant_type: 'password', ...fields })
    const signedIn = await fetch(`${authUrl}/protocol/openid-connect/token`, { method: 'POST', body: form })
    const token = text(((await signedIn.json()) as Tree)['access_token'])
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const post = async (dataset: string, records: unknown) => {
      const body = JSON.stringify(records)
      const answer = await fetch(`${url}/data/streaming/datasets/${dataset}/resources`, {
        method: 'POST',
        headers,
        body,
      })
      expect(answer.status).toBe(200)
      await answer.text()
    }
    await post('holdings', [holding('HF-0042')])
    await post(
      'plots',
      Array.from({ length: 200 }, (_, index) => plot(String(index))),
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    const again = createService({ demo: true, store })
    const after = await again.fetch(new Request(`${url}/data/streaming/datasets/plots/changes`, { headers }))
    expect(list((await after.json()) as Tree)).toHaveLength(202)
    again.close()
    rmSync(folder, { recursive: true })
  })
})
