/** Finds files in folders and zips, also in zips inside zips. */

import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { WindrowError } from '../error.ts'
import {
  asOpened,
  openedInside,
  spooledSource,
  withoutBytes,
  type Member,
  type OpenedSource,
  type Source,
} from './source.ts'
import type { ZipLimits } from './zip.ts'
import { isZip } from './zip-mark.ts'
import { listed } from '../values/plural.ts'

/** The files in a folder or a zip; undefined if the source is neither. */
export async function membersOf(
  source: Source,
  limits: Partial<ZipLimits> = {},
): Promise<readonly Member[] | undefined> {
  if (source.members !== undefined) return source.members()
  if (!isZip(await source.read(0, 4))) return undefined
  const { membersOfZip } = await import('./zip.ts')
  return membersOfZip(source, limits)
}

/** A packed file that is not read in order is kept in memory up to this size, on disk beyond. */
const smallBytes = 4 * 2 ** 20

/** A member that can be read at any position cheaply, as a zip inside a zip needs. */
export async function loosened(source: Source, signal?: AbortSignal): Promise<OpenedSource> {
  if (source.path !== undefined || source.size <= smallBytes) return asOpened(source)
  const { source: copy, close } = await spooledSource(source.name, source.stream(signal), signal)
  return { source: { ...copy, fingerprint: () => source.fingerprint() }, close }
}

/** What all zips inside each other may still use together. */
export type Allowance = { readonly zips: number; readonly members: number; readonly totalBytes: number }

export const usualAllowance: Allowance = { zips: 3, members: 10_000, totalBytes: 16 * 2 ** 30 }

/** The files in a folder or zip, and what is left of the allowance for zips in it; undefined if the source is neither. */
export async function membersWithin(source: Source, allowance: Allowance) {
  if (source.members !== undefined) return { members: await source.members(), left: allowance }
  if (allowance.zips === 0) return undefined
  const { zips, members: most, totalBytes } = allowance
  const members = await membersOf(source, { members: most, totalBytes })
  if (members === undefined) return undefined
  const bytes = members.reduce((sum, member) => sum + member.source.size, 0)
  return { members, left: { zips: zips - 1, members: most - members.length, totalBytes: totalBytes - bytes } }
}

/**
 * Opens a path in a folder or zip: a file, a folder, or something in a zip inside it. Upper and lower case may differ
 * if only one file fits.
 */
export async function openMember(
  source: Source,
  path: string,
  allowance: Allowance = usualAllowance,
): Promise<OpenedSource> {
  const wanted = path.split('/').filter((step) => step !== '' && step !== '.')
  const within = await membersWithin(source, allowance)
  if (within === undefined)
    throw new WindrowError('file-missing', `"${source.name}" is neither a folder nor a zip, so "${path}" is not in it.`)
  const { members, left } = within
  const name = wanted.join('/')
  const found = memberNamed(members, name)
  if (found !== undefined) return asOpened(found.source)
  for (let steps = wanted.length - 1; steps > 0; steps -= 1) {
    const outer = memberNamed(members, wanted.slice(0, steps).join('/'))
    if (outer !== undefined)
      return openedInside(await loosened(outer.source), (loose) =>
        openMember(loose, wanted.slice(steps).join('/'), left),
      )
  }
  const inFolder = members.filter((each) => spelling(each.name).startsWith(`${spelling(name)}/`))
  if (inFolder.length > 0) return asOpened(partOf(source, name, inFolder))
  throw notThere(source, name, members)
}

/** The same for all spellings of a name: macOS may store accents apart from their letters, and neither it nor Windows minds the case. */
export function spelling(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** True for two names that Windows and macOS take for one. */
export function isAlike(one: string, other: string): boolean {
  return spelling(one) === spelling(other)
}

/** A file's name, or its path, without the ending. */
export function stemOf(name: string): string {
  return name.replace(/\.[^./]*$/, '')
}

/** The path with the names of its file and folder as they are on the disk, where Windows and macOS also open other spellings. */
export async function spelledAsThere(path: string, levels = 2): Promise<string> {
  const [above, name] = [dirname(path), basename(path)]
  if (levels === 0 || above === path) return path
  const names = await readdir(above).catch((): string[] => [])
  const alike = names.includes(name) ? [] : names.filter((each) => isAlike(each, name))
  // Elsewhere another spelling is another file, which is not there.
  const isOpened = alike.length === 1 && (await stat(path).catch(() => undefined)) !== undefined
  return join(await spelledAsThere(above, levels - 1), isOpened ? alike[0]! : name)
}

function memberNamed(members: readonly Member[], name: string): Member | undefined {
  const exact = members.find((each) => each.name === name)
  if (exact !== undefined) return exact
  const alike = members.filter((each) => isAlike(each.name, name))
  return alike.length === 1 ? alike[0] : undefined
}

/** A folder inside a folder or zip, as a source of the members below it. */
function partOf(whole: Source, folder: string, members: readonly Member[]): Source {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  const noBytes = (): WindrowError =>
    new WindrowError('file-unreadable', `"${folder}" in "${whole.name}" is a folder, not a file.`)
  return {
    name,
    ...withoutBytes(noBytes),
    fingerprint: async () => `${await whole.fingerprint()}:${folder}/`,
    members: () => Promise.resolve(members.map((each) => ({ ...each, name: each.name.slice(folder.length + 1) }))),
  }
}

function notThere(source: Source, name: string, members: readonly Member[]): WindrowError {
  const names = members.map((each) => each.name)
  return new WindrowError('file-missing', `There is no "${name}" in "${source.name}".`, {
    hint: members.length === 0 ? 'It is empty.' : `It contains: ${listed(names, 12)}.`,
  })
}
