/** Runs commands in a folder against an embedded service, and captures both outputs. */

import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { commandsFor } from '../../src/cli/commands.ts'
import type { Surroundings } from '../../src/cli/options/command.ts'
import { runProgram } from '../../src/cli/program.ts'
import { WindrowError } from '../../src/core/error.ts'
import type { Profile } from '../../src/client/profile.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { createService, type ServiceOptions } from '../../src/service/create.ts'
import type { LoadFile } from '../../src/service/routes/crop-records.ts'
import { root } from '../imports.ts'
import { publishesOnce } from '../published-once.ts'

export type World = ReturnType<typeof startWorld>
export type Ran = {
  readonly exit: number
  readonly out: string
  readonly err: string
  readonly failure: WindrowError | undefined
}

const holdings = 'samples/rimu-farm/holdings.csv'
const base = 'http://127.0.0.1:8080'

/** The account of a world's service, as a connection that is saved under this name. */
export function accountCalled(name: string): Profile {
  return { name, service: base, tokenUrl: `${base}/auth/realms/windrow`, ...demoCredentials }
}

/** Whether somebody has run the samples in the checkout. */
const hasState = globSync('{samples,pipelines}/**/.windrow', { cwd: root }).length > 0

const publishOnce = publishesOnce<{ readonly ran: Ran; readonly slept: number }>()

type WorldOptions = Pick<ServiceOptions, 'faults' | 'accounts'>

/** Starts a world with copies of the samples and pipelines, once something in it is asked for: some tests need none. */
export function startWorld(options: WorldOptions = {}) {
  let made: ReturnType<typeof makeWorld> | undefined
  const world = () => (made ??= makeWorld(options))
  return {
    get folder(): string {
      return world().folder
    },
    get env(): Record<string, string> {
      return world().env
    },
    get fetch() {
      return world().fetch
    },
    load: (file: LoadFile) => world().load(file),
    /** Runs windrow with these words; `typed` is what comes in on standard input. */
    run: (...[words, more]: Parameters<ReturnType<typeof makeWorld>['run']>): Promise<Ran> => world().run(words, more),
    /** Publishes the farms that paddocks may then be published for. */
    publishFarms: (): Promise<Ran> => world().publishFarms(),
    close: (): void => made?.close(),
  }
}

function makeWorld({ faults, accounts }: WorldOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-cli-'))
  for (const name of ['samples', 'pipelines'])
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      preserveTimestamps: true,
      // To ask for each file takes twice as long.
      ...(hasState && { filter: (path: string) => !path.includes('.windrow') }),
    })
  // Who sleeps finds that the time has passed.
  let slept = 0
  // Until the first command; faults may strike every command.
  let isFresh = faults === undefined && accounts === undefined
  const more = { ...(faults === undefined ? {} : { faults }), ...(accounts === undefined ? {} : { accounts }) }
  const service = createService({ demo: true, ...more })
  service.load(JSON.parse(readFileSync(join(folder, 'samples/rimu-farm/work-records.json'), 'utf8')) as LoadFile)
  const env: Record<string, string> = {
    HOME: folder,
    LOCALAPPDATA: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    WINDROW_SERVICE: base,
    WINDROW_TOKEN_URL: `${base}/auth/realms/windrow`,
    WINDROW_CLIENT_ID: demoCredentials.clientId,
    WINDROW_CLIENT_SECRET: demoCredentials.clientSecret,
    WINDROW_USERNAME: demoCredentials.username,
    WINDROW_PASSWORD: demoCredentials.password,
  }
  const world = {
    folder,
    env,
    fetch: service.fetch,
    load: (file: LoadFile) => service.load(file),
    async run(words: readonly string[], more: Partial<Surroundings> & { readonly typed?: string } = {}): Promise<Ran> {
      isFresh = false
      let [out, err] = ['', '']
      const { typed = '', ...given } = more
      const surroundings: Surroundings = {
        terminal: { out: { write: (text) => (out += text) }, err: { write: (text) => (err += text) } },
        stdin: Readable.from([Buffer.from(typed)]),
        env,
        platform: process.platform,
        folder,
        clock: () => new Date(Date.now() + slept),
        sleep: (ms) => Promise.resolve(void (slept += ms)),
        fetch: (input, init) => service.fetch(new Request(input, init)),
        random: () => 0.5,
        signal: new AbortController().signal,
        ...given,
      }
      try {
        return {
          exit: await runProgram(words, await commandsFor(words), surroundings, '0.0.0'),
          out,
          err,
          failure: undefined,
        }
      } catch (cause) {
        if (!(cause instanceof WindrowError)) throw cause
        return { exit: cause.exit, out, err, failure: cause }
      }
    },
    async publishFarms(): Promise<Ran> {
      const words = ['import', holdings, '--to', 'holdings', '--holding', 'nz.example.farm-number']
      if (!isFresh || readFileSync(join(folder, holdings), 'utf8') !== readFileSync(join(root, holdings), 'utf8'))
        return world.run(words)
      const fetch = (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit) =>
        service.fetch(new Request(input, init))
      const published = await publishOnce({ folder, fetch }, async (watched) => ({
        ran: await world.run(words, { fetch: watched }),
        slept,
      }))
      slept = published.slept
      isFresh = false
      return published.ran
    },
    close(): void {
      service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}
