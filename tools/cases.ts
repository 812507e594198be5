/**
 * Compares windrow's results with the known results of a folder of files. Exit 0 when every case passes, 3 when one fails,
 * 2 when the arguments are wrong.
 *
 *   npm run cases -- FOLDER [--only ID]... [--json] [--verbose]      FOLDER contains a cases.json
 */

import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { inParallel } from '../src/core/in-parallel.ts'
import { readCases, type Case } from './cases/case.ts'
import { runApart, type Measured } from './cases/run-apart.ts'

const usage = 'npm run cases -- FOLDER [--only ID]... [--json] [--verbose]'

process.exitCode = await run(process.argv.slice(2)).catch((cause: Error) => {
  console.error(`${cause.message}\n${usage}`)
  return 2
})

async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  })
  const [folder] = positionals
  if (folder === undefined || positionals.length > 1) throw new Error('Name one folder that contains a cases.json.')
  const { list, cases } = readCases(resolve(folder))
  const unknown = values.only.find((id) => !cases.some((each) => each.id === id))
  if (unknown !== undefined) throw new Error(`Case "${unknown}" was not found.`)
  const chosen = values.only.length === 0 ? cases : cases.filter(({ id }) => values.only.includes(id))
  const show = values.json ? (each: Measured) => console.log(JSON.stringify(each)) : printer(values.verbose)
  const measured = await judgeAll(list, chosen, show)
  const count = (outcome: Measured['outcome']): number => measured.filter((each) => each.outcome === outcome).length
  const totals = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  console.log(values.json ? JSON.stringify(totals) : totalsLine(measured, totals))
  return totals.failed === 0 ? 0 : 3
}

/** Judges as many cases at a time as there are processors, and shows them in the order of the list. */
async function judgeAll(
  list: string,
  cases: readonly Case[],
  show: (each: Measured) => void,
): Promise<readonly Measured[]> {
  const done: (Measured | undefined)[] = cases.map(() => undefined)
  let shown = 0
  await inParallel(cases.entries(), availableParallelism(), async ([index, each]) => {
    done[index] = await runApart(list, each)
    for (; done[shown] !== undefined; shown += 1) show(done[shown]!)
  })
  return done.filter((each) => each !== undefined)
}

function printer(verbose: boolean): (each: Measured) => void {
  return ({ id, outcome, seconds, peakMB, failures, remarks }) => {
    const memory = peakMB === undefined ? '' : `${peakMB.toFixed(0)} MB`
    console.log(`${outcome.padEnd(8)}${id.padEnd(32)}${seconds.toFixed(2).padStart(7)} s${memory.padStart(9)}`)
    for (const failure of failures) console.log(`        ${failure}`)
    if (verbose || outcome === 'skipped') for (const remark of remarks) console.log(`        (${remark})`)
  }
}

function totalsLine(measured: readonly Measured[], totals: Readonly<Record<Measured['outcome'], number>>): string {
  const slowest = measured.toSorted((one, other) => other.seconds - one.seconds)[0]
  const largest = measured.toSorted((one, other) => (other.peakMB ?? 0) - (one.peakMB ?? 0))[0]
  const extremes =
    slowest === undefined || largest === undefined
      ? ''
      : `slowest ${slowest.id} (${slowest.seconds.toFixed(2)} s), largest ${largest.id} (${largest.peakMB?.toFixed(0) ?? '?'} MB)\n`
  return `\n${extremes}${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`
}
