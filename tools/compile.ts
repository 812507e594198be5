/** Bundles the source into a few readable files, because Node loads few files faster, and writes the declarations. */

import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

type Manifest = {
  readonly dependencies: object
  readonly peerDependencies: object
  readonly engines: { readonly node: string }
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** The entry points of the package. Each is loaded by a file of this name, which checks the version of Node first. */
const doors = { index: 'src/index.ts', files: 'src/files.ts', service: 'src/service.ts' }

/** Files with a fixed name: behind the entry points, the command line, and code for threads and child processes. */
const entries = {
  ...Object.fromEntries(Object.entries(doors).map(([name, path]) => [behind(name), path])),
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
    const { output } = await bundle.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js' })
    for (const name of Object.keys(doors)) {
      const written = output.find(({ fileName }) => fileName === `${behind(name)}.js`)
      if (written?.type === 'chunk') writeFileSync(join(folder, `${name}.js`), doorTo(behind(name), written.exports))
    }
  } finally {
    await bundle.close()
  }
}

function behind(name: string): string {
  return `${name}-checked`
}

/**
 * An entry point in words that Node 14 understands. Node parses all files that one imports before it runs the first, so an older one
 * would report a syntax error; what is required is parsed when the line is reached.
 */
function doorTo(name: string, names: readonly string[]): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)!
  return `/** Checks the version of Node, then gives what ${name}.js exports. */

import { createRequire } from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${major} || (major === ${major} && minor < ${minor}))
  throw new Error(
    \`windrow needs Node ${major}.${minor} or later; this is Node \${process.versions.node}. Install a newer one from nodejs.org.\`,
  )

export const { ${names.toSorted().join(', ')} } = createRequire(import.meta.url)('./${name}.js')
`
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
  const { dependencies, peerDependencies } = manifest
  return [/^node:/, ...Object.keys({ ...dependencies, ...peerDependencies }).map((name) => new RegExp(`^${name}(/|$)`))]
}
