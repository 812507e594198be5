import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './imports.ts'

/** Runs windrow like a shell, on a Node that reports the given version. */
function runAs(version: string, folder: string, words: readonly string[] = []) {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const preload = `data:text/javascript,${encodeURIComponent(versions)}`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', preload, join(folder, 'bin/windrow.js'), ...words],
    { encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

describe('an old Node', () => {
  test.each(['0.10.48', '9.11.2', '18.20.8', '20.20.2', '22.23.3', '24.15.0'])(
    '%s is refused in one sentence',
    (version) => {
      expect(runAs(version, root)).toEqual({
        status: 2,
        stdout: '',
        stderr: `windrow needs Node 24.16 or later; this is Node ${version}. Install a newer one from nodejs.org.\n`,
      })
    },
  )

  test('can read the file at all', () => {
    const text = readFileSync(join(root, 'bin/windrow.js'), 'utf8')
    expect(text).not.toMatch(/\b(const|let|class|async|await|export)\b|=>|`|\?\.|\?\?|\bimport\s+[^(]|import\.meta/)
  })
})

describe('a Node that is new enough', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'windrow-bin-'))
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    mkdirSync(join(folder, 'dist'))
    writeFileSync(
      join(folder, 'dist/main.js'),
      `export async function main(words) {
        process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning')
        process.emitWarning('the disk is nearly full')
        process.stdout.write('built ' + words.join(','))
        return words.length
      }`,
    )
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(['24.16.0', '24.21.0', '26.1.0'])(
    '%s starts, with arguments, exit code and only real warnings',
    (version) => {
      const result = runAs(version, folder, ['import', 'Rāhui.zip', '*'])
      expect(result).toMatchObject({ status: 3, stdout: 'built import,Rāhui.zip,*' })
      expect(result.stderr).toContain('the disk is nearly full')
      expect(result.stderr).not.toContain('experimental')
    },
  )

  test('runs the source in a checkout', () => {
    mkdirSync(join(folder, 'src/cli'), { recursive: true })
    writeFileSync(
      join(folder, 'src/cli/main.ts'),
      `export async function main(words: readonly string[]): Promise<number> {
        process.stdout.write('source')
        return words.length
      }`,
    )
    expect(runAs('24.21.0', folder, ['a'])).toEqual({ status: 1, stdout: 'source', stderr: '' })
    rmSync(join(folder, 'src'), { recursive: true })
  })
})
