/** Checks that the service still has every record that was sent: compares the ledger with the feed of changes. Changes nothing. */

import type { Client } from '../client/connection.ts'
import { WindrowError } from '../core/error.ts'
import { quoted } from '../core/shell-word.ts'
import { readLedger, type Comparison, type Count, type Difference } from '../ledger/comparison.ts'
import { ledgerIn, type StatePlace } from '../ledger/ledger.ts'
import { changesToEnd } from './send/feed.ts'

export const differenceKinds = ['missing', 'different', 'extra'] as const

/** How many records of a dataset were compared, and how many of them are not the same. */
export type Verified = { readonly dataset: string } & Count & Readonly<Record<Difference['kind'], number>>

type Wish = {
  /** Only these; by default all that records were sent to. */
  readonly datasets: readonly string[]
  readonly signal: AbortSignal
  readonly onRead?: ((dataset: string, items: number) => void) | undefined
}

/** Opens the ledger to compare it. `verified` has each dataset whose differences were all read. */
export function openVerification(place: StatePlace, client: Client, { datasets: wanted, signal, onRead }: Wish) {
  const ledger = readLedger(ledgerIn(place), client.account)
  using opening = new DisposableStack()
  opening.use(ledger)
  const known = ledger.datasets()
  const strange = wanted.find((name) => !known.includes(name))
  if (strange !== undefined || known.length === 0)
    throw new WindrowError(
      'option-invalid',
      strange === undefined ? 'Nothing was sent with this account from here.' : `Nothing was sent to "${strange}".`,
      { hint: known.length === 0 ? 'Check --connection and --state.' : hintFor(strange!, known) },
    )
  const verified: Verified[] = []
  const opened = opening.move()
  return {
    verified,
    async *differences(): AsyncGenerator<Difference> {
      for (const dataset of wanted.length > 0 ? wanted : known) {
        const comparison = ledger.compare(dataset)
        await seeAll(client, dataset, comparison, { signal, onRead })
        const found = { missing: 0, different: 0, extra: 0 }
        for (const each of comparison.differences()) {
          found[each.kind] += 1
          yield each
        }
        verified.push({ dataset, ...comparison.count(), ...found })
      }
    },
    [Symbol.dispose]: () => opened.dispose(),
  }
}

/** Whether the service has exactly what was sent to a dataset. */
export function isSame(verified: Verified): boolean {
  return differenceKinds.every((kind) => verified[kind] === 0)
}

function hintFor(strange: string, known: readonly string[]): string {
  const sent = `Records were sent to: ${known.join(', ')}.`
  return /\.ya?ml$/i.test(strange)
    ? `${sent} For the ledger beside a pipeline:  windrow verify --pipeline ${quoted(strange)}`
    : sent
}

async function seeAll(
  client: Client,
  dataset: string,
  comparison: Comparison,
  { signal, onRead }: Pick<Wish, 'signal' | 'onRead'>,
): Promise<void> {
  let items = 0
  // From the start, not from the ledger's token, which would miss what was lost since.
  for await (const page of changesToEnd(client, await client.dataset(dataset, signal), {}, signal)) {
    if (page.fullSync) comparison.startOver()
    comparison.see(page.items)
    items += page.items.length
    onRead?.(dataset, items)
  }
}
