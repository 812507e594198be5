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

describe('npm run bench', () => {
  test.each([
    [[], 'Which benchmark?'],
    [['everything'], 'Benchmark "everything" was not found.'],
    [['toString'], 'Benchmark "toString" was not found.'],
    [['geometry-text', '--rounds', 'many'], '--rounds needs a whole number.'],
    [['geometry-text', '--fast'], "Unknown option '--fast'"],
  ])('explains why %j is refused', (words, sentence) => {
    const result = run(...words)
    expect(result).toMatchObject({ status: 2, stdout: '' })
    expect(result.stderr).toContain(sentence)
    expect(result.stderr).toContain('NAME is one of: cliffs, export, geometry, geometry-text')
  })

  test.each([
    ['sync', '20k rows of CSV, 1 % changed; 20k records, first load; '],
    ['geometry-text', '160,000 polygons to GeoJSON text.'],
  ])('lists the contests of %s if the words fit none', (name, contests) => {
    const result = run(name, '--only', 'no such contest')
    expect(result).toMatchObject({ status: 2, stdout: '' })
    expect(result.stderr).toContain('No contest has "no such contest" in its name. The contests are: ')
    expect(result.stderr).toContain(contests)
  })
})
