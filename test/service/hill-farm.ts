/** Opens services for tests: accounts, a clock to set, requests without a socket, invented farms. */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer as readBuffer } from 'node:stream/consumers'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { hashSecret, type AccountConfig } from '../../src/service/store/accounts.ts'
import { createService, type Service, type ServiceOptions } from '../../src/service/create.ts'
import { serve } from '../../src/service/serve.ts'
import { folderWith } from '../core/temporary-folder.ts'

export const base = 'http://service.example'
export const streaming = `${base}/data/streaming`
export const plotsPath = `${streaming}/datasets/plots/resources`

type Json = Record<string, unknown>

/** The value as text. */
export function text(place: unknown): string {
  return place as string
}

/** Random bytes that are the same in every test run. */
export function steadyRandom(seed = 'windrow'): (bytes: number) => Uint8Array {
  let turn = 0
  return (bytes) => {
    const blocks: Buffer[] = []
    while (blocks.length * 32 < bytes)
      blocks.push(
        createHash('sha256')
          .update(`${seed} ${(turn += 1)}`)
          .digest(),
      )
    return Buffer.concat(blocks).subarray(0, bytes)
  }
}

/** A clock that stops until a test sets it. */
export function stillClock(start = '2026-11-20T00:00:00.000Z') {
  let now = Date.parse(start)
  const clock = (): Date => new Date(now)
  return { clock, turn: (seconds: number) => void (now += seconds * 1000) }
}

export const secrets = {
  hill: {
    clientId: 'hillfarm-sync',
    clientSecret: 'p+w&1',
    username: 'sync@hillfarm.example',
    password: 'long winter',
  },
  rimu: { clientId: 'rimu-office', clientSecret: 'kākā', username: 'office@rimu.example', password: 'mānuka honey' },
} as const

/** The configuration of an account; hashes are cheap ones, because tests make many. */
export function accountConfig(name: keyof typeof secrets, more: Partial<AccountConfig> = {}): AccountConfig {
  const { clientId, clientSecret, username, password } = secrets[name]
  const hash = (secret: string): string => hashSecret(secret, steadyRandom(name), 2)
  return { clientId, clientSecretHash: hash(clientSecret), username, passwordHash: hash(password), ...more }
}

export const bothAccounts = { accounts: [accountConfig('hill'), accountConfig('rimu')] }

/** A new service; its records are in memory. */
export function openService(options: ServiceOptions = {}): Service {
  return createService({ accounts: bothAccounts, random: steadyRandom(), clock: stillClock().clock, ...options })
}

/** A file for a store that outlives its service. */
export function storePlace(): string {
  return join(folderWith({}), 'deep', 'service.db')
}

export function tokenForm(who: keyof typeof secrets, more: Record<string, string> = {}): URLSearchParams {
  const { clientId, clientSecret, username, password } = secrets[who]
  const fields = { grant_type: 'password', client_id: clientId, client_secret: clientSecret, username, password }
  return new URLSearchParams({ ...fields, scope: 'openid', ...more })
}

export async function askToken(service: Service, form: URLSearchParams | string, headers: Record<string, string> = {}) {
  const response = await service.fetch(
    new Request(`${base}${service.authPath}/protocol/openid-connect/token`, {
      method: 'POST',
      body: String(form),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    }),
  )
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
}

/** A document of which tests read single members. */
export type Tree = { readonly [member: string]: Tree }
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Tree }

/** The value as a list. */
export function list(tree: Tree | undefined): readonly Tree[] {
  return tree as unknown as readonly Tree[]
}

/** Signs in and gives functions that send requests with the token of that account. */
export async function signIn(service: Service, who: keyof typeof secrets = 'hill') {
  const { body } = await askToken(service, tokenForm(who))
  return speaker(service, String(body['access_token']))
}

/** Sends requests to the service with a token, or without one. */
export function speaker(service: Service, token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const send = async (url: string, init: RequestInit = {}): Promise<Answer> => {
    const address = url.startsWith('http') ? url : base + url
    const response = await service.fetch(
      new Request(address, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } }),
    )
    const written = await response.text()
    const isJson = response.headers.get('content-type')?.includes('html') !== true && written !== ''
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(written) : {}) as Tree,
    }
  }
  return {
    token,
    send,
    get: (url: string) => send(url),
    post: (dataset: string, records: unknown) =>
      send(`${streaming}/datasets/${dataset}/resources`, {
        method: 'POST',
        body: typeof records === 'string' ? records : JSON.stringify(records),
        headers: { 'Content-Type': 'application/json' },
      }),
    feed: async (dataset: string, since?: string) => {
      const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`
      const { body, headers: answered } = await send(`${streaming}/datasets/${dataset}/changes${query}`)
      const page = list(body)
      return { items: page.slice(1, -1), token: text(page.at(-1)!['token']), headers: answered }
    },
  }
}

export const farmNumber = (id: string) => ({ scheme: 'nz.example.farm-number', id })

export const square = (west: number, south: number, size = 0.002) => ({
  type: 'Feature',
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [west + size, south],
        [west + size, south + size],
        [west, south + size],
        [west, south],
      ],
    ],
  },
  properties: {},
})

export function holding(farm: string, more: Json = {}): Json {
  return {
    resourceType: 'holdingResource',
    name: `Farm ${farm}`,
    dataPointKey: `holdings/${farm}`,
    identifiers: [farmNumber(farm)],
    meta: { sourceId: { scheme: 'nz.example.farms', id: farm }, modified: '2026-11-19T20:15:00Z' },
    ...more,
  }
}

export function plot(key: string, farm = 'HF-0042', more: Json = {}): Json {
  return {
    resourceType: 'plotResource',
    name: `Pātiki ${key}`,
    dataPointKey: `${farm}/${key}`,
    identifiers: [farmNumber(farm)],
    totalArea: { measurement: 1.85, units: 'HAR' },
    meta: {
      sourceId: { scheme: `nz.example.${farm}.paddock`, id: key },
      modified: '2026-11-19T20:15:00.1234567+00:00',
    },
    ...more,
  }
}

/** The same service on a socket, under the host name of `base`; the socket closes with the test. */
export async function onSocket(service: Service): Promise<Service> {
  const { url, close } = await serve(service, { hosts: ['service.example'] })
  onTestFinished(close)
  const { port } = new URL(url)
  return {
    ...service,
    async fetch(asked) {
      const { pathname, search, host } = new URL(asked.url)
      // fetch would write the Host of the socket.
      const headers = { ...Object.fromEntries(asked.headers), host }
      const going = request({ port, path: pathname + search, method: asked.method, headers })
      going.end(Buffer.from(await asked.arrayBuffer()))
      const [coming] = (await once(going, 'response')) as [IncomingMessage]
      const body = await readBuffer(coming)
      const answered = new Headers(coming.headers as Record<string, string>)
      return new Response(body.length === 0 ? null : new Uint8Array(body), {
        status: coming.statusCode!,
        headers: answered,
      })
    },
  }
}

/** A service on which Hill Farm (HF-0042) is already connected to the account `hill`. */
export async function hillFarm(options: ServiceOptions = {}, service = openService(options)) {
  const hill = await signIn(service)
  await hill.post('holdings', [holding('HF-0042', { name: 'Hill Farm' })])
  return { service, hill }
}

/** The same on a socket. */
export async function hillFarmOnSocket(options: ServiceOptions = {}) {
  return hillFarm(options, await onSocket(openService(options)))
}
