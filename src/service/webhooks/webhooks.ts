/** Manages webhooks (section 6) and turns changes into events for their subscribers. */

import { WindrowError } from '../../core/error.ts'
import { jsonValue } from '../../core/values/exact-json.ts'
import { findResourceType, publishedTypes } from '../../resources/index.ts'
import { firstError } from '../../resources/validation.ts'
import {
  webhookRegistration,
  type WebhookRegistration,
  type WebhookSubscription,
  variantsOf,
  type WebhookAuthentication,
} from '../../resources/webhook.ts'
import { readBody, smallBody } from '../http/body.ts'
import { outboundOf, type Outbound, type OutboundOptions, type Posted } from './outbound.ts'
import type { Change } from '../routes/publish.ts'
import { quoted } from '../http/query.ts'
import type { Records } from '../store/records.ts'
import { json, mediaTypes, Refusal } from '../http/responses.ts'
import type { Call, Route } from '../http/router.ts'
import type { Store } from '../store/store.ts'
import { feedItem } from '../routes/streaming.ts'
import { authenticationFault, shownAuthentication, credentialsOver, type Credentials } from './webhook-credentials.ts'
import { counter, gauge, type Measure } from '../store/metrics.ts'
import { mostWaiting, webhooksIn, type WaitingEvent, type Webhook, type WebhookStore } from './webhook-store.ts'
import { setTimeout } from 'node:timers/promises'

/** `brand` is part of the type of each event; `retryWaitsMs` are the waits between deliveries of one event. */
export type WebhookOptions = Partial<OutboundOptions> & {
  readonly brand?: string | undefined
  readonly retryWaitsMs?: readonly number[] | undefined
}

type WebhookSource = {
  readonly store: Store
  readonly records: Records
  readonly clock: () => Date
  readonly newId: () => string
  readonly random: () => number
  /** Receives failures of the service itself. */
  readonly onFault: (cause: unknown) => void
}

const root = '/ecosystem/organisations/:organisation/webhooks'
const mostOfAnAccount = 50

/** The routes while webhooks are switched off: 501 for every caller, as in the interface document. */
export function closedWebhookRoutes(): readonly Route[] {
  const answer = (): never => {
    throw new Refusal(
      501,
      'Webhooks are switched off. Read the feed of changes instead, or start the service with --webhooks.',
    )
  }
  const closed = (method: Route['method'], path: string): Route => ({ method, path, access: 'unasked', answer })
  const one = `${root}/:webhook`
  return [closed('GET', root), closed('POST', root), closed('GET', one), closed('DELETE', one)]
}

/** Opens the webhooks of a store and starts to deliver its waiting events. */
export function openWebhooks(source: WebhookSource, options: WebhookOptions) {
  const { store, records, clock, random, onFault } = source
  const { brand = 'windrow', retryWaitsMs = usualWaitsMs, allowsLoopback = false } = options
  if (!/^[a-z][a-z0-9]*$/.test(brand))
    throw new WindrowError('option-invalid', `The brand ${quoted(brand)} cannot be used in the types of events.`, {
      hint: 'Use small letters a to z and digits, with a letter first.',
    })
  const webhooks = webhooksIn(store)
  const outbound = outboundOf({ ...options, allowsLoopback })
  const idOf = (number: number): string => `${store.epoch}-${number}`
  const sender = senderOf({ webhooks, outbound, clock, random, onFault, brand, retryWaitsMs, idOf })
  const toWake = new Set<Webhook>()
  let isClosed = false
  // Runs after the transaction that wrote the events, and only for webhooks that still exist.
  const wakeAll = (): void => {
    if (!isClosed) for (const webhook of toWake) if (webhooks.all().includes(webhook)) sender.wake(webhook)
    toWake.clear()
  }
  const wakeSoon = (webhook: Webhook): void => {
    if (toWake.size === 0) setImmediate(wakeAll)
    toWake.add(webhook)
  }
  for (const webhook of webhooks.all()) wakeSoon(webhook)
  const full = new Set<number>()
  return {
    routes: webhookRoutes({ source, outbound, webhooks, sender, idOf }),
    /** Must be called for each change within its transaction. */
    onChange(change: Change): void {
      let event: Omit<WaitingEvent, 'attempts'> | undefined
      for (const webhook of webhooks.all()) {
        if (!wants(webhook, change) || !records.isConnected(webhook.account, change.record.holding)) continue
        event ??= eventOf(change, clock().toISOString())
        wakeSoon(webhook)
        const { number } = webhook
        if (webhooks.enqueue(number, event)) full.delete(number)
        else if (!full.has(number)) {
          full.add(number)
          const reason = `More than ${mostWaiting} events are waiting. This event and those after it are not kept; read the feed of changes.`
          webhooks.giveUp(number, { ...event, attempts: 0 }, { reason, at: event.time })
        }
      }
    },
    measures(): readonly Measure[] {
      const { delivered, givenUp } = sender.counts()
      const waiting = webhooks.all().reduce((sum, { number }) => sum + webhooks.waiting(number), 0)
      const ended = (end: string, events: number): Measure =>
        counter('windrow_events_total', 'Events that were delivered or given up.', events, { end })
      return [
        ended('delivered', delivered),
        ended('given-up', givenUp),
        gauge('windrow_events_waiting', 'Events waiting for delivery.', waiting),
      ]
    },
    close() {
      isClosed = true
      sender.close()
      outbound.close()
    },
  }
}

