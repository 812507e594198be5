/**
 * Feeds damaged files to the readers. Every input must give rows, problems or a refusal, in limited time and memory. Failing
 * inputs are minimised, saved, and shown with the command that reproduces them.
 *
 *   npm run fuzz                                       all readers, every cut and 10,000 changes of each file
 *   npm run fuzz -- --reader csv --mutations 500       one reader (or one file, by its name), fewer changes
 *   npm run fuzz -- --seed 7 --minutes 5               other changes; no new file after five minutes
 *   npm run fuzz -- --input fuzz-failures/NAME         one input again
 *   npm run fuzz -- --properties 10                    the property tests, with ten times their runs, and all inputs where npm test tries a share
 */

import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cutCount, groundOf } from './fuzz/inputs.ts'
import { seeds, type Seed } from './fuzz/seeds.ts'
import type { InputReport } from './fuzz/serve.ts'
import { shrunk } from './fuzz/shrink.ts'
import { watchedReader, type Watched } from './fuzz/watch.ts'
import { readOptions } from './read-options.ts'

const options = readOptions({
  reader: { type: 'string' },
  cuts: { type: 'string', default: String(cutCount) },
  mutations: { type: 'string', default: '10000' },
  properties: { type: 'string' },
  seed: { type: 'string', default: '1' },
  minutes: { type: 'string' },
  input: { type: 'string' },
  out: { type: 'string', default: 'fuzz-failures' },
})

const entry = new URL('fuzz/reader.ts', import.meta.url)
const chanceSeed = numberOf('seed', options.seed)
const from = Math.max(0, cutCount - numberOf('cuts', options.cuts))
const until = cutCount + numberOf('mutations', options.mutations)
const minutes = options.minutes === undefined ? Infinity : numberOf('minutes', options.minutes)
const begun = Date.now()

if (options.properties !== undefined) process.exit(tryProperties(options.properties))

const reader = watchedReader(entry)
const failures = options.input === undefined ? await tryAll() : await tryFile(options.input)
reader.close()
process.exitCode = failures === 0 ? 0 : 1

/** Runs the property tests with a multiple of their runs, with new values every time. */
function tryProperties(times: string): number {
  numberOf('properties', times)
  const root = join(import.meta.dirname, '..')
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((path) =>
    /from '(?:(?:\.\.\/)+runs\.ts|fast-check)'/.test(readFileSync(join(root, path), 'utf8')),
  )
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const env = { ...process.env, WINDROW_PROPERTY_TIMES: times }
  const words = [vitest, 'run', '--testTimeout', '3600000', ...files]
  return spawnSync(process.execPath, words, { cwd: root, env, stdio: 'inherit' }).status ?? 1
}

function numberOf(name: string, text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number
  console.error(`--${name} needs a number, not "${text}".`)
  process.exit(2)
}

async function tryFile(path: string): Promise<number> {
  let fault: string | undefined
  await reader.run({ name: basename(path), bytes: readFileSync(path) }, (report) => {
    fault = report.fault
    console.log(JSON.stringify({ ...report, bytes: undefined }))
  })
  return fault === undefined ? 0 : 1
}

async function tryAll(): Promise<number> {
  const chosen = seeds.filter(
    ({ reader: kind, name }) => options.reader === undefined || options.reader === kind || options.reader === name,
  )
  if (chosen.length === 0) {
    console.error(
      `Reader "${options.reader}" was not found. Readers: ${[...new Set(seeds.map((seed) => seed.reader))].join(', ')}.`,
    )
    process.exit(2)
  }
  let failed = 0
  for (const seed of chosen) {
    if (Date.now() - begun > minutes * 60_000) {
      console.log(`${seed.name.padEnd(20)} not started: the ${minutes} minutes are over`)
      continue
    }
    failed += await trySeed(seed)
  }
  return failed
}

async function trySeed(seed: Seed): Promise<number> {
  const started = Date.now()
  const faults = new Map<string, InputReport[]>()
  let [read, refused, slowestMs] = [0, 0, 0]
  await reader.run({ seed: seed.name, chanceSeed, from, until }, (report) => {
    if (report.fault !== undefined) faults.set(report.fault, [...(faults.get(report.fault) ?? []), report])
    else if (report.refused === undefined) read += 1
    else refused += 1
    slowestMs = Math.max(slowestMs, report.cpuMs)
  })
  const seconds = ((Date.now() - started) / 1000).toFixed(0)
  console.log(
    `${seed.name.padEnd(20)} ${until - from} inputs in ${seconds} s: ${read} read, ${refused} refused, ${faults.size} kinds of failure; slowest ${slowestMs.toFixed(0)} ms`,
  )
  for (const [fault, times] of faults) await showFailure(seed, fault, times)
  return faults.size
}

async function showFailure(seed: Seed, fault: string, times: readonly InputReport[]): Promise<void> {
  const first = times[0]!
  const others = seeds.filter((each) => each.reader === seed.reader && each !== seed)
  const bytes = first.bytes ?? (await groundOf(seed, others, chanceSeed)).input(first.number)
  // An exception is cheap to repeat; a hang costs the whole time limit.
  const small = await shrunk(
    bytes,
    (each) => failsAlike(reader, seed.name, each, fault),
    first.bytes === undefined ? 8 : 400,
  )
  const path = join(options.out, `${chanceSeed}-${first.number}-${seed.name}`)
  mkdirSync(options.out, { recursive: true })
  writeFileSync(path, small)
  console.log(`  ${fault}`)
  console.log(
    `    ${times.length} times, first with seed ${chanceSeed}, input ${first.number}; ${small.length} bytes left of ${bytes.length}`,
  )
  console.log(`    again: npm run fuzz -- --input "${path}"`)
}

async function failsAlike(watched: Watched, name: string, bytes: Uint8Array, fault: string): Promise<boolean> {
  let alike = false
  await watched.run({ name, bytes }, (report) => {
    alike = report.fault === fault
  })
  return alike
}
