import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { connectTo, type Client, type ConnectionOptions } from '../../src/client/connection.ts'
import { answerJson, serveOnLoopback, world, type Loopback, type Received } from './loopback.ts'
import { profile } from './scripted-service.ts'

const open: Loopback[] = []
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())))

const tokenPath = '/login/token'

async function serving(
  handle: (received: Received, response: ServerResponse, nth: number) => void,
  options: ConnectionOptions = {},
): Promise<{ client: Client; server: Loopback; calls: () => readonly Received[] }> {
  const calls = (): readonly Received[] => server.received.filter(({ path }) => path !== tokenPath)
  const server = await serveOnLoopback((received, response) => {
    if (received.path === tokenPath) answerJson(response, { access_token: 'geheim-1', expires_in: 3600 })
    else handle(received, response, calls().length - 1)
  })
  open.push(server)
  const client = connectTo({ ...profile, service: server.url, tokenUrl: server.url + tokenPath }, world, {
    retry: { tries: 2, firstMs: 1 },
    ...options,
  })
  return { client, server, calls }
}

describe('over a real connection', () => {
  test('does not follow a redirect to another host, and sends nothing there', async () => {
    const elsewhere = await serveOnLoopback((_received, response) => answerJson(response, []))
    open.push(elsewhere)
    const { client } = await serving((_received, response) =>
      response.writeHead(307, { Location: `${elsewhere.url}/data/streaming/datasets` }).end(),
    )
    await expect(client.datasets()).rejects.toMatchObject({
      code: 'service-confused',
      message: expect.stringContaining(elsewhere.url),
    })
    expect(elsewhere.received).toHaveLength(0)
  })

  test('follows a redirect within the service, with the token', async () => {
    const { client, calls } = await serving((received, response) =>
      received.path === '/moved' ? answerJson(response, []) : response.writeHead(302, { Location: '/moved' }).end(),
    )
    expect(await client.datasets()).toEqual([])
    expect(calls().map(({ headers }) => headers.authorization)).toEqual(['Bearer geheim-1', 'Bearer geheim-1'])
  })

  test('sends a batch unchanged, with its length', async () => {
    const bodies = Array.from({ length: 500 }, (_each, n) => JSON.stringify({ n, name: 'Ōtāne', pad: 'x'.repeat(900) }))
    const { client, calls } = await serving((_received, response) =>
      answerJson(
        response,
        bodies.map((_body, index) => ({ index, successful: true })),
      ),
    )
    const outcome = await client.publish('/data/streaming/datasets/plots/resources', bodies)
    expect(outcome.every(({ state }) => state === 'accepted')).toBe(true)
    const [batch] = calls()
    expect(batch?.body).toBe(`[${bodies.join(',')}]`)
    expect(batch?.headers['content-length']).toBe(String(Buffer.byteLength(batch?.body ?? '')))
  })

  test('tries again after a cut connection', async () => {
    const { client, calls } = await serving((_received, response, nth) => {
      if (nth === 0) response.destroy()
      else answerJson(response, [])
    })
    expect(await client.datasets()).toEqual([])
    expect(calls()).toHaveLength(2)
  })

  test('tries again after a cut answer', async () => {
    const { client } = await serving((_received, response, nth) => {
      if (nth > 0) return answerJson(response, [])
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
      return response.write('[', () => response.destroy())
    })
    expect(await client.datasets()).toEqual([])
  })

  test('gives up a silent server in time', async () => {
    const { client, calls } = await serving(() => undefined, {
      limits: { answerMs: 50 },
      retry: { tries: 2, firstMs: 1 },
    })
    await expect(client.datasets()).rejects.toMatchObject({
      code: 'service-unreachable',
      message: expect.stringContaining('no answer within 50 ms'),
      hint: expect.stringContaining('That address is on this machine. Start the service there again'),
    })
    expect(calls()).toHaveLength(2)
  })

  test('limits a small answer that unpacks to a large one', async () => {
    const packed = gzipSync(Buffer.alloc(8 << 20, ' '))
    const { client } = await serving(
      (_received, response) =>
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(packed),
      { limits: { bodyBytes: 1 << 20 } },
    )
    await expect(client.datasets()).rejects.toMatchObject({ code: 'service-confused' })
  })

  test('an abort ends the request at the server too', async () => {
    const stop = new AbortController()
    let closed = false
    const { client } = await serving((_received, response) => {
      response.on('close', () => (closed = true))
      stop.abort(new Error('stopped by hand'))
    })
    await expect(client.datasets(stop.signal)).rejects.toThrow('stopped by hand')
    await expect.poll(() => closed).toBe(true)
  })

  test('an abort cuts a long wait', async () => {
    const stop = new AbortController()
    const { client } = await serving((_received, response) => response.writeHead(503, { 'Retry-After': '60' }).end(), {
      retry: { tries: 3 },
      onWait: () => setTimeout(() => stop.abort(new Error('stopped by hand')), 5),
    })
    await expect(client.datasets(stop.signal)).rejects.toThrow('stopped by hand')
  })

  test('explains that no server runs there', async () => {
    const { client, server } = await serving(() => undefined)
    await server.close()
    await expect(client.datasets()).rejects.toMatchObject({
      code: 'service-unreachable',
      exit: 4,
      message: expect.stringContaining('no server runs at that address'),
    })
  })

  test('random answers give only known errors', async () => {
    const noise = Array.from({ length: 20 }, (_each, n) => randomBytes(n * 50))
    const { client } = await serving((_received, response, nth) =>
      response.writeHead(200).end(noise[nth % noise.length]),
    )
    for (const _each of noise) await expect(client.datasets()).rejects.toMatchObject({ code: 'service-confused' })
  })
})
