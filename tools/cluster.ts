/**
 * Publishes many farms with several workers on one PostgreSQL, kills a worker every few seconds, and shows whether the service
 * has what the files have. Exit 1 if not.
 *
 *   npm run cluster                                              2,000 farms of 50 rows, 4 workers, a kill every 10 seconds
 *   npm run cluster -- --farms 100 --workers 2 --kill-every 3    fewer of each
 *   npm run cluster -- --overhead --farms 200                    the time that the queue adds to the runs
 */

import { measureQueue, playCluster } from './chaos/cluster-farms.ts'
import { countOf, readOptions } from './read-options.ts'

const values = readOptions({
  farms: { type: 'string', default: '2000' },
  rows: { type: 'string', default: '50' },
  workers: { type: 'string', default: '4' },
  'kill-every': { type: 'string', default: '10' },
  overhead: { type: 'boolean', default: false },
})
const [farms, rows, workers, killEveryS] = (['farms', 'rows', 'workers', 'kill-every'] as const).map((name) =>
  countOf(name, values[name]),
)
if (values.overhead) {
  const { queued, direct } = await measureQueue({ farms: farms!, rows: rows! })
  console.log(`${farms} farms twice: ${direct.toFixed(1)} s with windrow run, ${queued.toFixed(1)} s with one worker`)
  console.log(`the queue adds ${(100 * (queued / direct - 1)).toFixed(1)} %`)
  process.exit(0)
}
const result = await playCluster({ farms: farms!, rows: rows!, workers: workers!, killEveryS: killEveryS! })
const { seconds, kills, runs, created, left, ...faults } = result
console.log(`
farms                    ${farms}, each run twice by ${workers} workers in ${seconds.toFixed(1)} s
workers killed           ${kills}
runs                     ${runs}, with ${created} records created

records lost             ${faults.lost}
records doubled          ${faults.doubled}
rows not booked once     ${faults.misbooked}
books unbalanced         ${faults.unbalanced}
runs out of order        ${faults.disordered}
runs left in the queue   ${left.length}`)
for (const { name, tries, error } of left) console.log(`  ${name}, tried ${tries} times: ${error}`)
const isRight = left.length === 0 && Object.values(faults).every((count) => count === 0)
process.exitCode = isRight && created === farms! * rows! ? 0 : 1
