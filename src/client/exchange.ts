/** Sends one HTTP request with time and size limits, and repeats it, after a wait, while the fault may pass. */

import { WindrowError } from '../core/error.ts'
import { isLoopback } from './address.ts'
import { sentenceOf } from './reading.ts'
import type { Traffic } from './traffic.ts'

/** Answers a request; the global `fetch` is one, the `fetch` of a service in this process is another. */
export type Fetch = (request: Request) => Promise<Response>

/** What the client needs from outside. `sleep` rejects when its signal is aborted; `random` gives 0 up to, not including, 1. */
export type ClientDeps = {
  readonly fetch: Fetch
  readonly clock: () => Date
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly random: () => number
}

/**
 * `answerMs` is for connecting, sending and the first byte of the answer; `stallMs` for silence inside a body; `bodyMs` for
 * the whole of it; `bodyBytes` for its size after unpacking.
 */
export type Limits = Readonly<typeof usualLimits>

/** Wide enough for a batch over a slow rural line and a page of a thousand detailed boundaries. */
export const usualLimits = { answerMs: 120_000, stallMs: 60_000, bodyMs: 600_000, bodyBytes: 128 << 20 }

/** A wait before another attempt, to show to the person who waits. */
export type Waiting = { readonly ms: number; readonly reason: string }

/** The dependencies, limits and retries of one connection; `clean` makes foreign text safe for a message. */
export type Wire = ClientDeps & {
  readonly limits: Limits
  readonly retry: RetryPolicy
  readonly clean: (text: string, most?: number) => string
  readonly onWait?: ((waiting: Waiting) => void) | undefined
  readonly traffic: Traffic
  /** Whether anything answered yet, and by how much this machine's clock was ahead of the service's at the last answer with a time. */
  readonly heard: { isThere?: boolean; clockAheadMs?: number }
}

/**
 * What is sent. `what` names it in messages: "the list of datasets". `once`: it is repeated only when the service confirms that
 * nothing was done, because a repeat would do it twice.
 */
export type Message = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly what: string
  readonly once?: boolean
}

/** An answer of any status. The text of an error body is cut at 64 kB. */
export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string }

type Answered = Reply & { readonly afterMs: number }
type Fault = { readonly fault: string; readonly passing: boolean }

const errorBodyBytes = 64 << 10
// 408 also means "the same again, later".
const passingStatus: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
// With these the service confirms that it did nothing; a gateway's 502 or 504 leaves that open.
const undoneStatus: ReadonlySet<number> = new Set([429, 503])

/** Sends until there is an answer that waiting would not change. Throws a WindrowError when the retries are used up. */
export async function exchangeWithRetries(wire: Wire, message: Message, signal?: AbortSignal): Promise<Reply> {
  const { pauses } = wire.traffic
  // Kept also while it waits to try again: then others wait, too.
  using place = await wire.traffic.enter(message.url.host, signal)
  let waitedMs = await waitForPause(wire, message, signal)
  if (waitedMs > 0) place.slowDown()
  for (let failed = 1; ; failed += 1) {
    const outcome = await exchangeOnce(wire, message, signal)
    if (!('fault' in outcome)) {
      const isPassing = passingStatus.has(outcome.status)
      noteClock(wire, outcome)
      place.answered(kindOf(message), outcome.afterMs, !isPassing)
      if (!isPassing) return outcome
    }
    const { mayRepeat, askedMs, reason, error } = failureOf(wire, message, outcome)
    if (askedMs !== undefined) pauses.set(message.url.host, wire.clock().getTime() + askedMs)
    const attempts = { failed, waitedMs, retryAfterMs: askedMs }
    const { tries, silentTries } = wire.retry
    const retry = { ...wire.retry, tries: wire.heard.isThere === true ? tries : Math.min(tries, silentTries) }
    const wait = mayRepeat ? waitBeforeRetry(retry, attempts, wire.random) : undefined
    if (wait === undefined) throw error(failed)
    wire.onWait?.({ ms: wait, reason: `${message.url.host}: ${reason}` })
    waitedMs += wait
    await sleep(wire, wait, signal)
    pauses.delete(message.url.host)
    await place.again(signal)
  }
}

/** A try that failed: whether another may follow, the wait that the service asked for, the reason, and the error if it was the last. */
function failureOf(wire: Wire, message: Message, outcome: Answered | Fault) {
  if ('fault' in outcome)
    return {
      mayRepeat: outcome.passing && message.once !== true,
      reason: `${outcome.fault}.`,
      error: (failed: number) => unreachable(message, outcome, failed),
    }
  const askedMs = retryAfterMs(outcome.headers.get('retry-after'), wire.clock())
  return {
    mayRepeat: message.once !== true || undoneStatus.has(outcome.status),
    askedMs,
    reason: `it answers ${outcome.status}${detailSentence(wire, outcome)}`,
    error: (failed: number) => failing(wire, message, outcome, { failed, asked: askedMs }),
  }
}

