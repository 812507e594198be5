/** Runs all files through one build and sends each outcome to the process that started this one. `side.ts BUILD [TEXT]` */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { trialsWith } from './trials.ts'
import type { Outcome } from './outcome.ts'

type Main = (words: readonly string[]) => Promise<number>
type Counts = Readonly<Record<string, number>>
type Report = {
  readonly run?: string
  readonly files?: { readonly report?: string }
  readonly error?: { readonly code: string }
  readonly problems?: readonly { readonly code: string; readonly count: number }[]
  readonly rows?: Counts
  readonly records?: Counts
  readonly gone?: Counts
}

const [, , build = '.', text = ''] = process.argv
const home = mkdtempSync(join(tmpdir(), 'windrow-alike-'))
// What this person has saved or set must not decide anything here.
for (const name of Object.keys(process.env)) if (name.startsWith('WINDROW_')) delete process.env[name]
for (const name of ['HOME', 'USERPROFILE', 'LOCALAPPDATA', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'])
  process.env[name] = home

const began = new Date().toISOString()
const service = spawn(process.execPath, [join(build, 'bin/windrow.js'), 'serve', '--demo', '--as', 'trial', '--json'], {
  cwd: home,
  stdio: ['ignore', 'pipe', 'ignore'],
})
try {
  const main = await loadMain()
  // Every run of a process of its own would add its listeners.
  for (const each of [process, process.stdout, process.stderr]) each.setMaxListeners(0)
  await Promise.race([once(service.stdout, 'data'), once(service, 'exit')])
  for (const { name, steps } of trialsWith(text)) {
    const folder = join(home, name.replaceAll(/[^\w.-]+/g, '-'))
    mkdirSync(folder)
    process.chdir(folder)
    let last: Ran | undefined
    for (const { run, put, correct, words } of steps) {
      for (const [file, content] of Object.entries(put ?? {})) {
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), typeof content === 'string' ? asBuildSays(content) : content)
      }
      const corrected = correct && last?.folder && join(last.folder, correct.file)
      if (corrected && existsSync(corrected)) writeFileSync(corrected, correct.how(readFileSync(corrected, 'utf8')))
      last = await runOnce(
        main,
        asBuildTakes(words).map((word) => (word === '{last run}' ? (last?.id ?? word) : word)),
      )
      process.send!({ file: name, run, ...last.outcome } satisfies Outcome)
    }
  }
} finally {
  service.kill()
  process.chdir(tmpdir())
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  process.disconnect()
}

/** A pipeline in the words of the build: limits were under guard: before there were rules. */
function asBuildSays(content: string): string {
  if (!existsSync(join(build, 'src')) || existsSync(join(build, 'src/rules'))) return content
  return content.replaceAll(
    /rules: \{ ([\w-]+): stop above ([^}]+) \}/g,
    (_, rule: string, limit: string) => `guard: { ${rule.replaceAll('-', ' ')}: ${limit} }`,
  )
}

/** The words that the build takes: before --set, --repair "60 %" was an option of its own. */
function asBuildTakes(words: readonly string[]): readonly string[] {
  if (!existsSync(join(build, 'src')) || existsSync(join(build, 'src/cli/options/settings.ts'))) return words
  return words.flatMap((word, at) => {
    if (word === '--set') return []
    const [, key, value] = (words[at - 1] === '--set' && /^(?:.*\.)?(\w+)=(.*)$/.exec(word)) || []
    return key === undefined || value === undefined ? [word] : [`--${key}`, value]
  })
}

/** The command line of the build, as its bin/start.js calls it. */
async function loadMain(): Promise<Main> {
  const checkout = join(build, 'src/cli/main.ts')
  const entry = existsSync(checkout) ? checkout : join(build, 'dist/main.js')
  return ((await import(pathToFileURL(entry).href)) as { readonly main: Main }).main
}

type Ran = {
  readonly outcome: Omit<Outcome, 'file' | 'run'>
  /** The run's own name and folder, where it has them. */
  readonly id?: string | undefined
  readonly folder?: string | undefined
}

async function runOnce(main: Main, words: readonly string[]): Promise<Ran> {
  const [exit, out] = await withoutOutput(() => main([...words, '--json']))
  const report = reportIn(out)
  const folder = report.files?.report === undefined ? undefined : dirname(report.files.report)
  const ready = folder === undefined ? '' : join(folder, 'ready.ndjson')
  const codes: Record<string, number> = {}
  for (const { code, count } of report.problems ?? []) codes[code] = (codes[code] ?? 0) + count
  if (report.error !== undefined) codes[`${report.error.code} (stopped)`] = 1
  return {
    outcome: {
      exit,
      counts: Object.fromEntries(
        (['rows', 'records', 'gone'] as const).flatMap((group) =>
          Object.entries(report[group] ?? {}).map(([name, count]) => [`${group}.${name}`, count]),
        ),
      ),
      codes,
      bodies: existsSync(ready) ? readFileSync(ready, 'utf8').split('\n').filter(Boolean).map(masked) : [],
    },
    id: report.run,
    folder,
  }
}

/** Calls `work` with its output kept back, and gives what it wrote to standard output. A run that hangs or breaks is exit -1. */
async function withoutOutput(work: () => Promise<number>): Promise<readonly [exit: number, out: string]> {
  let out = ''
  const kept = [process.stdout.write, process.stderr.write] as const
  const takeFor =
    (keep: (text: string) => void): typeof process.stdout.write =>
    (chunk: string | Uint8Array, ...more: unknown[]) => {
      keep(String(chunk))
      for (const each of more) if (typeof each === 'function') each()
      return true
    }
  process.stdout.write = takeFor((chunk) => (out += chunk))
  process.stderr.write = takeFor(() => undefined)
  const over = new AbortController()
  try {
    const hangs = wait(180_000, -1, { signal: over.signal })
    const breaks = once(process, 'uncaughtException', { signal: over.signal }).then(() => -1)
    return [await Promise.race([work(), hangs, breaks]), out]
  } finally {
    over.abort()
    ;[process.stdout.write, process.stderr.write] = kept
  }
}

/** The report, or what stands there for a run that had none. */
function reportIn(out: string): Report {
  const last = out.trimEnd().split('\n').at(-1) ?? ''
  return last.startsWith('{') ? (JSON.parse(last) as Report) : {}
}

/** A body without the moment of this run. */
function masked(line: string): string {
  return line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => (instant >= began ? 'now' : instant))
}
