/**
 * Plays a year of nights twice, and shows how large windrow's files are and how long a night takes. Exit 1 if the service ever
 * differs from the file, or if something grows with the nights.
 *
 *   npm run year                                       365 nights of 200 rows, with two seeds
 *   npm run year -- --nights 20 --seeds 3 --from 2027-03-26
 */

import { parseArgs } from 'node:util'
import { playYear, type Night } from './chaos/year-nights.ts'

// The names of run folders have local times, so that both clock changes matter. Set before the first date is made.
process.env['TZ'] = 'Pacific/Auckland'

const { values: options } = parseArgs({
  options: {
    nights: { type: 'string', default: '365' },
    rows: { type: 'string', default: '200' },
    seeds: { type: 'string', default: '1,2' },
    from: { type: 'string', default: '2027-03-01' },
  },
})
const [nights, rows] = [Number(options.nights), Number(options.rows)]
const from = new Date(`${options.from}T12:00:00+13:00`)

let faults = 0
for (const seed of options.seeds.split(',').map(Number)) {
  const begun = performance.now()
  const { nights: played, ...counts } = await playYear({ seed, nights, rows, from })
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
  console.log(`Seed ${seed}: ${nights} nights of ${rows} rows in ${minutes} minutes. ${JSON.stringify(counts)}`)
  for (const night of [30, 180, 365, nights].filter((each, at, all) => each <= nights && all.indexOf(each) === at))
    console.log(lineOf(played, night))
  const { clockChanges: _, ...wrong } = counts
  faults += Object.values(wrong).reduce((sum, each) => sum + each, 0)
}
process.exitCode = faults === 0 ? 0 : 1

function lineOf(played: readonly Night[], last: number): string {
  const { folders, ledgerBytes, stateBytes } = played[last - 1]!
  const lately = played.slice(Math.max(0, last - 30), last)
  const [middle] = lately
    .map(({ processorMs, runs }) => processorMs / runs)
    .toSorted((a, b) => a - b)
    .slice(lately.length >> 1)
  const kB = (bytes: number): string => `${Math.round(bytes / 1024)} kB`.padStart(9)
  return `  after night ${String(last).padStart(3)}: ledger ${kB(ledgerBytes)}, runs ${folders}, all ${kB(stateBytes)}; a run takes ${middle!.toFixed(0)} ms of processor time`
}
