import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../imports.ts'

test('eight nights around a clock change, with faults and a file that drifts, end with what the file has', () => {
  const words = [join(root, 'tools/year.ts'), '--nights', '8', '--seeds', '3', '--from', '2027-03-31', '--rows', '60']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(stdout, stderr).toMatch(/^Seed 3: 8 nights of 60 rows, 1 clock changes, in /)
  expect(stdout).toContain('  lost 0, doubled 0, leftOver 0, wrong 0, unbalanced 0, stuck 0\n')
  expect(stdout).toMatch(/after night 8: ledger \d+ kB, \d+ runs/)
  expect(status).toBe(0)
})

test.each([
  [['--seed', '2'], `Unknown option '--seed'. The options are --nights, --rows, --seeds, --from.\n`],
  [['--nights', 'many'], '--nights needs a whole number above 0, not "many".\n'],
  [['--from', 'tomorrow'], '--from needs a day such as 2027-03-26, not "tomorrow".\n'],
])('a wrong option ends it with one sentence: %j', (words, stderr) => {
  const result = spawnSync(process.execPath, [join(root, 'tools/year.ts'), ...words], { encoding: 'utf8' })
  expect(result).toMatchObject({ status: 2, stdout: '', stderr })
})
