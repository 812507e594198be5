/** Plays a service that answers from a script, with a clock that moves only when somebody sleeps. */

import type { ClientDeps } from '../../src/client/exchange.ts'
import type { Profile } from '../../src/client/profile.ts'

export const profile: Profile = {
  name: 'rimu',
  service: 'https://service.example/api',
  tokenUrl: 'https://login.example/auth/realms/farm',
  clientId: 'rimu-sync',
  clientSecret: 'p+w&1 geheim',
  username: 'office@rimu.example',
  password: 'long "winter" nacht',
  scope: 'openid offline_access',
}

export type Sent = {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string
  readonly redirect: string
}

export type Answering = (sent: Sent, nth: number) => Response | Promise<Response>

export type World = ClientDeps & {
  readonly sent: Sent[]
  readonly signIns: Sent[]
  readonly waits: number[]
  now: number
}

const tokenHost = new URL(profile.tokenUrl).host

/** `service` answers calls of the service, `login` those of the token endpoint; both get the number of the call from 0. */
export function scriptedWorld(service: Answering, login: Answering = givesToken): World {
  const world: World = {
    sent: [],
    signIns: [],
    waits: [],
    now: Date.parse('2026-11-20T00:00:00Z'),
    clock: () => new Date(world.now),
    random: () => 0.5,
    sleep: (ms, signal) => {
      signal?.throwIfAborted()
      world.waits.push(ms)
      world.now += ms
      return Promise.resolve()
    },
    fetch: async (request) => {
      const url = new URL(request.url)
      const { method, headers, redirect } = request
      const sent: Sent = { method, url, headers, body: await request.text(), redirect }
      const [list, answering] = url.host === tokenHost ? [world.signIns, login] : [world.sent, service]
      list.push(sent)
      return answering(sent, list.length - 1)
    },
  }
  return world
}

/** Answers `token-1`, `token-2`, ... valid for an hour. */
export const givesToken: Answering = (_sent, nth) =>
  json({ access_token: `token-${nth + 1}`, id_token: 'id-token', expires_in: 3600 })

/** A JSON answer. */
export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** A problem details answer. */
export function problem(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  return json({ type: 'about:blank', title: 'Problem', status, detail }, status, headers)
}

/** Gives the answers in order, and then repeats the last one. */
export function inTurn(...answers: readonly (() => Response)[]): Answering {
  return (_sent, nth) => (answers[nth] ?? answers.at(-1)!)()
}

/** Collects all items of an async iterable. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = []
  for await (const item of items) gathered.push(item)
  return gathered
}
