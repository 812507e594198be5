/** Hides how the ledger learns what the service holds: the changes feed is read to its end, page by page. */

import type { Ledger } from '../ledger/ledger.ts'
import type { Client } from '../client/client.ts'

/** Brings the ledger up to the end of a dataset's feed. A feed that starts over is read again from the beginning. */
export async function readFeed(
  client: Client,
  ledger: Ledger,
  dataset: string,
  signal?: AbortSignal,
): Promise<{ readonly items: number }> {
  let items = 0
  for (let attempt = 0; attempt < 2; attempt += 1) {
    let startsOver = false
    for await (const page of client.changes(dataset, { since: ledger.token(dataset) }, signal)) {
      startsOver = page.fullSync
      // The page that tells to start over deletes nothing and its token is not kept: the next call begins without one.
      if (startsOver) ledger.observe(dataset, { items: [], token: undefined, startsOver: true })
      else ledger.observe(dataset, { items: page.items, token: page.token, startsOver: false })
      items += page.items.length
      if (startsOver) break
    }
    if (!startsOver) break
  }
  return { items }
}
