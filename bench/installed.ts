/** Hides how windrow comes to lie there as its users have it: compiled, because a checkout pays for type stripping at each start. */

import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Compiles the source into the folder, anew each time, and names the program to start. */
export function installWindrow(folder: string): string {
  const home = join(folder, 'node_modules', 'windrow')
  rmSync(home, { recursive: true, force: true })
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const words = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', join(home, 'dist')]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`windrow could not be compiled.\n${stdout}${stderr}`)
  cpSync(join(root, 'bin'), join(home, 'bin'), { recursive: true })
  cpSync(join(root, 'package.json'), join(home, 'package.json'))
  return join(home, 'bin', 'windrow.js')
}
