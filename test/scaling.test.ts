import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { everyCommand } from '../src/cli/options/command.ts'
import { loadCommands } from '../src/cli/commands.ts'
import { root } from './imports.ts'

const page = readFileSync(join(root, 'docs/scaling.md'), 'utf8')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly peerDependencies: Readonly<Record<string, string>>
}

describe('docs/scaling.md', () => {
  test('calls only commands and options that exist', async () => {
    const commands = everyCommand(await loadCommands())
    const lines = [...page.matchAll(/^ *windrow ([a-z][^\n]*)$/gm)].map(([, words = '']) => words)
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) {
      const found = commands.find(({ words }) => line === words || line.startsWith(`${words} `))
      const known = Object.keys(found!.command.options).map((flags) => /--[\w-]+/.exec(flags)![0])
      for (const option of line.match(/--[\w-]+/g) ?? []) expect(known, line).toContain(option)
    }
  })

  test('installs the packages that this version works with', () => {
    for (const [name, range] of Object.entries(manifest.peerDependencies)) {
      const installed = new RegExp(`npm install --global .*\\b${name}@([\\d.]+)`).exec(page)![1]!
      expect(`${range}.`, name).toContain(`^${installed}.`)
    }
  })
})