function wants({ subscriptions }: Webhook, { kind, type }: Change): boolean {
  return subscriptions.some(
    ({ resourceType, [kind]: wanted }) =>
      wanted === true && resourceType != null && findResourceType(resourceType) === type,
  )
}

/** An event has the number of its change, so that a second delivery has the same id. */
function eventOf({ kind, type, record }: Change, time: string): Omit<WaitingEvent, 'attempts'> {
  return { number: record.changed, type: type.name, change: kind, time, data: feedItem(record, type) }
}

type Management = Pick<SenderOptions, 'webhooks' | 'outbound' | 'idOf'> & {
  readonly source: WebhookSource
  readonly sender: Sender
}

function webhookRoutes(management: Management): readonly Route[] {
  const { webhooks, sender, idOf } = management
  const route = (method: Route['method'], below: string, answer: Route['answer']): Route => {
    return { method, path: root + below, access: 'account', answer }
  }
  const own = (call: Call): readonly Webhook[] => {
    const [account, organisation] = [call.account!.number, call.parameter('organisation')]
    return webhooks.all().filter((each) => each.account === account && each.organisation === organisation)
  }
  const one = (method: Route['method'], below: string, answer: (webhook: Webhook) => Response): Route =>
    route(method, `/:webhook${below}`, (call) => {
      const webhook = own(call).find(({ id }) => id === call.parameter('webhook'))
      if (webhook !== undefined) return answer(webhook)
      throw new Refusal(404, `The webhook ${quoted(call.parameter('webhook'))} was not found.`)
    })
  const shown = (webhook: Webhook): object => documentOf(webhook, webhooks.waiting(webhook.number))
  return [
    route('GET', '', (call) => json(own(call).map(shown))),
    route('POST', '', async (call) => {
      const webhook = register(management, call, await readBody(call.request, smallBody))
      return new Response(JSON.stringify(shown(webhook)), {
        status: 201,
        headers: { 'Content-Type': mediaTypes.json, Location: `${call.base}${call.path}/${webhook.id}` },
      })
    }),
    one('GET', '', (webhook) => json(shown(webhook))),
    one('DELETE', '', (webhook) => {
      sender.forget(webhook)
      webhooks.remove(webhook)
      return new Response(null, { status: 204 })
    }),
    one('GET', '/undelivered', ({ number: webhook }) =>
      json(webhooks.undelivered(webhook).map(({ number, ...event }) => ({ id: idOf(number), ...event }))),
    ),
  ]
}

function register(management: Management, call: Call, bytes: Uint8Array): Webhook {
  const body = jsonValue(Buffer.from(bytes).toString())
  if (body === undefined) throw new Refusal(400, 'The body is not JSON. Send one webhook as { ... }.')
  const fault = firstError(webhookRegistration, body)
  if (fault !== undefined) throw new Refusal(400, `${fault.path === '' ? '' : `At ${fault.path}: `}${fault.message}`)
  const { name, uri, authentication, subscriptions } = body as WebhookRegistration
  const { source, outbound, webhooks } = management
  const account = call.account!.number
  const unfit =
    addressFault(uri, outbound) ?? subscriptionFault(subscriptions) ?? authenticationFault(authentication, outbound)
  if (unfit !== undefined) throw new Refusal(400, unfit)
  if (webhooks.all().filter((each) => each.account === account).length >= mostOfAnAccount)
    throw new Refusal(400, `This account already has ${mostOfAnAccount} webhooks, the most allowed. Delete one first.`)
  const created = source.clock().toISOString()
  const organisation = call.parameter('organisation')
  const registered = { id: source.newId(), account, organisation, name, uri, authentication, subscriptions, created }
  return webhooks.add(registered)
}

function addressFault(uri: string, outbound: Outbound): string | undefined {
  const fault = outbound.faultOf(uri)
  return fault === undefined ? undefined : `The uri cannot be called: ${fault}.`
}

function subscriptionFault(subscriptions: readonly WebhookSubscription[]): string | undefined {
  for (const [index, subscription] of subscriptions.entries()) {
    const at = `At /subscriptions/${index}: `
    const { resourceType, systemEventType } = subscription
    const isForType = resourceType != null && resourceType !== ''
    const isForSystem = systemEventType != null && systemEventType !== ''
    if (isForType === isForSystem) return `${at}give either resourceType or systemEventType.`
    if (isForType && findResourceType(resourceType) === undefined)
      return `${at}the resourceType ${quoted(resourceType)} is unknown. Use ${publishedTypes.map((each) => each.name).join(', ')}.`
    if (!subscription.create && !subscription.update && !subscription.delete)
      return `${at}set create, update or delete to true.`
  }
  return undefined
}

/** The document of a webhook: its registration without the secrets, and the number of waiting events. */
function documentOf(webhook: Webhook, waiting: number): object {
  const { id, name, uri, authentication, subscriptions, created } = webhook
  return { id, name, uri, authentication: shownAuthentication(authentication), subscriptions, created, waiting }
}

/** After a failure of the store nothing is delivered to that webhook until the next start. */
type SenderOptions = Pick<WebhookSource, 'clock' | 'random' | 'onFault'> & {
  readonly webhooks: WebhookStore
  readonly outbound: Outbound
  readonly brand: string
  /** The id of the event with this number, the same for every delivery. */
  readonly idOf: (number: number) => string
  readonly retryWaitsMs: readonly number[]
}

type Sender = ReturnType<typeof senderOf>

/** Seven tries over eight hours. */
const usualWaitsMs: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000]

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
function senderOf(options: SenderOptions) {
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
