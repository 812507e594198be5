/**
 * Runs the same files through two builds and prints what differs: exits, counts, codes and bodies. Exit 1 when something does, 2 when
 * the arguments are wrong.
 *
 *   npm run alike -- HEAD~20 .          a build is a revision, or a folder: a checkout or an installed package
 *   npm run alike -- HEAD~20 . csv      only the files with this text in their name
 */

import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { differencesOf, type Outcome } from './alike/outcome.ts'

const usage = 'npm run alike -- OLD NEW [TEXT]      OLD and NEW: a revision, or a folder with a build'
const root = fileURLToPath(new URL('..', import.meta.url))

process.exitCode = await compare(process.argv.slice(2)).catch((cause: Error) => {
  console.error(`${cause.message}\n${usage}`)
  return 2
})

async function compare(words: readonly string[]): Promise<number> {
  const [old, young, text = ''] = words
  if (old === undefined || young === undefined || words.length > 3) throw new Error('Name two builds.')
  const began = Date.now()
  using before = buildAt(old)
  using after = buildAt(young)
  const [olds, youngs] = await Promise.all([outcomesOf(before.folder, text), outcomesOf(after.folder, text)])
  if (olds.length === 0) throw new Error(`No file has "${text}" in its name.`)
  const differences = differencesOf(olds, youngs)
  for (const { where, what } of differences) console.log(`${where}: ${what}`)
  const files = new Set(olds.map(({ file }) => file)).size
  const differing = differences.reduce((sum, { runs }) => sum + runs, 0)
  console.log(
    `${files} files, ${olds.length} runs of each build: ${olds.length - differing} alike, ${differing} differ in ` +
      `${differences.length} ways. ${((Date.now() - began) / 1000).toFixed(0)} s`,
  )
  return differing === 0 ? 0 : 1
}

type Build = Disposable & { readonly folder: string }

/** The folder of a build. A revision is checked out into a temporary folder. */
function buildAt(name: string): Build {
  const folder = resolve(name)
  if (existsSync(join(folder, 'bin/windrow.js'))) return { folder, [Symbol.dispose]: () => undefined }
  const checkout = mkdtempSync(join(tmpdir(), 'windrow-alike-'))
  const modules = join(checkout, 'node_modules')
  const remove = (): void => {
    // First the link, so that nobody follows it.
    rmSync(modules, { recursive: true, force: true })
    git('worktree', 'remove', '--force', checkout)
  }
  git('worktree', 'add', '--quiet', '--detach', checkout, name)
  try {
    install(checkout, modules)
  } catch (cause) {
    remove()
    throw cause
  }
  return { folder: checkout, [Symbol.dispose]: remove }
}

function install(checkout: string, modules: string): void {
  const lockOf = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8')
  if (lockOf(checkout) === lockOf(root)) return symlinkSync(join(root, 'node_modules'), modules, 'junction')
  const npm = process.env['npm_execpath']
  if (npm === undefined) throw new Error('This revision has other packages. Start the comparison through npm.')
  call(process.execPath, [npm, 'ci', '--omit=dev', '--include=peer', '--ignore-scripts'], checkout)
}

function git(...words: readonly string[]): void {
  call('git', words, root)
}

function call(program: string, words: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(program, words, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(error?.message ?? stderr.trim())
}

/** What the build makes of each file, in a process of its own. */
async function outcomesOf(build: string, text: string): Promise<readonly Outcome[]> {
  const side = fork(fileURLToPath(new URL('alike/side.ts', import.meta.url)), [build, text], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const outcomes: Outcome[] = []
  side.on('message', (outcome) => outcomes.push(outcome as Outcome))
  const [[status]] = await Promise.all([once(side, 'exit'), once(side, 'disconnect')])
  if (status !== 0) throw new Error(`${build} could not be run, after ${outcomes.at(-1)?.file ?? 'no file at all'}.`)
  return outcomes
}
