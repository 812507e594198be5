/** Explains failures of disks, folders and database files: full, read-only, locked, failing or damaged. */

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { WindrowError, type ErrorCode } from './error.ts'

type Kind = 'full' | 'readOnly' | 'denied' | 'locked' | 'lost' | 'failed' | 'damaged'

const kindOfSystem: Readonly<Record<string, Kind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'readOnly',
  EACCES: 'denied',
  EPERM: 'denied',
  EBUSY: 'locked',
  EIO: 'failed',
  ESTALE: 'lost',
  ENOTCONN: 'lost',
  EHOSTDOWN: 'lost',
  EHOSTUNREACH: 'lost',
  ENETUNREACH: 'lost',
  ETIMEDOUT: 'lost',
  ENODEV: 'lost',
  ENXIO: 'lost',
  // Node's name on Windows for most failures of a network, and of a file in the cloud that cannot be fetched.
  UNKNOWN: 'lost',
}

// The primary result codes of SQLite; the higher bits of a code have the details.
const kindOfSqlite: Readonly<Record<number, Kind>> = {
  5: 'locked',
  6: 'locked',
  8: 'readOnly',
  10: 'failed',
  11: 'damaged',
  13: 'full',
  26: 'damaged',
}

// SQLite reports an I/O error when there is no room for its shared memory, 32 kB.
const littleBytes = 1 << 18

/** What to do about a damaged file of windrow's. */
export const damagedHint =
  'Run the same command again: windrow keeps the damaged ledger under another name and reads the records from the service again.'

/** The failure as a WindrowError that names the file; undefined if the cause is of another kind. */
export function storageFailure(
  cause: unknown,
  place?: string,
  platform: NodeJS.Platform = process.platform,
): WindrowError | undefined {
  if (cause instanceof WindrowError) return cause
  // What failed while closing must not hide the failure before it.
  if (cause instanceof SuppressedError) return storageFailure(cause.suppressed, place, platform)
  // A port without permission to listen is not a file.
  if (!(cause instanceof Error) || 'address' in cause) return undefined
  const { code, errcode, path, message }: NodeJS.ErrnoException & { readonly errcode?: number } = cause
  const where = path ?? place
  let kind = code === 'ERR_SQLITE_ERROR' ? kindOfSqlite[(errcode ?? 0) & 0xff] : kindOfSystem[code ?? '']
  if (isHeldOnWindows(cause, platform)) kind = 'locked'
  if (kind === 'failed' && where !== undefined && isNearlyFull(where)) kind = 'full'
  const named = where === undefined ? 'The file' : `"${where}"`
  const disk = where === undefined ? 'The disk' : `The disk that holds "${where}"`
  const failure = (code: ErrorCode, sentence: string, advice: string): WindrowError =>
    new WindrowError(code, sentence, { hint: `${advice}, ${again}.`, cause })
  switch (kind) {
    case undefined:
      return undefined
    case 'full':
      return failure('disk-full', `${disk} is full.`, 'Free some space on that disk')
    case 'readOnly':
      return failure('disk-read-only', `${named} is read-only.`, 'Make it writable for this user')
    case 'denied':
      return failure('disk-read-only', `${named} is not writable for this user.`, 'Ask for permission to write there')
    case 'locked':
      return failure(
        'file-locked',
        `${named} is in use by another program.`,
        'It may be a backup, a virus scanner or another windrow. Wait until it has finished',
      )
    case 'lost':
      return shareLost(where, cause)
    case 'failed':
      return failure('disk-failed', `${disk} reports an error: ${message}.`, 'Check the disk and its connection')
    case 'damaged': {
      const isOfOneUse = /[\\/](schedule|notify|taken-files)\.db$/.test(where ?? '')
      const hint = isOfOneUse ? `Move it away, ${again}: windrow then starts a new one.` : damagedHint
      return new WindrowError('state-damaged', `${named} is damaged, or contains a damaged file: ${message}.`, {
        hint,
        cause,
      })
    }
  }
}

/** What to do on macOS, which answers EPERM until a person lets the program into the folder; undefined for any other failure. */
export function hintOfMac(cause: unknown, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'darwin' || (cause as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  return 'macOS may keep programs out of Documents, Desktop, Downloads and other disks. Allow the one that starts windrow (Terminal, cron) in System Settings, Privacy & Security, Full Disk Access, or use another folder.'
}

/** Windows answers EPERM where a file is to be replaced or deleted that another program has open; elsewhere it means a right. */
export function isHeldOnWindows(cause: unknown, platform: NodeJS.Platform): boolean {
  const { code, syscall = '' } = cause as NodeJS.ErrnoException
  return platform === 'win32' && code === 'EPERM' && !['open', 'mkdir', 'scandir'].includes(syscall)
}

const again = 'then run the same command again'

/** The error for a file on a share or disk that went away. */
export function shareLost(path: string | undefined, cause: unknown): WindrowError {
  const named = path === undefined ? 'a file' : `"${path}"`
  const { code, message } = cause as NodeJS.ErrnoException
  return new WindrowError('share-lost', `The network share or disk with ${named} went away (${code ?? message}).`, {
    hint: `Check the connection and the drive, ${again}: it continues where it stopped.`,
    cause,
  })
}

/** True if an error of reading a file means that its share or disk is out of reach. */
export function isShareLost(cause: unknown): boolean {
  const { code = '' } = cause as NodeJS.ErrnoException
  // Windows calls a share that went away a connection that was reset; macOS has no name for a file in the cloud that cannot be fetched.
  const isUnnamed = code === 'ECONNRESET' || code.startsWith('Unknown system error')
  return kindOfSystem[code] === 'lost' || code === 'EIO' || isUnnamed
}

function isNearlyFull(place: string): boolean {
  for (const path of [place, dirname(place)])
    try {
      const { bavail, bsize } = statfsSync(path)
      return bavail * bsize < littleBytes
    } catch {
      // For a file that was never created the folder shows the cause.
    }
  return false
}
