/** Runs `windrow serve`: the whole service on this machine, for trying out, for tests, and for farms without a connection. */

import { resolve } from 'node:path'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { saveProfile } from '../client/profile.ts'
import { WindrowError } from '../core/error.ts'
import { fileSource, readAll } from '../core/sources/source.ts'
import type { Service } from '../service/create.ts'
import type { LoadFile, LoadSummary } from '../service/load.ts'
import type { Served } from '../service/serve.ts'
import { flag, jsonOption, text, wholeNumber, type CommandSpec, type Input, type Surroundings } from './command.ts'
import { readTls, tlsOptions, warnOfPlainHttp } from './https.ts'
import { userState } from './reach.ts'
import { readServiceFile } from './service-file.ts'
import { plain, say } from './terminal.ts'

export const serveCommand: CommandSpec = {
  words: [],
  options: [
    { flags: '--port <NUMBER>', description: 'the port to listen on (a free one)' },
    { flags: '--host <ADDRESS>', description: 'the address to listen on (127.0.0.1)' },
    { flags: '--store <FILE>', description: 'keep the records in this file (otherwise they are gone at the end)' },
    { flags: '--demo', description: 'let the demonstration account sign in; on loopback only' },
    { flags: '--as <NAME>', description: 'with --demo: keep a connection to it under this name' },
    {
      flags: '--config <FILE>',
      description: 'YAML or JSON: accounts with hashed secrets, lifetimes, limits, host names',
    },
    ...tlsOptions,
    {
      flags: '--public-address <ADDRESS>',
      description: 'where callers reach it through a proxy, such as https://farm.example',
    },
    {
      flags: '--allow-origin <ORIGINS>',
      description: 'web pages whose scripts may read it, with commas between, such as https://map.example; * for all',
    },
    { flags: '--log', description: 'write a line of JSON for each request to standard error' },
    { flags: '--faults <FILE>', description: 'YAML or JSON: what is to go wrong on purpose, to rehearse a bad night' },
    { flags: '--webhooks', description: 'tell subscribers of changes (without it, webhooks answer 501)' },
    { flags: '--webhooks-to-loopback', description: 'with --webhooks: subscribers may be on this machine' },
    { flags: '--hash-secret', description: 'write the hash of the secret on standard input, for --config, and end' },
    {
      flags: '--load <FILE>',
      description: 'a JSON file with work records, pasture covers, loads, samples to begin with',
    },
    jsonOption,
  ],
  examples: [
    'windrow serve --demo --as demo',
    'windrow serve --demo --port 8080 --store farm.db --load samples/rimu-farm/work-records.json',
  ],
  runsUntilStopped: true,
  run: runServe,
}

