/** Runs `windrow verify`: checks that the service still has every record that was sent. Changes nothing. */

import type { Client } from '../client/connection.ts'
import { exitCodes, WindrowError } from '../core/error.ts'
import { quoted } from '../core/setting-text.ts'
import { ledgerIn } from '../ledger/ledger.ts'
import { readLedger, type Comparison, type Count, type Difference } from '../ledger/comparison.ts'
import { changesToEnd } from '../pipeline/send/feed.ts'
import { flag, text, usualOptions, type Call, type CommandSpec, type Surroundings } from './options/command.ts'
import { publishedTypes } from '../resources/index.ts'
import { ledgerPlace, reach } from './options/reach.ts'
import { outOptions, printWritten, textType, writeBodies } from './service/answer.ts'
import { count, painter, plain, say, startProgress } from './screen/terminal.ts'

export const verify: CommandSpec = {
  words: {
    dataset: {
      description: 'only these datasets (default: all that records were sent to)',
      many: true,
      optional: true,
      choices: publishedTypes.flatMap(({ dataset }) => dataset ?? []),
    },
  },
  options: {
    '--pipeline <FILE>': 'use the ledger beside this pipeline: all records that were sent from there',
    ...outOptions,
    ...usualOptions,
  },
  examples: ['windrow verify', 'windrow verify plots --pipeline pipelines/nightly-paddocks.yaml -o differences.csv'],
  run: runVerify,
}

const mostShown = 50
const kinds = ['missing', 'different', 'extra'] as const

type Verified = { readonly dataset: string } & Count & Readonly<Record<Difference['kind'], number>>

async function runVerify(call: Call): Promise<number> {
  const { client } = await reach(call)
  using ledger = readLedger(ledgerIn(ledgerPlace(call, text(call, 'pipeline'))), client.account)
  const known = ledger.datasets()
  const wanted = call.words['dataset'] ?? []
  const strange = wanted.find((name) => !known.includes(name))
  if (strange !== undefined || known.length === 0)
    throw new WindrowError(
      'option-invalid',
      strange === undefined ? 'Nothing was sent with this account from here.' : `Nothing was sent to "${strange}".`,
      { hint: known.length === 0 ? 'Check --connection and --state.' : hintFor(strange!, known) },
    )
  const verified: Verified[] = []
  const shown: Difference[] = []
  async function* differences(): AsyncGenerator<readonly Difference[]> {
    for (const dataset of wanted.length > 0 ? wanted : known) {
      const comparison = ledger.compare(dataset)
      await seeAll(client, dataset, comparison, call)
      const found = { missing: 0, different: 0, extra: 0 }
      for (const each of comparison.differences()) {
        if (found[each.kind] < mostShown) shown.push(each)
        found[each.kind] += 1
        yield [each]
      }
      verified.push({ dataset, ...comparison.count(), ...found })
    }
  }
  const isForFile = text(call, 'out') !== undefined
  const written = isForFile ? await writeBodies(differenceType, differences(), call) : undefined
  if (!isForFile) for await (const _ of differences());
  if (flag(call, 'json')) {
    const { path = null } = written ?? {}
    say(call.terminal, JSON.stringify({ datasets: verified, differences: shown, path }))
  } else {
    printDifferences(verified, shown, call)
    if (written !== undefined) printWritten(written, call)
  }
  const isSame = verified.every((each) => kinds.every((kind) => each[kind] === 0))
  return isSame ? exitCodes.done : exitCodes.doneWithRejects
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
  surroundings: Surroundings,
): Promise<void> {
  const { signal } = surroundings
  using progress = startProgress(surroundings)
  let items = 0
  // From the start, not from the ledger's token, which would miss what was lost since.
  for await (const page of changesToEnd(client, await client.dataset(dataset, signal), {}, signal)) {
    if (page.fullSync) comparison.startOver()
    comparison.see(page.items)
    items += page.items.length
    progress.show(`${dataset}: ${count(items)} read`)
  }
}

function printDifferences(
  verified: readonly Verified[],
  shown: readonly Difference[],
  { terminal }: Surroundings,
): void {
  const paint = painter(terminal)
  for (const each of verified) {
    const { dataset, ledger, service, same, missing, different, extra } = each
    const isSame = missing + different + extra === 0
    say(
      terminal,
      paint(
        isSame ? 'green' : 'yellow',
        plain(
          `${dataset.padEnd(12)} ${count(ledger)} compared = ${count(same)} the same + ${count(different)} different + ${count(missing)} missing;  ${count(service)} in the service, ${count(extra)} of them extra`,
        ),
      ),
    )
    for (const kind of kinds) {
      const listed = shown.filter((difference) => difference.dataset === dataset && difference.kind === kind)
      for (const { key, name, detail } of listed)
        say(terminal, plain(`  ${kind.padEnd(10)} ${key}${name === undefined ? '' : `  ${name}`}  ${detail}`))
      if (each[kind] > listed.length)
        say(terminal, `  ... and ${count(each[kind] - listed.length)} more; -o FILE writes them all`)
    }
    if (service === 0 && ledger > 0)
      say(
        terminal,
        '  The service shows no records at all: the account may have lost the right to read. Nothing was changed.',
      )
  }
}

const differenceType = textType('differences', ['kind', 'dataset', 'key', 'name', 'detail'])
