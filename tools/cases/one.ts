/**
 * Judges one case in its own process, so that its time and peak memory are its own.
 *
 *   node tools/cases/one.ts CASES.json ID      answers with one line of JSON
 */

import { judgeCase } from './judge.ts'
import { readCases } from './case.ts'

const [list = '', id = ''] = process.argv.slice(2)
const { folder, cases } = readCases(list)
const begun = performance.now()
const verdict = await judgeCase(
  folder,
  cases.find((each) => each.id === id)!,
)
const { user, system } = process.cpuUsage()
console.log(
  JSON.stringify({ ...verdict, seconds: (performance.now() - begun) / 1000, cpuSeconds: (user + system) / 1e6 }),
)
