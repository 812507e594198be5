/** Runs `windrow serve`: the whole service on this machine, for trials, tests, and farms without a connection. */

import { resolve } from 'node:path'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { saveProfile } from '../client/profile.ts'
import { WindrowError } from '../core/error.ts'
import { isPostgres } from '../core/postgres.ts'
import { quoted } from '../core/shell-word.ts'
import { fileSource, readAll } from '../core/sources/source.ts'
import { readYaml } from '../pipeline/definition/yaml-source.ts'
import type { Service } from '../service/create.ts'
import type { LoadFile, LoadSummary } from '../service/routes/crop-records.ts'
import type { Served, ServeOptions } from '../service/serve.ts'
import { flag, jsonOption, text, type Call, type CommandSpec, type Surroundings } from './options/command.ts'
import { listenAt, listenOptions, portOf, readTls, tlsOptions } from './options/https.ts'
import { userState } from './options/reach.ts'
import { inform, plain, say } from './screen/terminal.ts'

export const serveCommand: CommandSpec = {
  words: {},
  options: {
    ...listenOptions,
    '--store <FILE>': 'keep the records in this file; without it they are lost at the end',
    '--demo': 'allow the demo account to sign in; from this machine only',
    '--as <NAME>': 'with --demo: save a connection to it under this name',
    '--config <FILE>': 'a YAML or JSON file with accounts (hashed secrets), lifetimes, limits and host names',
    ...tlsOptions,
    '--public-address <ADDRESS>':
      'the address under which callers reach it through a proxy, such as https://farm.example',
    '--allow-origin <ORIGINS>':
      'web pages whose scripts may read it, separated by commas, such as https://map.example; * for all',
    '--log': 'write one JSON line per request to standard error',
    '--faults <FILE>': 'a YAML or JSON file with faults to produce on purpose, to practise for a bad night',
    '--webhooks': 'send changes to subscribers (without it, webhooks answer 501)',
    '--webhooks-to-loopback': 'with --webhooks: allow subscribers on this machine',
    '--hash-secret': 'print the hash of the secret from standard input, for --config, and exit',
    '--load <FILE>': 'a JSON file with work records, pasture covers, loads and samples to start with',
    ...jsonOption,
  },
  examples: [
    'windrow serve --demo --as trial',
    'windrow serve --demo --port 8080 --store farm.db --load samples/rimu-farm/work-records.json',
  ],
  runsUntilStopped: true,
  run: runServe,
}

