import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './imports.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly engines: { readonly node: string }
  readonly devDependencies: { readonly node: string }
  readonly scripts: Readonly<Record<string, string>>
}

test('the tests run on a Node version that the package supports', () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  expect(manifest.engines.node).toBe('>=24.16')
  expect(major > 24 || (major === 24 && minor >= 16), `Node ${process.versions.node}`).toBe(true)
})

test('every script goes through the installer, which installs Node 24', () => {
  for (const [name, command] of Object.entries(manifest.scripts))
    expect(command, name).toMatch(/^node tools\/with-install\.mjs /)
})

test('the installer starts files with the Node of package.json', () => {
  const words = ['tools/with-install.mjs', 'test/tools/answer.mjs', '0']
  const { stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect(JSON.parse(stdout)).toMatchObject({ node: manifest.devDependencies.node })
})
