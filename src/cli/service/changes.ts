/** Runs `windrow service changes`: reads the change feed of a dataset, and saves its place only after the pages are written. */

import { resolve } from 'node:path'
import type { Client } from '../../client/connection.ts'
import type { ChangesPage, Dataset } from '../../client/streaming.ts'
import { WindrowError } from '../../core/error.ts'
import { changesToEnd, openPlace, type FeedPlace } from '../../pipeline/send/feed.ts'
import { typeOfDataset } from '../../resources/index.ts'
import {
  connectionOption,
  flag,
  text,
  wholeNumber,
  word,
  type Command,
  type Input,
  type Surroundings,
} from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { counted, inform, plain, say } from '../screen/terminal.ts'
import { answerOptions, printWritten, writeBodies } from './answer.ts'
import { namedDataset } from './named-dataset.ts'

export const changes: Command = {
  name: 'changes',
  summary: 'Show the changes in a dataset: one line per record, or with --json one line per page.',
  words: [
    { name: 'dataset', description: 'a dataset, or a type from windrow service control; windrow need not know it' },
  ],
  options: [
    { flags: '--since <TOKEN>', description: 'continue from this token (default: from the start)' },
    {
      flags: '--remember <FILE>',
      description: 'continue from the place saved in this file, and save the new place there',
    },
    { flags: '--follow', description: 'keep looking for new changes until stopped' },
    { flags: '--every <SECONDS>', description: 'with --follow: how long to wait between two looks (default: 30)' },
    { flags: '--limit <NUMBER>', description: 'how many records to ask for at a time' },
    connectionOption,
    ...answerOptions,
  ],
  examples: [
    'windrow service changes plots',
    'windrow service changes plots --remember plots-feed.json --json',
    'windrow service changes land-covers --follow --every 60',
    'windrow service changes plots -o plots.geojson',
  ],
  run: runChanges,
}

type Reading = {
  readonly client: Client
  readonly dataset: Dataset
  readonly memory: FeedPlace | undefined
  readonly since: string | undefined
}

async function runChanges(input: Input, surroundings: Surroundings): Promise<void> {
  const { terminal, signal } = surroundings
  if (flag(input, 'follow') && text(input, 'out') !== undefined)
    throw new WindrowError('option-invalid', '-o and --follow cannot be combined: --follow never ends.', {
      hint: 'Use one of them, or --follow --json > FILE.',
    })
  if (text(input, 'since') !== undefined && text(input, 'remember') !== undefined)
    throw new WindrowError(
      'option-invalid',
      '--since and --remember cannot be combined: each gives the place to continue from.',
      {
        hint: 'Use one of them.',
      },
    )
  const { client } = await reach(input, surroundings)
  const dataset = await namedDataset(client, word(input, 'dataset'), signal)
  const { note } = typeOfDataset(dataset)
  if (note !== undefined) inform(terminal, note)
  const remembered = text(input, 'remember')
  const memory =
    remembered === undefined
      ? undefined
      : await openPlace(resolve(surroundings.folder, remembered), { account: client.account, dataset: dataset.name })
  const reading = { client, dataset, memory, since: memory?.token ?? text(input, 'since') }
  await (text(input, 'out') === undefined ? printPages : writePages)(reading, input, surroundings)
}

async function* pagesOf(
  { client, dataset, since }: Reading,
  input: Input,
  { signal, sleep }: Surroundings,
): AsyncGenerator<ChangesPage> {
  const limit = wholeNumber(input, 'limit', { from: 1, to: 10_000 })
  const everyS = wholeNumber(input, 'every', { from: 1, to: 86_400 }) ?? 30
  for (let token = since; ;) {
    for await (const page of changesToEnd(client, dataset, { since: token, limit }, signal)) {
      token = page.token
      yield page
    }
    if (!flag(input, 'follow')) return
    await sleep(everyS * 1000, signal)
  }
}

async function printPages(reading: Reading, input: Input, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings
  let last: string | undefined
  let printed = 0
  for await (const page of pagesOf(reading, input, surroundings)) {
    if (flag(input, 'json')) say(terminal, JSON.stringify(page))
    else {
      if (page.fullSync) inform(terminal, 'The service restarts this feed: discard all earlier changes.')
      if (page.items.length > 0) say(terminal, ...page.items.map(lineOf))
    }
    printed += page.items.length
    last = page.token
    await reading.memory?.keep(page.token)
  }
  if (flag(input, 'json')) return
  const onward = last === undefined || reading.memory !== undefined ? '' : `  To continue:  --since ${last}`
  inform(terminal, `${counted(printed, 'change')}.${onward}`)
}

async function writePages(reading: Reading, input: Input, surroundings: Surroundings): Promise<void> {
  let last: string | undefined
  async function* bodies() {
    for await (const page of pagesOf(reading, input, surroundings)) {
      last = page.token
      yield page.items
    }
  }
  const written = await writeBodies(typeOfDataset(reading.dataset).type, bodies(), input, surroundings)
  // Only now: a token saved before the file is complete would lose records.
  await reading.memory?.keep(last)
  printWritten(written, input, surroundings)
}

function lineOf(item: { readonly [name: string]: unknown }): string {
  const meta = (item['meta'] ?? {}) as { readonly modified?: unknown; readonly isDeleted?: unknown }
  const cells = [
    meta.modified ?? '',
    meta.isDeleted === true ? 'deleted' : 'changed',
    item['dataPointKey'] ?? item['id'] ?? '',
    item['name'] ?? '',
  ]
  return plain(cells.map((cell) => (typeof cell === 'string' ? cell : JSON.stringify(cell))).join('  ')).trimEnd()
}
