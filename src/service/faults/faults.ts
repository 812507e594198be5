/**
 * Reads a list of faults, and makes them on purpose, between callers and a working service. The same plan gives the same faults for
 * the same requests, so that a bad night can be rehearsed again and again.
 */

import { createHash } from 'node:crypto'
import { strictObject, type TypeOf } from '../../core/object-schema.ts'
import { jsonValue } from '../../core/values/exact-json.ts'
import { readBody, type BodyLimits } from '../http/body.ts'
import { json, problem, refused } from '../http/responses.ts'
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

const isOfLists = ({ fault }: FaultRule): boolean => /^(too-large|bad-record|results-.*|dropped|delayed)$/.test(fault)

/** The members that only some faults take; each of these faults needs one of them, but for `retryAfterS`. */
const takes: Readonly<Partial<Record<FaultKind, readonly (keyof FaultRule)[]>>> = {
  'too-large': ['items'],
  'too-many': ['retryAfterS'],
  unavailable: ['retryAfterS'],
  slow: ['ms'],
  delayed: ['ms'],
  'bad-record': ['keys', 'recordShare'],
  dropped: ['keys', 'recordShare'],
}

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
  const { fault, on } = rule
  const own = takes[fault] ?? []
  if (own.length > 0 && !own.some((name) => rule[name] !== undefined || name === 'retryAfterS'))
    return `The fault ${fault} needs ${own.join(' or ')}.`
  const idle = Object.values(takes)
    .flat()
    .find((name) => rule[name] !== undefined && !own.includes(name))
  if (idle !== undefined) return `The fault ${fault} does not use ${idle}. Remove it.`
  if (isOfLists(rule) && on !== undefined && on !== 'publish')
    return `The fault ${fault} hits published lists, so "on" can only be publish.`
  const ways = (['at', 'every', 'share'] as const).filter((name) => rule[name] !== undefined)
  return ways.length > 1 ? `Use only one of ${ways.join(' and ')} to choose the requests.` : undefined
}

function planError(path: string, message: string): WindrowError {
  return new WindrowError('option-invalid', `The list of faults has a mistake at ${path || 'the top'}: ${message}`, {
    hint: 'A fault looks like this: { fault: too-many, on: publish, at: [2, 3], retryAfterS: 1 }',
    data: { path },
  })
}

/** A request; where it publishes a list, with the list. */
type Asked = { readonly request: Request; readonly list?: readonly unknown[] | undefined }
type Answering = (asked: Asked) => Promise<Response>
type Strike = (rule: FaultRule, asked: Asked, go: Answering) => Response | Promise<Response>

