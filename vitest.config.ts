import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// The tests start hundreds of processes; with Node's compile cache each starts three times as fast.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')

// The tests open thousands of databases, and each waits for the disk. Where Linux has room for files in memory, they take half the time.
const memory = '/dev/shm'
if (process.env['TMPDIR'] === undefined && freeBytes(memory) > 2 ** 31) {
  const folder = (process.env['TMPDIR'] = mkdtempSync(join(memory, 'windrow-tests-')))
  // PostgreSQL runs as another user where root runs the tests, and has its folder in here, too.
  chmodSync(folder, 0o711)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

// What the person who runs the tests has saved or set, such as the connection of a demo or of a farm, must not answer in one.
const home = mkdtempSync(join(tmpdir(), 'windrow-home-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
for (const name of ['XDG_STATE_HOME', 'LOCALAPPDATA', ...(process.platform === 'darwin' ? ['HOME'] : [])])
  process.env[name] = home
for (const name of Object.keys(process.env)) if (/^WINDROW_(?!TEST_|PROPERTY_)/.test(name)) delete process.env[name]

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** Files that start processes, read large files or try thousands of inputs. `npm run test:fast` leaves them out. */
const slow = [
  'bench/*',
  'bin',
  'cli/{allow,asking,commands,deciding-records,dry-run,duplicates,edited-exports,export,export-files,export-filters,farm-place,grids}',
  'cli/{ledger,listen,other-programs,own-exports,places,placing,plan,retry,round-trip,runs,same-bodies,serve,sheets,sources,store,undo,verify,work}',
  'core/{memory,s3-target}',
  'docs',
  'formats/{contract,geopackage,hostile,workbook}',
  'formats/{csv/whole-file,shapefile/table-writer,shapefile/write-shapefile,spreadsheet/alike,xlsx/shared-texts}',
  'library/*',
  'geometry/{boundaries,coordinate-systems,covered-land,coverage,to-system}',
  'notify/a-night',
  'package',
  'pipeline/{judge-duplicates,judge-gone,plan,shared-records,undo}',
  'pipeline/{agreed-readings,bad-nights,crash,definition,full-disk,import-run,kept-runs,lost-share,power-loss,same-rows,stated-area,yaml-source}',
  'schedule/nights',
  'service/{gdal,keeping,webhooks}',
  'tools/*',
  'web/in-browser',
].map((path) => `test/${path}.test.ts`)

const all = ['test/**/*.test.ts']

/** A file that measures how long the service holds its thread: in a process of its own, where no other test left what must be freed. */
const alone = ['test/service/share-thread.test.ts']
const apart = { extends: true as const, test: { name: 'alone', include: alone, isolate: true, execArgv: [] } }

export default defineConfig(({ mode }) => ({
  test: {
    // Only for what hangs: on a slow machine with other work everything takes ten times as long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    passWithNoTests: false,
    setupFiles: 'test/runs.ts',
    // Tests keep to themselves, so that a worker need not begin anew for each file; that and using every core halves the time.
    isolate: false,
    maxWorkers: availableParallelism(),
    // A worker lives long. With room from the start it seldom looks for what it can free, and then on no core that another worker needs.
    execArgv: ['--min-semi-space-size=32', '--initial-heap-size=1000', '--single-threaded-gc'],
    // Node runs the tests as it runs the program; Vite's form of each module takes a tenth more time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    expect: { poll: { interval: 5, timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'all', include: all, exclude: [...(mode === 'fast' ? slow : []), ...alone] } },
      ...(mode === 'fast' ? [] : [apart]),
    ],
  },
}))
