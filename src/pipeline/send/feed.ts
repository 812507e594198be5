/** Reads a feed of changes to its end, and again from its start if it starts over. */

import type { Client } from '../../client/connection.ts'
import type { ChangesOptions, ChangesPage, Feed } from '../../client/streaming.ts'
import { WindrowError } from '../../core/error.ts'
import { readSecretJson } from '../../core/sources/secret-text.ts'
import { writeTarget } from '../../core/sources/target.ts'
import type { Ledger } from '../../ledger/ledger.ts'

/**
 * The pages of a feed from `since` to its end. After an empty page that starts over, the feed is read again from its start,
 * once; such a page gets no token, because the pages after it have not been read. Only the first page of a full sync is marked:
 * a service may mark every page, and the records of earlier pages must not be dropped again. With `restarts`, a token that the
 * service no longer knows is a full sync, too: it would be refused for ever.
 */
export async function* changesToEnd(
  client: Client,
  feed: Feed,
  { restarts = false, ...options }: ChangesOptions & { readonly restarts?: boolean },
  signal?: AbortSignal,
): AsyncGenerator<ChangesPage> {
  let isFirst = true
  let startedOver = false
  let isRefused = false
  for (const since of [options.since, undefined]) {
    let mustRestart = false
    try {
      for await (const page of client.changes(feed, { ...options, since }, signal)) {
        const isFull = page.fullSync || isRefused
        mustRestart = page.fullSync && page.items.length === 0
        const token = mustRestart ? undefined : page.token
        yield { ...page, token, fullSync: isFull && !startedOver }
        startedOver ||= isFull
        isFirst = false
        if (mustRestart) break
      }
    } catch (cause) {
      if (!restarts || !isFirst || since === undefined || !isUnknownToken(cause)) throw cause
      mustRestart = true
      isRefused = true
    }
    if (!mustRestart) return
  }
}

function isUnknownToken(cause: unknown): boolean {
  return cause instanceof WindrowError && [400, 410].includes(Number(cause.data['status']))
}

/** Brings the ledger up to the end of a dataset's feed. An empty page that starts over deletes nothing. */
export async function readFeed(client: Client, ledger: Ledger, dataset: string, signal?: AbortSignal): Promise<void> {
  const feed = await client.dataset(dataset, signal)
  const options = { since: ledger.token(dataset), restarts: true }
  for await (const { items, token, fullSync } of changesToEnd(client, feed, options, signal))
    ledger.observe(dataset, { items, token, startsOver: fullSync })
}

/** How far a feed was read, kept in a file. Keep a token only once everything before it is safe. */
export type FeedPlace = {
  readonly token: string | undefined
  /** The pipeline file that it was kept for. */
  readonly file: string | undefined
  keep(token: string | undefined): Promise<void>
}

/** Opens a file with a place in one feed. A place in another feed is refused, because it would silently skip records. */
export async function openPlace(
  path: string,
  feed: { readonly account: string; readonly dataset: string; readonly file?: string | undefined },
): Promise<FeedPlace> {
  const kept = await readSecretJson(path).catch((cause: unknown) => {
    if (cause instanceof WindrowError && cause.code === 'file-missing') return undefined
    throw cause
  })
  const { account, dataset, token, file } = (kept ?? {}) as { readonly [name: string]: unknown }
  const isOurs = account === feed.account && dataset === feed.dataset && (token === null || typeof token === 'string')
  if (kept !== undefined && !isOurs)
    throw new WindrowError('state-unreadable', `"${path}" contains no place in this feed.`, {
      hint: 'It belongs to another dataset, service or account, or is another kind of file. Use another file.',
    })
  return {
    token: typeof token === 'string' ? token : undefined,
    file: typeof file === 'string' ? file : undefined,
    keep: (next) => writeTarget(path, `${JSON.stringify({ ...feed, token: next ?? null })}\n`),
  }
}
