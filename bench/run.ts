/**
 * Runs benchmarks. Exit 0 when every goal is met, 3 when one is missed or a peer is not installed, 2 when the arguments are wrong
 * or name no contest, 1 when a run fails.
 *
 *   npm run bench -- NAME... [--only WORDS] [--json] [--allow-missing] [--rounds N]
 */

import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Bench } from './contest.ts'
import { judge, type Outcome } from './verdict.ts'

const benches: Readonly<Record<string, () => Promise<{ readonly bench: Bench }>>> = {
  cliffs: () => import('./cliffs.ts'),
  export: () => import('./export.ts'),
  geometry: () => import('./geometry.ts'),
  'geometry-text': () => import('./geometry-text.ts'),
  line: () => import('./line.ts'),
  readers: () => import('./readers.ts'),
  service: () => import('./service.ts'),
  sync: () => import('./sync.ts'),
}

const usage = `npm run bench -- NAME... [--only WORDS] [--json] [--allow-missing] [--rounds N]\nNAME is one of: ${Object.keys(benches).join(', ')}.`

process.exitCode = await run(process.argv.slice(2)).catch((cause: Error) => {
  console.error(cause.message)
  return 1
})

async function run(words: readonly string[]): Promise<number> {
  const asked = readWords(words)
  if (typeof asked === 'string') {
    console.error(`${asked}\n${usage}`)
    return 2
  }
  const folder = fileURLToPath(new URL('data', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const outcomes: Outcome[] = []
  const names: string[] = []
  for (const name of asked.names) {
    const { bench } = await benches[name]!()
    const isNamed = bench.names?.some((each) => each.includes(asked.only)) ?? true
    const contests = isNamed ? await bench.prepare(folder, asked.only) : []
    names.push(...(bench.names ?? contests.map((each) => each.name)))
    for (const contest of contests) {
      if (!contest.name.includes(asked.only)) continue
      const outcome = await judge(name, contest, asked.rounds ?? bench.rounds)
      if (asked.json) console.log(JSON.stringify(outcome))
      else console.log(line(outcome, outcomes.length === 0))
      outcomes.push(outcome)
    }
  }
  if (outcomes.length === 0) {
    console.error(`No contest has "${asked.only}" in its name. The contests are: ${names.join('; ')}.`)
    return 2
  }
  const failed = outcomes.some(({ verdict }) => verdict === 'short' || (verdict === 'missing' && !asked.allowMissing))
  return failed ? 3 : 0
}

type Asked = {
  readonly names: readonly string[]
  readonly json: boolean
  readonly allowMissing: boolean
  readonly rounds: number | undefined
  /** Only contests with these words in their name. */
  readonly only: string
}

function readWords(words: readonly string[]): Asked | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        'allow-missing': { type: 'boolean', default: false },
        rounds: { type: 'string' },
        only: { type: 'string', default: '' },
      },
    })
    const unknown = positionals.find((name) => !Object.hasOwn(benches, name))
    if (unknown !== undefined) return `Benchmark "${unknown}" was not found.`
    if (positionals.length === 0) return 'Which benchmark?'
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) return '--rounds needs a whole number.'
    return { names: positionals, json: values.json, allowMissing: values['allow-missing'], rounds, only: values.only }
  } catch (cause) {
    return (cause as Error).message
  }
}

function line(outcome: Outcome, first: boolean): string {
  const number = (value: number | null, unit: string): string => (value === null ? '-' : `${value} ${unit}`)
  const columns: readonly (readonly [head: string, width: number, cell: string])[] = [
    ['contest', 40, outcome.name],
    ['ours', 10, number(outcome.ours, 's')],
    ['whole job', 10, number(outcome.wholeJob ?? outcome.ours, 's')],
    ['memory', 9, number(outcome.peakMB, 'MB')],
    ['growth', 8, outcome.growth === null ? '-' : `${outcome.growth}x`],
    ['peer', 36, `${outcome.peerName} ${outcome.peerVersion ?? '(not installed)'}`],
    ['its time', 10, number(outcome.peer, 's')],
    ['memory', 9, number(outcome.peerPeakMB, 'MB')],
    ['ratio', 8, outcome.ratio === null ? '-' : `${outcome.ratio}x`],
    ['goal', 8, `${outcome.goal}x`],
    ['verdict', 8, outcome.verdict],
  ]
  const lay = (at: 0 | 2): string =>
    columns
      .map((column) => column[at].padEnd(column[1]))
      .join(' ')
      .trimEnd()
  return first ? `${lay(0)}\n${lay(2)}` : lay(2)
}
