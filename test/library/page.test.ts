import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { root } from '../imports.ts'
import { commandsOf, faultsOf } from '../readme.ts'

const text = readFileSync(join(root, 'docs/library.md'), 'utf8')
const examples = commandsOf(text)

describe('the page about the library', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windrow-library-'))
    for (const name of ['samples', 'pipelines'])
      cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const titled = [...text.matchAll(/^```js\n([^]*?)^```/gm)].map(
    ([, program], index) => [/import \{ ([\w, ]+) \}/.exec(program!)?.[1] ?? 'a format', examples[index]!] as const,
  )

  test.each(titled)('has an example of %s that does what it says, in a program of its own', async (_, example) => {
    expect(await faultsOf([example], folder)).toEqual([])
  })

  test('has an example of each function', async () => {
    const named = examples.map(({ program }) => program).join('\n')
    const jobs = Object.keys(await import('../../src/library/jobs.ts')).concat(['connectTo'])
    const exported = Object.keys(await import('../../src/index.ts'))
    const functions = jobs.filter((name) => exported.includes(name))
    expect(functions.length).toBeGreaterThan(8)
    expect(functions.filter((name) => !new RegExp(`\\b${name}\\(`).test(named))).toEqual([])
  })
})
