/** Hides `windrow listen`: events of the service wake pipelines, which then read the service for themselves. */

import { resolve } from 'node:path'
import { eventReceiver } from '../client/events.ts'
import { checkRegistration } from '../client/webhooks.ts'
import { WindrowError } from '../core/error.ts'
import { readPipeline } from '../pipeline/definition/definition.ts'
import { keepNudged, makeBell } from '../schedule/nudged.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  text,
  wholeNumber,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { readTls, tlsOptions, warnOfPlainHttp } from './https.ts'
import { readSecretJson } from './json-file.ts'
import { runPipeline } from './run.ts'
import { count, plain, say } from './terminal.ts'

export const listen: CommandSpec = {
  words: [{ name: 'pipeline', description: 'the pipeline files to run, either direction', many: true }],
  options: [
    { flags: '--registration <FILE>', description: 'the registration that windrow service webhooks create sends' },
    { flags: '--port <NUMBER>', description: 'the port to listen on (a free one)' },
    { flags: '--host <ADDRESS>', description: 'the address to listen on (127.0.0.1)' },
    ...tlsOptions,
    { flags: '--settle <SECONDS>', description: 'how long to wait for the events that come with the first (2)' },
    { flags: '--catch-up <MINUTES>', description: 'run at least this often, for events that got lost (60; 0: never)' },
    formatModuleOption,
    connectionOption,
    stateOption,
    jsonOption,
  ],
  examples: ['windrow listen pipelines/spraying-last-month.yaml --registration office.json --port 8090'],
  run: runListen,
}

async function runListen(input: Input, surroundings: Surroundings): Promise<number> {
  const { folder, signal, sleep, clock } = surroundings
  const file = text(input, 'registration')
  if (file === undefined)
    throw new WindrowError('option-invalid', 'It is not said whose events are taken.', {
      hint: 'Add --registration FILE, the file that windrow service webhooks create sends.',
    })
  const registration = await checkRegistration(await readSecretJson(resolve(folder, file)))
  const bell = makeBell()
  // A publishing of thousands makes as many events: they are told by their kinds, when something runs for them.
  const heard = new Map<string, number>()
  const receiver = eventReceiver(registration, {
    clock,
    onEvent({ type }) {
      const kind = heard.has(type) || heard.size < mostKinds ? type : 'others'
      heard.set(kind, (heard.get(kind) ?? 0) + 1)
      bell.ring()
    },
  })
  const settleS = wholeNumber(input, 'settle', { from: 0, to: 3600 }) ?? 2
  const catchUpMinutes = wholeNumber(input, 'catch-up', { from: 0, to: 10_080 }) ?? 60
  const pipelines = (input.words['pipeline'] ?? []).map((path) => resolve(folder, path))
  // Read once before anything listens. One mistake of several does not keep the others from running: its run reports it.
  const formats = await knownFormats(input, surroundings)
  const read = await Promise.allSettled(pipelines.map((path) => readPipeline(path, formats)))
  const broken = read.filter((each) => each.status === 'rejected')
  if (broken.length === read.length) throw broken[0]?.reason
  const served = await serveEvents(receiver, input, surroundings)
  try {
    tellStart(served.url + receiver.path, registration, input, surroundings)
    await keepNudged(bell, {
      settleMs: settleS * 1000,
      catchUpMs: catchUpMinutes === 0 ? undefined : catchUpMinutes * 60_000,
      sleep,
      signal,
      async run() {
        const events = Object.fromEntries(heard)
        heard.clear()
        for (const path of pipelines) if (!signal.aborted) await runOne(path, events, input, surroundings)
      },
    })
    return 0
  } finally {
    await served.close()
  }
}

const mostKinds = 20

async function serveEvents(
  receiver: ReturnType<typeof eventReceiver>,
  input: Input,
  { folder, terminal }: Surroundings,
) {
  const host = text(input, 'host')
  const port = wholeNumber(input, 'port', { from: 0, to: 65_535 })
  const [{ isLoopback }, { serve }] = await Promise.all([
    import('../service/http/callers.ts'),
    import('../service/serve.ts'),
  ])
  const tls = await readTls(input, folder)
  if (tls === undefined && host !== undefined && !isLoopback(host)) warnOfPlainHttp(host, terminal)
  return serve(
    { isDemo: false, authPath: '', fetch: receiver.fetch, isHealthy: () => true, measures: () => [] },
    {
      hosts: receiver.names,
      ...(tls === undefined ? {} : { tls }),
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
    },
  )
}

/** The file is read again each time, as a schedule does; a failure is told and the listener goes on. */
async function runOne(
  path: string,
  events: Readonly<Record<string, number>>,
  input: Input,
  surroundings: Surroundings,
): Promise<void> {
  const kinds = Object.entries(events).map(([kind, times]) => `${count(times)} ${kind}`)
  const why = kinds.length === 0 ? 'without an event' : `after ${kinds.join(', ')}`
  tell({ run: path, events }, `runs ${path} ${why}`, input, surroundings)
  try {
    const pipeline = await readPipeline(path, await knownFormats(input, surroundings))
    const exit = await runPipeline(pipeline, input, surroundings)
    tell({ ran: path, exit }, `ended with exit ${exit}`, input, surroundings)
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    const { code, message, hint, exit } = cause
    tell({ ran: path, exit, error: { code, message, hint } }, `${message} ${hint ?? ''}`, input, surroundings)
  }
}

function tellStart(
  url: string,
  { uri, authentication }: { readonly uri: string; readonly authentication: { readonly type?: unknown } },
  input: Input,
  surroundings: Surroundings,
): void {
  tell({ listens: url, registered: uri }, `listens at ${url} for events to ${uri}`, input, surroundings)
  if (authentication.type === 'None')
    surroundings.terminal.err.write('The registration has no authentication: anybody may make the pipelines run.\n')
}

function tell(fact: object, sentence: string, input: Input, { terminal, clock }: Surroundings): void {
  const at = clock().toISOString()
  if (flag(input, 'json')) say(terminal, JSON.stringify({ at, ...fact }))
  else say(terminal, plain(`${at}  ${sentence}`))
}
