import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { root } from '../imports.ts'

function run(words: readonly string[], folder = root, env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/with-install.mjs', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env,
  })
  return { status, stdout, stderr }
}

describe('when everything is installed', () => {
  test('it is silent and passes on arguments, output and exit code', () => {
    const result = run(['test/tools/answer.mjs', '7', '--json', 'Rāhui top flat', '*'])
    expect(result.stderr).toBe('')
    expect(JSON.parse(result.stdout)).toMatchObject({ words: ['--json', 'Rāhui top flat', '*'] })
    expect(result.status).toBe(7)
  })

  test('a missing file is named', () => {
    expect(run(['tools/nothing.ts'])).toMatchObject({ status: 1, stderr: 'File tools/nothing.ts was not found.\n' })
  })

  test.skipIf(process.platform === 'win32')('a signal reaches the program', async () => {
    const child = spawn(process.execPath, ['tools/with-install.mjs', 'test/tools/answer.mjs', 'wait'], { cwd: root })
    child.stdout.once('data', () => child.kill('SIGTERM'))
    const code = await new Promise((resolve) => child.on('exit', resolve))
    expect(code).toBe(9)
  })
})

describe('in a checkout without node_modules', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windrow-checkout-'))
    mkdirSync(join(folder, 'tools'))
    copyFileSync(join(root, 'tools/with-install.mjs'), join(folder, 'tools/with-install.mjs'))
    copyFileSync(join(root, 'test/tools/answer.mjs'), join(folder, 'answer.mjs'))
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    )
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Replaces npm by a JavaScript file that Node runs, like npm's own command line. */
  function placeNpm(script: string): NodeJS.ProcessEnv {
    writeFileSync(join(folder, 'npm-cli.js'), script)
    return { ...process.env, npm_execpath: join(folder, 'npm-cli.js') }
  }

  const laysOutModules = `
    const fs = require('node:fs')
    fs.appendFileSync('asked.txt', process.argv.slice(2).join(' ') + '\\n')
    fs.mkdirSync('node_modules/node/bin', { recursive: true })
    fs.writeFileSync('node_modules/.package-lock.json', fs.readFileSync('package-lock.json'))
    const node = 'node_modules/node/bin/' + (process.platform === 'win32' ? 'node.exe' : 'node')
    fs.rmSync(node, { force: true })
    // A copy of Node has a hundred megabytes, but only Windows needs one.
    if (process.platform === 'win32') fs.copyFileSync(process.execPath, node)
    else fs.symlinkSync(process.execPath, node)
  `

  function asked(): string {
    return readFileSync(join(folder, 'asked.txt'), 'utf8')
  }

  test('it installs once, with one line at each end, and again when the lockfile changes', () => {
    const env = placeNpm(laysOutModules)
    const first = run(['answer.mjs', '0'], folder, env)
    expect(first.status, first.stderr).toBe(0)
    expect(first.stderr.trim().split('\n')).toHaveLength(2)
    expect(run(['answer.mjs', '0'], folder, env).stderr).toBe('')
    expect(asked()).toBe('ci --include=dev\n')
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.1' } } }),
    )
    expect(run(['answer.mjs', '0'], folder, env).status).toBe(0)
    expect(asked()).toBe('ci --include=dev\nci --include=dev\n')
  })

  test('packages installed with npm ci are used unchanged', () => {
    const env = placeNpm(laysOutModules)
    spawnSync(process.execPath, [join(folder, 'npm-cli.js'), 'by-hand'], { cwd: folder })
    expect(run(['answer.mjs', '0'], folder, env)).toMatchObject({ status: 0, stderr: '' })
    expect(asked()).toBe('by-hand\n')
  })

  test('packages of another system are not used', () => {
    const env = placeNpm(laysOutModules)
    expect(run(['answer.mjs', '0'], folder, env).status).toBe(0)
    writeFileSync(join(folder, 'node_modules/.windrow-installed'), 'abc otheros x64\n')
    expect(run(['answer.mjs', '0'], folder, env).status).toBe(0)
    expect(asked()).toBe('ci --include=dev\nci --include=dev\n')
  })

  test('without an installed Node, a new enough one is used and nothing is installed again', () => {
    const env = placeNpm(laysOutModules)
    expect(run(['answer.mjs', '0'], folder, env).status).toBe(0)
    rmSync(join(folder, 'node_modules/node'), { recursive: true })
    expect(run(['answer.mjs', '5'], folder, env)).toMatchObject({ status: 5, stderr: '' })
    expect(asked()).toBe('ci --include=dev\n')
  })

  test.each([
    ['offline', `console.error('npm error code ENOTFOUND'); process.exit(1)`, /cannot reach its registry/],
    [
      'anything else',
      `console.error('npm error disk on fire'); process.exit(1)`,
      /disk on fire[^]*could not be installed/,
    ],
  ])('a failing installation is explained: %s', (_, script, expected) => {
    const result = run(['answer.mjs', '0'], folder, placeNpm(script))
    expect(result.status).toBe(1)
    expect(result.stdout).toBe('')
    expect(result.stderr).toMatch(expected)
    expect(result.stderr).not.toMatch(/\n\s+at /)
  })

  test('without npm it explains how to start', () => {
    const env = { ...process.env }
    delete env['npm_execpath']
    expect(run(['answer.mjs', '0'], folder, env)).toMatchObject({ status: 1 })
    expect(run(['answer.mjs', '0'], folder, env).stderr).toMatch(/through npm/)
  })

  test.skipIf(process.platform === 'win32')('a linked node_modules that does not fit is left alone', () => {
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync('elsewhere', join(folder, 'node_modules'))
    const result = run(['answer.mjs', '0'], folder, placeNpm(laysOutModules))
    expect(result).toMatchObject({ status: 1 })
    expect(result.stderr).toMatch(/link to another folder/)
  })
})
