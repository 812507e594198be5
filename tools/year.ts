/**
 * Plays a year of nights twice, and shows how large windrow's files are and how long a night takes. Exit 1 if the service ever
 * differs from the file, or if something grows with the nights.
 *
 *   npm run year                                       365 nights of 200 rows, with two seeds
 *   npm run year -- --nights 20 --seeds 3 --from 2027-03-26
 */

import type { Night } from './chaos/year-nights.ts'
import { countOf, readOptions, refuse } from './read-options.ts'

// The names of run folders have local times, so that both clock changes matter. Set before the first date is made.
process.env['TZ'] = 'Pacific/Auckland'

const options = readOptions({
  nights: { type: 'string', default: '365' },
  rows: { type: 'string', default: '200' },
  seeds: { type: 'string', default: '1,2' },
  from: { type: 'string', default: '2027-03-01' },
})
const [nights, rows] = [countOf('nights', options.nights), countOf('rows', options.rows)]
const from = new Date(`${options.from}T12:00:00+13:00`)
if (Number.isNaN(from.getTime())) refuse(`--from needs a day such as 2027-03-26, not "${options.from}".`)

// It takes a third of a second to load.
const { playYear } = await import('./chaos/year-nights.ts')
let isSound = true
for (const seed of options.seeds.split(',').map((each) => countOf('seeds', each))) {
  const begun = performance.now()
  const { nights: played, clockChanges, ...faults } = await playYear({ seed, nights, rows, from })
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
  const found = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
  console.log(`Seed ${seed}: ${nights} nights of ${rows} rows, ${clockChanges} clock changes, in ${minutes} minutes`)
  console.log(`  ${found.join(', ')}`)
  for (const night of [30, 180, 365, nights].filter((each, at, all) => each <= nights && all.indexOf(each) === at))
    console.log(`  ${lineOf(sizesAt(played, night))}`)
  const grown = growthOf(played)
  if (grown.length > 0) console.log(`  grows with the nights: ${grown.join(', ')}`)
  isSound &&= grown.length === 0 && Object.values(faults).every((count) => count === 0)
}
process.exitCode = isSound ? 0 : 1

type Sizes = Pick<Night, 'night' | 'folders' | 'ledgerBytes' | 'stateBytes'> & { readonly runMs: number }

/** The sizes after a night, and the median of the processor time of a run in the month before. */
function sizesAt(played: readonly Night[], last: number): Sizes {
  const lately = played.slice(Math.max(0, last - 30), last).map(({ processorMs, runs }) => processorMs / runs)
  return { ...played[last - 1]!, runMs: lately.toSorted((one, other) => one - other)[lately.length >> 1]! }
}

function lineOf({ night, folders, ledgerBytes, stateBytes, runMs }: Sizes): string {
  const kB = (bytes: number): string => `${Math.round(bytes / 1024)} kB`
  return `after night ${night}: ledger ${kB(ledgerBytes)}, ${folders} runs, ${kB(stateBytes)} in all; a run takes ${runMs.toFixed(0)} ms of processor time`
}

/** What is larger at the end than half-way; by then everything has its full size. Too few nights show nothing. */
function growthOf(played: readonly Night[]): readonly string[] {
  if (played.length < 300) return []
  const [before, after] = [sizesAt(played, played.length >> 1), sizesAt(played, played.length)]
  return (['ledgerBytes', 'stateBytes', 'folders', 'runMs'] as const).filter((what) => after[what] > before[what] * 1.5)
}
