/** Opens what a name on the command line or in a pipeline means: a file, packed or not, a folder, something in a zip, a web address. */

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Environment } from '../environment.ts'
import { refuseUnknown, type Names } from '../values/nearest.ts'
import { membersOf, openMember, spelledAsThere } from './file-tree.ts'
import { folderSource } from './folder.ts'
import { withoutGzip } from './gzip.ts'
import { relativePath } from './relative-path.ts'
import { asOpened, failedToOpen, fileSource, spooledSource, type OpenedSource } from './source.ts'
import type { WebOptions } from './source-url.ts'
import { isWebAddress, parseWebAddress } from './web-address.ts'
import { isZip } from './zip-mark.ts'

const sourceOptions: Names<WebOptions> = {
  allowsPrivate: true,
  env: true,
  keptIn: true,
  limits: true,
  resolve: true,
  sleep: true,
  clock: true,
  signal: true,
}

/** Opens what a name means, relative to a folder. `farm.zip/paddocks.csv` is a file in a zip. */
export async function openSource(name: string, folder: string, options: WebOptions = {}): Promise<OpenedSource> {
  refuseUnknown('openSource', options, sourceOptions)
  const { signal } = options
  if (!isWebAddress(name)) {
    const opened = await withoutGzip(await openPath(await spelledAsThere(resolve(folder, name)), signal), signal)
    return withPrefix(opened, `${name.replace(/[\\/]+$/, '')}/`)
  }
  // Loaded only when needed: most files are on this machine.
  const { urlSource } = await import('./source-url.ts')
  const { shown, member } = parseWebAddress(name)
  const opened = await withoutGzip(await urlSource(name, options), signal)
  return withPrefix(opened, `${shown}#${member === undefined ? '' : `${member}/`}`)
}

/** The secrets of web addresses, and where downloads are kept in a state folder for the next run. */
export function webOf({ env }: { readonly env: Environment }, state: string) {
  return { env, keptIn: join(state, 'downloads') } satisfies WebOptions
}

function withPrefix({ source, close }: OpenedSource, prefix: string): OpenedSource {
  return { source: { ...source, prefix }, close }
}

async function openPath(path: string, signal?: AbortSignal): Promise<OpenedSource> {
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined) {
    const outer = await fileAbove(path)
    // The path above is not a zip, so the whole path is wrong; the error quotes it as it was typed.
    if (outer === undefined || !isZip(await (await fileSource(outer)).read(0, 4)))
      return asOpened(await fileSource(path))
    return openMember(await fileSource(outer), relativePath(outer, path))
  }
  if (facts.isDirectory()) return asOpened(folderSource(path))
  if (facts.isFile()) return asOpened(await fileSource(path))
  // A named pipe, or the shell's <(...), can be read only once.
  return spooledSource(basename(path), createReadStream(path), signal)
}

/** A file at a place where the path needs a folder. */
async function fileAbove(path: string): Promise<string | undefined> {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    const facts = await stat(above).catch(() => undefined)
    if (facts !== undefined) return facts.isFile() ? above : undefined
  }
  return undefined
}

/** When a path was last written, in milliseconds: for a folder its newest file, for something in a zip the zip. */
export async function lastWrittenMs(path: string): Promise<number> {
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined) return writtenMs((await fileAbove(path)) ?? path)
  if (!facts.isDirectory()) return facts.mtimeMs
  const members = await membersOf(folderSource(path))
  const times = await Promise.all((members ?? []).map(({ source }) => writtenMs(source.path!)))
  return times.reduce((latest, each) => Math.max(latest, each), 0)
}

async function writtenMs(path: string): Promise<number> {
  return (await stat(path).catch(failedToOpen(path))).mtimeMs
}
