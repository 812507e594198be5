/** Hides `windrow service changes`: the feed of a dataset, and from where to go on only once its pages are safely written. */

import { resolve } from 'node:path'
import type { Client } from '../../client/connection.ts'
import type { ChangesPage, Dataset } from '../../client/streaming.ts'
import { WindrowError } from '../../core/error.ts'
import { writeTarget } from '../../core/sources/target.ts'
import { changesToEnd } from '../../pipeline/send/feed.ts'
import { typeOfDataset } from '../../resources/published-resource.ts'
import {
  connectionOption,
  flag,
  text,
  wholeNumber,
  word,
  type Command,
  type Input,
  type Surroundings,
} from '../command.ts'
import { readSecretJson } from '../json-file.ts'
import { reach } from '../reach.ts'
import { count, plain, say } from '../terminal.ts'
import { answerOptions, tellWritten, writeBodies } from './answer.ts'
import { namedDataset } from './named-dataset.ts'

export const changes: Command = {
  name: 'changes',
  summary: 'Show what changed in a dataset: one line a record, or with --json one line a page.',
  words: [
    { name: 'dataset', description: 'a dataset, or a type of the control list; also one that windrow does not know' },
  ],
  options: [
    { flags: '--since <TOKEN>', description: 'go on from this continuation token (without: from the start)' },
    { flags: '--remember <FILE>', description: 'go on from where this file says, and keep the new place there' },
    { flags: '--follow', description: 'look again and again until stopped' },
    { flags: '--every <SECONDS>', description: 'with --follow: how long to wait between looks (30)' },
    { flags: '--limit <NUMBER>', description: 'how many records to ask for at once' },
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
  readonly memory: Memory | undefined
  readonly since: string | undefined
}

async function runChanges(input: Input, surroundings: Surroundings): Promise<number> {
  const { terminal, signal } = surroundings
  if (flag(input, 'follow') && text(input, 'out') !== undefined)
    throw new WindrowError('option-invalid', 'A file has an end and --follow has none.', {
      hint: 'Take one of -o and --follow; --json lines can be sent to a file by >.',
    })
  if (text(input, 'since') !== undefined && text(input, 'remember') !== undefined)
    throw new WindrowError('option-invalid', 'Both --since and --remember say where to go on.', {
      hint: 'Keep one of them.',
    })
  const { client } = await reach(input, surroundings)
  const dataset = await namedDataset(client, word(input, 'dataset'), signal)
  const { note } = typeOfDataset(dataset)
  if (note !== undefined) terminal.err.write(`${plain(note)}\n`)
  const remembered = text(input, 'remember')
  const memory =
    remembered === undefined
      ? undefined
      : await openMemory(resolve(surroundings.folder, remembered), { account: client.account, dataset: dataset.name })
  const reading = { client, dataset, memory, since: memory?.token ?? text(input, 'since') }
  await (text(input, 'out') === undefined ? tellPages : writePages)(reading, input, surroundings)
  return 0
}

async function* pagesOf(
  { client, dataset, since }: Reading,
  input: Input,
  { signal, sleep }: Surroundings,
): AsyncGenerator<ChangesPage> {
  const limit = wholeNumber(input, 'limit', { from: 1, to: 10_000 })
  const everyS = wholeNumber(input, 'every', { from: 1, to: 86_400 }) ?? 30
  for (let token = since; ;) {
    for await (const page of changesToEnd(
      client,
      dataset,
      { since: token, ...(limit === undefined ? {} : { limit }) },
      signal,
    )) {
      token = page.token
      yield page
    }
    if (!flag(input, 'follow')) return
    await sleep(everyS * 1000, signal)
  }
}

async function tellPages(reading: Reading, input: Input, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings
  let last: string | undefined
  let told = 0
  for await (const page of pagesOf(reading, input, surroundings)) {
    if (flag(input, 'json')) say(terminal, JSON.stringify(page))
    else {
      if (page.fullSync) terminal.err.write('The service starts over: drop what was kept of this feed before.\n')
      if (page.items.length > 0) say(terminal, ...page.items.map(lineOf))
    }
    told += page.items.length
    last = page.token
    await reading.memory?.keep(page.token)
  }
  if (flag(input, 'json')) return
  const onward = last === undefined || reading.memory !== undefined ? '' : `  Go on with:  --since ${last}`
  terminal.err.write(`${plain(`${count(told)} ${told === 1 ? 'change' : 'changes'}.${onward}`)}\n`)
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
  // Only now: a token that runs ahead of the file would lose what lies between.
  await reading.memory?.keep(last)
  tellWritten(written, input, surroundings)
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

type Memory = { readonly token: string | undefined; keep(token: string | undefined): Promise<void> }

/** A file with one place in one feed. A place in another feed would silently pass over records, so it is refused. */
async function openMemory(path: string, feed: { readonly account: string; readonly dataset: string }): Promise<Memory> {
  const kept = await readSecretJson(path).catch((cause: unknown) => {
    if (cause instanceof WindrowError && cause.code === 'file-missing') return undefined
    throw cause
  })
  const { account, dataset, token } = (kept ?? {}) as { readonly [name: string]: unknown }
  const isOurs = account === feed.account && dataset === feed.dataset && (token === null || typeof token === 'string')
  if (kept !== undefined && !isOurs)
    throw new WindrowError('state-unreadable', `"${path}" does not hold a place in this feed.`, {
      hint: 'It is of another dataset, service or account, or no such file at all. Name another file.',
    })
  return {
    token: typeof token === 'string' ? token : undefined,
    keep: (next) => writeTarget(path, `${JSON.stringify({ ...feed, token: next ?? null })}\n`),
  }
}
