/**
 * Makes faults on purpose, between callers and a working service. The same plan gives the same faults for the same requests, so
 * that a bad night can be rehearsed again and again.
 */

import { createHash } from 'node:crypto'
import { readBody, type BodyLimits } from '../http/body.ts'
import { faultsOfLists, type FaultKind, type FaultPlan, type FaultRule } from './fault-plan.ts'
import { problem, refused } from '../http/responses.ts'
import { sectionOf } from '../http/sections.ts'

type Answering = (request: Request, base?: string) => Promise<Response>

type Published = readonly unknown[]

/** Makes the faults of a plan. Late answers wait with `sleep`. */
export function faultsOf(
  plan: FaultPlan,
  { sleep, limits }: { readonly sleep: (ms: number) => Promise<void>; readonly limits: BodyLimits },
) {
  const seen = plan.faults.map(() => 0)
  const struck = plan.faults.map(() => 0)
  const delays = new WeakMap<Request, number>()
  const tokens = { used: new Set<string>(), lost: new Set<string>() }
  const { seed = 0 } = plan
  const strikes = (request: Request, published: Published | undefined): readonly FaultRule[] => {
    const { pathname } = new URL(request.url)
    return plan.faults.flatMap((rule, index) => {
      if (!isMeant(rule, pathname) || !isAffected(rule, seed, published)) return []
      // Only a token that worked before can get lost: against any other, signing in again would not help.
      if (rule.fault === 'sign-in-lost' && !tokens.used.has(tokenOf(request))) return []
      const turn = (seen[index]! += 1)
      if (struck[index]! >= (rule.most ?? Infinity) || !isItsTurn(rule, turn, `${seed} ${index} ${turn}`)) return []
      struck[index]! += 1
      return [rule]
    })
  }
  return {
    /** The delay after which the records of a request are stored, undefined for at once. */
    storedAfterMs: (request: Request) => delays.get(request),
    /** Puts the faults in front of a service. The result rejects, as `fetch` does, where a connection is cut. */
    around:
      (answer: Answering): Answering =>
      async (given, base) => {
        const { pathname } = new URL(given.url)
        const isPublish = sectionOf(pathname) === 'publish' && given.method === 'POST'
        const arrived = isPublish
          ? await withList(given, limits).catch((cause: unknown) => refused(pathname, cause))
          : { request: given, published: undefined }
        if (arrived instanceof Response) return arrived
        const { request, published } = arrived
        const rules = strikes(request, published)
        const find = (kind: FaultKind): FaultRule | undefined => rules.find(({ fault }) => fault === kind)
        const slow = find('slow')
        if (slow !== undefined) await sleep(slow.ms!)
        const refusal = rules.map((rule) => refusalOf(rule, request)).find((each) => each !== undefined)
        const token = tokenOf(request)
        if (find('sign-in-lost') !== undefined) tokens.lost.add(token)
        if (tokens.lost.has(token)) return signInLost(request)
        if (refusal !== undefined) return refusal
        if (token !== '') tokens.used.add(token)
        const dropped = find('dropped')
        const kept = dropped === undefined ? undefined : published!.map((each) => !isChosen(dropped, seed, each))
        const passed =
          kept === undefined ? request : withBody(request, JSON.stringify(published!.filter((_, at) => kept[at])))
        const delayed = find('delayed')
        if (delayed !== undefined) delays.set(passed, delayed.ms!)
        const answered = await answer(passed, base)
        if (find('cut') !== undefined) throw connectionCut()
        return published === undefined || !answered.ok
          ? answered
          : changedResults(answered, { kept, short: find('results-short'), shuffled: find('results-shuffled') })
      },
  }
}

function isMeant(rule: FaultRule, path: string): boolean {
  const section = sectionOf(path)
  const wanted = rule.on ?? (faultsOfLists.includes(rule.fault) ? 'publish' : undefined)
  if (section === undefined || (wanted !== undefined && section !== wanted)) return false
  return rule.dataset === undefined || path.split('/')[4] === rule.dataset
}