async function runServe(call: Call): Promise<void> {
  if (flag(call, 'hash-secret')) return printHash(call)
  const { folder, signal, terminal, clock } = call
  const store = storeFile(call)
  const config = text(call, 'config')
  const faults = text(call, 'faults')
  const port = portOf(call, 'port')
  const origins = text(call, 'allow-origin')
  const { createService } = await import('../service/create.ts')
  const { readConfig } = await import('../service/config.ts')
  const { readFaultPlan } = await import('../service/faults/faults.ts')
  if (flag(call, 'webhooks-to-loopback') && !flag(call, 'webhooks'))
    throw new WindrowError('option-invalid', '--webhooks-to-loopback works only together with --webhooks.')
  const configured = config === undefined ? undefined : await readServiceFile(folder, config, readConfig)
  using service = createService({
    ...configured?.service,
    webhooks: flag(call, 'webhooks')
      ? { ...configured?.webhooks, allowsLoopback: flag(call, 'webhooks-to-loopback') }
      : undefined,
    clock,
    demo: flag(call, 'demo'),
    onFault: (cause) =>
      void terminal.err.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`),
    store,
    faults: faults === undefined ? undefined : await readServiceFile(folder, faults, readFaultPlan),
  })
  const load = text(call, 'load')
  if (load !== undefined) printRefused(service.load((await readJson(resolve(folder, load))) as LoadFile), call)
  const options: ServeOptions = {
    ...configured?.serve,
    tls: await readTls(call, folder),
    log: flag(call, 'log') ? (request) => void terminal.err.write(`${JSON.stringify(request)}\n`) : undefined,
    clock,
    host: text(call, 'host'),
    port,
    publicAddress: text(call, 'public-address') ?? configured?.serve.publicAddress,
    origins: origins?.split(',').map((each) => each.trim()) ?? configured?.serve.origins,
  }
  await using served = await listenAt(service, options, call)
  await printStart(served, { service, store }, call)
  if (!signal.aborted) await once(signal, 'abort')
}

function storeFile(call: Call): string | undefined {
  const given = text(call, 'store')
  if (given !== undefined && isPostgres(given))
    throw new WindrowError('option-invalid', 'windrow serve keeps its records in a file, not in PostgreSQL.', {
      hint: 'Name a file, such as --store farm.db.',
    })
  return given === undefined ? undefined : resolve(call.folder, given)
}

async function printStart(
  { url, publicAddress, tokenUrl }: Served,
  { service, store }: { readonly service: Service; readonly store: string | undefined },
  call: Call,
): Promise<void> {
  const { terminal, platform } = call
  const { demoCredentials } = await import('../service/store/accounts.ts')
  const name = text(call, 'as')
  if (name !== undefined && !service.isDemo)
    throw new WindrowError('option-invalid', '--as works only together with --demo.')
  if (name !== undefined)
    await saveProfile(
      { name, service: publicAddress ?? url, tokenUrl, ...demoCredentials },
      { stateFolder: userState(call), platform },
    )
  if (flag(call, 'json')) {
    say(terminal, JSON.stringify({ url, publicAddress: publicAddress ?? null, tokenUrl, connection: name ?? null }))
    return
  }
  say(terminal, `The service is running at ${url}`)
  if (store !== undefined) say(terminal, plain(`It keeps its records in ${store}`))
  if (publicAddress !== undefined) say(terminal, `Callers reach it at ${publicAddress}`)
  say(terminal, `Sign-in address: ${tokenUrl}`)
  say(terminal, `Its page, for a browser: ${publicAddress ?? url}/ogc/api.html`)
  if (name !== undefined)
    say(terminal, plain(`Saved as connection "${name}". Try:  windrow import FILE --connection ${quoted(name)}`))
  else if (service.isDemo) {
    const { clientId, clientSecret, username, password } = demoCredentials
    say(terminal, `Demo account: client ${clientId}, secret ${clientSecret}, user ${username}, password ${password}`)
  }
  const faults = text(call, 'faults')
  if (faults !== undefined) say(terminal, plain(`This service produces the faults in ${faults} on purpose.`))
  say(terminal, 'Ctrl-C stops it.')
}

async function printHash({ stdin, terminal }: Surroundings): Promise<void> {
  const { hashSecret } = await import('../service/store/accounts.ts')
  const secret = (await readText(stdin)).replace(/\r?\n$/, '')
  if (secret === '')
    throw new WindrowError('option-invalid', 'Standard input contains no secret.', {
      hint: 'Use windrow serve --hash-secret < FILE, or type it and end with Ctrl-D (Windows: Ctrl-Z, Enter).',
    })
  say(terminal, hashSecret(secret))
}

function printRefused(summary: LoadSummary, { terminal }: Surroundings): void {
  for (const [list, { refused, hidden = [] }] of Object.entries(summary)) {
    for (const { index, message } of refused) inform(terminal, `${list}[${index}] was not loaded: ${message}`)
    for (const { scheme, id } of hidden)
      inform(
        terminal,
        `The ${list} of farm ${scheme}:${id} stay hidden: no account in the configuration lists this farm in holdings.`,
      )
  }
}

/** Reads a YAML or JSON file. `read` throws a WindrowError whose `data.path` is the place of the mistake in the value. */
async function readServiceFile<T>(folder: string, name: string, read: (value: unknown) => T): Promise<T> {
  const source = await fileSource(resolve(folder, name))
  const { value, faults, locate } = readYaml(new TextDecoder().decode(await readAll(source, 1 << 20)))
  const [fault] = faults
  if (fault !== undefined)
    throw new WindrowError('option-invalid', `${source.name}, line ${fault.line}: ${fault.message}`, {
      hint: fault.hint ?? 'The file must be YAML or JSON.',
    })
  try {
    return read(value)
  } catch (cause) {
    const path = cause instanceof WindrowError ? cause.data['path'] : undefined
    if (!(cause instanceof WindrowError) || typeof path !== 'string') throw cause
    throw new WindrowError(cause.code, `${source.name}, line ${locate(path, 'name').line}: ${cause.message}`, {
      hint: cause.hint ?? 'See docs/service.md.',
      cause,
    })
  }
}

async function readJson(path: string): Promise<unknown> {
  const source = await fileSource(path)
  const bytes = await readAll(source, 64 << 20)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch (cause) {
    throw new WindrowError('file-damaged', `"${source.name}" is not valid JSON: ${(cause as Error).message}`, {
      hint: 'Correct that place in the file.',
      cause,
    })
  }
}
