/**
 * Kills runs of a nightly pipeline, and shows whether the service has what the file has after each night. Exit 1 if not.
 *
 *   npm run chaos                                      300 kills, every second one around a write of the stage or the ledger
 *   npm run chaos -- --kills 50 --seed 7 --rows 100    fewer kills, at other moments, of a smaller file
 */

import { isSound, killsIn, playKillNights } from './chaos/kill-nights.ts'
import { countOf, readOptions } from './read-options.ts'

const options = readOptions({
  kills: { type: 'string', default: '300' },
  seed: { type: 'string', default: '1' },
  rows: { type: 'string', default: '600' },
})

const result = await playKillNights({
  kills: countOf('kills', options.kills),
  seed: countOf('seed', options.seed),
  rows: countOf('rows', options.rows),
  onNight: (each) => console.log(`night ${each.nights}: ${killsIn(each)} runs were killed`),
})
const { places, writes, moments, nights, escaped } = result
const where = Object.entries(places).map(([place, count]) => `${count} while ${place}`)
console.log(`
kills tried             ${killsIn(result)}  (${where.join(', ')})
around writes           ${writes.size} of ${moments} moments before and after a write of the stage or the ledger
runs that ended before  ${escaped}
nights                  ${nights}, with ${result.created} records created, ${result.updated} updated, ${result.deleted} deleted, ${result.dropped} dropped by the service

records lost            ${result.lost}
records doubled         ${result.doubled}
records wiped           ${result.wiped}
records left over       ${result.leftOver}
records wrong           ${result.wrong}
books unbalanced        ${result.unbalanced}
nights that never ended ${result.stuck}`)
process.exitCode = isSound(result) ? 0 : 1
