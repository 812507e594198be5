/** Tries out views in a separate process: a view may run without end or fill the memory, and SQLite cannot be stopped inside its own process. */

import { execFile } from 'node:child_process'
import { WindrowError } from '../../core/error.ts'
import { cellLimitBytes, type HeldDatabase } from './geopackage-database.ts'

const script = `
const { DatabaseSync } = require('node:sqlite')
const { pathToFileURL } = require('node:url')
const [path, query, cellBytes] = process.argv.slice(1)
const location = pathToFileURL(path)
location.searchParams.set('immutable', '1')
const database = new DatabaseSync(location, { readOnly: true, limits: { length: Number(cellBytes) } })
database.exec('PRAGMA trusted_schema = OFF')
for (const row of database.prepare(query).iterate());
`

const quickestMs = 4000
const bytesPerMs = 20_000

/** Runs a query to its end in a separate process, once. Throws a WindrowError if it takes too long or too much memory. */
export async function tryComputed(
  { name, path, size }: HeldDatabase,
  layer: string,
  query: string,
  signal?: AbortSignal,
): Promise<void> {
  const timeoutMs = quickestMs + Math.ceil(size / bytesPerMs)
  const failed = await new Promise<{ readonly killed?: boolean } | null>((resolve) => {
    execFile(
      process.execPath,
      ['--no-warnings', '--eval', script, '--', path, query, String(cellLimitBytes)],
      { timeout: timeoutMs, killSignal: 'SIGKILL', windowsHide: true, ...(signal === undefined ? {} : { signal }) },
      (failure) => resolve(failure),
    )
  })
  signal?.throwIfAborted()
  if (failed === null) return
  throw new WindrowError(
    'file-unreadable',
    failed.killed === true
      ? `The layer "${layer}" of "${name}" is computed by the file, and did not finish within ${Math.round(timeoutMs / 1000)} seconds.`
      : `The layer "${layer}" of "${name}" is computed by the file, and that fails.`,
    { hint: 'Save that layer as its own table in a mapping program, and read that.' },
  )
}
