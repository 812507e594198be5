/**
 * Hides how the source becomes what users run: bundled into a few files, because Node takes a third of a millisecond for each that
 * it loads, and left readable; the declarations come from the compiler.
 */

import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What is asked for by its name: the doors of the package, the command line, and what runs in a thread or a process of its own. */
const entries = {
  index: 'src/index.ts',
  files: 'src/files.ts',
  service: 'src/service.ts',
  main: 'src/cli/main.ts',
  'boundary-thread': 'src/geometry/boundary/boundary-thread.ts',
  library: 'src/formats/workbook/library.ts',
  guard: 'src/formats/workbook/guard.ts',
}

/**
 * Writes the code into the folder. All its files lie beside each other, so that `new URL('./guard.js', import.meta.url)` is right in
 * whichever of them that line ends up. What no one asks for by its name is named after its content: a schedule that runs while
 * windrow is updated must not find another file under the name of one that it loads late.
 */
export async function writeCode(folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: installed(),
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(message)
    },
  })
  try {
    await bundle.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js' })
  } finally {
    await bundle.close()
  }
}

/** Writes the declarations into the folder, those made by hand too. */
export function writeDeclarations(folder: string): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const words = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The declarations could not be written.\n${stdout}${stderr}`)
  cpSync(join(root, 'src'), folder, {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') || path.endsWith('.d.ts'),
  })
}

/** What is installed beside windrow is left to be imported from there; a package that is not stops the build. */
function installed(): RegExp[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
  return [/^node:/, ...Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`))]
}
