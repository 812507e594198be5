/**
 * Installs Node 24 and the packages when the lockfile has changed, then runs the named file with the repository's Node. Plain
 * JavaScript for Node 18 and later.
 *
 *   node tools/with-install.mjs FILE [ARGUMENT...]
 */

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, delimiter, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const system = `${process.platform} ${process.arch}`
const stampFile = join(modules, '.windrow-installed')
// The package "node" leaves an empty bin/node beside bin/node.exe on Windows.
const ownNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

const [file, ...rest] = process.argv.slice(2)
if (file === undefined) stop('Name the file to run, such as: node tools/with-install.mjs tools/tour.ts')
if (!isInstalled()) install()
run(resolve(root, file), rest)

function stop(message) {
  console.error(message)
  process.exit(1)
}

/** The lockfile as it is now, on this kind of machine: a folder copied from another system must not pass. */
function wantedStamp() {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${hash} ${system}\n`
}

function isInstalled() {
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : undefined
  if (stamp === wantedStamp()) return true
  const fromElsewhere = stamp !== undefined && !stamp.endsWith(` ${system}\n`)
  if (fromElsewhere || !agreesWithLockfile()) return false
  writeStamp()
  return true
}

function writeStamp() {
  try {
    writeFileSync(stampFile, wantedStamp())
  } catch {
    // Without write access the comparison is only repeated next time.
  }
}

/** True when somebody ran npm themselves: npm's own record lists each package of the lockfile in the same version. */
function agreesWithLockfile() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const found = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages
    return Object.entries(wanted).every(
      ([path, { version, optional }]) =>
        path === '' || (found[path] === undefined ? optional === true : found[path].version === version),
    )
  } catch {
    return false
  }
}

function install() {
  const linked = existsSync(modules) && lstatSync(modules).isSymbolicLink()
  if (linked)
    stop('node_modules is a link to another folder and does not fit package-lock.json. Run npm ci where it points to.')
  const npm = process.env.npm_execpath?.replace(/npx-cli\.js$/, 'npm-cli.js')
  if (npm === undefined || basename(npm) !== 'npm-cli.js')
    stop('The packages are not installed yet. Start this through npm (npm test, npm start), or run npm ci first.')
  console.error('Installing Node 24 and the packages of package-lock.json into node_modules, once ...')
  const started = Date.now()
  const result = spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...installWords()], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (result.status !== 0) stop(explainFailure(result))
  writeStamp()
  console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`)
}

/** Windows cannot delete a program that runs, so `npm ci` there fails when this very process is the repository's Node. */
function installWords() {
  const runsOwnNode = existsSync(ownNode) && realpathSync(process.execPath) === realpathSync(ownNode)
  const words = process.platform === 'win32' && runsOwnNode ? ['install', '--no-save'] : ['ci']
  // Explicit, because NODE_ENV=production would leave out Node itself and every tool.
  return [...words, '--include=dev']
}

function explainFailure({ error, signal, stdout, stderr }) {
  if (error !== undefined) return `npm could not be started: ${error.message}`
  if (signal !== null) return `The installation was stopped (${signal}). Run the same command again.`
  const said = `${stdout}\n${stderr}`.trim()
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/.test(said))
    return 'The packages could not be downloaded: npm cannot reach its registry from this machine. Connect it (or set the proxy in npm config), then run the same command again.'
  return `${said}\n\nThe packages could not be installed; see npm's message above.`
}

/** The repository's Node; where its download was switched off, the running Node, if it is new enough. */
function chooseNode() {
  if (existsSync(ownNode)) return ownNode
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 16)) return process.execPath
  return stop(
    `Node 24 was not installed, probably because npm may not run install scripts here; this one is ${process.versions.node}. Run npm rebuild node --ignore-scripts=false, or use Node 24.16 or later.`,
  )
}

function run(path, words) {
  if (!existsSync(path)) stop(`File ${relative(root, path)} was not found.`)
  const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  const searchPath = [join(modules, '.bin'), process.env[pathName]].filter(Boolean).join(delimiter)
  const child = spawn(chooseNode(), [path, ...words], {
    stdio: 'inherit',
    env: { ...process.env, [pathName]: searchPath },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well; a second one would read as "at once".
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  child.on('error', (cause) => stop(`Node could not be started: ${cause.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)))
}
