/**
 * Checks the code without running it. Stops at the first check that fails.
 *
 *   npm run check [-- NAME...]     types, lint, format, unused; all of them without a name
 */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const steps = {
  types: ['typescript', 'tsc', []],
  lint: ['oxlint', 'oxlint', ['src', 'test', 'tools', 'bench', 'bin']],
  format: ['oxfmt', 'oxfmt', ['--check']],
  unused: ['knip', 'knip', ['--no-progress']],
}

const named = process.argv.slice(2)
const unknown = named.find((name) => !Object.hasOwn(steps, name))
if (unknown !== undefined) {
  console.error(`Check "${unknown}" was not found. Checks: ${Object.keys(steps).join(', ')}.`)
  process.exit(2)
}

const started = Date.now()
for (const name of named.length === 0 ? Object.keys(steps) : named) check(name)
console.log(`${'together'.padEnd(10)}${seconds(started)}`)
for (const folder of ['src', 'test']) console.log(`${folder.padEnd(10)}${size(folder)}`)

function check(name) {
  const [packageName, command, words] = steps[name]
  const begun = Date.now()
  const result = spawnSync(process.execPath, [entryOf(packageName, command), ...words], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (result.status === 0) {
    console.log(`${name.padEnd(10)}${seconds(begun)}`)
    return
  }
  console.error(`${result.stdout}${result.stderr}${result.error?.message ?? ''}`.trimEnd())
  if (name === 'format') console.error('\nnpx oxfmt corrects the format.')
  console.error(`\n${name} failed after ${seconds(begun).trim()}. The other checks were not run.`)
  process.exit(1)
}

/** The JavaScript file behind a command of node_modules/.bin, which on Windows is a script for its shell. */
function entryOf(packageName, command) {
  const folder = join(root, 'node_modules', packageName)
  return join(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin[command])
}

/** How many lines of TypeScript a folder has, and in how many files. test/layers.test.ts has the limits of each room of src. */
function size(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).filter((name) => /(?<!\.cases)\.ts$/.test(name))
  const lines = files.map((name) => readFileSync(join(root, folder, name), 'utf8').split('\n').length - 1)
  return `${lines.reduce((sum, each) => sum + each, 0)} lines in ${files.length} files`
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1).padStart(5)} s`
}
