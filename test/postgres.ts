/** Starts a PostgreSQL server of its own for tests, in a temporary folder, where PostgreSQL is installed. */

import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from '../src/core/once.ts'

export type Server = {
  /** The address of a new, empty database. */
  database(): string
  /** Removes all rows from a database and leaves its tables: that takes a tenth of the time of a new one with new tables. */
  empty(url: string): void
  /** Stops the server at once, as a crash does. */
  crash(): Promise<void>
  /** Stops it as an administrator does (pg_ctl stop -m fast): it ends all connections first. */
  halt(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const version = 15
const programs = programsFolder()

/** Whether PostgreSQL 15 or newer is installed. */
export const hasPostgres = programs !== undefined

function programsFolder(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const found = existsSync(debian) ? readdirSync(debian).map(Number) : []
  const newest = Math.max(0, ...found.filter(Number.isFinite))
  return newest >= version ? join(debian, String(newest), 'bin') : undefined
}

type User = { readonly uid?: number; readonly gid?: number }

/** PostgreSQL refuses to run as root: then it runs as the user whom the package made for it. */
function runAs(): User {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

const program = (name: string): string => join(programs!, name)

function ask(url: string, sql: string): void {
  execFileSync(program('psql'), ['-qAt', '-c', sql, url], { stdio: 'pipe' })
}

/** The address of a new, empty database on the server with this address. */
function newDatabase(server: string): string {
  const name = `farms_${randomBytes(6).toString('hex')}`
  ask(server, `CREATE DATABASE ${name}`)
  return server.replace(/[^/]*$/, name)
}

/** Deletes all that windrow and its queue have written, but not what says which tables there are. */
const emptying = `DO $$ DECLARE each RECORD; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR each IN SELECT schemaname, tablename FROM pg_tables
    WHERE (schemaname LIKE 'windrow%' OR schemaname = 'graphile_worker')
      AND tablename NOT IN ('versions', 'migrations', '_private_tasks') LOOP
    EXECUTE format('DELETE FROM %I.%I', each.schemaname, each.tablename);
  END LOOP; END $$`

function folderOf({ uid, gid }: User): string {
  // The other user may not enter a temporary folder that root made for itself.
  const isOpen = uid === undefined || (statSync(tmpdir()).mode & 0o001) !== 0
  const folder = mkdtempSync(join(isOpen ? tmpdir() : '/tmp', 'windrow-postgres-'))
  if (uid !== undefined) chownSync(folder, uid, gid!)
  return folder
}

function surroundingsOf(user: User, folder: string) {
  return { ...user, cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' } }
}

/** The files of a server that never ran: to copy them takes a tenth of the time of making them. Processes started from here on share them. */
const newCluster = once(() => {
  const made = process.env['WINDROW_TEST_CLUSTER']
  if (made !== undefined) return made
  const user = runAs()
  const folder = folderOf(user)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  const words = ['-D', data, '-U', 'windrow', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  execFileSync(program('initdb'), words, surroundingsOf(user, folder))
  return (process.env['WINDROW_TEST_CLUSTER'] = data)
})

/** Without `isDurable` it does not wait for the disk: what it has survives its own crash, not that of the machine. */
export async function startPostgres({ isDurable = false } = {}): Promise<Server> {
  const user = runAs()
  const folder = folderOf(user)
  const data = join(folder, 'data')
  cpSync(newCluster(), data, { recursive: true })
  // The server starts only where nobody else can look.
  chmodSync(data, 0o700)
  if (user.uid !== undefined)
    for (const path of ['.', ...readdirSync(data, { recursive: true })])
      chownSync(join(data, String(path)), user.uid, user.gid!)
  const port = await freePort()
  const how = surroundingsOf(user, folder)
  const options = [
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    folder,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'max_connections=200',
    '-c',
    `fsync=${isDurable ? 'on' : 'off'}`,
    '-c',
    `full_page_writes=${isDurable ? 'on' : 'off'}`,
  ]
  let running: ReturnType<typeof spawn> | undefined
  const address = (name: string): string => `postgres://windrow@127.0.0.1:${port}/${name}`
  const query = (sql: string): void => ask(address('postgres'), sql)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = running
    running = undefined
    if (ended === undefined) return
    const exit = new Promise((resolve) => ended.once('exit', resolve))
    ended.kill(signal)
    await exit
  }
  const server: Server = {
    database: () => newDatabase(address('postgres')),
    empty: (url) => ask(url, emptying),
    // PostgreSQL calls these an immediate and a fast shutdown.
    crash: () => end('SIGQUIT'),
    halt: () => end('SIGINT'),
    async start() {
      running = spawn(program('postgres'), options, { ...how, stdio: 'ignore' })
      for (let tries = 0; ; tries += 1)
        try {
          query('SELECT 1')
          return
        } catch (cause) {
          if (tries > 100) throw cause
          await sleep(50)
        }
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createServer()
    socket.once('error', reject)
    socket.listen(0, '127.0.0.1', () => {
      const { port } = socket.address() as { port: number }
      socket.close(() => resolve(port))
    })
  })
}
