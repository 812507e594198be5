import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { differencesOf, type Outcome } from '../../tools/alike/outcome.ts'
import { root } from '../imports.ts'

/** A build that repairs no boundary by more than usual, whatever a person types. */
let other: string

beforeAll(() => {
  other = mkdtempSync(join(tmpdir(), 'windrow-other-'))
  const files = {
    'package.json': '{"type":"module"}',
    'bin/windrow.js': `await import(${JSON.stringify(pathToFileURL(join(root, 'bin/windrow.js')).href)})`,
    'dist/main.js': `import { main as usual } from ${JSON.stringify(pathToFileURL(join(root, 'src/cli/main.ts')).href)}
      export const main = (words) => usual(words.filter((word) => word !== '--set' && word !== 'geometry.repair=60 %'))`,
  }
  for (const folder of ['bin', 'dist']) mkdirSync(join(other, folder))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(other, name), content)
})

afterAll(() => rmSync(other, { recursive: true, force: true }))

function alike(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/alike.ts', ...words], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, lines: stdout.trim().split('\n'), stderr }
}

describe('npm run alike', () => {
  test('finds nothing between a build and itself, also where the service answers', () => {
    const { status, lines, stderr } = alike('.', '.', 'an open ring')
    expect(stderr).toBe('')
    expect(lines).toEqual([
      expect.stringMatching(/^2 files, 4 runs of each build: 4 alike, 0 differ in 0 ways\. \d+ s$/),
    ])
    expect(status).toBe(0)
  })

  test('shows in one line what another build makes of a file', () => {
    const { status, lines } = alike('.', other, 'a bow that may')
    expect(lines).toEqual([
      expect.stringMatching(/^maps\/a bow that may be repaired \(dry, sent\): exit 0 -> 3; rows\.ready 10 -> 9; /),
      expect.stringMatching(/^maps\/a bow that may be repaired \(again\): exit 0 -> 3; rows\.unchanged 10 -> 9; /),
      expect.stringMatching(/^2 files, 4 runs of each build: 1 alike, 3 differ in 2 ways\. \d+ s$/),
    ])
    expect(lines[0]).toContain('code boundary-repaired 1 -> 0; code boundary-crosses-itself 0 -> 1; ')
    expect(status).toBe(1)
  })

  test.each([
    [[], 'Name two builds.'],
    [['.', 'no-such-revision'], 'no-such-revision'],
    [['.', '.', 'no such file'], 'No file has "no such file" in its name.'],
  ])('explains why %j is refused', (words, sentence) => {
    const { status, stderr } = alike(...words)
    expect(status).toBe(2)
    expect(stderr).toContain(sentence)
  })
})

test('names each member of a body that differs, with its first body', () => {
  const outcome = (...names: readonly string[]): Outcome => ({
    file: 'farm.csv',
    run: 'dry',
    exit: 0,
    counts: {},
    codes: {},
    bodies: names.map((name, index) => JSON.stringify({ dataPointKey: `k/${index}`, crops: [{ name }] })),
  })
  expect(differencesOf([outcome('RG', 'MZ', 'PL')], [outcome('Ryegrass', 'Maize', 'PL')])).toEqual([
    { where: 'farm.csv (dry)', runs: 1, what: 'body k/0 and 1 more: crops[0].name "RG" -> "Ryegrass"' },
  ])
  expect(differencesOf([outcome('RG', 'MZ')], [outcome('RG')])[0]!.what).toBe('1 bodies less: k/1')
  expect(differencesOf([outcome('RG')], [{ ...outcome('RG'), counts: { 'rows.skipped': 0 } }])).toEqual([])
  expect(differencesOf([], [outcome('RG')])[0]!.what).toBe('was not run')
})
