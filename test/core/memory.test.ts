import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../imports.ts'

/** Makes rows that live for a moment, as a reader does, and tells how large the nursery got. */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { setImmediate as turn } from 'node:timers/promises'
  import { keepMemorySmall } from './src/core/memory.ts'
  if (process.argv[1] === 'small') keepMemorySmall()
  let held = []
  const spentMs = () => process.cpuUsage().user / 1000
  const until = spentMs() + 250
  while (spentMs() < until) {
    held = Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'paddock ' + index, list: [index] }))
    await turn()
  }
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  console.log(space_size >> 20)
`

function nurseryMB(word: string): number {
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, word]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect(stderr).toBe('')
  return Number(stdout)
}

test('the nursery stops growing where it is large enough', () => {
  const [small, usual] = [nurseryMB('small'), nurseryMB('usual')]
  expect(small).toBeGreaterThanOrEqual(1)
  expect(small).toBeLessThanOrEqual(48)
  expect(usual).toBeGreaterThan(small)
})
