/** Installs windrow as its users have it: bundled, because a checkout removes types at each start. */

import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeCode } from '../tools/compile.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Writes the published code into the folder again and returns the program to start. The sides that use the library limit their
 * memory as the program does.
 */
export async function installWindrow(folder: string): Promise<string> {
  const home = join(folder, 'node_modules', 'windrow')
  rmSync(home, { recursive: true, force: true })
  await writeCode(join(home, 'dist'), { memory: 'src/core/memory.ts' })
  cpSync(join(root, 'bin'), join(home, 'bin'), { recursive: true })
  cpSync(join(root, 'package.json'), join(home, 'package.json'))
  return join(home, 'bin', 'windrow.js')
}