function noteClock({ clock, heard }: Wire, { headers }: Reply): void {
  heard.isThere = true
  const at = Date.parse(headers.get('date') ?? '')
  if (!Number.isNaN(at)) heard.clockAheadMs = clock().getTime() - at
}

/** Small and large requests to one address take differently long. */
function kindOf({ method, url, body }: Message): string {
  return `${method} ${url.pathname} ${Math.ceil(Math.log2((body?.length ?? 0) + 1))}`
}

/** Waits until a pause is over that the service asked for, perhaps of another connection. Returns how long. */
async function waitForPause(wire: Wire, { url, what }: Message, signal?: AbortSignal): Promise<number> {
  const until = wire.traffic.pauses.get(url.host) ?? 0
  const ms = until - wire.clock().getTime()
  if (ms <= 0) return 0
  if (ms > wire.retry.totalWaitMs)
    throw new WindrowError(
      'service-failing',
      `${url.host} asked for a pause of ${Math.ceil(ms / 60_000)} more minutes, so it was not asked for ${what}.`,
      { hint: 'Run it again then.', data: { host: url.host } },
    )
  wire.onWait?.({ ms, reason: `${url.host}: it asked for a pause.` })
  await sleep(wire, ms, signal)
  wire.traffic.pauses.delete(url.host)
  return ms
}

async function sleep(wire: Wire, ms: number, signal?: AbortSignal): Promise<void> {
  await wire.sleep(ms, signal).catch((cause: unknown) => {
    signal?.throwIfAborted()
    throw cause
  })
}

/** The explanation in an answer, safe for a message; empty when there is none. */
export function detailOf(wire: Wire, reply: Reply): string {
  return wire.clean(sentenceOf(reply.text) ?? '')
}

/** The explanation as the end of a sentence, full stop included. */
export function detailSentence(wire: Wire, reply: Reply): string {
  const sentence = detailOf(wire, reply)
  return sentence === '' ? '.' : `: ${sentence}${/[.!?…]$/.test(sentence) ? '' : '.'}`
}

function unreachable({ url, what }: Message, { fault, passing }: Fault, tries: number): WindrowError {
  const checks = isLoopback(url.hostname)
    ? 'That address is on this machine. Start the service there again, or choose another connection with --connection (a dry run can do with --connection none)'
    : 'Check the address and the internet connection (a dry run can do with --connection none)'
  return new WindrowError('service-unreachable', `No answer from ${url.host} for ${what}: ${fault}.`, {
    hint: passing
      ? `${checks}, then run it again.`
      : 'Ask the operator of the service or of this network. NODE_EXTRA_CA_CERTS can name a file with certificates to trust.',
    data: { host: url.host, tries, fault },
  })
}

/** The service keeps answering with a server error. */
export function failing(
  wire: Wire,
  message: Message,
  reply: Reply,
  after: { readonly failed: number; readonly asked?: number | undefined },
): WindrowError {
  const times = after.failed > 1 ? ` (asked ${after.failed} times)` : ''
  const minutes = after.asked === undefined ? undefined : Math.ceil(after.asked / 60_000)
  return new WindrowError(
    'service-failing',
    `${message.url.host} answers ${reply.status} for ${message.what}${times}${detailSentence(wire, reply)}`,
    {
      hint:
        minutes === undefined || minutes < 2
          ? `The service ${reply.status === 429 ? 'is busy' : 'has a fault'}. Run it again later.`
          : `The service asks you to wait ${minutes} minutes. Run it again then.`,
      data: { host: message.url.host, status: reply.status, tries: after.failed },
    },
  )
}

async function exchangeOnce(wire: Wire, message: Message, signal?: AbortSignal): Promise<Answered | Fault> {
  signal?.throwIfAborted()
  const { limits } = wire
  const { url, method, headers, body } = message
  const stop = new AbortController()
  const stopping = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const within = async <T>(ms: number, work: Promise<T>, fault: string): Promise<T> => {
    const timer = setTimeout(() => stop.abort({ fault, passing: true } satisfies Fault), ms)
    return unlessAborted(work, stopping).finally(() => clearTimeout(timer))
  }
  // Redirects are checked by the caller, who adds the token; following one here could carry the token away.
  const request = new Request(url, {
    method,
    headers,
    redirect: 'manual',
    signal: stopping,
    ...(body === undefined ? {} : { body }),
  })
  try {
    const began = performance.now()
    const response = await within(limits.answerMs, wire.fetch(request), `no answer within ${seconds(limits.answerMs)}`)
    const afterMs = performance.now() - began
    const reading = readBody(response, limits, (chunk) =>
      within(limits.stallMs, chunk, `the answer stopped for ${seconds(limits.stallMs)}`),
    )
    const text = await within(limits.bodyMs, reading, `the answer was not complete after ${seconds(limits.bodyMs)}`)
    return { status: response.status, headers: response.headers, text, afterMs }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof WindrowError) throw cause
    if (stop.signal.aborted) return stop.signal.reason as Fault
    return faultOf(wire, cause)
  }
}

