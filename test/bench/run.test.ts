import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { root } from '../imports.ts'

function run(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/run.ts', ...words], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('the door to the benchmarks', () => {
  test.each([
    [[], 'Which benchmark?'],
    [['everything'], 'There is no benchmark called "everything".'],
    [['toString'], 'There is no benchmark called "toString".'],
    [['geometry-text', '--rounds', 'many'], '--rounds takes a whole number.'],
    [['geometry-text', '--fast'], "Unknown option '--fast'"],
  ])('refuses %j in words', (words, sentence) => {
    const result = run(...words)
    expect(result).toMatchObject({ status: 2, stdout: '' })
    expect(result.stderr).toContain(sentence)
    expect(result.stderr).toContain('NAME is one of: cliffs, geometry, geometry-text')
  })
})
