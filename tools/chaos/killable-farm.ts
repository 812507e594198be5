/** Starts a farm whose runs are processes of their own that can be killed: a folder of pipelines, and the service that they publish to. */

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { commandsFor } from '../../src/cli/commands.ts'
import { runProgram } from '../../src/cli/program.ts'
import { connectTo } from '../../src/client/connection.ts'
import { WindrowError } from '../../src/core/error.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { createService } from '../../src/service/create.ts'
import type { FaultRule } from '../../src/service/faults/faults.ts'
import { serve } from '../../src/service/serve.ts'
import { holdingsCsv, holdingsPipeline } from './drifting-file.ts'
import { plotsIn } from './judge-night.ts'

const atWrites = new URL('kill-at-write.ts', import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A process of windrow; `ended` gives its exit status, null where a signal ended it; `lastWords` the end of its log. */
export type Started = {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly lastWords: () => string
}

export type Answer = (request: Request) => Promise<Response>
export type KillableFarm = Awaited<ReturnType<typeof startKillableFarm>>

/** Starts it with its holding published. Call `close` when done. Runs write their log to `onLog`, else to this process. */
export async function startKillableFarm({ onLog }: { readonly onLog?: (text: string) => void } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-kill-'))
  const store = join(folder, 'service.db')
  let service = createService({ store, demo: true })
  let atWrite: Readonly<Record<string, string>> | undefined
  let around: (request: Request, answer: Answer) => Promise<Response> = (request, answer) => answer(request)
  const underWay = new Set<Promise<unknown>>()
  const served = await serve(
    {
      ...service,
      fetch(request) {
        const answered = around(request, (each) => service.fetch(each))
        underWay.add(answered)
        const end = (): void => void underWay.delete(answered)
        answered.then(end, end)
        return answered
      },
    },
    { graceMs: 200 },
  )
  const { clientId, clientSecret, username, password } = demoCredentials
  const env = {
    ...process.env,
    WINDROW_SERVICE: served.url,
    WINDROW_TOKEN_URL: served.authUrl,
    WINDROW_CLIENT_ID: clientId,
    WINDROW_CLIENT_SECRET: clientSecret,
    WINDROW_USERNAME: username,
    WINDROW_PASSWORD: password,
  }
  const farm = {
    folder,
    write: (name: string, text: string): void => writeFileSync(join(folder, name), text),
    remove: (name: string): void => rmSync(join(folder, name)),
    /** Starts windrow with these words in the farm's folder. */
    windrow(...words: readonly string[]): Started {
      const preloaded = atWrite === undefined ? [] : ['--import', atWrites.href]
      const child = spawn(process.execPath, [...preloaded, join(root, 'bin/windrow.js'), ...words], {
        cwd: folder,
        stdio: ['ignore', 'ignore', onLog ? 'pipe' : 'inherit'],
        env: { ...env, ...atWrite },
      })
      let lastWords = ''
      child.stderr?.on('data', (bytes: Buffer) => {
        lastWords = `${lastWords}${String(bytes)}`.slice(-4000)
        onLog?.(String(bytes))
      })
      return { child, ended: new Promise((resolve) => child.on('close', resolve)), lastWords: () => lastWords }
    },
    /** Runs windrow with these words in this process, which nothing kills, and returns the exit status. */
    async run(...words: readonly string[]): Promise<number> {
      const surroundings = {
        terminal: { out: { write: () => true }, err: { write: (text: string) => process.stderr.write(text) } },
        stdin: Readable.from([]),
        env,
        platform: process.platform,
        folder,
        clock: () => new Date(),
        // The service shows at once what it will ever show.
        sleep: () => Promise.resolve(),
        fetch: globalThis.fetch,
        random: Math.random,
        signal: new AbortController().signal,
      }
      try {
        return await runProgram(words, await commandsFor(words), surroundings, '0.0.0')
      } catch (cause) {
        if (!(cause instanceof WindrowError)) throw cause
        console.error(`windrow: ${cause.message}`)
        return cause.exit
      }
    },
    /** From here on windrow is killed before or after a write of the stage or the ledger, or nowhere. */
    killAtWrite(moment?: number): void {
      atWrite = moment === undefined ? undefined : { WINDROW_CHAOS_KILL_AT: String(moment) }
    },
    /** Counts the moments before and after each write of a run. */
    async countWrites(...words: readonly string[]): Promise<number> {
      const into = join(folder, 'writes')
      atWrite = { WINDROW_CHAOS_COUNT_INTO: into }
      await farm.windrow(...words).ended
      atWrite = undefined
      return Number(readFileSync(into, 'utf8'))
    },
    /** Puts something around each answer of the service; without it, nothing. */
    watch(how: typeof around = (request, answer) => answer(request)): void {
      around = how
    },
    /** From here on these faults strike, and none of before. */
    async useFaults(seed: number, faults: readonly FaultRule[]): Promise<void> {
      await Promise.allSettled(underWay)
      service.close()
      service = createService({
        store,
        demo: true,
        ...(faults.length === 0 ? {} : { faults: { seed, faults: [...faults] } }),
      })
    },
    /** The plots that the service has, by their keys: their names, or another member. */
    async held<Member extends 'name' | 'totalArea' = 'name'>(member = 'name' as Member) {
      const profile = { name: 'local', service: served.url, tokenUrl: served.authUrl, ...demoCredentials }
      const deps = {
        fetch: globalThis.fetch,
        clock: () => new Date(),
        sleep: () => Promise.resolve(),
        random: () => 0.5,
      }
      return plotsIn(connectTo(profile, deps), member)
    },
    runs(): readonly string[] {
      return readdirSync(join(folder, '.windrow', 'runs')).toSorted()
    },
    /** The report of a run; undefined where it was killed. */
    report(run: string): Report | undefined {
      const path = join(folder, '.windrow', 'runs', run, 'report.json')
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as Report
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw cause
      }
    },
    async close(): Promise<void> {
      await served.close()
      service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  farm.write('holdings.csv', holdingsCsv)
  farm.write('holdings.yaml', holdingsPipeline)
  if ((await farm.run('run', 'holdings.yaml')) !== 0) throw new Error('The holding was not published.')
  return farm
}