async function runServe(input: Input, surroundings: Surroundings): Promise<number> {
  if (flag(input, 'hash-secret')) return tellHash(surroundings)
  const { folder, signal, terminal, clock } = surroundings
  const store = text(input, 'store')
  const config = text(input, 'config')
  const faults = text(input, 'faults')
  const host = text(input, 'host')
  const port = wholeNumber(input, 'port', { from: 0, to: 65_535 })
  const publicAddress = text(input, 'public-address')
  const origins = text(input, 'allow-origin')
  const [{ createService }, { readConfig }, { serve }, { readFaultPlan }, { isLoopback }] = await loadService()
  if (flag(input, 'webhooks-to-loopback') && !flag(input, 'webhooks'))
    throw new WindrowError('option-invalid', '--webhooks-to-loopback allows something of --webhooks and wants it, too.')
  const configured = config === undefined ? undefined : await readServiceFile(folder, config, readConfig)
  const service = createService({
    ...configured?.service,
    ...(flag(input, 'webhooks')
      ? { webhooks: { ...configured?.webhooks, allowsLoopback: flag(input, 'webhooks-to-loopback') } }
      : {}),
    clock,
    demo: flag(input, 'demo'),
    onFault: (cause) =>
      void terminal.err.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`),
    ...(store === undefined ? {} : { store: resolve(folder, store) }),
    ...(faults === undefined ? {} : { faults: await readServiceFile(folder, faults, readFaultPlan) }),
  })
  try {
    const load = text(input, 'load')
    if (load !== undefined) tellRefused(service.load((await readJson(resolve(folder, load))) as LoadFile), surroundings)
    const tls = await readTls(input, folder)
    if (tls === undefined && host !== undefined && !isLoopback(host)) warnOfPlainHttp(host, terminal)
    const served = await serve(service, {
      ...configured?.serve,
      ...(tls === undefined ? {} : { tls }),
      ...(flag(input, 'log') ? { log: (request) => void terminal.err.write(`${JSON.stringify(request)}\n`) } : {}),
      clock,
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
      ...(publicAddress === undefined ? {} : { publicAddress }),
      ...(origins === undefined ? {} : { origins: origins.split(',').map((each) => each.trim()) }),
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

/** Loaded when it is wanted: the other commands start in half the time without it. */
function loadService() {
  return Promise.all([
    import('../service/create.ts'),
    import('../service/config.ts'),
    import('../service/serve.ts'),
    import('../service/faults/fault-plan.ts'),
    import('../service/http/callers.ts'),
  ])
}

async function tell(
  { url, publicAddress, tokenUrl }: Served,
  service: Service,
  input: Input,
  surroundings: Surroundings,
): Promise<void> {
  const { terminal, platform } = surroundings
  const { demoCredentials } = await import('../service/store/accounts.ts')
  const name = text(input, 'as')
  if (name !== undefined && !service.isDemo)
    throw new WindrowError('option-invalid', '--as keeps the demonstration account and wants --demo with it.')
  if (name !== undefined)
    await saveProfile(
      { name, service: publicAddress ?? url, tokenUrl, ...demoCredentials },
      { stateFolder: userState(surroundings), platform },
    )
  if (flag(input, 'json')) {
    say(terminal, JSON.stringify({ url, publicAddress: publicAddress ?? null, tokenUrl, connection: name ?? null }))
    return
  }
  say(terminal, `The service listens at ${url}`)
  if (publicAddress !== undefined) say(terminal, `Callers reach it at ${publicAddress}`)
  say(terminal, `Tokens are given out at ${tokenUrl}`)
  if (name !== undefined)
    say(terminal, plain(`Kept as connection "${name}". Try:  windrow import FILE --connection ${name}`))
  else if (service.isDemo) {
    const { clientId, clientSecret, username, password } = demoCredentials
    say(
      terminal,
      `Demonstration account: client ${clientId}, secret ${clientSecret}, user ${username}, password ${password}`,
    )
  }
  const faults = text(input, 'faults')
  if (faults !== undefined) say(terminal, plain(`Things go wrong here on purpose, as ${faults} says.`))
  say(terminal, 'Stop it with Ctrl-C.')
}

async function tellHash({ stdin, terminal }: Surroundings): Promise<number> {
  const { hashSecret } = await import('../service/store/accounts.ts')
  const secret = (await readText(stdin)).replace(/\r?\n$/, '')
  if (secret === '')
    throw new WindrowError('option-invalid', 'There is no secret on standard input.', {
      hint: 'windrow serve --hash-secret < FILE, or type it and end with Ctrl-D (Windows: Ctrl-Z, Enter).',
    })
  say(terminal, hashSecret(secret))
  return 0
}

function tellRefused(summary: LoadSummary, { terminal }: Surroundings): void {
  for (const [list, { refused, hidden = [] }] of Object.entries(summary)) {
    for (const { index, message } of refused)
      terminal.err.write(`${plain(`${list}[${index}] was not loaded: ${message}`)}\n`)
    for (const { scheme, id } of hidden)
      terminal.err.write(
        `${plain(`${list} of the farm ${scheme} ${id} stay hidden: no account in the configuration lists it in holdings.`)}\n`,
      )
  }
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
