/**
 * Reads a list of faults, and makes them on purpose, between callers and a working service. The same plan gives the same faults for
 * the same requests, so that a bad night can be rehearsed again and again.
 */

import { createHash } from 'node:crypto'
import { strictObject, type TypeOf } from '../../core/object-schema.ts'
import { jsonValue } from '../../core/values/exact-json.ts'
import { readBody, type BodyLimits } from '../http/body.ts'
import { problem, refused } from '../http/responses.ts'
import { sectionOf, sections } from '../http/sections.ts'
import { WindrowError } from '../../core/error.ts'
import { firstError } from '../../resources/validation.ts'

/** The faults that can be rehearsed, and what a caller then sees. */
export const faultKinds = {
  'sign-in-lost': 'A token that worked is no longer accepted: 401 until the caller signs in again.',
  'too-large': 'A list with more records than `items` is rejected: 413.',
  'too-many': 'The caller is asked to wait (`retryAfterS`): 429.',
  failing: 'The service fails and stores nothing: 500.',
  unavailable: 'The service is not available (`retryAfterS`): 503.',
  slow: 'The answer comes late (`ms`).',
  cut: 'The request is carried out, then the connection is cut before the answer.',
  'bad-record': 'A list that contains a chosen record (`keys`, `recordShare`) is rejected as a whole: 400.',
  'results-short': 'The last result of a list is missing, although its record was stored.',
  'results-shuffled': 'The results of a list come in reverse order.',
  dropped: 'The chosen records (`keys`, `recordShare`) are accepted but never stored.',
  delayed: 'Accepted records are stored later (`ms`).',
} as const

type FaultKind = keyof typeof faultKinds

const count = { type: 'integer', minimum: 1 } as const
const share = { type: 'number', exclusiveMinimum: 0, maximum: 1 } as const

/**
 * A fault hits requests of the section `on` (without it, of all sections), of one dataset where `dataset` is given. Of these it
 * hits those numbered in `at` (from 1), each n-th of `every`, or a seeded `share`; all without these three; at most `most`.
 */
export const faultPlanSchema = strictObject(['faults'], {
  seed: { type: 'integer', minimum: 0 },
  faults: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: strictObject(['fault'], {
      fault: { enum: Object.keys(faultKinds) as FaultKind[] },
      on: { enum: sections },
      dataset: { type: 'string', minLength: 1 },
      at: { type: 'array', items: count, minItems: 1 },
      every: count,
      share,
      most: count,
      ms: { type: 'integer', minimum: 1, maximum: 3_600_000 },
      retryAfterS: { type: 'integer', minimum: 0, maximum: 86_400 },
      items: { type: 'integer', minimum: 0 },
      keys: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
      recordShare: share,
    }),
  },
})

export type FaultPlan = TypeOf<typeof faultPlanSchema>
export type FaultRule = FaultPlan['faults'][number]

/** The members that only some kinds of fault take. One of them is needed, but for `retryAfterS`. */
const takes: Readonly<Partial<Record<FaultKind, readonly (keyof FaultRule)[]>>> = {
  'too-large': ['items'],
  slow: ['ms'],
  delayed: ['ms'],
  'bad-record': ['keys', 'recordShare'],
  dropped: ['keys', 'recordShare'],
  'too-many': ['retryAfterS'],
  unavailable: ['retryAfterS'],
}
const special = ['ms', 'retryAfterS', 'items', 'keys', 'recordShare'] as const

/** The faults that hit only published lists of records. */
const faultsOfLists: readonly FaultKind[] = [
  'too-large',
  'bad-record',
  'results-short',
  'results-shuffled',
  'dropped',
  'delayed',
]

/** Checks a fault file. Throws a WindrowError with the place of the first mistake. */
export function readFaultPlan(content: unknown): FaultPlan {
  const finding = firstError(faultPlanSchema, content)
  if (finding !== undefined) throw planError(finding.path, finding.message)
  const plan = content as FaultPlan
  for (const [index, rule] of plan.faults.entries()) {
    const fault = faultOf(rule)
    if (fault !== undefined) throw planError(`/faults/${index}`, fault)
  }
  return plan
}

function faultOf(rule: FaultRule): string | undefined {
  const kind = rule.fault
  const taken = takes[kind] ?? []
  const needed = taken.filter((name) => name !== 'retryAfterS')
  if (needed.length > 0 && !needed.some((name) => rule[name] !== undefined))
    return `The fault ${kind} needs ${needed.join(' or ')}.`
  const idle = special.find((name) => rule[name] !== undefined && !taken.includes(name))
  if (idle !== undefined) return `The fault ${kind} does not use ${idle}. Remove it.`
  if (rule.on !== undefined && rule.on !== 'publish' && faultsOfLists.includes(kind))
    return `The fault ${kind} hits published lists, so "on" can only be publish.`
  const ways = (['at', 'every', 'share'] as const).filter((name) => rule[name] !== undefined)
  return ways.length > 1 ? `Use only one of ${ways.join(' and ')} to choose the requests.` : undefined
}

function planError(path: string, message: string): WindrowError {
  return new WindrowError('option-invalid', `The list of faults has a mistake at ${path || 'the top'}: ${message}`, {
    hint: 'A fault looks like this: { fault: too-many, on: publish, at: [2, 3], retryAfterS: 1 }',
    data: { path },
  })
}

type Answering = (request: Request, base?: string) => Promise<Response>

type Published = readonly unknown[]

/** Makes the faults of a plan. Late answers wait with `sleep`. */
export function faultsOf(plan: FaultPlan, sleep: (ms: number) => Promise<void>, limits: BodyLimits) {
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
        return published === undefined || !answered.ok ? answered : changedResults(answered, kept, rules)
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

async function withList(given: Request, limits: BodyLimits) {
  const bytes = await readBody(given, limits)
  const list = jsonValue(Buffer.from(bytes).toString())
  return { request: withBody(given, bytes), published: Array.isArray(list) ? (list as Published) : undefined }
}

function withBody({ url, method, headers }: Request, body: string | Uint8Array<ArrayBuffer>): Request {
  const kept = new Headers(headers)
  kept.delete('content-length')
  return new Request(url, { method, headers: kept, body })
}

async function changedResults(answer: Response, kept: readonly boolean[] | undefined, rules: readonly FaultRule[]) {
  const isShort = rules.some(({ fault }) => fault === 'results-short')
  const isShuffled = rules.some(({ fault }) => fault === 'results-shuffled')
  if (kept === undefined && !isShort && !isShuffled) return answer
  const given = (await answer.json()) as readonly object[]
  let results = kept === undefined ? given : withDropped(given, kept)
  if (isShort) results = results.slice(0, -1)
  if (isShuffled) results = results.toReversed()
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
