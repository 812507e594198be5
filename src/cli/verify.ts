/** Runs `windrow verify`: checks that the service still has every record that was sent. Changes nothing. */

import { exitCodes } from '../core/error.ts'
import type { Difference } from '../ledger/comparison.ts'
import { differenceKinds, isSame, openVerification, type Verified } from '../pipeline/verify.ts'
import { publishedTypes } from '../resources/index.ts'
import { flag, text, usualOptions, type Call, type CommandSpec, type Surroundings } from './options/command.ts'
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

async function runVerify(call: Call): Promise<number> {
  const { client } = await reach(call)
  const place = ledgerPlace(call, text(call, 'pipeline'))
  using progress = startProgress(call)
  using verification = openVerification(place, client, {
    datasets: call.words['dataset'] ?? [],
    signal: call.signal,
    onRead: (dataset, items) => progress.show(`${dataset}: ${count(items)} read`),
  })
  const { verified } = verification
  const shown: Difference[] = []
  async function* differences(): AsyncGenerator<readonly Difference[]> {
    const found = new Map<string, number>()
    for await (const each of verification.differences()) {
      const kind = `${each.dataset} ${each.kind}`
      found.set(kind, (found.get(kind) ?? 0) + 1)
      if (found.get(kind)! <= mostShown) shown.push(each)
      yield [each]
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
  return verified.every(isSame) ? exitCodes.done : exitCodes.doneWithRejects
}

function printDifferences(
  verified: readonly Verified[],
  shown: readonly Difference[],
  { terminal }: Surroundings,
): void {
  const paint = painter(terminal)
  for (const each of verified) {
    const { dataset, ledger, service, same, missing, different, extra } = each
    say(
      terminal,
      paint(
        isSame(each) ? 'green' : 'yellow',
        plain(
          `${dataset.padEnd(12)} ${count(ledger)} compared = ${count(same)} the same + ${count(different)} different + ${count(missing)} missing;  ${count(service)} in the service, ${count(extra)} of them extra`,
        ),
      ),
    )
    for (const kind of differenceKinds) {
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
