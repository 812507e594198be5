/** Bundles the source into a few readable files, because Node loads few files faster, and writes the declarations. */

import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Files with a fixed name: the entry points of the package, the command line, and code for threads and child processes. */
const entries = {
  index: 'src/index.ts',
  files: 'src/files.ts',
  service: 'src/service.ts',
  main: 'src/cli/main.ts',
  'boundary-thread': 'src/geometry/boundary/boundary-thread.ts',
  'postgres-thread': 'src/core/postgres-thread.ts',
  library: 'src/formats/workbook/library.ts',
  guard: 'src/formats/workbook/guard.ts',
}

/**
 * Writes the code into the folder. All files are side by side, so that `new URL('./guard.js', import.meta.url)` is right in any of
 * them. Other files are named by their content: a schedule that runs during an update of windrow must not load a new file under
 * an old name. `more` are entries that are not published.
 */
export async function writeCode(folder: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { ...entries, ...more },
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

/** Writes the declarations into the folder, including those written by hand. */
export function writeDeclarations(folder: string): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const words = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The declarations could not be written.\n${stdout}${stderr}`)
  cpSync(join(root, 'src'), folder, {
    recursive: true,
    filter: (path) => !/(?<!\.d)\.ts$|\.json$/.test(path),
  })
}

/** Installed packages stay imports; one that is not a dependency stops the build. */
function installed(): RegExp[] {
  type Manifest = { readonly dependencies: object; readonly peerDependencies: object }
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  return [/^node:/, ...Object.keys({ ...dependencies, ...peerDependencies }).map((name) => new RegExp(`^${name}(/|$)`))]
}
