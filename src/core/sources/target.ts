/** Writes output files: under a temporary name first, then renamed, so that a file is written completely or not at all. */

import { randomBytes } from 'node:crypto'
import { renameSync } from 'node:fs'
import { lstat, mkdir, open, realpath, rm, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { WindrowError } from '../error.ts'
import { refuseUnknown } from '../values/nearest.ts'
import { hintOfMac, isHeldOnWindows, storageFailure } from '../storage-failure.ts'
import { fileSource, throwAfter } from './source.ts'
import { whenFree } from './when-free.ts'
import { writeFully } from './temporary.ts'

/** A file being written. Nothing is at `path` before `commit`; `abandon` leaves nothing behind. `sha256` is there where it is known. */
export type Target = {
  readonly path: string
  readonly name: string
  write(bytes: Uint8Array | string): Promise<void>
  commit(): Promise<{ readonly path: string; readonly bytes: number; readonly sha256?: string }>
  abandon(): Promise<void>
}

/** Starts a file; with `private` only its owner can read it. */
export async function fileTarget(path: string, options: { readonly private?: boolean } = {}): Promise<Target> {
  refuseUnknown('fileTarget', options, { private: true })
  const place = await endOfLink(path)
  const temporary = temporaryFor(place)
  const handle = await startFile(path, temporary, options.private === true ? 0o600 : 0o666)
  const there = options.private === true ? undefined : await stat(place).catch(() => undefined)
  // Who could not read the file before still cannot; some disks keep no rights.
  if (there?.isFile() === true) await handle.chmod(there.mode & 0o777).catch(() => undefined)
  const failing = failedToWrite(path)
  let position = 0
  return {
    path,
    name: basename(path),
    async write(bytes) {
      const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes
      await writeFully(handle, buffer, position).catch(failing)
      position += buffer.length
    },
    async commit() {
      await handle.sync().catch(failing)
      await handle.close()
      try {
        whenFree(() => renameSync(temporary, place))
      } catch (cause) {
        await discard(temporary)
        throw targetError(path, cause)
      }
      return { path, bytes: position }
    },
    async abandon() {
      await handle.close().catch(() => undefined)
      await discard(temporary)
    },
  }
}

/** Checks that a file can be written at `path`, before work is done for it. Throws the error that writing would throw. */
export async function checkTarget(path: string): Promise<void> {
  const temporary = temporaryFor(await endOfLink(path))
  const handle = await startFile(path, temporary, 0o600)
  await handle.close()
  await discard(temporary)
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory() === true) throw targetError(path, { code: 'EISDIR' })
  if (there?.isFile() !== true) return
  // A program with every right could replace it, but somebody wants to keep it.
  if ((there.mode & 0o222) === 0)
    throw new WindrowError('target-unwritable', `"${path}" is read-only.`, {
      hint: 'Choose another name with -o, or make the file writable.',
    })
  await open(path, 'r+')
    .then((file) => file.close())
    .catch(failedToWrite(path))
}

/** Writes a text to a file, completely or not at all; only its owner can read it, unless the options say otherwise. */
export async function writeTarget(path: string, text: string, options = { private: true }): Promise<void> {
  const target = await fileTarget(path, options)
  await target
    .write(text)
    .then(() => target.commit())
    .catch(throwAfter(() => target.abandon()))
}

/** Copies a file to where a person wants it, completely or not at all; only its owner can read it. */
export async function copyToTarget(from: string, path: string): Promise<void> {
  const source = await fileSource(from)
  const target = await fileTarget(path, { private: true })
  const copy = async (): Promise<void> => {
    for await (const chunk of source.stream()) await target.write(chunk)
    await target.commit()
  }
  await copy().catch(throwAfter(() => target.abandon()))
}

/** The file that a link leads to: renamed over the link, the new file would leave that one as it was. */
async function endOfLink(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true
  return isLink ? await realpath(path).catch(() => path) : path
}

/** Deletes a file under its temporary name. That Windows holds it must not hide how the work ended. */
async function discard(temporary: string): Promise<void> {
  await rm(temporary, { force: true, maxRetries: 3 }).catch(() => undefined)
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`)
}

async function startFile(path: string, temporary: string, mode: number): Promise<FileHandle> {
  checkName(path)
  await mkdir(dirname(path), { recursive: true }).catch(failedToWrite(path))
  return open(temporary, 'wx', mode).catch(failedToWrite(path))
}

function failedToWrite(path: string): (cause: unknown) => never {
  return (cause) => {
    throw targetError(path, cause)
  }
}

// https://learn.microsoft.com/windows/win32/fileio/naming-a-file. Node would make some of these, and no other program could open them.
const refusedByWindows = /[<>:"|?*]|[. ]$/

/** True for a name that means a device on Windows, with any ending. */
export function isDeviceOfWindows(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)
}

/** Throws the error for a name that Windows does not allow. */
export function checkName(path: string, platform: NodeJS.Platform = process.platform): void {
  const name = basename(path)
  if (platform !== 'win32' || !(refusedByWindows.test(name) || isDeviceOfWindows(name))) return
  throw new WindrowError('target-unwritable', `Windows does not allow the name "${name}".`, {
    hint: 'Choose a name without < > : " | ? *, without a dot or space at its end, and not one such as con or aux.',
  })
}

/** Explains why a file cannot be written. */
export function targetError(path: string, cause: unknown, platform = process.platform): WindrowError {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === 'EBUSY' || isHeldOnWindows(cause, platform))
    return new WindrowError('target-busy', `"${path}" is open in another program.`, {
      hint: 'Close it there (Excel locks a workbook while it is open), or choose another name with -o.',
      cause,
    })
  if (code === 'EISDIR')
    return new WindrowError('target-unwritable', `"${path}" is a folder.`, { hint: 'Add a file name.', cause })
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return new WindrowError('target-unwritable', `"${path}" cannot be written: a file is in place of its folder.`, {
      hint: 'Choose another folder.',
      cause,
    })
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new WindrowError('target-unwritable', `You may not write to "${path}".`, {
      hint: hintOfMac(cause, platform) ?? 'Choose another folder or name with -o.',
      cause,
    })
  const failure = storageFailure(cause, path)
  if (failure?.code === 'disk-full' || failure?.code === 'disk-failed') return failure
  return new WindrowError('target-unwritable', `"${path}" cannot be written: ${(cause as Error).message}`, {
    hint: 'Choose a folder that you may write to.',
    cause,
  })
}
