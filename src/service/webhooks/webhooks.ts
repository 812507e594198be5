/** Manages webhooks (section 6) and turns changes into events for their subscribers. */

import { WindrowError } from '../../core/error.ts'
import { jsonValue } from '../../core/values/exact-json.ts'
import { findResourceType, publishedTypes } from '../../resources/index.ts'
import { firstError } from '../../resources/validation.ts'
import { webhookRegistration, type WebhookRegistration, type WebhookSubscription } from '../../resources/webhook.ts'
import { readBody, smallBody } from '../http/body.ts'
import { outboundOf, type Outbound, type OutboundOptions } from './outbound.ts'
import type { Change } from '../routes/publish.ts'
import { quoted } from '../http/query.ts'
import type { Records } from '../store/records.ts'
import { json, mediaTypes, Refusal } from '../http/responses.ts'
import type { Call, Route } from '../http/router.ts'
import type { Store } from '../store/store.ts'
import { feedItem } from '../routes/streaming.ts'
import { authenticationFault, shownAuthentication } from './webhook-credentials.ts'
import { counter, gauge, type Measure } from '../store/metrics.ts'
import { senderOf, usualWaitsMs, type Sender, type SenderOptions } from './webhook-sender.ts'
import { mostWaiting, webhooksIn, type WaitingEvent, type Webhook } from './webhook-store.ts'

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