/** Makes the faults of a plan. What comes late waits with `sleep`. */
export function faultsOf(plan: FaultPlan, sleep: (ms: number) => Promise<void>, limits: BodyLimits) {
  const { seed = 0, faults } = plan
  const seen = faults.map(() => 0)
  const struck = faults.map(() => 0)
  const tokens = { used: new Set<string>(), lost: new Set<string>() }
  const rehearsals = new WeakSet<Request>()
  // A record is chosen by its key, so that it stays chosen in whichever list it comes.
  const isChosen = ({ keys, recordShare = 0 }: FaultRule, record: unknown): boolean => {
    const key = (record as { readonly dataPointKey?: unknown } | null)?.dataPointKey
    return typeof key === 'string' && (keys?.includes(key) ?? drawn(`${seed} ${key}`) < recordShare)
  }
  const affects = (rule: FaultRule, { request, list }: Asked): boolean => {
    const { pathname } = new URL(request.url)
    const section = sectionOf(pathname)
    if (section === undefined || (rule.on !== undefined && rule.on !== section)) return false
    if (rule.dataset !== undefined && rule.dataset !== pathname.split('/')[4]) return false
    // Only a token that worked before can get lost: against any other, signing in again would not help.
    if (rule.fault === 'sign-in-lost') return tokens.used.has(tokenOf(request))
    if (isOfLists(rule) && list === undefined) return false
    if (rule.fault === 'too-large') return list!.length > rule.items!
    return takes[rule.fault]?.includes('keys') !== true || list!.some((each) => isChosen(rule, each))
  }
  const isItsTurn = (rule: FaultRule, index: number): boolean => {
    const { at, every = 1, share, most = Infinity } = rule
    const turn = (seen[index]! += 1)
    if (struck[index]! >= most || turn % every !== 0 || at?.includes(turn) === false) return false
    if (share !== undefined && drawn(`${seed} ${index} ${turn}`) >= share) return false
    struck[index]! += 1
    return true
  }
  const strikes: Readonly<Record<FaultKind, Strike>> = {
    'sign-in-lost'(_, { request }) {
      tokens.lost.add(tokenOf(request))
      return signInLost(request)
    },
    'too-large': ({ items }, { request }) => refusal(request, 413, `At most ${items} records are accepted at a time`),
    'too-many': ({ retryAfterS = 1 }, { request }) => refusal(request, 429, 'Too many requests', waiting(retryAfterS)),
    failing: (_, { request }) => refusal(request, 500, 'The service failed'),
    unavailable: (rule, { request }) =>
      refusal(request, 503, 'The service is not available', waiting(rule.retryAfterS)),
    'bad-record': (_, { request }) => refusal(request, 400, 'One of the records cannot be read'),
    async slow(rule, asked, go) {
      await sleep(rule.ms!)
      return go(asked)
    },
    async cut(_, asked, go) {
      await go(asked)
      // As fetch reports a broken connection.
      const cause = Object.assign(new Error(`the connection was cut ${onPurpose}`), { code: 'ECONNRESET' })
      throw new TypeError('fetch failed', { cause })
    },
    'results-short': async (_, asked, go) => changed(await go(asked), (results) => results.slice(0, -1)),
    'results-shuffled': async (_, asked, go) => changed(await go(asked), (results) => results.toReversed()),
    async dropped(rule, { request, list = [] }, go) {
      const kept = list.filter((each) => !isChosen(rule, each))
      const answer = await go({ request: withBody(request, JSON.stringify(kept)), list: kept })
      return changed(answer, (results) => {
        const left = results.values()
        return list.map((each, index) =>
          isChosen(rule, each) ? { index, successful: true } : { ...left.next().value, index },
        )
      })
    },
    async delayed(rule, { request, list }, go) {
      const rehearsal = request.clone()
      rehearsals.add(rehearsal)
      const answer = await go({ request: rehearsal, list })
      void sleep(rule.ms!)
        .then(() => go({ request, list }))
        .catch(() => undefined)
      return answer
    },
  }
  return {
    /** True for a request whose records are stored later. */
    isRehearsal: (request: Request) => rehearsals.has(request),
    /** Puts the faults in front of a service. The result rejects, as `fetch` does, where a connection is cut. */
    around:
      (answer: (request: Request, base?: string) => Promise<Response>) =>
      async (given: Request, base?: string): Promise<Response> => {
        const token = tokenOf(given)
        const asked = await withList(given, limits)
        if (asked instanceof Response) return asked
        const hitting = faults.filter((rule, index) => affects(rule, asked) && isItsTurn(rule, index))
        if (tokens.lost.has(token)) return signInLost(given)
        const usual: Answering = ({ request }) => {
          if (token !== '') tokens.used.add(token)
          return answer(request, base)
        }
        const all = hitting.reduceRight<Answering>(
          (go, rule) => async (each) => strikes[rule.fault](rule, each, go),
          usual,
        )
        return all(asked)
      },
  }
}

/** The number from 0 up to, not including, 1 that belongs to a text. */
function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}

const onPurpose = '(a rehearsed fault)'
type Headed = Readonly<Record<string, string>>

function refusal({ url }: Request, status: number, detail: string, headers: Headed = {}): Response {
  return problem(new URL(url).pathname, status, `${detail} ${onPurpose}.`, headers)
}

function waiting(seconds: number | undefined): Headed {
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) }
}

function signInLost(request: Request): Response {
  const expired = { 'WWW-Authenticate': 'Bearer realm="windrow", error="invalid_token"' }
  return refusal(request, 401, 'The access token has expired', expired)
}

/** A hash of the token of a request; empty where there is none, which is never lost. */
function tokenOf(request: Request): string {
  const header = request.headers.get('authorization')
  return header === null ? '' : createHash('sha256').update(header).digest('base64url')
}

async function withList(request: Request, limits: BodyLimits): Promise<Asked | Response> {
  const { pathname } = new URL(request.url)
  if (sectionOf(pathname) !== 'publish' || request.method !== 'POST') return { request }
  try {
    const bytes = await readBody(request, limits)
    const list = jsonValue(Buffer.from(bytes).toString())
    return { request: withBody(request, bytes), list: Array.isArray(list) ? (list as readonly unknown[]) : undefined }
  } catch (cause) {
    return refused(pathname, cause)
  }
}

function withBody({ url, method, headers }: Request, body: string | Uint8Array<ArrayBuffer>): Request {
  const kept = new Headers(headers)
  kept.delete('content-length')
  return new Request(url, { method, headers: kept, body })
}

/** The answer with other results; a refusal stays as it is. */
async function changed(answer: Response, change: (results: readonly object[]) => readonly object[]): Promise<Response> {
  return answer.ok ? json(change((await answer.json()) as readonly object[])) : answer
}