function isAffected(rule: FaultRule, seed: number, published: Published | undefined): boolean {
  if (!faultsOfLists.includes(rule.fault)) return true
  if (published === undefined) return false
  if (rule.fault === 'too-large') return published.length > rule.items!
  if (rule.fault === 'results-short' || rule.fault === 'results-shuffled') return published.length > 0
  return rule.fault === 'delayed' || published.some((each) => isChosen(rule, seed, each))
}

function isItsTurn(rule: FaultRule, turn: number, lot: string): boolean {
  if (rule.at !== undefined) return rule.at.includes(turn)
  if (rule.every !== undefined) return turn % rule.every === 0
  return rule.share === undefined || drawn(lot) < rule.share
}

/** A record is chosen by its key, so that it stays chosen in whichever list it comes. */
function isChosen(rule: FaultRule, seed: number, record: unknown): boolean {
  const key = (record as { readonly dataPointKey?: unknown } | null)?.dataPointKey
  if (typeof key !== 'string') return false
  return rule.keys?.includes(key) ?? drawn(`${seed} ${key}`) < (rule.recordShare ?? 0)
}

/** The number from 0 up to, not including, 1 that belongs to a text. */
function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}

function refusalOf(rule: FaultRule, request: Request): Response | undefined {
  const { pathname } = new URL(request.url)
  const refuse = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response =>
    problem(pathname, status, `${detail} ${onPurpose}.`, headers)
  const wait = rule.retryAfterS === undefined ? undefined : { 'Retry-After': String(rule.retryAfterS) }
  if (rule.fault === 'too-large') return refuse(413, `At most ${rule.items} records are accepted at a time`)
  if (rule.fault === 'too-many') return refuse(429, 'Too many requests', wait ?? { 'Retry-After': '1' })
  if (rule.fault === 'failing') return refuse(500, 'The service failed')
  if (rule.fault === 'unavailable') return refuse(503, 'The service is not available', wait)
  return rule.fault === 'bad-record' ? refuse(400, 'One of the records cannot be read') : undefined
}

const onPurpose = '(a rehearsed fault)'

function signInLost(request: Request): Response {
  return problem(new URL(request.url).pathname, 401, `The access token has expired ${onPurpose}.`, {
    'WWW-Authenticate': 'Bearer realm="windrow", error="invalid_token"',
  })
}

/** A hash of the token of a request; empty where there is none, which is never lost. */
function tokenOf(request: Request): string {
  const header = request.headers.get('authorization')
  return header === null ? '' : createHash('sha256').update(header).digest('base64url')
}

async function withList(
  given: Request,
  limits: BodyLimits,
): Promise<{ readonly request: Request; readonly published: Published | undefined }> {
  const bytes = await readBody(given, limits)
  const request = withBody(given, bytes)
  try {
    const list: unknown = JSON.parse(Buffer.from(bytes).toString())
    return { request, published: Array.isArray(list) ? list : undefined }
  } catch {
    return { request, published: undefined }
  }
}

function withBody({ url, method, headers }: Request, body: string | Uint8Array<ArrayBuffer>): Request {
  const kept = new Headers(headers)
  kept.delete('content-length')
  return new Request(url, { method, headers: kept, body })
}

type ResultChanges = {
  readonly kept: readonly boolean[] | undefined
  readonly short: FaultRule | undefined
  readonly shuffled: FaultRule | undefined
}

async function changedResults(answer: Response, { kept, short, shuffled }: ResultChanges): Promise<Response> {
  if (kept === undefined && short === undefined && shuffled === undefined) return answer
  const given = (await answer.json()) as readonly object[]
  let results = kept === undefined ? given : withDropped(given, kept)
  if (short !== undefined) results = results.slice(0, -1)
  if (shuffled !== undefined) results = results.toReversed()
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  return new Response(JSON.stringify(results), { status: answer.status, headers })
}

function withDropped(given: readonly object[], kept: readonly boolean[]): readonly object[] {
  const answered = given.values()
  return kept.map((isKept, index) => ({
    ...(isKept ? (answered.next().value as object) : { successful: true }),
    index,
  }))
}

/** The error with which `fetch` reports a broken connection. */
function connectionCut(): TypeError {
  const cause = Object.assign(new Error('the connection was cut (a rehearsed fault)'), { code: 'ECONNRESET' })
  return new TypeError('fetch failed', { cause })
}
