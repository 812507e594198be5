import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeDeclarations } from '../../tools/compile.ts'
import { root } from '../imports.ts'
import { commandsOf } from '../readme.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-types-'))
  writeDeclarations(join(folder, 'dist'))
  for (const name of ['package.json', 'tools/consumer'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the compiler finds in these files, which import windrow by its name. */
function faultsIn(...files: readonly string[]): string {
  const config = {
    extends: './tools/consumer/tsconfig.json',
    compilerOptions: { allowJs: true, checkJs: true, strict: true, noImplicitAny: false },
    files,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [compiler, '-p', folder], { cwd: folder, encoding: 'utf8' }).stdout
}

test('a strict program compiles against the types of the package', () => {
  expect(faultsIn('tools/consumer/consumer.mts')).toBe('')
})

test('a format of your own has the right types as the page about the library shows it', () => {
  const programs = commandsOf(readFileSync(join(root, 'docs/library.md'), 'utf8')).flatMap(
    ({ program }) => program ?? [],
  )
  const own = programs.filter((program) => program.includes('OwnFormat'))
  expect(own).toHaveLength(1)
  mkdirSync(join(folder, 'own'))
  writeFileSync(join(folder, 'own/orchard.mjs'), own[0]!)
  expect(faultsIn('own/orchard.mjs')).toBe('')
  writeFileSync(join(folder, 'own/wrong.mjs'), own[0]!.replace('values: { name }', 'value: { name }'))
  expect(faultsIn('own/wrong.mjs')).toContain('values')
})
