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

type Kind = {
  readonly means: string
  /** It hits only published lists of records. */
  readonly isOfLists?: boolean
  /** One of these members is needed. */
  readonly needs?: readonly Special[]
  readonly takes?: readonly Special[]
}
type Special = (typeof special)[number]
const special = ['ms', 'retryAfterS', 'items', 'keys', 'recordShare'] as const
const chosen = ['keys', 'recordShare'] as const

/** The faults that can be rehearsed, and what a caller then sees. */
export const faultKinds = {
  'sign-in-lost': { means: 'A token that worked is no longer accepted: 401 until the caller signs in again.' },
  'too-large': {
    means: 'A list with more records than `items` is rejected: 413.',
    isOfLists: true,
    needs: ['items'],
  },
  'too-many': { means: 'The caller is asked to wait (`retryAfterS`): 429.', takes: ['retryAfterS'] },
  failing: { means: 'The service fails and stores nothing: 500.' },
  unavailable: { means: 'The service is not available (`retryAfterS`): 503.', takes: ['retryAfterS'] },
  slow: { means: 'The answer comes late (`ms`).', needs: ['ms'] },
  cut: { means: 'The request is carried out, then the connection is cut before the answer.' },
  'bad-record': {
    means: 'A list that contains a chosen record (`keys`, `recordShare`) is rejected as a whole: 400.',
    isOfLists: true,
    needs: chosen,
  },
  'results-short': {
    means: 'The last result of a list is missing, although its record was stored.',
    isOfLists: true,
  },
  'results-shuffled': { means: 'The results of a list come in reverse order.', isOfLists: true },
  dropped: {
    means: 'The chosen records (`keys`, `recordShare`) are accepted but never stored.',
    isOfLists: true,
    needs: chosen,
  },
  delayed: { means: 'Accepted records are stored later (`ms`).', isOfLists: true, needs: ['ms'] },
} as const satisfies Readonly<Record<string, Kind>>

type FaultKind = keyof typeof faultKinds
const kindOf = ({ fault }: FaultRule): Kind => faultKinds[fault]

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
  const { needs = [], takes = needs, isOfLists = false } = kindOf(rule)
  if (needs.length > 0 && !needs.some((name) => rule[name] !== undefined))
    return `The fault ${rule.fault} needs ${needs.join(' or ')}.`
  const idle = special.find((name) => rule[name] !== undefined && !takes.includes(name))
  if (idle !== undefined) return `The fault ${rule.fault} does not use ${idle}. Remove it.`
  if (isOfLists && rule.on !== undefined && rule.on !== 'publish')
    return `The fault ${rule.fault} hits published lists, so "on" can only be publish.`
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
  const { seed = 0 } = plan
  const counts = plan.faults.map(() => ({ seen: 0, struck: 0 }))
  const tokens = { used: new Set<string>(), lost: new Set<string>() }
  const rehearsals = new WeakSet<Request>()
  const isChosen = (rule: FaultRule, record: unknown): boolean => {
    // By its key, so that it stays chosen in whichever list it comes.
    const key = (record as { readonly dataPointKey?: unknown } | null)?.dataPointKey
    if (typeof key !== 'string') return false
    return rule.keys?.includes(key) ?? drawn(`${seed} ${key}`) < (rule.recordShare ?? 0)
  }
  const affects = (rule: FaultRule, { request, list }: Asked): boolean => {
    // Only a token that worked before can get lost: against any other, signing in again would not help.
    if (rule.fault === 'sign-in-lost') return tokens.used.has(tokenOf(request))
    if (!kindOf(rule).isOfLists) return true
    if (list === undefined) return false
    if (rule.fault === 'too-large') return list.length > rule.items!
    return kindOf(rule).needs !== chosen || list.some((each) => isChosen(rule, each))
  }
  const hits = (rule: FaultRule, index: number, asked: Asked): boolean => {
    const { pathname } = new URL(asked.request.url)
    const section = sectionOf(pathname)
    if (section === undefined || section !== (rule.on ?? section)) return false
    if (rule.dataset !== undefined && pathname.split('/')[4] !== rule.dataset) return false
    if (!affects(rule, asked)) return false
    const count = counts[index]!
    count.seen += 1
    if (count.struck >= (rule.most ?? Infinity) || !isItsTurn(rule, count.seen, `${seed} ${index} ${count.seen}`))
      return false
    count.struck += 1
    return true
  }
  const strikes: Readonly<Record<FaultKind, Strike>> = {
    'sign-in-lost'(_, { request }) {
      tokens.lost.add(tokenOf(request))
      return signInLost(request)
    },
    'too-large': (rule, asked) => refusal(asked, 413, `At most ${rule.items} records are accepted at a time`),
    'too-many': ({ retryAfterS = 1 }, asked) => refusal(asked, 429, 'Too many requests', retryAfterS),
    failing: (_, asked) => refusal(asked, 500, 'The service failed'),
    unavailable: (rule, asked) => refusal(asked, 503, 'The service is not available', rule.retryAfterS),
    'bad-record': (_, asked) => refusal(asked, 400, 'One of the records cannot be read'),
    slow: (rule, asked, go) => sleep(rule.ms!).then(() => go(asked)),
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
        const given = results.values()
        return list.map((each, index) => {
          return { ...(isChosen(rule, each) ? { successful: true } : given.next().value), index }
        })
      })
    },
    async delayed(rule, { request, list }, go) {
      const rehearsal = withBody(request, JSON.stringify(list))
      rehearsals.add(rehearsal)
      const later = withBody(request, JSON.stringify(list))
      const answer = await go({ request: rehearsal, list })
      void sleep(rule.ms!).then(
        () => go({ request: later, list }).catch(() => undefined),
        () => undefined,
      )
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
        const { pathname } = new URL(given.url)
        const isPublish = sectionOf(pathname) === 'publish' && given.method === 'POST'
        const asked = isPublish
          ? await withList(given, limits).catch((cause: unknown) => refused(pathname, cause))
          : { request: given }
        if (asked instanceof Response) return asked
        const rules = plan.faults.filter((rule, index) => hits(rule, index, asked))
        if (tokens.lost.has(token)) return signInLost(given)
        const plain: Answering = ({ request }) => {
          if (token !== '') tokens.used.add(token)
          return answer(request, base)
        }
        const struck = rules.reduceRight<Answering>(
          (go, rule) => async (each) => strikes[rule.fault](rule, each, go),
          plain,
        )
        return struck(asked)
      },
  }
}

function isItsTurn({ at, every, share }: FaultRule, turn: number, lot: string): boolean {
  if (at !== undefined) return at.includes(turn)
  if (every !== undefined) return turn % every === 0
  return share === undefined || drawn(lot) < share
}

/** The number from 0 up to, not including, 1 that belongs to a text. */
function drawn(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}

const onPurpose = '(a rehearsed fault)'

function refusal({ request }: Asked, status: number, detail: string, retryAfterS?: number): Response {
  const headers = retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }
  return problem(new URL(request.url).pathname, status, `${detail} ${onPurpose}.`, headers)
}

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

async function withList(given: Request, limits: BodyLimits): Promise<Asked> {
  const bytes = await readBody(given, limits)
  const list = jsonValue(Buffer.from(bytes).toString())
  return { request: withBody(given, bytes), list: Array.isArray(list) ? (list as readonly unknown[]) : undefined }
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
