/** Runs `windrow service publish`: publishes JSON records to any dataset, also one that windrow does not know. */

import { resolve } from 'node:path'
import { isObject } from '../../core/values/exact-json.ts'
import type { Client } from '../../client/connection.ts'
import { recordsPerBatch } from '../../client/streaming.ts'
import { exitCodes, WindrowError } from '../../core/error.ts'
import { fileSource, readAll } from '../../core/sources/source.ts'
import { typeOfDataset } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { readSpelling } from '../../resources/spellings.ts'
import { check } from '../../resources/validation.ts'
import { connectionOption, flag, jsonOption, word, type Command, type Surroundings } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { count, inform, plain, say } from '../screen/terminal.ts'
import { namedDataset } from './changes.ts'

export const publish: Command = {
  name: 'publish',
  summary: 'Publish JSON records to a dataset, also to one that windrow does not know.',
  words: {
    dataset: 'a dataset, or a type from windrow service control',
    file: 'a file with a JSON list of records, or one record per line',
  },
  options: { '--dry-run': 'check the records and send nothing', ...connectionOption, ...jsonOption },
  examples: ['windrow service publish troughs troughs.ndjson --dry-run'],
  async run(call) {
    const { signal, folder, terminal } = call
    const records = await readRecords(resolve(folder, word(call, 'file')))
    const { client } = await reach(call)
    const dataset = await namedDataset(client, word(call, 'dataset'), signal)
    const { type, note } = typeOfDataset(dataset)
    if (note !== undefined) inform(terminal, note)
    const { bodies, rejected } = checked(records, type)
    let sent: Awaited<ReturnType<typeof publishAll>> = { accepted: 0, refused: [] }
    if (!flag(call, 'dry-run') && bodies.length > 0) {
      if (dataset.updates === undefined)
        throw new WindrowError('request-refused', `The service gives no address for publishing to "${dataset.name}".`)
      sent = await publishAll(client, dataset.updates, bodies, signal)
    }
    const { accepted, refused } = sent
    const counts = {
      read: records.length,
      ready: bodies.length,
      rejected: rejected.length,
      accepted,
      refused: refused.length,
    }
    if (flag(call, 'json'))
      say(terminal, JSON.stringify({ dataset: dataset.name, ...counts, faults: [...rejected, ...refused] }))
    else printResult(counts, [...rejected, ...refused], flag(call, 'dry-run'), call)
    return rejected.length + refused.length > 0 ? exitCodes.doneWithRejects : exitCodes.done
  },
}

const mostBytes = 256 << 20
const mostShown = 50

/** `index` is the position in the file, from 0. */
type Fault = { readonly index: number; readonly key: string | null; readonly message: string }
type Ready = { readonly index: number; readonly key: string | null; readonly body: string }

async function readRecords(path: string): Promise<readonly unknown[]> {
  const source = await fileSource(path)
  const text = new TextDecoder().decode(await readAll(source, mostBytes)).trim()
  const isLine = !text.startsWith('[')
  try {
    if (!isLine) return JSON.parse(text) as readonly unknown[]
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as unknown]))
  } catch (cause) {
    throw new WindrowError('file-damaged', `"${source.name}" is not valid JSON: ${(cause as Error).message}`, {
      hint: isLine ? 'Write a list in brackets, or one record per line.' : 'Correct that place in the file.',
      cause,
    })
  }
}

function checked(records: readonly unknown[], type: ResourceType) {
  const bodies: Ready[] = []
  const rejected: Fault[] = []
  for (const [index, record] of records.entries()) {
    if (!isObject(record)) {
      rejected.push({ index, key: null, message: 'This is not a record (a JSON object).' })
      continue
    }
    const body = readSpelling(type, record)
    const key = typeof record['dataPointKey'] === 'string' ? record['dataPointKey'] : null
    const fault = check(type, body).find(({ severity }) => severity === 'error')
    if (fault === undefined) bodies.push({ index, key, body: JSON.stringify(body) })
    else rejected.push({ index, key, message: fault.message })
  }
  return { bodies, rejected }
}

async function publishAll(client: Client, updates: string, bodies: readonly Ready[], signal: AbortSignal) {
  const refused: Fault[] = []
  let accepted = 0
  for (let from = 0; from < bodies.length; from += recordsPerBatch) {
    const batch = bodies.slice(from, from + recordsPerBatch)
    const texts = batch.map(({ body }) => body)
    for await (const { first, items } of client.publishHalving(updates, texts, signal))
      for (const [at, outcome] of items.entries()) {
        const { index, key } = batch[first + at]!
        const message = outcome.state === 'refused' ? outcome.error : 'The service gave no result for this record.'
        if (outcome.state === 'accepted') accepted += 1
        else refused.push({ index, key, message })
      }
  }
  return { accepted, refused }
}

type Counts = Readonly<Record<'read' | 'ready' | 'rejected' | 'accepted' | 'refused', number>>

function printResult(counts: Counts, faults: readonly Fault[], isDry: boolean, { terminal }: Surroundings): void {
  const { read, ready, rejected, accepted, refused } = counts
  for (const { index, key, message } of faults.slice(0, mostShown))
    say(terminal, plain(`  record ${index}${key === null ? '' : ` (${key})`}: ${message}`))
  if (faults.length > mostShown)
    say(terminal, `  ... and ${count(faults.length - mostShown)} more; --json prints them all`)
  const sent = isDry
    ? 'nothing sent'
    : `${count(ready)} ready = ${count(accepted)} accepted + ${count(refused)} refused`
  say(terminal, `${count(read)} read = ${count(ready)} ready + ${count(rejected)} rejected;  ${sent}`)
}
