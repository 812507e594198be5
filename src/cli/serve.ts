/** Hides `windrow serve`: the whole service on this machine, for trying out, for tests, and for farms without a connection. */

import { resolve } from 'node:path'
import { once } from 'node:events'
import { saveProfile } from '../client/profile.ts'
import { WindrowError } from '../core/error.ts'
import { fileSource, readAll } from '../core/source.ts'
import { demoCredentials, readAccounts } from '../service/accounts.ts'
import type { LoadFile, LoadSummary, Service } from '../service/create.ts'
import { flag, jsonOption, text, wholeNumber, type Command, type Input, type Surroundings } from './command.ts'
import { userState } from './reach.ts'
import { plain, say } from './terminal.ts'

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Run the embedded service on this machine until stopped.',
  words: [],
  options: [
    { flags: '--port <NUMBER>', description: 'the port to listen on (a free one)' },
    { flags: '--host <ADDRESS>', description: 'the address to listen on (127.0.0.1)' },
    { flags: '--store <FILE>', description: 'keep the records in this file (otherwise they are gone at the end)' },
    { flags: '--demo', description: 'let the demonstration account sign in; on loopback only' },
    { flags: '--as <NAME>', description: 'with --demo: keep a connection to it under this name' },
    { flags: '--accounts <FILE>', description: 'a JSON file with the accounts, their secrets hashed' },
    { flags: '--load <FILE>', description: 'a JSON file with work records to begin with' },
    jsonOption,
  ],
  examples: [
    'windrow serve --demo --as demo',
    'windrow serve --demo --port 8080 --store farm.db --load samples/rimu-farm/work-records.json',
  ],
  run: runServe,
}

async function runServe(input: Input, surroundings: Surroundings): Promise<number> {
  const { folder, signal, terminal, clock } = surroundings
  const store = text(input, 'store')
  const accounts = text(input, 'accounts')
  const host = text(input, 'host')
  const port = wholeNumber(input, 'port', { from: 0, to: 65_535 })
  // Loaded only where it is wanted: the service takes 15 MB and 60 ms of every start.
  const [{ createService }, { serve }] = await Promise.all([
    import('../service/create.ts'),
    import('../service/serve.ts'),
  ])
  const service = createService({
    clock,
    demo: flag(input, 'demo'),
    onFault: (cause) =>
      void terminal.err.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`),
    ...(store === undefined ? {} : { store: resolve(folder, store) }),
    ...(accounts === undefined ? {} : { accounts: readAccounts(await readJson(resolve(folder, accounts))) }),
  })
  try {
    const load = text(input, 'load')
    if (load !== undefined) tellRefused(service.load((await readJson(resolve(folder, load))) as LoadFile), surroundings)
    const served = await serve(service, {
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
    })
    try {
      await tell(served, service, input, surroundings)
      if (!signal.aborted) await once(signal, 'abort')
    } finally {
      await served.close()
    }
    return 0
  } finally {
    service.close()
  }
}

async function tell(
  served: { url: string; authUrl: string },
  service: Service,
  input: Input,
  surroundings: Surroundings,
): Promise<void> {
  const { terminal, platform } = surroundings
  const name = text(input, 'as')
  if (name !== undefined && !service.isDemo)
    throw new WindrowError('option-invalid', '--as keeps the demonstration account and wants --demo with it.')
  if (name !== undefined)
    await saveProfile(
      { name, service: served.url, tokenUrl: served.authUrl, ...demoCredentials },
      { stateFolder: userState(surroundings), platform },
    )
  if (flag(input, 'json')) {
    say(terminal, JSON.stringify({ url: served.url, tokenUrl: served.authUrl, connection: name ?? null }))
    return
  }
  say(terminal, `The service listens at ${served.url}`, `Tokens are given out at ${served.authUrl}`)
  if (name !== undefined)
    say(terminal, plain(`Kept as connection "${name}". Try:  windrow import FILE --connection ${name}`))
  else if (service.isDemo) {
    const { clientId, clientSecret, username, password } = demoCredentials
    say(
      terminal,
      `Demonstration account: client ${clientId}, secret ${clientSecret}, user ${username}, password ${password}`,
    )
  }
  say(terminal, 'Stop it with Ctrl-C.')
}

function tellRefused({ workRecords }: LoadSummary, { terminal }: Surroundings): void {
  for (const { index, message } of workRecords.refused)
    terminal.err.write(`${plain(`Work record ${index} was not loaded: ${message}`)}\n`)
}

async function readJson(path: string): Promise<unknown> {
  const source = await fileSource(path)
  const bytes = await readAll(source, 64 << 20)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch (cause) {
    throw new WindrowError('file-damaged', `"${source.name}" is not JSON: ${(cause as Error).message}`, { cause })
  }
}
