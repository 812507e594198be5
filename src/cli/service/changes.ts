/** Runs `windrow service changes`: reads the change feed of a dataset, and saves its place only after the pages are written. */

import { resolve } from 'node:path'
import type { Client } from '../../client/connection.ts'
import type { ChangesPage, Dataset } from '../../client/streaming.ts'
import { WindrowError } from '../../core/error.ts'
import { changesToEnd, openPlace, type FeedPlace } from '../../pipeline/send/feed.ts'
import { typeOfDataset } from '../../resources/index.ts'
import { connectionOption, flag, text, wholeNumber, word, type Call, type Command } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { counted, inform, plain, say } from '../screen/terminal.ts'
import { answerOptions, printWritten, writeBodies } from './answer.ts'

export const changes: Command = {
  name: 'changes',
  summary: 'Show the changes in a dataset: one line per record, or with --json one line per page.',
  words: { dataset: 'a dataset, or a type from windrow service control; windrow need not know it' },
  options: {
    '--since <TOKEN>': 'continue from this token (default: from the start)',
    '--remember <FILE>': 'continue from the place saved in this file, and save the new place there',
    '--follow': 'keep looking for new changes until stopped',
    '--every <SECONDS>': 'with --follow: how long to wait between two looks (default: 30)',
    '--limit <NUMBER>': 'how many records to ask for at a time',
    ...connectionOption,
    ...answerOptions,
  },
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

async function runChanges(call: Call): Promise<void> {
  const { terminal, signal } = call
  if (flag(call, 'follow') && text(call, 'out') !== undefined)
    throw new WindrowError('option-invalid', '-o and --follow cannot be combined: --follow never ends.', {
      hint: 'Use one of them, or --follow --json > FILE.',
    })
  if (text(call, 'since') !== undefined && text(call, 'remember') !== undefined)
    throw new WindrowError(
      'option-invalid',
      '--since and --remember cannot be combined: each gives the place to continue from.',
      { hint: 'Use one of them.' },
    )
  const { client } = await reach(call)
  const dataset = await namedDataset(client, word(call, 'dataset'), signal)
  const { note } = typeOfDataset(dataset)
  if (note !== undefined) inform(terminal, note)
  const remembered = text(call, 'remember')
  const memory =
    remembered === undefined
      ? undefined
      : await openPlace(resolve(call.folder, remembered), { account: client.account, dataset: dataset.name })
  const reading = { client, dataset, memory, since: memory?.token ?? text(call, 'since') }
  await (text(call, 'out') === undefined ? printPages : writePages)(reading, call)
}

async function* pagesOf({ client, dataset, memory, since }: Reading, call: Call): AsyncGenerator<ChangesPage> {
  const { signal, sleep } = call
  const limit = wholeNumber(call, 'limit', { from: 1, to: 10_000 })
  const everyS = wholeNumber(call, 'every', { from: 1, to: 86_400 }) ?? 30
  for (let token = since; ;) {
    const options = { since: token, limit, restarts: memory !== undefined }
    for await (const page of changesToEnd(client, dataset, options, signal)) {
      token = page.token
      yield page
    }
    if (!flag(call, 'follow')) return
    await sleep(everyS * 1000, signal)
  }
}

async function printPages(reading: Reading, call: Call): Promise<void> {
  const { terminal } = call
  let last: string | undefined
  let printed = 0
  for await (const page of pagesOf(reading, call)) {
    if (flag(call, 'json')) say(terminal, JSON.stringify(page))
    else {
      if (page.fullSync) inform(terminal, 'The service restarts this feed: discard all earlier changes.')
      if (page.items.length > 0) say(terminal, ...page.items.map(lineOf))
    }
    printed += page.items.length
    last = page.token
    if ((await terminal.arrived?.()) === false) return
    await reading.memory?.keep(page.token)
  }
  if (flag(call, 'json')) return
  const onward = last === undefined || reading.memory !== undefined ? '' : `  To continue:  --since ${last}`
  inform(terminal, `${counted(printed, 'change')}.${onward}`)
}

async function writePages(reading: Reading, call: Call): Promise<void> {
  let last: string | undefined
  let read = 0
  async function* bodies() {
    for await (const page of pagesOf(reading, call)) {
      // What was written so far would stay in the file beside what replaces it.
      if (page.fullSync && read > 0)
        throw new WindrowError(
          'service-confused',
          'The service restarted this feed while it was read. No file was written.',
          { hint: 'Run the same command again.' },
        )
      read += page.items.length
      last = page.token
      yield page.items
    }
  }
  const written = await writeBodies(typeOfDataset(reading.dataset).type, bodies(), call)
  // Only now: a token saved before the file is complete would lose records.
  await reading.memory?.keep(last)
  printWritten(written, call)
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

/** The dataset with this name, else the type of the control list with this short code. */
export async function namedDataset(client: Client, name: string, signal: AbortSignal): Promise<Dataset> {
  const isCode = name.startsWith('/')
  const missing = isCode ? undefined : await client.dataset(name, signal).catch(ifMissing)
  if (missing !== undefined && !(missing instanceof WindrowError)) return missing
  const listed = (await client.control(signal)).flatMap(({ resourceTypes }) => resourceTypes)
  const found = listed.find(({ id }) => id === name || (!isCode && id.endsWith(`/${name}`)))
  if (found !== undefined) {
    const { id, changes, updates } = found
    return { name: id.slice(id.lastIndexOf('/') + 1), changes, updates, containedTypes: [id] }
  }
  const codes = [...new Set(listed.map(({ id }) => id))]
  throw (
    missing ??
    new WindrowError('option-invalid', `The account has no type "${name}".`, {
      hint: codes.length === 0 ? 'It has no types at all.' : `It has: ${codes.join(', ')}.`,
    })
  )
}

function ifMissing(cause: unknown): WindrowError {
  if (cause instanceof WindrowError && cause.data['status'] === 404) return cause
  throw cause
}
