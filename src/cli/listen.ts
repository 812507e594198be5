/** Runs `windrow listen`: runs pipelines when an event arrives from the service. The pipelines read the records themselves. */

import { resolve } from 'node:path'
import { eventReceiver } from '../client/events.ts'
import { checkRegistration } from '../client/webhooks.ts'
import { WindrowError } from '../core/error.ts'
import { readPipeline } from '../pipeline/definition/definition.ts'
import type { WebhookRegistration } from '../resources/webhook.ts'
import { runWhenAsked, startRequests } from '../schedule/run-when-asked.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  text,
  wholeNumber,
  type Call,
  type CommandSpec,
} from './options/command.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { listenAt, listenOptions, portOf, readTls, tlsOptions } from './options/https.ts'
import { readSecretJson } from '../core/sources/secret-text.ts'
import { runPipeline } from './run.ts'
import { count, inform, plain, say } from './screen/terminal.ts'

export const listen: CommandSpec = {
  words: { pipeline: { description: 'the pipeline files to run, imports or exports', many: true } },
  options: {
    '--registration <FILE>':
      'the registration file that windrow service webhooks create sends; docs/interface.md shows one',
    ...listenOptions,
    ...tlsOptions,
    '--settle <SECONDS>': 'how long to wait for more events after the first (default: 2)',
    '--catch-up <MINUTES>': 'run at least this often, in case events are lost (default: 60; 0: never)',
    ...formatModuleOption,
    ...connectionOption,
    ...stateOption,
    ...jsonOption,
  },
  examples: ['windrow listen pipelines/spraying-last-month.yaml --registration office.json --port 8090'],
  run: runListen,
}

async function runListen(call: Call): Promise<void> {
  const { folder, signal, sleep, clock } = call
  const file = text(call, 'registration')
  if (file === undefined)
    throw new WindrowError('option-invalid', 'Which registration do the events belong to?', {
      hint: 'Add --registration FILE, the file that windrow service webhooks create sends.',
    })
  const registration = await checkRegistration(await readSecretJson(resolve(folder, file)))
  const requests = startRequests()
  // Publishing thousands of records makes as many events, so they are reported as counts by type.
  const heard = new Map<string, number>()
  const receiver = eventReceiver(registration, {
    clock,
    onEvent({ type }) {
      const kind = heard.has(type) || heard.size < mostKinds ? type : 'others'
      heard.set(kind, (heard.get(kind) ?? 0) + 1)
      requests.ask()
    },
  })
  const settleS = wholeNumber(call, 'settle', { from: 0, to: 3600 }) ?? 2
  const catchUpMinutes = wholeNumber(call, 'catch-up', { from: 0, to: 10_080 }) ?? 60
  const pipelines = (call.words['pipeline'] ?? []).map((path) => resolve(folder, path))
  // Read once before listening. A pipeline with a mistake does not stop the others: its run reports it.
  const formats = await knownFormats(call)
  const read = await Promise.allSettled(pipelines.map((path) => readPipeline(path, formats)))
  const broken = read.filter((each) => each.status === 'rejected')
  if (broken.length === read.length) throw broken[0]?.reason
  await using served = await listenAt(
    { fetch: receiver.fetch },
    {
      hosts: receiver.names,
      tls: await readTls(call, folder),
      host: text(call, 'host'),
      port: portOf(call, 'port'),
    },
    call,
  )
  printStart(served.url + receiver.path, registration, call)
  await runWhenAsked(requests, {
    settleMs: settleS * 1000,
    catchUpMs: catchUpMinutes === 0 ? undefined : catchUpMinutes * 60_000,
    sleep,
    signal,
    async run() {
      const events = Object.fromEntries(heard)
      heard.clear()
      for (const path of pipelines) if (!signal.aborted) await runOne(path, events, call)
    },
  })
}

const mostKinds = 20

/** Reads the file again each time, as a schedule does. Reports a failure and continues. */
async function runOne(path: string, events: Readonly<Record<string, number>>, call: Call): Promise<void> {
  const kinds = Object.entries(events).map(([kind, times]) => `${count(times)} ${kind}`)
  const why = kinds.length === 0 ? 'without an event' : `after ${kinds.join(', ')}`
  print({ run: path, events }, `running ${path} ${why}`, call)
  try {
    const pipeline = await readPipeline(path, await knownFormats(call))
    const exit = await runPipeline(pipeline, call)
    print({ ran: path, exit }, `finished with exit ${exit}`, call)
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    const { code, message, hint, exit } = cause
    print({ ran: path, exit, error: { code, message, hint } }, `${message} ${hint ?? ''}`, call)
  }
}

function printStart(url: string, { uri, authentication }: WebhookRegistration, call: Call): void {
  print({ listens: url, registered: uri }, `listening at ${url} for events sent to ${uri}`, call)
  if (authentication.type === 'None')
    inform(call.terminal, 'The registration has no authentication: anyone can make the pipelines run.')
}

function print(fact: object, sentence: string, call: Call): void {
  const { terminal, clock } = call
  const at = clock().toISOString()
  if (flag(call, 'json')) say(terminal, JSON.stringify({ at, ...fact }))
  else say(terminal, plain(`${at}  ${sentence}`))
}
