/**
 * Stores webhooks and the events that wait for delivery. An event is written in the transaction of its change, so that none is
 * lost when the process ends.
 */

import type { WebhookAuthentication, WebhookRegistration, WebhookSubscription } from '../../resources/webhook.ts'
import type { Store } from '../store/store.ts'

export type Webhook = WebhookRegistration & {
  readonly number: number
  readonly id: string
  readonly account: number
  readonly organisation: string
  readonly created: string
}

/** A waiting event: `number` is its place in the order of changes, `data` the text of its record. */
export type WaitingEvent = {
  readonly number: number
  readonly type: string
  readonly change: string
  readonly time: string
  readonly attempts: number
  readonly data: string
}

type Undelivered = Omit<WaitingEvent, 'data'> & { readonly reason: string; readonly givenUp: string }

/** The most events that wait for a subscriber; it can read the rest from the feed of changes. */
export const mostWaiting = 100_000
const mostUndelivered = 1_000

export type WebhookStore = ReturnType<typeof webhooksIn>

/** Makes the queries over the webhooks of a store. */
export function webhooksIn(store: Store) {
  return { ...registering(store), ...queueing(store) }
}

function registering(store: Store) {
  const insert = store.prepare(
    `INSERT INTO webhooks (id, account, organisation, name, uri, authentication, subscriptions, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
  )
  const all = store.prepare('SELECT * FROM webhooks ORDER BY number')
  const updateAuthentication = store.prepare('UPDATE webhooks SET authentication = ? WHERE number = ?')
  const removals = ['webhooks WHERE number', 'webhook_events WHERE webhook', 'webhook_undelivered WHERE webhook'].map(
    (part) => store.prepare(`DELETE FROM ${part} = ?`),
  )
  let known = all.all().map((row) => ({
    ...(row as unknown as Webhook),
    authentication: JSON.parse(String(row['authentication'])) as WebhookAuthentication,
    subscriptions: JSON.parse(String(row['subscriptions'])) as readonly WebhookSubscription[],
  }))
  return {
    add(webhook: Omit<Webhook, 'number'>): Webhook {
      const { id, account, organisation, name, uri, created } = webhook
      const authentication = JSON.stringify(webhook.authentication)
      const subscriptions = JSON.stringify(webhook.subscriptions)
      const row = insert.get(id, account, organisation, name, uri, authentication, subscriptions, created)
      const added = { ...webhook, number: Number(row?.['number']) }
      known = [...known, added]
      return added
    },
    all: (): readonly Webhook[] => known,
    setAuthentication: (webhook: number, authentication: WebhookAuthentication) =>
      void updateAuthentication.run(JSON.stringify(authentication), webhook),
    /** Deletes a webhook and its events. */
    remove(webhook: Webhook): void {
      store.transaction(() => removals.forEach((removal) => removal.run(webhook.number)))
      known = known.filter((each) => each !== webhook)
    },
  }
}

function queueing(store: Store) {
  const enqueue = store.prepare('INSERT INTO webhook_events VALUES (?, ?, ?, ?, ?, 0, ?)')
  const next = store.prepare('SELECT * FROM webhook_events WHERE webhook = ? ORDER BY number LIMIT ?')
  const waiting = store.prepare('SELECT count(*) AS n FROM webhook_events WHERE webhook = ?')
  const remove = store.prepare('DELETE FROM webhook_events WHERE webhook = ? AND number <= ?')
  const tried = store.prepare('UPDATE webhook_events SET attempts = ? WHERE webhook = ? AND number = ?')
  const giveUp = store.prepare(
    `INSERT INTO webhook_undelivered VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (webhook, number) DO UPDATE SET
       attempts = excluded.attempts, reason = excluded.reason, givenUp = excluded.givenUp`,
  )
  const prune = store.prepare(
    `DELETE FROM webhook_undelivered WHERE webhook = ?1 AND number <=
     (SELECT number FROM webhook_undelivered WHERE webhook = ?1 ORDER BY number DESC LIMIT 1 OFFSET ${mostUndelivered})`,
  )
  const undelivered = store.prepare(
    `SELECT number, type, change, time, attempts, reason, givenUp FROM webhook_undelivered WHERE webhook = ? ORDER BY number DESC`,
  )
  const inTable = (webhook: number): number => Number(waiting.get(webhook)?.['n'])
  // Counted here, because counting rows for each event is slow. Events of a failed transaction stay counted until the queue seems full.
  const counts = new Map<number, number>()
  const countOf = (webhook: number): number => counts.get(webhook) ?? inTable(webhook)
  return {
    /** Adds an event to the queue; false when it is full. */
    enqueue(webhook: number, event: Omit<WaitingEvent, 'attempts'>): boolean {
      let count = countOf(webhook)
      if (count >= mostWaiting) count = inTable(webhook)
      counts.set(webhook, count)
      if (count >= mostWaiting) return false
      counts.set(webhook, count + 1)
      enqueue.run(webhook, event.number, event.type, event.change, event.time, event.data)
      return true
    },
    next: (webhook: number, most: number) => next.all(webhook, most) as unknown as readonly WaitingEvent[],
    waiting: inTable,
    /** Deletes the events up to this one, which were delivered or given up. */
    settle(webhook: number, number: number): void {
      const count = countOf(webhook)
      counts.set(webhook, count - Number(remove.run(webhook, number).changes))
    },
    tried: (webhook: number, number: number, attempts: number) => void tried.run(attempts, webhook, number),
    giveUp(webhook: number, event: WaitingEvent, why: { readonly reason: string; readonly at: string }): void {
      const { number, type, change, time, attempts } = event
      giveUp.run(webhook, number, type, change, time, attempts, why.reason, why.at)
      prune.run(webhook)
    },
    undelivered: (webhook: number) => undelivered.all(webhook) as unknown as readonly Undelivered[],
  }
}
