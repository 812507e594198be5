import { Agent, get, request as ask } from 'node:http'
import { get as getSecurely } from 'node:https'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import type { Service, ServiceOptions } from '../../src/service/create.ts'
import { serve, type LoggedRequest, type Served, type ServeOptions } from '../../src/service/serve.ts'
import { makeCertificate } from './certificate.ts'
import { hillFarm, plot, plotsPath, tokenForm } from './hill-farm.ts'

let service: Service
let served: Served
let token: string
/** How many requests have reached the service. */
let arrived: number

async function start(socket: ServeOptions = {}, options: ServiceOptions = {}) {
  const world = await hillFarm({ mostBodyBytes: 100_000, ...options })
  service = world.service
  token = world.hill.token!
  arrived = 0
  const counted: Service = {
    ...service,
    fetch(request) {
      arrived += 1
      return service.fetch(request)
    },
  }
  served = await serve(counted, { graceMs: 2_000, ...socket })
  return served.url
}
afterEach(async () => {
  await served.close()
  service.close()
})

const bearer = () => ({ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' })

function publish(url: string, body = JSON.stringify([plot('1')])) {
  return fetch(url + new URL(plotsPath).pathname, { method: 'POST', headers: bearer(), body })
}

describe('health and counts', () => {
  test('/health answers 200, and 503 once the store is gone', async () => {
    const url = await start()
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
    expect((await fetch(`${url}/health`, { method: 'HEAD' })).status).toBe(200)
    service.close()
    const answer = await fetch(`${url}/health`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/problem+json'])
  })

  test('/metrics counts requests by section and status, and records, in the text form of Prometheus', async () => {
    const url = await start()
    await publish(url)
    await fetch(`${url}/data/streaming/control`)
    await fetch(`${url}/nothing/here?secret=1`)
    const answer = await fetch(`${url}/metrics`)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await answer.text()
    for (const line of [
      'windrow_requests_total{section="publish",status="200"} 1',
      'windrow_requests_total{section="control",status="401"} 1',
      'windrow_requests_total{section="other",status="404"} 1',
      'windrow_records{dataset="plots"} 1',
      'windrow_request_seconds_count{section="publish"} 1',
      'windrow_requests_under_way 1',
    ])
      expect(text.split('\n')).toContain(line)
    expect(text).not.toContain('secret')
    // Each line is a comment or a name, perhaps with labels, and a number.
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) windrow_|# (HELP|TYPE) process_|[a-z_]+(\{[^{}]*\})? [\d.e+-]+$)/)
  })
})

test('the log has a line for each request and no secret in any', async () => {
  const log: LoggedRequest[] = []
  const url = await start({ log: (entry) => void log.push(entry) })
  await publish(url)
  await fetch(`${url}/ogc/collections?access_token=${token}`)
  const form = new URLSearchParams({
    grant_type: 'password',
    client_id: 'x',
    client_secret: 'hush',
    username: 'u',
    password: 'hush',
  })
  await fetch(`${served.authUrl}/protocol/openid-connect/token`, { method: 'POST', body: form })
  await expect.poll(() => log).toHaveLength(3)
  expect(log).toMatchObject([
    { method: 'POST', path: '/data/streaming/datasets/plots/resources', status: 200, from: '127.0.0.1' },
    { method: 'GET', path: '/ogc/collections', status: 400 },
    { method: 'POST', path: expect.stringContaining('/token') as string, status: 401 },
  ])
  expect(JSON.stringify(log)).not.toContain(token)
  expect(JSON.stringify(log)).not.toContain('hush')
})

describe('stopping', () => {
  test('a running request is answered; the next one finds no service', async () => {
    const url = await start({}, { faults: { faults: [{ fault: 'slow', on: 'publish', dataset: 'plots', ms: 300 }] } })
    const agent = new Agent({ keepAlive: true })
    const warm = get(`${url}/ogc`, { agent })
    const [first] = (await once(warm, 'response')) as [IncomingMessage]
    await readText(first)
    const posted = publish(url)
    await expect.poll(() => arrived).toBe(2)
    const stopped = served.close()
    const answer = await posted
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, expect.any(String)])
    expect(await answer.json()).toEqual([{ index: 0, successful: true }])
    await stopped
    await expect(fetch(`${url}/health`)).rejects.toThrow()
    agent.destroy()
  })
})

describe('limits', () => {
  test('requests above the limit are asked to come back', async () => {
    const faults = { faults: [{ fault: 'slow' as const, on: 'publish' as const, dataset: 'plots', ms: 400 }] }
    const url = await start({ mostUnderWay: 2 }, { faults })
    const slow = [publish(url), publish(url)]
    await expect.poll(() => arrived).toBe(2)
    const busy = await publish(url)
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200])
  })

  test('requests without a token that never end are refused at once, and leave the others their share', async () => {
    const url = await start()
    const { port } = new URL(url)
    const begin = async (path: string, more: string): Promise<Socket> => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
      socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: 1000\r\n\r\n[1234`)
      await once(socket, 'connect')
      return socket
    }
    const publishes = await Promise.all(
      Array.from({ length: 210 }, (_, index) =>
        begin(new URL(plotsPath).pathname, index % 2 === 0 ? '' : 'Authorization: Bearer made-up\r\n'),
      ),
    )
    for (const socket of publishes) {
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(String(answer)).toMatch(/^HTTP\/1.1 401 /)
    }
    const signIns = await Promise.all(
      Array.from({ length: 210 }, () =>
        begin(new URL(served.tokenUrl).pathname, 'Content-Type: application/x-www-form-urlencoded\r\n'),
      ),
    )
    await expect.poll(() => arrived).toBe(420)
    expect((await publish(url)).status).toBe(200)
    expect((await fetch(served.tokenUrl, { method: 'POST', body: tokenForm('hill') })).status).toBe(200)
    for (const socket of [...publishes, ...signIns]) socket.destroy()
  })

  test('bodies that arrive at the same time share the room of four of the largest', async () => {
    const url = await start()
    const { port } = new URL(url)
    const head = `POST ${new URL(plotsPath).pathname} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 99000\r\n\r\n[`
    const sockets = Array.from({ length: 4 }, () => connect(Number(port), '127.0.0.1'))
    for (const socket of sockets) socket.write(head + ' '.repeat(98_000))
    const another = async () => publish(url, `[${' '.repeat(50_000)}]`)
    // Until the four have arrived there is room.
    await expect.poll(async () => (await another()).status).toBe(503)
    expect((await another()).headers.get('retry-after')).toBe('1')
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await another()).status).toBe(200)
  })

  test('connections above the limit are closed', async () => {
    const url = await start({ mostConnections: 2 })
    const { port } = new URL(url)
    const held = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')]
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    const third = async (): Promise<string> => {
      const asked = ask(`${url}/health`, { agent: new Agent() })
      asked.end()
      return once(asked, 'response').then(
        () => 'answered',
        () => 'not let in',
      )
    }
    // The service takes notice of a connection a moment after the caller.
    await expect.poll(third).toBe('not let in')
    for (const socket of held) socket.destroy()
  })
})

describe('over https', () => {
  test('the service gives https addresses, also in its links', async () => {
    const tls = makeCertificate()
    const url = await start({ tls })
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const asked = getSecurely(`${url}/ogc`, { ca: tls.cert, agent: false })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(await readText(answer)).toContain(`"href":"${url}/ogc/collections"`)
  })

  test('a key that does not belong to the certificate is reported', async () => {
    await start()
    await expect(serve(service, { tls: { cert: makeCertificate().cert, key: makeCertificate().key } })).rejects.toThrow(
      'TLS certificate and key',
    )
  })
})