type Chunk = { readonly done: boolean; readonly value?: Uint8Array | undefined }

async function readBody(
  response: Response,
  limits: Limits,
  withinStall: (chunk: Promise<Chunk>) => Promise<Chunk>,
): Promise<string> {
  const most = response.ok ? limits.bodyBytes : Math.min(errorBodyBytes, limits.bodyBytes)
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await withinStall(reader.read())
      if (done || value === undefined) break
      chunks.push(value)
      size += value.length
      if (size <= most) continue
      if (!response.ok) break
      throw new WindrowError('service-confused', `The service sent an answer of more than ${most >> 20} MB.`, {
        hint: 'Ask for fewer records at once.',
        data: { status: response.status },
      })
    }
  } finally {
    // Not awaited: a body that hangs must not block here.
    void reader.cancel().catch(() => undefined)
  }
  const bytes = Buffer.concat(chunks)
  if (!response.ok) return new TextDecoder().decode(bytes.subarray(0, most))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Decoding with replacement would send mangled names back with the next publish.
    throw new WindrowError('service-confused', 'The service sent an answer that is not UTF-8 text.')
  }
}

/** Gives the promise's result, or rejects with the signal's reason as soon as that is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

const faults: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server runs at that address',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'the connection could not be made in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be made in time',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'there is no network',
}

const certificateFault = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_)/

function faultOf(wire: Wire, cause: unknown): Fault {
  const chain: { readonly code?: unknown; readonly message?: unknown }[] = []
  for (let error = cause; error instanceof Error && chain.length < 5; error = error.cause) chain.push(error)
  const code = chain.map((error) => error.code).find((each) => typeof each === 'string')
  if (code === 'EPROTO') return { fault: 'the server does not use https', passing: false }
  if (code !== undefined && certificateFault.test(code))
    return { fault: `its certificate is not trusted (${code})`, passing: false }
  const known = code === undefined ? undefined : faults[code]
  if (known !== undefined) return { fault: known, passing: true }
  const deepest = chain.at(-1)?.message
  return { fault: wire.clean(typeof deepest === 'string' ? deepest : 'the connection failed'), passing: true }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`
}

/**
 * At most `tries` attempts, and `silentTries` as long as nothing answered at all; the wait before the n-th is random below `firstMs`
 * doubled n times, never above `mostMs`.
 */
export type RetryPolicy = Readonly<typeof usualRetry>

/** About half a minute for a silent service, up to five minutes for one that asks for a wait. */
export const usualRetry = { tries: 8, silentTries: 8, firstMs: 500, mostMs: 30_000, totalWaitMs: 300_000 }

/** Failed attempts so far, time spent waiting, and the wait that the last answer asked for. */
type Attempts = {
  readonly failed: number
  readonly waitedMs: number
  readonly retryAfterMs?: number | undefined
}

const longestWaitMs = 366 * 86_400_000

/** Reads a Retry-After header, seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; undefined when it is neither. */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestWaitMs)
  // Date.parse alone would read "2" or "-1" as years.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined
  // The oldest of the three forms has no zone, and means GMT too.
  const at = Date.parse(/(GMT|UTC)$/.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now.getTime()), longestWaitMs)
}

/**
 * The wait before the next attempt, or undefined when tries or time are used up. Full jitter, so that many clients do not
 * return at once; the wait that the service asked for is the least, and one that exceeds the total ends the attempts.
 */
export function waitBeforeRetry(policy: RetryPolicy, attempts: Attempts, random: () => number): number | undefined {
  if (attempts.failed >= policy.tries) return undefined
  const ceiling = Math.min(policy.mostMs, policy.firstMs * 2 ** Math.max(0, attempts.failed - 1))
  const jitter = Math.floor(random() * ceiling)
  const wait = attempts.retryAfterMs === undefined ? jitter : attempts.retryAfterMs + Math.min(jitter, policy.firstMs)
  return attempts.waitedMs + wait > policy.totalWaitMs ? undefined : wait
}
