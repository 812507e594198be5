/**
 * Sends events: in order for each webhook, again after a wait where the subscriber did not accept them, and given up in the end.
 */

import { setTimeout } from 'node:timers/promises'
import type { Outbound, Posted } from './outbound.ts'
import { variantsOf, type WebhookAuthentication } from '../../resources/webhook.ts'
import { credentialsOver, type Credentials } from './webhook-credentials.ts'
import type { WaitingEvent, Webhook, WebhookStore } from './webhook-store.ts'

export type SenderOptions = {
  readonly webhooks: WebhookStore
  readonly outbound: Outbound
  readonly clock: () => Date
  readonly random: () => number
  /** Receives failures of the store, after which nothing is delivered to that webhook until the next start. */
  readonly onFault: (cause: unknown) => void
  readonly brand: string
  /** The id of the event with this number, the same for every delivery. */
  readonly idOf: (number: number) => string
  readonly retryWaitsMs: readonly number[]
}

export type Sender = ReturnType<typeof senderOf>

/** Seven tries over eight hours. */
export const usualWaitsMs: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000]

const atATime = 50

type Runner = {
  readonly webhook: Webhook
  readonly credentials: Credentials
  readonly stop: AbortController
  isRunning: boolean
  /** The last event was given up because the subscriber could not be reached: the next ones are tried once each, until one arrives. */
  isDown: boolean
}

/** Makes a sender. It sends nothing before it is woken. */
export function senderOf(options: SenderOptions) {
  const { webhooks } = options
  const runners = new Map<number, Runner>()
  const counts = { delivered: 0, givenUp: 0 }
  const run = async (runner: Runner): Promise<void> => {
    const { webhook, stop } = runner
    for (;;) {
      const events = webhooks.next(webhook.number, atATime)
      // Set without an await after reading the queue, so that no wake is lost in between.
      runner.isRunning = events.length > 0
      if (!runner.isRunning) return
      let ended: number | undefined
      for (const event of events) {
        if (stop.signal.aborted || !(await deliver(runner, event, options, counts))) break
        ended = event.number
      }
      // After a stop the store may be closed; a delivered event that was not settled is delivered again under the same id.
      if (stop.signal.aborted) return
      if (ended !== undefined) webhooks.settle(webhook.number, ended)
    }
  }
  return {
    /** Starts the delivery of waiting events. */
    wake(webhook: Webhook): void {
      const runner = runners.get(webhook.number) ?? newRunner(webhook, options)
      runners.set(webhook.number, runner)
      if (runner.isRunning) return
      runner.isRunning = true
      run(runner).catch(options.onFault)
    },
    forget({ number }: Webhook): void {
      runners.get(number)?.stop.abort()
      runners.delete(number)
    },
    counts: () => ({ ...counts }),
    close(): void {
      for (const { stop } of runners.values()) stop.abort()
    },
  }
}

function newRunner(webhook: Webhook, { webhooks, outbound, clock }: SenderOptions): Runner {
  const credentials = credentialsOver(outbound, clock, (refreshToken) =>
    webhooks.setAuthentication(webhook.number, withRefreshToken(webhook.authentication, refreshToken)),
  )
  return { webhook, credentials, stop: new AbortController(), isRunning: false, isDown: false }
}

/** True when the event was accepted or given up, false after a stop. */
async function deliver(
  runner: Runner,
  event: WaitingEvent,
  options: SenderOptions,
  counts: { delivered: number; givenUp: number },
): Promise<boolean> {
  const { webhook, stop } = runner
  const { webhooks, clock, random, retryWaitsMs } = options
  for (let attempts = event.attempts + 1; ; attempts += 1) {
    const failure = await tryOnce(runner, event, options)
    if (stop.signal.aborted) return false
    if (failure === undefined) {
      runner.isDown = false
      counts.delivered += 1
      return true
    }
    const waitMs = failure.isFinal || runner.isDown ? undefined : retryWaitsMs[attempts - 1]
    if (waitMs === undefined) {
      webhooks.giveUp(webhook.number, { ...event, attempts }, { reason: failure.reason, at: clock().toISOString() })
      runner.isDown ||= !failure.isFinal
      counts.givenUp += 1
      return true
    }
    webhooks.tried(webhook.number, event.number, attempts)
    await pause(Math.max(waitMs * (0.75 + random() / 2), failure.atLeastMs), stop.signal)
    if (stop.signal.aborted) return false
  }
}

type Failure = { readonly reason: string; readonly isFinal: boolean; readonly atLeastMs: number }

async function tryOnce(runner: Runner, event: WaitingEvent, options: SenderOptions): Promise<Failure | undefined> {
  const { webhook, credentials } = runner
  const body = Buffer.from(eventText(webhook, event, options))
  const post = async (): Promise<Posted> => {
    const headers = await credentials.headers(webhook.authentication)
    return options.outbound.post(webhook.uri, { ...headers, 'Content-Type': 'application/cloudevents+json' }, body)
  }
  try {
    let answer = await post()
    if (answer.status === 401 && credentials.renew()) answer = await post()
    return failureOf(answer)
  } catch (cause) {
    return { reason: `The subscriber could not be reached: ${(cause as Error).message}.`, isFinal: false, atLeastMs: 0 }
  }
}

const mayPass: ReadonlySet<number> = new Set([401, 403, 408, 425, 429])
const longestAskedMs = 3_600_000

function failureOf({ status, retryAfter }: Posted): Failure | undefined {
  if (status >= 200 && status < 300) return undefined
  const isRedirect = status >= 300 && status < 400
  const asked = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0
  return {
    reason: isRedirect
      ? `The subscriber answered ${status}; redirects are not followed.`
      : `The subscriber answered ${status}.`,
    isFinal: isRedirect || (status >= 400 && status < 500 && !mayPass.has(status)),
    atLeastMs: Math.min(asked, longestAskedMs),
  }
}

/** The event in the JSON format of CloudEvents, with the record as it is stored. */
function eventText(webhook: Webhook, event: WaitingEvent, { brand, idOf }: SenderOptions): string {
  const head = JSON.stringify({
    specversion: '1.0',
    type: `com.${brand}.${event.type}.${event.change}`,
    source: `/ecosystem/organisations/${encodeURIComponent(webhook.organisation)}/events`,
    id: idOf(event.number),
    time: event.time,
    [`com${brand}resourcetype`]: event.type,
    [`com${brand}systemeventtype`]: null,
    datacontenttype: 'application/json',
  })
  return `${head.slice(0, -1)},"data":${event.data}}`
}

function withRefreshToken(authentication: WebhookAuthentication, refreshToken: string): WebhookAuthentication {
  const { authorisationCodeAuth, ...others } = variantsOf(authentication)
  const renewed = { ...others, authorisationCodeAuth: { ...authorisationCodeAuth, refreshToken } }
  return renewed as unknown as WebhookAuthentication
}

/** Waits; a signal ends the wait without an error. A wait does not keep the process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined)
}
