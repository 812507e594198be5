/** Builds the package: bundles it into a clean dist with its declarations, packs it, and checks the packed file. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeCode, writeDeclarations } from './compile.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
await writeCode(dist)
writeDeclarations(dist)

// The consumer imports the package by its name, through its exports.
runTool('typescript', 'tsc', ['-p', 'tools/consumer/tsconfig.json'])

const folder = mkdtempSync(join(tmpdir(), 'windrow-pack-'))
try {
  const packed = join(folder, pack(folder))
  runTool('publint', 'publint', [packed, '--strict'])
  runTool('@arethetypeswrong/cli', 'attw', [packed, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii'])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log('Built dist; a strict consumer compiles against it, and the packed file passes publint and attw.')

function pack(destination) {
  const npm = process.env.npm_execpath
  if (npm === undefined) stop('Start the build through npm: npm run build')
  const result = spawnSync(
    process.execPath,
    [npm, 'pack', '--ignore-scripts', '--json', '--pack-destination', destination],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, npm_config_dry_run: 'false' },
    },
  )
  if (result.status !== 0) stop(`${result.stdout}${result.stderr}`)
  const answer = JSON.parse(result.stdout)
  return Object.values(answer)[0].filename
}

function runTool(packageName, command, words) {
  const home = join(root, 'node_modules', packageName)
  const entry = join(home, JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).bin[command])
  const result = spawnSync(process.execPath, [entry, ...words], { cwd: root, encoding: 'utf8' })
  if (result.status !== 0) stop(`${result.stdout}${result.stderr}\n${command} failed.`)
}

function stop(message) {
  console.error(message)
  process.exit(1)
}
