/**
 * Publishes many farms twice with several workers on one PostgreSQL, kills a worker every few seconds, stops PostgreSQL while all are
 * busy, and shows whether the service has what the files have. Exit 1 if not, or if a worker ended by itself.
 *
 *   npm run cluster                                              2,000 farms of 50 rows, 4 workers, a kill every 10 seconds
 *   npm run cluster -- --farms 200 --workers 3 --kill-every 3 --kills 20 --stops 3    fewer farms, and PostgreSQL stops three times
 *   npm run cluster -- --overhead --farms 200                    the time that the queue adds to the runs
 */

import { measureQueue, playCluster } from './chaos/cluster-farms.ts'
import { countOf, readOptions } from './read-options.ts'

const values = readOptions({
  farms: { type: 'string', default: '2000' },
  rows: { type: 'string', default: '50' },
  workers: { type: 'string', default: '4' },
  'kill-every': { type: 'string', default: '10' },
  kills: { type: 'string', default: '1000' },
  stops: { type: 'string' },
  overhead: { type: 'boolean', default: false },
})
const [farms, rows, workers, killEveryS, mostKills] = (
  ['farms', 'rows', 'workers', 'kill-every', 'kills'] as const
).map((name) => countOf(name, values[name]))
const mostStops = values.stops === undefined ? 0 : countOf('stops', values.stops)
if (values.overhead) {
  const { queued, direct } = await measureQueue({ farms: farms!, rows: rows! })
  console.log(`${farms} farms twice: ${direct.toFixed(1)} s with windrow run, ${queued.toFixed(1)} s with one worker`)
  console.log(`the queue adds ${(100 * (queued / direct - 1)).toFixed(1)} %`)
  process.exit(0)
}
const result = await playCluster({
  farms: farms!,
  rows: rows!,
  workers: workers!,
  killEveryS: killEveryS!,
  mostKills: mostKills!,
  mostStops,
})
const { seconds, kills, stops, runs, created, left, fallen, ...faults } = result
console.log(`
farms                    ${farms}, each run twice by ${workers} workers in ${seconds.toFixed(1)} s
workers killed           ${kills}
PostgreSQL stopped       ${stops}
workers that fell        ${fallen.length}
runs                     ${runs}, with ${created} records created

records lost             ${faults.lost}
records doubled          ${faults.doubled}
rows not booked once     ${faults.misbooked}
books unbalanced         ${faults.unbalanced}
runs out of order        ${faults.disordered}
runs left in the queue   ${left.length}`)
for (const words of fallen) console.log(`  ${words}`)
for (const { name, tries, error } of left) console.log(`  ${name}, tried ${tries} times: ${error}`)
const isRight = left.length === 0 && fallen.length === 0 && Object.values(faults).every((count) => count === 0)
process.exitCode = isRight && created === farms! * rows! ? 0 : 1
