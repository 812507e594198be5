/** Hides how the ledger learns what the service holds: the changes feed is read to its end, page by page. */

import type { Ledger } from '../ledger/ledger.ts'
import type { Client } from '../client/connection.ts'

/** Brings the ledger up to the end of a dataset's feed. A feed that starts over is read again from the beginning. */
export async function readFeed(
  client: Client,
  ledger: Ledger,
  dataset: string,
  signal?: AbortSignal,
): Promise<{ readonly items: number }> {
  const feed = await client.dataset(dataset, signal)
  let items = 0
  for (let attempt = 0; attempt < 2; attempt += 1) {
    let mustRestart = false
    for await (const page of client.changes(feed, { since: ledger.token(dataset) }, signal)) {
      // An empty page that starts over deletes nothing and its token is not kept: the feed is read again from its start.
      mustRestart = page.fullSync && page.items.length === 0
      ledger.observe(dataset, {
        items: page.items,
        token: mustRestart ? undefined : page.token,
        startsOver: page.fullSync,
      })
      items += page.items.length
      if (mustRestart) break
    }
    if (!mustRestart) break
  }
  return { items }
}
